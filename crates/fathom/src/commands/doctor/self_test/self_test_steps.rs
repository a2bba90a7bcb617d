//! What is tried, in the order in which it is: each check types commands and judges what they answer.

use std::fs::{self, File};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use fathom_engine::engine_kinds::EngineKind;
use fathom_measure::{Clock, WallClock};
use fathom_record::engine_list::ENGINES;
use fathom_record::facts::TargetKind;
use serde_json::Value;

use super::here::{ANSWERS, REFUSED};
use super::{Answer, CheckResult, CommandRunner, Outcome};

/// How long the clock is watched.
const WATCHED: Duration = Duration::from_secs(2);
/// Looks at the clock in a row.
const LOOKS: usize = 100_000;
/// Difference of the clocks' rates that is no fault, in parts per million: crystals differ by less, and a busy machine
/// between two readings adds some.
const DRIFT_PPM_MAX: f64 = 200.0;
/// A file that is there, made by fathom itself.
const THERE: &str = "trace.csv";
/// Self-checks of a run that a short one on a busy machine may fail, though everything works.
const OF_TIME: [&str; 10] = [
    "in_flight",
    "littles_law",
    "generator_busy",
    "reap_lag",
    "generator_lag",
    "overload",
    "lost_intervals",
    "standstill",
    "other_load",
    "other_programs",
];
/// Kinds of failures that say what a machine has not.
const LACKS: [&str; 2] = ["unsupported", "permission"];

/// Where checks are carried out, and what came of those that were.
#[derive(Debug)]
pub struct Desk {
    typist: CommandRunner,
    pub checked: Vec<CheckResult>,
    /// Ids of the runs so far.
    runs: Vec<String>,
}

/// One check, or several of a kind.
pub struct Check {
    /// What is said where it is not carried out.
    pub name: &'static str,
    pub perform: fn(&mut Desk),
}

/// All of them.
pub const CHECKS: [Check; 8] = [
    Check { name: "clock", perform: clock },
    Check { name: "answers", perform: answers },
    Check { name: "targets without a device", perform: without_device },
    Check { name: "engines on files", perform: engines },
    Check { name: "names refused", perform: names_refused },
    Check { name: "files that are there", perform: guard },
    Check { name: "store", perform: store },
    Check { name: "reports", perform: reports },
];

impl Desk {
    /// Nothing done yet.
    pub fn new(typist: CommandRunner) -> Self {
        Self { typist, checked: Vec::new(), runs: Vec::new() }
    }

    /// Notes that a check says nothing.
    pub fn skip(&mut self, name: &str, why: &str) {
        self.note(name, Outcome::Skipped(why.to_owned()), Vec::new());
    }

    fn note(&mut self, name: &str, outcome: Outcome, answers: Vec<Answer>) {
        self.checked.push(CheckResult { name: name.to_owned(), outcome, answers });
    }

    /// Types a command; one that cannot even be started has answered that.
    fn types(&self, words: &[&str]) -> Answer {
        self.typist.types(words).unwrap_or_else(|error| Answer {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            stderr: format!("it could not be started: {error}"),
            ..Answer::default()
        })
    }

    /// Types a run and judges its record.
    fn runs(&mut self, name: &str, words: &[&str]) {
        let answer = self.types(&[&["run"], words, &["--json", "--compact", "--quiet"]].concat());
        let document = answer.document();
        let id = document.as_ref().and_then(|document| document["id"].as_str());
        self.runs.extend(id.map(str::to_owned));
        self.note(name, of_run(&answer, document.as_ref()), vec![answer]);
    }

    /// The bytes of the file that is there.
    fn there(&self) -> Option<Vec<u8>> {
        fs::read(self.path()).ok()
    }

    fn path(&self) -> PathBuf {
        self.typist.path(THERE)
    }
}

