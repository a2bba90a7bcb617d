//! One disk's hour as each monitoring prints it is the same demand.

use super::*;
use crate::Text;
use fathom_rows::Hints;

const START_S: i64 = 1_793_491_200;
const MINUTES: i64 = 60;
const FAMILY: &str = "compute.googleapis.com/instance/disk/";

/// Reads, writes, bytes read and bytes written of a second in a minute.
fn rates(minute: i64) -> [f64; 4] {
    let reads = 100.0 + minute as f64;
    [reads, 50.0, reads * 16_384.0, 50.0 * 8192.0]
}

fn at(minute: i64) -> String {
    jiff::Timestamp::from_second(START_S + 60 * minute).unwrap().to_string()
}

fn azure(disk: &str) -> String {
    let metric = |flow: usize| {
        let name = ["Read Operations/sec", "Write Operations/sec", "Read Bytes/sec", "Write Bytes/sec"][flow];
        let point = |minute: i64| {
            format!("{{\"average\":{},\"count\":null,\"timeStamp\":\"{}\"}}", rates(minute)[flow], at(minute))
        };
        let data: Vec<String> = (0..MINUTES).map(point).collect();
        format!(
            "{{\"id\":\"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/{disk}/providers/Microsoft.Insights/metrics/Composite Disk {name}\",\"name\":{{\"localizedValue\":\"x\",\"value\":\"Composite Disk {name}\"}},\"timeseries\":[{{\"data\":[{}],\"metadatavalues\":[]}}],\"unit\":\"CountPerSecond\"}}",
            data.join(",")
        )
    };
    let all: Vec<String> = (0..4).map(metric).collect();
    format!("{{\"cost\":0,\"interval\":\"PT1M\",\"timespan\":\"a/b\",\"value\":[{}]}}", all.join(","))
}

/// Points come with the latest first, and whole numbers as words.
fn google(disk: &str, kind: &str, unit: &str) -> String {
    let series = |flow: usize| {
        let point = |minute: i64| {
            let value = match kind {
                "DELTA" => format!("\"int64Value\":\"{}\"", rates(minute)[flow] * 60.0),
                _ => format!("\"doubleValue\":{}", rates(minute)[flow]),
            };
            format!(
                "{{\"interval\":{{\"startTime\":\"{}\",\"endTime\":\"{}\"}},\"value\":{{{value}}}}}",
                at(minute),
                at(minute + 1)
            )
        };
        let points: Vec<String> = (0..MINUTES).rev().map(point).collect();
        format!(
            "{{\"metric\":{{\"type\":\"{FAMILY}{}\",\"labels\":{{\"device_name\":\"{disk}\"}}}},\"resource\":{{\"type\":\"gce_instance\",\"labels\":{{\"instance_id\":\"42\",\"zone\":\"z\"}}}},\"metricKind\":\"{kind}\",\"valueType\":\"INT64\",\"unit\":\"{unit}\",\"points\":[{}]}}",
            ["read_ops_count", "write_ops_count", "read_bytes_count", "write_bytes_count"][flow],
            points.join(",")
        )
    };
    let all: Vec<String> = (0..4).map(series).collect();
    format!("{{\"timeSeries\":[{}],\"nextPageToken\":\"\"}}", all.join(","))
}

fn datadog(device: &str, aggr: &str) -> String {
    let series = |flow: usize| {
        let over = if flow < 2 { 1.0 } else { 1024.0 };
        let point =
            |minute: i64| format!("[{}.0,{}]", (START_S + 60 * minute) * 1000, rates(minute)[flow] / over);
        let points: Vec<String> = (0..MINUTES).map(point).collect();
        format!(
            "{{\"metric\":\"system.io.{}\",\"scope\":\"device:{device},host:db1\",\"aggr\":\"{aggr}\",\"interval\":60,\"pointlist\":[{}]}}",
            ["r_s", "w_s", "rkb_s", "wkb_s"][flow],
            points.join(",")
        )
    };
    let all: Vec<String> = (0..4).map(series).collect();
    format!("{{\"status\":\"ok\",\"series\":[{}]}}", all.join(","))
}

fn read_one(text: &str, hints: &Hints<'_>) -> Result<DemandReport, Refusal> {
    crate::read(&[Text { name: "a", bytes: text.as_bytes() }], hints)
}

