//! Curves of rate over concurrency, fitted for diagnosis: where the asymptotes lie, how sharp the bend is,
//! and whether more jobs make it slower. Operating points are never taken from a fit.

mod nelder_mead;
mod p_norm;
mod usl;

pub use p_norm::{HARD_CAP_EXPONENT, PNorm, fit_p_norm};
pub use usl::{Scaling, fit_usl};
