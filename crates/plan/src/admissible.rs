//! What of a plan would have no effect on its engine or target: every refusal that needs nothing to be opened.
//!
//! Silence would be taken for effect, so each is refused with the reason and with what to type.

use fathom_record::engines::{EngineEntry, NO_CONTENT, Need};
use fathom_record::plan::{Needs, RunOptions};

/// What a target's name says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A file or a device.
    Path,
    /// A simulated device.
    Simulated,
    /// The process's memory, or nothing.
    Within,
    /// A namespace on the network.
    Remote,
}

/// One part of a plan that would have no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked for, and of whom: `--keep with target ...`.
    pub place: String,
    /// Why it would have none.
    pub cause: String,
    /// What to type.
    pub remedy: String,
}

/// All that a target of this name and an engine, where it is known, have no place for; `literal` as for [`on_engine`].
pub fn admissible(
    (options, needs): (&RunOptions, Needs),
    literal: bool,
    engine: Option<&EngineEntry>,
    targets: &[(&str, Named)],
) -> Vec<Refusal> {
    let of_targets = targets.iter().flat_map(|(name, named)| on_target(options, name, *named));
    let of_engine = engine.into_iter().flat_map(|engine| on_engine((options, needs), literal, engine));
    together(options).into_iter().chain(of_targets).chain(of_engine).collect()
}

/// What excludes each other on any target and engine.
fn together(options: &RunOptions) -> Option<Refusal> {
    let cause = "an I/O on a stripe is one for each part to the block layer, so the two latencies are of different \
                 things";
    let is_refused = options.witness.is_some() && options.stripe_bytes.is_some();
    is_refused.then(|| Refusal {
        place: "--witness with --stripe".to_owned(),
        cause: cause.to_owned(),
        remedy: "leave --witness or --stripe out".to_owned(),
    })
}

fn on_target(options: &RunOptions, name: &str, named: Named) -> Vec<Refusal> {
    let refusal = |flag: &str, cause: &str, remedy: String| Refusal {
        place: format!("{flag} with target `{name}`"),
        cause: cause.to_owned(),
        remedy,
    };
    let mut refusals = Vec::new();
    if options.stripe_bytes.is_some() && named == Named::Simulated {
        let cause = "it is a whole volume already: its parameters say how much it takes at once";
        refusals.push(refusal("--stripe", cause, "leave --stripe out".to_owned()));
    }
    if options.cpus.is_some() && named == Named::Simulated && !options.real_time {
        let cause = "time is simulated, and one thread computes all jobs";
        refusals.push(refusal("--cpus", cause, "leave --cpus out, or add --real-time".to_owned()));
    }
    let of_remotes = [
        ("--keep", options.keep, "only a scratch file can be kept"),
        ("--check-empty", options.check_empty, "it is written only with --destroy, whatever it holds"),
        ("--buffered", !options.direct, "its I/O passes no page cache of this machine"),
        ("--stripe", options.stripe_bytes.is_some(), "namespaces on the network are not striped"),
        ("--durable", options.durable.is_some(), "its commands do not look at how a file was opened"),
        ("--io-flags", !options.io_flags.is_empty(), "they are for system calls on files"),
    ];
    for (flag, _, cause) in of_remotes.into_iter().filter(|(_, given, _)| *given && named == Named::Remote) {
        refusals.push(refusal(flag, cause, format!("leave {flag} out")));
    }
    let of_paths = [
        ("--keep", options.keep, "only a scratch file can be kept"),
        ("--destroy", !options.permits.is_empty(), "it holds nothing that could be lost"),
        ("--check-empty", options.check_empty, "it holds nothing that could be lost"),
        ("--buffered", !options.direct, "it has no page cache"),
        (
            "--stripe",
            options.stripe_bytes.is_some() && named != Named::Simulated,
            "it is one place, however it is cut",
        ),
        ("--polled", options.polled, "only devices have queues to poll, and connections sockets"),
        ("--durable", options.durable.is_some(), "nothing on it outlives the run"),
        ("--io-flags", !options.io_flags.is_empty(), "they are for system calls, and it needs none"),
    ];
    let is_within = matches!(named, Named::Simulated | Named::Within);
    for (flag, _, cause) in of_paths.into_iter().filter(|(_, given, _)| *given && is_within) {
        refusals.push(refusal(flag, cause, format!("leave {flag} out, or name a file or device")));
    }
    if options.real_time && named != Named::Simulated {
        let cause = "only a simulated device has a clock to choose";
        refusals.push(refusal("--real-time", cause, "leave --real-time out".to_owned()));
    }
    refusals
}

