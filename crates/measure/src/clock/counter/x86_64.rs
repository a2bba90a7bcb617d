//! The time-stamp counter of x86-64.
#![allow(unsafe_code)] // `rdtsc` is an intrinsic without preconditions on x86-64.

use std::arch::x86_64::{__cpuid, _rdtsc};

use super::{UnavailableReason, clocksource};

/// As records name it.
pub const NAME: &str = "tsc";

/// Raw counter value.
#[inline(always)]
pub fn read() -> u64 {
    // SAFETY: every x86-64 processor has RDTSC, and Linux does not disable it for user space.
    unsafe { _rdtsc() }
}

/// The rate is not in a register that programs may read: it is found by comparing.
pub fn stated_hz() -> Option<u64> {
    None
}

/// Whether the processor promises a constant rate in every power state.
fn invariant() -> bool {
    const ADVANCED_POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    __cpuid(0x8000_0000).eax >= ADVANCED_POWER && __cpuid(ADVANCED_POWER).edx & INVARIANT != 0
}

/// Checks that the counter may be used as a clock.
///
/// # Errors
/// The reason why not: not invariant, or the kernel has stopped trusting it.
pub fn check() -> Result<(), UnavailableReason> {
    if !invariant() {
        return Err("the CPU does not promise an invariant time-stamp counter");
    }
    let (current, available) = clocksource::sources()?;
    vouched_for(&current, &available)
}

/// Whether the kernel trusts the counter, from the source it uses and the list of those it could use.
fn vouched_for(current: &str, available: &str) -> Result<(), UnavailableReason> {
    match current {
        "tsc" => Ok(()),
        // Clocks of hypervisors read the counter with corrections that make up for an unstable one. The
        // kernel's watchdog takes an unstable counter off the list.
        "kvm-clock" | "hyperv_clocksource_tsc_page" => {
            if available.split_whitespace().any(|source| source == "tsc") {
                Ok(())
            } else {
                Err("the kernel has stopped trusting the time-stamp counter")
            }
        }
        "xen" | "hpet" | "acpi_pm" => Err("the kernel does not use the time-stamp counter as its clock"),
        _ => Err("the kernel's clock source is not one that vouches for the time-stamp counter"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hypervisor_clock_vouches_only_while_the_counter_is_listed() {
        assert!(vouched_for("tsc", "tsc kvm-clock").is_ok());
        assert!(vouched_for("kvm-clock", "kvm-clock tsc acpi_pm \n").is_ok());
        assert!(vouched_for("kvm-clock", "kvm-clock acpi_pm").is_err());
        assert!(vouched_for("hyperv_clocksource_tsc_page", "hyperv_clocksource_tsc_page").is_err());
        assert!(vouched_for("hpet", "tsc hpet").is_err());
        assert!(vouched_for("jiffies", "tsc").is_err());
    }
}
