//! Processor time used so far.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;
#[cfg(windows)]
#[path = "windows.rs"]
mod platform;

/// User and system time in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// In user space.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
}

impl Usage {
    /// Of the calling thread.
    pub fn of_thread() -> Self {
        platform::of_thread()
    }

    /// Of all threads of this process, those that the kernel runs on its behalf included.
    pub fn of_process() -> Self {
        platform::of_process()
    }

    /// Time used since an earlier reading.
    pub fn since(self, earlier: Usage) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
        }
    }

    /// Both together.
    pub fn total_ns(self) -> u64 {
        self.user_ns + self.system_ns
    }
}