/// All that an engine has no place for, whatever the target. A `literal` plan sends flags of single I/Os also where
/// they do nothing, as another tool sends them.
pub fn on_engine(
    (options, needs): (&RunOptions, Needs),
    literal: bool,
    engine: &EngineEntry,
) -> Vec<Refusal> {
    let (flags, direct) = (options.io_flags, options.direct);
    let refusal = |flag: &str, cause: &str, remedy: &str| Refusal {
        place: format!("{flag} with engine {}", engine.name),
        cause: cause.to_owned(),
        remedy: remedy.to_owned(),
    };
    let given = |what: Need| match what {
        Need::Stripe => ("--stripe", options.stripe_bytes.is_some()),
        Need::Durable => ("--durable", options.durable.is_some()),
        Need::IoFlags => ("--io-flags", !flags.is_empty()),
        Need::Hipri => ("--io-flags hipri", flags.hipri),
        Need::Polled => ("--polled", options.polled),
        Need::PolledBesides => ("--polled", options.polled && needs.besides),
        // Only another tool's job asks for them, and whoever maps it looks into the list.
        Need::Priorities => ("priorities", false),
        Need::Content => ("--verify", needs.verifies),
        Need::Reads => ("reads", needs.reads),
        Need::ReadsAlone => ("reads", needs.reads && !needs.writes),
    };
    let content = (!engine.keeps_content).then_some(&NO_CONTENT);
    let own = engine.no_place_for.iter().chain(content).filter_map(|lack| {
        let (flag, given) = given(lack.what);
        given.then(|| refusal(flag, lack.cause, lack.remedy))
    });
    let by_cache = [
        (
            "--polled",
            options.polled && !direct && engine.takes(Need::Polled),
            "I/O through the page cache is never polled for",
            "leave --polled or --buffered out",
        ),
        (
            "--io-flags hipri",
            flags.hipri && !direct && !literal,
            "I/O through the page cache is never polled for",
            "leave hipri or --buffered out",
        ),
        (
            "--io-flags dontcache",
            flags.dontcache && direct,
            "direct I/O leaves nothing in the page cache as it is",
            "add --buffered, or leave dontcache out",
        ),
        (
            "--io-flags atomic",
            flags.atomic && !direct,
            "a write through the page cache reaches the device in pieces of the kernel's choice",
            "leave atomic or --buffered out",
        ),
    ];
    let by_cache = by_cache.into_iter().filter(|(_, given, ..)| *given);
    own.chain(by_cache.map(|(flag, _, cause, remedy)| refusal(flag, cause, remedy))).collect()
}

#[cfg(test)]
mod tests {
    use fathom_record::engines::{ENGINES, named};

    use super::*;
    use crate::PlanSource;

    /// The places of all refusals of a plan, `x` for its target.
    fn places(plan: &str, engine: Option<&str>, targets: &[(&str, Named)]) -> Vec<String> {
        let source = PlanSource::from_toml(&format!("target = ['x', 'y']\n{plan}"), "plan.toml").expect(plan);
        let plan = source.resolve(1).expect(plan);
        let needs = Needs::of([&plan.workload]);
        let engine = engine.map(|name| named(name).expect(name));
        admissible((&plan.options, needs), false, engine, targets)
            .into_iter()
            .map(|refusal| refusal.place)
            .collect()
    }

    /// Engines that refuse each flag, of all on a file.
    #[test]
    fn each_flag_is_refused_by_the_engines_that_have_no_place_for_it() {
        let names = ["filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"];
        let calls = || ["falloc", "ftruncate"].into_iter().chain(names);
        let apart = ["passthrough", "nvme-tcp", "memory", "null", "sim"];
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
            (
                "rw = 'write'\npolled = true\nbuffered = true",
                ENGINES.iter().map(|engine| engine.name).collect(),
            ),
            ("rw = 'write'\nverify = 'at-end'", ["null", "sim"].into_iter().chain(calls()).collect()),
            ("rw = 'write'\nio-flags = 'dontcache'", ENGINES.iter().map(|engine| engine.name).collect()),
            ("rw = 'write'\nio-flags = 'atomic'\nbuffered = true", ENGINES.iter().map(|e| e.name).collect()),
        ] {
            let mut refusing = refusing;
            let mut found: Vec<&str> = ENGINES
                .iter()
                .map(|engine| engine.name)
                .filter(|engine| !places(plan, Some(engine), &[("x", Named::Path)]).is_empty())
                .collect();
            refusing.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, refusing, "{plan}");
        }
    }

    #[test]
    fn each_flag_is_refused_on_the_targets_that_have_no_place_for_it() {
        use Named::{Path, Remote, Simulated, Within};
        for (plan, refusing) in [
            ("", &[] as &[Named]),
            ("keep = true", &[Simulated, Within, Remote]),
            ("destroy = 'S'", &[Simulated, Within]),
            ("check-empty = true", &[Simulated, Within, Remote]),
            ("buffered = true", &[Simulated, Within, Remote]),
            ("stripe = '64k'", &[Simulated, Within, Remote]),
            ("polled = true", &[Simulated, Within]),
            ("rw = 'write'\ndurable = 'all'", &[Simulated, Within, Remote]),
            ("io-flags = 'nowait'", &[Simulated, Within, Remote]),
            ("real-time = true", &[Path, Within, Remote]),
            ("cpus = '0'", &[Simulated]),
        ] {
            for named in [Path, Simulated, Within, Remote] {
                let found = places(plan, None, &[("x", named)]);
                assert_eq!(
                    found.len(),
                    usize::from(refusing.contains(&named)),
                    "{plan} {named:?}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn a_witness_watches_no_stripe_and_simulated_time_has_its_own_clock() {
        let found = places("witness = 'auto'\nstripe = '64k'", Some("uring"), &[("x", Named::Path)]);
        assert_eq!(found, ["--witness with --stripe"]);
        assert_eq!(places("cpus = '0'\nreal-time = true", None, &[("x", Named::Simulated)]), [""; 0]);
    }

    #[test]
    fn all_are_listed_and_each_says_whose_it_is() {
        let found = places(
            "rw = 'write'\nkeep = true\nstripe = '64k'\ndurable = 'all'\nio-flags = 'atomic'",
            Some("mmap"),
            &[("x", Named::Path), ("null:", Named::Within)],
        );
        assert_eq!(
            found,
            [
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
}
