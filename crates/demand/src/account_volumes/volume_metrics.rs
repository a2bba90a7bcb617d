//! Metrics of many volumes, as `aws cloudwatch get-metric-data` prints them, as runs of rows.

use std::collections::BTreeMap;

use fathom_order::InOrder;
use fathom_rows::demand_tables::Run;
use fathom_rows::{Interval, Values};
use fathom_tools::Refusal;

use super::inventory::Inventory;
use crate::cloudwatch::{CHECKS, FAMILIES, Metric, has_name, of_document, rows_of};

/// Whether a file that begins so holds metrics of CloudWatch.
pub fn is_measured(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&start[..start.len().min(4096)]);
    start.trim_start().starts_with('{') && start.contains("\"MetricDataResults\"")
}

/// The volumes in some answers, which are parts of each other: those of one instance beside each other, as the
/// inventory has them, and others behind. Volumes without a single point are left out.
///
/// # Errors
/// When one is no such answer, or a series in it names no volume.
pub fn runs(texts: &[Vec<u8>], inventory: &Inventory) -> Result<Vec<Run>, Refusal> {
    let mut notes = Vec::new();
    let mut volumes: BTreeMap<String, Vec<Metric>> = BTreeMap::new();
    for text in texts {
        for metric in of_document(text, &mut notes)?.into_iter().filter(|metric| !metric.points.is_empty()) {
            let volume = volume_of(&metric.words).ok_or_else(|| {
                Refusal::new(
                    "metrics of volumes",
                    format!("the series {:?} names no volume", metric.words.trim()),
                )
                .or("ask with labels that do: \"Label\": \"vol-0123456789abcdef0 VolumeReadOps\"")
            })?;
            volumes.entry(volume.to_owned()).or_default().push(metric);
        }
    }
    let mut ordered: Vec<(Option<&str>, Run)> = volumes
        .into_iter()
        .map(|(volume, metrics)| {
            // What is said of an answer stands at the volumes that it names.
            let own = notes.iter().filter(|note| note.contains(&volume)).cloned().collect();
            (inventory.holder(&volume), run(volume, &metrics, own))
        })
        .collect();
    ordered.put_in_order_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.volume.cmp(&other.volume)));
    Ok(ordered.into_iter().map(|(_, run)| run).collect())
}

/// The id in a label: `prod vol-0abc VolumeReadOps`.
fn volume_of(words: &str) -> Option<&str> {
    let mut ids = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    ids.find(|word| word.strip_prefix("vol-").is_some_and(|rest| !rest.is_empty()))
}

fn run(volume: String, metrics: &[Metric], notes: Vec<String>) -> Run {
    let mut run = Run { volume, values: Some(Values::PerRow), notes, ..Run::default() };
    let metrics: Vec<&Metric> = metrics.iter().collect();
    let mut sums = metrics.clone();
    sums.retain(|metric| FAMILIES[0].iter().any(|name| has_name(&metric.words, name)));
    match rows_of(&sums, &mut run.notes) {
        Ok((rows, period_ns)) => {
            run.rows = rows.len() as u64;
            for (start_ns, flows) in rows {
                let [Some(reads), Some(writes), Some(read_bytes), Some(write_bytes)] = flows else {
                    run.empty += 1;
                    continue;
                };
                let end_ns = start_ns.saturating_add(period_ns);
                run.intervals.push(Interval { end_ns, reads, writes, read_bytes, write_bytes });
            }
        }
        Err(refusal) => run.trouble = Some(refusal.cause),
    }
    run.notes.extend(CHECKS.iter().filter_map(|name| reached(name, &metrics)));
    run
}

