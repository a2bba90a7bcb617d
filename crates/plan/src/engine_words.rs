//! What help says of engines and of other tools, from their [lists](ENGINES): one that is new is in it.

use fathom_record::engine_list::{ENGINES, EngineEntry, EngineRequirement, InFlight, Platform};
use fathom_record::facts::TargetKind;
use fathom_record::tool_engines::TOOL_ENGINES;

/// Of `engine`.
pub fn engine() -> String {
    let tools: Vec<&str> =
        TOOL_ENGINES.iter().map(|tool| tool.forms).filter(|forms| !forms.is_empty()).collect();
    format!(
        "I/O engine, e.g. {} (`fathom engines` lists them), or another tool that `fathom run` drives: {}. Default: the \
         best one the target allows",
        listed(&names(|_| true), "or"),
        tools.join(", ")
    )
}

/// Of `depth`.
pub fn depth() -> String {
    format!(
        "Queue depth: I/Os each job keeps in flight, or may have in flight at most with --rate. Default: 32, because \
         at 1 a modern device idles; 256 with --rate; 1 (32 with --rate) on {}, which needs a thread for each, and 1 on \
         {}, which has one in flight at a time",
        engines(|entry| entry.in_flight == InFlight::Threads),
        engines(|entry| entry.in_flight == InFlight::One)
    )
}

/// Of `buffered`.
pub fn buffered() -> String {
    let cached = engines(|entry| entry.through_cache);
    format!("Go through the page cache. Default: direct I/O, past it; always through it with {cached}")
}

/// Of `polled`.
pub fn polled() -> String {
    let remote = |entry: &EngineEntry| entry.carries(TargetKind::FabricNamespace);
    format!(
        "Poll for completions: inside the kernel ({}, devices with poll queues), or by reading the socket over and over \
         ({})",
        engines(|entry| entry.takes(EngineRequirement::Polled) && !remote(entry)),
        engines(|entry| entry.takes(EngineRequirement::Polled) && remote(entry))
    )
}

/// Of `io-flags`.
pub fn io_flags() -> String {
    format!(
        "Flags of single I/Os, e.g. nowait,dsync: hipri, dsync, sync, nowait, dontcache, atomic ({}). With nowait an \
         I/O that would have to wait counts as failed. Default: none",
        engines(|entry| entry.takes(EngineRequirement::IoFlags))
    )
}

/// Engines for the data of files, devices and namespaces that are so, as they are called.
fn engines(are: impl Fn(&EngineEntry) -> bool) -> String {
    let all = ENGINES.iter().filter(|entry| moves_data(entry) || entry.carries(TargetKind::FabricNamespace));
    let names: Vec<&str> = all.filter(|entry| are(entry)).map(|entry| entry.name).collect();
    format!("{} {}", if names.len() == 1 { "engine" } else { "engines" }, listed(&names, "and"))
}

fn names(are: impl Fn(&EngineEntry) -> bool) -> Vec<&'static str> {
    ENGINES.iter().filter(|entry| moves_data(entry) && are(entry)).map(|entry| entry.name).collect()
}

/// Whether it moves data of this machine's storage. Help is the same on all systems, and has the engines of the one with
/// most of them.
fn moves_data(entry: &EngineEntry) -> bool {
    let storage = [TargetKind::File, TargetKind::BlockDevice, TargetKind::NvmeNamespace];
    entry.keeps_content
        && entry.platforms.contains(&Platform::Linux)
        && storage.into_iter().any(|kind| entry.carries(kind))
}

fn listed(names: &[&str], last: &str) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_the_engines_that_the_list_has() {
        let said = engine();
        assert!(
            said.starts_with("I/O engine, e.g. uring, aio, sync, mmap or passthrough (`fathom engines`"),
            "{said}"
        );
        assert!(said.contains(": fio, fio:PATH, fio@HOST, bdevperf:PATH, "), "{said}");
        assert!(depth().contains("on engine sync, which") && depth().contains("on engine mmap, which"));
        assert!(buffered().ends_with("with engine mmap"), "{}", buffered());
        let said = polled();
        assert!(
            said.contains("(engines uring and passthrough, ") && said.ends_with("(engine nvme-tcp)"),
            "{said}"
        );
        assert!(io_flags().contains("(engines uring, aio and sync)"), "{}", io_flags());
    }
}
