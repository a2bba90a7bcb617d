//! The list of formats that are read.

use super::Importer;
use crate::importers;

/// All importers; of two that are equally sure of a file neither is taken, so the order says nothing.
pub const IMPORTERS: &[Importer] = &[
    crate::fathom::IMPORTER,
    crate::diskspd::TEXT_IMPORTER,
    crate::diskspd::XML_IMPORTER,
    crate::bdevperf::TEXT_IMPORTER,
    crate::bdevperf::JSON_IMPORTER,
    crate::nvme_perf::IMPORTER,
    importers::IOSTAT,
    importers::SAR,
    importers::SADF,
    importers::MPSTAT,
    importers::VMSTAT,
    importers::PERF_STAT,
    importers::STRANGER,
];
