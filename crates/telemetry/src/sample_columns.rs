//! Samples as they come in become columns: one a metric and label, all of the same length.

use std::collections::HashMap;
use std::sync::Arc;

use fathom_order::InOrder;
use fathom_record::telemetry::{AbsentSource, MetricSeries};

use crate::MetricDecl;

/// Columns of values over a list of samples.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// End of each sample's interval, on the sampler's clock.
    at_ns: Vec<u64>,
    columns: Vec<Column>,
    by_name: HashMap<&'static str, HashMap<Arc<str>, usize>>,
    absent: Vec<AbsentSource>,
}

#[derive(Debug)]
struct Column {
    metric: &'static MetricDecl,
    label: Arc<str>,
    values: Vec<Option<f64>>,
}

/// One value of the newest sample.
pub(crate) type Reading = (&'static str, Arc<str>, f64);

/// Where a source puts what it read.
#[derive(Debug)]
pub struct Sample<'a> {
    table: &'a mut Table,
    baseline: bool,
}

impl Sample<'_> {
    /// Gives the value of one metric and label; `None`, a value that is not finite, and everything
    /// in a baseline leave the sample without it.
    pub fn put(&mut self, metric: &'static MetricDecl, label: &str, value: impl Into<Option<f64>>) {
        match value.into() {
            Some(value) if value.is_finite() && !self.baseline => self.table.put(metric, label, value),
            _ => {}
        }
    }

    /// Says that a source, or a part of it, gives nothing: why, and how to get it. Said again in
    /// the same words, it is kept once.
    pub fn absent(&mut self, source: &str, reason: impl Into<String>) {
        self.table.absent(source, reason.into());
    }
}

impl Table {
    /// A sample that sets baselines and leaves no row.
    pub fn baseline(&mut self) -> Sample<'_> {
        Sample { table: self, baseline: true }
    }

    /// A new row, whose interval ends at `at_ns`.
    pub fn row(&mut self, at_ns: u64) -> Sample<'_> {
        self.at_ns.push(at_ns);
        Sample { table: self, baseline: false }
    }

    fn put(&mut self, metric: &'static MetricDecl, label: &str, value: f64) {
        let rows = self.at_ns.len();
        let labels = self.by_name.entry(metric.name).or_default();
        let index = match labels.get(label) {
            Some(&index) => index,
            None => {
                let label: Arc<str> = label.into();
                labels.insert(Arc::clone(&label), self.columns.len());
                self.columns.push(Column { metric, label, values: Vec::new() });
                self.columns.len() - 1
            }
        };
        let values = &mut self.columns[index].values;
        // Two things under one label: the first stands.
        if values.len() < rows {
            values.resize(rows - 1, None);
            values.push(Some(value));
        }
    }

    fn absent(&mut self, source: &str, reason: String) {
        if !self.absent.iter().any(|known| known.source == source && known.reason == reason) {
            self.absent.push(AbsentSource { source: source.to_owned(), reason });
        }
    }

    /// End of the newest sample's interval.
    pub fn last_at_ns(&self) -> Option<u64> {
        self.at_ns.last().copied()
    }

    /// Values of the newest sample.
    pub fn newest(&self) -> Vec<Reading> {
        let rows = self.at_ns.len();
        let value =
            |column: &Column| (column.values.len() == rows).then(|| column.values.last().copied())??;
        self.columns
            .iter()
            .filter_map(|column| Some((column.metric.name, Arc::clone(&column.label), value(column)?)))
            .collect()
    }

    /// Everything, sorted by metric; labels stay in the order in which they appeared.
    pub fn into_series(self) -> (Vec<u64>, Vec<MetricSeries>, Vec<AbsentSource>) {
        let rows = self.at_ns.len();
        let mut series: Vec<MetricSeries> = self
            .columns
            .into_iter()
            .map(|column| {
                let mut values = column.values;
                values.resize(rows, None);
                MetricSeries {
                    metric: column.metric.name.to_owned(),
                    label: column.label.to_string(),
                    unit: column.metric.unit.to_owned(),
                    source: column.metric.source.to_owned(),
                    values,
                }
            })
            .collect();
        series.put_in_order_by(|a, b| a.metric.cmp(&b.metric));
        (self.at_ns, series, self.absent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAT: MetricDecl = MetricDecl::gauge("t.heat", "celsius", "x", "Heat.");

    #[test]
    fn columns_that_come_late_or_end_early_stay_aligned() {
        let mut table = Table::default();
        table.baseline().put(&HEAT, "a", 9.0);
        table.row(10).put(&HEAT, "a", 1.0);
        let mut second = table.row(20);
        second.put(&HEAT, "b", 2.0);
        second.put(&HEAT, "b", 99.0);
        second.put(&HEAT, "a", f64::NAN);
        assert_eq!(table.newest(), [("t.heat", Arc::from("b"), 2.0)]);
        table.row(30).put(&HEAT, "a", 3.0);
        let (at, series, _) = table.into_series();
        assert_eq!(at, [10, 20, 30]);
        assert_eq!(series[0].values, [Some(1.0), None, Some(3.0)]);
        assert_eq!(series[1].values, [None, Some(2.0), None]);
    }

    #[test]
    fn an_absence_is_kept_once() {
        let mut table = Table::default();
        for _ in 0..3 {
            table.row(1).absent("perf", "no counters");
        }
        table.row(2).absent("perf", "no permission");
        assert_eq!(table.into_series().2.len(), 2);
    }
}
