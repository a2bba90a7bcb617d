//! Campaigns: begun once, run by one process at a time, continued where they stopped, closed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]

use crate::sample;
use crate::sample::{CAMPAIGN, campaign, run, step_run, time};
use fathom_record::CampaignRecord;
use fathom_record::run_record::CampaignLink;
use fathom_store::{
    CampaignDevice, CampaignState, JournalEntry, NewCampaign, RunFilter, StepState, Store, StoreErrorKind,
};

fn new_store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
    (folder, store)
}

fn plan<'a>(id: &'a str, key: &'a str) -> NewCampaign<'a> {
    NewCampaign {
        id,
        key,
        target: "/dev/nvme0n1",
        started_at: "2026-11-20T00:00:00Z",
        plan_json: r#"{"budget":"2m"}"#,
    }
}

fn locks(store: &Store) -> usize {
    let entries = std::fs::read_dir(store.path().parent().unwrap()).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|e| e == "lock")).count()
}

#[test]
fn a_campaign_is_continued_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let records = sample::fill(&path);

    let store = Store::open(&path).unwrap();
    assert!(store.open_campaign("another plan").unwrap().is_none());
    let resumed = store.open_campaign("plan-and-target").unwrap().unwrap();
    assert_eq!((resumed.id(), resumed.started_at()), (CAMPAIGN, time(1).as_str()));
    assert_eq!(resumed.plan_json(), r#"{"budget":"2m"}"#);
    assert_eq!(resumed.progress(), Some(&campaign(CAMPAIGN, None)));
    let finished = store.finished_steps(&resumed).unwrap();
    let finished: Vec<_> = finished.iter().map(|step| (step.step.as_str(), step.run_id.as_str())).collect();
    assert_eq!(finished, [("a", records[1].id.as_str()), ("b", records[2].id.as_str())]);
    let entries = store.journal_entries(CAMPAIGN).unwrap();
    let done = |record: usize| StepState::Done { run_id: records[record].id.clone() };
    let entry = |step: &str, state, at| JournalEntry { step: step.into(), state, at: time(at) };
    assert_eq!(
        entries,
        [
            entry("a", done(1), 1),
            entry("b", StepState::Started, 2),
            entry("b", done(2), 2),
            entry("c", StepState::Failed { reason: "the device is gone".into() }, 3),
        ]
    );

    let result = campaign(CAMPAIGN, Some("2026-11-20T00:02:00Z"));
    store.finish_campaign(resumed, &result).unwrap();
    assert_eq!(store.campaign(CAMPAIGN).unwrap(), result);
    assert!(store.open_campaign("plan-and-target").unwrap().is_none());
    assert_eq!(locks(&store), 0);
    let in_campaign = RunFilter { campaign: Some(CAMPAIGN.into()), ..RunFilter::default() };
    assert_eq!(store.runs(&in_campaign).unwrap().len(), 2);
    store.begin_campaign(&plan("next", "plan-and-target")).expect("the same plan may run again");
}

#[test]
fn a_step_that_is_started_again_is_not_finished() {
    let (_folder, store) = new_store();
    let begun = store.begin_campaign(&plan("c1", "k")).unwrap();
    store.put_run_for_step(&begun, "a", &step_run(1, "c1", "a"), &time(1)).unwrap();
    store.journal(&begun, "a", &StepState::Started, &time(2)).unwrap();
    assert_eq!(store.finished_steps(&begun).unwrap(), []);
    store.journal(&begun, "a", &StepState::Done { run_id: sample::id(1) }, &time(3)).unwrap();
    assert_eq!(store.finished_steps(&begun).unwrap().len(), 1);
    let missing = StepState::Done { run_id: "no-such-run".into() };
    assert_eq!(store.journal(&begun, "b", &missing, &time(4)).unwrap_err().kind, StoreErrorKind::NotFound);
}

#[test]
fn one_process_at_a_time_runs_a_campaign() {
    let (_folder, store) = new_store();
    let begun = store.begin_campaign(&plan("c1", "k")).unwrap();
    let second = Store::open(store.path()).unwrap();
    let busy = second.open_campaign("k").unwrap_err();
    assert_eq!(busy.kind, StoreErrorKind::CampaignBusy);
    assert!(busy.to_string().contains("Ctrl-C"), "{busy}");
    assert_eq!(second.begin_campaign(&plan("c1", "k")).unwrap_err().kind, StoreErrorKind::CampaignBusy);
    assert_eq!(second.begin_campaign(&plan("c2", "k")).unwrap_err().kind, StoreErrorKind::Exists);
    assert_eq!(locks(&store), 1, "a campaign that was not begun leaves no lock");
    second.begin_campaign(&plan("c3", "other plan")).expect("other campaigns may run beside it");
    drop(begun);
    assert!(second.open_campaign("k").unwrap().is_some());
}

