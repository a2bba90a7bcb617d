//! What interfaces count of their own allowances, through the driver's statistics.

mod metrics;
#[cfg_attr(target_os = "linux", path = "statistics_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "statistics_elsewhere.rs")]
mod statistics;

pub use metrics::METRICS;

use crate::counter_growth::per_second;
use crate::{MetricDecl, Root, Sample, Source};
use statistics::EthtoolSocket;

/// Interfaces that are followed at most.
const INTERFACES_MAX: usize = 16;
/// Length of a name in the driver's list, in bytes (`ETH_GSTRING_LEN`).
const NAME_BYTES: usize = 32;

/// One interface, and where in its driver's list each metric is.
struct Interface {
    name: String,
    places: [Option<usize>; METRICS.len()],
    before: Option<Vec<u64>>,
}

/// The machine's interfaces with allowances.
pub struct Ethtool {
    root: Root,
    drivers: Option<(EthtoolSocket, Vec<Interface>)>,
}

impl Ethtool {
    /// Interfaces are looked for at the first sample.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), drivers: None }
    }
}

/// Where each metric's name stands in a driver's list of names, each padded to its length.
fn places(names: &[u8]) -> [Option<usize>; METRICS.len()] {
    METRICS.map_names(|wanted| {
        names.chunks_exact(NAME_BYTES).position(|name| {
            let end = name.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES);
            &name[..end] == wanted.as_bytes()
        })
    })
}

/// Metrics by the driver's names of them.
trait DriverMetricNames {
    /// Something for each.
    fn map_names<T>(&self, f: impl FnMut(&'static str) -> T) -> [T; METRICS.len()];
}

impl DriverMetricNames for &'static [MetricDecl] {
    fn map_names<T>(&self, mut f: impl FnMut(&'static str) -> T) -> [T; METRICS.len()] {
        std::array::from_fn(|at| f(self[at].name.trim_start_matches("ethtool.")))
    }
}

fn find(root: &Root, socket: &EthtoolSocket) -> Vec<Interface> {
    let names = root.names("/sys/class/net").into_iter();
    let hardware = names.filter(|name| root.exists(format!("/sys/class/net/{name}/device")));
    let known = hardware.filter_map(|name| {
        let places = places(&socket.names(&name)?);
        places.iter().any(Option::is_some).then_some(Interface { name, places, before: None })
    });
    known.take(INTERFACES_MAX).collect()
}

impl Source for Ethtool {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        if self.drivers.is_none() {
            match EthtoolSocket::open() {
                Ok(socket) => {
                    let found = find(&self.root, &socket);
                    self.drivers = Some((socket, found));
                }
                Err(error) => {
                    return sample.absent("ethtool", format!("drivers could not be asked ({error})"));
                }
            }
        }
        let Some((socket, interfaces)) = &mut self.drivers else { return };
        if interfaces.is_empty() {
            return sample.absent(
                "ethtool",
                "no interface counts allowances: only Amazon's ENA driver does, from version 2.2.10 on",
            );
        }
        for Interface { name, places, before } in interfaces {
            let now = socket.values(name);
            if let (Some(before), Some(now)) = (before.as_ref(), now.as_ref()) {
                for (metric, place) in METRICS.iter().zip(places) {
                    let of = |values: &Vec<u64>| values.get((*place)?).copied();
                    let rate = of(before).zip(of(now)).and_then(|(was, is)| per_second(was, is, elapsed_ns));
                    sample.put(metric, name, rate);
                }
            }
            *before = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whole_in_the_driver_s_list() {
        let mut list = Vec::new();
        for name in
            ["tx_timeout", "pps_allowance_exceeded", "bw_in_allowance_exceeded_x", "bw_in_allowance_exceeded"]
        {
            let mut padded = [0u8; NAME_BYTES];
            padded[..name.len()].copy_from_slice(name.as_bytes());
            list.extend(padded);
        }
        assert_eq!(places(&list), [Some(3), None, Some(1), None, None]);
        assert_eq!(places(&list[..40]), [None; 5], "a list that was cut");
        assert_eq!(places(&[0xff; 64]), [None; 5]);
    }
}
