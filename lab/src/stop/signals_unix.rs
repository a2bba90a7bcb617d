//! Signals of Unix by which an end is asked for.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

pub const SIGNALS: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];
