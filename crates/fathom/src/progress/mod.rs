//! Shows on stderr how a measurement goes: one line that is redrawn, plain lines, or nothing.

mod lines;
mod plain;
mod progress_words;
mod redrawn;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_campaign::{Progress, Second, StepNotice};
use fathom_measure::WallClock;
use fathom_target::Preparation;
use indicatif::ProgressBar;

use crate::output::{self, Machine};
use lines::Lines;
use plain::Plain;
use redrawn::Redrawn;

/// Where a measurement shows how it goes: to people on stderr, and to programs on stdout where that was asked for.
pub struct Screen {
    shown: Shown,
    lines: Option<Lines>,
}

/// What people see.
enum Shown {
    /// Nowhere.
    Quiet,
    /// On a terminal.
    Redrawn(Redrawn),
    /// In a file or a pipe.
    Plain(Plain<WallClock>),
}

/// Says single sentences without disturbing the line that is redrawn; may be used from any thread.
#[derive(Clone, Debug)]
pub struct Voice(Option<ProgressBar>);

impl Voice {
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
            Shown::Quiet
        } else if output::can_redraw() {
            Shown::Redrawn(Redrawn::new(total_ns))
        } else {
            Shown::Plain(Plain::new(WallClock::start_on_system_clock().0, total_ns, output::message))
        };
        Self { shown, lines: None }
    }

    /// Prints each second as a line of JSON too, where that was asked for; when nobody reads them any more, `stop` is
    /// set.
    pub fn tell(&mut self, machine: &Machine, stop: &Arc<AtomicBool>) {
        if *machine == Machine::Lines {
            self.lines = Some(Lines::new(stop));
        }
    }

    /// For messages while this is in use.
    pub fn voice(&self) -> Voice {
        match &self.shown {
            Shown::Redrawn(redrawn) => Voice(Some(redrawn.line().clone())),
            _ => Voice(None),
        }
    }

    fn shown(&mut self) -> Option<&mut dyn Progress> {
        match &mut self.shown {
            Shown::Quiet => None,
            Shown::Redrawn(redrawn) => Some(redrawn),
            Shown::Plain(plain) => Some(plain),
        }
    }
}

impl Progress for Screen {
    fn preparing(&mut self, what: Preparation, done_bytes: u64, total_bytes: u64) {
        if let Some(shown) = self.shown() {
            shown.preparing(what, done_bytes, total_bytes);
        }
    }

    fn step(&mut self, notice: &StepNotice) {
        if let Some(lines) = &mut self.lines {
            lines.step(notice);
        }
        if let Some(shown) = self.shown() {
            shown.step(notice);
        }
    }

    fn second(&mut self, second: &Second) {
        if let Some(lines) = &mut self.lines {
            lines.second(second);
        }
        if let Some(shown) = self.shown() {
            shown.second(second);
        }
    }

    fn simulated_time(&mut self, is_simulated: bool) {
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
