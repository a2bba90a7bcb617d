//! Keeps an admin queue alive on a thread of its own, and hears of events.

use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fathom_spec::admin;
use fathom_spec::fabrics::{SubmissionEntry, property};

use super::wire::{Wire, lost, now};
use crate::Error;

/// Slots of the admin queue: one command that is waited for, a keep-alive, and a request for an event.
pub const SLOTS: u32 = 3;
const KEEP_ALIVE_SLOT: u32 = 1;
const EVENT_SLOT: u32 = 2;
/// Events that are kept in words.
const MOST_EVENTS: usize = 16;
/// Longest sleep between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// What the keeper and everybody else with a connection to the controller tell each other.
#[derive(Debug, Default)]
pub struct KeeperState {
    stop: AtomicBool,
    lost: AtomicBool,
    why: Mutex<Option<String>>,
    events: Mutex<Vec<String>>,
}

impl KeeperState {
    /// Whether the controller is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Says that it is, and why; the first reason stays.
    pub fn lose(&self, why: String) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.lost.store(true, Ordering::Relaxed);
    }

    /// Why it is lost.
    pub fn why(&self) -> Option<String> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Events that the controller told of, in words.
    pub fn events(&self) -> Vec<String> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn tell(&self, event: String) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() < MOST_EVENTS {
            events.push(event);
        }
    }
}

/// The thread; it ends, and the controller is shut down, when this is dropped.
#[derive(Debug)]
pub struct Keeper {
    shared: Arc<KeeperState>,
    waker: std::net::TcpStream,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Takes over an admin queue.
    ///
    /// # Errors
    /// When there is no thread or descriptor to be had.
    pub fn start(wire: Wire, keep_alive: Option<Duration>, shared: Arc<KeeperState>) -> Result<Self, Error> {
        const PLACE: &str = "keeping a controller alive";
        let waker = wire.stream().try_clone().map_err(|error| Error::system(PLACE, &error))?;
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("nvme-admin".to_owned())
            .spawn(move || {
                let mut keeping = KeeperLoop { wire, keep_alive, shared: own, is_listening: false };
                if let Err(why) = keeping.keep() {
                    keeping.shared.lose(format!("the admin queue was lost: {}", why.cause));
                }
            })
            .map_err(|error| Error::system(PLACE, &error))?;
        Ok(Self { shared, waker, thread: Some(thread) })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Ends the wait for data; what is to be said goes the other way.
        let _ = self.waker.shutdown(Shutdown::Read);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct KeeperLoop {
    wire: Wire,
    keep_alive: Option<Duration>,
    shared: Arc<KeeperState>,
    /// Whether a request for an event is out.
    is_listening: bool,
}

impl KeeperLoop {
    /// Until it is stopped.
    ///
    /// # Errors
    /// When the controller is lost, with the reason.
    fn keep(&mut self) -> Result<(), Error> {
        let mut asked_at: Option<Instant> = None;
        let mut next = now() + self.period();
        loop {
            if self.shared.stop.load(Ordering::Relaxed) {
                self.shut_down();
                return Ok(());
            }
            self.listen();
            let now = now();
            if let Some(end) = self.wire.take_end(KEEP_ALIVE_SLOT) {
                asked_at = None;
                if !end.status.is_success() {
                    return Err(lost(format!("it refused to be kept alive: {}", end.status)));
                }
            }
            match (self.keep_alive, asked_at) {
                (Some(time), Some(at)) if now.duration_since(at) > time => {
                    return Err(lost(format!("no answer to a keep-alive within {} s", time.as_secs())));
                }
                (Some(_), None) if now >= next => {
                    self.wire.start(KEEP_ALIVE_SLOT, SubmissionEntry::new(admin::KEEP_ALIVE, 0, [0; 6]));
                    asked_at = Some(now);
                    next = now + self.period();
                }
                _ => {}
            }
            let turned = self.wire.turn(LOOK.min(next.saturating_duration_since(now)));
            if self.shared.stop.load(Ordering::Relaxed) {
                continue;
            }
            turned?;
        }
    }

    /// Between two keep-alives: half of the time, so that one may be late.
    fn period(&self) -> Duration {
        self.keep_alive.map_or(LOOK, |time| time / 2)
    }

    /// Has a request for an event out, and takes those that came.
    fn listen(&mut self) {
        if let Some(end) = self.wire.take_end(EVENT_SLOT) {
            if !end.status.is_success() {
                // A controller without events: nothing is asked again.
                return;
            }
            self.is_listening = false;
            self.shared.tell(event_words(end.result as u32));
        }
        if !self.is_listening {
            self.wire.start(EVENT_SLOT, SubmissionEntry::new(admin::ASYNCHRONOUS_EVENT, 0, [0; 6]));
            self.is_listening = true;
        }
    }

    /// Tells the controller that it is not needed any more. Where that does not reach it, it finds out by itself.
    fn shut_down(&mut self) {
        const NORMAL: u32 = 0b01 << 14;
        let entry = property::set(property::CONFIGURATION, property::ENABLED | NORMAL);
        if self.wire.start(0, entry) {
            let _ = self.wire.turn(Duration::from_millis(1));
        }
    }
}

/// What an event is, from the result of its command (Base, "Asynchronous Event Request").
fn event_words(result: u32) -> String {
    let (kind, info, page) = (result & 0b111, result >> 8 & 0xff, result >> 16 & 0xff);
    let what = match (kind, info) {
        (0, _) => "an error",
        (1, _) => "a health warning",
        (2, 0) => "a namespace changed",
        (2, 1) => "firmware activation began",
        (2, 3) => "the asymmetric access of a namespace changed",
        (2, _) => "a notice",
        (7, _) => "an event of its vendor's",
        _ => "an event",
    };
    format!("the controller reported {what} (type {kind}, information {info:02x}h, log page {page:02x}h)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_in_words_with_their_numbers() {
        for (result, words) in [
            (0x0004_0002, "a namespace changed (type 2, information 00h, log page 04h)"),
            (0x0002_0101, "a health warning (type 1, information 01h, log page 02h)"),
            (0x0000_0203, "an event (type 3, information 02h, log page 00h)"),
        ] {
            assert!(event_words(result).ends_with(words), "{}", event_words(result));
        }
    }

    #[test]
    fn the_first_reason_stays() {
        let shared = KeeperState::default();
        assert!(!shared.is_lost());
        shared.lose("first".to_owned());
        shared.lose("second".to_owned());
        assert_eq!((shared.is_lost(), shared.why().as_deref()), (true, Some("first")));
    }
}
