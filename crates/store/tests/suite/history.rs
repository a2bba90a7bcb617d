//! What people say of runs, and what is deleted: it is there, it is what was said, and it goes for good.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may")]

use fathom_record::provenance::RecordOrigin;
use fathom_record::run_record::Tool;
use fathom_record::{RunRecord, parse_run};
use fathom_store::{
    CampaignState, DeletionChoice, Finding, FindingKey, ImportRow, MarkText, NewCampaign, RunCondition,
    RunFilter, RunText, StepState, Store, StoreErrorKind, StoredId, check_word,
};
use tempfile::TempDir;

use crate::golden::golden;
use crate::sample::{campaign, id, run, step_run, time};

const NOW: &str = "2026-11-26T04:00:00Z";
const LATER: &str = "2026-11-26T05:00:00Z";

fn filled(runs: std::ops::Range<u64>) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
    runs.for_each(|number| store.put_run(&run(number, 2, 20)).unwrap());
    (folder, store)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn named(ids: &[String]) -> DeletionChoice {
    DeletionChoice { named: ids.iter().cloned().map(StoredId::Run).collect(), ..DeletionChoice::default() }
}

fn ids(store: &Store) -> Vec<String> {
    let mut ids: Vec<String> =
        store.runs(&RunFilter::default()).unwrap().into_iter().map(|run| run.id).collect();
    ids.sort();
    ids
}

#[test]
fn words_are_put_on_runs_found_and_taken_off() {
    let (_folder, store) = filled(0..3);
    let one = StoredId::Run(id(1));
    store.label(&one, &words(&["weekly", "prod"]), NOW).unwrap();
    store.label(&one, &words(&["weekly"]), LATER).unwrap();
    store.label(&StoredId::Run(id(2)), &words(&["weekly%"]), NOW).unwrap();
    assert_eq!(store.labels().unwrap().runs[&id(1)], ["prod", "weekly"]);

    let tagged = |tag: &str| {
        store.runs(&RunFilter { tag: Some(tag.to_owned()), ..RunFilter::default() }).unwrap().len()
    };
    assert_eq!([tagged("weekly"), tagged("prod"), tagged("week"), tagged("%")], [1, 1, 0, 0]);
    let found = |condition| store.search_runs(&[condition], None, 10).unwrap().total;
    assert_eq!(found(RunCondition::Holds(RunText::Tags, "week".to_owned())), 2);
    assert_eq!(found(RunCondition::Holds(RunText::Tags, "%".to_owned())), 1);
    assert_eq!(found(RunCondition::HoldsAnywhere("PROD".to_owned())), 1);

    assert_eq!(store.unlabel(&one, &words(&["weekly", "none"]), LATER).unwrap(), 1);
    assert_eq!(store.labels().unwrap().runs[&id(1)], ["prod"]);
    store.label(&one, &words(&["weekly"]), LATER).unwrap();
    assert_eq!(tagged("weekly"), 1, "a word that was taken off can be put on again");
}

#[test]
fn a_word_can_be_typed_in_a_search() {
    for word in ["weekly", "kernel:6.14", "ü", "x".repeat(64).as_str()] {
        check_word(word).unwrap();
    }
    for word in ["", "two words", "a\tb", "a\"b", "a\u{7}", "x".repeat(65).as_str()] {
        check_word(word).unwrap_err();
    }
}

