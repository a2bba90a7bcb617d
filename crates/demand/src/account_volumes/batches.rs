//! Metrics of all volumes by as few calls as the service's limits allow, and no faster than it allows.
//!
//! Sources: CloudWatch API reference, `GetMetricData` (500 queries and 100,800 points a call); CloudWatch user guide,
//! "CloudWatch service quotas" (50 calls and 90,000 points a second where the first point is older than three hours;
//! counted are the points that are asked for, and not those that are there).

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fathom_tools::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::aws::{Caller, Machine};
use crate::cloudwatch::{CHECKS, FAMILIES, OPERATION, period_kept_s};

const ANSWER: &str = "CloudWatch metrics";
/// Queries of a call.
pub const MOST_QUERIES: usize = 500;
/// Points of a page, and so of a call that needs one page alone.
const MOST_POINTS: u64 = 100_800;
const POINTS_A_SECOND: u64 = 90_000;
const CALLS_A_SECOND: u64 = 50;
/// Sums of a volume, and what says that it reached a limit.
const SUMS: [&str; 4] = FAMILIES[0];
const LIMITS: [&str; 2] = [CHECKS[0], CHECKS[1]];
/// Whether a limit was reached is asked for day by day.
const CHECK_PERIOD_S: i64 = 86_400;
const MOST_PAGES: usize = 1000;

/// The time that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// From when, in seconds since 1970: whole periods.
    pub from_unix_s: i64,
    /// Until when.
    pub to_unix_s: i64,
    /// Seconds of a period.
    pub period_s: i64,
}

impl Stretch {
    /// Whole periods between two times, of so many seconds or the finest that is still kept of the first.
    ///
    /// # Errors
    /// When no time lies between them, or the period is none of the service's.
    pub fn new(from_unix_s: i64, to_unix_s: i64, now_unix_s: i64, period_s: i64) -> Result<Self, Refusal> {
        if period_s < 60 || period_s % 60 != 0 || period_s > CHECK_PERIOD_S {
            return Err(Refusal::new(
                "a period of CloudWatch",
                format!("{period_s} s is not a whole number of minutes up to a day"),
            )
            .at("--metric-period")
            .or("type it as 5m or 1h"));
        }
        let period_s = period_s.max(period_kept_s(from_unix_s, now_unix_s));
        let whole = |at_s: i64| at_s.div_euclid(period_s) * period_s;
        let (from_unix_s, to_unix_s) = (whole(from_unix_s), whole(to_unix_s));
        if to_unix_s - from_unix_s < 2 * period_s {
            return Err(Refusal::new(ANSWER, "not even two periods lie between --from and --to")
                .at("--from")
                .or("give --from before --to, e.g. --from 7d"));
        }
        Ok(Self { from_unix_s, to_unix_s, period_s })
    }

    /// Points that are asked for of one volume.
    pub fn points(&self) -> u64 {
        let of = |period_s: i64| u64::try_from((self.to_unix_s - self.from_unix_s) / period_s).unwrap_or(0);
        of(self.period_s) * SUMS.len() as u64 + (of(CHECK_PERIOD_S) + 1) * LIMITS.len() as u64
    }

    /// Volumes of a call: as many as its queries and its page hold.
    pub fn volumes_a_call(&self) -> usize {
        let by_queries = MOST_QUERIES / (SUMS.len() + LIMITS.len());
        let by_points = usize::try_from(MOST_POINTS / self.points().max(1)).unwrap_or(usize::MAX);
        by_queries.min(by_points).max(1)
    }
}

/// Volumes in batches of one call each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batches<'a> {
    ids: Vec<&'a str>,
    each: usize,
}

impl<'a> Batches<'a> {
    /// Of volumes in their order.
    pub fn new(ids: Vec<&'a str>, stretch: &Stretch) -> Self {
        Self { ids, each: stretch.volumes_a_call() }
    }

    /// The batches.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[&'a str]> {
        self.ids.chunks(self.each)
    }
}

/// Keeps the calls and points of all who call under what the service allows in a second.
#[derive(Debug, Default)]
pub struct Pace {
    /// When the next call may be sent, on the clock that all their machines share.
    next: Mutex<Duration>,
}

