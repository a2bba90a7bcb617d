//! How far a long reading is, on stderr: a line that is redrawn on a terminal, one now and then elsewhere.

use std::time::Duration;

use fathom_measure::{Clock, WallClock};
use fathom_report::layout;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;

/// What is over sooner is not told.
const SILENT_NS: u64 = 2_000_000_000;
/// A log has a line no more often than this.
const LOGGED_NS: u64 = 10_000_000_000;

/// Tells how far one reading is.
pub struct Meter {
    what: &'static str,
    clock: WallClock,
    line: Option<ProgressBar>,
    /// When the next line of a log is due.
    due_ns: u64,
    is_terminal: bool,
}

impl Meter {
    /// Often enough to ask.
    pub const EVERY: Duration = Duration::from_millis(50);

    /// Of a reading that begins now.
    pub fn new(what: &'static str) -> Self {
        let clock = WallClock::start_on_system_clock().0;
        let due_ns = clock.now_ns() + SILENT_NS;
        Self { what, clock, line: None, due_ns, is_terminal: output::can_redraw() }
    }

    /// So many pieces of all are read.
    pub fn at(&mut self, done: usize, all: usize) {
        let now_ns = self.clock.now_ns();
        if now_ns < self.due_ns {
            return;
        }
        let text = format!("{}: {} %", self.what, done * 100 / all.max(1));
        if self.is_terminal {
            self.line.get_or_insert_with(line).set_message(layout::plain(&text));
        } else {
            output::message(&text);
            self.due_ns = now_ns + LOGGED_NS;
        }
    }
}

fn line() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_msg}").expect("the template is well formed");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)).with_style(style)
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}