#[test]
fn notes_marks_and_findings_are_kept_and_taken_back() {
    let (_folder, store) = filled(0..1);
    let about = StoredId::Run(id(0));
    let text = "<script>alert(1)</script> 'quoted' ümlaut";
    let number = store.write_note(&about, text, Some("ann"), NOW).unwrap();
    store.write_note(&about, "second", None, LATER).unwrap();
    let notes = store.notes(&about).unwrap();
    assert_eq!((notes[0].text.as_str(), notes[0].author.as_deref(), notes.len()), (text, Some("ann"), 2));
    assert!(!store.void_note(&StoredId::Run(id(1)), number, LATER).unwrap(), "of another run");
    assert!(store.void_note(&about, number, LATER).unwrap());
    assert!(!store.void_note(&about, number, LATER).unwrap());
    assert_eq!(store.notes_of_runs().unwrap()[&id(0)][0].text, "second");

    let mark = |target: Option<&str>, from_at: &str, until_at: Option<&str>| MarkText {
        from_at: from_at.to_owned(),
        until_at: until_at.map(str::to_owned),
        title: "kernel 6.14".to_owned(),
        target: target.map(str::to_owned),
        source: None,
    };
    let all = store.make_mark(&mark(None, NOW, None), NOW).unwrap();
    store.make_mark(&mark(Some("/dev/a"), "2026-11-01", Some("2026-11-02")), NOW).unwrap();
    store.make_mark(&mark(None, LATER, Some(NOW)), NOW).expect_err("it ends before it begins");
    let seen =
        |target| store.marks(target).unwrap().into_iter().map(|mark| mark.text.from_at).collect::<Vec<_>>();
    assert_eq!(seen(None), ["2026-11-01", NOW]);
    assert_eq!(seen(Some("/dev/b")), [NOW]);
    assert!(store.void_mark(all, LATER).unwrap() && !store.void_mark(all, LATER).unwrap());
    assert_eq!(seen(Some("/dev/b")).len(), 0);

    let key = FindingKey {
        target: "/dev/a".to_owned(),
        pattern: "4 KiB random read".to_owned(),
        jobs: 1,
        depth: 4,
        tool: "fathom".to_owned(),
        metric: "operations_per_s".to_owned(),
        at_run: id(0),
    };
    let finding = Finding {
        key,
        from_run: id(9),
        effect: 0.9,
        interval: [0.88, 0.92],
        p_value: 1e-6,
        method: "levels".to_owned(),
        text: "as planned".to_owned(),
        author: None,
        at: NOW.to_owned(),
    };
    store.acknowledge(&finding).unwrap();
    let second = Finding { text: "the cache is off".to_owned(), ..finding };
    store.acknowledge(&second).unwrap();
    assert_eq!(store.findings("/dev/a").unwrap(), [second]);
    assert_eq!(store.findings("/dev/b").unwrap(), []);
}

#[test]
fn a_workload_has_one_baseline() {
    let (_folder, store) = filled(0..4);
    let rows = store.runs(&RunFilter::default()).unwrap();
    let same = |one: usize, other: usize| {
        let key = |at: usize| (&rows[at].target, &rows[at].pattern, rows[at].jobs, rows[at].depth);
        key(one) == key(other)
    };
    let other = (1..rows.len()).find(|at| same(0, *at)).expect("two runs of one workload");
    store.set_baseline(&rows[0].id, NOW).unwrap();
    store.set_baseline(&rows[other].id, LATER).unwrap();
    let baselines = store.baselines().unwrap();
    assert_eq!((baselines.len(), &baselines[0].run), (1, &rows[other].id));
    assert_eq!(store.search_runs(&[RunCondition::Baseline], None, 10).unwrap().rows[0].id, rows[other].id);
    assert_eq!(store.set_baseline("none", NOW).unwrap_err().kind, StoreErrorKind::NotFound);
    assert!(store.void_baseline(&rows[other].id, LATER).unwrap());
    assert!(!store.void_baseline(&rows[other].id, LATER).unwrap());
    assert_eq!(store.baselines().unwrap(), []);
}

