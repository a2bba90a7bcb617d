//! What is changed from the page: what people say of runs, by the same functions of the store as `fathom tag`, `note`,
//! `baseline`, `mark` and `trend --acknowledge`.
//!
//! Each change names how far what people say had come when it was looked at; where that is no more so, nothing is changed.

use fathom_campaign::calendar_now;
use fathom_campaign::result_trends::{Acknowledgement, TrendChoice, TrendWorkload, trends};
use fathom_store::{MarkText, Store, StoredId, check_note, check_title, check_word};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, LEAST, Refusal, json, metric};
use crate::shelf::Shelf;

/// Words of one change at most.
const WORDS_MAX: usize = 32;

/// Who changes what people say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    /// The name that stands with notes, marks and findings, as far as is known.
    pub author: Option<String>,
}

/// What every change names.
struct Revision {
    /// The number that came with what was looked at.
    seq: i64,
    /// Number of the store.
    store: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    seq: i64,
    #[serde(default)]
    store: usize,
    /// Id of a run or a campaign.
    object: String,
    words: Vec<String>,
    #[serde(default)]
    remove: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    seq: i64,
    #[serde(default)]
    store: usize,
    object: String,
    /// What is written.
    text: Option<String>,
    /// Number of the note that is taken back instead.
    remove: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Baselines {
    seq: i64,
    #[serde(default)]
    store: usize,
    run: String,
    #[serde(default)]
    remove: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marks {
    seq: i64,
    #[serde(default)]
    store: usize,
    title: Option<String>,
    /// RFC 3339; absent for now.
    from: Option<String>,
    until: Option<String>,
    target: Option<String>,
    /// Number of the mark that is taken back instead.
    remove: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Findings {
    seq: i64,
    #[serde(default)]
    store: usize,
    target: String,
    metric: Option<String>,
    /// First run of the new level.
    run: String,
    because: String,
    /// The least difference that the change was looked at with, a share.
    least: Option<f64>,
}

#[derive(Serialize)]
struct ChangeResult {
    format: &'static str,
    version: u32,
    /// What the next change names.
    seq: i64,
}

/// Changes what a path and a body say.
///
/// # Errors
/// When nothing is changed there, the body makes no sense, what people say has changed since, or the store cannot be
/// written.
pub(crate) fn edit(shelf: &mut Shelf, editor: &Editor, path: &str, body: &[u8]) -> Result<Answer, Refusal> {
    let store = match path {
        "labels" => labels(shelf, &read(body)?)?,
        "notes" => notes(shelf, editor, &read(body)?)?,
        "baselines" => baselines(shelf, &read(body)?)?,
        "marks" => marks(shelf, editor, &read(body)?)?,
        "findings" => findings(shelf, editor, read(body)?)?,
        _ => return Err(Refusal::no_such("nothing is changed at that path")),
    };
    json(&ChangeResult { format: "fathom.page.changed", version: 1, seq: store.said_sequence()? })
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    fathom_json::read_bytes(body).map_err(|error| Refusal::usage("the body", error.to_string()))
}

/// The store that is to be changed.
fn writable(shelf: &mut Shelf, Revision { seq, store }: Revision) -> Result<Store, Refusal> {
    let found = shelf.store_to_change(store, seq);
    Ok(found.ok_or_else(|| Refusal::no_such(format!("no store {store} is served")))??)
}

/// A run or a campaign by its whole id: what `last` is may be something else than what was looked at.
fn whole(store: &Store, id: &str) -> Result<StoredId, Refusal> {
    let found = store.resolve(id)?;
    if found.id() == id { Ok(found) } else { Err(Refusal::no_such(format!("no run or campaign {id:?}"))) }
}

fn labels(shelf: &mut Shelf, asked: &Labels) -> Result<Store, Refusal> {
    if !(1..=WORDS_MAX).contains(&asked.words.len()) {
        return Err(Refusal::usage(
            "words",
            format!("1 to {WORDS_MAX} tags are put on or taken off at a time"),
        ));
    }
    for word in &asked.words {
        check_word(word).map_err(|error| Refusal::usage("words", error.cause))?;
    }
    let store = writable(shelf, Revision { seq: asked.seq, store: asked.store })?;
    let (what, now) = (whole(&store, &asked.object)?, calendar_now());
    if asked.remove {
        store.unlabel(&what, &asked.words, &now)?;
    } else {
        store.label(&what, &asked.words, &now)?;
    }
    Ok(store)
}

fn notes(shelf: &mut Shelf, editor: &Editor, asked: &Notes) -> Result<Store, Refusal> {
    let text = asked.text.as_deref().map(check_note).transpose();
    let text = text.map_err(|error| Refusal::usage("text", error.cause))?;
    let store = writable(shelf, Revision { seq: asked.seq, store: asked.store })?;
    let (what, now) = (whole(&store, &asked.object)?, calendar_now());
    match (text, asked.remove) {
        (Some(text), None) => drop(store.write_note(&what, text, editor.author.as_deref(), &now)?),
        (None, Some(number)) if store.void_note(&what, number, &now)? => {}
        (None, Some(number)) => {
            return Err(Refusal::no_such(format!("{} has no note {number}", what.id())));
        }
        _ => return Err(Refusal::usage("text", "either text or remove is required, and not both")),
    }
    Ok(store)
}

fn baselines(shelf: &mut Shelf, asked: &Baselines) -> Result<Store, Refusal> {
    let store = writable(shelf, Revision { seq: asked.seq, store: asked.store })?;
    let StoredId::Run(run) = whole(&store, &asked.run)? else {
        return Err(Refusal::usage("run", format!("{:?} is a campaign, and a baseline is a run", asked.run)));
    };
    if !asked.remove {
        store.set_baseline(&run, &calendar_now())?;
    } else if !store.void_baseline(&run, &calendar_now())? {
        return Err(Refusal::no_such(format!("run {run} is not a baseline")));
    }
    Ok(store)
}

fn marks(shelf: &mut Shelf, editor: &Editor, asked: &Marks) -> Result<Store, Refusal> {
    let (seen, now) = (Revision { seq: asked.seq, store: asked.store }, calendar_now());
    match (&asked.title, asked.remove) {
        (Some(title), None) => {
            let mark = mark(title, asked, editor, &now)?;
            let store = writable(shelf, seen)?;
            store.make_mark(&mark, &now)?;
            Ok(store)
        }
        (None, Some(number)) => {
            let store = writable(shelf, seen)?;
            if store.void_mark(number, &now)? {
                Ok(store)
            } else {
                Err(Refusal::no_such(format!("no mark {number}")))
            }
        }
        _ => Err(Refusal::usage("title", "either title or remove is required, and not both")),
    }
}

fn mark(title: &str, asked: &Marks, editor: &Editor, now: &str) -> Result<MarkText, Refusal> {
    let title = check_title(title).map_err(|error| Refusal::usage("title", error.cause))?.to_owned();
    let time = |place: &str, text: &str| {
        let cause = "not a valid time: use e.g. 2026-11-26T08:00:00Z";
        text.parse::<Timestamp>().map_err(|_| Refusal::usage(place, cause))
    };
    let from = time("from", asked.from.as_deref().unwrap_or(now))?;
    let until = asked.until.as_deref().map(|text| time("until", text)).transpose()?;
    if until.is_some_and(|until| until < from) {
        return Err(Refusal::usage("until", "it is before the mark begins"));
    }
    Ok(MarkText {
        from_at: from.to_string(),
        until_at: until.map(|until| until.to_string()),
        title,
        target: asked.target.clone(),
        source: editor.author.clone(),
    })
}

fn findings(shelf: &mut Shelf, editor: &Editor, asked: Findings) -> Result<Store, Refusal> {
    let text = check_note(&asked.because).map_err(|error| Refusal::usage("because", error.cause))?.to_owned();
    let metric = metric(asked.metric.as_deref())?;
    let least = asked.least.unwrap_or(LEAST);
    if !(least > 0.0 && least < 1.0) {
        return Err(Refusal::usage("least", "it is a share above 0 and below 1"));
    }
    let store = writable(shelf, Revision { seq: asked.seq, store: asked.store })?;
    let choice = TrendChoice { target: asked.target, ..TrendChoice::default() };
    let found = trends(&store, &choice, metric, least)?;
    let seen = Acknowledgement { text, author: editor.author.clone(), at: calendar_now() };
    let begins =
        |workload: &TrendWorkload| workload.finding(&choice.target, metric, &asked.run, seen.clone());
    let finding = found.workloads.iter().find_map(begins);
    let none = || Refusal::no_such(format!("no change of level begins with run {:?}", asked.run));
    store.acknowledge(&finding.ok_or_else(none)?)?;
    Ok(store)
}

#[cfg(test)]
mod tests;
