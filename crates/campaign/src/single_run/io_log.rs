//! The sequence of a run's I/Os, as the engine was given them.

use std::mem::size_of;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_engine::job::JobPlan;
use fathom_engine::tap::Listener;
use fathom_tools::fio::result_forms::LoggedIo;

/// Most I/Os of one job that are taken down; what is beyond is counted.
const MOST: u64 = 4 << 20;

const _: () = assert!(size_of::<LoggedIo>() <= 32);

/// Takes down the I/Os of a run.
#[derive(Debug, Default)]
pub struct IoLog {
    kept: Arc<Mutex<LogBuffer>>,
}

#[derive(Debug, Default)]
struct LogBuffer {
    ios: Vec<LoggedIo>,
    left_out: u64,
}

/// A job's own part, which joins the others when the job has ended.
struct Page {
    ios: Vec<LoggedIo>,
    left_out: u64,
    kept: Arc<Mutex<LogBuffer>>,
}

impl Drop for Page {
    fn drop(&mut self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.ios.append(&mut self.ios);
        kept.left_out += self.left_out;
    }
}

impl IoLog {
    /// Hears of one job's I/Os. Room for all that the job may issue is taken before it starts.
    pub(super) fn listener(&self, plan: &JobPlan) -> Listener {
        let room = plan.operations.min(MOST);
        let ios = Vec::with_capacity(room as usize);
        let mut page = Page { ios, left_out: 0, kept: Arc::clone(&self.kept) };
        let target = plan.target;
        Box::new(move |io, stamps| {
            if page.ios.len() == page.ios.capacity() {
                page.left_out += 1;
                return;
            }
            page.ios.push(LoggedIo {
                submitted_ns: stamps.submitted_ns,
                offset: io.offset,
                bytes: io.bytes,
                target,
                direction: io.direction,
            });
        })
    }

    /// All I/Os in the order of their submission, and how many there was no room for.
    pub fn finish(self) -> (Vec<LoggedIo>, u64) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ios = std::mem::take(&mut kept.ios);
        ios.sort_by_key(|io| io.submitted_ns);
        (ios, kept.left_out)
    }
}
