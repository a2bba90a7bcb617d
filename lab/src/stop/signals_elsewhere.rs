//! Signals by which an end is asked for where no terminal hangs up.

use signal_hook::consts::{SIGINT, SIGTERM};

pub const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];