/// What a run's record says: all I/Os well and all content right, whatever else such a short run may be.
fn of_run(answer: &Answer, document: Option<&Value>) -> Outcome {
    let Some(record) = document.filter(|document| document["format"] == "fathom.run") else {
        let is_lack = answer.kind().is_some_and(|kind| LACKS.contains(&kind.as_str()));
        let complaint = answer.complaint();
        return if is_lack { Outcome::Skipped(complaint) } else { Outcome::Failed(complaint) };
    };
    let checks = record["checks"].as_array().map_or(&[][..], Vec::as_slice);
    let failed: Vec<&str> = checks
        .iter()
        .filter(|check| check["outcome"] == "fail")
        .filter_map(|check| check["name"].as_str())
        .collect();
    let jobs = record["jobs"].as_array().map_or(&[][..], Vec::as_slice);
    let ios: u64 = jobs.iter().filter_map(|job| job["operations"].as_u64()).sum();
    let told = format!("{ios} I/Os by engine {}", record["engine"]["name"].as_str().unwrap_or("unknown"));
    if record["ending"]["reason"] != "complete" {
        return Outcome::Failed(format!("{told}: it ended early: {}", record["ending"]));
    }
    if let Some(bad) = failed.iter().find(|name| !OF_TIME.contains(name)) {
        return Outcome::Failed(format!("{told}: self-check {bad}"));
    }
    match failed.as_slice() {
        [] => Outcome::Passed(told),
        late => {
            Outcome::Passed(format!("{told}; too short or too disturbed for a figure: {}", late.join(", ")))
        }
    }
}

fn clock(desk: &mut Desk) {
    let (clock, facts) = WallClock::start();
    let mut last_ns = clock.now_ns();
    let mut back = 0u32;
    for _ in 0..LOOKS {
        let now_ns = clock.now_ns();
        back += u32::from(now_ns < last_ns);
        last_ns = now_ns;
    }
    thread::sleep(WATCHED);
    let drift_ppm = clock.drift_ppm();
    let why = facts.fallback_reason.map_or_else(String::new, |why| format!(" ({why})"));
    let told = format!(
        "{}{why}: {:.0} ns a reading, steps of {} ns, {drift_ppm:+.1} ppm against the system's over {} s",
        facts.source.name(),
        facts.read_cost_ns,
        facts.resolution_ns,
        WATCHED.as_secs()
    );
    let outcome = match (back, drift_ppm.abs() <= DRIFT_PPM_MAX) {
        (0, true) => Outcome::Passed(told),
        (0, false) => Outcome::Failed(format!("{told}: more than {DRIFT_PPM_MAX} ppm")),
        (times, _) => Outcome::Failed(format!("{told}: it went back {times} times")),
    };
    desk.note("clock", outcome, Vec::new());
}

/// What the machine is, as fathom sees it.
fn answers(desk: &mut Desk) {
    let everywhere: [(&str, &[&str], Option<&str>); 3] = [
        ("engines, listed", &["engines", "--json"], None),
        ("devices, listed", &["devices", "--json"], None),
        ("what this machine lets fathom do", &["doctor", "--json"], None),
    ];
    for (name, words, file) in everywhere.iter().chain(ANSWERS) {
        let mut answer = desk.types(words);
        if let Some(text) = file.and_then(|file| fs::read_to_string(desk.typist.path(file)).ok()) {
            answer.stdout = text;
        }
        let format = answer.document().and_then(|document| document["format"].as_str().map(str::to_owned));
        let outcome = match (answer.status, format) {
            (Some(0 | 1), Some(format)) if format != "fathom.error" => Outcome::Passed(format),
            _ => Outcome::Failed(answer.complaint()),
        };
        desk.note(name, outcome, vec![answer]);
    }
}

fn without_device(desk: &mut Desk) {
    let mix = ["--rw", "randrw", "--bs", "4k", "--count", "20000"];
    let verified = ["--target", "memory:16MiB", "--depth", "8", "--verify", "on-read"];
    desk.runs("memory:, content verified", &[&verified[..], &mix].concat());
    desk.runs("null:", &[&["--target", "null:", "--depth", "8"][..], &mix].concat());
    let simulated = ["--target", "sim:gp3", "--rw", "randread", "--depth", "32", "--time", "5s"];
    desk.runs("a simulated device", &simulated);
}

