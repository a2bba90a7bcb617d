//! Shows on stderr how a measurement goes: one line that is redrawn, plain lines, or nothing.

mod lines;
mod plain_progress;
pub mod progress_words;
mod status_line;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use fathom_campaign::live_seconds::{MeasurementStatus, Publisher, candidates};
use fathom_campaign::{Progress, Second, StepNotice, Tally};
use fathom_measure::WallClock;
use fathom_record::facts::TargetFacts;
use fathom_target::Preparation;
use fathom_telemetry::Latest;
use indicatif::ProgressBar;

use crate::output::{self, Machine};
use lines::Lines;
use plain_progress::PlainProgress;
use status_line::ProgressLine;

/// Where a measurement shows how it goes: to people on stderr, to programs on stdout where that was asked for, and to
/// whoever looks on from other processes.
pub struct Screen {
    shown: Display,
    lines: Option<Lines>,
    onlookers: Onlookers,
}

/// What other processes see of a measurement; nothing of one that is not published.
#[derive(Debug, Default)]
pub struct Onlookers(Option<Publisher>);

impl Onlookers {
    /// Tells of a run that was saved.
    pub fn saved(&mut self, id: &str) {
        if let Some(publisher) = &mut self.0 {
            publisher.saved(id);
        }
    }
}

/// What people see.
enum Display {
    /// Nowhere.
    Quiet,
    /// On a terminal.
    Redrawn(ProgressLine),
    /// In a file or a pipe.
    Plain(PlainProgress<WallClock>),
}

/// Says single sentences without disturbing the line that is redrawn; may be used from any thread.
#[derive(Clone, Debug)]
pub struct MessageLine(Option<ProgressBar>);

impl MessageLine {
    /// Says it on stderr.
    pub fn say(&self, text: &str) {
        match &self.0 {
            Some(line) => line.suspend(|| output::message(text)),
            None => output::message(text),
        }
    }
}

impl Screen {
    /// What stderr is good for. `total_ns` is the length of a single run, where that is known.
    pub fn new(quiet: bool, total_ns: Option<u64>) -> Self {
        let shown = if quiet {
            Display::Quiet
        } else if output::can_redraw() {
            Display::Redrawn(ProgressLine::new(total_ns))
        } else {
            Display::Plain(PlainProgress::new(
                WallClock::start_on_system_clock().0,
                total_ns,
                output::message,
            ))
        };
        Self { shown, lines: None, onlookers: Onlookers::default() }
    }

    /// Prints each second as a line of JSON too, where that was asked for; when nobody reads them any more, `stop` is
    /// set.
    pub fn tell(&mut self, machine: &Machine, stop: &Arc<AtomicBool>) {
        if *machine == Machine::Lines {
            self.lines = Some(Lines::new(stop));
        }
    }

    /// Lets `fathom watch`, the page and, by `standing`, who asks this process look on at a command.
    pub fn publish(&mut self, command: &str, standing: Option<Arc<Mutex<MeasurementStatus>>>) {
        self.onlookers = Onlookers(Some(Publisher::new(command, candidates(), standing)));
    }

    /// Takes away what people see; others look on until what comes back is dropped.
    pub fn end(self) -> Onlookers {
        self.onlookers
    }

    /// For messages while this is in use.
    pub fn voice(&self) -> MessageLine {
        match &self.shown {
            Display::Redrawn(redrawn) => MessageLine(Some(redrawn.line().clone())),
            _ => MessageLine(None),
        }
    }

    fn publisher(&mut self, tell: impl FnOnce(&mut Publisher)) {
        if let Some(publisher) = &mut self.onlookers.0 {
            tell(publisher);
        }
    }

    fn shown(&mut self) -> Option<&mut dyn Progress> {
        match &mut self.shown {
            Display::Quiet => None,
            Display::Redrawn(redrawn) => Some(redrawn),
            Display::Plain(plain) => Some(plain),
        }
    }
}

impl Progress for Screen {
    fn preparing(&mut self, what: Preparation, done_bytes: u64, total_bytes: u64) {
        if let Some(shown) = self.shown() {
            shown.preparing(what, done_bytes, total_bytes);
        }
    }

    fn opened(&mut self, target: &TargetFacts) {
        self.publisher(|publisher| publisher.opened(target));
    }

    fn campaign(&mut self, id: &str) {
        self.publisher(|publisher| publisher.campaign(id));
    }

    fn run(&mut self, id: &str) {
        self.publisher(|publisher| publisher.run(id));
    }

    fn saved(&mut self, id: &str) {
        self.onlookers.saved(id);
    }

    fn machine(&mut self, latest: &Arc<Latest>) {
        self.publisher(|publisher| publisher.machine(latest));
    }

    fn counted(&mut self, tally: &Tally) {
        self.publisher(|publisher| publisher.counted(tally));
    }

    fn step(&mut self, notice: &StepNotice) {
        self.publisher(|publisher| publisher.step(notice));
        if let Some(lines) = &mut self.lines {
            lines.step(notice);
        }
        if let Some(shown) = self.shown() {
            shown.step(notice);
        }
    }

    fn second(&mut self, second: &Second) {
        self.publisher(|publisher| publisher.second(second));
        if let Some(lines) = &mut self.lines {
            lines.second(second);
        }
        if let Some(shown) = self.shown() {
            shown.second(second);
        }
    }

    fn simulated_time(&mut self, is_simulated: bool) {
        self.publisher(|publisher| publisher.simulated_time(is_simulated));
        if let Some(shown) = self.shown() {
            shown.simulated_time(is_simulated);
        }
    }

    fn note(&mut self, text: &str) {
        if let Some(shown) = self.shown() {
            shown.note(text);
        }
    }
}
