//! Files of every version that was ever written stay readable: records of runs, campaigns and sizings, and stores.
//!
//! Each was written by the last build of its version, with all that this version brought, and is written once. Before a
//! version is raised, `FATHOM_WRITE_GOLDEN=1 cargo test -p fathom-store golden_files` writes those of the version that
//! goes; it leaves alone what is there.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use fathom_record::campaign::{AssessRecord, OperatingPointKind, Slo};
use fathom_record::facts::TargetKind;
use fathom_record::run_record::IoGroup;
use fathom_record::verdict::{Confidence, Limit};
use fathom_record::workload::{Addresses, Arrival, TraceFit};
use fathom_record::{
    CampaignRecord, CeilingRate, CheckName, CheckOutcome, RunRecord, SizingRecord, parse_campaign, parse_run,
};
use fathom_store::{CampaignState, RunFilter, Store};
use serde_json::Value;

use crate::sample;

/// Each version of a store before the newest, a run in it that has a file of its own, and how many it holds.
const STORES: [(i64, &str, usize); 3] = [(1, "run-1.json", 3), (2, "run-2.json", 6), (3, "run-9.json", 6)];

/// A campaign of the stores that is over.
const FINISHED: &str = "20261120T000009-a1";

pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(golden(name)).unwrap_or_else(|error| panic!("{name}, of an earlier version: {error}"))
}

fn run(version: u32) -> RunRecord {
    parse_run(&bytes(&format!("run-{version}.json"))).unwrap_or_else(|error| panic!("{version}: {error}"))
}

fn assessment(version: u32) -> AssessRecord {
    match parse_campaign(&bytes(&format!("campaign-{version}.json"))).unwrap() {
        CampaignRecord::Assess(record) => *record,
        other => panic!("{other:?}"),
    }
}

/// That everything a text says is said by another one too; that one may say more.
fn says(new: &Value, old: &Value, at: &str) {
    match (new, old) {
        (Value::Object(new), Value::Object(old)) => {
            for (key, old) in old {
                says(new.get(key).unwrap_or(&Value::Null), old, &format!("{at}.{key}"));
            }
        }
        (Value::Array(new), Value::Array(old)) => {
            assert_eq!(new.len(), old.len(), "{at}");
            new.iter().zip(old).for_each(|(new, old)| says(new, old, at));
        }
        _ => assert_eq!(new, old, "{at}"),
    }
}

#[test]
fn run_records_of_every_version_are_read_and_say_the_same_when_they_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
    for version in 1..=RunRecord::VERSION {
        let record = run(version);
        assert_eq!((record.version, record.summary.duration_ns), (version, 3_000_000_000));
        let text = serde_json::to_vec(&record).unwrap();
        let (new, old) = (serde_json::from_slice(&text).unwrap(), bytes(&format!("run-{version}.json")));
        says(&new, &serde_json::from_slice(&old).unwrap(), &format!("run-{version}"));
        assert_eq!(parse_run(&text).unwrap(), record, "{version}");
        store.put_run(&record).unwrap();
        assert_eq!(store.run(&record.id).unwrap(), record, "{version}");
    }
}

/// Of each version what it was the first to have.
#[test]
fn run_records_of_every_version_hold_what_came_with_it() {
    let first = run(1);
    assert_eq!(first.summary.directions[0].operations, Some(150));
    assert_eq!((first.clock.unwrap().read_cost_ns, first.jobs.len()), (8.9, 8));

    let second = run(2);
    let origin = second.origin.as_ref().unwrap();
    assert_eq!((origin.parser.as_str(), origin.part.as_str()), ("fio JSON", "job 2 of 3"));
    assert_eq!(origin.why_absent("clock"), Some("fio does not name its clock"));
    let mixed = &second.summary.directions[0];
    assert_eq!((mixed.direction, mixed.operations, mixed.errors), (IoGroup::Mixed, Some(120), None));
    assert_eq!(mixed.completion, mixed.service);
    assert_eq!((second.clock, second.environment.cpus, second.jobs[0].operations), (None, 0, None));

    let third = run(3);
    let rates_per_s = vec![40.0, 0.0, 62.5];
    assert_eq!(third.workload.arrival, Arrival::Steps { step_ns: 1_000_000_000, rates_per_s });
    let read = &third.summary.directions[0];
    assert!(read.response.is_some() && read.response == read.service);
    assert_eq!((third.summary.delayed_arrivals, third.summary.in_flight_requested), (Some(2), None));

    let fourth = run(4);
    let Addresses::Traced(traced) = &fourth.workload.addresses else { panic!("no trace") };
    assert_eq!((traced.file.as_str(), traced.device.as_deref()), ("disk.csv", Some("vdb")));
    assert_eq!((traced.fit, traced.extent_bytes), (TraceFit::Scale, 99 << 30));
    assert_eq!(fourth.workload.arrival, Arrival::Traced { speed: 2.5 });

    let fifth = run(5);
    assert!(fifth.workload.sizes.rewrites_trimmed && fifth.workload.mix.trim_share == 0.5);
    assert_eq!(fifth.summary.directions[0].direction, IoGroup::Trim);
    let [priority] = &fifth.priorities[..] else { panic!("{:?}", fifth.priorities) };
    let told = (priority.class, priority.level, priority.hint, priority.operations);
    assert_eq!(told, (2, 4, 3, 120));
}

