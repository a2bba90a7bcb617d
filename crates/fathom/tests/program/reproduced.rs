//! The command that made a page, a text or a record, as it is printed in it.

use serde_json::Value;

use crate::accounts::ask;
use crate::amazon::{Account, Amazon};
use crate::cloudwatch::serve;
use crate::secured::counters;
use crate::typed::{Answer, Typist};

const SECRET: &str = "hunter2";

fn read(typist: &Typist, name: &str) -> String {
    std::fs::read_to_string(typist.path(name)).unwrap()
}

/// Twenty minutes of a volume, as one table and as a fleet's.
fn write_tables(typist: &Typist) {
    const HEADER: &str = "time,reads,writes,read_bytes,write_bytes";
    let rows = |volume: &str| -> String {
        (0..20)
            .map(|tick| format!("{volume}{},6000,3000,24576000,12288000\n", 1_700_000_040 + tick * 60))
            .collect()
    };
    std::fs::write(typist.path("demand.csv"), format!("{HEADER}\n{}", rows(""))).unwrap();
    std::fs::write(typist.path("fleet.csv"), format!("volume,{HEADER}\n{}", rows("vol-a,"))).unwrap();
}

/// That a page has the section once, with a line that ends in these words.
fn assert_page_has(page: &str, words: &str) {
    assert_eq!(page.matches("How to reproduce</h2>").count(), 1, "{words}");
    let line = page.lines().find(|line| line.starts_with("<pre>fathom --store ")).unwrap();
    assert!(line.ends_with(&format!(" {words}</pre>")), "{line}");
}

