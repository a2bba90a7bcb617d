//! Did anything go on at all times, and was the target this run's alone?

use std::ops::Range;

use fathom_measure::{ByteRate, Bytes, Nanos};
use fathom_record::check::OTHERS_CPU_SHARE;
use fathom_record::telemetry::Telemetry;
use fathom_record::{Check, CheckName, CheckOutcome, Standstill};
use fathom_telemetry::other_programs::OthersUse;

use super::CheckEvidence;

/// Share of the window that may have stood still. Rates are then off by as much, which is what other limits allow.
const STILL_SHARE: f64 = 0.01;
/// A standstill shorter than this is one outlier in a short window, and not much longer than what can be noticed.
const STILL_FLOOR_NS: u64 = 100_000_000;
/// Processor time that the hypervisor may give away before it is worth saying: rates move by about as much.
const STOLEN_CAUTION: f64 = 0.01;
/// Above this the run measured how much of a processor it was given.
const STOLEN_LIMIT: f64 = 0.10;
/// Bytes of others on the target's device, as a share of the run's own, from which they are worth saying: more
/// than a file system's bookkeeping, and as much as runs of one device differ.
const FOREIGN_SHARE: f64 = 0.05;
/// Bytes per second below which others are the background of any machine: logs, a journal.
const FOREIGN_FLOOR_PER_S: f64 = 1_048_576.0;
/// The busiest other program is named where it moved this share of the foreign bytes or more.
const NAMED_SHARE: f64 = 0.25;

/// What is known of the times at which nothing went on.
#[derive(Clone, Debug)]
pub struct Stillness<'a> {
    /// When, from the run's start.
    pub standstills: &'a [Standstill],
    /// The measured window, from the run's start, in nanoseconds.
    pub window_ns: Range<u64>,
    /// Share of the machine's processor time in the window that the hypervisor gave to others, where known.
    pub stolen_share: Option<f64>,
}

impl Stillness<'_> {
    /// Standstill inside the measured window, in nanoseconds.
    fn within_ns(&self) -> u64 {
        let within = |still: &Standstill| {
            let end_ns = still.at_ns.saturating_add(still.duration_ns).min(self.window_ns.end);
            end_ns.saturating_sub(still.at_ns.max(self.window_ns.start))
        };
        self.standstills.iter().map(within).sum()
    }
}

/// The hypervisor's share of the machine's processor time over the samples that end in a window of the run.
pub fn stolen_share(telemetry: &Telemetry, window_ns: &Range<u64>) -> Option<f64> {
    let series = telemetry.find("cpu.steal", "")?;
    let within = telemetry.at_ns.iter().zip(&series.values).filter_map(|(at_ns, value)| {
        let at_ns = u64::try_from(*at_ns).ok()?;
        value.filter(|_| at_ns > window_ns.start && at_ns <= window_ns.end)
    });
    let (count, sum) = within.fold((0u32, 0.0), |(count, sum), share| (count + 1, sum + share));
    (count > 0).then(|| sum / f64::from(count))
}

pub fn stood_still(evidence: &CheckEvidence<'_>) -> Check {
    match &evidence.stillness {
        Some(stillness) => standstill(stillness),
        None => Check::plain(CheckName::Standstill, CheckOutcome::NotApplicable, "Time is simulated."),
    }
}

