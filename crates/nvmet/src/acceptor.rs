//! Takes connections and hands each to the worker with the fewest; closes those that are too many at once.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::Duration;

use crate::counters::add;
use crate::readiness_wait::{Interest, Poller, Waker};
use crate::worker::{Arrival, TargetState};

/// Connections that have not said what they are: more of them are a scan, not hosts.
const MOST_NEWCOMERS: usize = 128;

/// Where a worker takes its connections from.
#[derive(Debug)]
pub struct Post {
    /// Into its loop.
    pub arrivals: Sender<Arrival>,
    /// What wakes it.
    pub bell: Waker,
}

/// Accepts.
#[derive(Debug)]
pub struct Acceptor {
    /// What all share.
    pub common: Arc<TargetState>,
    /// The socket that listens, which does not block.
    pub listener: TcpListener,
    /// What is waited for.
    pub ready: Poller,
    /// The workers.
    pub posts: Vec<Post>,
    /// Connections at once.
    pub most: usize,
}

impl Acceptor {
    /// Accepts until all is to end.
    pub fn run(mut self) {
        let mut tokens = Vec::new();
        let mut next = 0;
        if let Err(error) = self.ready.add(&self.listener, 0, Interest::Read) {
            self.common.say(format!("no connections are taken: {error}"));
            return;
        }
        while !self.common.stop.load(Ordering::Relaxed) {
            if let Err(error) = self.ready.wait(None, &mut tokens) {
                self.common.say(format!("no connections are taken any more: {error}"));
                return;
            }
            while self.take(&mut next) {}
        }
    }

    /// Takes one connection, if one is there.
    fn take(&mut self, next: &mut usize) -> bool {
        let (stream, peer) = match self.listener.accept() {
            Ok(taken) => taken,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            // A connection that is gone already.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => return true,
            Err(_) => {
                // Out of descriptors or memory: others have to end first.
                std::thread::sleep(Duration::from_millis(10));
                return false;
            }
        };
        let common = &self.common;
        let is_full = common.open.load(Ordering::Relaxed) >= self.most
            || common.newcomers.load(Ordering::Relaxed) >= MOST_NEWCOMERS;
        let Ok(local) = stream.local_addr() else { return true };
        if is_full {
            add(&common.counters.turned_away, 1);
            return true;
        }
        add(&common.counters.connections, 1);
        common.open.fetch_add(1, Ordering::Relaxed);
        common.newcomers.fetch_add(1, Ordering::Relaxed);
        // In turn: a host connects its queues one after the other, so each worker has as many.
        *next = (*next + 1) % self.posts.len().max(1);
        if let Some(post) = self.posts.get(*next)
            && post.arrivals.send((stream, peer, local)).is_ok()
        {
            post.bell.ring();
        }
        true
    }
}
