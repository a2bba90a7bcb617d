//! Hosts and targets of NVMe/TCP in all four pairings: fathom's and SPDK's, each host against each target, over the
//! loopback. A target has CPU 0 for itself and a host CPU 1; SPDK's poll, so each target is started for its run alone.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::program_run;
use crate::ratio_statistics::median;

use super::CASES;

/// Name of the subsystem, at either target.
const SUBSYSTEM: &str = "nqn.2026-01.org.example:benches";
/// Where targets listen.
const PORT: u16 = 14_427;
/// Memory of SPDK's programs, in MiB: they run without huge pages, so that nothing on the machine is changed.
const MEMORY_MIB: &str = "1024";
/// The share of SPDK's rate that is asked for.
const ASKED: f64 = 0.70;

/// Whose a host or a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Implementation {
    Ours,
    Spdk,
}

/// Host and target, in the order of the table's columns.
const PAIRINGS: [(Implementation, Implementation); 4] = [
    (Implementation::Ours, Implementation::Ours),
    (Implementation::Spdk, Implementation::Ours),
    (Implementation::Ours, Implementation::Spdk),
    (Implementation::Spdk, Implementation::Spdk),
];

/// Where the programs are, and how long each run takes.
pub struct Programs<'a> {
    pub fathom: &'a Path,
    /// A tree of SPDK that was built: `build/bin` in it has `nvmf_tgt` and `spdk_nvme_perf`.
    pub spdk: &'a Path,
    /// Whether fathom looks for answers and commands without sleeping, as SPDK does.
    pub polled: bool,
    pub rounds: usize,
    pub seconds: u32,
}

/// What one run came to.
#[derive(Clone, Copy, Debug, Default)]
struct RunFigures {
    per_s: f64,
    /// CPU time of the host and of the target for each I/O, in microseconds.
    host_us: f64,
    target_us: f64,
}

/// Measures all cases in all pairings and prints a table.
///
/// # Errors
/// Programs that are not there, or say no numbers.
pub fn run(programs: &Programs<'_>) -> Result<(), String> {
    for name in ["nvmf_tgt", "spdk_nvme_perf"] {
        if !programs.tool(name).is_file() {
            return Err(format!("{} is not there: --spdk names a built tree", programs.tool(name).display()));
        }
    }
    let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    println!("k I/Os a second, and CPU time an I/O of host + target in us; host > target\n");
    println!(
        "| reads of | depth | fathom > fathom | SPDK > fathom | fathom > SPDK | SPDK > SPDK | host, at fathom's \
         target | host, at SPDK's | target, by SPDK's host |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (depth, bytes) in CASES {
        let mut rounds: Vec<[RunFigures; 4]> = Vec::with_capacity(programs.rounds);
        for _ in 0..programs.rounds {
            let mut made = [RunFigures::default(); 4];
            for at in shuffled(&mut random) {
                made[at] = programs.one(PAIRINGS[at], (depth, bytes), folder.path())?;
            }
            rounds.push(made);
        }
        println!("{}", row(depth, bytes, &rounds));
    }
    Ok(())
}

/// The pairings in random order.
fn shuffled(random: &mut Xoshiro256PlusPlus) -> [usize; 4] {
    let mut order = [0, 1, 2, 3];
    for last in (1..order.len()).rev() {
        order.swap(last, (random.next_u64() >> 32) as usize % (last + 1));
    }
    order
}

fn row(depth: u32, bytes: u32, rounds: &[[RunFigures; 4]]) -> String {
    let of = |value: &dyn Fn(&[RunFigures; 4]) -> f64| median(rounds.iter().map(value)).unwrap_or(f64::NAN);
    let cell = |at: usize| {
        format!(
            "{:.1} k, {:.2} + {:.2}",
            of(&|made| made[at].per_s) / 1e3,
            of(&|made| made[at].host_us),
            of(&|made| made[at].target_us)
        )
    };
    let ratio = |one: usize, other: usize| {
        let ratio = of(&|made| made[one].per_s / made[other].per_s);
        let verdict = if ratio >= 1.0 {
            "goal met"
        } else if ratio >= ASKED {
            "met"
        } else {
            "not met"
        };
        format!("{ratio:.2}, {verdict}")
    };
    let cells = [cell(0), cell(1), cell(2), cell(3), ratio(0, 1), ratio(2, 3), ratio(1, 3)];
    format!("| {} KiB | {depth} | {} |", bytes >> 10, cells.join(" | "))
}

