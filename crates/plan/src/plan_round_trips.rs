//! Plans read back as they were written, and no text makes the parser panic.

use clap::Parser;
use fathom_record::options::{Decorators, Durability, IoFlags, WitnessSource};
use fathom_record::workload::{
    Addresses, Arrival, Data, HotSpot, Length, Mix, SizeShare, Sizes, SizesByDirection, Verify, Workload,
    Zone,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;

#[derive(Parser)]
struct RunCommand {
    #[command(flatten)]
    flags: RawPlan,
}

/// Shares that add up to 1 as validation counts it.
fn shares(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    vec(1u32..1000, count).prop_map(|weights| {
        let sum: u32 = weights.iter().sum();
        weights.iter().map(|weight| f64::from(*weight) / f64::from(sum)).collect()
    })
}

fn size_bytes() -> impl Strategy<Value = u64> {
    (1u64..=4096).prop_map(|sectors| sectors * 512)
}

fn sizes() -> impl Strategy<Value = Sizes> {
    prop_oneof![
        size_bytes().prop_map(|bytes| Sizes::Fixed { bytes }),
        (size_bytes(), size_bytes(), 0u64..100).prop_map(|(min_bytes, step_bytes, steps)| Sizes::Range {
            min_bytes,
            max_bytes: min_bytes + step_bytes * steps.min((32 << 20) / step_bytes),
            step_bytes
        }),
        shares(1..5).prop_flat_map(|shares| vec(size_bytes(), shares.len()).prop_map(move |sizes| {
            let parts = sizes.iter().zip(&shares).map(|(&bytes, &share)| SizeShare { bytes, share });
            Sizes::Split { shares: parts.collect() }
        })),
    ]
}

fn addresses() -> impl Strategy<Value = Addresses> {
    prop_oneof![
        Just(Addresses::RandomCycle),
        Just(Addresses::RandomIndependent),
        Just(Addresses::Sequential),
        Just(Addresses::Interlocked),
        size_bytes().prop_map(|stride_bytes| Addresses::Strided { stride_bytes }),
        size_bytes().prop_map(|step_bytes| Addresses::Backwards { step_bytes }),
        (size_bytes(), size_bytes())
            .prop_map(|(part_bytes, gap_bytes)| Addresses::Parts { part_bytes, gap_bytes }),
        (option::of(size_bytes()), size_bytes(), 0.0..1.0).prop_map(
            |(step_bytes, apart_bytes, jump_share)| Addresses::Laps { step_bytes, apart_bytes, jump_share }
        ),
        (0.001..10.0).prop_map(|exponent| Addresses::Zipf { exponent }),
        (0.001..0.499).prop_map(|skew| Addresses::Pareto { skew }),
        (0.001..1.0).prop_map(|deviation| Addresses::Normal { deviation }),
        (0.001..0.999, 0.0..=1.0)
            .prop_map(|(span_share, access_share)| Addresses::HotSpot(HotSpot { span_share, access_share })),
        shares(1..6).prop_map(|shares| Addresses::Zoned {
            zones: shares
                .iter()
                .zip(shares.iter().rev())
                .map(|(&access_share, &span_share)| Zone { access_share, span_share })
                .collect()
        }),
    ]
}

fn arrival() -> impl Strategy<Value = Arrival> {
    let rate = || prop_oneof![0.001..1e9f64, (1u32..1_000_000).prop_map(f64::from)];
    prop_oneof![
        Just(Arrival::Closed),
        (1u64.., 1u64..)
            .prop_map(|(after_operations, pause_ns)| Arrival::Pausing { after_operations, pause_ns }),
        rate().prop_map(|rate_per_s| Arrival::Constant { rate_per_s }),
        rate().prop_map(|rate_per_s| Arrival::Poisson { rate_per_s }),
        (rate(), rate(), 1u64..).prop_map(|(from_per_s, to_per_s, over_ns)| Arrival::Ramp {
            from_per_s,
            to_per_s,
            over_ns
        }),
        (vec(prop_oneof![Just(0.0), rate()], 1..5), rate(), 1u64..).prop_map(
            |(mut rates_per_s, last, step_ns)| {
                rates_per_s.push(last);
                Arrival::Steps { step_ns, rates_per_s }
            }
        ),
    ]
}

fn mix() -> impl Strategy<Value = Mix> {
    let shares = prop_oneof![
        Just((1.0, 0.0)),
        Just((0.0, 0.0)),
        Just((0.0, 1.0)),
        (0u32..=100).prop_map(|percent| (f64::from(percent) / 100.0, 0.0)),
        (0.0..=0.5, 0.0..=0.5),
    ];
    (shares, 0u64..1000).prop_map(|((read_share, trim_share), flush_every_writes)| Mix {
        read_share,
        trim_share,
        flush_every_writes,
    })
}

fn data() -> impl Strategy<Value = Data> {
    let verify = prop_oneof![Just(Verify::Off), Just(Verify::OnRead), Just(Verify::AtEnd)];
    (0.0..=1.0, 0.0..=1.0, verify).prop_map(|(compressible_share, duplicate_share, verify)| Data {
        compressible_share,
        duplicate_share,
        verify,
    })
}

fn length() -> impl Strategy<Value = Length> {
    let limits = (option::of(1u64..), option::of(1u64..), option::of(1u64..), any::<u64>());
    limits
        .prop_filter("some limit", |(time, operations, bytes, _)| {
            time.is_some() || operations.is_some() || bytes.is_some()
        })
        .prop_map(|(time_ns, operations, bytes, warmup_ns)| Length { time_ns, operations, bytes, warmup_ns })
}

fn workload() -> impl Strategy<Value = Workload> {
    let sizes = prop_oneof![
        sizes().prop_map(SizesByDirection::all),
        (sizes(), sizes(), sizes()).prop_map(|(read, write, trim)| SizesByDirection {
            read,
            write,
            trim,
            own_alignment: false,
            rewrites_trimmed: false,
        })
    ];
    let place = (any::<u64>(), option::of(1u64..), option::of(size_bytes()));
    let scale = (1u32..=1024, 1u32..=32_768, any::<u64>());
    (mix(), addresses(), sizes, place, data(), arrival(), length(), scale).prop_map(
        |(mix, addresses, sizes, place, data, arrival, length, (jobs, depth, seed))| Workload {
            mix,
            addresses,
            sizes,
            offset_bytes: place.0,
            span_bytes: place.1,
            alignment_bytes: place.2,
            data,
            arrival,
            jobs,
            depth,
            length,
            seed,
            special: None,
        },
    )
}

/// Names as people and hostile people give them; no shell can pass a NUL.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z/:.0-9-]{1,20}", "[^\0]{1,20}", "[0-9]{1,22}"]
}

