//! Where nothing says it.

use std::io;
use std::path::PathBuf;

use super::{ProcessorTime, absent};
use crate::Root;

pub(super) fn id(_: &Root) -> io::Result<String> {
    Err(absent("the name of the boot"))
}

pub(super) fn up_s(_: &Root) -> Option<f64> {
    None
}

pub(super) fn processor_time(_: &Root) -> Option<ProcessorTime> {
    None
}

pub(super) fn kernel(_: &Root) -> io::Result<String> {
    Err(absent("the kernel's release"))
}

pub(super) fn place(root: &Root, path: &str) -> PathBuf {
    root.path(path)
}

pub(super) fn sysctl(_: &Root, _: &str) -> io::Result<String> {
    Err(absent("a parameter of the kernel"))
}

pub(super) fn driver(_: &Root, _: &str) -> io::Result<String> {
    Err(absent("the driver of a block device"))
}

pub(super) fn registry(_: &str) -> io::Result<String> {
    Err(absent("a registry"))
}
