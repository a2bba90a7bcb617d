//! What concerns a whole command: its outputs, which sections run, and what fathom adds.

use crate::Fault;
use crate::fio::value::time_ns;

/// Forms of output that were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// Text for people.
    pub normal: bool,
    /// JSON.
    pub json: bool,
    /// JSON with the bins of the latencies.
    pub json_plus: bool,
    /// One line of semicolons a job.
    pub terse: bool,
}

/// Options of the command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Globals {
    /// File that results go to; none for stdout.
    pub output: Option<String>,
    /// What was asked for; nothing is `normal`.
    pub forms: Forms,
    /// Version of the terse form.
    pub terse_version: u32,
    /// Only these sections run; none for all.
    pub sections: Vec<String>,
    /// Only reads are allowed.
    pub read_only: bool,
    /// Jobs are read and not run.
    pub parse_only: bool,
    /// Jobs of the files are shown as a command line and not run.
    pub show_command: bool,
    /// No progress is shown.
    pub quiet: bool,
    /// Time between reports on the jobs while they run, in nanoseconds; absent: one report, at the end.
    pub status_interval_ns: Option<u64>,
    /// Progress is shown where no terminal is too.
    pub eta_always: bool,
    /// A failed self-check ends the command with status 1.
    pub strict: bool,
    /// `Some(true)`: all jobs go to the installed fio; `Some(false)`: none does.
    pub hand_over: Option<bool>,
    /// Words that permit the loss of data.
    pub destroy: Vec<String>,
    /// Files that results and logs go to are replaced, whoever wrote them.
    pub force: bool,
    /// Run store to use.
    pub store: Option<String>,
    /// Devices that only reading can show to be empty are read, however long that takes.
    pub check_empty: bool,
    /// Conditions under which the command fails, unread.
    pub fail_if: Vec<String>,
    /// The most that may be written, unread.
    pub wear_limit: Option<String>,
    /// What is left out, with what changes, one sentence each.
    pub warnings: Vec<String>,
    /// What the whole command has to go to the installed fio for.
    pub reasons: Vec<String>,
    /// A question that fio answers by itself, as `version`.
    pub question: Option<&'static str>,
    /// Every option of the command with its value, in the order in which they were given.
    pub given: Vec<(&'static str, Option<String>)>,
}

/// One option of the command.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    letter: Option<char>,
    /// Whether a value follows.
    pub takes_value: bool,
    does: GlobalAction,
}

#[derive(Clone, Copy, Debug)]
enum GlobalAction {
    Set,
    /// Nothing depends on it.
    Accept,
    /// Left out with these words.
    Warn(&'static str),
    /// The whole command goes to fio for this.
    HandOver(&'static str),
    /// A question about fio itself.
    Ask,
}

const fn row(name: &'static str, letter: Option<char>, takes_value: bool, does: GlobalAction) -> Row {
    Row { name, letter, takes_value, does }
}

/// The options of the command, fio's and fathom's.
pub static ROWS: [Row; 49] = [
    row("output", Some('o'), true, GlobalAction::Set),
    row("output-format", Some('F'), true, GlobalAction::Set),
    row("minimal", Some('m'), false, GlobalAction::Set),
    row("append-terse", None, false, GlobalAction::Set),
    row("terse-version", Some('V'), true, GlobalAction::Set),
    row("section", None, true, GlobalAction::Set),
    row("readonly", None, false, GlobalAction::Set),
    row("parse-only", None, false, GlobalAction::Set),
    row("showcmd", None, false, GlobalAction::Set),
    row("eta", None, true, GlobalAction::Set),
    row("eta-interval", None, true, GlobalAction::Accept),
    row("eta-newline", None, true, GlobalAction::Accept),
    row("alloc-size", None, true, GlobalAction::Accept),
    row("max-jobs", Some('j'), true, GlobalAction::Accept),
    row("warnings-fatal", None, false, GlobalAction::Warn("warnings do not end the command")),
    row("debug", None, true, GlobalAction::Warn("fio's debug messages are not written")),
    row("status-interval", None, true, GlobalAction::Set),
    row(
        "idle-prof",
        None,
        true,
        GlobalAction::Warn("idleness is not measured by busy loops; the record has the CPUs' use"),
    ),
    row(
        "bandwidth-log",
        None,
        false,
        GlobalAction::Warn("no log of all jobs together is written; write_bw_log writes one a job"),
    ),
    row(
        "latency-log",
        None,
        false,
        GlobalAction::Warn("no log of all jobs together is written; write_lat_log writes one a job"),
    ),
    row("inflate-log", None, true, GlobalAction::HandOver("compressed logs are fio's own")),
    row("profile", None, true, GlobalAction::HandOver("built-in profiles are fio's own")),
    row("server", Some('S'), false, GlobalAction::HandOver("it serves fio's own protocol")),
    row("daemonize", Some('D'), true, GlobalAction::HandOver("it serves fio's own protocol")),
    row("client", Some('C'), true, GlobalAction::HandOver("it speaks fio's own protocol")),
    row("remote-config", None, true, GlobalAction::HandOver("it speaks fio's own protocol")),
    row("trigger-file", None, true, GlobalAction::HandOver("triggers run commands")),
    row("trigger-timeout", None, true, GlobalAction::HandOver("triggers run commands")),
    row("trigger", None, true, GlobalAction::HandOver("triggers run commands")),
    row("trigger-remote", None, true, GlobalAction::HandOver("triggers run commands")),
    row("aux-path", None, true, GlobalAction::Warn("files of a run's own state are not written")),
    row("merge-blktrace-only", None, false, GlobalAction::HandOver("traces are not merged")),
    row("cpuclock-test", None, false, GlobalAction::HandOver("it tests fio's own clock")),
    row("crctest", None, false, GlobalAction::HandOver("it tests fio's own checksums")),
    row("memcpytest", None, false, GlobalAction::HandOver("it tests fio's own copying")),
    row("cmdhelp", Some('c'), false, GlobalAction::Ask),
    row("enghelp", Some('i'), false, GlobalAction::Ask),
    row("version", Some('v'), false, GlobalAction::Ask),
    row("help", Some('h'), false, GlobalAction::Ask),
    row("engine", None, true, GlobalAction::Set),
    row("destroy", None, true, GlobalAction::Set),
    row("force", None, false, GlobalAction::Set),
    row("store", None, true, GlobalAction::Set),
    row("check-empty", None, false, GlobalAction::Set),
    row("fail-if", None, true, GlobalAction::Set),
    row("wear-limit", None, true, GlobalAction::Set),
    row("quiet", None, false, GlobalAction::Set),
    row("strict", None, false, GlobalAction::Set),
    row("server-internal", None, true, GlobalAction::HandOver("it serves fio's own protocol")),
];

/// Whether it is an option of the command and not of a job.
pub fn is_global(name: &str) -> bool {
    find(name, false).is_some()
}

/// An option by its name or, behind one hyphen, its letter.
pub fn find(name: &str, short: bool) -> Option<&'static Row> {
    ROWS.iter().find(|row| {
        let letter = row.letter.is_some_and(|letter| name.len() == 1 && name.starts_with(letter));
        row.name == name || short && letter
    })
}

impl Globals {
    /// Takes in an option of the command.
    ///
    /// # Errors
    /// When its value makes no sense.
    pub fn set(&mut self, name: &'static str, value: Option<&str>) -> Result<(), Fault> {
        let row = find(name, false).expect("only names of the table are set");
        self.given.push((row.name, value.map(str::to_owned)));
        match row.does {
            GlobalAction::Accept => {}
            GlobalAction::Warn(words) => self.warnings.push(format!("--{name} is left out: {words}")),
            GlobalAction::HandOver(words) => self.reasons.push(format!("--{name}: {words}")),
            GlobalAction::Ask => self.question = Some(row.name),
            GlobalAction::Set => return self.set_own(name, value.unwrap_or_default()),
        }
        Ok(())
    }

