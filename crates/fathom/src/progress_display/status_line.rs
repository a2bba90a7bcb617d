//! One line on a terminal that is drawn again as things change.

use fathom_campaign::{Progress, Second, StepNotice};
use fathom_report::layout;
use fathom_target::Preparation;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::progress_words::{self, RemainingTime};
use crate::output;

/// The line and what it says. It is taken away when this is dropped.
pub struct ProgressLine {
    line: ProgressBar,
    /// What runs, for an assessment: in full, and ever shorter for narrow terminals.
    step: Option<[String; 3]>,
    left: RemainingTime,
}

impl ProgressLine {
    /// A line that says that things start.
    pub fn new(total_ns: Option<u64>) -> Self {
        // Drawn only when something is new: a clock that ticks would run beside the measurement.
        let style = ProgressStyle::with_template("{wide_msg}").expect("the template is well formed");
        let line =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)).with_style(style);
        let this = Self { line, step: None, left: RemainingTime { at_start_ns: total_ns, simulated: false } };
        this.draw("starting", None);
        this
    }

    /// For others who draw on the same terminal.
    pub fn line(&self) -> &ProgressBar {
        &self.line
    }

    fn draw(&self, text: &str, figures: Option<&[String; 3]>) {
        let forms = forms(self.step.as_ref(), text, figures);
        // The last column is left free, since some terminals wrap when it is written.
        let room = output::width_of_progress();
        let fits = |form: &&String| form.chars().count() < room;
        let form = forms.iter().find(fits).or(forms.last()).cloned();
        self.line.set_message(output::redrawn(&form.unwrap_or_default()).into_owned());
    }
}

/// The line in full, and ever shorter. What runs is named longer than the figures that the rate says already.
fn forms(step: Option<&[String; 3]>, text: &str, figures: Option<&[String; 3]>) -> Vec<String> {
    const ORDER: [(usize, usize); 6] = [(0, 0), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2)];
    let form = |(step_at, figures_at): (usize, usize)| {
        let parts =
            [step.map(|step| step[step_at].as_str()), Some(text), figures.map(|f| f[figures_at].as_str())];
        layout::plain(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
    };
    ORDER.map(form).to_vec()
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

impl Progress for ProgressLine {
    fn preparing(&mut self, what: Preparation, done_bytes: u64, total_bytes: u64) {
        self.draw(&progress_words::preparing(what, done_bytes, total_bytes), None);
    }

    fn step(&mut self, notice: &StepNotice) {
        self.left.at_start_ns = notice.left_ns;
        self.step = Some(progress_words::step_forms(notice));
        self.draw(&self.left.after(0), None);
    }

    fn second(&mut self, second: &Second) {
        self.draw(&self.left.after(second.until_ns), Some(&progress_words::figure_forms(second)));
    }

    fn simulated_time(&mut self, is_simulated: bool) {
        self.left.simulated = is_simulated;
    }

    fn note(&mut self, text: &str) {
        let lines = layout::wrapped("", text, "  ", output::width_of_messages()).join("\n");
        self.line.suspend(|| output::message(&lines));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_line_loses_the_throughput_before_the_name_of_what_runs() {
        let step = [
            "1 of 7: 4 KiB random read, 1 × 256, climb",
            "1 of 7: 4 KiB random read, 1 × 256",
            "1 of 7, 1 × 256",
        ]
        .map(str::to_owned);
        let figures = ["86.4 k IOPS, 354 MB/s, p99 345 us", "86.4 k IOPS, p99 345 us", "86.4 k IOPS"]
            .map(str::to_owned);
        let forms = forms(Some(&step), "1 min 49 s left", Some(&figures));
        let at_80 = forms.iter().find(|form| form.chars().count() < 80).unwrap();
        assert_eq!(at_80, "1 of 7: 4 KiB random read, 1 × 256 · 1 min 49 s left · 86.4 k IOPS, p99 345 us");
        let named = forms.iter().filter(|form| form.contains("random read")).count();
        assert!(forms[named..].iter().all(|form| !form.contains("MB/s")), "{forms:?}");
    }
}
