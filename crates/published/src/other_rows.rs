//! What stands beside a row that is asked about: every other row with its factor and what differs, and why a row was not
//! used.

use super::difference::{Property, properties};
use super::inferred_answers::growth;
use super::published_table::PublishedTable;
use super::question::{Question, questions};

/// Most rows that are told one by one.
const MOST: usize = 8;

/// One sentence for each question that the table asks; none where every row is explained for itself.
pub fn remarks(published: &PublishedTable) -> Vec<String> {
    if published.explain.is_empty() {
        return Vec::new();
    }
    questions(published).iter().filter_map(|question| of_question(published, question)).collect()
}

fn of_question(published: &PublishedTable, question: &Question) -> Option<String> {
    let others = published.rows.iter().enumerate().filter(|(at, _)| !question.places.contains(at));
    let (mut used, mut unused): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (_, row) in others {
        let differing = properties(&question.row, row);
        let name = row.subject();
        match growth(&question.row, row) {
            None if row.rate_per_s().is_none() => unused.push(format!("\"{name}\" (no rate)")),
            None => unused.push(format!("\"{name}\" (its rate is of another unit)")),
            Some(growth) => {
                let factor = fathom_attribute::printed::times(growth.exp());
                let is_used = row.below || differing.len() == 1;
                let list = if is_used { &mut used } else { &mut unused };
                list.push(format!("\"{name}\" {factor} ({})", in_words(&differing)));
            }
        }
    }
    let told = |rows: &[String]| {
        let more = rows.len().saturating_sub(MOST);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{rest}", rows.iter().take(MOST).cloned().collect::<Vec<_>>().join(", "))
    };
    let text = match (used.is_empty(), unused.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("Next to {}: {}.", question.title, told(&used)),
        (true, false) => format!("Next to {}, not used: {}.", question.title, told(&unused)),
        (false, false) => {
            format!("Next to {}: {}. Not used: {}.", question.title, told(&used), told(&unused))
        }
    };
    Some(text)
}

/// What differs, for a reader.
fn in_words(differing: &[Property]) -> String {
    if differing.is_empty() {
        return "nothing stated differs".to_owned();
    }
    let mut words: Vec<&str> = differing.iter().map(|property| name(*property)).collect();
    words.dedup();
    words.join(" and ")
}

const fn name(property: Property) -> &'static str {
    match property {
        Property::Concurrency => "concurrency",
        Property::Jobs => "jobs",
        Property::Block => "block",
        Property::Order => "order",
        Property::Devices => "devices",
        Property::Connections => "connections",
        Property::Hosts => "what the names count",
        Property::Software => "software",
        Property::Setting => "setting or name",
        Property::Copies => "copies",
        Property::Flush => "flushes",
        Property::Node => "NUMA node",
        Property::Below => "the layer measured",
        Property::Span => "span",
        Property::Phase => "phase",
        Property::Direction => "share of reads",
        Property::Machine => "machine",
        Property::Other => "target or what is stated",
    }
}

#[cfg(test)]
mod tests {
    use super::super::PublishedRow;
    use super::*;

    #[test]
    fn every_row_is_told_with_what_differs() {
        let row = |pattern: &str, block: f64, iops: Option<f64>| PublishedRow {
            pattern: pattern.to_owned(),
            block_bytes: Some(block),
            read_percent: Some(100.0),
            iops,
            ..PublishedRow::default()
        };
        let asked = super::super::ExplainedRow { rows: vec!["a".to_owned()], ..Default::default() };
        let table = PublishedTable {
            rows: vec![row("a", 4096.0, Some(100.0)), row("b", 8192.0, Some(50.0)), row("c", 4096.0, None)],
            explain: vec![asked],
            ..PublishedTable::default()
        };
        let notes = remarks(&table);
        assert_eq!(notes, ["Next to a: \"b\" 0.5 times (block). Not used: \"c\" (no rate)."]);
        assert_eq!(in_words(&properties(&table.rows[0], &table.rows[0])), "nothing stated differs");
    }
}
