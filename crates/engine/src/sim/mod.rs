//! A device with known truth, on a virtual or a real clock.
