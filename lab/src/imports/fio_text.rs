//! fio's text for people, of every version that prints `err=` behind a job's name.

use super::fio_json::DEEP;
use super::printed_values;
use super::statement::{Latency, Outcome, PrintedNumber, StatedQuantity, Statement};

/// Where in a result the lines stand.
#[derive(Default)]
struct Place {
    direction: &'static str,
    /// Of the percentiles that follow, with nanoseconds to their unit.
    percentiles: Option<(Latency, f64)>,
}

/// Reads all results in the text.
///
/// # Errors
/// Where there is none.
pub fn read(text: &str) -> Result<Statement, String> {
    let mut statement = Statement::default();
    let mut place = Place::default();
    // Groups are counted anew in each run of fio; several runs may stand in one file.
    let mut run = 0;
    let mut inside = false;
    let mut depths: Vec<(&str, &str, f64)> = Vec::new();
    // Pages that quote a result set words in bold.
    let plain = text.replace(['*', '_'], "");
    for line in plain.lines().map(str::trim) {
        if let Some((name, group, jobs)) = header(line) {
            let mut outcome = Outcome { group: format!("{run} {group} {name}"), figures: Vec::new() };
            let depth = depths.iter().rev().find(|it| (it.0, it.1) == (name, group)).map(|it| it.2 * jobs);
            outcome.put(
                "",
                StatedQuantity::InFlight,
                depth.map(|value| PrintedNumber { value, rounding: 0.0 }),
            );
            statement.outcomes.push(outcome);
            place = Place::default();
            inside = true;
        } else if let Some(depth) = asked(line) {
            depths.push(depth);
        } else if line.starts_with("Run status group") {
            inside = false;
            run += 1;
        } else if inside {
            let outcome = statement.outcomes.last_mut().expect("a header was read");
            put_line(outcome, &mut place, line);
        }
    }
    if statement.outcomes.is_empty() { Err("no result".to_owned()) } else { Ok(statement) }
}

/// `name: (groupid=0, jobs=1): err= 0: pid=1143`.
fn header(line: &str) -> Option<(&str, &str, f64)> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let (group, rest) = rest.split_once(", jobs=")?;
    let (jobs, rest) = rest.split_once(')')?;
    rest.contains("err=").then_some((name, group, jobs.trim().parse().ok()?))
}

/// `name: (g=0): rw=randread, bs=..., ioengine=libaio, iodepth=128`: the depth of engines that keep one.
fn asked(line: &str) -> Option<(&str, &str, f64)> {
    let (name, rest) = line.split_once(": (g=")?;
    let (group, rest) = rest.split_once("): rw=")?;
    let value = |key: &str| rest.split(", ").find_map(|part| part.strip_prefix(key));
    DEEP.contains(&value("ioengine=")?).then_some((name, group, value("iodepth=")?.parse().ok()?))
}

fn put_line(outcome: &mut Outcome, place: &mut Place, line: &str) {
    let (head, rest) = line.split_once(':').unwrap_or((line, ""));
    match head.trim() {
        "read" | "READ" => put_rates(outcome, place, "read", rest),
        "write" | "WRITE" => put_rates(outcome, place, "write", rest),
        "trim" | "TRIM" => put_rates(outcome, place, "trim", rest),
        "fsync/fdatasync/syncfilerange" => *place = Place::default(),
        _ if line.starts_with("issued") => put_counts(outcome, rest),
        _ if line.contains("percentiles (") => place.percentiles = percentiles(line),
        _ if line.starts_with('|') => put_percentiles(outcome, place, line),
        _ => put_latency(outcome, place, line),
    }
}

/// `io=131072KB, bw=22895KB/s, iops=5723 , runt=  5725msec` or `IOPS=925k, BW=3614MiB/s (3790MB/s)(300GiB/85002msec)`.
fn put_rates(outcome: &mut Outcome, place: &mut Place, direction: &'static str, rest: &str) {
    *place = Place { direction, percentiles: None };
    let is_new = rest.contains("IOPS=");
    for word in rest.split(", ").flat_map(|part| part.split(" (")) {
        let Some((name, value)) = word.split_once('=') else { continue };
        match name.trim() {
            "runt" => outcome
                .put_duration(printed_values::plain(value.trim_end_matches("msec")).map(|it| it.times(1e6))),
            "io" => outcome.put(direction, StatedQuantity::Bytes, printed_values::bytes(value)),
            "bw" | "BW" => outcome.put(direction, StatedQuantity::Throughput, printed_values::bytes(value)),
            "iops" | "IOPS" => {
                outcome.put(direction, StatedQuantity::Rate, printed_values::shortened(value, 1000.0))
            }
            _ => {}
        }
    }
    if is_new {
        let moved =
            rest.split('(').find_map(|part| part.split_once('/').filter(|(_, time)| time.contains("msec")));
        outcome.put(
            direction,
            StatedQuantity::Bytes,
            moved.and_then(|(bytes, _)| printed_values::bytes(bytes)),
        );
        let time = moved.and_then(|(_, time)| printed_values::plain(time.split("msec").next()?));
        outcome.put_duration(time.map(|it| it.times(1e6)));
    }
}