#[test]
fn one_disk_s_hour_is_the_same_demand_from_all() {
    let per_second = Hints { values: Some(Values::PerSecond), ..Hints::default() };
    for (text, hints, source, device) in [
        (azure("db-data"), Hints::default(), "azure", "db-data"),
        (google("db-data", "DELTA", "1"), Hints::default(), "google", "db-data 42"),
        (google("db-data", "GAUGE", "1/s"), Hints::default(), "google", "db-data 42"),
        (google("db-data", "GAUGE", ""), per_second, "google", "db-data 42"),
        (datadog("nvme1n1", "avg"), Hints::default(), "datadog", "device:nvme1n1 host:db1"),
    ] {
        let seen = read_one(&text, &hints).unwrap();
        assert_eq!((seen.source, seen.device.as_deref()), (source, Some(device)));
        assert_eq!((seen.demand.tick_s, seen.demand.read.operations.len()), (60, 60), "{source}");
        assert_eq!(seen.start_unix_s, Some(START_S), "{source}");
        for minute in 0..MINUTES {
            let at = minute as usize;
            let expected = rates(minute).map(|rate| (rate * 60.0) as u64);
            let demand = &seen.demand;
            let found = [
                demand.read.operations[at],
                demand.write.operations[at],
                demand.read.bytes[at],
                demand.write.bytes[at],
            ];
            assert_eq!(found, expected, "{source}, minute {minute}");
        }
        assert!(seen.notes.is_empty() && seen.directions_known, "{:?}", seen.notes);
    }
}

#[test]
fn of_several_disks_one_is_named_and_parts_are_put_together() {
    let (data, log) = (azure("db-data"), azure("db-log"));
    let texts = [&data, &log].map(|text| Text { name: "a", bytes: text.as_bytes() });
    let refused = crate::read(&texts, &Hints::default()).unwrap_err();
    assert!(
        refused.cause.contains("'db-data', 'db-log'") && refused.remedy.contains("--device"),
        "{refused}"
    );
    let hints = Hints { device: Some("db-log"), ..Hints::default() };
    assert_eq!(crate::read(&texts, &hints).unwrap().device.as_deref(), Some("db-log"));
    let absent = Hints { device: Some("db"), ..Hints::default() };
    assert!(crate::read(&texts, &absent).unwrap_err().cause.contains("nothing of db is in it"));
    // The same answer twice is one.
    let twice = [&data, &data].map(|text| Text { name: "a", bytes: text.as_bytes() });
    assert_eq!(crate::read(&twice, &Hints::default()).unwrap().demand.read.operations.len(), 60);
    let other = datadog("nvme1n1", "avg");
    let mixed = [&data, &other].map(|text| Text { name: "a", bytes: text.as_bytes() });
    assert!(crate::read(&mixed, &Hints::default()).unwrap_err().cause.contains("another kind"));
}

#[test]
fn what_does_not_say_what_it_counts_is_refused() {
    let without = |text: &str, from: &str, to: &str| text.replace(from, to);
    for (text, told) in [
        (without(&azure("d"), "\"average\"", "\"total\""), "no averages"),
        (without(&azure("d"), "Disk Write Bytes/sec", "Disk QD"), "bytes written are missing"),
        (without(&azure("d"), "Composite Disk", "Percentage"), "no reads and writes"),
        (google("d", "GAUGE", ""), "counts or rates"),
        (google("d", "CUMULATIVE", "1"), "CUMULATIVE"),
        (without(&google("d", "DELTA", "1"), "int64Value", "stringValue").replace(":\"6000\"", ":\"x\""), "no number"),
        (without(&google("d", "DELTA", "1"), "T00:", "T99:"), "not a valid time"),
        (datadog("d", "max"), "the max of several"),
        (without(&datadog("d", "avg"), "system.io.r_s", "aws.ebs.volume_read_ops"), "CloudWatch itself"),
        ("{\"series\":[{\"metric\":\"system.io.r_s\",\"pointlist\":[[1,2]]},{\"metric\":\"system.io.w_s\",\"pointlist\":[]}]}".to_owned(), "fewer than two points"),
        ("{\"series\":[],\"pointlist\":3}".to_owned(), "no reads and writes"),
        ("{\"timeseries\":[],\"timeStamp\":1}".to_owned(), "missing field"),
        ("{\"timeSeries\":3,\"points\":1}".to_owned(), "invalid type"),
    ] {
        let refused = read_one(&text, &Hints::default()).unwrap_err().to_string();
        assert!(refused.contains(told), "{told}: {refused}");
    }
}
