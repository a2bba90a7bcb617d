//! Arm's virtual counter (CNTVCT_EL0), which Linux keeps time with, and the rate that the firmware stated for it.
#![allow(unsafe_code)] // Both registers are read-only and open to programs wherever Linux uses this counter as its clock.

use std::arch::asm;

use super::{UnavailableReason, clocksource};

/// As records name it.
pub const NAME: &str = "cntvct";

/// Raw counter value.
///
/// The barrier before it keeps the processor from reading ahead of what comes first in the program, as the kernel does
/// for its own clock: without it a stamp may be older than the completion that it is for.
#[inline(always)]
pub fn read() -> u64 {
    let ticks: u64;
    // SAFETY: reads a register; where the kernel does not open it to programs, it carries the read out for them.
    unsafe {
        asm!("isb", "mrs {ticks}, cntvct_el0", ticks = out(reg) ticks, options(nostack, preserves_flags))
    };
    ticks
}

/// Ticks a second as the firmware stated them, which the kernel's clock is reckoned by; `None` where it stated nothing.
pub fn stated_hz() -> Option<u64> {
    let hz: u64;
    // SAFETY: reads a register that is open to programs together with the counter.
    unsafe { asm!("mrs {hz}, cntfrq_el0", hz = out(reg) hz, options(nomem, nostack, preserves_flags)) };
    // The upper half is reserved.
    Some(hz & 0xFFFF_FFFF).filter(|hz| *hz > 0)
}

/// Checks that the counter may be used as a clock.
///
/// # Errors
/// The reason why not: the kernel does not keep time with it.
pub fn check() -> Result<(), UnavailableReason> {
    vouched_for(&clocksource::sources()?.0)
}

/// Whether the kernel trusts the counter, from the source it uses. It runs at one rate in every power state by the
/// architecture; where a processor breaks that, Linux corrects what programs read.
fn vouched_for(current: &str) -> Result<(), UnavailableReason> {
    match current {
        "arch_sys_counter" => Ok(()),
        _ => Err("the kernel does not use the architecture's counter as its clock"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_vouches_by_keeping_time_with_it() {
        assert!(vouched_for("arch_sys_counter").is_ok());
        assert!(vouched_for("tsc").is_err() && vouched_for("").is_err());
    }

    #[test]
    fn the_counter_goes_forward_at_a_stated_rate() {
        let first = read();
        while read() == first {
            std::hint::spin_loop();
        }
        assert!(read() > first);
        assert!(stated_hz().is_some_and(|hz| hz >= 1_000_000), "{:?}", stated_hz());
    }
}
