//! The page with some runs and campaigns in one file: the same screens over answers that were asked for beforehand.
//!
//! ```text
//! runs, campaigns ──► redaction ──► a store of their own ──► answer(path, query), each ──► one HTML file
//!                                                            that the screens ask for
//! ```

use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fathom_record::{CampaignRecord, Direction, ReadError, RunRecord, parse_campaign, parse_run};
use fathom_store::{CampaignRow, NewCampaign, RunFilter, Store, StoreError, StoredId};
use flate2::Compression;
use flate2::write::GzEncoder;
use form_urlencoded::Serializer;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::answer::{Answer, RUNS_MAX, answer, telemetry_charts};
use crate::assets;
use crate::page_server::{PageError, PageErrorKind};
use crate::redact::{PrivatePart, Redaction};
use crate::shelf::Shelf;

/// Largest file.
const BYTES_MAX: usize = 200 << 20;
/// Runs of which every pair is compared beforehand; of more, both sides as the page divides them.
const PAIRS_MAX: usize = 6;
/// Runs that the page puts side by side.
const COLUMNS_MAX: usize = 12;
/// Metrics that a trend is followed by.
const METRICS: [&str; 3] = ["iops", "p50", "p99"];

/// What was written.
#[derive(Debug)]
pub struct SharedPage {
    /// The file.
    pub html: String,
    /// How many runs it holds.
    pub runs: usize,
    /// How many campaigns.
    pub campaigns: usize,
}

/// Makes one file of these runs and campaigns, a campaign with all of its runs.
///
/// # Errors
/// When this build has no page, the file would be larger than 200 MB, or a store or the system fails.
pub fn share(store: &Store, what: &[StoredId], hidden: &[PrivatePart]) -> Result<SharedPage, PageError> {
    let Some(parts) = Parts::find() else {
        return Err(PageError::new(
            PageErrorKind::System,
            "sharing runs",
            "this build of fathom has no page",
        )
        .with_remedy(
            "in a checkout of fathom, with npm installed, type\n  cargo xtask page\nand build again",
        ));
    };
    let folder = tempfile::tempdir().map_err(failed_by)?;
    let path = folder.path().join("shared.sqlite");
    let selection = Selection::read(store, what).map_err(of_store)?;
    let kept = selection.write(store, &path, hidden)?;
    let mut shelf = Shelf::of(vec![path]);
    let mut answers = Answers::up_to(BYTES_MAX);
    answers.collect(&mut shelf, &kept)?;
    let html = parts.page(&answers.text);
    Ok(SharedPage { html, runs: kept.runs.len(), campaigns: kept.campaigns.len() })
}

fn failed(cause: impl Into<String>) -> PageError {
    PageError::new(PageErrorKind::System, "sharing runs", cause)
}

/// From another's error, which stays its source.
fn failed_by(error: impl StdError + Send + Sync + 'static) -> PageError {
    failed(error.to_string()).with_source(error)
}

/// From a record that did not read back.
fn not_read_back(error: ReadError) -> PageError {
    failed(error.cause.clone()).with_source(error)
}

fn of_store(mut error: StoreError) -> PageError {
    let source = error.take_source();
    let told = PageError::new(PageErrorKind::System, error.place, error.cause).with_remedy(error.remedy);
    match source {
        Some(source) => told.with_source(source),
        None => told,
    }
}

/// What is given away, as the store has it.
struct Selection {
    runs: Vec<String>,
    campaigns: Vec<(CampaignRow, CampaignRecord)>,
}

impl Selection {
    fn read(store: &Store, what: &[StoredId]) -> Result<Self, StoreError> {
        let (mut runs, mut campaigns) = (Vec::new(), Vec::new());
        let rows = store.campaigns()?;
        for one in what {
            match one {
                StoredId::Run(id) => runs.push(id.clone()),
                StoredId::Campaign(id) => {
                    let filter = RunFilter { campaign: Some(id.clone()), ..RunFilter::default() };
                    runs.extend(store.runs(&filter)?.into_iter().rev().map(|row| row.id));
                    let row = rows.iter().find(|row| row.id == *id).cloned();
                    campaigns
                        .extend(row.map(|row| store.campaign(id).map(|record| (row, record))).transpose()?);
                }
            }
        }
        let mut seen = BTreeSet::new();
        runs.retain(|id| seen.insert(id.clone()));
        Ok(Self { runs, campaigns })
    }

