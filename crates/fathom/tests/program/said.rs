//! What people say of runs and of times, and what they delete.

use serde_json::{Value, json};

use crate::typed::{Answer, Typist};

/// Runs of one simulated device, each of a seed of its own; their ids, oldest first.
fn measure(typist: &Typist, runs: u32) -> Vec<String> {
    let measured = (0..runs).map(|seed| {
        let seed = seed.to_string();
        let run = [
            "run", "--target", "sim:nvme", "--depth", "4", "--time", "1s", "--quiet", "--json", "--seed",
            &seed,
        ];
        typist.json(&run)["id"].as_str().unwrap().to_owned()
    });
    measured.collect()
}

fn done(answer: Answer) -> String {
    assert_eq!(answer.status, 0, "{answer:?}");
    answer.stdout
}

fn count(typist: &Typist, more: &[&str]) -> usize {
    let listed = typist.json(&[&["runs", "--json"], more].concat());
    listed["runs"].as_array().unwrap().len()
}

#[test]
fn tags_notes_and_baselines_are_listed_with_their_runs() {
    let typist = Typist::new();
    let ids = measure(&typist, 2);
    let nothing = typist.run(&["runs"]);
    assert!(!nothing.stdout.contains("tags"), "{nothing:?}");
    done(typist.run(&["tag", &ids[0], "weekly", "prod"]));
    assert!(done(typist.run(&["note", &ids[0], "cache <off>"])).contains("cache <off>"));
    done(typist.run(&["baseline", &ids[0]]));

    let text = typist.run(&["runs"]);
    text.assert_fits();
    assert!(text.stdout.contains("baseline, prod,"), "{text:?}");
    let listed = typist.json(&["runs", "--tag", "weekly", "--json"]);
    let run = &listed["runs"][0];
    assert_eq!((count(&typist, &["--tag", "weekly"]), run["id"].as_str().unwrap()), (1, ids[0].as_str()));
    assert_eq!((&run["tags"], &run["baseline"]), (&json!(["prod", "weekly"]), &Value::Bool(true)));
    assert_eq!(run["notes"][0]["text"], "cache <off>");
    assert_eq!(count(&typist, &["--tag", "week"]), 0);
    let shown = done(typist.run(&["show", &ids[0]]));
    assert!(shown.contains("baseline of its workload") && shown.contains("prod weekly"), "{shown}");

    done(typist.run(&["tag", &ids[0], "weekly", "--remove"]));
    assert_eq!(typist.json(&["tag", &ids[0], "--json"])["tags"], json!(["prod"]));
    let number = typist.json(&["note", &ids[0], "--json"])["notes"][0]["number"].to_string();
    assert!(done(typist.run(&["note", &ids[0], "--remove", &number])).contains("no notes"));
    done(typist.run(&["baseline", &ids[1]]));
    let baselines = typist.json(&["baseline", "--json"]);
    assert_eq!(baselines["baselines"].as_array().unwrap().len(), 1, "{baselines}");
    assert_eq!(baselines["baselines"][0]["run"].as_str().unwrap(), ids[1]);

    for (odd, words) in [
        (&["tag", "last", "two words"][..], "one word"),
        (&["note", "last", " "], "1 to 4096 bytes"),
        (&["note", "last", "--remove", "77"], "no note 77"),
        (&["baseline", &ids[0], "--remove"], "is not a baseline"),
        (&["tag", "none", "x"], "no run"),
    ] {
        let answer = typist.run(odd);
        assert!(answer.status == 2 && answer.stderr.contains(words), "{odd:?}: {answer:?}");
    }
}

