//! Waiting by `epoll`, with an `eventfd` as the bell.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use fathom_engine::EventHandle;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, epoll, eventfd, poll};

use crate::readiness_wait::{BELL, Interest};

/// Descriptors that one wait reports; others are reported by the next.
const MOST_EVENTS: usize = 64;

/// From so long a wait on, a millisecond more or less is nothing to anybody.
const ROUGH_NS: u64 = 20_000_000;

fn flags(interest: Interest) -> epoll::EventFlags {
    match interest {
        Interest::Read => epoll::EventFlags::IN,
        Interest::Write => epoll::EventFlags::OUT,
    }
}

/// Wakes a thread that waits; may be rung from any thread.
#[derive(Clone, Debug)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    /// Its descriptor, for the kernel to ring.
    pub fn event(&self) -> EventHandle<'_> {
        self.0.as_fd()
    }

    /// Wakes it, or lets its next wait end at once.
    pub fn ring(&self) {
        // A bell that was rung too often to count rings all the same.
        let _ = rustix::io::write(&*self.0, &1u64.to_le_bytes());
    }
}

/// The descriptors that one thread waits for.
#[derive(Debug)]
pub struct Poller {
    set: OwnedFd,
    bell: Waker,
}

impl Poller {
    /// Waits for nothing yet but its bell.
    ///
    /// # Errors
    /// When the process can open no more files.
    pub fn new() -> io::Result<Self> {
        let set = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let bell = Waker(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?));
        epoll::add(&set, &*bell.0, epoll::EventData::new_u64(BELL), epoll::EventFlags::IN)?;
        Ok(Self { set, bell })
    }

    /// What wakes it.
    pub fn bell(&self) -> Waker {
        self.bell.clone()
    }

    /// Waits for a descriptor too; it leaves when it is closed.
    ///
    /// # Errors
    /// When the system has no room for it.
    pub fn add(&self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        Ok(epoll::add(&self.set, fd, epoll::EventData::new_u64(token), flags(interest))?)
    }

    /// Waits for something else of a descriptor.
    ///
    /// # Errors
    /// When it was never added.
    pub fn change(&self, fd: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        Ok(epoll::modify(&self.set, fd, epoll::EventData::new_u64(token), flags(interest))?)
    }

    /// Waits for at most `timeout_ns` nanoseconds, without end where there is none, and puts the tokens of what is
    /// ready into `tokens`; [`BELL`] where the bell was rung.
    ///
    /// # Errors
    /// When the system fails; a signal is no failure.
    pub fn wait(&mut self, timeout_ns: Option<u64>, tokens: &mut Vec<u64>) -> io::Result<()> {
        const NONE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        tokens.clear();
        let time =
            |ns: u64| Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 };
        // The call that reports waits whole milliseconds; shorter times are kept by another call, which all kernels in
        // use have.
        let (exact_ns, rough) = match timeout_ns {
            None => (0, None),
            Some(ns) if ns >= ROUGH_NS => (0, Some(time(ns / 1_000_000 * 1_000_000))),
            Some(ns) => (ns, Some(NONE)),
        };
        if exact_ns > 0 {
            let wait = time(exact_ns);
            let mut set = [PollFd::new(&self.set, PollFlags::IN)];
            match poll(&mut set, Some(&wait)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut events = [const { MaybeUninit::<epoll::Event>::uninit() }; MOST_EVENTS];
        match epoll::wait(&self.set, &mut events[..], rough.as_ref()) {
            Ok((events, _)) => tokens.extend(events.iter().map(|event| event.data.u64())),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if tokens.contains(&BELL) {
            let _ = rustix::io::read(&*self.bell.0, &mut [0; 8]);
        }
        Ok(())
    }
}