#[test]
fn what_is_deleted_is_gone_with_all_that_was_said_of_it_and_its_space() {
    let (_folder, store) = filled(0..40);
    let large = RunRecord { id: "gone-for-good".to_owned(), ..run(99, 400, 400) };
    store.put_run(&large).unwrap();
    let gone = StoredId::Run("gone-for-good".to_owned());
    store.label(&gone, &words(&["heavy"]), NOW).unwrap();
    store.write_note(&gone, "a secret of the house", None, NOW).unwrap();
    let deletion = store.deletion(&named(&["gone-for-good".to_owned()])).unwrap();
    assert_eq!((deletion.runs.len(), deletion.kept.len()), (1, 0));
    let deleted = store.delete(&deletion).unwrap();
    assert_eq!(deleted.runs, ["gone-for-good"]);
    assert!(
        deleted.space_kept.is_none() && deleted.bytes_now + 100_000 < deleted.bytes_before,
        "{deleted:?}"
    );
    assert_eq!(store.run("gone-for-good").unwrap_err().kind, StoreErrorKind::NotFound);
    assert_eq!((store.notes(&gone).unwrap(), store.labels().unwrap().runs.len()), (vec![], 0));
    let bytes = std::fs::read(store.path()).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds("a secret of the house") && !holds("gone-for-good"), "nothing of it is left in the file");
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 40);
    let rest = store.run(&id(7)).unwrap();
    assert_eq!(rest, run(7, 2, 20));
    store.put_run(&large).expect("an id that is free again");
}

#[test]
fn by_age_and_tag_a_baseline_stays_and_says_so() {
    let (_folder, store) = filled(0..6);
    for number in [1, 2, 3] {
        store.label(&StoredId::Run(id(number)), &words(&["old"]), NOW).unwrap();
    }
    store.set_baseline(&id(2), NOW).unwrap();
    let before = |time: String| DeletionChoice { before: Some(time), ..DeletionChoice::default() };
    let by_age = store.deletion(&before(time(4))).unwrap();
    let ids_of = |runs: &[fathom_store::RunRow]| runs.iter().map(|run| run.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids_of(&by_age.runs), [0, 1, 3].map(id));
    assert_eq!((&by_age.kept[0].id, by_age.kept.len()), (&id(2), 1));
    assert!(by_age.kept[0].reason.contains("baseline"), "{:?}", by_age.kept);
    let both = DeletionChoice { tag: Some("old".to_owned()), ..before(time(3)) };
    let both = store.deletion(&both).unwrap();
    assert_eq!(ids_of(&both.runs), [id(1)]);
    store.delete(&both).unwrap();
    assert_eq!(ids(&store).len(), 5);

    let by_name = store.deletion(&named(&[id(2)])).unwrap();
    store.delete(&by_name).unwrap();
    assert_eq!((ids(&store).len(), store.baselines().unwrap().len()), (4, 0));
}

fn with_campaign(store: &Store, id: &str, finished: bool) {
    let new = NewCampaign { id, key: id, target: "/dev/x", started_at: &time(1), plan_json: "{}" };
    let begun = store.begin_campaign(&new).unwrap();
    for (number, step) in [(101, "a"), (102, "b")] {
        let number = number + id.len() as u64 * 10;
        let record = step_run(number, id, step);
        store.put_run_for_step(&begun, step, &record, &time(2)).unwrap();
    }
    store.journal(&begun, "c", &StepState::Started, &time(3)).unwrap();
    if finished {
        store.finish_campaign(begun, &campaign(id, Some(&time(4)))).unwrap();
    }
}

