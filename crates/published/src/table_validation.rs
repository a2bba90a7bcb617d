//! What a published table may hold: names that are known, and figures that a run can give.

use fathom_record::Direction;
use fathom_record::spelling::nearest;
use fathom_tools::Refusal;
use fathom_tools::result_audit::throughput_units;

use super::PublishedRow;
use super::published_table::{PublishedCeiling, PublishedTable};

/// What a text is taken for.
pub const EXPECTED: &str = "table of published results";
/// Units as they are written, for people.
const UNITS: &str = "B/s, kB/s, KiB/s, MB/s, MiB/s, GB/s, GiB/s, Mbit/s, Gbit/s, Mbps or Gbps";
/// What a table is made of.
const PARTS: [&str; 10] =
    ["title", "source", "date", "explain", "ceiling", "row", "workload", "side", "step", "conclusion"];

/// What a figure can be.
#[derive(Clone, Copy)]
enum Range {
    Positive,
    NotNegative,
    Percent,
}

impl Range {
    fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Range::Positive => value > 0.0,
                Range::NotNegative => value >= 0.0,
                Range::Percent => (0.0..=100.0).contains(&value),
            }
    }

    const fn words(self) -> &'static str {
        match self {
            Range::Positive => "it is a number above 0",
            Range::NotNegative => "it is 0 or a number above it",
            Range::Percent => "it is a share from 0 to 100",
        }
    }
}

/// Refuses what looks like a part of a table under another name. A table may hold what it likes beside.
pub fn names(text: &str) -> Result<(), Refusal> {
    let Ok(all) = text.parse::<toml::Table>() else { return Ok(()) };
    let unknown = all.iter().filter(|(name, _)| !PARTS.contains(&name.as_str()));
    for (name, value) in unknown {
        let is_list = value.as_array().is_some_and(|list| list.iter().all(toml::Value::is_table));
        let near = nearest(name, PARTS).first().copied();
        if is_list || near.is_some() {
            let line = text.lines().position(|line| [key(line), header(line)].contains(&Some(name.as_str())));
            let remedy = match near {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "results are [[row]], bounds are [[ceiling]], questions are [[explain]]".to_owned(),
            };
            return Err(Refusal::new(EXPECTED, format!("a table has no \"{name}\""))
                .at(line.map(|line| format!("line {}", line + 1)).unwrap_or_default())
                .or(remedy));
        }
    }
    Ok(())
}

/// Refuses figures that no run gives, and bounds that bound nothing.
pub fn figures(found: &PublishedTable, text: &str) -> Result<(), Refusal> {
    for (list, rows) in [("row", &found.rows), ("workload", &found.workloads)] {
        for (at, row) in rows.iter().enumerate() {
            of_row(row).map_err(|wrong| wrong.refusal(text, (list, at), &row.subject()))?;
        }
    }
    for (at, ceiling) in found.ceilings.iter().enumerate() {
        of_ceiling(ceiling).map_err(|wrong| wrong.refusal(text, ("ceiling", at), &ceiling.name))?;
    }
    Ok(())
}

/// A field that cannot stand, why, and what to write.
struct FieldError {
    field: &'static str,
    cause: String,
    remedy: String,
}

impl FieldError {
    fn refusal(self, text: &str, (list, at): (&str, usize), name: &str) -> Refusal {
        let place = line(text, (list, at), self.field).map(|line| format!("line {line}"));
        Refusal::new(EXPECTED, format!("{list} \"{name}\": {}", self.cause))
            .at(place.unwrap_or_default())
            .or(self.remedy)
    }
}

fn of_row(row: &PublishedRow) -> Result<(), FieldError> {
    for (field, value, range) in fields(row) {
        if let Some(value) = value.filter(|value| !range.holds(*value)) {
            let cause = format!("{field} = {value} cannot be: {}", range.words());
            let remedy = "write what was published, or leave it out".to_owned();
            return Err(FieldError { field, cause, remedy });
        }
    }
    let is_percentile = |pair: &[f64; 2]| Range::Percent.holds(pair[0]) && Range::Positive.holds(pair[1]);
    if let Some(pair) = row.percentiles_us.iter().find(|pair| !is_percentile(pair)) {
        let cause = format!("percentiles_us holds [{}, {}]", pair[0], pair[1]);
        let remedy =
            "write the order from 0 to 100 and the microseconds above 0, as [[99, 7670.0]]".to_owned();
        return Err(FieldError { field: "percentiles_us", cause, remedy });
    }
    unit(row.throughput, row.unit.as_deref())
}

