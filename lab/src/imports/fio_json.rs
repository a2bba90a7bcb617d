//! fio's JSON and JSON+, with what stands before and behind it.

use serde_json::Value;

use super::statement::{Latency, Outcome, PrintedNumber, StatedQuantity, Statement};

/// Engines that keep a depth.
pub const DEEP: [&str; 7] = ["libaio", "io_uring", "io_uring_cmd", "posixaio", "windowsaio", "spdk", "xnvme"];

/// Reads every document in the text that has jobs.
///
/// # Errors
/// Where there is none.
pub fn read(text: &str) -> Result<Statement, String> {
    let mut statement = Statement::default();
    let mut rest = text;
    let mut number = 0;
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let document = match stream.next() {
            Some(Ok(document)) => document,
            _ => {
                rest = &rest[1..];
                continue;
            }
        };
        rest = &rest[stream.byte_offset()..];
        let Some(jobs) = document["jobs"].as_array() else { continue };
        statement.outcomes.extend(jobs.iter().map(|job| outcome(job, &document["global options"], number)));
        number += 1;
    }
    if statement.outcomes.is_empty() { Err("no document with jobs".to_owned()) } else { Ok(statement) }
}

fn outcome(job: &Value, global: &Value, document: usize) -> Outcome {
    let name = job["jobname"].as_str().unwrap_or_default();
    let mut outcome = Outcome { group: format!("{document} {} {name}", job["groupid"]), figures: Vec::new() };
    for direction in ["read", "write", "trim"] {
        put_direction(&mut outcome, direction, &job[direction]);
    }
    outcome.put("", StatedQuantity::InFlight, in_flight(&job["job options"], global));
    outcome
}

fn put_direction(outcome: &mut Outcome, direction: &'static str, side: &Value) {
    let bytes = side["io_bytes"].as_f64().unwrap_or(0.0);
    if bytes == 0.0 && side["iops"].as_f64().unwrap_or(0.0) == 0.0 {
        return;
    }
    // Since `io_kbytes` stands beside it, `io_bytes` holds bytes.
    let unit = if side.get("io_kbytes").is_some() { 1.0 } else { 1024.0 };
    let whole = |value: &Value, unit: f64| {
        value.as_f64().map(|value| PrintedNumber { value, rounding: 1.0 }.times(unit))
    };
    outcome.put(direction, StatedQuantity::Operations, whole(&side["total_ios"], 1.0));
    outcome.put(direction, StatedQuantity::Bytes, whole(&side["io_bytes"], unit));
    outcome.put(direction, StatedQuantity::Rate, whole(&side["iops"], 1.0));
    outcome.put(direction, StatedQuantity::Throughput, whole(&side["bw"], 1024.0));
    outcome.put_duration(whole(&side["runtime"], 1e6));
    for (name, latency) in
        [("lat", Latency::Service), ("clat", Latency::Completion), ("slat", Latency::Submit)]
    {
        let in_ns = &side[format!("{name}_ns")];
        let (figures, unit) = if in_ns.is_object() { (in_ns, 1.0) } else { (&side[name], 1e3) };
        put_latency(outcome, direction, latency, figures, unit);
    }
}

/// Zeros are of times that were not taken.
fn put_latency(outcome: &mut Outcome, direction: &'static str, latency: Latency, figures: &Value, unit: f64) {
    let number = |value: &Value| {
        value.as_f64().filter(|_| figures["max"].as_f64() > Some(0.0)).map(|value| {
            let rounding = if value.fract() == 0.0 { 1.0 } else { 0.01 };
            PrintedNumber { value, rounding }.times(unit)
        })
    };
    outcome.put(direction, StatedQuantity::Mean(latency), number(&figures["mean"]));
    outcome.put(direction, StatedQuantity::Min(latency), number(&figures["min"]));
    outcome.put(direction, StatedQuantity::Max(latency), number(&figures["max"]));
    for (order, value) in figures["percentile"].as_object().into_iter().flatten() {
        // Places that were never filled are printed as order 0.
        if let Some(order) = order.parse::<f64>().ok().filter(|order| *order > 0.0) {
            outcome.put(direction, StatedQuantity::Quantile(latency, order / 100.0), number(value));
        }
    }
}

/// Depth times clones, where the options name an engine that keeps a depth.
fn in_flight(job: &Value, global: &Value) -> Option<PrintedNumber> {
    let option = |name: &str| job.get(name).or_else(|| global.get(name)).and_then(Value::as_str);
    if !DEEP.contains(&option("ioengine")?) {
        return None;
    }
    let number = |name: &str| option(name).map_or(Some(1.0), |text| text.parse::<f64>().ok());
    let has_all = option("group_reporting").is_some();
    let clones = if has_all { number("numjobs")? } else { 1.0 };
    Some(PrintedNumber { value: number("iodepth")? * clones, rounding: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_eras_are_read_in_base_units() {
        let old = r#"warning {x
            {"jobs": [{"jobname": "a", "groupid": 0, "read": {"io_bytes": 4, "bw": 2, "iops": 1,
            "clat": {"min": 1, "max": 3, "mean": 2.5, "percentile": {"50.000000": 2, "0.00": 0}}}}]}"#;
        let statement = read(old).unwrap();
        let outcome = &statement.outcomes[0];
        let value = |what: StatedQuantity| outcome.find("read", what).map(|figure| figure.value);
        assert_eq!(value(StatedQuantity::Bytes), Some(4096.0));
        assert_eq!(value(StatedQuantity::Throughput), Some(2048.0));
        assert_eq!(value(StatedQuantity::Mean(Latency::Completion)), Some(2500.0));
        assert_eq!(value(StatedQuantity::Quantile(Latency::Completion, 0.5)), Some(2000.0));
        assert_eq!(value(StatedQuantity::Operations), None);
        let new = r#"{"global options": {"ioengine": "libaio", "iodepth": "8", "group_reporting": "1"},
            "jobs": [{"jobname": "a", "job options": {"numjobs": "2"}, "write": {"io_bytes": 4096, "io_kbytes": 4,
            "lat_ns": {"min": 1, "max": 3, "mean": 2.5}}}]} {"jobs": []}"#;
        let outcome = &read(new).unwrap().outcomes[0];
        assert_eq!(outcome.find("write", StatedQuantity::Mean(Latency::Service)).unwrap().value, 2.5);
        assert_eq!(outcome.find("", StatedQuantity::InFlight).unwrap().value, 16.0);
        assert!(read("{}").is_err());
    }
}