fn outcome(record: &RunRecord, name: CheckName) -> CheckOutcome {
    record.checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("{name:?}")).outcome
}

#[test]
fn run_records_of_later_versions_hold_what_came_with_them() {
    let sixth = run(6);
    let wall = sixth.wall.as_deref().unwrap();
    assert_eq!((wall.mechanism.as_deref(), wall.abi), (Some("Landlock"), Some(5)));
    assert_eq!((sixth.standstills[0].at_ns, sixth.standstills[0].duration_ns), (1_250_000_000, 400_000_000));
    assert_eq!(outcome(&sixth, CheckName::Standstill), CheckOutcome::Fail);
    assert_eq!(outcome(&sixth, CheckName::OtherLoad), CheckOutcome::Caution);

    let seventh = run(7);
    let breaches = seventh.summary.breaches.as_deref().unwrap();
    assert_eq!((breaches.stamps_out_of_order, breaches.refused_submissions), (3, 1));
    assert_eq!(seventh.read_back.as_deref().unwrap().bytes, 491_520);
    assert_eq!(seventh.wall.as_deref().unwrap().missing.as_deref(), Some("the kernel has no Landlock"));
    assert!(seventh.command.as_deref().unwrap().ends_with("--verify at-end"));
    assert_eq!(outcome(&seventh, CheckName::EngineContract), CheckOutcome::Fail);

    let eighth = run(8);
    assert_eq!(eighth.target.kind, TargetKind::FabricNamespace);
    let fabric = eighth.target.fabric.as_deref().unwrap();
    assert_eq!((fabric.in_capsule_bytes, fabric.each_queue[0].commands), (Some(8192), 240));
    assert_eq!(fabric.outages.as_ref().unwrap().longest_ns, 600_000_000);
    let clients = eighth.clients.as_deref().unwrap();
    assert_eq!((clients.clients.len(), clients.skew_bound_ns), (2, Some(72_000)));
    assert_eq!((clients.clients[1].name.as_str(), clients.clients[1].depth), ("right", 32));
    assert_eq!(clients.balance.unwrap().least_share, 0.75);
    assert_eq!(eighth.expectation.as_deref().unwrap().interval, Some([0.4375, 0.5625]));
    assert_eq!(outcome(&eighth, CheckName::ClientSkew), CheckOutcome::Pass);

    let ninth = run(9);
    assert_eq!(ninth.environment.host.as_deref(), Some("shelf"));
    assert_eq!(outcome(&ninth, CheckName::NetworkFull), CheckOutcome::Caution);
}

#[test]
fn campaign_records_of_every_version_are_read_and_say_the_same_when_they_are_written_again() {
    for version in 1..=CampaignRecord::VERSION {
        let name = format!("campaign-{version}.json");
        let record = parse_campaign(&bytes(&name)).unwrap();
        let text = serde_json::to_vec(&record).unwrap();
        // What version 3 called otherwise.
        let old = String::from_utf8(bytes(&name)).unwrap().replace("\"declared_ceiling\"", "\"rate_cap\"");
        says(&serde_json::from_slice(&text).unwrap(), &serde_json::from_str(&old).unwrap(), &name);
        assert_eq!(parse_campaign(&text).unwrap(), record, "{version}");
    }
}

#[test]
fn campaign_records_of_every_version_hold_what_they_concluded() {
    for version in [1, 2] {
        let record = assessment(version);
        assert_eq!((record.version, record.id.as_str()), (version, FINISHED));
        assert_eq!(record.finished_at.as_deref(), Some("2026-11-20T00:01:30Z"));
        let pattern = &record.patterns[0];
        assert_eq!((pattern.cells.len(), pattern.cells[1].operations_per_s), (2, 2999.25));
        assert_eq!(pattern.operating_points[0].kind, OperatingPointKind::Balanced);
        let verdict = pattern.verdict.as_ref().unwrap();
        let claim = &verdict.claims[0];
        assert_eq!((claim.limit, claim.confidence), (Limit::RateCap, Confidence::Strong));
        assert_eq!((claim.probability, verdict.ceilings[0].reached_share), (None, 0.99975));
        assert_eq!(record.plan.slo, Some(Slo { quantile: 0.999, limit_ns: 2_000_000 }));
        assert!(record.points.is_empty() && record.repeats.is_none());
    }
    let rates: Vec<CeilingRate> = assessment(1).plan.ceilings.iter().map(|ceiling| ceiling.rate).collect();
    let declared =
        [CeilingRate::Iops { operations_per_s: 3000.0 }, CeilingRate::Throughput { bytes_per_s: 131e6 }];
    assert_eq!(rates, declared);

    let CampaignRecord::Explain(third) = parse_campaign(&bytes("campaign-3.json")).unwrap() else {
        panic!("an explanation")
    };
    assert_eq!((third.version, third.plan.max_experiments), (3, 3));
    let pattern = &third.patterns[0];
    assert_eq!(pattern.passive.as_ref().unwrap().claims[0].probability, Some(0.625));
    let after = &pattern.experiments[0].after[0];
    assert_eq!((after.limit, after.probability), (Limit::VolumeIops, 0.9375));
    assert_eq!(pattern.symptoms[0].name, "rate_over_depth");
}

