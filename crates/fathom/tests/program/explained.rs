//! `fathom explain`, as it is typed.

use crate::typed::Typist;

/// The claims of a verdict: cause and probability, most probable first.
fn claims(verdict: &serde_json::Value) -> Vec<(String, f64)> {
    let claim = |claim: &serde_json::Value| {
        (claim["limit"].as_str().unwrap().to_owned(), claim["probability"].as_f64().unwrap())
    };
    verdict["claims"].as_array().unwrap().iter().map(claim).collect()
}

#[test]
fn a_cap_that_was_given_is_named_with_its_probability_and_the_experiments_that_showed_it() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:gp3", "--ceiling", "iops=3000", "--time", "5s", "--seed", "3"];
    let record = typist.json(&[asked.as_slice(), &["--quiet", "--json"]].concat());
    let pattern = &record["patterns"][0];
    let found = claims(&pattern["verdict"]);
    assert_eq!(found[0].0, "volume_iops", "{found:?}");
    assert!(found[0].1 >= 0.8, "{found:?}");
    // What experiments add is never less than what was known before them.
    let before = claims(&pattern["passive"]);
    let of = |claims: &[(String, f64)]| claims.iter().find(|c| c.0 == "volume_iops").map_or(0.0, |c| c.1);
    assert!(of(&found) >= of(&before), "{before:?} {found:?}");
    for experiment in pattern["experiments"].as_array().unwrap() {
        assert!(experiment["run"].is_string() && experiment["after"][0]["probability"].is_number());
    }
    assert!(record["busy_seconds"].as_f64().unwrap() <= 300.0);
    // It is in the store, and explaining it again gives the same.
    let again = typist.json(&["explain", "last", "--json"]);
    assert_eq!(again["patterns"][0]["verdict"], pattern["verdict"]);
}

#[test]
fn too_few_in_flight_and_a_rate_that_was_asked_for_are_told_from_limits() {
    let typist = Typist::new();
    let first = |more: &[&str]| {
        let asked =
            ["explain", "--experiments", "sim:ideal", "--time", "5s", "--seed", "3", "--quiet", "--json"];
        let record = typist.json(&[asked.as_slice(), more].concat());
        claims(&record["patterns"][0]["verdict"])[0].clone()
    };
    let (cause, probability) = first(&["--depth", "2"]);
    assert!(cause == "concurrency" && probability >= 0.9, "{cause} {probability}");
    let (cause, probability) = first(&["--rate", "2k"]);
    assert!(cause == "demand" && probability >= 0.5, "{cause} {probability}");
}

#[test]
fn what_is_as_flat_as_a_limit_is_told_by_more_jobs_far_blocks_and_a_rest() {
    let typist = Typist::new();
    let first = |target: &str, more: &[&str]| {
        let asked = ["explain", "--experiments", target, "--max-experiments", "5", "--quiet", "--json"];
        let record = typist.json(&[asked.as_slice(), more].concat());
        let made = record["patterns"][0]["experiments"].as_array().unwrap().clone();
        let made: Vec<String> = made.iter().map(|e| e["name"].as_str().unwrap().to_owned()).collect();
        (claims(&record["patterns"][0]["verdict"])[0].0.clone(), made)
    };
    // Handed over in 6 us of the 310 us that it is held: twice the jobs are 2 % slower.
    let lock = "sim:ideal,servers=6,base=950us,write=63us,write-stream=86000000B/s,lock=310us,lock-handover=6us,seed=8";
    let (cause, made) = first(lock, &["--rw", "write", "--bs", "16k", "--depth", "68"]);
    assert!(cause == "software" && made.iter().any(|name| name == "many_jobs"), "{cause} {made:?}");
    // Two servers that take 870 us for each I/O and 16 us for its bytes.
    let servers =
        "sim:ideal,servers=2,base=1000us,read=870us,read-shape=constant,read-stream=1000000000B/s,seed=8";
    let (cause, made) = first(servers, &["--rw", "randread", "--bs", "16k", "--jobs", "4", "--depth", "10"]);
    assert!(cause == "device_parallelism" && made.iter().any(|name| name == "far_block"), "{cause} {made:?}");
    // Credits beside a limit that was told wrongly: a lone I/O earns what the next runs spend.
    let credits = "sim:ideal,servers=58,base=2us,write=460us,write-stream=1200000000B/s,iops=230,iops-peak=460,iops-bucket=276000,iops-balance=0,seed=8";
    let load = ["--rw", "randwrite", "--bs", "128k", "--jobs", "2", "--depth", "2", "--ceiling", "iops=920"];
    let (cause, made) = first(credits, &load);
    assert!(cause == "burst_credits" && made.iter().any(|name| name == "idle"), "{cause} {made:?}");
}

