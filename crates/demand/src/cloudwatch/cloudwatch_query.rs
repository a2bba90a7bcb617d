//! Sums of a volume or an instance from CloudWatch itself, page by page.
//!
//! Source: CloudWatch API reference, `GetMetricData`; retention: CloudWatch user guide, "Metrics retention".

use fathom_rows::DemandReport;
use fathom_tools::Refusal;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ANSWER, CHECKS, FAMILIES, Metric, PARTIAL, assembled, of_document};

/// The operation, as its JSON protocol calls it.
pub const OPERATION: &str = "GraniteServiceVersion20100801.GetMetricData";
const DAY_S: i64 = 86_400;
/// How long points of a period are kept: so many days, then seconds of the period.
const KEPT: [(i64, i64); 3] = [(15, 60), (63, 300), (455, 3600)];
/// Pages of one demand: 455 days of hours are one, 15 days of minutes two.
const MOST_PAGES: usize = 1000;

/// What CloudWatch is asked.
#[derive(Clone, Copy, Debug)]
pub struct CloudWatchQuery<'a> {
    /// A volume as `vol-0123456789abcdef0`, or an instance as `i-0123456789abcdef0`.
    pub subject: &'a str,
    /// From when, in seconds since 1970.
    pub from_unix_s: i64,
    /// Until when.
    pub to_unix_s: i64,
    /// When it is asked.
    pub now_unix_s: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page {
    next_token: Option<String>,
}

/// Reads the demand of a volume or an instance; `call` sends the operation with this body and gives what it answers.
///
/// # Errors
/// As `call`; when nothing is known of the subject in that time, or it is none.
pub fn fetch(
    asked: &CloudWatchQuery<'_>,
    mut call: impl FnMut(&[u8]) -> Result<Vec<u8>, Refusal>,
) -> Result<DemandReport, Refusal> {
    let mut query = query(asked)?;
    let (mut metrics, mut notes) = (Vec::new(), Vec::new());
    let mut token: Option<String> = None;
    for _ in 0..MOST_PAGES {
        if let Some(token) = &token {
            query["NextToken"] = Value::from(token.as_str());
        }
        let body = call(query.to_string().as_bytes())?;
        if !body.trim_ascii_start().starts_with(b"{") {
            return Err(Refusal::new(ANSWER, "the answer is not JSON")
                .or("see that the endpoint is CloudWatch's own, not a page in front of it"));
        }
        // A page that others follow is never complete.
        notes.retain(|note: &String| !note.contains(PARTIAL));
        metrics.extend(of_document(&body, &mut notes)?);
        let page: Page = fathom_json::read_bytes(&body).map_err(|error| Refusal::caused_by(ANSWER, error))?;
        let next = page.next_token.filter(|next| !next.is_empty());
        if next.is_none() {
            return seen(asked, metrics, notes);
        }
        if next == token {
            return Err(Refusal::new(ANSWER, "a page names itself as the next one")
                .or("see that the endpoint is CloudWatch's, or ask for less at once with --from and --to"));
        }
        token = next;
    }
    Err(Refusal::new(ANSWER, format!("more than {MOST_PAGES} pages"))
        .or("ask for less at once with --from and --to"))
}

fn seen(
    asked: &CloudWatchQuery<'_>,
    mut metrics: Vec<Metric>,
    notes: Vec<String>,
) -> Result<DemandReport, Refusal> {
    metrics.retain(|metric| !metric.points.is_empty());
    let subject = asked.subject;
    let period_s = period_s(asked);
    if metrics.is_empty() {
        let what = if subject.starts_with("vol-") {
            "describe-volumes --volume-ids"
        } else {
            "describe-instances --instance-ids"
        };
        return Err(Refusal::new(ANSWER, format!("nothing is known of {subject} in that time: there is none in this region, or it was not in use"))
            .or(format!("look for it, then name its region with --aws-region and a longer time with --from: aws ec2 {what} {subject} --region REGION")));
    }
    let mut seen = assembled(&metrics, notes, Some(subject))?;
    if period_s > 60 {
        seen.notes.push(format!("CloudWatch keeps minutes for 15 days and 5 minutes for 63: from {} days ago on it was asked for means of {period_s} s.", (asked.now_unix_s - asked.from_unix_s) / DAY_S));
    }
    Ok(seen)
}

fn period_s(asked: &CloudWatchQuery<'_>) -> i64 {
    period_kept_s(asked.from_unix_s, asked.now_unix_s)
}

/// The finest period, in seconds, that is still kept of a moment.
pub(crate) fn period_kept_s(from_unix_s: i64, now_unix_s: i64) -> i64 {
    let age_s = now_unix_s.saturating_sub(from_unix_s);
    let kept = KEPT.iter().find(|(days, _)| age_s < days * DAY_S);
    kept.map_or(KEPT[KEPT.len() - 1].1, |(_, period_s)| *period_s)
}

