//! What a file of another tool's results states, as a reader of this lab found it, independently, beside the
//! importer's.

/// Which of a tool's latencies: fathom's words for what fio calls `lat`, `clat` and `slat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    Service,
    Completion,
    Submit,
}

impl Latency {
    /// The field of a record's direction that holds it.
    pub fn field(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Completion => "completion",
            Self::Submit => "submit",
        }
    }
}

/// What is stated, in base units: operations, bytes, per second, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatedQuantity {
    Operations,
    Bytes,
    Rate,
    Throughput,
    Mean(Latency),
    Min(Latency),
    Max(Latency),
    /// With its order, 0 to 1.
    Quantile(Latency, f64),
    /// I/Os that the tool was asked to keep in flight, of all directions together.
    InFlight,
    /// How long the longest direction was measured, in nanoseconds.
    Duration,
}

/// One stated number.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// `read`, `write` or `trim`; empty for what is of all.
    pub direction: &'static str,
    pub what: StatedQuantity,
    pub value: f64,
    /// One unit of the last digit that is printed.
    pub rounding: f64,
}

/// One result in a file: what a job, or a group of them, states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Results of one group may be one record.
    pub group: String,
    pub figures: Vec<Figure>,
}

impl Outcome {
    /// Adds a number, or nothing where it could not be read.
    pub fn put(&mut self, direction: &'static str, what: StatedQuantity, read: Option<PrintedNumber>) {
        if let Some(PrintedNumber { value, rounding }) = read {
            self.figures.push(Figure { direction, what, value, rounding });
        }
    }

    /// Keeps the longest of several times.
    pub fn put_duration(&mut self, read: Option<PrintedNumber>) {
        let known = self.figures.iter_mut().find(|figure| figure.what == StatedQuantity::Duration);
        match (known, read) {
            (Some(figure), Some(read)) => figure.value = figure.value.max(read.value),
            (None, read) => self.put("", StatedQuantity::Duration, read),
            (Some(_), None) => {}
        }
    }

    pub fn find(&self, direction: &str, what: StatedQuantity) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.direction == direction && figure.what == what)
    }
}

/// A number as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedNumber {
    pub value: f64,
    /// One unit of the last digit.
    pub rounding: f64,
}

impl PrintedNumber {
    /// The same in another unit.
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, rounding: self.rounding * factor }
    }
}

/// One column of a tool that prints interval by interval, in the metric and unit that fathom's documents give it.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    pub metric: &'static str,
    /// The disk or processor; empty for the machine.
    pub label: String,
    /// One for each interval in which the tool printed one.
    pub values: Vec<f64>,
    /// The largest unit of a last digit among them.
    pub rounding: f64,
}

/// All of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statement {
    pub outcomes: Vec<Outcome>,
    pub tracks: Vec<Track>,
}

impl Statement {
    /// Adds the value of an interval to its track.
    pub fn put(&mut self, metric: &'static str, label: &str, printed: PrintedNumber) {
        let there = self.tracks.iter_mut().find(|track| track.metric == metric && track.label == label);
        match there {
            Some(track) => {
                track.values.push(printed.value);
                track.rounding = track.rounding.max(printed.rounding);
            }
            None => self.tracks.push(Track {
                metric,
                label: label.to_owned(),
                values: vec![printed.value],
                rounding: printed.rounding,
            }),
        }
    }
}
