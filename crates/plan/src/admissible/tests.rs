//! What is refused of each plan, by each engine and each tool.

use fathom_record::engine_list::{ENGINES, named};
use fathom_record::tool_engines::{TOOL_ENGINES, tool_named};
use fathom_record::workload::Addresses;

use super::*;
use crate::{Client, PlanSource, RunPlan};

/// The places of all refusals of a plan, `x` for its target.
fn places(plan: &str, engine: Option<&str>, targets: &[(&str, NameKind)]) -> Vec<String> {
    let plan = resolved(plan);
    let engine = engine.map(|name| named(name).expect(name));
    let carrier = engine.map_or(Carrier::Unknown, |engine| Carrier::Engine(engine, Platform::Linux));
    places_of(&RunRequest { targets, carrier, ..whole(&plan) })
}

fn resolved(plan: &str) -> RunPlan {
    let source = PlanSource::from_toml(&format!("target = ['x', 'y']\n{plan}"), "plan.toml").expect(plan);
    source.resolve(1).expect(plan)
}

fn whole(plan: &RunPlan) -> RunRequest<'_> {
    let needs = TargetUse::of([&plan.workload]);
    let (workload, replayed) = (Some(&plan.workload), plan.workload.addresses.traced());
    RunRequest { workload, replayed, ..RunRequest::of(&plan.options, needs) }
}

fn places_of(request: &RunRequest<'_>) -> Vec<String> {
    admissible(request).into_iter().map(|refusal| refusal.place).collect()
}

/// Engines that refuse each flag, of all, whatever the target.
#[test]
fn each_flag_is_refused_by_the_engines_that_have_no_place_for_it() {
    let names = ["filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"];
    let calls = || ["falloc", "ftruncate"].into_iter().chain(names);
    let apart = ["passthrough", "nvme-tcp", "memory", "null", "sim"];
    let all = || ENGINES.iter().map(|engine| engine.name).collect::<Vec<_>>();
    for (plan, refusing) in [
        ("rw = 'write'", vec![]),
        ("rw = 'read'", vec!["falloc", "ftruncate"]),
        ("rw = 'rw'", vec!["ftruncate"]),
        (
            "rw = 'write'\nstripe = '64k'",
            ["mmap", "nvme-tcp", "passthrough"].into_iter().chain(calls()).collect(),
        ),
        (
            "rw = 'write'\ndurable = 'data'",
            ["iocp", "mmap", "nvme-tcp", "passthrough"].into_iter().chain(calls()).collect(),
        ),
        (
            "rw = 'write'\nio-flags = 'nowait'",
            ["iocp", "mmap"].into_iter().chain(calls()).chain(apart).collect(),
        ),
        (
            "rw = 'write'\nio-flags = 'hipri'",
            ["uring", "aio", "iocp", "mmap"].into_iter().chain(calls()).chain(apart).collect(),
        ),
        (
            "rw = 'write'\npolled = true",
            ["aio", "iocp", "sync", "mmap", "memory", "null", "sim"].into_iter().chain(calls()).collect(),
        ),
        (
            "rw = 'write'\npolled = true\nflush-every = 1",
            ["uring", "aio", "iocp", "sync", "mmap", "memory", "null", "sim"]
                .into_iter()
                .chain(calls())
                .collect(),
        ),
        ("rw = 'write'\npolled = true\nbuffered = true", all()),
        ("rw = 'write'\nverify = 'at-end'", ["null", "sim"].into_iter().chain(calls()).collect()),
        ("rw = 'write'\nbuffered = true", vec!["passthrough"]),
        ("rw = 'write'\nio-flags = 'dontcache'", all()),
        ("rw = 'write'\nio-flags = 'atomic'\nbuffered = true", all()),
        ("rw = 'write'\ndepth = 257", vec!["sync"]),
        ("rw = 'write'\njobs = 200\ndepth = 50", vec!["sync"]),
        ("rw = 'write'\njobs = 1000\ndepth = 1", vec![]),
        ("rw = 'write'\ndepth = 64\nthrottle = 'iops=1'", all()),
        ("rw = 'write'\ndepth = 64\nthrottle = 'iops=4'", vec![]),
        ("rw = 'write'\nbs = '1m'\ndepth = 64\nthrottle = 'throughput=1MB/s'", all()),
    ] {
        let mut refusing = refusing;
        let mut found = all();
        found.retain(|engine| !places(plan, Some(engine), &[]).is_empty());
        refusing.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, refusing, "{plan}");
    }
}

