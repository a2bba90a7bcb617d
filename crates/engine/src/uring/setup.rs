//! Makes a ring with every feature that the kernel has, and notes the ones it lacks.
#![allow(unsafe_code)] // Registers memory with the kernel.

use std::io;
use std::os::fd::RawFd;

use fathom_record::facts::{EngineFeature, POLLED_COMPLETIONS};
use fathom_record::run_plan::RunOptions;
use io_uring::{IoUring, cqueue, squeue};
use rustix::process::{Resource, getrlimit};

use super::ring_queues::Queue;
use crate::{Arena, EngineError, ErrorKind};

/// The feature of rings whose buffers the kernel keeps mapped.
pub const REGISTERED_BUFFERS: &str = "registered_buffers";

/// A ring ready for use.
pub struct PreparedRing<S: squeue::EntryMarker = squeue::Entry, C: cqueue::EntryMarker = cqueue::Entry> {
    pub queue: Queue<S, C>,
    pub registered_buffers: bool,
    pub features: Vec<EngineFeature>,
}

/// Sets of setup flags, best first; each step leaves out what older kernels refuse.
#[derive(Clone, Copy)]
struct Rung {
    /// Entries are taken in their order: no list of their places is written and read with each.
    no_sqarray: bool,
    /// What follows a completion is done in the job's call that asks for completions, many at once, and not whenever
    /// one interrupts the job. The kernel does it only where one thread alone submits (`single_issuer`), which spares
    /// locks too: a ring stays with its job.
    defer_taskrun: bool,
    /// The same for kernels without it: it is done when the job enters the kernel the next time, and the job is not
    /// interrupted for it.
    coop_taskrun: bool,
    /// An entry that is refused ends with its error, and the rest of its batch starts: its I/Os were stamped together.
    submit_all: bool,
}

const LADDER: [Rung; 5] = [
    Rung { no_sqarray: true, defer_taskrun: true, coop_taskrun: true, submit_all: true },
    Rung { no_sqarray: false, defer_taskrun: true, coop_taskrun: true, submit_all: true },
    Rung { no_sqarray: false, defer_taskrun: false, coop_taskrun: true, submit_all: true },
    Rung { no_sqarray: false, defer_taskrun: false, coop_taskrun: false, submit_all: true },
    Rung { no_sqarray: false, defer_taskrun: false, coop_taskrun: false, submit_all: false },
];

impl Rung {
    fn build<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
        self,
        depth: u32,
        options: &RunOptions,
    ) -> io::Result<IoUring<S, C>> {
        let mut builder = IoUring::<S, C>::builder();
        // A kernel that makes no ring as large makes its largest: what finds no place there goes with a later batch.
        builder.setup_clamp();
        // A place for the completion of each I/O in flight, and as many more: the timer's ticks come without an entry
        // of their own, and what finds no place costs an allocation, and a call that fetches it. Kernels take this size
        // of themselves; the engine does not depend on that.
        builder.setup_cqsize((depth * 2).max(2));
        if self.submit_all {
            builder.setup_submit_all();
        }
        if self.no_sqarray {
            builder.setup_no_sqarray();
        }
        // The flag says in memory that completions wait for a call: without it, each look for them would be a call.
        if self.defer_taskrun {
            builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        }
        if self.coop_taskrun {
            builder.setup_coop_taskrun();
            if !self.defer_taskrun {
                builder.setup_taskrun_flag();
            }
        }
        // The device raises no interrupt: the call that waits asks its queue for completions.
        if options.polled {
            builder.setup_iopoll();
        }
        builder.build(depth)
    }

    fn features(self, options: &RunOptions) -> Vec<EngineFeature> {
        let older =
            |used: bool, since: &str| (!used).then(|| format!("refused by this kernel (needs {since})"));
        let feature =
            |name: &str, used: bool, since: &str| EngineFeature::unless_refused(name, older(used, since));
        vec![
            feature("single_issuer", self.defer_taskrun, "6.0"),
            feature("defer_taskrun", self.defer_taskrun, "6.1"),
            feature("coop_taskrun", self.coop_taskrun, "5.19"),
            feature("no_sqarray", self.no_sqarray, "6.6"),
            feature("submit_all", self.submit_all, "5.18"),
            EngineFeature::new(
                POLLED_COMPLETIONS,
                options.polled,
                (!options.polled).then(|| "not asked for".to_owned()),
            ),
        ]
    }
}

