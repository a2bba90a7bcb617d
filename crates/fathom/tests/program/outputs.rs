//! Files and pipes that results go to.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::Value;

use crate::typed::Typist;

const RUN: [&str; 5] = ["run", "--target", "sim:gp3", "--time", "1s"];

#[test]
fn results_go_to_files_and_people_still_see_them() {
    let typist = Typist::new();
    let answer = typist.run(&[&RUN[..], &["--json", "out.json", "--report", "page.html"]].concat());
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(answer.stdout.contains("4 KiB random read"));
    let record: Value = serde_json::from_slice(&std::fs::read(typist.path("out.json")).unwrap()).unwrap();
    assert_eq!(record["format"], "fathom.run");
    let page = std::fs::read_to_string(typist.path("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("</html>"));
    // Both are fathom's own now, and are replaced.
    let again = typist.run(&[&RUN[..], &["--json=out.json", "--report", "page.html"]].concat());
    assert_eq!(again.status, 0, "{again:?}");
    let mode = std::fs::metadata(typist.path("page.html")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0);
    let names: Vec<_> = std::fs::read_dir(typist.folder()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{names:?}");
}

#[test]
fn a_file_of_somebody_else_is_kept_and_nothing_is_measured() {
    let typist = Typist::new();
    for (flag, name) in [("--json", "data.json"), ("--report", "data.html")] {
        std::fs::write(typist.path(name), "{\"mine\": 1}").unwrap();
        let answer = typist.run(&[&RUN[..], &[flag, name]].concat());
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains("name another file"), "{answer:?}");
        assert_eq!(std::fs::read_to_string(typist.path(name)).unwrap(), "{\"mine\": 1}");
    }
    let answer = typist.run(&[&RUN[..], &["--json", "data.json"]].concat());
    assert_eq!(answer.json()["kind"], "output", "where the file cannot take it, stdout does");
    let answer = typist.run(&[&RUN[..], &["--report", "no/folder/x.html"]].concat());
    assert_eq!(answer.status, 1);
    assert!(answer.stderr.contains("mkdir -p no/folder"), "{answer:?}");
    assert_eq!(typist.json(&["runs", "--json"])["runs"], Value::Array(Vec::new()));
}

#[test]
fn a_stream_is_written_to_and_not_replaced() {
    let typist = Typist::new();
    let answer = typist.run(&[&RUN[..], &["--json=/dev/null"]].concat());
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn reports_of_a_run_and_of_an_assessment_are_written_beside_their_pictures() {
    let typist = Typist::new();
    typist.json(&[&RUN[..], &["--json"]].concat());
    typist.json(&["assess", "sim:gp3", "--budget", "20s", "--patterns", "randread-4k", "--json"]);
    for (name, stem) in [("last", "assessed"), ("r-", "ran")] {
        let runs = typist.json(&["runs", "--json"]);
        let oldest = runs["runs"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
        let name = if name == "last" { name } else { &oldest };
        let (html, md) = (format!("{stem}.html"), format!("{stem}.md"));
        let files = typist.json(&["report", name, "--html", &html, "--md", &md, "--json"])["files"].clone();
        let files: Vec<&str> = files.as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
        assert!(files.contains(&html.as_str()) && files.contains(&md.as_str()), "{files:?}");
        let text = std::fs::read_to_string(typist.path(&md)).unwrap();
        let mut pictures = 0;
        for file in files.iter().filter(|file| file.ends_with(".svg")) {
            pictures += 1;
            assert!(file.starts_with(stem) && text.contains(&format!("]({file})")), "{file}");
            assert!(std::fs::read_to_string(typist.path(file)).unwrap().contains("<svg"));
        }
        assert!(pictures >= 2, "{files:?}");
        assert_eq!(text.matches(".svg)").count(), pictures);
        let page = std::fs::metadata(typist.path(&html)).unwrap().len();
        assert!((10_000..1_000_000).contains(&page), "{page}");
        // A second time, over its own files.
        assert_eq!(typist.run(&["report", name, "--md", &md]).status, 0);
    }
}

#[test]
fn a_text_that_somebody_went_on_writing_is_kept() {
    let typist = Typist::new();
    typist.json(&[&RUN[..], &["--json"]].concat());
    assert_eq!(typist.run(&["report", "last", "--md", "a.md"]).status, 0);
    let text = std::fs::read_to_string(typist.path("a.md")).unwrap() + "\nMy own words.\n";
    std::fs::write(typist.path("a.md"), &text).unwrap();
    assert_eq!(typist.run(&["report", "last", "--md", "a.md"]).status, 2);
    assert_eq!(std::fs::read_to_string(typist.path("a.md")).unwrap(), text);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let typist = Typist::new();
    typist.json(&[&RUN[..], &["--json"]].concat());
    for ask in [&["show", "last", "--json"][..], &["engines"], &["schema", "run"], &["--help"]] {
        let mut child = typist.command(ask).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert!(child.wait().unwrap().success(), "{ask:?}: {stderr}");
        assert_eq!(stderr, "", "{ask:?}");
    }
}
