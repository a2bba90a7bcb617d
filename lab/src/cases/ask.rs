//! Asks fathom what limits a case, and waits for its record.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::stop::Stop;
use super::explain_answer::Answer;

/// A case that takes longer than this has gone wrong.
const LONGEST: Duration = Duration::from_secs(240);

/// Who is asked, with how many experiments, and where records go.
pub struct Asker<'a> {
    pub fathom: &'a Path,
    pub experiments: u32,
    /// Length of a run that takes its time.
    pub seconds: u32,
    pub keep: Option<&'a Path>,
    pub stop: &'a Stop,
}

/// One question.
pub struct Question<'a> {
    pub id: &'a str,
    pub arguments: &'a [String],
    /// `cgroup.procs` files of the groups that fathom is put into.
    pub groups: &'a [PathBuf],
    /// Of its run store and record.
    pub folder: &'a Path,
}

impl Asker<'_> {
    /// Asks one question.
    ///
    /// # Errors
    /// That there is no answer, with what fathom said.
    pub fn ask(&self, question: &Question<'_>) -> Result<Answer, String> {
        let place = |name: &str| question.folder.join(name);
        let record = place("record.json");
        let json = format!("--json={}", record.display());
        let start = now();
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        // What several clients measured is explained when it is over: experiments are made from one machine.
        if question.arguments.first().is_some_and(|word| word == "run") {
            self.perform(question, [question.arguments, &owned(&["--quiet"])].concat(), start)?;
            self.perform(question, owned(&["explain", "last", "--quiet", &json]), start)?;
        } else {
            let most = self.experiments.to_string();
            let asked = owned(&["explain", "--experiments", "--quiet", "--max-experiments", &most]);
            self.perform(question, [&asked, question.arguments, &[json]].concat(), start)?;
        }
        let wall_s = start.elapsed().as_secs_f64();
        let said = fs::read_to_string(place("stderr")).unwrap_or_default();
        let text = fs::read_to_string(&record).map_err(|_| format!("no record: {}", last_lines(&said)))?;
        if let Some(keep) = self.keep {
            let kept = keep.join(format!("{}.json", question.id.replace('/', "-")));
            fs::write(&kept, &text).map_err(|error| format!("{}: {error}", kept.display()))?;
        }
        let value: Value = serde_json::from_str(&text).map_err(|error| format!("the record: {error}"))?;
        let report = fs::read_to_string(place("stdout")).unwrap_or_default();
        Ok(Answer { report, ..Answer::read(&value, wall_s)? })
    }

    /// One command of fathom's, to its end.
    fn perform(&self, question: &Question<'_>, words: Vec<String>, start: Instant) -> Result<(), String> {
        let place = |name: &str| question.folder.join(name);
        let create = |name: &str| File::create(place(name)).map_err(|error| format!("{name}: {error}"));
        let mut child = command(self.fathom, question.groups)
            .args(words)
            .arg("--store")
            .arg(place("runs.sqlite"))
            .current_dir(question.folder)
            .stdin(Stdio::null())
            .stdout(create("stdout")?)
            .stderr(create("stderr")?)
            .spawn()
            .map_err(|error| format!("{} cannot be started: {error}", self.fathom.display()))?;
        let ended = self.wait(&mut child, start);
        let said = fs::read_to_string(place("stderr")).unwrap_or_default();
        ended.map_err(|error| format!("{error} {}", last_lines(&said)))
    }

    fn wait(&self, child: &mut Child, start: Instant) -> Result<(), String> {
        loop {
            match child.try_wait() {
                Ok(Some(_)) => return Ok(()),
                Ok(None) if start.elapsed() < LONGEST && !self.stop.is_asked() => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                ended => {
                    // Killed whatever the reason, so that the devices under it come free.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(match ended {
                        Err(error) => format!("it cannot be waited for: {error}"),
                        _ if self.stop.is_asked() => "stopped.".to_owned(),
                        _ => format!("no end after {} s.", LONGEST.as_secs()),
                    });
                }
            }
        }
    }
}

/// The program, put into control groups by a shell before it becomes the program.
fn command(fathom: &Path, groups: &[PathBuf]) -> Command {
    if groups.is_empty() {
        return Command::new(fathom);
    }
    let mut script: String =
        groups.iter().map(|group| format!("echo $$ > '{}' || exit 1; ", group.display())).collect();
    script += "exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(fathom);
    command
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(3)..].join(" / ")
}

#[allow(clippy::disallowed_methods, reason = "the wall time of a whole program, seen from outside")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A program that does what a script says, in place of fathom.
    fn asked(script: &str) -> Result<Answer, String> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("fathom");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let stop = Stop::listen().unwrap();
        let asker =
            Asker { fathom: &program, experiments: 2, seconds: 1, keep: Some(folder.path()), stop: &stop };
        let arguments = ["sim:gp3".to_owned(), "--bs=4k".to_owned()];
        let group = folder.path().join("group");
        fs::write(&group, "").unwrap();
        let groups = [group.clone()];
        let question = Question { id: "a/b", arguments: &arguments, groups: &groups, folder: folder.path() };
        let answer = asker.ask(&question);
        let member: u32 = fs::read_to_string(group).unwrap().trim().parse().unwrap();
        assert!(member > 0, "it was put into its group");
        assert!(answer.is_err() || folder.path().join("a-b.json").is_file(), "records are kept");
        answer
    }

    #[test]
    fn the_answer_is_in_the_record_and_what_was_said_is_in_the_error() {
        let answer = asked(
            r#"[ "$1 $2 $5 $6 $7" = "explain --experiments 2 sim:gp3 --bs=4k" ] || exit 1
            echo '{"patterns":[{"verdict":{"claims":[{"limit":"link","probability":1}]}}]}' > record.json"#,
        );
        assert_eq!(answer.unwrap().first().cause, "link");
        assert!(asked("echo nothing works >&2; exit 1").unwrap_err().contains("nothing works"));
        assert!(asked("echo '{' > record.json").unwrap_err().contains("record"));
    }
}