/// Engines of Windows that refuse each flag, and what is said of it; on Linux `sync` has a place for all of them.
#[test]
fn each_flag_is_refused_on_windows_by_the_engines_that_have_no_place_for_it_there() {
    for (plan, refusing, place) in [
        ("rw = 'write'", &[] as &[&str], ""),
        ("buffered = true", &["iocp", "sync"], "--buffered with engine sync"),
        ("rw = 'rw'\ndurable = 'all'", &["iocp", "sync", "nvme-tcp"], "--durable with engine sync"),
        ("keep = true", &["iocp", "sync"], "--keep with engine sync"),
        ("rw = 'trim'", &["iocp", "sync"], "trims with engine sync"),
    ] {
        let read = resolved(plan);
        let on = |engine, platform| {
            let carrier = Carrier::Engine(engine, platform);
            admissible(&RunRequest { carrier, ..whole(&read) })
        };
        let there = ENGINES.iter().filter(|engine| engine.platforms.contains(&Platform::Windows));
        let found = there.filter(|&engine| !on(engine, Platform::Windows).is_empty());
        assert_eq!(found.map(|engine| engine.name).collect::<Vec<_>>(), refusing, "{plan}");
        let sync = named("sync").expect("sync");
        for refusal in on(sync, Platform::Windows) {
            assert_eq!((refusal.kind, refusal.place.as_str()), (ErrorKind::Unsupported, place), "{plan}");
            assert!(refusal.cause.contains("on this operating system"), "{plan}: {refusal}");
        }
        assert!(on(sync, Platform::Linux).is_empty(), "{plan}");
        let mut by_clients = read.clone();
        by_clients.options.clients = vec![Client::parse("ssh:c1").expect("a client")];
        let carrier = Carrier::Engine(sync, Platform::Windows);
        let found = admissible(&RunRequest { carrier, ..whole(&by_clients) });
        assert!(found.is_empty(), "{plan}: {found:?}");
    }
}

#[test]
fn each_flag_is_refused_on_the_targets_that_have_no_place_for_it() {
    use NameKind::{Memory, Null, Path, Remote, Simulated};
    for (plan, refusing) in [
        ("", &[] as &[NameKind]),
        ("keep = true", &[Simulated, Memory, Null, Remote]),
        ("destroy = 'S'", &[Simulated, Memory, Null]),
        ("check-empty = true", &[Simulated, Memory, Null, Remote]),
        ("buffered = true", &[Simulated, Memory, Null, Remote]),
        ("stripe = '64k'", &[Simulated, Memory, Null, Remote]),
        ("polled = true", &[Simulated, Memory, Null]),
        ("rw = 'write'\ndurable = 'all'", &[Simulated, Memory, Null, Remote]),
        ("io-flags = 'nowait'", &[Simulated, Memory, Null, Remote]),
        ("real-time = true", &[Path, Memory, Null, Remote]),
        ("cpus = '0'", &[Simulated]),
    ] {
        for named in [Path, Simulated, Memory, Null, Remote] {
            let found = places(plan, None, &[("x", named)]);
            assert_eq!(found.len(), usize::from(refusing.contains(&named)), "{plan} {named:?}: {found:?}");
        }
    }
}

