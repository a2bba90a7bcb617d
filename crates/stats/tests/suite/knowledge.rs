//! What a run record tells of hidden states, and what it leaves open.

#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use fathom_record::exposure_guard::{HiddenState, HiddenStateStanding};
use fathom_record::facts::{DeviceFacts, TargetKind};
use fathom_record::{RunRecord, parse_run};
use fathom_stats::exposure::{Exposure, Knowledge, guard};

fn record(kind: TargetKind) -> RunRecord {
    let mut record = parse_run(include_bytes!("../../../../fuzz/seeds/record/run.json")).unwrap();
    record.target.kind = kind;
    record.target.size_bytes = 1 << 40;
    record.ledger.bytes_written = Some(1 << 30);
    record
}

fn exposure(record: &RunRecord) -> Exposure {
    let operations = record.intervals.iter().map(|interval| interval.operations()).sum();
    Exposure::of_run(&record.ledger, operations, record.target.size_bytes)
}

fn unknown(record: &RunRecord) -> Vec<HiddenState> {
    guard(&Knowledge::of(record), &exposure(record)).unknown().collect()
}

/// Puts the record's data on a flash disk of a machine, or of a cloud's guest.
fn on_flash(mut record: RunRecord, instance: Option<&str>) -> RunRecord {
    record.environment.virtualization = instance.map(|_| "kvm".to_owned());
    record.environment.instance = instance.map(str::to_owned);
    let disk = DeviceFacts { layer: "disk".to_owned(), rotational: Some(false), ..DeviceFacts::default() };
    record.target.devices = vec![disk];
    record
}

#[test]
fn memory_hides_nothing_and_a_simulated_device_has_credits_of_unknown_size() {
    assert_eq!(unknown(&record(TargetKind::Memory)), []);
    let simulated = unknown(&record(TargetKind::Simulated));
    assert!(simulated.contains(&HiddenState::VolumeCredits) && !simulated.contains(&HiddenState::Thermal));
}

#[test]
fn a_simulated_device_is_known_by_its_parameters() {
    let mut simulated = record(TargetKind::Simulated);
    simulated.target.simulated = Some(serde_json::json!({
        "operations": {"operations_per_s": 100, "bucket_operations": 5_400_000, "peak_operations_per_s": 3000},
        "write_cache": null,
    }));
    let judged = guard(&Knowledge::of(&simulated), &exposure(&simulated));
    assert!(!judged.met(), "{judged:?}");
    assert_eq!(judged.unknown().count(), 0, "{judged:?}");
    simulated.target.simulated = Some(serde_json::json!({"operations": {"operations_per_s": 100}}));
    assert!(guard(&Knowledge::of(&simulated), &exposure(&simulated)).met());
}

#[test]
fn a_volume_of_a_cloud_is_known_by_nothing_in_the_record() {
    let cloud = on_flash(record(TargetKind::BlockDevice), Some("AWS EC2 m6i.large"));
    let open = unknown(&cloud);
    for state in [HiddenState::VolumeCredits, HiddenState::InstanceCredits, HiddenState::LazyLoad] {
        assert!(open.contains(&state), "{state:?} in {open:?}");
    }
}

#[test]
fn a_flash_disk_of_this_machine_has_no_credits_and_must_be_written_over() {
    let local = on_flash(record(TargetKind::BlockDevice), None);
    let judged = guard(&Knowledge::of(&local), &exposure(&local));
    let standing = |state| &judged.rows.iter().find(|row| row.state == state).unwrap().standing;
    assert_eq!(standing(HiddenState::VolumeCredits), &HiddenStateStanding::Absent);
    assert_eq!(standing(HiddenState::LazyLoad), &HiddenStateStanding::Absent);
    assert!(matches!(standing(HiddenState::WriteCache), HiddenStateStanding::NotYet { .. }), "{judged:?}");
    assert!(!judged.met());
}

#[test]
fn exposures_add_up_but_addresses_may_be_the_same() {
    let one = exposure(&record(TargetKind::BlockDevice));
    let both = one.then(one);
    assert_eq!(both.seconds, 2.0 * one.seconds);
    assert_eq!(both.bytes_written, 2.0 * one.bytes_written);
    assert_eq!(both.touched_share, one.touched_share);
}