impl Pace {
    /// Waits until a call for so many points may be sent, one caller after the other; gives whether it is to be sent at
    /// all, which `is_over` denies.
    pub fn wait(&self, machine: &mut impl Machine, points: u64, is_over: impl Fn() -> bool) -> bool {
        // Who waits keeps the others waiting behind it, so that nobody waits for more than one call once it is over.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if is_over() {
            return false;
        }
        if let Some(early) = next.checked_sub(machine.since_start()) {
            machine.wait(early);
        }
        let costs = Duration::from_millis(1000 / CALLS_A_SECOND)
            .max(Duration::from_nanos(points.saturating_mul(1_000_000_000) / POINTS_A_SECOND));
        *next = machine.since_start().max(*next) + costs;
        !is_over()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page {
    #[serde(default)]
    metric_data_results: Vec<Series>,
    next_token: Option<String>,
}

/// A metric's values, as the service and its tool write them.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Series {
    #[serde(default)]
    label: String,
    #[serde(default)]
    timestamps: Vec<f64>,
    #[serde(default)]
    values: Vec<f64>,
}

/// The metrics of a batch of volumes as the provider's tool prints them, with a mark of fathom's in front; none where it
/// `is_over` before they are all there.
///
/// # Errors
/// As the call; when its pages do not end, or hold none of the provider's answers.
pub fn measure<M: Machine>(
    caller: &mut Caller<'_, M>,
    volumes: &[&str],
    stretch: &Stretch,
    (pace, is_over): (&Pace, &dyn Fn() -> bool),
) -> Result<Option<String>, Refusal> {
    let refused = |cause: String| {
        Refusal::new(ANSWER, cause).or("see that the endpoint is CloudWatch's own, not a page in front of it")
    };
    let mut query = query(volumes, stretch);
    let mut joined: Vec<Series> = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..MOST_PAGES {
        if let Some(token) = &token {
            query["NextToken"] = Value::from(token.as_str());
        }
        let points = (stretch.points() * volumes.len() as u64).min(MOST_POINTS);
        if !pace.wait(caller.machine(), points, is_over) {
            return Ok(None);
        }
        let body = caller.call(OPERATION, query.to_string().as_bytes())?;
        let page: Page =
            fathom_json::read_bytes(&body).map_err(|error| refused(error.to_string()).with_source(error))?;
        for series in page.metric_data_results {
            if series.timestamps.len() != series.values.len() {
                return Err(refused(format!(
                    "{} has {} times and {} values",
                    series.label,
                    series.timestamps.len(),
                    series.values.len()
                )));
            }
            match joined.iter_mut().find(|known| known.label == series.label) {
                Some(known) => {
                    known.timestamps.extend(series.timestamps);
                    known.values.extend(series.values);
                }
                None => joined.push(series),
            }
        }
        let next = page.next_token.filter(|next| !next.is_empty());
        if next.is_none() {
            return Ok(Some(document(&joined)));
        }
        if next == token {
            return Err(refused("a page names itself as the next one".to_owned()));
        }
        token = next;
    }
    Err(refused(format!("more than {MOST_PAGES} pages")))
}

fn query(volumes: &[&str], stretch: &Stretch) -> Value {
    let sums = SUMS.map(|name| (name, "Sum", stretch.period_s));
    let checks = LIMITS.map(|name| (name, "Maximum", CHECK_PERIOD_S));
    let of_volume = |volume: &&str| {
        let volume = (*volume).to_owned();
        sums.into_iter()
            .chain(checks)
            .map(move |(name, statistic, period_s)| (volume.clone(), name, statistic, period_s))
    };
    let queries = volumes.iter().flat_map(of_volume).enumerate().map(
        |(number, (volume, name, statistic, period_s))| {
            json!({
                "Id": format!("m{number}"),
                "Label": format!("{volume} {name}"),
                "MetricStat": {
                    "Metric": {
                        "Namespace": "AWS/EBS",
                        "MetricName": name,
                        "Dimensions": [{ "Name": "VolumeId", "Value": volume }],
                    },
                    "Period": period_s,
                    "Stat": statistic,
                },
            })
        },
    );
    json!({
        "MetricDataQueries": queries.collect::<Vec<_>>(),
        "StartTime": stretch.from_unix_s,
        "EndTime": stretch.to_unix_s,
        "ScanBy": "TimestampAscending",
        "MaxDatapoints": MOST_POINTS,
    })
}