fn decorators() -> impl Strategy<Value = Decorators> {
    let delay = option::of((1u64..1_000_000_000, any::<bool>()));
    let throttle = option::of(1u64..1 << 50);
    (delay, throttle).prop_map(|(delay, throttle)| Decorators {
        delay: delay.map(|(ns, stalls)| {
            let stalls = if stalls { ",stall-every=9s,stall-length=1s" } else { "" };
            format!("exponential:{ns}ns{stalls}").parse().expect("a delay")
        }),
        throttle: throttle.map(|rate| format!("iops={rate},iops-bucket=7").parse().expect("a throttle")),
    })
}

/// Reach, program, targets, permits, and whether it is pushed and stands at the target.
type DrawnClient = (AgentLocation, Option<String>, Vec<String>, Vec<String>, (bool, bool));

fn clients() -> impl Strategy<Value = Vec<Client>> {
    let reach = prop_oneof![
        Just(AgentLocation::Local),
        Just(AgentLocation::Ssh("root@c1".to_owned())),
        Just(AgentLocation::Kubectl("storage".to_owned(), "f-0".to_owned())),
        vec(text(), 1..3).prop_map(AgentLocation::Command),
    ];
    let client =
        (reach, option::of("[a-z/]{1,9}"), vec(text(), 0..2), vec(text(), 0..2), any::<(bool, bool)>());
    let named = |(at, drawn): (usize, DrawnClient)| {
        let (reach, program, targets, permits, (push, is_target)) = drawn;
        // One of them at most stands at the target, and the first measures.
        let role = if at == 1 && is_target { ClientRole::Target } else { ClientRole::Load };
        let push = push && reach != AgentLocation::Local;
        Client {
            name: format!("c{at}"),
            reach,
            program: program.filter(|_| !push).unwrap_or_else(|| "fathom".to_owned()),
            role,
            push,
            targets,
            permits: if role == ClientRole::Target { Vec::new() } else { permits },
        }
    };
    vec(client, 0..3).prop_map(move |clients| clients.into_iter().enumerate().map(named).collect())
}

