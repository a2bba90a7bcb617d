//! Results over many runs.

use crate::typed::Typist;

/// Runs of one simulated device, each of a seed of its own, with these further words.
fn measure(typist: &Typist, runs: std::ops::Range<u32>, more: &[&str]) {
    for seed in runs {
        let seed = seed.to_string();
        let run = ["run", "--target", "sim:nvme", "--depth", "4", "--time", "1s", "--quiet", "--seed", &seed];
        let ran = typist.run(&[&run[..], more].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
    }
}

#[test]
fn a_change_of_level_is_told_and_can_fail() {
    let typist = Typist::new();
    let ask = ["trend", "sim:nvme", "--pattern", "randread-4k", "--depth", "4"];
    let fails = [&ask[..], &["--fail-if", "slower"]].concat();
    let none = typist.run(&ask);
    assert_eq!(none.status, 2);
    assert!(none.stderr.contains("no run of a target named sim:nvme"), "{none:?}");

    measure(&typist, 0..5, &[]);
    let few = typist.run(&fails);
    assert_eq!(few.status, 4, "{few:?}");
    assert!(few.stdout.contains("8 are needed"), "{few:?}");

    measure(&typist, 5..9, &[]);
    let steady = typist.run(&fails);
    assert_eq!(steady.status, 0, "{steady:?}");
    assert!(steady.stdout.contains("no change of level"), "{steady:?}");

    measure(&typist, 9..14, &["--delay", "constant:50us"]);
    let slower = typist.run(&fails);
    slower.assert_fits();
    assert_eq!(slower.status, 4, "{slower:?}");
    assert!(
        slower.stdout.contains("UTC: slower") && slower.stdout.contains("fathom compare r-"),
        "{slower:?}"
    );
    let json = typist.json(&[&ask[..], &["--metric", "p50", "--json"]].concat());
    let levels = json["workloads"][0]["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 2, "{json}");
    assert_eq!(levels[1]["values"], 5);
    assert_eq!(levels[1]["change"]["slower"], true);
    assert!(levels[1]["change"]["ratio"].as_f64().unwrap() > 1.02, "{json}");

    // A mark between the runs stands beside the change, and who looked at it is asked no more.
    let first = levels[1]["from_run"].as_str().unwrap();
    let at = levels[1]["from_at"].as_str().unwrap();
    assert_eq!(typist.run(&["mark", "--title", "delay put in", "--from", at]).status, 0);
    let wrong = ["--acknowledge", "last", "--because", "as planned"];
    let wrong = typist.run(&[&ask[..], &wrong[..]].concat());
    assert!(wrong.status == 2 && wrong.stderr.contains("no change of level begins with"), "{wrong:?}");
    let seen = typist.run(&[&fails[..], &["--acknowledge", first, "--because", "as planned"]].concat());
    assert_eq!(seen.status, 0, "{seen:?}");
    assert!(seen.stdout.contains("between them: delay put in"), "{seen:?}");
    assert!(seen.stdout.contains("acknowledged: as planned"), "{seen:?}");
    assert_eq!(typist.run(&fails).status, 0);
    let json = typist.json(&[&ask[..], &["--json"]].concat());
    let change = &json["workloads"][0]["levels"][1]["change"];
    assert_eq!(change["marks"][0], "delay put in", "{change}");
    assert_eq!(change["acknowledged"]["text"], "as planned", "{change}");
    assert_eq!(json["marks"][0]["automatic"], false, "{json}");

    let odd = typist.run(&["trend", "sim:nvme", "--pattern", "randred-4k"]);
    assert!(odd.status == 2 && odd.stderr.contains("randread"), "{odd:?}");
    assert!(
        typist.run(&["trend", "sim:nvme", "--depth", "99"]).stderr.contains("no valid run of sim:nvme fits")
    );
}