#[test]
fn a_witness_watches_no_stripe_nor_what_is_read_back_and_simulated_time_has_its_own_clock() {
    let found = places("witness = 'auto'\nstripe = '64k'", Some("uring"), &[("x", NameKind::Path)]);
    assert_eq!(found, ["--witness with --stripe"]);
    let reads_back = |verify: &str| {
        let plan = format!("rw = 'write'\nverify = '{verify}'\nwitness = 'auto'");
        places(&plan, Some("uring"), &[("x", NameKind::Path)])
    };
    assert_eq!(reads_back("at-end"), ["preparing the block-layer witness"]);
    assert_eq!(reads_back("off"), [""; 0]);
    assert_eq!(places("cpus = '0'\nreal-time = true", None, &[("x", NameKind::Simulated)]), [""; 0]);
}

#[test]
fn all_are_listed_and_each_says_whose_it_is() {
    let found = places(
        "rw = 'write'\nkeep = true\nstripe = '64k'\ndurable = 'all'\nio-flags = 'atomic'",
        Some("mmap"),
        &[("x", NameKind::Path), ("null:", NameKind::Null)],
    );
    assert_eq!(
        found,
        [
            "putting the targets together",
            "choosing engine mmap",
            "--keep with target `null:`",
            "--stripe with target `null:`",
            "--durable with target `null:`",
            "--io-flags with target `null:`",
            "--stripe with engine mmap",
            "--durable with engine mmap",
            "--io-flags with engine mmap",
        ]
    );
}

/// What each engine can be given, of all that a name says of a target, and the kind of the other refusals.
#[test]
fn an_engine_is_refused_on_targets_that_it_cannot_carry() {
    use NameKind::{Memory, Null, Path, Remote, Simulated};
    let (options, needs) = (RunOptions::default(), TargetUse::of([]));
    for (name, here, carried, kind) in [
        ("uring", Platform::Linux, &[Path] as &[NameKind], ErrorKind::Plan),
        ("sync", Platform::Windows, &[Path], ErrorKind::Plan),
        ("falloc", Platform::Linux, &[Path], ErrorKind::Plan),
        ("passthrough", Platform::Linux, &[Path], ErrorKind::Plan),
        ("nvme-tcp", Platform::Linux, &[Remote], ErrorKind::Plan),
        ("memory", Platform::Linux, &[Memory], ErrorKind::Plan),
        ("null", Platform::Windows, &[Null], ErrorKind::Plan),
        ("sim", Platform::Linux, &[Simulated], ErrorKind::Plan),
        ("iocp", Platform::Linux, &[], ErrorKind::Unsupported),
        ("uring", Platform::Windows, &[], ErrorKind::Unsupported),
        ("uirng", Platform::Linux, &[], ErrorKind::UnknownEngine),
    ] {
        for target in [Path, Simulated, Memory, Null, Remote] {
            let (targets, carrier) = ([("x", target)], Carrier::Called(name, here));
            let found =
                admissible(&RunRequest { targets: &targets, carrier, ..RunRequest::of(&options, needs) });
            let expected = if carried.contains(&target) { vec![] } else { vec![kind] };
            let kinds: Vec<ErrorKind> = found.iter().map(|refusal| refusal.kind).collect();
            assert_eq!(kinds, expected, "{name} {here:?} {target:?}: {found:?}");
            let place = format!("choosing engine {name}");
            assert!(found.iter().all(|refusal| refusal.place == place), "{found:?}");
        }
    }
}

#[test]
fn targets_go_together_that_one_engine_carries() {
    use NameKind::{Memory, Null, Path, Remote, Simulated};
    let all = [Path, Simulated, Memory, Null, Remote];
    for (first, second) in all.iter().flat_map(|first| all.map(|second| (*first, second))) {
        let apart = |plan: &str| {
            let found = places(plan, None, &[("x", first), ("y", second)]);
            found.iter().any(|place| place == "putting the targets together")
        };
        assert_eq!(apart(""), first != second, "{first:?} {second:?}");
        assert!(!apart("client = 'local'"), "each client looks at those that it has");
    }
}

