//! The cases that hold fathom against a peer, against itself, or against more of itself.

use super::acceptance_bounds::Bound;
use super::contender_pairs::{Contender, Tool};
use super::measured_load::{Cpu, Interface, Load, ToolMeasurement};
use super::programs::Programs;
use super::ratio_statistics::paired_ratio;
use super::t_io_uring::{self, WaitMode};
use super::task_options::Options;
use super::{bdevperf_contender, fathom_contender, fio};

/// What of two runs is divided, ours by theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Rate,
    /// Median time from submission to completion.
    MedianLatency,
    /// User time of an I/O by the tools' own account; of the process where one of them keeps none.
    UserCpu,
}

impl Quantity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::MedianLatency => "median latency",
            Self::UserCpu => "user CPU per I/O",
        }
    }

    /// This quantity of a pair.
    pub fn of(self, (ours, theirs): &(ToolMeasurement, ToolMeasurement)) -> Option<(f64, f64)> {
        let latency = |measured: &ToolMeasurement| measured.median_latency_ns;
        match self {
            Self::Rate => Some((ours.rate_per_s, theirs.rate_per_s)),
            Self::MedianLatency => latency(ours).zip(latency(theirs)),
            Self::UserCpu => {
                let (ours, theirs) = accounts(ours, theirs);
                Some((ours.user_ns, theirs.user_ns))
            }
        }
    }
}

/// Processor time of both by the same account.
pub fn accounts(ours: &ToolMeasurement, theirs: &ToolMeasurement) -> (Cpu, Cpu) {
    ours.own.zip(theirs.own).unwrap_or((ours.process, theirs.process))
}

/// Two sides and what is asked of their ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub case: &'static str,
    pub sides: [Contender; 2],
    pub figures: Vec<(Quantity, Bound)>,
}

impl Comparison {
    /// Whether every figure's ratio can be formed from what was measured.
    pub fn ratios(
        &self,
        pairs: &[(ToolMeasurement, ToolMeasurement)],
    ) -> Vec<Option<super::ratio_statistics::Ratio>> {
        let ratio = |(quantity, _): &(Quantity, Bound)| {
            paired_ratio(&pairs.iter().map(|pair| quantity.of(pair)).collect::<Option<Vec<_>>>()?)
        };
        self.figures.iter().map(ratio).collect()
    }
}

/// A case before its programs are known: name, interface, depth, and what is asked of it beside fio.
type Case = (&'static str, Interface, u32, &'static [(Quantity, Bound)]);

const TWO_THIRDS: f64 = 2.0 / 3.0;

const AIO: &[(Quantity, Bound)] =
    &[(Quantity::Rate, Bound::AtLeast(1.0)), (Quantity::UserCpu, Bound::AtMost(TWO_THIRDS))];

const BESIDE_FIO: [Case; 9] = [
    (
        "device-d32",
        Interface::Uring,
        32,
        &[
            (Quantity::Rate, Bound::AtLeast(1.0)),
            (Quantity::Rate, Bound::AtLeast(1.15)),
            (Quantity::UserCpu, Bound::AtMost(TWO_THIRDS)),
        ],
    ),
    (
        "device-d128",
        Interface::Uring,
        128,
        &[(Quantity::Rate, Bound::AtLeast(1.15)), (Quantity::UserCpu, Bound::AtMost(TWO_THIRDS))],
    ),
    (
        "device-d1",
        Interface::Uring,
        1,
        &[(Quantity::MedianLatency, Bound::AtMost(1.0)), (Quantity::Rate, Bound::AtLeast(1.0))],
    ),
    ("aio-d1", Interface::Aio, 1, AIO),
    ("aio-d32", Interface::Aio, 32, AIO),
    ("aio-d128", Interface::Aio, 128, AIO),
    (
        "sync-d1",
        Interface::Blocking,
        1,
        &[
            (Quantity::Rate, Bound::AtLeast(1.0)),
            (Quantity::MedianLatency, Bound::AtMost(1.0)),
            (Quantity::UserCpu, Bound::AtMost(TWO_THIRDS)),
        ],
    ),
    (
        "null-d1",
        Interface::Null,
        1,
        &[(Quantity::Rate, Bound::AtLeast(2.0)), (Quantity::UserCpu, Bound::AtMost(TWO_THIRDS))],
    ),
    (
        "null-d32",
        Interface::Null,
        32,
        &[(Quantity::Rate, Bound::AtLeast(2.0)), (Quantity::UserCpu, Bound::AtMost(TWO_THIRDS))],
    ),
];