impl Programs<'_> {
    fn tool(&self, name: &str) -> PathBuf {
        self.spdk.join("build/bin").join(name)
    }

    fn polled(&self) -> &'static [&'static str] {
        if self.polled { &["--polled"] } else { &[] }
    }

    /// One run of a host against a target of its own.
    fn one(
        &self,
        (host, target): (Implementation, Implementation),
        (depth, bytes): (u32, u32),
        folder: &Path,
    ) -> Result<RunFigures, String> {
        let target = match target {
            Implementation::Ours => Target::fathom(self.fathom, self.polled())?,
            Implementation::Spdk => Target::spdk(&self.tool("nvmf_tgt"), folder)?,
        };
        let before = target.cpu_s();
        let (per_s, host_us, reads) = match host {
            Implementation::Ours => self.by_fathom(depth, bytes, folder)?,
            Implementation::Spdk => self.by_spdk(depth, bytes, folder)?,
        };
        let target_us = (target.cpu_s() - before) * 1e6 / reads;
        Ok(RunFigures { per_s, host_us, target_us })
    }

    /// Reads a second, the host's CPU time of each, and how many there were.
    fn by_fathom(&self, depth: u32, bytes: u32, folder: &Path) -> Result<(f64, f64, f64), String> {
        let line = format!(
            "{} run --target nvme+tcp://127.0.0.1:{PORT}/{SUBSYSTEM} --rw randread --size 1GiB --cpus 1 --depth {depth} \
             --bs {bytes} --time {}s --warmup 0s --json --quiet --store {}",
            self.fathom.display(),
            self.seconds,
            folder.join("store").display()
        );
        let mut command = words(&line);
        command.extend(self.polled().iter().map(|flag| (*flag).to_owned()));
        let ended = program_run::run(&command, folder)?;
        let record: Value = serde_json::from_str(&ended.stdout).map_err(|_| ended.stderr)?;
        let per_s = record["summary"]["directions"][0]["operations_per_s"].as_f64();
        let busy = record["jobs"][0]["busy_share"].as_f64();
        let (per_s, busy) = per_s.zip(busy).ok_or("the record has no rate or CPU time")?;
        Ok((per_s, busy * 1e6 / per_s, per_s * f64::from(self.seconds)))
    }

    /// The same by SPDK's own program, which polls: its CPU time is all of the time.
    fn by_spdk(&self, depth: u32, bytes: u32, folder: &Path) -> Result<(f64, f64, f64), String> {
        let line = format!(
            "timeout -k 1 {} {} --no-huge -s {MEMORY_MIB} -c 0x2 -q {depth} -o {bytes} -w randread -t {} -r",
            self.seconds + 15,
            self.tool("spdk_nvme_perf").display(),
            self.seconds,
        );
        let mut command = words(&line);
        command.push(format!("trtype:TCP adrfam:IPv4 traddr:127.0.0.1 trsvcid:{PORT} subnqn:{SUBSYSTEM}"));
        let ended = program_run::run(&command, folder)?;
        let per_s = total(&ended.stdout).ok_or_else(|| {
            let said = ended.stderr.lines().last().or(ended.stdout.lines().last()).unwrap_or("nothing");
            format!("spdk_nvme_perf printed no table of results; it said last: {said}")
        })?;
        Ok((per_s, 1e6 / per_s, per_s * f64::from(self.seconds)))
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// The rate in the line `Total` of `spdk_nvme_perf`.
fn total(stdout: &str) -> Option<f64> {
    let line = stdout.lines().rev().find(|line| line.trim_start().starts_with("Total"))?;
    line.split_once(':')?.1.split_whitespace().next()?.parse().ok().filter(|rate: &f64| *rate > 0.0)
}

/// A target on CPU 0; it ends with this.
struct Target(Child);

impl Target {
    fn fathom(program: &Path, polled: &[&str]) -> Result<Self, String> {
        let mut child = Command::new("taskset")
            .args(["-c", "0"])
            .arg(program)
            .args(["nvmet", "null:", "--listen", &format!("127.0.0.1:{PORT}"), "--nqn", SUBSYSTEM, "--json"])
            .args(["--workers", "1", "--max-transfer", "1MiB", "--queues", "1", "--memory", "512MiB"])
            .args(polled)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("taskset, {}: {error}", program.display()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let this = Self(child);
        if line.contains("\"ready\":true") {
            Ok(this)
        } else {
            Err("fathom nvmet did not become ready".to_owned())
        }
    }

    fn spdk(program: &Path, folder: &Path) -> Result<Self, String> {
        let path = folder.join("nvmf_tgt.json");
        std::fs::write(&path, configuration().to_string()).map_err(|error| error.to_string())?;
        let child = Command::new(program)
            .args(["-m", "0x1", "--no-huge", "-s", MEMORY_MIB, "-c"])
            .arg(&path)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let this = Self(child);
        for _ in 0..200 {
            std::thread::sleep(Duration::from_millis(50));
            if TcpStream::connect(("127.0.0.1", PORT)).is_ok() {
                return Ok(this);
            }
        }
        Err(format!("{} did not listen within 10 s", program.display()))
    }

    /// Processor time so far, in seconds.
    fn cpu_s(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0);
        (ticks(11) + ticks(12)) / 100.0
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What SPDK's target is told: one null device of 1 TiB, open to any host.
fn configuration() -> Value {
    let call = |method: &str, params: Value| json!({ "method": method, "params": params });
    let address = json!({
        "trtype": "TCP", "adrfam": "IPv4", "traddr": "127.0.0.1", "trsvcid": PORT.to_string()
    });
    json!({ "subsystems": [
        { "subsystem": "bdev", "config": [
            call("bdev_null_create", json!({ "name": "Null0", "num_blocks": 1_u64 << 28, "block_size": 4096 })),
        ] },
        { "subsystem": "nvmf", "config": [
            call("nvmf_create_transport", json!({
                "trtype": "TCP", "in_capsule_data_size": 8192, "max_io_size": 1_048_576
            })),
            call("nvmf_create_subsystem", json!({
                "nqn": SUBSYSTEM, "allow_any_host": true, "serial_number": "benches"
            })),
            call("nvmf_subsystem_add_ns", json!({
                "nqn": SUBSYSTEM, "namespace": { "nsid": 1, "bdev_name": "Null0" }
            })),
            call("nvmf_subsystem_add_listener", json!({ "nqn": SUBSYSTEM, "listen_address": address })),
        ] },
    ] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_and_nothing_else() {
        let table = "Latency(us)\nDevice Information : IOPS MiB/s Average min max\n\
                     TCP (addr:127.0.0.1 subnqn:nqn.x) NSID 1 from core 1: 91.00 0.36 2.0 1.0 3.0\n\
                     ========\nTotal                       :  195243.40     762.67     163.83      45.07    2345.00\n";
        assert_eq!(total(table), Some(195_243.40));
        assert_eq!(total("Total : 0.00 0.00\n"), None);
        assert_eq!(total("Initialization complete.\n"), None);
    }

    #[test]
    fn every_pairing_has_its_turn_in_a_round() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut firsts = [0; 4];
        for _ in 0..64 {
            let mut order = shuffled(&mut random);
            firsts[order[0]] += 1;
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3]);
        }
        assert!(firsts.iter().all(|count| *count > 4), "{firsts:?}");
    }
}