/// What each tool can be given: files and devices, and what is elsewhere, with its size or without.
#[test]
fn a_tool_is_given_files_and_devices_and_the_size_of_what_is_elsewhere() {
    use NameKind::{Elsewhere, Memory, Null, Path, Remote, Simulated};
    let handing: &[&str] = &["handing the targets to another tool"];
    for (plan, named, name, refused) in [
        ("rw = 'write'", Path, "fio", &[] as &[&str]),
        ("rw = 'write'", Memory, "fio", handing),
        ("rw = 'write'", Null, "fio", handing),
        ("rw = 'write'", Simulated, "bdevperf", handing),
        ("rw = 'write'", Remote, "bdevperf", handing),
        ("rw = 'write'", Elsewhere, "fio", &["--size with engine fio@HOST"]),
        ("rw = 'write'\nsize = '1m'", Elsewhere, "fio", &[]),
        ("rw = 'write'", Elsewhere, "diskspd", &[]),
        ("rw = 'write'", Elsewhere, "spdk_nvme_perf", &[]),
    ] {
        let read = resolved(plan);
        let carrier = Carrier::Tool(tool_named(name).expect(name));
        let found = places_of(&RunRequest { targets: &[("x", named)], carrier, ..whole(&read) });
        assert_eq!(found, refused, "{plan} {named:?} {name}");
    }
}

/// Tools that refuse each flag, of all.
#[test]
fn each_flag_is_refused_by_the_tools_that_have_no_place_for_it() {
    let all = || TOOL_ENGINES.iter().map(|tool| tool.name).collect::<Vec<_>>();
    let spdk = || vec!["bdevperf", "bdevperf-uring", "spdk_nvme_perf", "nvme_perf"];
    use NameKind::{Controller, Path};
    for (plan, targets, refusing) in [
        ("rw = 'write'", [Path, Path], vec![]),
        ("rw = 'read'", [Path, Path], vec!["bdevperf-uring"]),
        ("rw = 'write'", [Controller, Controller], vec!["bdevperf-uring"]),
        ("rw = 'write'", [Controller, Path], vec!["bdevperf", "bdevperf-uring"]),
        ("rw = 'write'\nstripe = '64k'", [Path, Path], all()),
        ("rw = 'write'\npolled = true", [Path, Path], all()),
        ("rw = 'write'\nwitness = 'auto'", [Path, Path], all()),
        ("rw = 'write'\nio-flags = 'nowait'", [Path, Path], all()),
        ("rw = 'write'\ndelay = 'constant:1ms'", [Path, Path], all()),
        ("rw = 'write'\nreal-time = true", [Path, Path], all()),
        ("rw = 'write'\nclient = 'local'", [Path, Path], all()),
        ("rw = 'write'\nverify = 'at-end'", [Path, Path], all()),
        ("rw = 'write'\ndurable = 'all'", [Path, Path], spdk()),
        ("rw = 'write'\nbuffered = true", [Path, Path], spdk()),
        ("rw = 'write'\ncpus = '0'", [Path, Path], vec!["diskspd"]),
    ] {
        let read = resolved(plan);
        let targets = targets.map(|named| ("x", named));
        let refuses = |tool: &&'static ToolEntry| {
            let carrier = Carrier::Tool(tool);
            !places_of(&RunRequest { targets: &targets, carrier, ..whole(&read) }).is_empty()
        };
        let found: Vec<&str> = TOOL_ENGINES.iter().filter(refuses).map(|tool| tool.name).collect();
        let mut refusing = refusing;
        refusing.sort_by_key(|name| TOOL_ENGINES.iter().position(|tool| tool.name == *name));
        assert_eq!(found, refusing, "{plan}");
    }
}

