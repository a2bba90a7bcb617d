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

    let odd = typist.run(&["trend", "sim:nvme", "--pattern", "randred-4k"]);
    assert!(odd.status == 2 && odd.stderr.contains("randread"), "{odd:?}");
    assert!(
        typist.run(&["trend", "sim:nvme", "--depth", "99"]).stderr.contains("no valid run of sim:nvme fits")
    );
}
