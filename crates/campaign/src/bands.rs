//! Bands for service latency that a published guide gives to databases on network volumes: what is acceptable under
//! saturation, what is wrong under light load, and how two options compare by percentile. Its rules of thumb stand
//! beside the statistics and never in their place.
//!
//! Source: the guide to gp3 against local NVMe whose figures are in `evaluations/gp3-vs-local-nvme.toml`.

use fathom_measure::Nanos;
use fathom_record::campaign::{CellResult, ComparedWorkload, OperatingPointKind, PatternResult};

const MS: u64 = 1_000_000;
/// Percentile, what is acceptable up to here, and what is a concern from here on; where clients wait for the disk,
/// half of each.
const SATURATED: [(&str, u64, u64); 3] =
    [("p50", 100 * MS, 150 * MS), ("p99", 200 * MS, 300 * MS), ("p99.9", 250 * MS, 500 * MS)];
/// A median above this with one I/O in flight is wrong.
const LIGHT_LOAD_NS: u64 = 10 * MS;
/// A p99 within this share of the other's is acceptable to most.
const NEAR: f64 = 1.2;
/// A p99.9 of more than so many times the other's is to be investigated.
const JITTER: f64 = 2.0;

fn percentiles(cell: &CellResult) -> [Option<u64>; 3] {
    [Some(cell.service_p50_ns), cell.service_p99_ns, cell.service_p999_ns]
}

/// What of a pattern is outside the bands: its peak under saturation, and a lone I/O.
pub fn of_pattern(pattern: &PatternResult) -> Vec<String> {
    let mut out = Vec::new();
    let peak = pattern.operating_points.iter().find(|point| point.kind == OperatingPointKind::Peak);
    if let Some(cell) = peak.and_then(|point| pattern.cells.get(point.cell)) {
        let known = SATURATED.iter().zip(percentiles(cell));
        let beyond = known.filter_map(|(band, ns)| Some((band, ns?))).filter(|((_, fine, _), ns)| ns > fine);
        for ((name, fine, concern), ns) in beyond {
            let word = if ns >= *concern { "a concern" } else { "more than is acceptable" };
            let (ns, fine) = (Nanos(ns), Nanos(*fine).coarse());
            out.push(format!(
                "{}: at its peak {name} is {ns}, {word} by the bands of a published guide ({fine} is acceptable \
                 under saturation; half of it where clients wait for the disk).",
                pattern.title
            ));
        }
    }
    let lone = pattern.cells.iter().find(|cell| (cell.jobs, cell.depth) == (1, 1));
    if let Some(cell) = lone.filter(|cell| cell.service_p50_ns > LIGHT_LOAD_NS) {
        out.push(format!(
            "{}: one I/O at a time takes {} in the median. By a published guide more than {} under light load is \
             wrong: look for a limit, a queue or a device in trouble.",
            pattern.title,
            Nanos(cell.service_p50_ns),
            Nanos(LIGHT_LOAD_NS).coarse()
        ));
    }
    out
}

/// How B does by percentile against A, in a guide's rules of thumb; `None` where a side has no percentiles, or its
/// latencies are not comparable.
pub fn of_workload(workload: &ComparedWorkload) -> Option<String> {
    let comparable = workload.latencies.is_none();
    let (a, b) = (workload.a.as_ref().filter(|_| comparable)?, workload.b.as_ref()?);
    compared(&workload.title, a, b)
}