#[test]
fn a_finished_run_is_explained_without_measuring_and_says_what_is_missing() {
    let typist = Typist::new();
    assert_eq!(typist.run(&["run", "--target", "sim:gp3", "--time", "5s", "--quiet"]).status, 0);
    let answer = typist.run(&["explain", "last"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    for text in ["is not decided", "what would decide more", "fathom run --target sim:gp3"] {
        assert!(answer.stdout.contains(text), "{text}: {answer:?}");
    }
    assert_eq!(typist.run(&["explain", "last", "--ceiling", "iops=3000"]).status, 0);
}

#[test]
fn what_cannot_be_explained_is_refused_with_what_to_type() {
    let typist = Typist::new();
    let refused = |asked: &[&str], told: &str| {
        let answer = typist.run(asked);
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{told}: {answer:?}");
    };
    refused(&["explain"], "fathom explain last");
    refused(&["explain", "--experiments", "sim:gp3", "--count", "100"], "--time");
    refused(&["explain", "--experiments", "sim:gp3", "--ceiling", "iosp=3"], "--ceiling");
    refused(&["explain", "--experiments", "sim:gp3", "--purge"], "--rw randwrite");
    refused(&["explain", "--experiments", "sim:gp3", "--second", "sim:gp9"], "--second");
    refused(&["explain", "--experiments", "sim:gp3", "--budget", "20s"], "the 3 runs");
    refused(&["explain", "--experiments", "sim:gp3", "--second", "b.bin"], "of the kind");
    std::fs::write(typist.path("a.bin"), vec![7; 1 << 20]).unwrap();
    refused(&["explain", "--experiments", "a.bin", "--second", "./a.bin"], "itself");
    std::fs::write(typist.path("notes.txt"), "nothing that a tool writes\n").unwrap();
    refused(&["explain", "notes.txt"], "fathom import --help");
    refused(&["explain", "sim:gp3"], "fathom explain --experiments sim:gp3");
    refused(&["explain", "."], "fathom explain --experiments .");
}

#[test]
fn the_page_shows_the_roof_the_causes_and_both_sides_of_each_claim() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:gp3,iops=3000", "--bs", "4k", "--depth", "32", "--time", "5s"];
    let more = ["--ceiling", "instance:iops=9000", "--seed", "3", "--quiet", "--report", "page.html"];
    let answer = typist.run(&[asked.as_slice(), more.as_slice()].concat());
    assert_eq!(answer.status, 0, "{answer:?}");
    let page = std::fs::read_to_string(typist.path("page.html")).unwrap();
    for text in [
        "Roofline: rate over concurrency",
        "no I/O waits",
        "9000 IOPS, 33 % reached",
        "How probable each cause is",
        "Speaks for it",
        "Speaks against it",
        "double block:",
        "declared by the user",
    ] {
        assert!(page.contains(text), "{text} is not on the page");
    }
}

#[test]
fn what_an_experiment_ran_is_what_its_command_says() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:slc", "--rw", "randwrite", "--second", "sim:slc", "--purge"];
    let more =
        ["--size", "4GiB", "--time", "2s", "--warmup", "0s", "--max-experiments", "11", "--quiet", "--json"];
    let record = typist.json(&[asked.as_slice(), more.as_slice()].concat());
    let experiments = record["patterns"][0]["experiments"].as_array().unwrap();
    assert!(!experiments.is_empty());
    for experiment in experiments {
        let command = experiment["command"].as_str().unwrap();
        assert!(!command.contains("blkdiscard"), "a trim reaches no further than the span: {command}");
        let Some(id) = experiment["run"].as_str() else { continue };
        let run = typist.json(&["show", id, "--json"]);
        let last = command.rsplit("&& ").next().unwrap();
        for (flag, value) in [("--jobs", &run["workload"]["jobs"]), ("--depth", &run["workload"]["depth"])] {
            assert!(last.contains(&format!("{flag} {value} ")), "{flag} {value}: {command}");
        }
    }
}

#[test]
fn experiments_that_do_not_fit_the_budget_are_not_made() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:slc", "--rw", "randwrite", "--time", "5s", "--warmup", "0s"];
    let more = ["--budget", "20s", "--rest", "15m", "--quiet", "--json"];
    let record = typist.json(&[asked.as_slice(), more.as_slice()].concat());
    let made = record["patterns"][0]["experiments"].as_array().map_or(0, Vec::len);
    assert!(
        made <= 1 && record["busy_seconds"].as_f64().unwrap() <= 20.5,
        "{made} {}",
        record["busy_seconds"]
    );
}

