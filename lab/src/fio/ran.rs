//! One tool, run on one job: plainly, for its result, and under strace, for its calls.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::super::doors::timed_process;
use super::call_summary::CallSummary;
use super::left::{self, Thing};
use super::scene::Scene;
use super::shared_job::Job;
use super::strace_calls;

/// A job that runs for longer is ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Fio,
    Fathom,
}

/// The programs.
pub struct Tools {
    pub fio: PathBuf,
    pub fathom: PathBuf,
}

/// What a tool made of a job.
#[derive(Clone, Debug, Default)]
pub struct ToolRun {
    /// Absent where it did not end by itself.
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
    pub json: Option<Value>,
    pub seen: CallSummary,
    pub left: BTreeMap<String, Thing>,
    /// What was typed, for people.
    pub command: String,
}

impl ToolRun {
    /// Whether it did the job, by its own account.
    pub fn did_it(&self) -> bool {
        self.json.as_ref().is_some_and(|json| json["jobs"].as_array().is_some_and(|jobs| !jobs.is_empty()))
    }

    /// The last lines of what it complained about.
    pub fn complaint(&self) -> String {
        let text = if self.err.trim().is_empty() { &self.out } else { &self.err };
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines.get(lines.len().saturating_sub(3)..).unwrap_or_default().join(" / ").chars().take(400).collect()
    }
}

/// Runs the job twice by one tool, on a scene that is made anew before each.
///
/// # Errors
/// Where the scene cannot be made or the tool not started.
pub fn run(tools: &Tools, tool: Tool, job: &Job, scene: &Scene) -> Result<ToolRun, String> {
    scene.set(job)?;
    let mut words = words(tools, tool, job, scene);
    let mut ran = once(&words, scene)?;
    // What holds data is written by its own words, which the refusal says: they are typed as a user would.
    for _ in 0..4 {
        let Some(permit) = wanted_words(&ran.err) else { break };
        words.push(format!("--destroy={permit}").into());
        scene.set(job)?;
        ran = once(&words, scene)?;
    }
    let shown: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    ran.command = shown.join(" ");
    ran.left = left::look(&scene.here());
    let path = scene.beside().join("trace");
    let mut traced: Vec<OsString> =
        ["strace", "--seccomp-bpf", "-f", "-y", "-Y", "-v", "-s", "0", "-qq", "-e"]
            .iter()
            .map(OsString::from)
            .collect();
    traced.push(format!("trace={}", strace_calls::CALLS).into());
    traced.push("-o".into());
    traced.push(path.clone().into());
    traced.extend(words);
    // A device may still be held for a moment by what looked at it: the traced run has to do what the plain one did.
    for _ in 0..3 {
        scene.set(job)?;
        if once(&traced, scene)?.did_it() == ran.did_it() {
            break;
        }
    }
    let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let named_jobs = tool == Tool::Fathom;
    let calls =
        strace_calls::read(&String::from_utf8_lossy(&text), &scene.here(), &scene.devices(), named_jobs);
    ran.seen = CallSummary::of(&calls);
    Ok(ran)
}

fn words(tools: &Tools, tool: Tool, job: &Job, scene: &Scene) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let path = |name: &str| scene.beside().join(name);
    match tool {
        Tool::Fio => words.push(tools.fio.clone().into()),
        Tool::Fathom => {
            words.push(tools.fathom.clone().into());
            words.push("fio".into());
            words.push(format!("--store={}", path("store/runs.sqlite").display()).into());
            let files = ["data"].into_iter().chain(job.files.iter().map(|(name, _)| name.as_str()));
            let named = files.filter(|file| {
                job.values("filename").any(|names| names.split(':').any(|name| name == *file))
            });
            words.extend(named.map(|file| format!("--destroy={file}").into()));
        }
    }
    words.push(path("job.fio").into());
    words.push("--output-format=json".into());
    words.extend(job.arguments.iter().map(|argument| scene.filled_in(argument).into()));
    words
}

/// The words that a refusal asks for.
fn wanted_words(said: &str) -> Option<String> {
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, words) = said.split_once("type exactly: --destroy ")?;
    words.split(' ').next().map(|words| words.trim_matches('\'').to_owned())
}

fn once(words: &[OsString], scene: &Scene) -> Result<ToolRun, String> {
    let (program, arguments) = words.split_first().ok_or("no program")?;
    let here = scene.here();
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&here)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", scene.beside().join("store"))
        .env("LANG", "C");
    let ended = timed_process::run(&mut command, scene.beside(), PATIENCE)?;
    timed_process::end_all_in(&here);
    let read = |name: &str| {
        let bytes = fs::read(scene.beside().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (out, err) = (read("said.out"), read("said.err"));
    Ok(ToolRun { status: ended.status, json: json(&out), out, err, ..ToolRun::default() })
}

/// The result, which notes may stand before.
fn json(text: &str) -> Option<Value> {
    let begin = if text.starts_with('{') { 0 } else { text.find("\n{")? + 1 };
    let value = serde_json::Deserializer::from_str(text.get(begin..)?).into_iter::<Value>().next()?;
    value.ok()
}

/// Why a program cannot be run.
pub fn missing(program: &Path, option: &str) -> Option<String> {
    let ran = Command::new(program).arg(option).output();
    ran.err().map(|error| format!("the lab of fio needs {}: {error}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_behind_notes() {
        assert_eq!(json("{\"a\": 1}").unwrap()["a"], 1);
        assert_eq!(json("note: this {\n{\"a\": 2}\nend\n").unwrap()["a"], 2);
        assert!(json("fio: failed\n").is_none() && json("x\n{\"a\": ").is_none());
    }

    #[test]
    fn words_are_taken_from_a_refusal() {
        let said =
            "refused, because\n  it holds data\n if all may go, type exactly:\n  --destroy loop9-abc\n";
        assert_eq!(wanted_words(said).as_deref(), Some("loop9-abc"));
        assert_eq!(wanted_words("fathom: usage"), None);
    }

    #[test]
    fn a_complaint_is_its_last_lines() {
        let ran = ToolRun { out: "x".to_owned(), err: "a\n\nb\n c\nd\n".to_owned(), ..ToolRun::default() };
        assert_eq!(ran.complaint(), "b / c / d");
        assert!(!ran.did_it());
    }
}