fn compared(title: &str, a: &CellResult, b: &CellResult) -> Option<String> {
    let ratio = |a: Option<u64>, b: Option<u64>| {
        let (a, b) = (a.filter(|ns| *ns > 0)? as f64, b? as f64);
        Some(b / a)
    };
    let [p50, p99, p999] = {
        let ([a50, a99, a999], [b50, b99, b999]) = (percentiles(a), percentiles(b));
        [ratio(a50, b50), ratio(a99, b99), ratio(a999, b999)]
    };
    let of_median = p50.map(|ratio| match ratio {
        r if r <= 1.0 => format!("p50 is no higher on B ({r:.2} of A's)"),
        r => format!("p50 is higher on B ({r:.2} of A's)"),
    });
    let of_p99 = p99.map(|ratio| match ratio {
        r if r <= NEAR => format!("p99 is within 20 % ({r:.2}), which most accept"),
        r => format!("p99 is not within 20 % ({r:.2})"),
    });
    let of_p999 = p999.map(|ratio| match ratio {
        r if r <= JITTER => format!("p99.9 is no more than twice A's ({r:.2})"),
        r => format!("p99.9 is over twice A's ({r:.2}): investigate the jitter"),
    });
    let parts: Vec<String> = [of_median, of_p99, of_p999].into_iter().flatten().collect();
    (!parts.is_empty())
        .then(|| format!("{title}, by a published guide's rules of thumb: {}.", parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_record::campaign::OperatingPoint;

    fn cell((jobs, depth): (u32, u32), p50_ms: u64, p99_ms: u64) -> CellResult {
        CellResult {
            jobs,
            depth,
            runs: Vec::new(),
            operations_per_s: 100.0,
            throughput_bytes_per_s: 409_600.0,
            interval_share: None,
            in_flight_mean: 1.0,
            service_mean_ns: (p50_ms * MS) as f64,
            service_p50_ns: p50_ms * MS,
            service_p99_ns: Some(p99_ms * MS),
            service_p999_ns: None,
            cpu_ns_per_operation: None,
            busiest_core_share: None,
            others_cpu_share: None,
            others_device_share: None,
            disturbed_runs: Vec::new(),
            failed_checks: Vec::new(),
        }
    }

    fn pattern(cells: Vec<CellResult>) -> PatternResult {
        let peak =
            OperatingPoint { kind: OperatingPointKind::Peak, cell: cells.len() - 1, reason: String::new() };
        PatternResult {
            name: "randread-4k".to_owned(),
            title: "Random 4K reads".to_owned(),
            cells,
            operating_points: vec![peak],
            verdict: None,
            incomplete: None,
        }
    }

    #[test]
    fn only_what_is_outside_the_bands_is_said() {
        let fine = of_pattern(&pattern(vec![cell((1, 1), 1, 2), cell((16, 64), 60, 136)]));
        assert!(fine.is_empty(), "{fine:?}");
        let slow = of_pattern(&pattern(vec![cell((1, 1), 11, 20), cell((16, 64), 120, 350)]));
        assert_eq!(slow.len(), 3, "{slow:?}");
        assert!(slow[0].contains("p50 is 120 ms, more than is acceptable"), "{}", slow[0]);
        assert!(slow[1].contains("p99 is 350 ms, a concern"), "{}", slow[1]);
        assert!(slow[2].contains("more than 10.0 ms under light load is wrong"), "{}", slow[2]);
    }

    #[test]
    fn two_options_compare_by_percentile() {
        let said = |b: CellResult| compared("x", &cell((16, 64), 61, 120), &b).expect("a sentence");
        let near = said(cell((16, 64), 57, 133));
        assert!(
            near.contains("p50 is no higher on B (0.93 of A's)") && near.contains("within 20 % (1.11)"),
            "{near}"
        );
        let far = said(CellResult { service_p999_ns: Some(900 * MS), ..cell((16, 64), 70, 180) });
        assert!(far.contains("p50 is higher") && far.contains("not within 20 % (1.50)"), "{far}");
        let jitter = CellResult { service_p999_ns: Some(900 * MS), ..cell((16, 64), 57, 120) };
        let steady = CellResult { service_p999_ns: Some(180 * MS), ..cell((16, 64), 57, 120) };
        let said = compared("x", &steady, &jitter).expect("a sentence");
        assert!(said.contains("over twice A's (5.00): investigate the jitter"), "{said}");
    }
}
