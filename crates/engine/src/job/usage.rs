//! Processor time used so far.
#![allow(unsafe_code)] // `getrusage` through the C library.

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
        Self::read(libc::RUSAGE_THREAD)
    }

    /// Of all threads of this process, those that the kernel runs on its behalf included.
    pub fn of_process() -> Self {
        Self::read(libc::RUSAGE_SELF)
    }

    fn read(who: libc::c_int) -> Self {
        // SAFETY: an all-zero `rusage` is a valid value of that plain C structure.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is writable and of the type the call fills in. A failure leaves zeros.
        unsafe { libc::getrusage(who, &raw mut usage) };
        let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
        Self { user_ns: ns(usage.ru_utime), system_ns: ns(usage.ru_stime) }
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
