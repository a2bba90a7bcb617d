//! Tables that are wrong, or that say little: what is refused, what is said, and what is proposed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]

use fathom_published::{
    PublishedTable, RowExplanation, explain_published, parse_published, remarks, unrated,
};
use fathom_record::verdict::Limit;
use fathom_record::{CeilingRate, CeilingScope, KnownCeiling};

const ROW: &str = "[[row]]\npattern = \"a\"\nblock_bytes = 4096\nread_percent = 100\norder = \"random\"\njobs = 1\ndepth = 32\n";
const VOLUME: &str = "[[ceiling]]\nname = \"the volume's IOPS\"\n";

fn table(parts: &[&str]) -> String {
    format!("title = \"t\"\n{}", parts.concat())
}

fn read(parts: &[&str]) -> PublishedTable {
    parse_published(&table(parts)).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn explained(parts: &[&str]) -> Vec<RowExplanation> {
    explain_published(&read(parts))
}

#[track_caller]
fn refused(parts: &[&str], words: &[&str]) {
    let refusal = parse_published(&table(parts)).unwrap_err().to_string();
    for word in words {
        assert!(refusal.contains(word), "no {word:?} in: {refusal}");
    }
}

#[test]
fn names_that_are_not_known_are_refused_with_the_nearest() {
    refused(&[ROW, "ipos = 3000\n"], &["line 9", "unknown field \"ipos\"", "did you mean \"iops\"?"]);
    let scope = [VOLUME, "iops = 3000\nscop = \"instance\"\n", ROW, "iops = 3000\n"];
    refused(&scope, &["line 5", "unknown field \"scop\"", "did you mean \"scope\"?"]);
    refused(&["[[ceilings]]\nname = \"x\"\niops = 3\n", ROW, "iops = 3000\n"], &["line 2", "\"ceiling\""]);
    refused(&["[[results]]\npattern = \"x\"\n", ROW, "iops = 3000\n"], &["line 2", "[[row]]"]);
    refused(&["sourc = \"x\"\n", ROW, "iops = 3000\n"], &["line 2", "did you mean \"source\"?"]);
    // What an author adds beside the table is his.
    read(&["[method]\nrepeats = 3\n", ROW, "iops = 3000\n"]);
}

#[test]
fn bounds_that_bound_nothing_are_refused() {
    let bound = |field: &str, words: &[&str]| refused(&[ROW, "iops = 3000\n", VOLUME, field], words);
    bound("iops = 0\n", &["line 12", "iops = 0", "above 0"]);
    bound("iops = -1\n", &["iops = -1"]);
    bound("iops = nan\n", &["iops = NaN"]);
    bound("throughput = 125\n", &["line 12", "no unit", "unit = \"MB/s\""]);
    bound("throughput = 125\nunit = \"MBps\"\n", &["line 13", "\"MBps\"", "did you mean \"MB/s\"?"]);
    bound("scope = \"instance\"\n", &["line 11", "states no bound", "iops = 3000"]);
    bound("iops = 3000\nthroughput = 125\nunit = \"MB/s\"\n", &["two [[ceiling]]"]);
    bound("iops = 3000\ncredits = 0\n", &["credits = 0"]);
    bound("iops = 3000\ndirection = \"trim\"\n", &["direction", "\"read\" or \"write\""]);
}

#[test]
fn figures_that_no_run_gives_are_refused_by_row_and_field() {
    let figure = |field: &str, words: &[&str]| {
        refused(&[ROW, "iops = 9\n[[row]]\npattern = \"second\"\niops = 3000\n", field], words);
    };
    figure("latency_us = -1.0\n", &["line 13", "row \"second\"", "latency_us = -1", "above 0"]);
    figure("cpu_percent = 500\n", &["cpu_percent = 500", "0 to 100"]);
    figure("read_percent = 150\n", &["read_percent = 150", "0 to 100"]);
    figure("depth = 0\n", &["depth = 0"]);
    figure("block_bytes = inf\n", &["block_bytes = inf"]);
    figure("asked_iops = -3000\n", &["asked_iops = -3000"]);
    figure("percentiles_us = [[199, 10.0]]\n", &["percentiles_us", "[199, 10]"]);
    figure("throughput = 3\nunit = \"furlongs\"\n", &["line 14", "\"furlongs\"", "MiB/s"]);
    refused(&["[[explain]]\nrows = []\n", ROW, "iops = 3000\n"], &["names no row"]);
}

#[test]
fn a_row_without_a_usable_rate_is_named_and_the_others_are_explained() {
    for rate in ["-3000", "0", "nan", "inf"] {
        let alone = read(&[ROW, &format!("iops = {rate}\n")]);
        assert!(explain_published(&alone).is_empty());
        let said = unrated(&alone).join(" ");
        assert!(said.contains("Row 1 of the table, \"a\"") && said.contains("Write iops = 3000"), "{said}");
    }
    let two = read(&[ROW, "iops = 3000\n[[row]]\npattern = \"b\"\nlatency_us = 3.0\n"]);
    assert_eq!(explain_published(&two).len(), 1);
    let notes = remarks(&two).join("\n");
    assert!(notes.contains("Row 2 of the table, \"b\", states no rate"), "{notes}");
}

#[test]
fn rows_of_one_name_are_all_explained_under_their_own_titles() {
    let two = explained(&[ROW, "iops = 3000\n", ROW, "iops = 50\n"]);
    let titles: Vec<&str> = two.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["a, row 1", "a, row 2"]);
    assert_eq!([two[0].row.iops, two[1].row.iops], [Some(3000.0), Some(50.0)]);
    let phases = explained(&[ROW, "iops = 9\nphase = \"early\"\n", ROW, "iops = 5\nphase = \"late\"\n"]);
    assert_eq!(phases[1].title, "a, late");
    let asked = read(&["[[explain]]\nrows = [\"a\"]\n", ROW, "iops = 3000\n", ROW, "iops = 50\n"]);
    assert!(remarks(&asked).join("\n").contains("2 rows are named \"a\""), "{:?}", remarks(&asked));
}

