//! A workload as a configuration and a command line for bdevperf, over the AIO or io_uring bdevs of files and devices, or
//! over SPDK's own driver for NVMe.
//!
//! What the grammar of SPDK's generators cannot say of a workload is refused here. Flags that they have no place for are
//! in their entries of the [list](fathom_record::tool_engines::TOOL_ENGINES), and are refused before: content is not
//! verified here.

use fathom_record::Workload;
use fathom_record::workload::{Addresses, Arrival, Sizes};
use serde_json::json;

use crate::Refusal;
use crate::spdk::TransportId;

const WHAT: &str = "workload for bdevperf";

/// How SPDK asks the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// By its asynchronous I/O.
    Aio,
    /// By io_uring, for which SPDK is built with `--with-uring`.
    Uring,
}

/// What bdevperf reads and writes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bdev {
    /// A file or device, through the kernel.
    Kernel {
        /// How it is asked.
        by: Kernel,
        /// Its path.
        path: String,
        /// Bytes of its blocks.
        block_bytes: u32,
    },
    /// The namespaces of a controller, by SPDK's own driver.
    Nvme(TransportId),
}

/// The configuration: one bdev for each file or device, and the namespaces of each controller. `writes` says whether
/// files and devices are opened for writing; SPDK's io_uring bdevs always are.
///
/// # Errors
/// A part of a transport id that bdevperf has no place for.
pub fn configuration(targets: &[Bdev], writes: bool) -> Result<String, Refusal> {
    let create = |(place, target): (usize, &Bdev)| match target {
        Bdev::Kernel { by, path, block_bytes } => {
            let (name, method) = match by {
                Kernel::Aio => ("Aio", "bdev_aio_create"),
                Kernel::Uring => ("Uring", "bdev_uring_create"),
            };
            let mut params =
                json!({ "name": format!("{name}{place}"), "filename": path, "block_size": block_bytes });
            if !writes && *by == Kernel::Aio {
                params["readonly"] = true.into();
            }
            Ok(json!({ "method": method, "params": params }))
        }
        Bdev::Nvme(id) => attached(place, id),
    };
    let config = targets.iter().enumerate().map(create).collect::<Result<Vec<_>, Refusal>>()?;
    let document = json!({ "subsystems": [{ "subsystem": "bdev", "config": config }] });
    Ok(format!("{document:#}\n"))
}

fn attached(place: usize, id: &TransportId) -> Result<serde_json::Value, Refusal> {
    if let Some(part) = ["ns", "priority"].into_iter().find(|part| id.part(part).is_some()) {
        let cause = format!("it takes a controller with all its namespaces, and no `{part}`");
        return Err(Refusal::new(WHAT, cause).at(format!("target `{id}`")).or(format!("leave {part} out")));
    }
    let mut params = json!({ "name": format!("Nvme{place}") });
    for key in ["trtype", "adrfam", "traddr", "trsvcid", "subnqn", "hostnqn"] {
        if let Some(value) = id.part(key) {
            params[key] = value.into();
        }
    }
    Ok(json!({ "method": "bdev_nvme_attach_controller", "params": params }))
}

/// What keeps everything that bdevperf writes beside its targets in `folder`: its socket for commands is there, and
/// it makes no lock files of cores and no memory for traces.
///
/// # Errors
/// When the folder's path is too long for the name of a socket.
pub fn confined(folder: &str) -> Result<Vec<String>, Refusal> {
    /// Of a socket's name, with its end.
    const MOST_BYTES: usize = 107;
    let socket = format!("{folder}/spdk.sock");
    if socket.len() > MOST_BYTES {
        let cause = format!("its folder's path is too long for the name of a socket: {socket}");
        return Err(
            Refusal::new(WHAT, cause).or("keep the store in a folder with a shorter path: --store FILE")
        );
    }
    Ok(["-r", &socket, "--disable-cpumask-locks", "--num-trace-entries", "0"].map(str::to_owned).to_vec())
}