/// Every figure of a row but its rate: a row without a usable rate is not explained, and still stands beside.
fn fields(row: &PublishedRow) -> [(&'static str, Option<f64>, Range); 37] {
    use Range::{NotNegative, Percent, Positive};
    [
        ("block_bytes", row.block_bytes, Positive),
        ("read_percent", row.read_percent, Percent),
        ("span_bytes", row.span_bytes, Positive),
        ("jobs", row.jobs, Positive),
        ("depth", row.depth, Positive),
        ("connections", row.connections, Positive),
        ("devices", row.devices, Positive),
        ("asked_iops", row.asked_iops, Positive),
        ("latency_us", row.latency_us, Positive),
        ("unloaded_us", row.unloaded_us, Positive),
        ("other_tool_iops", row.other_tool_iops, Positive),
        ("minutes", row.minutes, NotNegative),
        ("variation_percent", row.variation_percent, NotNegative),
        ("cores", row.cores, Positive),
        ("cpu_percent", row.cpu_percent, Percent),
        ("busiest_core_percent", row.busiest_core_percent, Percent),
        ("job_user_percent", row.job_user_percent, Percent),
        ("job_system_percent", row.job_system_percent, Percent),
        ("lock_percent", row.lock_percent, Percent),
        ("steal_percent", row.steal_percent, Percent),
        ("hot_percent", row.hot_percent, Percent),
        ("disk_bytes_percent", row.disk_bytes_percent, NotNegative),
        ("map_unit_bytes", row.map_unit_bytes, Positive),
        ("queue_tags", row.queue_tags, Positive),
        ("hosts", row.hosts, Positive),
        ("repeats", row.repeats, Positive),
        ("iops_low", row.iops_low, NotNegative),
        ("iops_high", row.iops_high, Positive),
        ("seconds", row.seconds, Positive),
        ("written_bytes", row.written_bytes, NotNegative),
        ("copies", row.copies, Positive),
        ("mtu", row.mtu, Positive),
        ("flush_every", row.flush_every, Positive),
        ("core_iops_limit", row.core_iops_limit, Positive),
        ("merged_percent", row.merged_percent, Percent),
        ("memory_gb_s", row.memory_gb_s, Positive),
        ("credits_left_percent", row.credits_left_percent, Percent),
    ]
}

/// A throughput needs a unit that is known.
fn unit(throughput: Option<f64>, unit: Option<&str>) -> Result<(), FieldError> {
    let Some(value) = throughput else { return Ok(()) };
    match unit {
        None => Err(FieldError {
            field: "throughput",
            cause: format!("throughput = {value} has no unit"),
            remedy: format!("write next to it unit = \"MB/s\", or another of {UNITS}"),
        }),
        Some(unit) if throughput_units::bytes_per_s(unit).is_none() => Err(FieldError {
            field: "unit",
            cause: format!("\"{unit}\" is not a known unit"),
            remedy: match meant(unit) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("write one of {UNITS}"),
            },
        }),
        Some(_) => Ok(()),
    }
}

/// What a unit most likely says: bytes stay bytes, and bits stay bits.
fn meant(unit: &str) -> Option<String> {
    let spelt = [
        unit.replace("Bps", "B/s"),
        format!("{unit}/s"),
        unit.replace("b/s", "bit/s"),
        format!("{unit}it/s"),
    ];
    spelt.into_iter().find(|unit| throughput_units::bytes_per_s(unit).is_some())
}

fn of_ceiling(ceiling: &PublishedCeiling) -> Result<(), FieldError> {
    let wrong =
        |field, cause: String, remedy: &str| Err(FieldError { field, cause, remedy: remedy.to_owned() });
    let rate = match (ceiling.iops, ceiling.throughput) {
        (None, None) => {
            let remedy = "write iops = 3000, or throughput = 125 and unit = \"MB/s\"";
            return wrong("name", "it states no bound".to_owned(), remedy);
        }
        (Some(_), Some(_)) => {
            let remedy = "write two [[ceiling]], one for each";
            return wrong("throughput", "it bounds operations and bytes at once".to_owned(), remedy);
        }
        (Some(iops), None) => ("iops", iops),
        (None, Some(throughput)) => ("throughput", throughput),
    };
    if !Range::Positive.holds(rate.1) {
        let cause = format!("{} = {} bounds nothing: {}", rate.0, rate.1, Range::Positive.words());
        return wrong(rate.0, cause, "write the bound, or leave the [[ceiling]] out");
    }
    if let Some(credits) = ceiling.credits.filter(|credits| !Range::Positive.holds(*credits)) {
        let cause = format!("credits = {credits} cannot be: {}", Range::Positive.words());
        return wrong("credits", cause, "write the operations that the credits allow, or leave it out");
    }
    if let Some(direction @ (Direction::Trim | Direction::Flush)) = ceiling.direction {
        let cause = format!("direction = \"{}\" is in no row", direction.name());
        return wrong("direction", cause, "write \"read\" or \"write\", or leave it out for all together");
    }
    unit(ceiling.throughput, ceiling.unit.as_deref())
}

/// The line of a field of one of the entries of a list, or that where the entry begins.
fn line(text: &str, (list, at): (&str, usize), field: &str) -> Option<usize> {
    let mut lines = text.lines().zip(1..).skip_while(|(line, _)| header(line) != Some(list));
    for _ in 0..at {
        lines.next()?;
        while lines.clone().next().is_some_and(|(line, _)| header(line) != Some(list)) {
            lines.next();
        }
    }
    let (_, begin) = lines.next()?;
    let mut own = lines.take_while(|(line, _)| header(line).is_none());
    Some(own.find(|(line, _)| key(line) == Some(field)).map_or(begin, |(_, number)| number))
}

/// The name in a line that begins an entry of a list.
fn header(line: &str) -> Option<&str> {
    let line = line.split('#').next().unwrap_or_default().trim();
    line.strip_prefix("[[")?.strip_suffix("]]").map(str::trim)
}

/// The name that a line gives a value.
fn key(line: &str) -> Option<&str> {
    line.split_once('=').map(|(name, _)| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_units_that_are_offered_are_known() {
        let all = UNITS.split([',', ' ']).filter(|word| !word.is_empty() && *word != "or");
        assert!(all.clone().count() > 10);
        for unit in all {
            assert!(throughput_units::bytes_per_s(unit).is_some(), "{unit}");
        }
        assert_eq!(meant("MBps").as_deref(), Some("MB/s"));
        assert_eq!(meant("MiB").as_deref(), Some("MiB/s"));
        assert_eq!(meant("Gb/s").as_deref(), Some("Gbit/s"));
        assert_eq!(meant("furlongs"), None);
    }
}