fn refused(error: &io::Error) -> EngineError {
    const PLACE: &str = "starting io_uring";
    match error.raw_os_error() {
        Some(libc::ENOSYS) => EngineError::new(ErrorKind::Unsupported, PLACE, "this kernel has no io_uring")
            .with_remedy("use --engine sync"),
        Some(libc::EPERM | libc::EACCES) => {
            EngineError::new(ErrorKind::Unsupported, PLACE, "io_uring is disabled on this machine")
                .with_remedy("allow it with `sysctl kernel.io_uring_disabled=0`, or use --engine sync")
        }
        Some(libc::ENOMEM) => {
            EngineError::new(ErrorKind::System, PLACE, "not enough lockable memory for the rings")
                .with_remedy("raise it with `ulimit -l unlimited`, or use a smaller --depth or --jobs")
        }
        _ => EngineError::system(PLACE, error),
    }
}

/// Makes a small ring and lets it go.
pub fn try_ring() -> Result<(), EngineError> {
    let built = LADDER[LADDER.len() - 1].build::<squeue::Entry, cqueue::Entry>(2, <&RunOptions>::default());
    built.map(drop).map_err(|error| refused(&error))
}

/// Builds a ring of so many entries and registers files, buffers and ring with the kernel.
pub fn make<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    files: &[RawFd],
    entries: u32,
    arena: &Arena,
    options: &RunOptions,
) -> Result<PreparedRing<S, C>, EngineError> {
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for rung in LADDER {
        match rung.build(entries, options) {
            Ok(ring) => {
                return register(Queue::new(ring, options.polled), files, arena, rung.features(options));
            }
            // An older kernel says EINVAL to a flag it does not know; anything else is final.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            Err(error) => return Err(refused(&error)),
        }
    }
    Err(refused(&last))
}

fn register<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    mut queue: Queue<S, C>,
    files: &[RawFd],
    arena: &Arena,
    mut features: Vec<EngineFeature>,
) -> Result<PreparedRing<S, C>, EngineError> {
    let handle = queue.register_handle();
    queue
        .ring()
        .submitter()
        .register_files(files)
        .map_err(|error| EngineError::system("registering the target with io_uring", &error))?;
    let whole = libc::iovec { iov_base: arena.base().cast(), iov_len: arena.length() };
    // SAFETY: the kernel pins the pages, and the mapping stays until every I/O has ended (`Uring`'s
    // drop); a registration that outlives it holds the pages, not the addresses.
    let registered_buffers = unsafe { queue.ring().submitter().register_buffers(&[whole]) };
    let refusal = (!handle).then(|| "refused by this kernel (needs 5.18)".to_owned());
    features.push(EngineFeature::unless_refused("registered_ring", refusal));
    features.push(EngineFeature::new("registered_file", true, None));
    let refusal = registered_buffers.as_ref().err().map(buffer_note);
    features.push(EngineFeature::unless_refused(REGISTERED_BUFFERS, refusal));
    Ok(PreparedRing { queue, registered_buffers: registered_buffers.is_ok(), features })
}

fn buffer_note(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOMEM) => {
            let limit = getrlimit(Resource::Memlock).current;
            let limit = limit.map_or("".to_owned(), |bytes| format!(" of {} KiB", bytes >> 10));
            format!(
                "the jobs' buffers are beyond the limit of locked memory{limit}: `ulimit -l unlimited` lifts it; each \
                 I/O pins its pages instead"
            )
        }
        Some(libc::EFAULT | libc::EINVAL) => "more than 1 GiB of buffers in one job".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_below_the_first_that_works_here_works_too() {
        let works = LADDER
            .map(|rung| rung.build::<squeue::Entry, cqueue::Entry>(4, <&RunOptions>::default()).is_ok());
        let first = works.iter().position(|works| *works).unwrap_or(works.len());
        assert!(works[first..].iter().all(|works| *works), "{works:?}");
    }
}
