//! The list of formats that are read.

use super::Importer;
use crate::{bdevperf, diskspd, fathom, fio, importers, nvme_perf};

/// All importers; of two that are equally sure of a file neither is taken, so the order says nothing.
pub const IMPORTERS: &[Importer] = &[
    fathom::IMPORTER,
    fio::json::IMPORTER,
    fio::log::LOG,
    fio::log::LOG_US,
    fio::log::LOG_NS,
    fio::log::LOG_BANDWIDTH,
    fio::log::LOG_IOPS,
    fio::text::IMPORTER,
    diskspd::TEXT_IMPORTER,
    diskspd::XML_IMPORTER,
    bdevperf::TEXT_IMPORTER,
    bdevperf::JSON_IMPORTER,
    nvme_perf::IMPORTER,
    importers::IOSTAT,
    importers::SAR,
    importers::SADF,
    importers::MPSTAT,
    importers::VMSTAT,
    importers::PERF_STAT,
    importers::STRANGER,
];
