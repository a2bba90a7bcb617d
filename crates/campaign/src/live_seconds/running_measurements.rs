//! Measurements of other processes, as their rings tell of them.

use std::path::PathBuf;

use fathom_order::InOrder;
use serde::Serialize;

use super::line_ring::{RingItem, RingReader};
use super::live_lines::{LiveEvent, RingHead, SecondLine};
use super::ring_folder::{Place, measuring, started_ticks};

/// What the name of a ring ends in.
const ENDING: &str = ".ring";
/// Commands that have live seconds, as they are typed: `rerun` publishes as what it repeats.
pub(super) const COMMANDS: [&str; 9] =
    ["assess", "run", "sweep", "compare", "rerun", "repeat", "explain", "fio", "diskspd"];
/// Lines that are handed out at a time.
const NEWS_MAX: usize = 256;

/// The name of a measurement's ring.
pub(super) fn name_of(head: &RingHead) -> String {
    format!("{}-{}{ENDING}", head.pid, head.started_ticks)
}

/// Process and start of the one that writes the ring of that name.
fn writer_of(name: &str) -> Option<(u32, u64)> {
    let (pid, ticks) = name.strip_suffix(ENDING)?.split_once('-')?;
    Some((pid.parse().ok()?, ticks.parse().ok()?))
}

/// Whether the writer of a ring lives: it holds the file, or is a process of that number and start. It has the file
/// a moment before it holds it, and where processes are numbered apart it is held all the same.
fn is_alive(file: &std::fs::File, (pid, ticks): (u32, u64)) -> bool {
    // Let go at once, before whoever asks at the same moment takes it for the writer's.
    let is_held = file.try_lock_shared().map(|()| file.unlock()).is_err();
    is_held || started_ticks(pid) == Some(ticks)
}

/// Removes rings whose writers have ended without removing them.
pub(super) fn sweep(place: &Place) {
    for name in place.names() {
        let Some(writer) = writer_of(&name) else { continue };
        if place.open(&name).is_ok_and(|file| !is_alive(&file, writer)) {
            place.remove(&name);
        }
    }
}

/// What is found where rings may lie.
#[derive(Debug, Default)]
pub struct RingSurvey {
    /// What runs, the newest first.
    pub running: Vec<RunningMeasurement>,
    /// Why something might not be seen, in words; a folder that only is not there is not among them.
    pub unusable: Vec<String>,
}

impl RingSurvey {
    /// Adds why processes of this user that measure are not among what runs.
    pub fn explain_others(&mut self) {
        let is_seen = |pid: u32| self.running.iter().any(|running| running.head.pid == pid);
        let others: Vec<String> = measuring(&COMMANDS)
            .into_iter()
            .filter(|(pid, _)| !is_seen(*pid))
            .map(|(pid, command)| {
                format!(
                    "process {pid} (fathom {command}) shows nothing: its target is not open and laid out yet, or lies \
                     in the memory where its live seconds would be"
                )
            })
            .collect();
        self.unusable.extend(others);
    }
}

/// What runs, as a document for programs.
#[derive(Debug, Serialize)]
pub struct RunningList<'a> {
    format: &'static str,
    version: u32,
    running: Vec<Entry<'a>>,
    unusable: &'a [String],
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    key: &'a str,
    #[serde(flatten)]
    head: &'a RingHead,
    /// The newest second, as far as its ring was read.
    second: Option<&'a SecondLine>,
}

impl RingSurvey {
    /// The same as a document.
    pub fn list(&self) -> RunningList<'_> {
        let running = self.running.iter();
        let running = running
            .map(|one| Entry { key: &one.key, head: &one.head, second: one.newest.as_ref() })
            .collect();
        RunningList { format: "fathom.running", version: 1, running, unusable: &self.unusable }
    }
}

/// Looks for what runs, and sweeps what killed processes left.
pub fn look(candidates: &[PathBuf]) -> RingSurvey {
    let mut looked = RingSurvey::default();
    for path in candidates {
        let place = match Place::of(path, false) {
            Ok(Some(place)) => place,
            // None ran yet.
            Ok(None) => continue,
            Err(why) => {
                looked.unusable.push(why);
                continue;
            }
        };
        sweep(&place);
        let running = place.names().into_iter().filter_map(|name| RunningMeasurement::of(&place, &name));
        looked.running.extend(running);
    }
    looked.running.put_in_order_by(|a, b| b.head.started_at.cmp(&a.head.started_at).then(a.key.cmp(&b.key)));
    looked
}

/// Something new of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasurementUpdate {
    /// A line, with its number.
    Line(u64, LiveEvent),
    /// Lines were lost before this one.
    Gap,
}

/// A measurement that another process makes.
#[derive(Debug)]
pub struct RunningMeasurement {
    key: String,
    writer: (u32, u64),
    head: RingHead,
    reader: RingReader,
    newest: Option<SecondLine>,
    has_ended: bool,
}

impl RunningMeasurement {
    fn of(place: &Place, name: &str) -> Option<Self> {
        let writer = writer_of(name)?;
        let mut reader = RingReader::of(place.open(name).ok()?).ok()?;
        let head = reader.head()?;
        reader.go_to(0);
        let key = name.strip_suffix(ENDING)?.to_owned();
        Some(Self { key, writer, head, reader, newest: None, has_ended: false })
    }

    /// What names it among all others, as long as the machine runs.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What it is, as it stood when it was looked at last.
    pub fn head(&self) -> &RingHead {
        &self.head
    }

    /// Whether a process, a campaign or a run is named by this word, or by the start of its id.
    pub fn is_named(&self, word: &str) -> bool {
        let ids = [self.head.campaign.as_deref(), self.head.run.as_deref()];
        word == self.key
            || word == self.head.pid.to_string()
            || ids.into_iter().flatten().any(|id| word.len() > 2 && id.starts_with(word))
    }

    /// Goes on with the line of that number, or with the oldest where it is not there; whether it is.
    pub fn go_to(&mut self, number: u64) -> bool {
        self.reader.go_to(number)
    }

    /// What is new since it was asked last; the head is looked at again.
    pub fn news(&mut self) -> Vec<MeasurementUpdate> {
        // Asked before the lines: what a writer wrote last is there when it has gone.
        let is_alive = is_alive(self.reader.file(), self.writer);
        let mut news = Vec::new();
        while news.len() < NEWS_MAX {
            match self.reader.find() {
                RingItem::Line(number, event) => {
                    self.has_ended |= event == LiveEvent::Ended;
                    if let LiveEvent::Second(second) = &event {
                        self.newest = Some(second.clone());
                    }
                    news.push(MeasurementUpdate::Line(number, event));
                }
                RingItem::Gap => news.push(MeasurementUpdate::Gap),
                RingItem::Nothing => {
                    self.has_ended |= !is_alive;
                    break;
                }
            }
        }
        if let Some(head) = self.reader.head() {
            self.head = head;
        }
        news
    }

    /// Whether it is over: it said so, or its process has gone without a word.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }
}
