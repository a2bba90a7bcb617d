//! All options that fio knows, and what becomes of each in fathom: three tables, read once.
//!
//! The names are those of fio 3.33 to 3.42 and of SPDK's plug-ins; what fathom makes of each is ours.

mod option_class;
mod option_rows;

pub use option_class::{ArgumentKind, Class};
pub use option_rows::{
    EngineRow, OptionRow, TouchedTargets, all_engines, all_options, engine, nearest, option,
};

#[cfg(test)]
mod tests;
