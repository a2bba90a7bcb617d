//! A workload as a command line for spdk_nvme_perf.

use fathom_record::Workload;

use crate::Refusal;
use crate::bdevperf::workload_as_config::{common, core_list, pattern, seconds};

const WHAT: &str = "workload for spdk_nvme_perf";

/// The arguments. A target is the PCI address of an NVMe controller that a user-space driver has
/// (`0000:04:00.0`), or an SPDK transport id as `trtype:TCP adrfam:IPv4 traddr:10.0.0.1 trsvcid:4420`.
///
/// # Errors
/// What it does not do, with the reason.
pub fn arguments(
    workload: &Workload,
    targets: &[String],
    cpus: &[u32],
    huge_pages: bool,
) -> Result<Vec<String>, Refusal> {
    let io_bytes = common(workload, WHAT)?;
    if workload.jobs as usize != targets.len() {
        return Err(Refusal::new(
            WHAT,
            "it has one queue for each namespace and core, as many as targets here",
        )
        .at("--jobs")
        .or(format!("use --jobs {}", targets.len())));
    }
    if workload.span_bytes.is_some() {
        return Err(Refusal::new(WHAT, "it uses whole namespaces").at("--size").or("leave it out"));
    }
    let mut arguments: Vec<String> = ["-q", &workload.depth.to_string(), "-o", &io_bytes.to_string()]
        .into_iter()
        .map(str::to_owned)
        .collect();
    arguments.extend(pattern(workload, WHAT)?);
    arguments.extend(["-t".to_owned(), seconds(workload, WHAT)?.to_string()]);
    if workload.length.warmup_ns > 0 {
        arguments.extend(["-a".to_owned(), workload.length.warmup_ns.div_ceil(1_000_000_000).to_string()]);
    }
    arguments.extend(["-c".to_owned(), core_list(cpus), "-L".to_owned()]);
    for target in targets {
        check_id(target)?;
        let id =
            if target.contains("trtype:") { target.clone() } else { format!("trtype:PCIe traddr:{target}") };
        arguments.extend(["-r".to_owned(), id]);
    }
    if !huge_pages {
        arguments.extend(["--no-huge", "-s", "1024"].map(str::to_owned));
    }
    Ok(arguments)
}

/// Parts of a transport id; what is none of them may name something else.
const PARTS: [&str; 8] = ["trtype", "adrfam", "traddr", "trsvcid", "subnqn", "hostnqn", "ns", "priority"];

/// Refuses what is neither the address of a controller nor a transport id.
fn check_id(target: &str) -> Result<(), Refusal> {
    let is_part = |part: &str| part.split_once(':').is_some_and(|(key, _)| PARTS.contains(&key));
    let is_address = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'));
    let known = match target.contains("trtype:") {
        true => target.split_whitespace().all(is_part),
        false => !target.is_empty() && is_address(target),
    };
    if known {
        return Ok(());
    }
    let cause = "it is neither the PCI address of a controller nor a transport id";
    Err(Refusal::new(WHAT, cause).at(format!("target `{target}`")).or("name it as 0000:04:00.0, for example"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::blank_workload;
    use fathom_record::workload::Length;

    #[test]
    fn a_controller_is_named_by_its_address() {
        let workload = Workload {
            depth: 64,
            length: Length { time_ns: Some(5_000_000_000), warmup_ns: 1_000_000_000, ..Length::default() },
            ..blank_workload()
        };
        let arguments = arguments(&workload, &["0000:04:00.0".to_owned()], &[1, 2], true).expect("arguments");
        assert_eq!(
            arguments.join(" "),
            "-q 64 -o 4096 -w randread -t 5 -a 1 -c [1,2] -L -r trtype:PCIe traddr:0000:04:00.0"
        );
    }

    #[test]
    fn what_names_no_controller_is_refused() {
        for known in
            ["0000:04:00.0", "trtype:TCP adrfam:IPv4 traddr:10.0.0.1 trsvcid:4420 subnqn:nqn.2014-08.a:b"]
        {
            assert_eq!(check_id(known), Ok(()), "{known}");
        }
        for odd in ["", "/dev/nvme0n1", "0000:04:00.0 -w write", "trtype:PCIe -w", "trtype:PCIe file:/x"] {
            assert!(check_id(odd).is_err(), "{odd}");
        }
    }
}