/// What fio prints without histograms: means and percentiles alone.
const BY_FIO: &str = r#"{"fio version": "fio-3.28", "timestamp": 1650000000, "jobs": [{"jobname": "a", "groupid": 0,
  "error": 0, "elapsed": 61, "job options": {"filename": "/dev/x", "rw": "randread", "bs": "4k", "iodepth": "32",
  "ioengine": "libaio", "direct": "1", "runtime": "60", "time_based": ""}, "read": {"io_bytes": 737280000,
  "total_ios": 180000, "runtime": 60000, "iops": 3000.0, "bw_bytes": 12288000, "bw": 12000, "clat_ns": {"min": 900000,
  "max": 20000000, "mean": 10666666.0, "stddev": 100000.0, "N": 180000}, "lat_ns": {"min": 900000, "max": 20000000,
  "mean": 10666666.0, "stddev": 100000.0, "N": 180000}}}]}"#;

#[test]
fn another_tool_s_means_are_explained_and_figures_that_contradict_take_confidence_away() {
    let typist = Typist::new();
    let first = |text: &str| {
        std::fs::write(typist.path("fio.json"), text).unwrap();
        let record = typist.json(&["explain", "fio.json", "--ceiling", "iops=3000", "--json"]);
        let verdict = &record["patterns"][0]["verdict"];
        (claims(verdict)[0].clone(), verdict.to_string())
    };
    let ((cause, probability), _) = first(BY_FIO);
    assert!(cause == "volume_iops" && probability >= 0.5, "{cause} {probability}");
    // 3000 a second of 40 ms each are 120 in flight, and 32 could be.
    let ((_, less), said) = first(&BY_FIO.replace("10666666.0", "19666666.0"));
    assert!(less <= 0.5 && said.contains("contradicts itself"), "{less} {said}");
}

#[test]
fn an_explanation_is_read_from_its_own_json_and_takes_no_other_limits() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:gp3", "--time", "5s", "--seed", "3", "--quiet", "--json=x.json"];
    // Twice: what it wrote itself, it may replace.
    assert_eq!(typist.run(&asked).status, 0);
    assert_eq!(typist.run(&asked).status, 0);
    let record = typist.json(&["explain", "last", "--json"]);
    let again = typist.json(&["explain", "x.json", "--json"]);
    assert_eq!(again["patterns"][0]["verdict"], record["patterns"][0]["verdict"]);
    let answer = typist.run(&["explain", "last", "--ceiling", "iops=100"]);
    assert!(answer.status == 2 && answer.stderr.contains("fathom runs --campaign"), "{answer:?}");
}

#[test]
fn a_table_takes_limits_that_are_given_beside_it_and_refuses_what_no_run_gives() {
    let typist = Typist::new();
    let table = |more: &str| {
        let row = "[[row]]\npattern = \"a\"\nblock_bytes = 4096\nread_percent = 100\norder = \"random\"\ndepth = 32\n";
        std::fs::write(typist.path("table.toml"), format!("title = \"t\"\n{row}{more}")).unwrap();
    };
    let refused = |asked: &[&str], told: &str| {
        let answer = typist.run(&[&["explain", "table.toml"], asked].concat());
        assert_eq!(answer.status, 2, "{answer:?}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&answer.stderr).contains(told), "{told}: {answer:?}");
    };
    table("iops = 3000\n");
    refused(&["--ceiling", "iops=banana"], "banana");
    refused(&["--instance", "r6id.4xlrge"], "r6id.4xlarge");
    let record = typist.json(&["explain", "table.toml", "--ceiling", "iops=3000", "--json"]);
    assert_eq!(claims(&record["patterns"][0]["verdict"])[0].0, "volume_iops", "{record}");
    assert_eq!(record["plan"]["ceilings"][0]["operations_per_s"], 3000.0, "{record}");
    assert!(record["notes"].to_string().contains("applied to every row"), "{record}");
    let told = typist.run(&["explain", "table.toml", "--volume", "gp3:iops=3000,throughput=125MiB/s"]);
    assert!(told.status == 0 && told.stdout.contains("volume's IOPS limit"), "{told:?}");
    table("iops = -3000\n");
    refused(&[], "Row 1 of the table, \"a\", states no usable rate, iops = -3000");
    table("ipos = 3000\n");
    refused(&[], "did you mean \"iops\"?");
}

#[test]
fn a_question_without_a_command_leaves_no_gap_for_it() {
    let typist = Typist::new();
    let table = "title = \"t\"\n[[row]]\npattern = \"a\"\niops = 16000\nread_percent = 100\n";
    std::fs::write(typist.path("table.toml"), table).unwrap();
    let told = typist.run(&["explain", "table.toml", "--report", "page.html"]);
    assert_eq!(told.status, 0, "{told:?}");
    let (_, after) = told.stdout.split_once("what would decide more").unwrap();
    let (question, _) = after.split_once("times the rate").unwrap();
    assert!(!question.contains("fathom run"), "{question}");
    assert!(question.lines().all(|line| !line.trim().is_empty()), "{question:?}");
    let page = std::fs::read_to_string(typist.path("page.html")).unwrap();
    assert!(page.contains("What would decide more") && !page.contains("<pre></pre>"));
}