/// Of one run, whatever program carried its I/O.
pub fn standstill(stillness: &Stillness<'_>) -> Check {
    const NAME: CheckName = CheckName::Standstill;
    let window_ns = stillness.window_ns.end.saturating_sub(stillness.window_ns.start).max(1);
    let still_ns = stillness.within_ns();
    if let Some(longest) = stillness.standstills.iter().max_by_key(|still| still.duration_ns) {
        let share = still_ns as f64 / window_ns as f64;
        let limit = STILL_SHARE.max(STILL_FLOOR_NS as f64 / window_ns as f64);
        let all_ns: u64 = stillness.standstills.iter().map(|still| still.duration_ns).sum();
        let times = match stillness.standstills.len() {
            1 => "once".to_owned(),
            count => format!("{count} times, the longest {}", Nanos(longest.duration_ns)),
        };
        let text = format!(
            "The process or the machine stood still for {} ({times}, {} after the start), {:.1} % of the measured \
             window: it was stopped or frozen, or the machine was suspended or paused. Rates and latencies include \
             that time: run again.",
            Nanos(all_ns),
            Nanos(longest.at_ns),
            share * 100.0
        );
        let outcome = if share > limit { CheckOutcome::Fail } else { CheckOutcome::Caution };
        return Check::figure(NAME, outcome, (share, limit), "share", text);
    }
    match stillness.stolen_share {
        Some(stolen) if stolen >= STOLEN_CAUTION => {
            let outcome = if stolen > STOLEN_LIMIT { CheckOutcome::Fail } else { CheckOutcome::Caution };
            let text = format!(
                "The hypervisor gave {:.1} % of the CPU time to other virtual machines (steal): the generator stood \
                 still for moments, and latencies include them.",
                stolen * 100.0
            );
            Check::figure(NAME, outcome, (stolen, STOLEN_LIMIT), "share", text)
        }
        _ => Check::plain(NAME, CheckOutcome::Pass, "The process and the machine ran all the time."),
    }
}

/// Of one run, whatever program carried its I/O.
pub fn other_programs(others: &Result<OthersUse, String>) -> Check {
    const NAME: CheckName = CheckName::OtherPrograms;
    let used = match others {
        Ok(used) => used,
        Err(reason) => return Check::plain(NAME, CheckOutcome::NotApplicable, reason),
    };
    let share = used.share();
    let percent = share * 100.0;
    if share < OTHERS_CPU_SHARE {
        let text = format!("Other programs used {percent:.0} % of the CPU.");
        return Check::figure(NAME, CheckOutcome::Pass, (share, OTHERS_CPU_SHARE), "share", text);
    }
    let text = format!(
        "Other programs used {percent:.0} % of the CPU: what was measured is a busy machine. Run again when it is idle."
    );
    Check::figure(NAME, CheckOutcome::Caution, (share, OTHERS_CPU_SHARE), "share", text)
}

pub fn other_load(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::OtherLoad;
    let foreign = match evidence.foreign {
        Ok(foreign) => foreign,
        Err(reason) => return Check::plain(NAME, CheckOutcome::NotApplicable, reason),
    };
    if foreign.own_bytes == 0 || foreign.seconds <= 0.0 {
        return Check::plain(
            NAME,
            CheckOutcome::NotApplicable,
            "No data went to the target or came from it.",
        );
    }
    let devices = foreign.devices.join(", ");
    let share = foreign.bytes() as f64 / foreign.own_bytes as f64;
    let rate = foreign.bytes() as f64 / foreign.seconds;
    if share < FOREIGN_SHARE || rate < FOREIGN_FLOOR_PER_S {
        let text = format!("What {devices} transferred was this run's own, apart from {}.", ByteRate(rate));
        return Check::figure(NAME, CheckOutcome::Pass, (share, FOREIGN_SHARE), "share", text);
    }
    let written = foreign.write_bytes.map_or(String::new(), |bytes| format!(" and wrote {}", Bytes(bytes)));
    let named = foreign
        .busiest
        .as_ref()
        .filter(|program| program.bytes as f64 >= NAMED_SHARE * foreign.bytes() as f64);
    let named = named.map_or(String::new(), |program| {
        format!(
            " The busiest other program was {} (process {}), with {}.",
            program.name,
            program.process,
            Bytes(program.bytes)
        )
    });
    let text = format!(
        "Another load was on {devices}: it read {}{written} during this run, {:.0} % of this run's own bytes. The \
         numbers are those of a shared device.{named}",
        Bytes(foreign.read_bytes),
        share * 100.0
    );
    Check::figure(NAME, CheckOutcome::Caution, (share, FOREIGN_SHARE), "share", text)
}
