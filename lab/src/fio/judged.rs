//! A pair: one job by both tools, what differs, and what of it is explained.

use super::by_calls;
use super::by_left;
use super::by_result;
use super::explained::Table;
use super::ran::{self, Tool, ToolRun, Tools};
use super::scene::Scene;
use super::shared_job::Job;
use super::tool_differences::{Difference, Differences};

/// Kinds of differences that a busy machine can make: such a pair is run once more.
const BY_TIME: [&str; 5] = ["rate.", "time.", "io.share.", "exit", "sync."];

/// What came of a pair.
#[derive(Clone, Debug, Default)]
pub struct PairVerdict {
    pub fio: ToolRun,
    pub fathom: ToolRun,
    /// Each with the sentence that explains it.
    pub explained: Vec<(Difference, String)>,
    pub unexplained: Vec<Difference>,
    /// It was run a second time.
    pub again: bool,
}

impl PairVerdict {
    /// One word for it.
    pub fn word(&self) -> &'static str {
        match (self.unexplained.is_empty(), self.explained.is_empty()) {
            (false, _) => "UNEXPLAINED",
            (true, false) => "explained",
            (true, true) => "equal",
        }
    }
}

/// Runs and judges a pair, twice where the first could be the machine's doing.
///
/// # Errors
/// Where the scene cannot be made or a tool not started, or fio fell over itself: there is nothing to compare with.
pub fn judge(tools: &Tools, job: &Job, scene: &Scene, table: &Table) -> Result<PairVerdict, String> {
    let first = once(tools, job, scene, table)?;
    let by_time = |found: &Difference| BY_TIME.iter().any(|begin| found.kind.starts_with(begin));
    if !first.unexplained.iter().any(by_time) {
        return Ok(first);
    }
    let second = once(tools, job, scene, table)?;
    // What both runs have in common stays; the rest was the machine's.
    let kinds: Vec<String> = first.unexplained.iter().map(|found| found.kind.clone()).collect();
    let mut judged = second;
    judged.unexplained.retain(|found| !by_time(found) || kinds.contains(&found.kind));
    judged.again = true;
    Ok(judged)
}

fn once(tools: &Tools, job: &Job, scene: &Scene, table: &Table) -> Result<PairVerdict, String> {
    let fio = ran::run(tools, Tool::Fio, job, scene)?;
    if let Some(reason) = fell_over(&fio) {
        return Err(reason);
    }
    let fathom = ran::run(tools, Tool::Fathom, job, scene)?;
    let output = format!("{}\n{}", fathom.out, fathom.err);
    let mut judged = PairVerdict { fio, fathom, ..PairVerdict::default() };
    for found in differences(job, &judged.fio, &judged.fathom) {
        match table.explain(job, &found, &output) {
            Some(sentence) => judged.explained.push((found, sentence.to_owned())),
            None => judged.unexplained.push(found),
        }
    }
    Ok(judged)
}

/// Why fio's run is no measure: an assertion in its own code ended it, or it had to be ended from outside.
fn fell_over(fio: &ToolRun) -> Option<String> {
    if fio.did_it() {
        return None;
    }
    match fio.err.lines().find(|line| line.contains("Assertion `")) {
        Some(line) => Some(format!("fio ended by itself: {}", line.trim())),
        None => {
            fio.status.is_none().then(|| "fio did not end within the time that a job is given".to_owned())
        }
    }
}

/// All differences between two runs.
fn differences(job: &Job, fio: &ToolRun, fathom: &ToolRun) -> Vec<Difference> {
    let mut found = Differences::default();
    let status = |ran: &ToolRun| ran.status.map_or_else(|| "no end".to_owned(), |status| status.to_string());
    match (fio.did_it(), fathom.did_it()) {
        // A result may come with a failure: both failed then.
        (true, false) if fio.status != Some(0) && fathom.status != Some(0) => return found.0,
        (true, false) => {
            let said = format!("exit status {}: {}", status(fathom), fathom.complaint());
            found.unless(false, "refused", format!("exit status {}", status(fio)), said);
            return found.0;
        }
        (false, true) => {
            let said = format!("exit status {}: {}", status(fio), fio.complaint());
            found.unless(false, "refused by fio", said, format!("exit status {}", status(fathom)));
            return found.0;
        }
        (false, false) => {
            let same = (fio.status == Some(0)) == (fathom.status == Some(0));
            found.unless(same, "exit", status(fio), status(fathom));
            return found.0;
        }
        (true, true) => {}
    }
    let failed = fathom.json.as_ref().map_or(0, failed_checks);
    let kind =
        if fio.status == Some(0) && fathom.status == Some(1) && failed > 0 { "exit.checks" } else { "exit" };
    found.unless(fio.status == fathom.status, kind, status(fio), status(fathom));
    if let (Some(a), Some(b)) = (&fio.json, &fathom.json) {
        by_result::compare(job, a, b, &mut found);
    }
    by_calls::compare(job, &fio.seen, &fathom.seen, &mut found);
    by_left::compare(job, &fio.left, &fathom.left, &mut found);
    found.0
}

/// Self-checks of fathom that failed, over all jobs.
fn failed_checks(result: &serde_json::Value) -> usize {
    let jobs = result["jobs"].as_array().into_iter().flatten();
    jobs.map(|job| job["fathom"]["failed_checks"].as_array().map_or(0, Vec::len)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::shared_job::Pace;
    use super::*;
    use serde_json::json;

    fn ran(status: i32, json: Option<serde_json::Value>) -> ToolRun {
        ToolRun { status: Some(status), json, err: "because".to_owned(), ..ToolRun::default() }
    }

    #[test]
    fn a_tool_that_fell_over_is_no_measure() {
        let fell = ToolRun {
            err: "fio: io_u.c:678: rate_ddir: Assertion `ddir_rw(ddir)' failed.".to_owned(),
            ..ran(1, None)
        };
        assert!(fell_over(&fell).is_some() && fell_over(&ran(1, None)).is_none());
        let endless = ToolRun { status: None, ..ran(0, None) };
        assert!(fell_over(&endless).is_some_and(|why| why.contains("did not end")));
        assert_eq!(fell_over(&ToolRun { status: None, ..ran(0, Some(json!({"jobs": [{}]}))) }), None);
    }

    #[test]
    fn endings_are_compared() {
        let job = Job { pace: Pace::Timed, ..Job::default() };
        let kinds = |fio: &ToolRun, fathom: &ToolRun| {
            differences(&job, fio, fathom).into_iter().map(|found| found.kind).collect::<Vec<_>>()
        };
        let done = |status, checks: serde_json::Value| {
            ran(status, Some(json!({"jobs": [{"jobname": "a", "fathom": {"failed_checks": checks}}]})))
        };
        assert!(kinds(&done(0, json!([])), &done(0, json!([]))).is_empty());
        assert_eq!(kinds(&done(0, json!([])), &done(1, json!(["depth"]))), ["exit.checks"]);
        assert_eq!(kinds(&done(0, json!([])), &done(1, json!([]))), ["exit"]);
        assert_eq!(kinds(&done(0, json!([])), &ran(2, None)), ["refused"]);
        assert_eq!(kinds(&ran(1, None), &done(0, json!([]))), ["refused by fio"]);
        assert!(kinds(&ran(1, None), &ran(2, None)).is_empty());
        assert_eq!(kinds(&ran(0, None), &ran(2, None)), ["exit"]);
    }
}
