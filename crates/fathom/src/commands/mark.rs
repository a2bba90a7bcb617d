//! `fathom mark`: a moment or a stretch of time, on every trend.

use fathom_campaign::calendar_now;
use fathom_report::table::{Table, numbers, paths, titles, words};
use fathom_report::terminal;
use fathom_store::{Mark, MarkText, StoreError, check_title};
use jiff::Timestamp;
use serde::Serialize;

use super::author::author;
use super::store_access::StorePlace;
use super::typed_moment::instant;
use crate::arguments::MarkArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// The marks for programs.
#[derive(Serialize)]
struct Marks {
    format: &'static str,
    version: u32,
    marks: Vec<Entry>,
}

/// One of them.
#[derive(Serialize)]
struct Entry {
    number: i64,
    from_at: String,
    until_at: Option<String>,
    title: String,
    target: Option<String>,
    source: Option<String>,
    at: String,
}

/// Makes a mark or takes one back, and prints all that there are then.
///
/// # Errors
/// When a time makes no sense, there is no such mark, or the store cannot be written.
pub fn perform(place: &StorePlace, arguments: &MarkArguments) -> Result<Status, Failure> {
    let now = calendar_now();
    if let Some(title) = &arguments.title {
        let mark = text(title, arguments, &now)?;
        place.open()?.make_mark(&mark, &now)?;
    }
    if let Some(number) = arguments.remove
        && !place.open()?.void_mark(number, &now)?
    {
        return Err(Failure::usage("--remove", format!("no mark {number}"), "all of them: fathom mark"));
    }
    let target = arguments.target.as_deref().filter(|_| arguments.title.is_none());
    let store = place.open_existing()?;
    let marks = store.map(|store| store.marks(target)).transpose()?.unwrap_or_default();
    let text = if arguments.switch.json {
        let marks = marks.into_iter().map(Entry::of).collect();
        output::json(&Marks { format: "fathom.marks", version: 1, marks })
    } else if marks.is_empty() {
        "No marks yet. To make one: fathom mark --title TEXT\n".to_owned()
    } else {
        terminal::table(&table(&marks), output::style())
    };
    output::result(&text)?;
    Ok(Status::Done)
}

fn text(title: &str, arguments: &MarkArguments, now: &str) -> Result<MarkText, Failure> {
    let refused = |error: StoreError| Failure::usage("--title", error.cause, "e.g. --title \"kernel 6.14\"");
    let title = check_title(title).map_err(refused)?;
    let at =
        |flag: &str, text: &Option<String>| text.as_deref().map(|text| instant(flag, text, now)).transpose();
    let from_at = at("--from", &arguments.from)?.unwrap_or_else(|| now.to_owned());
    let until_at = at("--until", &arguments.until)?;
    let time = |text: &str| text.parse::<Timestamp>().ok();
    if until_at.as_deref().is_some_and(|until| time(until) < time(&from_at)) {
        return Err(Failure::usage("--until", format!("it is before {from_at}, where the mark begins"), ""));
    }
    let (target, source) = (arguments.target.clone(), author());
    Ok(MarkText { from_at, until_at, title: title.to_owned(), target, source })
}

fn table(marks: &[Mark]) -> Table {
    let columns =
        [numbers("mark", 0), words("from", 0), words("until", 2), titles("title", 0), paths("target", 1)];
    let mut table = Table::new(&columns);
    let zone = output::style().zone;
    for mark in marks {
        let MarkText { from_at, until_at, title, target, .. } = &mark.text;
        table.row([
            mark.number.to_string(),
            zone.minute(from_at),
            until_at.as_ref().map_or_else(String::new, |at| zone.minute(at)),
            title.clone(),
            target.clone().unwrap_or_else(|| "all".to_owned()),
        ]);
    }
    table
}

impl Entry {
    fn of(mark: Mark) -> Self {
        let Mark { number, text: MarkText { from_at, until_at, title, target, source }, at } = mark;
        Self { number, from_at, until_at, title, target, source, at }
    }
}