#[test]
fn figures_that_contradict_each_other_are_told_beside_the_verdict() {
    let notes = remarks(&read(&[ROW, "iops = 3000\nthroughput = 500\nunit = \"MB/s\"\n"])).join("\n");
    assert!(notes.contains("size, rate or throughput is not what it says"), "{notes}");
}

fn given(rate: CeilingRate, scope: CeilingScope) -> KnownCeiling {
    KnownCeiling { scope, ..KnownCeiling::declared(rate) }
}

#[test]
fn a_bound_given_beside_the_table_holds_for_rows_that_have_none() {
    let iops = |operations_per_s| given(CeilingRate::Iops { operations_per_s }, CeilingScope::Volume);
    let mut bare = read(&[ROW, "iops = 3000\n"]);
    assert!(explain_published(&bare)[0].verdict.ceilings.is_empty());
    bare.given = vec![iops(3000.0)];
    let after = explain_published(&bare);
    assert_eq!(after[0].weighed[0].limit, Limit::VolumeIops, "{:?}", after[0].weighed);
    let ceiling = &after[0].verdict.ceilings[0];
    assert_eq!(
        (ceiling.name.as_str(), ceiling.source.as_str()),
        ("the volume's IOPS", "declared by the user")
    );
    assert!(remarks(&bare).join("\n").contains("applied to every row"), "{:?}", remarks(&bare));

    // The table's own bound of the same kind counts, on the side that has one.
    let own =
        [VOLUME, "iops = 3000\nside = \"x\"\n", ROW, "iops = 3000\nside = \"x\"\n", ROW, "iops = 3000\n"];
    let mut own = read(&own);
    own.given = vec![iops(9000.0)];
    let shares: Vec<f64> = explain_published(&own)
        .iter()
        .map(|one| one.verdict.ceilings.iter().map(|c| c.reached_share).sum())
        .collect();
    assert!((shares[0] - 1.0).abs() < 1e-9 && (shares[1] - 1.0 / 3.0).abs() < 1e-9, "{shares:?}");
    assert!(remarks(&own).join("\n").contains("applied to 1 of 2 rows"), "{:?}", remarks(&own));
}

#[test]
fn a_bound_that_no_row_meets_is_told() {
    let notes =
        |more: &str| remarks(&read(&[VOLUME, "iops = 3000\n", more, ROW, "iops = 3000\n"])).join("\n");
    assert!(notes("side = \"gp33\"\n").contains("\"the volume's IOPS\" holds for no row"));
    assert!(notes("each = \"device\"\n").contains("states the devices or connections"));
    assert!(!notes("").contains("holds for no row"));
}

#[test]
fn a_limit_on_bytes_halves_the_operations_of_twice_the_block() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations");
    let all = |name: &str| {
        explain_published(&parse_published(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap())
    };
    // EBS bandwidth of an instance was reached: at twice the block half of the operations are left.
    let large = all("gp3-vs-local-nvme.toml").remove(1);
    let next = large.verdict.next_experiment.unwrap();
    assert!(next.question.contains("blocks"), "{next:?}");
    let shared = "times the rate: a limit shared by the instance's volumes";
    let is_right =
        next.reading.contains(&format!("0.5 {shared}")) || next.reading.contains(&format!("2.0 {shared}"));
    assert!(is_right, "{next:?}");
    // Against a link no block size tells anything: both count bytes.
    for one in all("windows-arm-ebs.toml").iter().filter(|one| one.title.contains("128K")) {
        let Some(next) = &one.verdict.next_experiment else { continue };
        assert!(!(next.question.contains("blocks") && next.reading.contains("a link")), "{next:?}");
    }
}