/// What is asked beside the generators without histograms, on the device. At depth 1 nothing hides what an I/O's stamps,
/// counts and draw take.
const BESIDE_T_IO_URING: (Quantity, Bound) = (Quantity::Rate, Bound::AtLeast(1.0));
const BESIDE_T_IO_URING_AT_1: (Quantity, Bound) = (Quantity::Rate, Bound::AtLeast(0.95));
const BESIDE_BDEVPERF: (Quantity, Bound) = (Quantity::Rate, Bound::AtLeast(1.15));

/// What is run by an earlier build too, where one was named.
const BESIDE_EARLIER: [(&str, Interface, u32); 3] = [
    ("earlier-device-d1", Interface::Uring, 1),
    ("earlier-device-d32", Interface::Uring, 32),
    ("earlier-null-d1", Interface::Null, 1),
];

/// Names of all cases here.
pub fn names() -> impl Iterator<Item = &'static str> {
    BESIDE_FIO
        .iter()
        .map(|(name, ..)| *name)
        .chain(["control"])
        .chain(BESIDE_EARLIER.map(|(name, ..)| name))
        .chain(["cores-null", "cores-memory"])
}

/// The comparisons that are asked for and can be made; for each that cannot, why.
pub fn list(options: &Options, programs: &Programs) -> (Vec<Comparison>, Vec<String>) {
    let (mut comparisons, mut skipped) = (Vec::new(), Vec::new());
    for case in BESIDE_FIO.iter().filter(|(name, ..)| options.wants(name)) {
        beside_peers(case, options, programs, &mut comparisons, &mut skipped);
    }
    if options.wants("control") {
        comparisons.push(control(options, programs));
    }
    for (case, interface, depth) in BESIDE_EARLIER.into_iter().filter(|(name, ..)| options.wants(name)) {
        comparisons.extend(beside_earlier(case, &options.load(interface, depth), options, programs));
    }
    for (case, interface) in [("cores-null", Interface::Null), ("cores-memory", Interface::Memory)] {
        if !options.wants(case) {
            continue;
        }
        match options.other_cpu() {
            Some(other) => comparisons.push(two_cores(case, interface, other, options, programs)),
            None => skipped.push(format!("{case}: this machine has one CPU")),
        }
    }
    (comparisons, skipped)
}

fn beside_peers(
    &(case, interface, depth, figures): &Case,
    options: &Options,
    programs: &Programs,
    comparisons: &mut Vec<Comparison>,
    skipped: &mut Vec<String>,
) {
    let load = options.load(interface, depth);
    let ours = ours(options, programs, &load);
    let bound = |command: Vec<String>| bind(options.cpu, command);
    let mut beside = |label: &str, tool, command: Vec<String>, figures: &[(Quantity, Bound)]| {
        let theirs = Contender { label: label.to_owned(), tool, command: bound(command), load: load.clone() };
        comparisons.push(Comparison { case, sides: [ours.clone(), theirs], figures: figures.to_vec() });
    };
    match &programs.fio {
        Some(program) => beside("fio", Tool::Fio, fio::command(program, &load), figures),
        None => {
            skipped.push(format!("{case}: fio is not installed (`apt install fio`, or name it with --fio)"))
        }
    }
    if interface == Interface::Uring {
        if let Some(program) = &programs.t_io_uring {
            let asked = if depth == 1 { BESIDE_T_IO_URING_AT_1 } else { BESIDE_T_IO_URING };
            let command = |waits_for| t_io_uring::command(program, &load, waits_for);
            beside("t/io_uring", Tool::TIoUring, command(WaitMode::Batch), &[asked]);
            if depth > 1 {
                beside("t/io_uring -c1", Tool::TIoUring, command(WaitMode::One), &[BESIDE_T_IO_URING]);
            }
        }
        if let Some(program) = programs.bdevperf.as_ref().filter(|_| depth > 1) {
            let command = bdevperf_contender::command(program, &load, options.cpu);
            beside("bdevperf", Tool::Bdevperf, command, &[BESIDE_BDEVPERF]);
        }
    }
}

/// The same on both sides: what the ratios of this machine are worth today.
fn control(options: &Options, programs: &Programs) -> Comparison {
    let load = options.load(Interface::Uring, 32);
    let sides = [ours(options, programs, &load), ours(options, programs, &load)];
    Comparison { case: "control", sides, figures: vec![(Quantity::Rate, Bound::Includes(1.0))] }
}

