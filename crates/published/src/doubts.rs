//! What in a table and the method beside it does not fit together: a plan that says something else than the row it stands
//! for, and rows that no step uses. Nothing of it keeps anybody from measuring; unsaid, it would be taken for right.

use fathom_measure::Bytes;

use super::method::PublishedStep;
use super::row::Order;
use super::{PublishedRow, PublishedTable};

/// Steps whose plan contradicts their rows, and sides that a step has no row of, as sentences.
pub fn doubts(table: &PublishedTable) -> Vec<String> {
    let mut out = Vec::new();
    for step in &table.steps {
        let named = |row: &&PublishedRow| step.rows.contains(&row.pattern);
        let rows: Vec<&PublishedRow> = table.rows.iter().chain(&table.workloads).filter(named).collect();
        for row in &rows {
            out.extend(contradictions(step, row, step.rows.len() == 1));
        }
        if rows.iter().all(|row| row.side.is_empty()) {
            continue;
        }
        let sides = table.sides.iter().map(|side| &side.name);
        let of_step = sides.filter(|side| step.sides.as_ref().is_none_or(|own| own.contains(side)));
        for side in of_step.filter(|side| !rows.iter().any(|row| row.side == **side || row.side.is_empty())) {
            out.push(format!(
                "Step \"{}\" has no row of side \"{side}\": its figures are not compared.",
                step.name
            ));
        }
    }
    out
}

/// Rows that no step names, as `pattern, side`.
pub fn unused(table: &PublishedTable) -> Vec<String> {
    let is_used = |row: &&PublishedRow| {
        !table
            .steps
            .iter()
            .any(|step| step.rows.iter().chain(&step.percentiles).any(|name| *name == row.pattern))
    };
    let named = |row: &PublishedRow| match row.side.as_str() {
        "" => row.pattern.clone(),
        side => format!("{}, {side}", row.pattern),
    };
    table.rows.iter().chain(&table.workloads).filter(is_used).map(named).collect()
}

/// What a plan and a row say differently of the same I/Os. Jobs and depth are those of the whole step, which a row of
/// one direction of a mix does not have to state.
fn contradictions(step: &PublishedStep, row: &PublishedRow, is_alone: bool) -> Vec<String> {
    let text = |key: &str| match step.plan.get(key)? {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        _ => None,
    };
    let count = |key: &str| text(key)?.parse::<f64>().ok();
    let bytes = text("bs").and_then(|text| text.parse::<Bytes>().ok()).map(|bytes| bytes.0 as f64);
    let rw = text("rw").unwrap_or_default();
    let is_random = (!rw.is_empty()).then(|| rw.starts_with("rand"));
    let reads = match rw.trim_start_matches("rand") {
        "read" => Some(100.0),
        "write" => Some(0.0),
        _ => None,
    };
    let order = row.order.map(|order| order == Order::Random);
    let mut out = Vec::new();
    let mut hold = |what: &str, plan: Option<f64>, row_s: Option<f64>| {
        if let (Some(plan), Some(row_s)) = (plan, row_s)
            && plan != row_s
        {
            out.push(format!(
                "Step \"{}\" has {what} {plan} in its plan, and {row_s} in the row \"{}\"{}.",
                step.name,
                row.pattern,
                if row.side.is_empty() { String::new() } else { format!(" of {}", row.side) },
            ));
        }
    };
    hold("blocks of bytes:", bytes, row.block_bytes);
    hold("a share of reads in percent of", reads, row.read_percent);
    let share = |is: Option<bool>| is.map(|is| if is { 100.0 } else { 0.0 });
    hold("random addresses in percent:", share(is_random), share(order));
    if is_alone {
        hold("jobs:", count("jobs"), row.jobs);
        hold("a depth of", count("depth"), row.depth);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HELD, parse_published};

    fn table(rows: &str) -> PublishedTable {
        let text = format!(
            "title = \"T\"\n[[side]]\nname = \"a\"\nwas = \"x\"\n[[side]]\nname = \"b\"\nwas = \"y\"\n[[step]]\nname = \"s\"\n\
             rows = [\"r\"]\nplan = {{ rw = \"randread\", bs = \"4k\", jobs = 2, depth = 8 }}\n{rows}"
        );
        parse_published(&text).unwrap()
    }

    #[test]
    fn a_plan_that_says_something_else_than_its_row_is_told() {
        let fits = "[[row]]\npattern = \"r\"\nside = \"a\"\niops = 1000\nblock_bytes = 4096\njobs = 2\ndepth = 8\n\
                    read_percent = 100\norder = \"random\"\n[[row]]\npattern = \"r\"\nside = \"b\"\niops = 900\n";
        assert_eq!(doubts(&table(fits)), [""; 0]);
        for (right, wrong, says) in [
            ("block_bytes = 4096", "block_bytes = 8192", "4096 in its plan, and 8192 in the row \"r\" of a"),
            ("jobs = 2", "jobs = 4", "jobs: 2 in its plan, and 4"),
            ("depth = 8", "depth = 1", "a depth of 8 in its plan, and 1"),
            ("read_percent = 100", "read_percent = 0", "100 in its plan, and 0"),
            ("order = \"random\"", "order = \"sequential\"", "random addresses"),
            ("side = \"b\"", "side = \"a\"", "no row of side \"b\""),
        ] {
            let found = doubts(&table(&fits.replace(right, wrong)));
            assert!(found.len() == 1 && found[0].contains(says), "{wrong}: {found:?}");
        }
    }

    #[test]
    fn rows_that_no_step_names_are_listed() {
        let rows =
            "[[row]]\npattern = \"r\"\niops = 1000\n[[row]]\npattern = \"t\"\nside = \"b\"\niops = 900\n";
        assert_eq!(unused(&table(rows)), ["t, b"]);
    }

    #[test]
    fn the_evaluations_that_are_held_fit_their_own_rows() {
        for held in &HELD {
            let found = doubts(&parse_published(held.text).unwrap());
            assert!(found.is_empty(), "{}: {found:#?}", held.name);
        }
    }
}