/// Counts are mostly whole, and written so: half as long as with a fraction.
fn document(series: &[Series]) -> String {
    use std::fmt::Write;

    let list = |out: &mut String, numbers: &[f64]| {
        for (at, number) in numbers.iter().enumerate() {
            let _ = write!(out, "{}{number}", if at > 0 { "," } else { "" });
        }
    };
    let mut out = "{\"format\":\"fathom.account_metrics\",\"MetricDataResults\":[".to_owned();
    for (number, one) in series.iter().enumerate() {
        let _ = write!(
            out,
            "{}\n{{\"Id\":\"m{number}\",\"Label\":{},\"Timestamps\":[",
            if number > 0 { "," } else { "" },
            Value::from(one.label.as_str())
        );
        list(&mut out, &one.timestamps);
        out += "],\"Values\":[";
        list(&mut out, &one.values);
        out += "],\"StatusCode\":\"Complete\"}";
    }
    out + "\n]}\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aws::{FakeMachine, ServiceOptions};

    const NOW: i64 = 1_793_491_200;

    fn week() -> Stretch {
        Stretch::new(NOW - 7 * 86_400, NOW, NOW, 300).unwrap()
    }

    #[test]
    fn calls_hold_what_the_service_takes_and_no_more() {
        let week = week();
        assert_eq!((week.points(), week.volumes_a_call()), (2016 * 4 + 8 * 2, 12));
        let hours = Stretch { period_s: 3600, ..week };
        assert_eq!(hours.volumes_a_call(), 83);
        let ids = vec!["vol-1"; 200];
        let batches = Batches::new(ids, &hours);
        assert_eq!(batches.iter().map(<[&str]>::len).collect::<Vec<_>>(), [83, 83, 34]);
        let full = query(&["vol-1"; 83], &hours);
        assert_eq!(full["MetricDataQueries"].as_array().unwrap().len(), 498);
        // Two months ago minutes are gone.
        assert_eq!(Stretch::new(NOW - 70 * 86_400, NOW, NOW, 60).unwrap().period_s, 3600);
        for (from, to, period) in
            [(NOW, NOW - 60, 300), (NOW - 86_400, NOW, 30), (NOW - 300, NOW, 300), (NOW - 86_400, NOW, 90)]
        {
            assert!(!Stretch::new(from, to, NOW, period).unwrap_err().remedy.is_empty());
        }
    }

    #[test]
    fn two_thousand_volumes_take_three_minutes_at_the_published_rate() {
        let mut machine = FakeMachine::default();
        let pace = Pace::default();
        let week = week();
        let volumes = 2000u64;
        let calls = volumes.div_ceil(week.volumes_a_call() as u64);
        (0..calls).for_each(|_| {
            assert!(pace.wait(&mut machine, week.points() * week.volumes_a_call() as u64, || false))
        });
        let seconds = machine.waited.as_secs();
        assert!((170..200).contains(&seconds), "{seconds} s");
        let points = (calls - 1) * week.points() * week.volumes_a_call() as u64;
        assert!(points <= (seconds + 1) * POINTS_A_SECOND);
        // Small calls are held back by their number.
        let mut machine = FakeMachine::default();
        let pace = Pace::default();
        (0..101).for_each(|_| assert!(pace.wait(&mut machine, 1, || false)));
        assert_eq!(machine.waited, Duration::from_secs(2));
        // Whoever comes when it is over neither waits nor calls.
        assert!(!pace.wait(&mut machine, 1, || true));
        assert_eq!(machine.waited, Duration::from_secs(2));
    }

    #[test]
    fn pages_are_joined_into_what_the_tool_would_print() {
        let mut machine = FakeMachine::default();
        for (name, value) in [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "B")] {
            machine.set(name, value);
        }
        let page = |first: u64, next: &str| {
            format!(
                "{{\"MetricDataResults\":[{{\"Id\":\"m0\",\"Label\":\"vol-1 VolumeReadOps\",\"Timestamps\":[{first}.0,{}],\"Values\":[1.5,2.0],\"StatusCode\":\"PartialData\"}}],\"NextToken\":{next}}}",
                first + 300
            )
        };
        let asked = ServiceOptions { region: Some("eu-central-1"), ..ServiceOptions::default() };
        machine.queue.extend([
            (200, page(300, "\"a\"")),
            (200, "{\"MetricDataResults\":[],\"NextToken\":\"b\"}".to_owned()),
            (200, page(900, "null")),
        ]);
        let mut caller = Caller::new(&mut machine, ("monitoring", "CLOUDWATCH"), asked).unwrap();
        let pace = Pace::default();
        let text = measure(&mut caller, &["vol-1"], &week(), (&pace, &|| false)).unwrap().unwrap();
        assert!(text.contains("\"Timestamps\":[300,600,900,1200],\"Values\":[1.5,2,1.5,2]"), "{text}");
        assert!(text.starts_with("{\"format\":\"fathom.account_metrics\""), "{text}");
        drop(caller);
        machine.queue.extend([(200, page(300, "\"a\"")), (200, page(900, "\"a\""))]);
        let mut caller = Caller::new(&mut machine, ("monitoring", "CLOUDWATCH"), asked).unwrap();
        assert!(
            measure(&mut caller, &["vol-1"], &week(), (&pace, &|| false))
                .unwrap_err()
                .cause
                .contains("names itself")
        );
        assert_eq!(measure(&mut caller, &["vol-1"], &week(), (&pace, &|| true)), Ok(None));
    }
}