#[test]
fn what_is_proposed_has_answers_that_differ() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations");
    let files = [folder.clone(), folder.join("cases")]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let mut count = 0;
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let table = parse_published(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for one in explain_published(&table) {
            let Some(next) = one.verdict.next_experiment else { continue };
            count += 1;
            let mut answers: Vec<&str> =
                next.reading.split(". ").map(|answer| answer.split(" the rate").next().unwrap()).collect();
            let all = answers.len();
            answers.sort_unstable();
            answers.dedup();
            assert!(all >= 2 && answers.len() == all, "{}: {}", path.display(), next.reading);
        }
    }
    assert!(count >= 20, "{count} experiments");
}

#[test]
fn words_stay_plain_where_no_depth_is_stated() {
    let row = |connections: u32, iops: u32| {
        format!(
            "[[row]]\npattern = \"{connections} paths\"\nread_percent = 100\nconnections = {connections}\niops = {iops}\n"
        )
    };
    let told = explained(&[&row(1, 16_000), &row(2, 29_000)]);
    let claims = &told[0].verdict.claims;
    let shallow = claims.iter().find(|claim| claim.limit == Limit::Concurrency).unwrap();
    assert!(shallow.statement.contains("at this latency so few of them give"), "{}", shallow.statement);
    let next = told[0].verdict.next_experiment.as_ref().unwrap();
    assert!(next.command.is_empty() && !next.question.is_empty(), "{next:?}");
}

#[test]
fn a_drop_when_the_credits_ended_to_more_than_they_leave_is_told() {
    let bounds = "[[ceiling]]\nname = \"burst\"\niops = 3000\nburst = true\ncredits = 5400000\n[[ceiling]]\nname = \"baseline\"\niops = 100\n";
    let phase = |name: &str, minutes: u32, iops: u32| {
        format!(
            "[[row]]\npattern = \"a\"\nphase = \"{name}\"\nminutes = {minutes}\nread_percent = 0\niops = {iops}\n"
        )
    };
    let after = |iops: u32| read(&[bounds, &phase("first", 0, 600), &phase("later", 180, iops)]);
    let notes = remarks(&after(380)).join("\n");
    assert!(notes.contains("3.8 times what they leave, 100 IOPS (baseline)"), "{notes}");
    // What falls to the baseline itself is explained by them.
    let textbook = after(100);
    assert!(!remarks(&textbook).join("\n").contains("what they leave"));
    assert_eq!(explain_published(&textbook)[1].weighed[0].limit, Limit::BurstCredits);
}

#[test]
fn what_counts_against_a_bound_is_what_the_bound_is_of() {
    let share = |bound: &str, row: &str| {
        let all = explained(&[bound, ROW, row]);
        let ceiling = all[0].verdict.ceilings.first().unwrap_or_else(|| panic!("no bound: {row}"));
        (ceiling.limit, ceiling.reached_share)
    };
    // A bound of each core is the processors', whatever the volume may do.
    let core = "[[ceiling]]\nname = \"one core\"\niops = 100000\neach = \"core\"\n";
    let (limit, reached) = share(core, "cores = 2\niops = 190000\n");
    assert!(limit == Limit::OneCore && (reached - 0.95).abs() < 1e-9, "{limit:?} {reached}");
    // Memory carries its own traffic, not what the program asked for.
    let memory = "[[ceiling]]\nname = \"channels\"\nthroughput = 100\nunit = \"GB/s\"\nscope = \"memory\"\n";
    let (limit, reached) = share(memory, "iops = 1000000\nmemory_gb_s = 92\n");
    assert!(limit == Limit::MemoryBandwidth && (reached - 0.92).abs() < 1e-9, "{limit:?} {reached}");
    // Larger frames leave more of the line for payload.
    let link = "[[ceiling]]\nname = \"10 GbE\"\nthroughput = 10\nunit = \"Gbit/s\"\nscope = \"link\"\n";
    let (_, usual) = share(link, "iops = 250000\nmtu = 1500\n");
    let (_, jumbo) = share(link, "iops = 250000\nmtu = 9000\n");
    assert!((usual - 0.87).abs() < 0.005 && (jumbo - 0.827).abs() < 0.005, "{usual} {jumbo}");
    // A device writes each copy.
    let device = "[[ceiling]]\nname = \"drive\"\niops = 30000\nscope = \"device\"\n";
    let written = "[[row]]\npattern = \"w\"\nread_percent = 0\ncopies = 3\niops = 9000\n";
    let reached = explained(&[device, written])[0].verdict.ceilings[0].reached_share;
    assert!((reached - 0.9).abs() < 1e-9, "{reached}");
}