/// The arguments behind `--json CONFIGURATION`. `cpus` are the cores that poll; `huge_pages` says whether the
/// system has any.
///
/// # Errors
/// What bdevperf does not do, with the reason.
pub fn arguments(
    workload: &Workload,
    targets: usize,
    cpus: &[u32],
    huge_pages: bool,
) -> Result<Vec<String>, Refusal> {
    let io_bytes = common(workload, WHAT)?;
    if workload.jobs as usize != targets {
        return Err(Refusal::new(
            WHAT,
            format!("bdevperf has one job for each target, and {} are asked for", workload.jobs),
        )
        .at("--jobs")
        .or(format!("use --jobs {targets}")));
    }
    let seconds = seconds(workload, WHAT)?;
    let mut arguments: Vec<String> = ["-q", &workload.depth.to_string(), "-o", &io_bytes.to_string()]
        .into_iter()
        .chain(["-t", &seconds.to_string(), "-l"])
        .map(str::to_owned)
        .collect();
    arguments.extend(pattern(workload, WHAT)?);
    arguments.extend(["-m".to_owned(), core_list(cpus)]);
    if !huge_pages {
        arguments.extend(["--no-huge", "-s", "1024"].map(str::to_owned));
    }
    Ok(arguments)
}

/// Cores as DPDK takes them; the first one where none are named.
pub fn core_list(cpus: &[u32]) -> String {
    let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
    if cpus.is_empty() { "[0]".to_owned() } else { format!("[{}]", cpus.join(",")) }
}

/// `-w` and `-M`.
///
/// # Errors
/// A mix or pattern that SPDK's generators do not have.
pub fn pattern(workload: &Workload, what: &'static str) -> Result<Vec<String>, Refusal> {
    let refuse = |cause: &str, flag: &str, remedy: &str| Refusal::new(what, cause).at(flag).or(remedy);
    let random = match workload.addresses {
        Addresses::RandomCycle | Addresses::RandomIndependent => "rand",
        Addresses::Sequential | Addresses::Laps { step_bytes: None, apart_bytes: 0, jump_share: 0.0 } => "",
        _ => {
            return Err(refuse(
                "it draws addresses alike, or goes one after the other",
                "--addresses",
                "use independent or sequential",
            ));
        }
    };
    let percent = workload.mix.read_share * 100.0;
    let kind = if percent >= 100.0 {
        "read"
    } else if percent <= 0.0 {
        "write"
    } else {
        "rw"
    };
    let mut arguments = vec!["-w".to_owned(), format!("{random}{kind}")];
    if kind == "rw" {
        if percent.fract().abs() > 1e-9 {
            return Err(refuse("it takes shares of whole percents", "--read-share", "round it, e.g. 70%"));
        }
        arguments.extend(["-M".to_owned(), format!("{percent:.0}")]);
    }
    Ok(arguments)
}

/// What neither of SPDK's generators does; gives the size of an I/O.
///
/// # Errors
/// The first such thing.
pub fn common(workload: &Workload, what: &'static str) -> Result<u64, Refusal> {
    let refuse = |cause: &str, flag: &str, remedy: &str| Err(Refusal::new(what, cause).at(flag).or(remedy));
    let sizes = &workload.sizes;
    let bytes = match (&sizes.read, &sizes.write) {
        (Sizes::Fixed { bytes }, Sizes::Fixed { bytes: other }) if bytes == other => *bytes,
        _ => return refuse("all its I/Os have one size", "--bs", "use one size"),
    };
    if workload.arrival != Arrival::Closed {
        return refuse("it starts an I/O when one ends, and at no rate", "--rate", "leave it out");
    }
    if workload.mix.trim_share > 0.0 || workload.mix.flush_every_writes > 0 {
        return refuse(
            "it mixes neither trims nor flushes with reads and writes",
            "--trim-share and --flush-every",
            "leave them out",
        );
    }
    if workload.offset_bytes > 0 {
        return refuse("it uses a target from its start on", "--offset", "leave it out");
    }
    if workload.alignment_bytes.is_some_and(|alignment| alignment != bytes) {
        return refuse("its offsets are multiples of the size", "--align", "leave it out");
    }
    Ok(bytes)
}