#[test]
fn a_campaign_is_given_up_with_its_runs_kept() {
    let (_folder, store) = new_store();
    let begun = store.begin_campaign(&plan("c1", "k")).unwrap();
    store.put_run_for_step(&begun, "a", &step_run(1, "c1", "a"), &time(1)).unwrap();
    let stopped = store.campaign("c1").unwrap_err();
    assert!(stopped.kind == StoreErrorKind::NotFound && stopped.remedy.contains("continues"), "{stopped}");
    store.give_up_campaign(begun, &time(9)).unwrap();
    assert!(store.open_campaign("k").unwrap().is_none());
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 1);
    let second = store.begin_campaign(&plan("c2", "k")).unwrap();

    let rows = store.campaigns().unwrap();
    let shown: Vec<_> = rows.iter().map(|row| (row.id.as_str(), row.state, row.runs)).collect();
    assert_eq!(shown, [("c2", CampaignState::Unfinished, 0), ("c1", CampaignState::GivenUp, 1)]);
    assert_eq!(rows[1].closed_at.as_deref(), Some(time(9).as_str()));
    store.finish_campaign(second, &campaign("c2", Some(&time(10)))).unwrap();
    assert_eq!(store.campaigns().unwrap()[0].state, CampaignState::Finished);
}

#[test]
fn contradictions_are_refused_and_change_nothing() {
    let (_folder, store) = new_store();
    let begun = store.begin_campaign(&plan("c1", "k")).unwrap();
    let mut elsewhere = run(1, 1, 1);
    elsewhere.campaign = Some(CampaignLink { id: "c1".into(), step: "b".into() });
    let wrong_step = store.put_run_for_step(&begun, "a", &elsewhere, &time(1)).unwrap_err();
    assert_eq!(wrong_step.kind, StoreErrorKind::BadRecord);
    let foreign = store.save_campaign_progress(&begun, &campaign("c2", None)).unwrap_err();
    assert_eq!(foreign.kind, StoreErrorKind::BadRecord);
    let mut not_a_number = campaign("c1", None);
    let CampaignRecord::Assess(record) = &mut not_a_number else { panic!("the sample is an assessment") };
    record.busy_seconds = f64::INFINITY;
    let unreadable = store.save_campaign_progress(&begun, &not_a_number).unwrap_err();
    assert_eq!(unreadable.kind, StoreErrorKind::BadRecord);
    assert_eq!(store.runs(&RunFilter::default()).unwrap(), []);

    // A run that is there already takes its journal entry down with it.
    store.put_run_for_step(&begun, "a", &step_run(1, "c1", "a"), &time(1)).unwrap();
    let taken = store.put_run_for_step(&begun, "a", &step_run(1, "c1", "a"), &time(2)).unwrap_err();
    assert_eq!(taken.kind, StoreErrorKind::Exists);
    assert_eq!(store.journal_entries("c1").unwrap().len(), 1);

    let unfinished = store.finish_campaign(begun, &campaign("c1", None)).unwrap_err();
    assert_eq!(unfinished.kind, StoreErrorKind::BadRecord);
    assert!(store.open_campaign("k").unwrap().is_some(), "it stays unfinished");
    assert_eq!(store.begin_campaign(&plan("../c", "x")).unwrap_err().kind, StoreErrorKind::BadRecord);
}

#[test]
fn a_campaign_remembers_its_devices_and_notices_damage() {
    let (folder, store) = new_store();
    let campaign = store.begin_campaign(&plan("a-1", "key")).unwrap();
    let other = store.begin_campaign(&plan("a-2", "other key")).unwrap();
    assert!(store.campaign_devices(&campaign).unwrap().is_empty());
    let device = |target: &str, json: &str| CampaignDevice { target: target.into(), json: json.into() };
    store.remember_device(&campaign, &device("/dev/sdb", "1")).unwrap();
    store.remember_device(&campaign, &device("/dev/sda", "2")).unwrap();
    store.remember_device(&campaign, &device("/dev/sdb", "3")).unwrap();
    store.remember_device(&other, &device("/dev/sdb", "4")).unwrap();
    drop((campaign, store));

    let path = folder.path().join("runs.sqlite");
    let store = Store::open(&path).unwrap();
    let campaign = store.open_campaign("key").unwrap().unwrap();
    assert_eq!(
        store.campaign_devices(&campaign).unwrap(),
        [device("/dev/sda", "2"), device("/dev/sdb", "3")]
    );
    let direct = rusqlite::Connection::open(&path).unwrap();
    direct.execute("UPDATE campaign_device SET json = '5' WHERE json = '3'", ()).unwrap();
    assert_eq!(store.campaign_devices(&campaign).unwrap_err().kind, StoreErrorKind::Corrupt);
}