#[test]
fn a_campaign_goes_with_its_runs_and_they_do_not_go_without_it() {
    let (_folder, store) = filled(0..2);
    with_campaign(&store, "c-1", true);
    with_campaign(&store, "c-22", false);
    let of = |campaign: &str| {
        let filter = RunFilter { campaign: Some(campaign.to_owned()), ..RunFilter::default() };
        store.runs(&filter).unwrap().into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    let point = of("c-1")[0].clone();
    let refused = store.deletion(&named(std::slice::from_ref(&point))).unwrap_err();
    assert_eq!(refused.kind, StoreErrorKind::Needed);
    assert!(refused.remedy.contains("fathom delete c-1"), "{refused}");

    store.set_baseline(&point, NOW).unwrap();
    let whole = |runs: &[String]| {
        let mut choice = named(runs);
        choice.named.push(StoredId::Campaign("c-1".to_owned()));
        choice
    };
    let refused = store.deletion(&whole(&[])).unwrap_err();
    assert!(refused.kind == StoreErrorKind::Needed && refused.remedy.contains(&point), "{refused}");
    let all = DeletionChoice { before: Some("2027".to_owned()), ..DeletionChoice::default() };
    let aged = store.deletion(&all).unwrap();
    assert_eq!((aged.runs.len(), aged.campaigns.len(), aged.kept.len()), (2, 0, 2), "{aged:?}");

    let both = store.deletion(&whole(std::slice::from_ref(&point))).unwrap();
    let deleted = store.delete(&both).unwrap();
    assert_eq!(deleted.runs.len(), 2);
    assert!(store.campaign("c-1").is_err() && of("c-1").is_empty());
    let left = store.campaigns().unwrap();
    assert_eq!((left.len(), left[0].state), (1, CampaignState::Unfinished));
}

#[test]
fn a_campaign_that_runs_now_is_not_deleted() {
    let (_folder, store) = filled(0..1);
    let new = NewCampaign { id: "c-1", key: "k", target: "x", started_at: &time(1), plan_json: "{}" };
    let held = store.begin_campaign(&new).unwrap();
    let choice =
        DeletionChoice { named: vec![StoredId::Campaign("c-1".to_owned())], ..DeletionChoice::default() };
    let other = Store::open(store.path()).unwrap();
    let deletion = other.deletion(&choice).unwrap();
    assert_eq!(other.delete(&deletion).unwrap_err().kind, StoreErrorKind::CampaignBusy);
    drop(held);
    other.delete(&deletion).unwrap();
    assert!(store.campaigns().unwrap().is_empty());
    store.begin_campaign(&new).expect("its id is free again");
}

#[test]
fn a_file_whose_runs_are_all_gone_can_be_imported_again() {
    let (_folder, store) = filled(0..1);
    let sha256 = "5".repeat(64);
    let import =
        ImportRow { sha256: sha256.clone(), file: "f.json".into(), importer: "fio-json".into(), at: time(0) };
    let runs: Vec<RunRecord> = (10..12)
        .map(|number| {
            let mut record = run(number, 1, 5);
            record.tool = Tool { name: "fio".to_owned(), version: "3.33".to_owned() };
            record.origin = Some(RecordOrigin { sha256: sha256.clone(), ..RecordOrigin::default() });
            record
        })
        .collect();
    store.put_import(&import, &runs).unwrap();
    store.delete(&store.deletion(&named(&[id(10)])).unwrap()).unwrap();
    assert_eq!(store.imports().unwrap().len(), 1);
    store.delete(&store.deletion(&named(&[id(11)])).unwrap()).unwrap();
    assert_eq!(store.imports().unwrap(), []);
    store.put_import(&import, &runs).unwrap();
}

/// Stores as the builds of their time wrote them.
#[test]
fn a_store_of_any_version_is_read_like_a_new_one_and_stays_as_it_is() {
    for version in 1..=3 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.sqlite");
        std::fs::copy(golden(&format!("store-{version}.sqlite")), &path).unwrap();
        let before = std::fs::read(&path).unwrap();
        // The same, brought up to date.
        let newer = folder.path().join("newer.sqlite");
        std::fs::copy(&path, &newer).unwrap();
        let newer = Store::open(&newer).unwrap();
        let expected = newer.runs(&RunFilter::default()).unwrap();
        assert!(expected.len() >= 3 && expected.iter().all(|row| row.has_io), "{expected:?}");

        let old = Store::open_read_only(&path).unwrap();
        assert_eq!(old.version().unwrap(), version);
        assert_eq!(old.runs(&RunFilter::default()).unwrap(), expected, "{version}");
        let page = old.search_runs(&[RunCondition::HoldsAnywhere("random".to_owned())], None, 3).unwrap();
        assert_eq!((page.total, &page.rows[..]), (expected.len() as u64, &expected[..3]), "{version}");
        for row in &expected {
            assert_eq!(old.run(&row.id).unwrap(), newer.run(&row.id).unwrap(), "{version}");
        }
        assert_eq!(old.resolve(&id(2)).unwrap(), StoredId::Run(id(2)));
        assert_eq!(old.imports().unwrap(), newer.imports().unwrap());
        assert_eq!(old.imports().unwrap().len(), usize::from(version >= 2));
        assert_eq!(old.campaigns().unwrap(), newer.campaigns().unwrap());
        assert_eq!((old.baselines().unwrap(), old.marks(None).unwrap()), (vec![], vec![]));
        assert_eq!((old.labels().unwrap().runs.len(), old.findings("x").unwrap().len()), (0, 0));
        assert_eq!(old.notes(&StoredId::Run(id(2))).unwrap(), []);
        let refused = old.label(&StoredId::Run(id(2)), &words(&["x"]), NOW).unwrap_err();
        assert_eq!(refused.kind, StoreErrorKind::Permission, "{refused}");
        drop(old);
        assert_eq!(std::fs::read(&path).unwrap(), before, "reading changed version {version}");

        newer.label(&StoredId::Run(id(2)), &words(&["kept"]), NOW).unwrap();
        let again = Store::open_read_only(newer.path()).unwrap();
        assert_eq!(again.labels().unwrap().runs[&id(2)], ["kept"]);
        assert_eq!(again.runs(&RunFilter::default()).unwrap(), expected, "{version}");
    }
}