    /// Writes it into a store of its own, without what is not to be given away.
    fn write(
        &self,
        store: &Store,
        path: &std::path::Path,
        hidden: &[PrivatePart],
    ) -> Result<SharedIndex, PageError> {
        let mut redaction = Redaction::of(hidden);
        let mut campaigns = Vec::new();
        for (row, record) in &self.campaigns {
            let value = as_value(record)?;
            redaction.learn(&value);
            redaction.learn_text(&row.target);
            learn_notes(&mut redaction, store, StoredId::Campaign(row.id.clone())).map_err(of_store)?;
            campaigns.push((row, value));
        }
        for id in &self.runs {
            let record = store.run_without_series(id).map_err(of_store)?;
            redaction.learn(&as_value(&record)?);
            let beside = store.telemetry(id, |_| false).map_err(of_store)?;
            beside.absent.iter().for_each(|absent| redaction.learn_text(&absent.reason));
            learn_notes(&mut redaction, store, StoredId::Run(id.clone())).map_err(of_store)?;
        }
        let into = Store::open(path).map_err(of_store)?;
        let mut kept = SharedIndex::default();
        for id in &self.runs {
            let record = redacted_run(store.run(id).map_err(of_store)?, &redaction)?;
            into.put_run(&record).map_err(of_store)?;
            kept.add(&record);
        }
        for (row, value) in campaigns {
            let text = redaction.apply(value).to_string();
            let record = parse_campaign(text.as_bytes()).map_err(not_read_back)?;
            let target = redaction.apply_text(&row.target);
            kept.put_campaign(&into, &record, (&target, &row.started_at)).map_err(of_store)?;
        }
        self.write_said(store, &into, &redaction).map_err(of_store)?;
        Ok(kept)
    }

    /// What people say of it.
    fn write_said(&self, store: &Store, into: &Store, redaction: &Redaction) -> Result<(), StoreError> {
        let (labels, baselines) = (store.labels()?, store.baselines()?);
        let runs = self.runs.iter().map(|id| (StoredId::Run(id.clone()), labels.runs.get(id)));
        let campaigns = self.campaigns.iter().map(|(row, _)| &row.id);
        let campaigns = campaigns.map(|id| (StoredId::Campaign(id.clone()), labels.campaigns.get(id)));
        for (what, words) in runs.chain(campaigns) {
            let words: Vec<String> =
                words.into_iter().flatten().map(|word| redaction.apply_text(word)).collect();
            into.label(&what, &words, "")?;
            for note in store.notes(&what)? {
                let author = note.author.map(|author| redaction.apply_text(&author));
                into.write_note(&what, &redaction.apply_text(&note.text), author.as_deref(), &note.at)?;
            }
        }
        for id in &self.runs {
            if let Some(baseline) = baselines.iter().find(|baseline| baseline.run == *id) {
                into.set_baseline(id, &baseline.at)?;
            }
        }
        for mark in store.marks(None)? {
            let title = redaction.apply_text(&mark.text.title);
            let target = mark.text.target.map(|target| redaction.apply_text(&target));
            into.make_mark(&fathom_store::MarkText { title, target, source: None, ..mark.text }, &mark.at)?;
        }
        Ok(())
    }
}

/// Notes the paths in what people wrote about something.
fn learn_notes(redaction: &mut Redaction, store: &Store, about: StoredId) -> Result<(), StoreError> {
    store.notes(&about)?.iter().for_each(|note| redaction.learn_text(&note.text));
    Ok(())
}

/// A record as values, by way of its text, which is how records are written everywhere.
fn as_value(record: &impl Serialize) -> Result<Value, PageError> {
    let read = fathom_json::text(record).and_then(|text| serde_json::from_str(&text));
    read.map_err(failed_by)
}