#[test]
fn a_sizing_record_of_version_1_is_read_and_says_the_same_when_it_is_written_again() {
    let old = bytes("sizing-1.json");
    let record: SizingRecord = serde_json::from_slice(&old).unwrap();
    assert_eq!((record.version, record.terms.size_gib, record.requirement.operations_per_s), (1, 1000, 8503));
    assert_eq!(record.choice.as_ref().unwrap().month_all_nodes, 355.5);
    assert_eq!(record.demand.total.windows[0].bytes_per_s.p999, 99e6);
    assert_eq!(record.current.as_ref().unwrap().saves_month, Some(1744.5));
    assert!(record.local.is_none() && record.timeline.points.is_empty());
    let text = serde_json::to_vec(&record).unwrap();
    says(&serde_json::from_slice(&text).unwrap(), &serde_json::from_slice(&old).unwrap(), "sizing-1");
    assert_eq!(serde_json::from_slice::<SizingRecord>(&text).unwrap(), record);
}

#[test]
fn a_store_of_every_version_stays_readable_and_writable() {
    for (version, run, count) in STORES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.sqlite");
        std::fs::copy(golden(&format!("store-{version}.sqlite")), &path).unwrap();
        let expected = parse_run(&bytes(run)).unwrap();

        let old = Store::open_read_only(&path).unwrap();
        assert_eq!(old.version().unwrap(), version);
        assert_eq!(old.run(&expected.id).unwrap(), expected, "{version}");
        drop(old);

        let store = Store::open(&path).unwrap();
        assert_eq!(store.run(&expected.id).unwrap(), expected, "{version}");
        assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), count);
        let CampaignRecord::Assess(campaign) = store.campaign(sample::CAMPAIGN).unwrap() else {
            panic!("the sample is an assessment")
        };
        assert_eq!(campaign.plan.patterns[0].name, "randread-4k");
        let resumed = store.open_campaign("plan-and-target").unwrap().unwrap();
        assert_eq!(store.finished_steps(&resumed).unwrap().len(), 2);
        assert_eq!(store.journal_entries(sample::CAMPAIGN).unwrap().len(), 4);
        // Each has what its own version brought.
        let devices = store.campaign_devices(&resumed).unwrap();
        assert_eq!(devices.iter().any(|device| device.json.contains("S64GNE0R000000")), version >= 3);
        let imports = store.imports().unwrap();
        assert_eq!(imports.iter().any(|import| import.file == "results/mixed.json"), version >= 2);
        if version >= 2 {
            let CampaignRecord::Assess(over) = store.campaign(FINISHED).unwrap() else { panic!("{version}") };
            assert_eq!(over.finished_at.as_deref(), Some("2026-11-20T00:01:30Z"));
            let states = store.campaigns().unwrap();
            assert!(states.iter().any(|row| row.id == FINISHED && row.state == CampaignState::Finished));
        }
        store.put_run(&sample::run(77, 2, 10)).unwrap();
    }
    let newest = Store::open(&tempfile::tempdir().unwrap().path().join("new.sqlite")).unwrap();
    assert_eq!(newest.version().unwrap(), STORES.len() as i64 + 1, "a version has no golden store");
}

/// Writes a file that is not there yet.
///
/// # Errors
/// `AlreadyExists` where it is there.
fn write_once(name: &str, content: &[u8]) -> io::Result<()> {
    File::create_new(golden(name))?.write_all(content)
}

#[test]
fn a_golden_file_is_never_written_over() {
    let before = bytes("run-1.json");
    assert_eq!(write_once("run-1.json", b"{}").unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(bytes("run-1.json"), before);
}

#[test]
fn golden_files_are_written_when_asked_for() {
    if std::env::var_os("FATHOM_WRITE_GOLDEN").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let records = sample::fill(&path);
    let store = Store::open(&path).unwrap();
    let (run, campaign) = (RunRecord::VERSION, CampaignRecord::VERSION);
    let progress = store.campaign(sample::CAMPAIGN).unwrap();
    let version = store.version().unwrap();
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("VACUUM").unwrap();
    connection.close().unwrap();
    let files = [
        (format!("run-{run}.json"), serde_json::to_vec_pretty(&records[0]).unwrap()),
        (format!("campaign-{campaign}.json"), serde_json::to_vec_pretty(&progress).unwrap()),
        (format!("store-{version}.sqlite"), std::fs::read(&path).unwrap()),
    ];
    for (name, content) in files {
        match write_once(&name, &content) {
            Ok(()) => eprintln!("written: {name}"),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => eprintln!("left alone: {name}"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}
