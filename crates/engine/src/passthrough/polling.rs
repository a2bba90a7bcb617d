//! Whether this kernel can poll for NVMe commands without harm.
//!
//! Before Linux 6.6 the driver polled by a pointer that it shared with the completion of commands that
//! are not polled, as flushes were: a flush on a polling ring ended in a fault inside the kernel
//! (`bio_poll` from `nvme_ns_chr_uring_cmd_iopoll`, seen with 6.1 in `cargo lab passthrough`'s guest).
//! Since then it polls by the request itself (Linux `drivers/nvme/host/ioctl.c`, `IORING_URING_CMD_POLLED`).

use crate::{EngineError, ErrorKind};

/// First version whose driver polls by the request, with one to spare.
const SINCE: (u32, u32) = (6, 6);

/// Lets polled NVMe commands pass only where they do no harm.
///
/// # Errors
/// [`ErrorKind::Unsupported`] on older kernels.
pub fn admit() -> Result<(), EngineError> {
    let release = rustix::system::uname();
    let release = release.release().to_string_lossy();
    if version(&release).is_some_and(|version| version >= SINCE) {
        return Ok(());
    }
    let cause = format!("polling for NVMe commands can crash this kernel ({release}); it is safe since 6.6");
    Err(EngineError::new(ErrorKind::Unsupported, "preparing polled completions", cause)
        .with_remedy("leave --polled out, or poll with --engine uring on the block device"))
}

/// Major and minor number of `6.1.0-56-cloud-amd64`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("6.1.0-56-cloud-amd64"), Some((6, 1)));
        assert!(version("6.12.9+deb12").unwrap() >= SINCE && version("6.5.0").unwrap() < SINCE);
        assert!(version("5.19").unwrap() < SINCE && version("7.0-rc1").unwrap() >= SINCE);
        assert_eq!((version("next"), version("6")), (None, None));
    }
}