/// Length of the run in whole seconds.
///
/// # Errors
/// A length that is none.
pub fn seconds(workload: &Workload, what: &'static str) -> Result<u64, Refusal> {
    let length = &workload.length;
    match length.time_ns {
        Some(time_ns) if length.operations.is_none() && length.bytes.is_none() => {
            Ok(time_ns.div_ceil(1_000_000_000).max(1))
        }
        _ => Err(Refusal::new(what, "it runs for a time").at("--count and --bytes").or("use --time alone")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_import::blank_workload;
    use fathom_record::workload::{Length, Mix};

    type Change = fn(&mut Workload);

    fn workload() -> Workload {
        Workload {
            mix: Mix { read_share: 0.7, trim_share: 0.0, flush_every_writes: 0 },
            jobs: 2,
            depth: 384,
            length: Length { time_ns: Some(100_000_000_000), ..Length::default() },
            ..blank_workload()
        }
    }

    #[test]
    fn a_published_evaluation_is_configured_as_it_was() {
        let arguments = arguments(&workload(), 2, &[3], true).expect("arguments").join(" ");
        assert_eq!(arguments, "-q 384 -o 4096 -t 100 -l -w randrw -M 70 -m [3]");
        let through = |by, path: &str, block_bytes| Bdev::Kernel { by, path: path.to_owned(), block_bytes };
        let of = |by| [through(by, "/dev/nvme1n1", 512), through(by, "/dev/nvme2n1", 4096)];
        let targets = of(Kernel::Aio);
        let text = configuration(&targets, true).expect("a configuration");
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let second = &document["subsystems"][0]["config"][1];
        assert_eq!(second["params"]["filename"], "/dev/nvme2n1");
        assert_eq!(second["params"]["block_size"], 4096);
        assert!(second["params"].get("readonly").is_none());
        assert!(
            configuration(&targets, false).expect("a configuration").contains("\"readonly\": true"),
            "it is not opened for writing"
        );
        let over_uring = configuration(&of(Kernel::Uring), false).expect("a configuration");
        assert!(over_uring.contains("\"method\": \"bdev_uring_create\"") && !over_uring.contains("readonly"));
    }

    #[test]
    fn a_controller_is_attached_by_the_parts_of_its_name() {
        let of =
            |name: &str| configuration(&[Bdev::Nvme(TransportId::parse(name).expect("a controller"))], false);
        let far = "trtype:TCP adrfam:IPv4 traddr:10.0.0.1 trsvcid:4420 subnqn:nqn.2014-08.a:b";
        let document: serde_json::Value =
            serde_json::from_str(&of(far).expect("a configuration")).expect("JSON");
        let params = &document["subsystems"][0]["config"][0]["params"];
        let expected = json!({
            "name": "Nvme0", "trtype": "TCP", "adrfam": "IPv4", "traddr": "10.0.0.1", "trsvcid": "4420",
            "subnqn": "nqn.2014-08.a:b"
        });
        assert_eq!(*params, expected);
        assert!(of("0000:04:00.0").expect("a configuration").contains("\"traddr\": \"0000:04:00.0\""));
        assert_eq!(of(&format!("{far} ns:1")).expect_err("a namespace").remedy, "leave ns out");
    }

    #[test]
    fn what_it_writes_beside_its_targets_is_in_its_folder() {
        let own = confined("/var/lib/raw/r-1").expect("a short path").join(" ");
        assert!(own.starts_with("-r /var/lib/raw/r-1/spdk.sock "), "{own}");
        assert!(confined(&"/long".repeat(30)).expect_err("too long").remedy.contains("--store"));
    }

    #[test]
    fn what_it_does_not_do_is_refused() {
        let cases: [(&str, Change); 5] = [
            ("--jobs", |w| w.jobs = 3),
            ("--rate", |w| w.arrival = Arrival::Poisson { rate_per_s: 5.0 }),
            ("--addresses", |w| w.addresses = Addresses::Zipf { exponent: 0.9 }),
            ("--offset", |w| w.offset_bytes = 4096),
            ("--count and --bytes", |w| w.length.operations = Some(5)),
        ];
        for (flag, change) in cases {
            let mut workload = workload();
            change(&mut workload);
            assert_eq!(arguments(&workload, 2, &[], true).expect_err(flag).place, flag);
        }
    }
}
