//! `fathom watch`: how a measurement of another process goes, until it ends or this is ended.

mod watch_view;

use std::time::Duration;

use console::Term;
use fathom_campaign::live_seconds::{
    LiveEvent, MeasurementUpdate, RingHead, RingSurvey, RunningMeasurement, SecondLine, StepLine, candidates,
    look,
};
use fathom_report::layout;
use serde::Serialize;

use crate::arguments::WatchArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::observer_priority;
use crate::output;
use watch_view::View;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(250);
/// What is said where nothing runs.
const NOTHING: &str = "nothing is being measured by this user on this machine";

/// A line for programs: what it is, and its fields.
#[derive(Serialize)]
struct Line<'a, T> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    line: &'a T,
}

/// The end, for programs.
#[derive(Serialize)]
struct End<'a> {
    format: &'static str,
    version: u32,
    /// Whether the command came to its end, and its process has not just gone.
    complete: bool,
    campaign: Option<&'a str>,
    run: Option<&'a str>,
}

/// A run that was saved, for programs.
#[derive(Serialize)]
struct SavedRunLine<'a> {
    run: &'a str,
}

/// Looks on.
///
/// # Errors
/// When nothing runs by the name that was given, or stdout cannot be written.
pub fn perform(arguments: &WatchArguments) -> Result<Status, Failure> {
    observer_priority::go_behind();
    let mut looked = look(&candidates());
    looked.explain_others();
    if let Some(word) = &arguments.what {
        looked.running.retain(|running| running.is_named(word));
        if looked.running.is_empty() {
            let mut remedy = "see what runs: fathom watch".to_owned();
            looked.unusable.iter().for_each(|why| remedy += &format!("\nnot seen: {why}"));
            let cause = "no running measurement has this process number or id";
            return Err(Failure::usage(word, cause, remedy));
        }
    }
    // What was written so far.
    let mut views: Vec<View> = looked.running.iter_mut().map(View::of).collect();
    let width = output::style().width;
    match (views.as_mut_slice(), arguments.once) {
        ([view], false) if arguments.json => return tell(&mut looked.running[0], view),
        ([view], false) => return follow(&mut looked.running[0], view),
        _ if arguments.json => output::line(&output::json_line(&looked.list()))?,
        ([], _) => output::line(&nothing(&looked))?,
        ([view], true) => print(&view.lines(width))?,
        (several, _) => print(&list(several, width))?,
    };
    Ok(Status::Done)
}

/// Lines with nothing in them that a terminal would obey; whether any program is there to read them.
fn print(lines: &[String]) -> Result<bool, Failure> {
    let text: String = lines.iter().map(|line| layout::plain(line) + "\n").collect();
    output::line(&text)
}

/// What there is to type where nothing runs, and why nothing might be seen.
fn nothing(looked: &RingSurvey) -> String {
    let width = output::width_of_sentences();
    let mut lines = vec![NOTHING.to_owned()];
    for why in &looked.unusable {
        lines.extend(layout::wrapped("not seen: ", why, "  ", width));
    }
    lines.extend([
        String::new(),
        "to measure:        fathom assess .".to_owned(),
        "what was measured: fathom runs".to_owned(),
        "another user's, e.g. what sudo started: sudo fathom watch".to_owned(),
    ]);
    lines.join("\n") + "\n"
}

/// Several at once: what to type for each.
fn list(views: &[View], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = views.iter().flat_map(|view| view.in_short(width)).collect();
    lines.push(String::new());
    let first = views.first().map_or(0, |view| view.head().pid);
    lines.push(format!("for one of them: fathom watch {first}"));
    lines
}

/// Draws again and again on a terminal; elsewhere a line for each second and step.
fn follow(running: &mut RunningMeasurement, view: &mut View) -> Result<Status, Failure> {
    let terminal = Term::stdout();
    let redraws = terminal.is_term() && can_move(std::env::var("TERM").ok().as_deref());
    let mut drawn = 0;
    let mut is_first = true;
    loop {
        let news = if is_first { Vec::new() } else { running.news() };
        let is_new = view.take(&news, running) || is_first;
        let is_heard = match (redraws, is_new) {
            (_, false) => true,
            (true, true) => {
                let (height, _) = terminal.size();
                let mut lines = view.lines(output::style().width);
                // What has left the screen cannot be drawn over.
                lines.truncate(usize::from(height).saturating_sub(1).max(1));
                let back = if drawn == 0 { String::new() } else { format!("\u{1b}[{drawn}A\r\u{1b}[J") };
                drawn = lines.len();
                output::line(&back)? && print(&lines)?
            }
            // A head alone that changed is no line of a log.
            (false, true) => !is_first && news.is_empty() || print(&view.news(&news))?,
        };
        is_first = false;
        if running.has_ended() {
            return ended(view);
        }
        if !is_heard {
            return Ok(Status::Done);
        }
        std::thread::sleep(LOOK);
    }
}

