//! Which rows of a table are explained, under which titles, and what a reader must know of the others.

use std::collections::HashMap;

use super::{ExplainedRow, PublishedRow, PublishedTable, row_bounds};

/// Rows that are explained together.
#[derive(Clone, Debug)]
pub struct Question {
    /// What was asked.
    pub asked: ExplainedRow,
    /// Where its rows stand in the table; the first is never missing.
    pub places: Vec<usize>,
    /// The row, or the sum of rows.
    pub row: PublishedRow,
    /// What a reader calls it: no two questions have the same.
    pub title: String,
}

/// What a table asks, or every row of it, as far as there is a rate to be explained.
pub fn questions(published: &PublishedTable) -> Vec<Question> {
    let mut all: Vec<Question> =
        every(published).into_iter().filter(|question| question.row.rate_per_s().is_some()).collect();
    let phased = |question: &Question| match &question.row.phase {
        Some(phase) => format!("{}, {phase}", question.title),
        None => question.title.clone(),
    };
    let numbered = |question: &Question| format!("{}, row {}", question.title, question.places[0] + 1);
    rename(&mut all, &phased);
    rename(&mut all, &numbered);
    all
}

/// Gives questions of one title another.
fn rename(all: &mut [Question], other: &dyn Fn(&Question) -> String) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for question in all.iter() {
        *counts.entry(question.title.clone()).or_default() += 1;
    }
    for question in all {
        if counts.get(&question.title).is_some_and(|count| *count > 1) {
            question.title = other(question);
        }
    }
}

/// Every question, whether there is a rate or not.
fn every(published: &PublishedTable) -> Vec<Question> {
    let question = |asked: ExplainedRow, places: Vec<usize>| {
        let rows: Vec<&PublishedRow> = places.iter().map(|at| &published.rows[*at]).collect();
        if PublishedRow::are_compared(&rows) {
            return compared(published, asked, &places);
        }
        let row = PublishedRow::sum(&rows)?;
        Some(Question { title: row.subject(), asked, places, row })
    };
    if !published.explain.is_empty() {
        let first = |asked: &ExplainedRow, name: &String| published.rows_of(asked, name).first().copied();
        let places = |asked: &ExplainedRow| asked.rows.iter().filter_map(|name| first(asked, name)).collect();
        let asked = published.explain.iter();
        return asked.filter_map(|asked| question(asked.clone(), places(asked))).collect();
    }
    let asked = |row: &PublishedRow| ExplainedRow {
        rows: vec![row.pattern.clone()],
        side: Some(row.side.clone()),
        phase: row.phase.clone(),
        label: None,
    };
    published.rows.iter().enumerate().filter_map(|(at, row)| question(asked(row), vec![at])).collect()
}

/// Of rows that are compared the slowest is explained: what the others do beside it is the answer.
fn compared(published: &PublishedTable, asked: ExplainedRow, places: &[usize]) -> Option<Question> {
    let rate = |at: &usize| published.rows[*at].rate_per_s().unwrap_or(f64::INFINITY);
    let slowest = *places.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let names: Vec<String> = places.iter().map(|at| published.rows[*at].subject()).collect();
    let row = published.rows[slowest].clone();
    Some(Question { title: names.join(" against "), asked, places: vec![slowest], row })
}

/// Of rows that lack a usable rate: which, and what to write.
pub fn unrated(published: &PublishedTable) -> Vec<String> {
    let without = every(published).into_iter().filter(|question| question.row.rate_per_s().is_none());
    let sentence = |question: Question| {
        let mut rows = question.places.iter().map(|at| &published.rows[*at]);
        let stated = rows.find_map(|row| {
            let fields = [("iops", row.iops), ("throughput", row.throughput)];
            fields.into_iter().find_map(|(field, value)| Some(format!("{field} = {}", value?)))
        });
        let has = match stated {
            Some(stated) => format!("no usable rate, {stated}"),
            None => "no rate".to_owned(),
        };
        format!(
            "Row {} of the table, \"{}\", states {has}: it is not explained. Write iops = 3000, or throughput = 125 and unit = \"MB/s\".",
            question.places[0] + 1,
            question.title
        )
    };
    without.map(sentence).collect()
}

/// Of names that several rows have, of which one is explained.
pub fn ambiguous(published: &PublishedTable) -> Vec<String> {
    let mut notes = Vec::new();
    for asked in &published.explain {
        for name in &asked.rows {
            let count = published.rows_of(asked, name).len();
            if count > 1 {
                notes.push(format!(
                    "{count} rows are named \"{name}\", and [[explain]] takes the first of them: a side or phase distinguishes them."
                ));
            }
        }
    }
    notes
}

/// Of bounds that were given beside the table, how many rows they hold for, and of the table's that hold for none.
pub fn bounds(published: &PublishedTable) -> Vec<String> {
    let all = questions(published);
    let mut notes = Vec::new();
    for known in &published.given {
        let count =
            all.iter().filter(|question| row_bounds::is_applied(&question.row, published, known)).count();
        let name = fathom_attribute::ceiling_in_words(known);
        notes.push(match (count, all.len()) {
            (count, rows) if count == rows => {
                format!("Given with the table, {name} ({}): applied to every row.", known.source)
            }
            (count, rows) => format!(
                "Given with the table, {name} ({}): applied to {count} of {rows} rows; the others have such a bound in the table, or do not state what it counts.",
                known.source
            ),
        });
    }
    for ceiling in &published.ceilings {
        if !published.rows.iter().any(|row| row_bounds::bears_on(row, ceiling)) {
            let counted = match (ceiling.each, ceiling.direction) {
                (Some(_), _) => "the devices or connections that it is multiplied by",
                (None, Some(_)) => "the share of reads",
                (None, None) => "the rate that it bounds",
            };
            notes.push(format!(
                "The bound \"{}\" holds for no row: none is of its side and host and states {counted}.",
                ceiling.name
            ));
        }
    }
    notes
}

/// Of rates that fell when their credits ended, to more than those leave.
pub fn credits(published: &PublishedTable) -> Vec<String> {
    let note = |question: Question| {
        let earlier: Vec<&PublishedRow> = published.rows[..question.places[0]].iter().collect();
        let said = row_bounds::more_than_left(&question.row, &earlier, published)?;
        Some(format!("{}: {said}", question.title))
    };
    questions(published).into_iter().filter_map(note).collect()
}
