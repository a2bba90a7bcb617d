//! Pages and texts made of realistic records.
#![allow(clippy::unwrap_used, reason = "a sample that cannot be made is a failed test")]

mod compare;
mod html;
mod markdown;
mod sample;
mod sweep;
mod terminal;
