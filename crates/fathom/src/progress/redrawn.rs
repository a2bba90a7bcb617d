//! One line on a terminal that is drawn again as things change.

use fathom_campaign::{Progress, Second, StepNotice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::words::{self, Left};
use crate::layout;
use crate::output;

/// The line and what it says. It is taken away when this is dropped.
pub struct Redrawn {
    line: ProgressBar,
    /// What runs, for an assessment.
    step: String,
    left: Left,
}

impl Redrawn {
    /// A line that says that things start.
    pub fn new(total_ns: Option<u64>) -> Self {
        // Drawn only when something is new: a clock that ticks would run beside the measurement.
        let style = ProgressStyle::with_template("{wide_msg}").expect("the template is well formed");
        let line =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)).with_style(style);
        let this = Self { line, step: String::new(), left: Left { at_start_ns: total_ns } };
        this.draw("starting");
        this
    }

    /// For others who draw on the same terminal.
    pub fn line(&self) -> &ProgressBar {
        &self.line
    }

    fn draw(&self, text: &str) {
        let text = if self.step.is_empty() { text.to_owned() } else { format!("{} · {text}", self.step) };
        self.line.set_message(layout::plain(&text));
        self.line.tick();
    }
}

impl Drop for Redrawn {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

impl Progress for Redrawn {
    fn preparing(&mut self, done_bytes: u64, total_bytes: u64) {
        self.draw(&words::preparing(done_bytes, total_bytes));
    }

    fn step(&mut self, notice: &StepNotice) {
        self.left = Left { at_start_ns: Some(notice.left_ns) };
        self.step = words::step(notice);
        self.draw(&self.left.after(0));
    }

    fn second(&mut self, second: &Second) {
        self.draw(&format!("{} · {}", self.left.after(second.until_ns), words::figures(second)));
    }

    fn note(&mut self, text: &str) {
        let lines = layout::wrapped("", text, "  ", output::width_of_messages()).join("\n");
        self.line.suspend(|| output::message(&lines));
    }
}
