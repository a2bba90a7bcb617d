//! What iostat's columns mean, and which versions print them.
//!
//! Eras are told by columns, as sysstat's own change log dates them: `r_await` from 9.1.2, `aqu-sz` and
//! `areq-sz` in place of `avgqu-sz` and `avgrq-sz` from 11.5.7 on, discards and no more `svctm` from
//! 12.1.2, flushes from 12.3.1.

use crate::foreign_series::{Column, Sheet};
use crate::sysstat;

/// What a column of a table means.
pub fn column(table: &str, column: &str) -> Column {
    match table {
        "avg-cpu" => sysstat::cpu(column.trim_start_matches('%')),
        _ => sysstat::disk(column),
    }
}

/// Which versions print such columns; empty where the columns do not tell.
pub fn era(sheet: &Sheet) -> &'static str {
    let has =
        |name: &str| (0..sheet.columns.len() as u32).any(|number| sheet.column(number) == ("disk", name));
    if has("f/s") {
        "sysstat 12.3.1 or newer"
    } else if has("d/s") || has("kB_dscd/s") || has("MB_dscd/s") {
        "sysstat 12.1.2 or newer"
    } else if has("rareq-sz") && has("svctm") {
        "sysstat 11.5.7 to 12.1.1"
    } else if has("avgqu-sz") && has("r_await") {
        "sysstat 9.1.2 to 11.5.6"
    } else if has("avgqu-sz") {
        "sysstat before 9.1.2, or sizes cut"
    } else {
        ""
    }
}