/// Each engine that carries data to files: written, read back and verified, at depth 1 and at one that is more.
fn engines(desk: &mut Desk) {
    let carries =
        ENGINES.iter().filter(|entry| entry.targets.contains(&TargetKind::File) && entry.keeps_content);
    for entry in carries {
        for depth in ["1", "8"] {
            let name = format!("engine {}, depth {depth}", entry.name);
            if !EngineKind::named(entry.name).is_some_and(EngineKind::is_here) {
                desk.skip(&name, "it is of another operating system");
                continue;
            }
            let target = ["--target", ".", "--size", "16MiB", "--engine", entry.name, "--depth", depth];
            let mix = ["--rw", "randrw", "--bs", "4k", "--count", "2000", "--verify", "on-read"];
            desk.runs(&name, &[&target[..], &mix].concat());
        }
    }
}

/// Whether a command was refused, as what it names has to be.
fn of_refusal(answer: &Answer, kept: bool) -> Outcome {
    match (answer.status, answer.kind()) {
        _ if !kept => Outcome::Failed("what was there has changed".to_owned()),
        (Some(1..=3), Some(_)) => Outcome::Passed(answer.complaint()),
        _ => Outcome::Failed(format!("it was not refused: {}", answer.complaint())),
    }
}

/// Names are tried by reading alone: one that is not refused does no harm.
fn names_refused(desk: &mut Desk) {
    for &name in REFUSED {
        let words =
            ["run", "--target", name, "--rw", "randread", "--count", "1", "--json", "--compact", "--quiet"];
        let answer = desk.types(&words);
        let is_run = answer.document().is_some_and(|document| document["format"] == "fathom.run");
        let outcome =
            if is_run { Outcome::Failed("it was read".to_owned()) } else { of_refusal(&answer, true) };
        desk.note(&format!("name {name} is refused"), outcome, vec![answer]);
    }
}

/// A file that is there is written by its own name alone, and never while somebody has it open.
fn guard(desk: &mut Desk) {
    let made = desk.types(&["sample", "."]);
    let Some(before) = desk.there() else {
        let reason = Outcome::Failed(format!("no file could be made: {}", made.complaint()));
        return desk.note("files that are there", reason, vec![made]);
    };
    let writes = ["run", "--target", THERE, "--rw", "randwrite", "--bs", "4k", "--count", "16"];
    let machine = ["--json", "--compact", "--quiet"];
    let refused: [(&str, &[&str], bool); 3] = [
        ("a file that is there, unnamed", &[], false),
        ("a file that is there, by another's name", &["--destroy", "volumes.csv"], false),
        ("a file that is open for writing elsewhere", &["--destroy", THERE], true),
    ];
    for (name, words, open) in refused {
        // Open for writing: who reads a file alone is no reason to refuse it everywhere.
        let held = open.then(|| File::options().write(true).open(desk.path()));
        if let Some(Err(error)) = &held {
            desk.skip(name, &format!("it could not be opened: {error}"));
            continue;
        }
        let answer = desk.types(&[&writes[..], words, &machine].concat());
        drop(held);
        let outcome = of_refusal(&answer, desk.there().as_ref() == Some(&before));
        desk.note(name, outcome, vec![answer]);
    }
    desk.runs("a file that is there, by its name", &[&writes[1..], &["--destroy", THERE]].concat());
    let is_same = desk.there().as_ref() == Some(&before);
    if let Some(last) =
        desk.checked.last_mut().filter(|last| is_same && matches!(last.outcome, Outcome::Passed(_)))
    {
        last.outcome = Outcome::Failed("the run says that it wrote, and the file is as it was".to_owned());
    }
}

