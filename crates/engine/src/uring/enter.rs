//! `io_uring_enter` as an instruction in the loop's own code, and not a function of the C library: the kernel switches
//! threads during the call, after which a processor does not foresee where a function returns to, and each return on the way
//! back to the loop starts it again.
#![allow(unsafe_code)] // The system call itself.

use libc::SYS_io_uring_enter;

/// What the call is told: a ring's descriptor or number, entries to submit, completions to wait for, flags, and an argument
/// of so many bytes.
pub type Arguments = (i32, u32, u32, u32, *const libc::c_void, usize);

/// Submits and waits. Returns how many entries were accepted, or an error number below 0.
///
/// # Safety
/// The argument is null, or what the flags say it is, for its length; the entries that are submitted may be carried out.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub unsafe fn enter((ring, submit, wait_for, flags, argument, bytes): Arguments) -> i64 {
    let outcome;
    // SAFETY: the caller vouches for what the kernel reads; the instruction changes the registers that are named, and its
    // stack is the kernel's own.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") SYS_io_uring_enter => outcome,
            in("rdi") i64::from(ring),
            in("rsi") u64::from(submit),
            in("rdx") u64::from(wait_for),
            in("r10") u64::from(flags),
            in("r8") argument,
            in("r9") bytes,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack, preserves_flags),
        );
    }
    outcome
}

/// The same on Arm.
///
/// # Safety
/// As above.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub unsafe fn enter((ring, submit, wait_for, flags, argument, bytes): Arguments) -> i64 {
    let outcome;
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") SYS_io_uring_enter,
            inlateout("x0") i64::from(ring) => outcome,
            in("x1") u64::from(submit),
            in("x2") u64::from(wait_for),
            in("x3") u64::from(flags),
            in("x4") argument,
            in("x5") bytes,
            options(nostack, preserves_flags),
        );
    }
    outcome
}

/// The same by the C library.
///
/// # Safety
/// As above.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline]
pub unsafe fn enter((ring, submit, wait_for, flags, argument, bytes): Arguments) -> i64 {
    // SAFETY: as above.
    let outcome =
        unsafe { libc::syscall(SYS_io_uring_enter, ring, submit, wait_for, flags, argument, bytes) } as i64;
    match outcome {
        -1 => -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)),
        accepted => accepted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_its_number_below_0() {
        let outcome = |ring, flags| {
            // SAFETY: there is no such ring, and no argument.
            unsafe { enter((ring, 0, 0, flags, std::ptr::null(), 0)) }
        };
        let errors = [outcome(-1, 0), outcome(-1, 1 << 31)];
        if errors == [-i64::from(libc::ENOSYS); 2] || errors == [-i64::from(libc::EPERM); 2] {
            fathom_skips::skipped("this kernel has no io_uring, or forbids it");
            return;
        }
        // The flags are looked at first.
        assert_eq!(errors, [-i64::from(libc::EBADF), -i64::from(libc::EINVAL)]);
    }
}