    fn set_own(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        match name {
            "output" => self.output = Some(value.to_owned()),
            "output-format" => self.forms = forms(value)?,
            "minimal" => self.forms = Forms { terse: true, ..Forms::default() },
            "append-terse" => self.forms = Forms { terse: true, ..self.wanted() },
            "terse-version" => {
                let version = value.parse().ok().filter(|version| (2..=5).contains(version));
                self.terse_version = version.ok_or("the terse form has versions 2 to 5")?;
            }
            "section" => self.sections.push(value.to_owned()),
            "readonly" => self.read_only = true,
            "parse-only" => self.parse_only = true,
            "showcmd" => self.show_command = true,
            "eta" => {
                self.quiet |= value == "never";
                self.eta_always = value == "always";
            }
            "status-interval" => self.set_status_interval(value)?,
            "strict" => self.strict = true,
            "quiet" => self.quiet = true,
            "destroy" => self.destroy.push(value.to_owned()),
            "force" => self.force = true,
            "store" => self.store = Some(value.to_owned()),
            "check-empty" => self.check_empty = true,
            "fail-if" => self.fail_if.push(value.to_owned()),
            "wear-limit" => self.wear_limit = Some(value.to_owned()),
            "engine" => {
                self.hand_over = Some(match value {
                    "fio" => true,
                    "fathom" => false,
                    other => {
                        return Err(format!(
                            "--engine is fathom or fio, not `{other}`; a job's engine is ioengine"
                        )
                        .into());
                    }
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn set_status_interval(&mut self, text: &str) -> Result<(), Fault> {
        const SECOND_NS: u64 = 1_000_000_000;
        let ns = time_ns(text, true)?;
        if ns < 1_000_000 {
            return Err(format!("`{text}` is too short: write a second or more, e.g. 10").into());
        }
        if ns < SECOND_NS {
            self.warnings.push(format!(
                "--status-interval={text}: jobs are counted by the second, and reported once a second"
            ));
        }
        self.status_interval_ns = Some(ns.max(SECOND_NS));
        Ok(())
    }

    /// The forms to print: at least one.
    pub fn wanted(&self) -> Forms {
        match self.forms {
            forms if forms == Forms::default() => Forms { normal: true, ..forms },
            forms => forms,
        }
    }
}

fn forms(text: &str) -> Result<Forms, Fault> {
    let mut forms = Forms::default();
    for word in text.split(',').filter(|word| !word.is_empty()) {
        match word {
            "normal" => forms.normal = true,
            "json" => forms.json = true,
            "json+" => forms.json_plus = true,
            "terse" | "minimal" => forms.terse = true,
            other => {
                return Err(
                    format!("unknown output format `{other}`: write normal, json, json+ or terse").into()
                );
            }
        }
    }
    Ok(forms)
}
