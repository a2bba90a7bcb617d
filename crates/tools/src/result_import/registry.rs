//! The list of formats that are read.

use super::Importer;
use crate::observers::OBSERVERS;
use crate::{bdevperf, diskspd, fathom, fio, importers, nvme_perf};

/// All importers; of two that are equally sure of a file neither is taken, so the order says nothing.
pub const IMPORTERS: &[Importer] = &with_observers::<{ OTHERS.len() + OBSERVERS.len() }>();

/// All that are not of a tool whose telemetry is read, which has its own.
const OTHERS: &[Importer] = &[
    fathom::IMPORTER,
    fio::fio_json_results::IMPORTER,
    fio::log::LOG,
    fio::log::LOG_US,
    fio::log::LOG_NS,
    fio::log::LOG_BANDWIDTH,
    fio::log::LOG_IOPS,
    fio::normal_text::IMPORTER,
    diskspd::TEXT_IMPORTER,
    diskspd::XML_IMPORTER,
    bdevperf::TEXT_IMPORTER,
    bdevperf::JSON_IMPORTER,
    nvme_perf::IMPORTER,
    importers::STRANGER,
];

const fn with_observers<const N: usize>() -> [Importer; N] {
    let mut all = [importers::STRANGER; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < OTHERS.len() { OTHERS[at] } else { OBSERVERS[at - OTHERS.len()].importer };
        at += 1;
    }
    all
}