/// The first page's query.
fn query(asked: &CloudWatchQuery<'_>) -> Result<Value, Refusal> {
    let subject = asked.subject;
    let is_id = |prefix: &str| {
        subject
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    let (namespace, dimension, families, checks): (_, _, &[[&str; 4]], _) = if is_id("vol-") {
        ("AWS/EBS", "VolumeId", &FAMILIES[..1], &CHECKS[..2])
    } else if is_id("i-") {
        ("AWS/EC2", "InstanceId", &FAMILIES[1..], &CHECKS[2..])
    } else {
        return Err(Refusal::new("a volume or an instance", format!("{subject:?} is not the ID of one"))
            .at("--cloudwatch")
            .or("type it as vol-0123456789abcdef0, or as i-0123456789abcdef0"));
    };
    if asked.from_unix_s >= asked.to_unix_s {
        return Err(Refusal::new(ANSWER, "no time lies between --from and --to")
            .or("give --from before --to, e.g. --from 14d"));
    }
    let period_s = period_s(asked);
    let sums = families.iter().flatten().map(|name| (*name, "Sum"));
    let series = sums.chain(checks.iter().map(|name| (*name, "Maximum"))).enumerate().map(
        |(number, (name, statistic))| {
            json!({
                "Id": format!("m{number}"),
                "Label": format!("{subject} {name}"),
                "MetricStat": {
                    "Metric": {
                        "Namespace": namespace,
                        "MetricName": name,
                        "Dimensions": [{ "Name": dimension, "Value": subject }],
                    },
                    "Period": period_s,
                    "Stat": statistic,
                },
            })
        },
    );
    // Whole periods: the first and last would be parts of one otherwise.
    let from = asked.from_unix_s.div_euclid(period_s) * period_s;
    let to = asked.to_unix_s.div_euclid(period_s) * period_s;
    Ok(json!({
        "MetricDataQueries": series.collect::<Vec<_>>(),
        "StartTime": from,
        "EndTime": to.max(from + period_s),
        "ScanBy": "TimestampAscending",
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_793_491_200;
    const ASKED: CloudWatchQuery<'static> =
        CloudWatchQuery { subject: "vol-1", from_unix_s: NOW - 7200, to_unix_s: NOW, now_unix_s: NOW };

    /// The points of all series from one minute to another.
    fn page(query: &[u8], minutes: std::ops::Range<i64>, next: Option<&str>) -> Vec<u8> {
        let query: Value = serde_json::from_slice(query).unwrap();
        let start = query["StartTime"].as_i64().unwrap();
        let results = query["MetricDataQueries"].as_array().unwrap().iter().map(|series| {
            let name = series["MetricStat"]["Metric"]["MetricName"].as_str().unwrap();
            let value = if name.ends_with("Bytes") {
                60.0 * 8192.0
            } else if name.ends_with("Check") {
                0.0
            } else {
                60.0
            };
            json!({
                "Id": series["Id"], "Label": series["Label"],
                "StatusCode": if next.is_some() { "PartialData" } else { "Complete" },
                "Timestamps": minutes.clone().map(|minute| start + 60 * minute).collect::<Vec<_>>(),
                "Values": minutes.clone().map(|_| value).collect::<Vec<_>>(),
            })
        });
        let results: Vec<Value> = results.collect();
        json!({ "MetricDataResults": results, "NextToken": next }).to_string().into_bytes()
    }

    #[test]
    fn pages_are_joined_until_the_last() {
        let mut tokens = Vec::new();
        let seen = fetch(&ASKED, |query| {
            let asked: Value = serde_json::from_slice(query).unwrap();
            tokens.push(asked["NextToken"].as_str().map(str::to_owned));
            Ok(match tokens.len() {
                1 => page(query, 0..50, Some("a")),
                2 => page(query, 50..100, Some("b")),
                _ => page(query, 100..120, None),
            })
        });
        let seen = seen.unwrap();
        assert_eq!(
            (seen.demand.tick_s, seen.demand.read.operations, seen.notes),
            (60, vec![60; 120], Vec::new())
        );
        assert_eq!(tokens, [None, Some("a".to_owned()), Some("b".to_owned())]);
        assert_eq!(
            (seen.start_unix_s, seen.throttled.len(), seen.source),
            (Some(NOW - 7200), 2, "cloudwatch")
        );
        let endless = fetch(&ASKED, |query| Ok(page(query, 0..9, Some("same")))).unwrap_err();
        assert!(endless.cause.contains("names itself"), "{endless}");
    }

    #[test]
    fn periods_are_those_that_are_still_kept_and_names_are_of_the_subject() {
        for (days, period) in [(1, 60), (14, 60), (15, 300), (62, 300), (63, 3600), (4000, 3600)] {
            let query = query(&CloudWatchQuery { from_unix_s: NOW - days * DAY_S, ..ASKED }).unwrap();
            assert_eq!(query["MetricDataQueries"][0]["MetricStat"]["Period"], period, "{days} days");
        }
        let of = |subject| query(&CloudWatchQuery { subject, ..ASKED });
        let names = |query: Value| -> Vec<String> {
            let series = query["MetricDataQueries"].as_array().unwrap().clone();
            series
                .iter()
                .map(|one| one["MetricStat"]["Metric"]["MetricName"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(names(of("vol-1").unwrap()).len(), 6);
        let instance = names(of("i-0a").unwrap());
        assert!(
            instance.len() == 10
                && instance[0] == "EBSReadOps"
                && instance[9] == "InstanceEBSThroughputExceededCheck"
        );
        for subject in ["", "vol-", "sda", "vol-1\"", "i-"] {
            assert!(of(subject).unwrap_err().remedy.contains("vol-0123"), "{subject}");
        }
    }

    #[test]
    fn nothing_and_a_time_that_is_none_are_refused_with_what_to_type() {
        let nothing = fetch(&ASKED, |query| Ok(page(query, 0..0, None))).unwrap_err();
        assert!(nothing.remedy.contains("describe-volumes --volume-ids vol-1"), "{nothing}");
        let backwards = fetch(&CloudWatchQuery { to_unix_s: 1, ..ASKED }, |_| Ok(Vec::new())).unwrap_err();
        assert!(backwards.remedy.contains("--from"), "{backwards}");
        let page = fetch(&ASKED, |_| Ok(b"<html>".to_vec())).unwrap_err();
        assert!(page.remedy.contains("endpoint"), "{page}");
    }
}