/// Every run that was made is in the store, and reads back as it was answered.
fn store(desk: &mut Desk) {
    let Some(first) = desk.runs.first().cloned() else {
        return desk.skip("store", "no run has ended");
    };
    let listed = desk.types(&["runs", "--all", "--limit", "1000", "--json"]);
    let lost = desk.runs.iter().filter(|id| !listed.stdout.contains(id.as_str())).count();
    let outcome = match lost {
        0 => Outcome::Passed(format!("{} runs, all listed", desk.runs.len())),
        lost => Outcome::Failed(format!("{lost} of {} runs are not listed", desk.runs.len())),
    };
    desk.note("store, listed", outcome, vec![listed]);

    let shown = desk.types(&["show", &first, "--json", "--compact"]);
    let answered = desk.checked.iter().flat_map(|checked| &checked.answers).filter_map(Answer::document);
    let answered = answered.into_iter().find(|document| document["id"] == *first);
    let read = shown.document();
    let same = |name: &str| {
        let (read, answered) = (read.as_ref(), answered.as_ref());
        read.zip(answered)
            .is_some_and(|(read, answered)| read[name] == answered[name] && !read[name].is_null())
    };
    let parts = ["id", "workload", "target", "engine", "summary", "ledger", "ending"];
    let differing: Vec<&str> = parts.into_iter().filter(|name| !same(name)).collect();
    let outcome = match differing.as_slice() {
        [] => Outcome::Passed("a run reads back as it was measured".to_owned()),
        names => {
            Outcome::Failed(format!("{} of a run read back differ: {}", names.join(", "), shown.complaint()))
        }
    };
    desk.note("store, read back", outcome, vec![shown]);
}

fn reports(desk: &mut Desk) {
    let Some(first) = desk.runs.first().cloned() else {
        return desk.skip("reports", "no run has ended");
    };
    let answer = desk.types(&["report", &first, "--html", "report.html"]);
    let page = fs::read_to_string(desk.typist.path("report.html")).unwrap_or_default();
    let is_whole = page.to_lowercase().starts_with("<!doctype html") && page.contains("</html>");
    let outcome = match (answer.status, is_whole) {
        (Some(0), true) => Outcome::Passed(format!("a page of {} kB", page.len().div_ceil(1000))),
        (Some(0), false) => Outcome::Failed("the page is not whole".to_owned()),
        _ => Outcome::Failed(answer.complaint()),
    };
    desk.note("report as a page", outcome, vec![answer]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: i32, stdout: &str) -> Answer {
        Answer { status: Some(status), stdout: stdout.to_owned(), ..Answer::default() }
    }

    fn judged(status: i32, stdout: &str) -> Outcome {
        let answer = answer(status, stdout);
        of_run(&answer, answer.document().as_ref())
    }

    #[test]
    fn a_run_passes_by_its_content_and_not_by_its_speed() {
        let record = |reason: &str, check: &str| {
            format!(
                r#"{{"format": "fathom.run", "id": "r-1", "engine": {{"name": "sync"}}, "jobs": [{{"operations": 7}}],
                    "ending": {{"reason": "{reason}"}}, "checks": [{{"name": "{check}", "outcome": "fail"}}]}}"#
            )
        };
        assert!(
            matches!(judged(1, &record("complete", "in_flight")), Outcome::Passed(told) if told.starts_with("7 I/Os by engine sync; "))
        );
        for bad in ["verification", "errors", "engine_contract", "short_transfers", "clock"] {
            assert!(
                matches!(judged(1, &record("complete", bad)), Outcome::Failed(told) if told.ends_with(bad))
            );
        }
        assert!(matches!(judged(1, &record("failed", "in_flight")), Outcome::Failed(_)));
        assert!(matches!(judged(101, ""), Outcome::Failed(_)));
    }

    #[test]
    fn what_a_machine_has_not_is_no_failure() {
        let error = |kind: &str| format!(r#"{{"format": "fathom.error", "kind": "{kind}", "cause": "why"}}"#);
        assert_eq!(judged(1, &error("unsupported")), Outcome::Skipped("why (exit status 1)".to_owned()));
        assert!(matches!(judged(1, &error("system")), Outcome::Failed(_)));
    }

    #[test]
    fn a_refusal_leaves_what_was_there() {
        let refused = answer(3, r#"{"format": "fathom.error", "kind": "refused", "cause": "it is there"}"#);
        assert!(matches!(of_refusal(&refused, true), Outcome::Passed(_)));
        assert!(matches!(of_refusal(&refused, false), Outcome::Failed(_)));
        assert!(matches!(of_refusal(&answer(0, "{}"), true), Outcome::Failed(_)));
        assert!(matches!(of_refusal(&answer(101, ""), true), Outcome::Failed(_)));
    }
}