#[test]
fn what_is_written_first_can_be_and_is_told_apart_from_what_only_reads() {
    let preconditioned = |plan: &str, named: NameKind| {
        let read = resolved(plan);
        let written_first_by = Some("precondition");
        places_of(&RunRequest { written_first_by, targets: &[("x", named)], ..whole(&read) }).len()
    };
    assert_eq!(preconditioned("rw = 'write'", NameKind::Path), 0);
    assert_eq!(preconditioned("rw = 'write'", NameKind::Simulated), 0);
    assert_eq!(preconditioned("rw = 'read'", NameKind::Path), 1);
    assert_eq!(preconditioned("rw = 'write'", NameKind::Memory), 1);
    assert_eq!(preconditioned("rw = 'write'", NameKind::Null), 1);
}

#[test]
fn a_limit_on_what_is_written_is_refused_exactly_where_another_process_writes() {
    let uring = Carrier::Engine(named("uring").expect("uring"), Platform::Linux);
    let fio = Carrier::Tool(tool_named("fio").expect("fio"));
    for (plan, carrier, refused) in [
        ("rw = 'write'", uring, &[] as &[&str]),
        ("rw = 'read'", fio, &[]),
        ("rw = 'write'", fio, &["--wear-limit"]),
        ("rw = 'read'\nclient = 'local'", Carrier::Unknown, &[]),
        ("rw = 'rw'\nclient = 'local'", Carrier::Unknown, &["--wear-limit"]),
    ] {
        let read = resolved(plan);
        let found = |limits_writes| places_of(&RunRequest { limits_writes, carrier, ..whole(&read) });
        assert_eq!(found(true), refused, "{plan} {carrier:?}");
        assert_eq!(found(false), [""; 0], "{plan} {carrier:?}");
    }
}

#[test]
fn each_tool_is_refused_by_commands_that_drive_none() {
    let read = resolved("rw = 'read'");
    for tool in TOOL_ENGINES {
        let found = places_of(&RunRequest { carrier: Carrier::UndrivenTool(tool), ..whole(&read) });
        assert_eq!(found, ["choosing the engine"], "{}", tool.name);
    }
}

#[test]
fn a_trace_is_replayed_once_it_was_read_and_on_one_target() {
    let (mut read, one) = (resolved("replay = 't.csv'\nstripe = '64k'"), ("x", NameKind::Path));
    let options = RunOptions::default();
    for (bytes, targets, refused) in [(0, &[one][..], 1), (9, &[one], 0), (9, &[one, one], 1)] {
        let Addresses::Traced(traced) = &mut read.workload.addresses else { panic!("no trace") };
        traced.extent_bytes = bytes;
        let replayed = Some(&*traced);
        let request = RunRequest { replayed, targets, ..RunRequest::of(&options, TargetUse::of([])) };
        assert_eq!(places_of(&request), vec!["--replay"; refused], "{bytes} {targets:?}");
        for tool in TOOL_ENGINES {
            let found = places_of(&RunRequest { carrier: Carrier::Tool(tool), ..request });
            let place = format!("--replay with engine {}", tool.name);
            assert!(found.contains(&place) && !found.contains(&"--replay".to_owned()), "{found:?}");
        }
    }
}

#[test]
fn this_program_is_copied_where_its_own_words_can_stand() {
    for (client, refused) in [
        ("ssh:c1 push=true", &[] as &[&str]),
        ("'exec:docker exec -i x fathom agent' push=true", &[]),
        ("'exec:fathom agent' push=true", &["--push"]),
        ("'exec:start the agents' push=true", &["--push"]),
    ] {
        let mut plan = resolved("");
        plan.options.clients = vec![Client::parse(client).expect(client)];
        let targets = &[("x", NameKind::Path)];
        assert_eq!(places_of(&RunRequest { targets, ..whole(&plan) }), refused, "{client}");
    }
}

#[test]
fn clients_share_no_simulated_time() {
    let found = places("client = 'local'", None, &[("x", NameKind::Simulated)]);
    assert_eq!(found, ["running several clients"]);
    assert_eq!(places("client = 'local'\nreal-time = true", None, &[("x", NameKind::Simulated)]), [""; 0]);
}