#[test]
fn a_store_of_the_first_version_is_listed_without_being_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    std::fs::copy(golden("store-1.sqlite"), &path).unwrap();
    let expected = parse_run(&std::fs::read(golden("run-1.json")).unwrap()).unwrap();
    let old = Store::open_read_only(&path).unwrap();
    let page = old.search_runs(&[], None, 10).unwrap();
    assert_eq!((page.total, page.rows.len()), (3, 3));
    assert!(page.rows.iter().any(|row| row.id == expected.id && row.has_io && row.tool == "fathom"));
}

#[test]
fn nobody_changes_what_he_has_not_seen() {
    let (folder, store) = filled(0..2);
    let path = folder.path().join("runs.sqlite");
    let what = StoredId::Run(id(0));
    let seen = store.said_sequence().unwrap();
    let at = |sequence: i64| Store::open(&path).unwrap().only_at(sequence);
    at(seen).label(&what, &words(&["a"]), NOW).unwrap();
    let refused = at(seen).label(&what, &words(&["b"]), NOW).unwrap_err();
    assert!(refused.kind == StoreErrorKind::Stale && !refused.remedy.is_empty(), "{refused}");
    assert_eq!(store.labels().unwrap().runs[&id(0)], words(&["a"]));

    // Whatever is said or taken back makes it another one.
    let mut before = store.said_sequence().unwrap();
    let mark = MarkText {
        from_at: NOW.to_owned(),
        until_at: None,
        title: "t".to_owned(),
        target: None,
        source: None,
    };
    let changes: [&dyn Fn(&Store); 7] = [
        &|store| {
            let _ = store.unlabel(&what, &words(&["a"]), LATER).unwrap();
        },
        &|store| {
            let _ = store.write_note(&what, "n", None, NOW).unwrap();
        },
        &|store| {
            let _ = store.void_note(&what, 1, LATER).unwrap();
        },
        &|store| {
            let _ = store.make_mark(&mark, NOW).unwrap();
        },
        &|store| {
            let _ = store.void_mark(1, LATER).unwrap();
        },
        &|store| store.set_baseline(&id(1), NOW).unwrap(),
        &|store| {
            let _ = store.void_baseline(&id(1), LATER).unwrap();
        },
    ];
    for change in changes {
        change(&at(before));
        let now = store.said_sequence().unwrap();
        assert!(now > before, "{now} after {before}");
        before = now;
    }
}
