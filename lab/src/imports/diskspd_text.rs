//! diskspd's text: the sums below `Read IO` and `Write IO`, and the table of percentiles.

use super::printed_values;
use super::statement::{Latency, Outcome, PrintedNumber, StatedQuantity, Statement};

const MIB: f64 = 1024.0 * 1024.0;

/// Reads all results in the text.
///
/// # Errors
/// Where there is none.
pub fn read(text: &str) -> Result<Statement, String> {
    let mut statement = Statement::default();
    let mut section = "";
    let mut columns: Vec<String> = Vec::new();
    let mut depth = None;
    let mut rows = 0.0;
    let mut time = None;
    for line in text.lines().map(str::trim) {
        if let Some((_, outstanding)) = line.split_once("outstanding I/O operations") {
            depth = outstanding.rsplit(':').next().and_then(printed_values::plain);
        }
        if let Some(seconds) = line.strip_prefix("actual test time:") {
            time = printed_values::plain(seconds.trim().trim_end_matches('s')).map(|it| it.times(1e9));
        }
        match line {
            "Total IO" => {
                statement.outcomes.push(Outcome::default());
                statement.outcomes.last_mut().expect("it was pushed").put_duration(time);
                (section, rows) = ("total", 0.0);
            }
            "Read IO" => section = "read",
            "Write IO" => section = "write",
            _ => {}
        }
        let Some(outcome) = statement.outcomes.last_mut() else { continue };
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells[0] == "thread" || cells[0] == "%-ile" {
            columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
        } else if section == "total" && cells.len() > 3 && printed_values::plain(cells[0]).is_some() {
            rows += 1.0;
        } else if let Some(sums) = line.strip_prefix("total:") {
            put_sums(outcome, section, &columns, sums);
            if section == "total" {
                let asked = depth
                    .map(|depth: PrintedNumber| PrintedNumber { value: depth.value * rows, rounding: 0.0 });
                outcome.put("", StatedQuantity::InFlight, asked);
            }
            section = "";
        } else if columns.first().is_some_and(|first| first == "%-ile") && cells.len() == columns.len() {
            put_percentiles(outcome, &columns, &cells);
        }
    }
    if statement.outcomes.is_empty() { Err("no result".to_owned()) } else { Ok(statement) }
}

fn put_sums(outcome: &mut Outcome, section: &str, columns: &[String], sums: &str) {
    let direction = match section {
        "read" => "read",
        "write" => "write",
        _ => return,
    };
    let sums: Vec<&str> = sums.split('|').map(str::trim).collect();
    if sums.first().is_none_or(|bytes| *bytes == "0") {
        return;
    }
    for (column, sum) in columns.iter().skip(1).zip(sums) {
        let (what, unit) = match column.as_str() {
            "bytes" => (StatedQuantity::Bytes, 1.0),
            "I/Os" => (StatedQuantity::Operations, 1.0),
            // Older versions head it so, and print MiB.
            "MiB/s" | "MB/s" => (StatedQuantity::Throughput, MIB),
            "I/O per s" => (StatedQuantity::Rate, 1.0),
            "AvgLat" => (StatedQuantity::Mean(Latency::Service), 1e6),
            _ => continue,
        };
        outcome.put(direction, what, printed_values::plain(sum).map(|it| it.times(unit)));
    }
}

fn put_percentiles(outcome: &mut Outcome, columns: &[String], cells: &[&str]) {
    for (column, cell) in columns.iter().zip(cells).skip(1) {
        let direction = match column.as_str() {
            "Read (ms)" => "read",
            "Write (ms)" => "write",
            _ => continue,
        };
        let what = match cells[0] {
            "min" => StatedQuantity::Min(Latency::Service),
            "max" => StatedQuantity::Max(Latency::Service),
            order => match self::order(order) {
                Some(order) => StatedQuantity::Quantile(Latency::Service, order),
                None => continue,
            },
        };
        outcome.put(direction, what, printed_values::plain(cell).map(|it| it.times(1e6)));
    }
}

/// `25th` and `3-nines`.
fn order(name: &str) -> Option<f64> {
    if let Some(nines) = name.strip_suffix("-nines") {
        return nines.parse::<i32>().ok().map(|nines| 1.0 - 10f64.powi(-nines));
    }
    name.strip_suffix("th")?.parse::<f64>().ok().map(|order| order / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "actual test time: 2.50s
number of outstanding I/O operations per thread: 16
Total IO
thread |  bytes | I/Os | MiB/s | I/O per s | AvgLat | file
-----
 0 | 4096 | 1 | 1.00 | 2.00 | 3.000 | a (1GiB)
 1 | 4096 | 1 | 1.00 | 2.00 | 3.000 | a (1GiB)
total:  8192 | 2 | 2.00 | 4.00 | 3.000
Read IO
thread |  bytes | I/Os | MiB/s | I/O per s | AvgLat | file
total:  8192 | 2 | 2.00 | 4.00 | 3.500
Write IO
total:  0 | 0 | 0.00 | 0.00 | 0.000
  %-ile |  Read (ms) | Write (ms) | Total (ms)
    min |      0.100 |        N/A | 0.100
3-nines |      5.000 |        N/A | 5.000";

    #[test]
    fn sums_and_percentiles_are_read() {
        let outcome = &read(TEXT).unwrap().outcomes[0];
        let value = |what: StatedQuantity| outcome.find("read", what).map(|it| it.value);
        assert_eq!(value(StatedQuantity::Bytes), Some(8192.0));
        assert_eq!(value(StatedQuantity::Throughput), Some(2.0 * MIB));
        assert_eq!(value(StatedQuantity::Mean(Latency::Service)), Some(3.5e6));
        assert_eq!(value(StatedQuantity::Quantile(Latency::Service, 0.999)), Some(5e6));
        assert_eq!(outcome.find("", StatedQuantity::InFlight).unwrap().value, 32.0);
        assert_eq!(outcome.find("", StatedQuantity::Duration).unwrap().value, 2.5e9);
        assert!(outcome.figures.iter().all(|figure| figure.direction != "write"));
    }
}
