//! How busy the machine's processors were, from the telemetry's shares of time by core.

use fathom_record::telemetry::Telemetry;

/// Share of time in use, 0 to 1, for each telemetry sample; absent where it could not be read.
pub struct CpuUtilization {
    /// Mean over all cores.
    pub mean: Vec<Option<f64>>,
    /// The busiest core in each sample.
    pub busiest: Vec<Option<f64>>,
}

/// Reads `cpu.busy` of every core. `None` when no core was sampled.
pub fn busy(telemetry: &Telemetry) -> Option<CpuUtilization> {
    let samples = telemetry.at_ns.len();
    // The whole machine carries no label.
    let cores: Vec<&[Option<f64>]> =
        telemetry.all("cpu.busy").filter(|s| !s.label.is_empty()).map(|s| s.values.as_slice()).collect();
    if cores.is_empty() || samples == 0 {
        return None;
    }
    let over_cores = |fold: fn(&[f64]) -> f64| -> Vec<Option<f64>> {
        (0..samples)
            .map(|sample| {
                let known: Vec<f64> =
                    cores.iter().filter_map(|core| core.get(sample).copied().flatten()).collect();
                (!known.is_empty()).then(|| fold(&known))
            })
            .collect()
    };
    Some(CpuUtilization {
        mean: over_cores(|known| known.iter().sum::<f64>() / known.len() as f64),
        busiest: over_cores(|known| known.iter().copied().fold(0.0, f64::max)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_record::telemetry::MetricSeries;

    fn metric(metric: &str, label: &str, values: &[Option<f64>]) -> MetricSeries {
        let (unit, source) = ("share".to_owned(), "/proc/stat".to_owned());
        MetricSeries {
            metric: metric.to_owned(),
            label: label.to_owned(),
            unit,
            source,
            values: values.to_vec(),
        }
    }

    #[test]
    fn only_single_cores_count() {
        let series = vec![
            metric("cpu.busy", "", &[Some(0.5), Some(0.5)]),
            metric("cpu.busy", "0", &[Some(0.25), None]),
            metric("cpu.busy", "1", &[Some(0.75), Some(1.0)]),
        ];
        let busy = busy(&Telemetry { at_ns: vec![0, 1], series, ..Telemetry::default() }).unwrap();
        assert_eq!(busy.busiest, [Some(0.75), Some(1.0)]);
        assert_eq!(busy.mean, [Some(0.5), Some(1.0)]);
    }

    #[test]
    fn without_samples_nothing_is_known() {
        assert!(busy(&Telemetry::default()).is_none());
    }
}
