//! An answer of Prometheus as series of points, without a word of it kept twice: dumps of fleets are long.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use fathom_tools::Refusal;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::ANSWER;

/// One series.
#[derive(Deserialize)]
pub struct Series {
    /// Its labels.
    #[serde(default)]
    pub metric: BTreeMap<String, String>,
    /// Its points.
    #[serde(default)]
    pub values: Vec<Point>,
}

/// One value at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// In nanoseconds since 1970.
    pub at_ns: i64,
    /// From 0 up; otherwise not a number.
    pub value: f64,
}

#[derive(Deserialize)]
struct Envelope {
    status: String,
    data: Option<Data>,
    error: Option<String>,
    /// What the server could not read, as of a store that is down (Thanos, "Partial Response").
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "resultType")]
    kind: String,
    #[serde(default)]
    result: Vec<Series>,
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PointVisitor)
    }
}

struct PointVisitor;

impl<'de> Visitor<'de> for PointVisitor {
    type Value = Point;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time and a value, as [1700000000,\"1\"]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Point, A::Error> {
        let missing = || serde::de::Error::custom("a point without a time or a value");
        let at_s: f64 = items.next_element()?.ok_or_else(missing)?;
        let text: Text<'_> = items.next_element()?.ok_or_else(missing)?;
        let value = text.0.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        let at_ns = ((at_s * 1000.0).round() as i64).saturating_mul(1_000_000);
        Ok(Point { at_ns, value: value.unwrap_or(f64::NAN) })
    }
}

/// A text that is not copied where it stands as it is.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The series of an answer, whole or as `promtool query range -o json` prints it, and what the server warns of.
///
/// # Errors
/// When it is none, the server refused, or it holds no series.
pub fn series(text: &[u8]) -> Result<(Vec<Series>, Vec<String>), Refusal> {
    let broken = |error: serde_json::Error| Refusal::caused_by(ANSWER, error);
    if text.trim_ascii_start().starts_with(b"[") {
        return fathom_json::read_bytes(text).map_err(broken).map(|series| (series, Vec::new()));
    }
    let envelope: Envelope = fathom_json::read_bytes(text).map_err(broken)?;
    let data = envelope.data.filter(|_| envelope.status == "success").ok_or_else(|| {
        let cause = envelope.error.unwrap_or_else(|| format!("the server says {}", envelope.status));
        Refusal::new(ANSWER, format!("the server refused the query: {cause}"))
    })?;
    if data.kind != "matrix" {
        return Err(Refusal::new(ANSWER, format!("it holds a {}, which has no series", data.kind))
            .or("ask /api/v1/query_range, or a selector with a range as [1h]"));
    }
    Ok((data.result, envelope.warnings))
}
