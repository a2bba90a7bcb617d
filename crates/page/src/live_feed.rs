//! What runs on this machine, as Server-Sent Events: a measurement's ring, read on as it is written.
//!
//! A client pulls: nothing is queued for one that does not read, and one that comes back later than its lines last is
//! told so by `reset`. The id of an event names the ring and the line, so that a browser that reconnects goes on there.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use fathom_campaign::live_seconds::{
    HeatLine, LiveEvent, MeasurementUpdate, RingHead, RunningMeasurement, look,
};
use hyper::body::{Body, Bytes, Frame};
use serde::Serialize;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::answer::{QueryParameters, Refusal};

/// Between two looks at the ring: a second is on the screen well within the next.
const LOOK: Duration = Duration::from_millis(250);
/// Looks without anything new after which a comment is sent, which keeps proxies from closing: 15 s.
const LOOKS_PER_COMMENT: u32 = 60;
/// How long a browser waits before it comes back, in milliseconds.
const RETRY_MS: u32 = 2000;

/// What runs now, as a document.
///
/// # Errors
/// When something else is asked for.
pub(crate) fn running(folders: &[PathBuf], query: &str) -> Result<Vec<u8>, Refusal> {
    QueryParameters::of(query)?.end()?;
    let mut looked = look(folders);
    looked.explain_others();
    fathom_json::bytes(&looked.list()).map_err(|error| Refusal::new(500, "system", error.to_string()))
}

/// Latencies of some seconds, with what their rows are.
#[derive(Serialize)]
struct Heat<'a> {
    until_ns: u64,
    /// Lowest latency of each row, and at the end the highest of the last.
    bounds_ns: Vec<u64>,
    counts: &'a [u64],
}

/// A run that was saved.
#[derive(Serialize)]
struct SavedRun<'a> {
    run: &'a str,
}

/// The end.
#[derive(Serialize)]
struct FeedEnd {
    /// Whether the command came to its end, and its process has not just gone.
    complete: bool,
}

/// A response that goes on as long as the measurement does.
#[derive(Debug)]
pub(crate) struct Feed {
    running: RunningMeasurement,
    told: Option<RingHead>,
    interval: Interval,
    quiet: u32,
    /// What is sent first.
    first: Option<String>,
    complete: bool,
    is_over: bool,
}

impl Feed {
    /// Of the measurement that `of` names, or the newest; from the line behind `last` on, or from the oldest.
    ///
    /// # Errors
    /// When nothing of that name runs.
    pub(crate) fn of(folders: &[PathBuf], query: &str, last: Option<&str>) -> Result<Self, Refusal> {
        let mut parameters = QueryParameters::of(query)?;
        let of = parameters.text("of")?;
        parameters.end()?;
        let mut looked = look(folders).running.into_iter();
        let is_meant = |running: &RunningMeasurement| of.as_deref().is_none_or(|of| running.is_named(of));
        let found = looked.find(is_meant);
        let mut running = found.ok_or_else(|| Refusal::no_such("no measurement of that name runs here"))?;
        let mut first = format!("retry: {RETRY_MS}\n\n");
        if let Some(last) = last {
            let line = last.split_once(':').filter(|(key, _)| *key == running.key());
            let line = line.and_then(|(_, line)| line.parse::<u64>().ok());
            let goes_on = line.is_some_and(|line| running.go_to(line.saturating_add(1)));
            if !goes_on {
                running.go_to(0);
                first += &event("reset", &serde_json::Map::new());
            }
        }
        let mut interval = interval(LOOK);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let first = Some(first);
        Ok(Self { running, told: None, interval, quiet: 0, first, complete: false, is_over: false })
    }

    /// What is new, as text; empty for nothing.
    fn news(&mut self) -> String {
        let mut text = self.first.take().unwrap_or_default();
        let news = self.running.news();
        if self.told.as_ref() != Some(self.running.head()) {
            text += &event("head", self.running.head());
            self.told = Some(self.running.head().clone());
        }
        for one in &news {
            match one {
                MeasurementUpdate::Line(number, line) => {
                    self.complete |= *line == LiveEvent::Ended;
                    let line = written(line);
                    if !line.is_empty() {
                        let _ = write!(text, "id: {}:{number}\n{line}", self.running.key());
                    }
                }
                MeasurementUpdate::Gap => text += &event("reset", &serde_json::Map::new()),
            }
        }
        if self.running.has_ended() {
            self.is_over = true;
            text += &event("ended", &FeedEnd { complete: self.complete });
        }
        self.quiet = if text.is_empty() { self.quiet + 1 } else { 0 };
        if self.quiet >= LOOKS_PER_COMMENT {
            self.quiet = 0;
            text.push_str(":\n\n");
        }
        text
    }
}

/// One event; JSON has no line breaks of its own.
fn event(name: &str, data: &impl Serialize) -> String {
    let data = fathom_json::text(data).unwrap_or_else(|_| "{}".to_owned());
    format!("event: {name}\ndata: {data}\n\n")
}

/// A line of a ring as an event; empty for what the page does not show, or the end, which has more to say.
fn written(line: &LiveEvent) -> String {
    match line {
        LiveEvent::Step(step) => event("step", step),
        LiveEvent::Second(second) => event("second", second),
        LiveEvent::Heat(heat) => heat_event(heat),
        LiveEvent::Saved { run } => event("saved", &SavedRun { run }),
        LiveEvent::Ended | LiveEvent::Unknown => String::new(),
    }
}

fn heat_event(heat: &HeatLine) -> String {
    let bounds = heat.bounds_ns();
    bounds.map_or_else(String::new, |bounds_ns| {
        event("heat", &Heat { until_ns: heat.until_ns, bounds_ns, counts: &heat.counts })
    })
}

impl Body for Feed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        while !self.is_over {
            if self.interval.poll_tick(context).is_pending() {
                return Poll::Pending;
            }
            let text = self.news();
            if !text.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(Bytes::from(text)))));
            }
        }
        Poll::Ready(None)
    }
}