/// Whether a terminal of that name moves its cursor as all do that have a name of their own.
fn can_move(name: Option<&str>) -> bool {
    !matches!(name, None | Some("" | "dumb" | "unknown"))
}

/// How it ended.
fn ended(view: &View) -> Result<Status, Failure> {
    if view.is_complete() {
        print(&["it has ended; see what it found: fathom show last".to_owned()])?;
        return Ok(Status::Done);
    }
    let pid = view.head().pid;
    print(&[format!("process {pid} exited without finishing; what it saved: fathom runs")])?;
    Ok(Status::Invalid)
}

/// Tells programs what is new, line by line.
fn tell(running: &mut RunningMeasurement, view: &View) -> Result<Status, Failure> {
    let mut complete = view.is_complete();
    let mut is_heard = output::line(&output::json_line(running.head()))?;
    while is_heard && !running.has_ended() {
        std::thread::sleep(LOOK);
        for news in running.news() {
            let text = match &news {
                MeasurementUpdate::Line(_, LiveEvent::Second(second)) => second_line(second),
                MeasurementUpdate::Line(_, LiveEvent::Step(step)) => step_line(step),
                MeasurementUpdate::Line(_, LiveEvent::Saved { run }) => output::json_line(&Line {
                    format: "fathom.saved",
                    version: 1,
                    line: &SavedRunLine { run },
                }),
                MeasurementUpdate::Line(_, LiveEvent::Ended) => {
                    complete = true;
                    continue;
                }
                MeasurementUpdate::Line(_, LiveEvent::Heat(_) | LiveEvent::Unknown)
                | MeasurementUpdate::Gap => {
                    continue;
                }
            };
            is_heard = is_heard && output::line(&text)?;
        }
    }
    if is_heard {
        output::line(&output::json_line(&end(running.head(), complete)))?;
    }
    Ok(if complete || !is_heard { Status::Done } else { Status::Invalid })
}

fn second_line(line: &SecondLine) -> String {
    let (format, version) = SecondLine::FORMAT;
    output::json_line(&Line { format, version, line })
}

fn step_line(line: &StepLine) -> String {
    let (format, version) = StepLine::FORMAT;
    output::json_line(&Line { format, version, line })
}

fn end(head: &RingHead, complete: bool) -> End<'_> {
    let (campaign, run) = (head.campaign.as_deref(), head.run.as_deref());
    End { format: "fathom.ended", version: 1, complete, campaign, run }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_a_name_is_not_drawn_on() {
        assert!(can_move(Some("xterm-256color")) && can_move(Some("foot")) && can_move(Some("vt52x")));
        assert!([None, Some(""), Some("dumb"), Some("unknown")].into_iter().all(|name| !can_move(name)));
    }

    #[test]
    fn lines_for_programs_are_those_of_json_lines() {
        let line = second_line(&SecondLine { iops: 5.0, ..SecondLine::default() });
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert!(read["format"] == "fathom.second" && read["iops"] == 5.0 && read["service_p99_ns"].is_null());
        let step = step_line(&StepLine { title: "x".to_owned(), ..StepLine::default() });
        assert!(step.starts_with(r#"{"format":"fathom.step","version":1,"title":"x""#), "{step}");
    }

    #[test]
    fn where_nothing_runs_it_is_said_and_why() {
        let looked =
            RingSurvey { unusable: vec!["/run/user/7 is not in memory".to_owned()], ..RingSurvey::default() };
        let words = nothing(&looked);
        for part in ["nothing is being measured", "fathom assess .", "/run/user/7", "sudo fathom watch"] {
            assert!(words.contains(part), "{words}");
        }
    }
}