#[test]
fn pages_texts_and_records_have_the_command_that_made_them() {
    let typist = Typist::new();
    write_tables(&typist);
    let ran = typist.run(&["run", "--target", "sim:gp3", "--time", "2s", "--quiet"]);
    assert!(ran.status <= 1, "{ran:?}");
    for (name, line) in [
        ("p", "profile demand.csv --values per-row --json=p.json --report p.html"),
        (
            "s",
            "size demand.csv --values per-row --size 100GiB --region us-east-1 --json s.json --report s.html",
        ),
        (
            "f",
            "size --fleet fleet.csv --values per-row --size 100GiB --region us-east-1 --json=f.json --report f.html",
        ),
    ] {
        let answer = typist.run(&line.split(' ').collect::<Vec<_>>());
        // 1 is an answer too: so short a demand carries no recommendation.
        assert!(answer.status <= 1, "{line}: {answer:?}");
        assert_page_has(&read(&typist, &format!("{name}.html")), line);
        let record: Value = serde_json::from_str(&read(&typist, &format!("{name}.json"))).unwrap();
        assert!(record["command"].as_str().unwrap().ends_with(line), "{record}");
    }
    let answer = typist.run(&["analyse", "last", "--md", "a.md", "--html", "a.html"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    // Another run is the last one later.
    let analysis = typist.json(&["analyse", "last", "--json"]);
    let id = analysis["of"].as_str().unwrap();
    assert!(analysis["command"].as_str().unwrap().ends_with(&format!(" analyse {id} --json")), "{analysis}");
    let typed = format!("analyse {id} --md a.md --html a.html");
    assert_page_has(&read(&typist, "a.html"), &typed);
    let text = read(&typist, "a.md");
    let section = text.split("\n## How to reproduce\n\n```\nfathom --store ").nth(1).unwrap();
    assert!(section.contains(&format!(" {typed}\n```\n")), "{section}");
}

#[test]
fn an_account_s_page_has_its_command_and_its_fleets_have_none() {
    let typist = Typist::new();
    let amazon = Amazon::serve(Account::of(6));
    let more = ["--from", "7d", "--metric-period", "1h", "--json=account.json", "--report", "account.html"];
    let answer = ask(&typist, &amazon, &more);
    assert!(answer.status <= 1, "{answer:?}");
    let typed = format!("size --account --region us-east-1 --kept kept {}", more.join(" "));
    assert_page_has(&read(&typist, "account.html"), &typed);
    let record: Value = serde_json::from_str(&read(&typist, "account.json")).unwrap();
    assert!(record["command"].as_str().unwrap().ends_with(&typed), "{record}");
    assert!(record["places"][0]["fleet"].get("command").is_none(), "{record}");
}

#[test]
fn defaults_of_the_config_file_are_part_of_the_command() {
    let typist = Typist::new();
    write_tables(&typist);
    std::fs::write(typist.path("config.toml"), "[size]\nvalues = 'per-row'\n").unwrap();
    let typed =
        ["size", "demand.csv", "--size", "100GiB", "--region", "us-east-1", "--prove", "my disk", "--json"];
    let mut command = typist.command(&typed);
    let answer: Answer = command.env("FATHOM_CONFIG", typist.path("config.toml")).output().unwrap().into();
    let kept = " size --values=per-row demand.csv --size 100GiB --region us-east-1 --prove 'my disk' --json";
    let record = answer.json();
    assert!(record["command"].as_str().unwrap().ends_with(kept), "{record}");
}

#[test]
fn passwords_in_addresses_are_sent_and_not_printed() {
    let typist = Typist::new();
    let served = serve(|_, _| (200, counters()));
    let url = served.url.replace("://", &format!("://reader:{SECRET}@"));
    let server = ["--prometheus", &url, "--from", "1h"];
    let sized = ["size", "--size", "100GiB", "--region", "us-east-1", "--prove", "sim:gp3"];
    for what in [["profile"].as_slice(), &sized] {
        let (record, page) = (format!("{}.json", what[0]), format!("{}.html", what[0]));
        let outputs = ["--json", &record, "--report", &page];
        let mut command = typist.command(&[what, &server, &outputs].concat());
        let answer: Answer = command.env("NO_PROXY", "*").output().unwrap().into();
        assert!(answer.status <= 1, "{answer:?}");
        assert!(served.requests.lock().unwrap().last().unwrap().contains("authorization: basic "));
        let (record, page) = (read(&typist, &record), read(&typist, &page));
        let marked = served.url.replace("://", "://USER:PASSWORD@");
        let shown = format!("--prometheus {marked} --from 1h {}", outputs.join(" "));
        assert_page_has(&page, &format!("{} {shown}", what.join(" ")));
        assert!(page.contains("in place of USER:PASSWORD. Times count from when it is typed"), "{page}");
        assert!(record.contains(&served.url), "{record}");
        for text in [&page, &record, &answer.stdout, &answer.stderr] {
            assert!(!text.contains(SECRET), "{text}");
        }
    }
}

#[test]
fn passwords_in_addresses_are_not_printed_where_servers_fail() {
    let typist = Typist::new();
    for (status, body) in [(503, "busy"), (200, "no JSON"), (200, "{}")] {
        let served = serve(move |_, _| (status, body.to_owned()));
        let url = served.url.replace("://", &format!("://reader:{SECRET}@"));
        let mut command = typist.command(&["profile", "--prometheus", &url, "--from", "1h"]);
        let answer: Answer = command.env("NO_PROXY", "*").output().unwrap().into();
        assert!(answer.status > 1 && answer.stderr.contains(&served.url), "{answer:?}");
        assert!(!answer.stderr.contains(SECRET), "{answer:?}");
    }
    // Nobody listens there; and passwords with what ends a host, behind a user that no network is asked for.
    for password in ["", "a/", "a#", "a?"].map(|start| format!("{start}{SECRET}")) {
        let url = format!("http://127.0.0.1:{password}@127.0.0.1:1/");
        let answer = typist.run(&["profile", "--prometheus", &url, "--from", "1h"]);
        assert!(answer.status > 1 && answer.stderr.contains("http://127.0.0.1:1"), "{answer:?}");
        assert!(!answer.stderr.contains(SECRET), "{answer:?}");
    }
}

#[test]
fn passwords_in_words_that_are_no_addresses_are_not_printed() {
    let typist = Typist::new();
    let (bare, address) = (format!("reader:{SECRET}@metrics:9090"), format!("http://reader:{SECRET}@m:9090"));
    for (line, remedy) in [
        (["profile", "--prometheus", &bare].as_slice(), "http://localhost:9090"),
        (&["profile", &address], "--prometheus URL"),
        (&["size", &address, "--size", "1TiB", "--region", "us-east-1"], "--prometheus URL"),
        (&["size", "--fleet", &address, "--size", "1TiB", "--region", "us-east-1"], "name a file"),
        (
            &["profile", "--cloudwatch", "vol-0abc", "--aws-region", "us-east-1", "--aws-endpoint", &bare],
            "type it as",
        ),
    ] {
        let answer = typist.run(line);
        assert!(answer.status == 2 && answer.stderr.contains(remedy), "{answer:?}");
        assert!(!answer.stderr.contains(SECRET) && !answer.stdout.contains(SECRET), "{answer:?}");
    }
    std::fs::write(typist.path("config.toml"), format!("[profile]\nprometheus = '{bare}'\n")).unwrap();
    let mut command = typist.command(&["profile", "--json"]);
    let answer: Answer = command.env("FATHOM_CONFIG", typist.path("config.toml")).output().unwrap().into();
    assert!(answer.status == 2 && answer.stdout.contains("\"--prometheus\""), "{answer:?}");
    assert!(!answer.stderr.contains(SECRET) && !answer.stdout.contains(SECRET), "{answer:?}");
}

#[test]
fn passwords_in_the_config_file_are_not_printed() {
    let typist = Typist::new();
    let text = format!("[profile]\nprometheus = 'http://reader:{SECRET}@m:9090'\n");
    std::fs::write(typist.path("config.toml"), text).unwrap();
    for words in [["config"].as_slice(), &["config", "--json"]] {
        let mut command = typist.command(words);
        let answer: Answer =
            command.env("FATHOM_CONFIG", typist.path("config.toml")).output().unwrap().into();
        let shown = "--prometheus=http://USER:PASSWORD@m:9090";
        assert!(answer.status == 0 && answer.stdout.contains(shown), "{answer:?}");
        assert!(!answer.stdout.contains(SECRET), "{answer:?}");
    }
}