#[test]
fn nothing_is_deleted_without_being_confirmed_and_a_baseline_only_by_name() {
    let typist = Typist::new();
    let ids = measure(&typist, 4);
    done(typist.run(&["tag", &ids[1], "scratch"]));
    done(typist.run(&["tag", &ids[2], "scratch"]));
    done(typist.run(&["baseline", &ids[2]]));
    let asked = typist.run(&["delete", "--tag", "scratch"]);
    assert_eq!(asked.status, 2, "{asked:?}");
    assert!(asked.stdout.contains("would be deleted") && asked.stdout.contains(&ids[1]), "{asked:?}");
    assert!(asked.stderr.contains("nothing was deleted") && asked.stderr.contains("--yes"), "{asked:?}");
    assert_eq!(count(&typist, &[]), 4);
    let document: Value = typist.run(&["delete", &ids[0], "--json"]).json();
    assert_eq!((&document["format"], &document["kind"]), (&"fathom.error".into(), &"unconfirmed".into()));

    let deleted = done(typist.run(&["delete", "--tag", "scratch", "--yes"]));
    assert!(deleted.contains(&format!("kept: {}, it is the baseline", ids[2])), "{deleted}");
    assert!(deleted.contains("1 run deleted; the store went from"), "{deleted}");
    assert_eq!(count(&typist, &[]), 3);
    let none = typist.run(&["delete", "--older", "90d", "--yes"]);
    assert!(none.status == 2 && none.stderr.contains("nothing to delete fits"), "{none:?}");
    let by_age = typist.json(&["delete", "--older", "2099-01-01", "--yes", "--json"]);
    assert_eq!(by_age["runs"], json!([ids[0], ids[3]]), "{by_age}");
    assert_eq!(by_age["kept"][0]["id"].as_str().unwrap(), ids[2]);
    done(typist.run(&["delete", &ids[2], "--yes"]));
    assert_eq!(count(&typist, &[]), 0);
    assert_eq!(typist.json(&["baseline", "--json"])["baselines"], json!([]));
    assert_eq!(typist.run(&["delete", "--yes"]).status, 2);
    assert_eq!(typist.run(&["delete", "last", "--older", "1d", "--yes"]).status, 2);
}

#[test]
fn a_campaign_is_deleted_as_a_whole() {
    let typist = Typist::new();
    let assess = ["assess", "sim:nvme", "--patterns", "randread-4k", "--budget", "20s", "--quiet", "--json"];
    let campaign = typist.json(&assess)["id"].as_str().unwrap().to_owned();
    let runs = typist.json(&["runs", "--campaign", &campaign, "--json"]);
    let point = runs["runs"][0]["id"].as_str().unwrap().to_owned();
    let refused = typist.run(&["delete", &point, "--yes"]);
    assert!(
        refused.status == 2 && refused.stderr.contains(&format!("fathom delete {campaign}")),
        "{refused:?}"
    );
    let deleted = typist.json(&["delete", &campaign, "--yes", "--json"]);
    assert_eq!(deleted["runs"].as_array().unwrap().len(), runs["runs"].as_array().unwrap().len());
    let left = typist.json(&["runs", "--all", "--json"]);
    assert_eq!((&left["runs"], &left["campaigns"]), (&json!([]), &json!([])));
}

#[test]
fn marks_are_made_listed_and_taken_back() {
    let typist = Typist::new();
    assert!(done(typist.run(&["mark"])).contains("No marks yet"));
    let time = ["--from", "2026-11-20T08:00:00Z", "--until", "2026-11-20T14:30:00Z"];
    done(typist.run(&[&["mark", "--title", "RAID rebuild", "--target", "/dev/md0"], &time[..]].concat()));
    let both = done(typist.run(&["mark", "--title", "kernel 6.14"]));
    assert!(both.contains("RAID rebuild") && both.contains("kernel 6.14") && both.contains("all"), "{both}");
    let marks = typist.json(&["mark", "--json"]);
    assert_eq!(marks["marks"][0]["until_at"], "2026-11-20T14:30:00Z", "{marks}");
    let of_other = typist.json(&["mark", "--target", "/dev/sda", "--json"]);
    assert_eq!(of_other["marks"].as_array().unwrap().len(), 1);
    let number = marks["marks"][0]["number"].to_string();
    assert!(!done(typist.run(&["mark", "--remove", &number])).contains("RAID"));
    for odd in [
        &["mark", "--remove", "99"][..],
        &["mark", "--title", " "],
        &["mark", "--title", "x", "--from", "soon"],
        &["mark", "--title", "x", "--from", "2026-11-20", "--until", "2026-11-19"],
        &["mark", "--from", "2026-11-20"],
    ] {
        assert_eq!(typist.run(odd).status, 2, "{odd:?}");
    }
}