/// The same load by an earlier build; none where none was named.
fn beside_earlier(
    case: &'static str,
    load: &Load,
    options: &Options,
    programs: &Programs,
) -> Option<Comparison> {
    let earlier = programs.earlier.as_ref()?;
    let mut theirs = ours(options, programs, load);
    theirs.label = "fathom, earlier".to_owned();
    theirs.command = bind(options.cpu, fathom_contender::command(earlier, load, &[]));
    let sides = [ours(options, programs, load), theirs];
    Some(Comparison { case, sides, figures: vec![(Quantity::Rate, Bound::Includes(1.0))] })
}

/// Two jobs on two processors beside one on one.
fn two_cores(
    case: &'static str,
    interface: Interface,
    other: usize,
    options: &Options,
    programs: &Programs,
) -> Comparison {
    let load = options.load(interface, 32);
    let side = |label: &str, flags: &[&str]| Contender {
        label: label.to_owned(),
        tool: Tool::Fathom,
        command: fathom_contender::command(&programs.fathom, &load, flags),
        load: load.clone(),
    };
    let one = format!("--cpus={}", options.cpu);
    let both = format!("--cpus={},{other}", options.cpu);
    let sides = [side("fathom, 2 jobs", &["--jobs=2", &both]), side("fathom, 1 job", &["--jobs=1", &one])];
    Comparison { case, sides, figures: vec![(Quantity::Rate, Bound::AtLeast(1.9))] }
}

fn ours(options: &Options, programs: &Programs, load: &Load) -> Contender {
    Contender {
        label: "fathom".to_owned(),
        tool: Tool::Fathom,
        command: bind(options.cpu, fathom_contender::command(&programs.fathom, load, &[])),
        load: load.clone(),
    }
}

/// The whole process on one processor, its helper threads too.
fn bind(cpu: usize, command: Vec<String>) -> Vec<String> {
    ["taskset", "-c", &cpu.to_string()].map(str::to_owned).into_iter().chain(command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task_options::typed;

    fn programs() -> Programs {
        Programs {
            fathom: "/bin/fathom".into(),
            earlier: None,
            fio: Some("fio".to_owned()),
            t_io_uring: Some("t/io_uring".to_owned()),
            bdevperf: None,
        }
    }

    #[test]
    fn both_sides_of_a_peer_run_the_same_load_on_the_same_processor() {
        let options = typed("--cpu 3");
        let (comparisons, skipped) = list(&options, &programs());
        assert_eq!(skipped, [] as [&str; 0]);
        let peers = comparisons.iter().filter(|c| !c.case.starts_with("cores"));
        for Comparison { case, sides: [ours, theirs], figures } in peers {
            assert_eq!(ours.load, theirs.load, "{case}");
            assert!([ours, theirs].iter().all(|side| side.command[..3] == ["taskset", "-c", "3"]), "{case}");
            assert!(!figures.is_empty());
        }
        let with_t = comparisons.iter().filter(|c| c.sides[1].tool == Tool::TIoUring);
        let asked: Vec<_> = with_t.map(|c| (c.case, c.figures[0].1)).collect();
        let (whole, nearly) = (Bound::AtLeast(1.0), Bound::AtLeast(0.95));
        let [d32, d128] = ["device-d32", "device-d128"].map(|case| (case, whole));
        assert_eq!(asked, [d32, d32, d128, d128, ("device-d1", nearly)]);
        let of_t = comparisons.iter().map(|c| &c.sides[1]).filter(|side| side.tool == Tool::TIoUring);
        let for_one: Vec<_> = of_t.map(|side| side.command.iter().any(|word| word == "-c1")).collect();
        assert_eq!(for_one, [false, true, false, true, false]);
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let options = typed("--cases null");
        let (comparisons, skipped) = list(&options, &Programs { fio: None, ..programs() });
        assert!(comparisons.is_empty());
        assert_eq!(skipped.len(), 2);
        assert!(skipped[0].contains("fio is not installed"));
    }

    #[test]
    fn processor_time_is_compared_by_one_account() {
        let cpu = |user_ns| Cpu { user_ns, system_ns: 0.0 };
        let measured = |own| ToolMeasurement {
            rate_per_s: 1.0,
            operations: 1.0,
            median_latency_ns: None,
            own,
            process: cpu(9.0),
        };
        let (with, without) = (measured(Some(cpu(3.0))), measured(None));
        assert_eq!(Quantity::UserCpu.of(&(with, with)), Some((3.0, 3.0)));
        assert_eq!(Quantity::UserCpu.of(&(with, without)), Some((9.0, 9.0)));
        assert_eq!(Quantity::MedianLatency.of(&(with, with)), None);
    }
}
