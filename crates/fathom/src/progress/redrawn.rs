//! One line on a terminal that is drawn again as things change.

use fathom_campaign::{Progress, Second, StepNotice};
use fathom_engine::target::Preparation;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::words::{self, Left};
use crate::layout;
use crate::output;

/// The line and what it says. It is taken away when this is dropped.
pub struct Redrawn {
    line: ProgressBar,
    /// What runs, for an assessment: in full, and ever shorter for narrow terminals.
    step: Option<[String; 3]>,
    left: Left,
}

impl Redrawn {
    /// A line that says that things start.
    pub fn new(total_ns: Option<u64>) -> Self {
        // Drawn only when something is new: a clock that ticks would run beside the measurement.
        let style = ProgressStyle::with_template("{wide_msg}").expect("the template is well formed");
        let line =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)).with_style(style);
        let this = Self { line, step: None, left: Left { at_start_ns: total_ns } };
        this.draw("starting");
        this
    }

    /// For others who draw on the same terminal.
    pub fn line(&self) -> &ProgressBar {
        &self.line
    }

    fn draw(&self, text: &str) {
        let all = |step: &String| layout::plain(&format!("{step} · {text}"));
        // The last column is left free, since some terminals wrap when it is written.
        let room = output::width_of_messages();
        let forms = self.step.iter().flatten().map(all);
        let text = forms
            .reduce(|full, short| if full.chars().count() < room { full } else { short })
            .unwrap_or_else(|| layout::plain(text));
        self.line.set_message(text);
    }
}

impl Drop for Redrawn {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

impl Progress for Redrawn {
    fn preparing(&mut self, what: Preparation, done_bytes: u64, total_bytes: u64) {
        self.draw(&words::preparing(what, done_bytes, total_bytes));
    }

    fn step(&mut self, notice: &StepNotice) {
        self.left = Left { at_start_ns: notice.left_ns };
        self.step = Some(words::step_forms(notice));
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