/// What the provider says of a limit that was reached.
fn reached(name: &str, metrics: &[&Metric]) -> Option<String> {
    let points =
        metrics.iter().filter(|metric| has_name(&metric.words, name)).flat_map(|metric| &metric.points);
    let (mut all, mut reached) = (0, 0);
    for (_, value) in points {
        all += 1;
        reached += usize::from(*value > 0.0);
    }
    let limit = if name.contains("IOPS") { "IOPS" } else { "throughput" };
    (reached > 0).then(|| {
        format!("AWS says that it reached its {limit} limit in {reached} of {all} periods ({name}): more may be wanted than is shown.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(volume: &str, name: &str, value: f64, points: i64) -> String {
        let of = |value: &dyn Fn(i64) -> String| (0..points).map(value).collect::<Vec<_>>().join(",");
        let (times, values) = (of(&|at| (1_793_491_200 + at * 300).to_string()), of(&|_| value.to_string()));
        format!(
            "{{\"Id\":\"m\",\"Label\":\"{volume} {name}\",\"Timestamps\":[{times}],\"Values\":[{values}],\"StatusCode\":\"Complete\"}}"
        )
    }

    fn volume(name: &str, ops: f64, points: i64) -> Vec<String> {
        FAMILIES[0]
            .iter()
            .map(|metric| {
                series(name, metric, if metric.ends_with("Ops") { ops } else { ops * 8192.0 }, points)
            })
            .collect()
    }

    fn document(series: &[String]) -> Vec<u8> {
        format!("{{\"MetricDataResults\":[{}],\"Messages\":[]}}", series.join(",")).into_bytes()
    }

    #[test]
    fn volumes_are_told_apart_and_ordered_by_instance() {
        let mut inventory = Inventory::default();
        let of = |id: &str, instance: &str| {
            format!(
                "{{\"VolumeId\":\"{id}\",\"Size\":1,\"VolumeType\":\"gp3\",\"Attachments\":[{{\"InstanceId\":\"{instance}\",\"State\":\"attached\"}}]}}"
            )
        };
        let volumes = [of("vol-1", "i-9"), of("vol-2", "i-1"), of("vol-10", "i-9")].join(",");
        inventory.read(format!("{{\"Volumes\":[{volumes}]}}").as_bytes()).unwrap();
        let mut first = volume("vol-1", 600.0, 9);
        first.extend(volume("vol-10", 60.0, 9));
        first.push(series("vol-1", "VolumeIOPSExceededCheck", 1.0, 2));
        first.extend(volume("vol-idle", 0.0, 0));
        let second = volume("vol-2", 6.0, 9);
        let text = document(&first);
        assert!(is_measured(&text) && !is_measured(b"{\"Volumes\":[]}"));
        let mut found = runs(&[text, document(&second)], &inventory).unwrap();
        let names: Vec<&str> = found.iter().map(|run| run.volume.as_str()).collect();
        assert_eq!(names, ["vol-2", "vol-1", "vol-10"]);
        assert!(found[1].notes[0].contains("IOPS limit in 2 of 2"), "{:?}", found[1].notes);
        let demand = found[1].demand(Values::PerRow).unwrap().demand;
        assert_eq!(
            (demand.tick_s, demand.write.operations, demand.read.bytes[0]),
            (300, vec![600; 9], 600 * 8192)
        );
    }

    #[test]
    fn what_is_missing_is_the_volume_s_own_trouble_and_a_label_without_a_volume_is_the_file_s() {
        let mut lacks = volume("vol-1", 600.0, 9);
        lacks.pop();
        lacks.extend(volume("vol-2", 1.0, 9));
        let found = runs(&[document(&lacks)], &Inventory::default()).unwrap();
        assert!(found[0].trouble.as_ref().unwrap().contains("VolumeWriteBytes"), "{:?}", found[0]);
        assert_eq!((found[1].trouble.as_ref(), found[1].intervals.len()), (None, 9));
        let nameless = runs(&[document(&volume("prod", 1.0, 9))], &Inventory::default()).unwrap_err();
        assert!(nameless.remedy.contains("Label"), "{nameless}");
        assert!(runs(&[b"{\"Volumes\":[]}".to_vec()], &Inventory::default()).is_err());
    }
}