#[test]
fn short_runs_and_repeats_that_spread_take_confidence_away() {
    let best = |more: &str| {
        let rows = ["a", "b"].map(|setting| {
            let iops = if setting == "a" { 100_000 } else { 60_000 };
            format!("{}setting = \"{setting}\"\niops = {iops}\n{more}", ROW.replace("\"a\"", "\"x\""))
        });
        let all = explained(&[&rows[0], &rows[1]]);
        let of = |limit| all[1].weighed.iter().find(|w| w.limit == limit).map_or(0.0, |w| w.probability);
        of(Limit::Setting)
    };
    assert!(best("seconds = 60\n") > 0.3, "{}", best("seconds = 60\n"));
    assert!(best("iops_low = 30000\niops_high = 180000\nrepeats = 2\n") < best(""));
    let bound = [VOLUME, "iops = 3000\n", ROW, "iops = 3000\n"];
    let claims =
        |more: &str| explained(&[&bound[..], &[more]].concat())[0].verdict.claims[0].probability.unwrap();
    assert!(claims("") > 0.8 && claims("seconds = 2\n") < 0.8, "{} {}", claims(""), claims("seconds = 2\n"));
}

#[test]
fn what_differs_in_the_machine_or_the_release_alone_is_compared() {
    let probability = |one: &RowExplanation, limit: Limit| {
        one.weighed.iter().find(|w| w.limit == limit).map_or(0.0, |w| w.probability)
    };
    let pair = |small: &str, large: &str| {
        let of = |host: &str, rate: &str| {
            format!(
                "[[row]]\npattern = \"get\"\nread_percent = 100\nhost = \"{host}\"\nthroughput = {rate}\nunit = \"MB/s\"\n"
            )
        };
        explained(&[&of(small, "1400"), &of(large, "2700")]).remove(0)
    };
    let (types, machines) = (pair("r4.8xlarge", "r4.16xlarge"), pair("left", "right"));
    assert!(types.seen.iter().any(|seen| seen.text.contains("on \"r4.16xlarge\" it goes at")));
    let of_types = probability(&types, Limit::InstanceCap);
    assert!(of_types > 2.0 * probability(&machines, Limit::InstanceCap), "{of_types}");
    // A release that is slower is the difference itself; what a mode costs may be the software's path.
    let versions = |key: &str| {
        let of =
            |value: &str, iops: &str| format!("{ROW}{key} = \"{value}\"\nsoftware = \"s\"\niops = {iops}\n");
        explained(&[&of("24.01", "100000"), &of("24.05", "124000")]).remove(0)
    };
    let software =
        |one: &RowExplanation| probability(one, Limit::Software) / probability(one, Limit::Setting);
    assert!(software(&versions("version")) < 0.5 * software(&versions("setting")));
    // Where another measuring program carries more, the one at hand may be what binds.
    let of = |program: &str, iops: &str| format!("{ROW}software = \"{program}\"\niops = {iops}\n");
    let programs = explained(&[&of("fio psync", "100000"), &of("fio io_uring", "150000")]).remove(0);
    assert!(probability(&programs, Limit::Generator) > 0.05, "{:?}", programs.weighed);
}

#[test]
fn what_is_above_a_link_did_not_come_over_it() {
    let link = "[[ceiling]]\nname = \"the link\"\nthroughput = 500\nunit = \"MB/s\"\nscope = \"link\"\n";
    let of = |rate: f64| {
        let rate = format!("throughput = {rate}\nunit = \"MB/s\"\n");
        let row = "[[row]]\npattern = \"a\"\nread_percent = 100\norder = \"sequential\"\n";
        explained(&[link, row, &rate]).remove(0)
    };
    assert_eq!(of(480.0).verdict.claims[0].limit, Limit::Link);
    let above = of(4000.0);
    assert_eq!(above.verdict.claims[0].limit, Limit::CacheArtefact, "{:?}", above.weighed);
    // Merging makes fewer operations of the same bytes, and lets no more of them through.
    let can_merge = |of: &RowExplanation| of.weighed.iter().any(|weighed| weighed.limit == Limit::Merging);
    assert!(can_merge(&of(480.0)) && !can_merge(&above));
}
