//! The processor's time-stamp counter: whether it can be trusted, and its raw value.

/// Why the time-stamp counter is not used; the text goes into the record.
pub type Unavailable = &'static str;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    #![allow(unsafe_code)] // `rdtsc` is an intrinsic without preconditions on x86-64.
    use std::arch::x86_64::{__cpuid, _rdtsc};

    /// Raw counter value.
    #[inline(always)]
    pub fn read() -> u64 {
        // SAFETY: every x86-64 processor has RDTSC, and Linux does not disable it for user space.
        unsafe { _rdtsc() }
    }

    /// Whether the processor promises a constant rate in every power state.
    pub fn invariant() -> bool {
        const ADVANCED_POWER: u32 = 0x8000_0007;
        const INVARIANT: u32 = 1 << 8;
        __cpuid(0x8000_0000).eax >= ADVANCED_POWER && __cpuid(ADVANCED_POWER).edx & INVARIANT != 0
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod x86_64 {
    /// Never called: [`invariant`] refuses first.
    pub fn read() -> u64 {
        0
    }

    /// No counter of this kind here.
    pub fn invariant() -> bool {
        false
    }
}

pub use x86_64::read;

/// Checks that the counter may be used as a clock.
///
/// # Errors
/// The reason why not: not invariant, or the kernel has stopped trusting it.
pub fn check() -> Result<(), Unavailable> {
    if !x86_64::invariant() {
        return Err("the processor does not promise an invariant time-stamp counter");
    }
    // The kernel's watchdog removes an unstable counter from this list; kvm-clock is built on it.
    match std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource") {
        Ok(source) => match source.trim() {
            "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page" => Ok(()),
            "xen" | "hpet" | "acpi_pm" => Err("the kernel does not use the time-stamp counter as its clock"),
            _ => Err("the kernel's clock source is not one that vouches for the time-stamp counter"),
        },
        Err(_) => Err("the kernel's clock source could not be read"),
    }
}
