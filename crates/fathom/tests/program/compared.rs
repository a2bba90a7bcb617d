//! `fathom compare`, as it is typed.

use crate::typed::Typist;

const SHORT: [&str; 8] = ["--patterns", "randread-4k", "--depth", "32", "--time", "1s", "--pairs", "5"];

fn compare(sides: &[&str], more: &[&str]) -> Vec<String> {
    ["compare"].iter().chain(sides).chain(&SHORT).chain(more).map(|word| (*word).to_owned()).collect()
}

fn run(typist: &Typist, words: &[String]) -> crate::typed::Answer {
    typist.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_known_difference_is_told_on_the_terminal_in_json_and_on_a_page() {
    let typist = Typist::new();
    let sides = ["sim:gp3", "sim:gp3,iops=3090"];
    let answer = run(&typist, &compare(&sides, &["--report", "page.html"]));
    assert_eq!(answer.status, 0, "{answer:?}");
    // 3 %, give or take the noise of a new seed.
    let told = |figure: &str| answer.stdout.contains(&format!("random read, depth 32: faster, +{figure}"));
    assert!(["2.9", "3.0"].into_iter().any(told), "{answer:?}");
    let page = std::fs::read_to_string(typist.path("page.html")).unwrap();
    assert!(page.contains("Decisions") && page.contains("Difference at each percentile"));
    let record = typist.json(&["show", "last", "--json"]);
    assert_eq!(record["kind"], "compare");
    assert_eq!(record["workloads"][0]["metrics"][0]["decision"], "faster");
    let answer = typist.run(&["report", "last", "--md", "text.md"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(std::fs::read_to_string(typist.path("text.md")).unwrap().contains("text-1-pairs.svg"));
    let swapped = run(&typist, &compare(&[sides[1], sides[0]], &["--json"]));
    assert_eq!(swapped.json()["workloads"][0]["metrics"][0]["decision"], "slower");
}

#[test]
fn the_runs_of_a_comparison_are_analysed_again() {
    let typist = Typist::new();
    let answer = run(&typist, &compare(&["sim:gp3", "sim:gp3,iops=3090"], &["--quiet"]));
    assert_eq!(answer.status, 0, "{answer:?}");
    let analysis = typist.json(&["analyse", "last", "--json"]);
    assert_eq!(
        (analysis["format"].as_str(), analysis["version"].as_u64()),
        (Some("fathom.analysis"), Some(1))
    );
    assert_eq!(analysis["runs"].as_array().unwrap().len(), 10);
    assert_eq!(analysis["workloads"].as_array().unwrap().len(), 2);
    let answer = typist.run(&["analyze", "last", "--html", "a.html", "--md", "a.md"]);
    assert_eq!((answer.status, answer.stdout.as_str()), (0, ""), "{answer:?}");
    let page = std::fs::read_to_string(typist.path("a.html")).unwrap();
    assert!(page.contains("not enough data") && page.contains("iops=3090"), "{page}");
    assert!(std::fs::read_to_string(typist.path("a.md")).unwrap().contains("## Runs"));
    let answer = typist.run(&["analyse", "last"]);
    assert!(answer.stdout.contains("10 runs, 10 s of series"), "{answer:?}");
    let answer = typist.run(&["analyse", "r-1999"]);
    assert!(answer.status != 0 && answer.stderr.contains("r-1999"), "{answer:?}");
}

#[test]
fn finished_runs_are_found_by_their_names_and_never_make_a_number_of_one_run() {
    let typist = Typist::new();
    let measure = |target: &str| {
        let record = typist.json(&["run", "--target", target, "--time", "1s", "--json"]);
        record["id"].as_str().unwrap().to_owned()
    };
    let (a, b) = (measure("sim:gp3"), measure("sim:gp3,iops=6000"));
    let record = typist.json(&["compare", &a, &b, "--json"]);
    let primary = &record["workloads"][0]["metrics"][0];
    assert_eq!(primary["decision"], "inconclusive");
    assert_eq!(primary["reason"]["kind"], "too_few_runs");
    assert!(primary["ratio"].is_null());
    for (words, told) in [
        (vec!["compare", &a, &a], "both sides are run"),
        (vec!["compare", &a, &b, "--pairs", "9"], "nothing is measured"),
        (vec!["compare", &a, "sim:gp3"], "finished measurement and sim:gp3 is not"),
        (vec!["compare", "sim:gp3"], "name a second"),
        (vec!["compare", "sim:gp3", "sim:io2", "--b", "engin=aio"], "did you mean `engine`"),
    ] {
        let answer = typist.run(&words);
        assert_eq!(answer.status, 2, "{words:?}: {answer:?}");
        let said = answer.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(told), "{words:?}: {answer:?}");
    }
}

#[test]
fn a_refused_side_and_a_failing_command_leave_nothing_behind() {
    let typist = Typist::new();
    let answer = run(&typist, &compare(&["sim:gp3", "/nowhere/at/all"], &[]));
    assert_eq!(answer.status, 3, "{answer:?}");
    let commands = ["--before-a", "echo no driver; exit 7", "--before-b", "echo no driver; exit 7"];
    let answer = run(&typist, &compare(&["sim:gp3", "sim:gp3"], &commands));
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(
        answer.stderr.contains("Before each turn of side") && answer.stderr.contains("no driver"),
        "{answer:?}"
    );
    let lists = typist.json(&["runs", "--all", "--json"]);
    assert!(lists["runs"].as_array().unwrap().is_empty(), "{lists}");
}
