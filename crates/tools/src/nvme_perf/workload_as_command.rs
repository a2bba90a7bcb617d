//! A workload as a command line for spdk_nvme_perf.

use fathom_record::Workload;

use crate::Refusal;
use crate::bdevperf::workload_as_config::{common, core_list, pattern, seconds};
use crate::spdk::TransportId;

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
        arguments.extend(["-r".to_owned(), controller(target)?.to_string()]);
    }
    if !huge_pages {
        arguments.extend(["--no-huge", "-s", "1024"].map(str::to_owned));
    }
    Ok(arguments)
}

/// Refuses what is neither the address of a controller nor a transport id.
fn controller(target: &str) -> Result<TransportId, Refusal> {
    TransportId::parse(target).ok_or_else(|| {
        let cause = "it is neither the PCI address of a controller nor a transport id";
        Refusal::new(WHAT, cause).at(format!("target `{target}`")).or("name it as 0000:04:00.0, for example")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_import::blank_workload;
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
        let refused = controller("/dev/nvme0n1").unwrap_err();
        assert!(refused.place.contains("/dev/nvme0n1"), "{refused:?}");
    }
}
