//! What is passed on of a command that was typed.

use crate::cloudwatch::serve;
use crate::secured::counters;
use crate::typed::{Answer, Typist};

const SECRET: &str = "hunter2";

fn read(typist: &Typist, name: &str) -> String {
    std::fs::read_to_string(typist.path(name)).unwrap()
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
        assert!(record.contains(&served.url), "{record}");
        for text in [&page, &record, &answer.stdout, &answer.stderr] {
            assert!(!text.contains(SECRET), "{text}");
        }
    }
}
