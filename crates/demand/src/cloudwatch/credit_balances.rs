//! What is left of the credits by which volumes and instances go beyond their base: shares of a full balance.
//!
//! Source: EBS user guide, "CloudWatch metrics for EBS" (`BurstBalance`, for gp2, st1 and sc1); EC2 user guide, "EBS
//! metrics for Nitro-based instances" (`EBSIOBalance%`, `EBSByteBalance%`, for sizes that reach their maximum for 30
//! minutes a day). A datapoint's time is its period's start, and it is published minutes after it.

use fathom_tools::Refusal;
use serde_json::json;

use super::of_document;

/// Seconds of a period that is asked for, the finest that is published.
const PERIOD_S: i64 = 60;
/// Metrics of an instance and of a volume, each with the name that telemetry has for it.
const INSTANCE: [(&str, &str); 2] =
    [("EBSIOBalance%", "ebs.io_balance"), ("EBSByteBalance%", "ebs.byte_balance")];
const VOLUME: [(&str, &str); 1] = [("BurstBalance", "ebs.burst_balance")];

/// One balance over some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// The volume or instance.
    pub subject: String,
    /// Its metric, as telemetry names it: `ebs.io_balance`, `ebs.byte_balance` or `ebs.burst_balance`.
    pub metric: &'static str,
    /// The provider's own name for it.
    pub source: &'static str,
    /// Starts of periods, in seconds since 1970, with the least share of each, 0 to 1; in order.
    pub points: Vec<(i64, f64)>,
}

/// The balances of instances (`i-...`) and volumes (`vol-...`) between two moments, in seconds since 1970. `call` sends
/// `GetMetricData` with this body and gives what it answers. What has no such balance is left out.
///
/// # Errors
/// As `call`; an id of something else, or an answer that is none.
pub fn balances(
    subjects: &[String],
    (from_unix_s, to_unix_s): (i64, i64),
    call: impl FnOnce(&[u8]) -> Result<Vec<u8>, Refusal>,
) -> Result<Vec<Balance>, Refusal> {
    let mut asked = Vec::new();
    for subject in subjects {
        let (namespace, dimension, metrics): (_, _, &[(&'static str, &'static str)]) = match subject {
            id if is_id(id, "i-") => ("AWS/EC2", "InstanceId", &INSTANCE),
            id if is_id(id, "vol-") => ("AWS/EBS", "VolumeId", &VOLUME),
            _ => {
                return Err(Refusal::new(
                    "a volume or an instance",
                    format!("{subject:?} is not the ID of one"),
                )
                .at("--balances")
                .or("type it as vol-0123456789abcdef0, or as i-0123456789abcdef0"));
            }
        };
        asked
            .extend(metrics.iter().map(|(source, metric)| (subject, namespace, dimension, *source, *metric)));
    }
    let series = asked.iter().enumerate().map(|(number, (subject, namespace, dimension, source, _))| {
        json!({
            "Id": format!("b{number}"),
            "Label": format!("{subject} {source}"),
            "MetricStat": {
                "Metric": {
                    "Namespace": namespace,
                    "MetricName": source,
                    "Dimensions": [{ "Name": dimension, "Value": subject }],
                },
                "Period": PERIOD_S,
                "Stat": "Minimum",
            },
        })
    });
    let query = json!({
        "MetricDataQueries": series.collect::<Vec<_>>(),
        "StartTime": from_unix_s.div_euclid(PERIOD_S) * PERIOD_S,
        "EndTime": to_unix_s.max(from_unix_s + PERIOD_S),
        "ScanBy": "TimestampAscending",
    });
    let found = of_document(&call(query.to_string().as_bytes())?, &mut Vec::new())?;
    let balance =
        |(number, (subject, .., source, metric)): (usize, &(&String, _, _, &'static str, &'static str))| {
            let own = format!("b{number}");
            let found = found.iter().find(|found| found.words.ends_with(&format!(" {own}")))?;
            let mut points: Vec<(i64, f64)> = found
                .points
                .iter()
                .filter(|(_, percent)| percent.is_finite())
                .map(|(at_ns, percent)| (at_ns.div_euclid(1_000_000_000), (percent / 100.0).clamp(0.0, 1.0)))
                .collect();
            points.sort_by_key(|(at_s, _)| *at_s);
            (!points.is_empty()).then(|| Balance { subject: (*subject).clone(), metric, source, points })
        };
    Ok(asked.iter().enumerate().filter_map(balance).collect())
}

fn is_id(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn balances_of_an_instance_and_a_volume_are_asked_for_at_once_and_what_has_none_is_left_out() {
        let subjects = ["i-0a".to_owned(), "vol-0b".to_owned()];
        let found = balances(&subjects, (1_793_491_230, 1_793_491_400), |body| {
            let asked: Value = serde_json::from_slice(body).unwrap();
            let queries = asked["MetricDataQueries"].as_array().unwrap();
            assert_eq!(queries.len(), 3);
            assert_eq!(queries[0]["MetricStat"]["Stat"], "Minimum");
            assert_eq!(asked["StartTime"], 1_793_491_200);
            let result = |number: usize, values: &[f64]| {
                let times: Vec<i64> = (0..values.len() as i64).map(|at| 1_793_491_200 + at * 60).collect();
                json!({ "Id": queries[number]["Id"], "Label": queries[number]["Label"], "StatusCode": "Complete",
                        "Timestamps": times, "Values": values })
            };
            Ok(json!({ "MetricDataResults": [result(0, &[100.0, 83.5]), result(1, &[]), result(2, &[140.0])] })
                .to_string()
                .into_bytes())
        })
        .unwrap();
        let [io, burst] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((io.metric, io.subject.as_str()), ("ebs.io_balance", "i-0a"));
        assert_eq!(io.points, [(1_793_491_200, 1.0), (1_793_491_260, 0.835)]);
        assert_eq!((burst.metric, burst.points[0].1), ("ebs.burst_balance", 1.0));
    }

    #[test]
    fn what_is_no_id_is_refused_and_nothing_is_asked() {
        for wrong in ["", "vol-", "i-0a b", "eu-central-1"] {
            let refused = balances(&[wrong.to_owned()], (0, 60), |_| panic!("it is asked for {wrong}"));
            assert!(refused.unwrap_err().to_string().contains("--balances"), "{wrong}");
        }
    }
}
