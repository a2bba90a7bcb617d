//! What mpstat's columns mean.

use crate::foreign_series::{Column, Label, plain};
use crate::sysstat;

/// What a column of a table means. Tables of interrupts have a column for each, e.g. `19/s` or `TIMER/s`.
pub fn column(table: &str, column: &str) -> Column {
    let Some(name) = column.strip_suffix("/s") else {
        let known = sysstat::cpu(column.trim_start_matches('%'));
        // A node's rows are told apart from those of a processor with its number.
        return if table == "NODE" { nodes(known) } else { known };
    };
    let rate = plain("interrupts.rate", "interrupts/s");
    if name == "intr" { rate } else { rate.of(&Label::Part(name.to_owned())) }
}

/// The same metrics with `node` in their name.
fn nodes(known: Column) -> Column {
    let Column::Means(list) = known else { return known };
    let renamed = list.into_iter().map(|mut meaning| {
        meaning.metric = meaning.metric.replace("cpu.", "node.").into();
        meaning
    });
    Column::Means(renamed.collect())
}