fn plan() -> impl Strategy<Value = RunPlan> {
    let options = (
        any::<(bool, bool)>(),
        vec(text(), 0..3),
        any::<(bool, bool, Option<usize>)>(),
        any::<bool>(),
        option::of(vec(0u32..4096, 0..20)),
        decorators(),
        (option::of(prop_oneof![Just(Durability::Data), Just(Durability::All)]), any::<(bool, bool, bool)>()),
        option::of(1u64..1 << 40),
        (clients(), any::<bool>()),
    );
    (vec(text(), 1..3), option::of(text()), workload(), options).prop_map(
        |(
            targets,
            engine,
            mut workload,
            (
                (direct, check_empty),
                permits,
                (real_time, polled, witness),
                keep,
                cpus,
                decorators,
                durability,
                pages,
                (clients, partition),
            ),
        )| {
            let stripe_bytes = pages.filter(|_| targets.len() > 1).map(|pages| pages * 4096);
            let (durable, (nowait, dsync, hipri)) = durability;
            let writes = workload.mix.write_share() > 0.0;
            if !writes {
                // About writes that there are not, nothing can be said.
                workload.mix.flush_every_writes = 0;
                (workload.data.compressible_share, workload.data.duplicate_share) = (0.0, 0.0);
            }
            workload.jobs = workload.jobs.max(targets.len() as u32);
            let durable = durable.filter(|_| writes);
            let io_flags = IoFlags { nowait, hipri, dsync: dsync && writes, ..IoFlags::default() };
            let witness = witness.map(|at| WitnessSource::NAMES[at % WitnessSource::NAMES.len()].1);
            let options = RunOptions {
                stripe_bytes,
                direct,
                permits,
                check_empty,
                real_time,
                polled,
                witness,
                durable,
                io_flags,
                keep,
                cpus,
                decorators,
                partition: partition && !clients.is_empty(),
                clients,
            };
            RunPlan { targets, engine, workload, options }
        },
    )
}

/// Splits a line as bash does, as far as words, single quotes and `$'...'` go.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![Vec::new()];
    let (mut quoted, mut escapes) = (false, false);
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        let word: &mut Vec<u8> = words.last_mut().expect("there is a word from the start");
        let mut push = |c: char| word.extend(c.encode_utf8(&mut [0; 4]).bytes());
        match c {
            '$' if !quoted && letters.peek() == Some(&'\'') => escapes = true,
            '\'' => {
                quoted = !quoted;
                escapes &= quoted;
            }
            '\\' if escapes && letters.peek() == Some(&'x') => {
                let digits: String = letters.by_ref().skip(1).take(2).collect();
                word.push(u8::from_str_radix(&digits, 16).expect("two digits"));
            }
            '\\' if escapes || !quoted => letters.next().into_iter().for_each(push),
            ' ' if !quoted => words.push(Vec::new()),
            c => push(c),
        }
    }
    words.into_iter().map(|word| String::from_utf8(word).expect("text")).collect()
}

fn read_toml(text: &str) -> Result<RunPlan, PlanError> {
    // A seed other than any written one: a lost seed shows.
    PlanSource::from_toml(text, "plan.toml")?.resolve(0x5eed)
}