/// A record as it is given away; its seconds are numbers, and of what was sampled beside it goes what the page shows.
fn redacted_run(mut record: RunRecord, redaction: &Redaction) -> Result<RunRecord, PageError> {
    let intervals = std::mem::take(&mut record.intervals);
    let mut telemetry = std::mem::take(&mut record.telemetry);
    telemetry.series.retain(|series| telemetry_charts::is_shown(&series.metric));
    telemetry.absent.retain(|absent| telemetry_charts::is_named_absent(&absent.source));
    for series in &mut telemetry.series {
        series.label = redaction.apply_text(&series.label);
    }
    for absent in &mut telemetry.absent {
        absent.reason = redaction.apply_text(&absent.reason);
    }
    let value = as_value(&record)?;
    let text = redaction.apply(value).to_string();
    let mut record = parse_run(text.as_bytes()).map_err(not_read_back)?;
    record.intervals = intervals;
    record.telemetry = telemetry;
    Ok(record)
}

/// What the file holds, as the screens ask for it.
#[derive(Debug, Default)]
struct SharedIndex {
    /// Ids with their targets.
    runs: Vec<(String, String)>,
    campaigns: Vec<String>,
}

impl SharedIndex {
    fn add(&mut self, record: &RunRecord) {
        self.runs.push((record.id.clone(), record.target.name.clone()));
    }

    fn put_campaign(
        &mut self,
        into: &Store,
        record: &CampaignRecord,
        (target, started_at): (&str, &str),
    ) -> Result<(), StoreError> {
        let id = record.id().to_owned();
        let new = NewCampaign { id: &id, key: &id, target, started_at, plan_json: "{}" };
        let begun = into.begin_campaign(&new)?;
        if record.finished_at().is_some() {
            into.finish_campaign(begun, record)?;
        } else {
            into.save_campaign_progress(&begun, record)?;
        }
        self.campaigns.push(id);
        Ok(())
    }

    fn targets(&self) -> BTreeSet<&str> {
        self.runs.iter().map(|(_, target)| target.as_str()).collect()
    }
}

/// Answers as the members of a JSON object.
struct Answers {
    text: String,
    bytes_max: usize,
}

impl Answers {
    fn up_to(bytes_max: usize) -> Self {
        Self { text: String::new(), bytes_max }
    }

    fn collect(&mut self, shelf: &mut Shelf, kept: &SharedIndex) -> Result<(), PageError> {
        let limit = RUNS_MAX.to_string();
        self.ask(shelf, "hello", &[])?;
        self.ask(shelf, "campaigns", &[])?;
        self.ask(shelf, "runs", &[("limit", &limit)])?;
        self.ask(shelf, "runs", &[("limit", &limit), ("q", "valid")])?;
        for id in &kept.campaigns {
            self.ask(shelf, &format!("campaigns/{id}"), &[])?;
            self.ask(shelf, "runs", &[("limit", &limit), ("q", &format!("campaign:{id}"))])?;
        }
        for target in kept.targets() {
            self.ask(shelf, "marks", &[("target", target)])?;
            for metric in METRICS {
                self.ask(shelf, "trend", &[("metric", metric), ("target", target)])?;
            }
        }
        for (id, _) in &kept.runs {
            self.run(shelf, id)?;
        }
        self.verdicts(shelf, kept)
    }

    fn run(&mut self, shelf: &mut Shelf, id: &str) -> Result<(), PageError> {
        let path = format!("runs/{id}");
        self.ask(shelf, &path, &[])?;
        self.ask(shelf, &format!("{path}/said"), &[])?;
        self.ask(shelf, &format!("{path}/analysis"), &[])?;
        self.ask(shelf, "runs", &[("limit", "1"), ("q", &format!("id:{id}"))])?;
        self.ask(shelf, &format!("{path}/series"), &[])?;
        for direction in Direction::ALL.into_iter().filter(|direction| *direction != Direction::Flush) {
            for kind in ["response", "service"] {
                self.ask(shelf, &format!("{path}/heat"), &[("direction", direction.name()), ("kind", kind)])?;
            }
        }
        Ok(())
    }