/// `slat (usec): min=17 , max=60158 , avg=24.23, stdev=332.28`.
fn put_latency(outcome: &mut Outcome, place: &Place, line: &str) {
    let Some((name, rest)) = line.split_once(" (") else { return };
    let latency = match name.trim() {
        "lat" => Latency::Service,
        "clat" => Latency::Completion,
        "slat" => Latency::Submit,
        _ => return,
    };
    let Some((unit, rest)) = rest.split_once(')') else { return };
    let Some(unit) = printed_values::nanoseconds(unit) else { return };
    if place.direction.is_empty() || !rest.contains("avg=") {
        return;
    }
    for part in rest.trim_start_matches([' ', ':']).split(',') {
        let Some((name, value)) = part.split_once('=') else { continue };
        let what = match name.trim() {
            "min" => StatedQuantity::Min(latency),
            "max" => StatedQuantity::Max(latency),
            "avg" => StatedQuantity::Mean(latency),
            _ => continue,
        };
        outcome.put(place.direction, what, printed_values::shortened(value, 1000.0).map(|it| it.times(unit)));
    }
}

fn percentiles(line: &str) -> Option<(Latency, f64)> {
    let (name, rest) = line.split_once(" percentiles (")?;
    let latency = match name {
        "lat" => Latency::Service,
        "clat" => Latency::Completion,
        "slat" => Latency::Submit,
        _ => return None,
    };
    printed_values::nanoseconds(rest.split_once(')')?.0).map(|unit| (latency, unit))
}

/// `| 99.00th=[ 1240], 99.50th=[ 1400]`.
fn put_percentiles(outcome: &mut Outcome, place: &Place, line: &str) {
    let Some((latency, unit)) = place.percentiles else { return };
    for part in line.trim_start_matches('|').split(']') {
        let Some((order, value)) = part.split_once("th=[") else { continue };
        let order = order.trim_start_matches([' ', ',']);
        let Some(order) = printed_values::plain(order).map(|order| order.value / 100.0) else { continue };
        let value = printed_values::shortened(value.trim().trim_start_matches('>'), 1000.0);
        if !place.direction.is_empty() {
            outcome.put(
                place.direction,
                StatedQuantity::Quantile(latency, order),
                value.map(|it| it.times(unit)),
            );
        }
    }
}

/// `total=r=262144/w=0/d=0`, `total=32768/0/0` or `total=78643200,0,0,0`.
fn put_counts(outcome: &mut Outcome, rest: &str) {
    let Some((_, counts)) = rest.split_once("total=") else { return };
    let counts = counts.split_whitespace().next().unwrap_or_default().trim_end_matches(',');
    for (direction, count) in ["read", "write", "trim"].into_iter().zip(counts.split(['/', ','])) {
        let count = count.rsplit('=').next().and_then(printed_values::plain);
        outcome.put(
            direction,
            StatedQuantity::Operations,
            count.filter(|count: &PrintedNumber| count.value > 0.0),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "a: (groupid=0, jobs=1): err= 0: pid=1143
  read : io=131072KB, bw=22895KB/s, iops=5723 , runt=  5725msec
     lat (msec): min=1 , max=61 , avg= 1.39, stdev= 2.27
     issued r/w/d: total=32768/0/0, short=0/0/0
     lat (usec): 1000=0.02%";
    const NEW: &str = "b: (g=0): rw=randread, bs=4K-4K, ioengine=libaio, iodepth=128
...
b: (groupid=0, jobs=10): err= 0: pid=2: Sun
  read: IOPS=925k, BW=3614MiB/s (3790MB/s)(300GiB/85002msec)
    clat (usec): min=60, max=4055, avg=1381.72, stdev=216.17
    clat percentiles (usec):
     |  1.00th=[ 1090], 99.99th=[ 3097]
     issued rwts: total=78643200,0,0,0 short=0,0,0,0 dropped=0,0,0,0
Run status group 0 (all jobs):
   READ: bw=1MiB/s";

    #[test]
    fn results_of_old_and_new_versions_are_read() {
        let statement = read(&format!("{OLD}\n{NEW}")).unwrap();
        let value =
            |at: usize, what: StatedQuantity| statement.outcomes[at].find("read", what).map(|it| it.value);
        assert_eq!(value(0, StatedQuantity::Bytes), Some(131_072.0 * 1024.0));
        assert_eq!(value(0, StatedQuantity::Rate), Some(5723.0));
        assert_eq!(value(0, StatedQuantity::Mean(Latency::Service)), Some(1.39e6));
        assert_eq!(value(0, StatedQuantity::Operations), Some(32768.0));
        assert_eq!(value(1, StatedQuantity::Rate), Some(925_000.0));
        assert_eq!(value(1, StatedQuantity::Throughput), Some(3614.0 * 1024.0 * 1024.0));
        assert_eq!(value(1, StatedQuantity::Bytes), Some(300.0 * 1024.0 * 1024.0 * 1024.0));
        assert_eq!(value(1, StatedQuantity::Quantile(Latency::Completion, 0.01)), Some(1_090_000.0));
        let of_all = |what: StatedQuantity| statement.outcomes[1].find("", what).map(|it| it.value);
        assert_eq!(
            (of_all(StatedQuantity::Duration), of_all(StatedQuantity::InFlight)),
            (Some(85_002e6), Some(1280.0))
        );
        assert_eq!(statement.outcomes[1].figures.len(), 11);
        assert!(read("no result").is_err());
    }
}