fn read_command_line(line: &str) -> RunPlan {
    let words = words(line);
    assert_eq!(words[..2], ["fathom", "run"]);
    let command = RunCommand::try_parse_from(&words[1..]).expect("a written line parses");
    PlanSource::from_flags(command.flags).resolve(0x5eed).expect("a written plan resolves")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn plans_read_back_from_a_file_and_from_a_command_line(plan in plan()) {
        plan.workload.validate().expect("the strategy makes valid workloads");
        // A file starts no command.
        let starts = plan.options.clients.iter().any(Client::starts_what_it_names);
        let from_file = read_toml(&to_toml(&plan));
        prop_assert_eq!(from_file.is_err(), starts);
        if let Ok(read) = from_file {
            prop_assert_eq!(&read, &plan);
        }
        prop_assert_eq!(&read_command_line(&to_command_line(&plan)), &plan);
        // A record keeps the same without what holds for one command alone.
        let options = plan.options.without_permits();
        let kept = exact_command_line(&plan).expect("a line says all of it");
        prop_assert_eq!(read_command_line(&kept), RunPlan { options, ..plan });
    }

    #[test]
    fn a_plan_with_a_part_torn_out_or_changed_never_panics(
        plan in plan(), at in any::<prop::sample::Index>(), length in 0usize..30, put in "\\PC{0,8}"
    ) {
        let mut letters: Vec<char> = to_toml(&plan).chars().collect();
        let start = at.index(letters.len());
        let end = (start + length).min(letters.len());
        letters.splice(start..end, put.chars());
        let text: String = letters.into_iter().collect();
        if let Ok(read) = read_toml(&text) {
            prop_assert_eq!(read_toml(&to_toml(&read)), Ok(read));
        }
    }

    #[test]
    fn any_text_is_a_plan_or_an_error(text in any::<String>(), key in any::<prop::sample::Index>(), value in "[0-9kKmMgGsu.,:/%-]{0,12}") {
        let _ = read_toml(&text);
        let keys = keys();
        let key = &keys[key.index(keys.len())];
        if let Ok(read) = read_toml(&format!("target = 'x'\nrw = 'randrw'\n{key} = '{value}'")) {
            prop_assert_eq!(read_toml(&to_toml(&read)), Ok(read));
        }
        let _ = check_arguments(&[text.into()]);
    }

    #[test]
    fn any_pattern_or_objective_is_read_or_refused(text in any::<String>(), near in "(rand)?(read|write|rw)[-:0-9km.%]{0,12}") {
        let _ = pattern(&text);
        if let Ok(read) = pattern(&near) {
            prop_assert_eq!(pattern(&read.name), Ok(read));
        }
    }
}

#[test]
fn a_whole_plan_looks_like_this() {
    let text = "\
target = \"/data/scratch\"
engine = \"uring\"
rw = \"randrw\"
bs = \"4k:70%,64k:30%\"
write-bs = \"16k\"
read-share = \"70%\"
addresses = \"zipf:0.99\"
rate = \"5k\"
arrival = \"poisson\"
jobs = 2
depth = 64
time = \"1s500ms\"
warmup = \"2s\"
seed = 42
buffered = true
cpus = \"0-1\"
";
    let plan = read_toml(&format!(
        "# A comment.\n{}",
        text.replace("write-bs", "trim-bs = '4k:70%,64k:30%'\nwrite-bs")
    ))
    .expect("a plan");
    assert_eq!(to_toml(&plan), text);
    assert_eq!(
        to_command_line(&plan),
        "fathom run --target /data/scratch --engine uring --rw randrw --bs 4k:70%,64k:30% --write-bs 16k \
         --read-share 70% --addresses zipf:0.99 --rate 5k --arrival poisson --jobs 2 --depth 64 \
         --time 1s500ms --warmup 2s --seed 42 --buffered --cpus 0-1"
    );
}

#[test]
fn what_no_flag_says_has_no_line() {
    let mut plan = read_toml("target = 'x'\nrw = 'randrw'").expect("a plan");
    assert!(exact_command_line(&plan).is_some());
    // Writes of what was trimmed, of a workload that trims nothing.
    plan.workload.sizes.rewrites_trimmed = true;
    assert_eq!(exact_command_line(&plan), None);
}

#[test]
fn a_written_line_passes_a_real_shell() {
    let mut plan = read_toml("target = \"it's $HOME; `x` \\\\ \\n –\"").expect("a plan");
    plan.options.permits = vec!["-S3R1 AL".to_owned()];
    let script = format!("printf '%s\\0' {}", to_command_line(&plan));
    // Of POSIX shells only those since 2024 read `$'...'`.
    let Ok(output) = std::process::Command::new("bash").arg("-c").arg(script).output() else {
        fathom_skips::skipped("no bash");
        return;
    };
    let printed = String::from_utf8(output.stdout).expect("text");
    let words: Vec<&str> = printed.split_terminator('\0').collect();
    assert_eq!(words, self::words(&to_command_line(&plan)));
}