    /// Verdicts that the page asks for when runs are chosen: every pair, or all of them as it divides them.
    fn verdicts(&mut self, shelf: &mut Shelf, kept: &SharedIndex) -> Result<(), PageError> {
        let pairs = |ids: &[&str]| -> Vec<(String, String)> {
            let all = ids.iter().flat_map(|a| ids.iter().map(move |b| (*a, *b)));
            all.filter(|(a, b)| a != b).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
        };
        let ids: Vec<&str> = kept.runs.iter().map(|(id, _)| id.as_str()).collect();
        let mut sides = if ids.len() <= PAIRS_MAX { pairs(&ids) } else { Vec::new() };
        if (3..=COLUMNS_MAX).contains(&ids.len()) {
            let first = kept.runs.first().map_or("", |(_, target)| target.as_str());
            let of = |is_first: bool| -> Vec<&str> {
                let runs = kept.runs.iter().filter(|(_, target)| (target == first) == is_first);
                runs.map(|(id, _)| id.as_str()).collect()
            };
            let (mut a, mut b) = (of(true), of(false));
            if b.is_empty() {
                b = a.split_off(1);
            }
            sides.push((a.join(","), b.join(",")));
        }
        let campaigns: Vec<&str> = kept.campaigns.iter().map(String::as_str).collect();
        sides.extend(pairs(&campaigns));
        sides.iter().try_for_each(|(a, b)| self.ask(shelf, "compare", &[("a", a), ("b", b)]))
    }

    /// Takes an answer in, by the path and query that the page's scripts ask with, the names in order. What is refused is
    /// left out: the page says then that the file does not hold it.
    fn ask(&mut self, shelf: &mut Shelf, path: &str, query: &[(&str, &str)]) -> Result<(), PageError> {
        let query = Serializer::new(String::new()).extend_pairs(query).finish();
        let Ok(given) = answer(shelf, path, &query) else { return Ok(()) };
        let key = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        let given = match given {
            Answer::Json(bytes) => String::from_utf8(bytes).map_err(failed_by)?,
            Answer::Columns(bytes) => format!("\"{}\"", STANDARD.encode(packed(&bytes)?)),
        };
        let comma = if self.text.is_empty() { "" } else { "," };
        let key = Value::from(key).to_string();
        self.text += &format!("{comma}\n{key}:{}", given.replace('<', "\\u003c"));
        if self.text.len() <= self.bytes_max {
            return Ok(());
        }
        let cause = format!("the file would be larger than {} MB", self.bytes_max >> 20);
        Err(failed(cause).with_remedy("share fewer runs"))
    }
}

fn packed(bytes: &[u8]) -> Result<Vec<u8>, PageError> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).and_then(|()| packed.finish()).map_err(failed_by)
}

/// The page's own files.
struct Parts {
    script: &'static str,
    style: &'static str,
}

impl Parts {
    fn find() -> Option<Self> {
        let text = |path| std::str::from_utf8(assets::find(path)?.bytes).ok();
        Some(Self { script: text("/shared.js")?, style: text("/page.css")? })
    }

    /// One file with everything in it, which lets nothing in from elsewhere: script and style are named by what they are.
    fn page(&self, answers: &str) -> String {
        let style = format!("{}\n{}", fathom_report::html::theme(), self.style);
        let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
            hash(self.script),
            hash(&style)
        );
        let script = self.script;
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>fathom</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n\
             <noscript>This page needs JavaScript.</noscript>\n\
             <script type=\"application/json\" id=\"answers\">{{{answers}\n}}</script>\n\
             <script>{script}</script>\n</body>\n</html>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::tests::{record, shelf};

    #[test]
    fn more_than_a_file_may_hold_is_refused_with_what_to_do() {
        let (_folder, mut shelf) = shelf(&[record(1, 2, 50)]);
        let mut answers = Answers::up_to(3 << 20);
        answers.ask(&mut shelf, "runs", &[]).unwrap();
        answers.text.push_str(&"x".repeat(3 << 20));
        let error = answers.ask(&mut shelf, "hello", &[]).unwrap_err();
        assert!(error.cause.contains("3 MB") && error.remedy.contains("fewer runs"), "{error}");
    }
}
