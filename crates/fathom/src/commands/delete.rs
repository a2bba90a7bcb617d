//! `fathom delete`: runs and campaigns, gone for good.

use std::path::Path;

use fathom_campaign::calendar_now;
use fathom_report::table::{Table, numbers, paths, titles, words};
use fathom_report::terminal;
use fathom_store::{Deletion, DeletionChoice, DeletionResult, KeptItem, StoreErrorKind};
use serde::Serialize;

use super::store_access::StorePlace;
use super::typed_moment::instant;
use crate::arguments::DeleteArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// What went, for programs.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    runs: &'a [String],
    campaigns: Vec<String>,
    kept: Vec<KeptLine>,
    /// Bytes of the store's files before.
    bytes_before: u64,
    /// Bytes of them now.
    bytes_now: u64,
}

/// Something that stays.
#[derive(Serialize)]
struct KeptLine {
    id: String,
    reason: String,
}

/// Deletes where that is confirmed, and prints what went; else prints what would go.
///
/// # Errors
/// When nothing is to go, it is not confirmed, or the store cannot be written.
pub fn perform(place: &StorePlace, arguments: &DeleteArguments) -> Result<Status, Failure> {
    let nothing = || {
        Failure::usage("fathom delete", "nothing to delete fits that", "see what there is: fathom runs --all")
    };
    let Some(store) = place.open_existing()? else { return Err(nothing()) };
    let choice = DeletionChoice {
        named: arguments.names.iter().map(|name| store.resolve(name)).collect::<Result<_, _>>()?,
        before: before(arguments)?,
        tag: arguments.tag.clone(),
    };
    let deletion = store.deletion(&choice)?;
    if deletion.runs.is_empty() && deletion.campaigns.is_empty() && deletion.kept.is_empty() {
        return Err(nothing());
    }
    if !arguments.yes {
        // For programs, the failure is the document.
        if !arguments.switch.json {
            output::result(&words_of(&deletion, None))?;
        }
        let cause = "nothing was deleted: what goes is gone for good, and that is to be confirmed";
        let failure = Failure::usage("fathom delete", cause, "to delete it, add --yes");
        return Err(Failure { kind: "unconfirmed", ..failure });
    }
    drop(store);
    let store = place.open()?;
    // Chosen again, as it is now.
    let deletion = store.deletion(&choice)?;
    let deleted = store.delete(&deletion)?;
    drop(store);
    let raw = place.raw_folder()?;
    deleted.runs.iter().for_each(|run| remove_output(&raw, run));
    let json = arguments.switch.json;
    output::result(&if json { document(&deletion, &deleted) } else { words_of(&deletion, Some(&deleted)) })?;
    if let Some(error) = deleted.space_kept.filter(|error| error.kind != StoreErrorKind::Locked) {
        Failure::from(error).warn();
    }
    Ok(Status::Done)
}

/// The moment before which something started that is old enough.
fn before(arguments: &DeleteArguments) -> Result<Option<String>, Failure> {
    let older = arguments.older.as_deref();
    let at = older.map(|text| instant("--older", text, &calendar_now())).transpose()?;
    Ok(at.map(|at| at.trim_end_matches('Z').to_owned()))
}

/// Removes what another tool printed for a run.
fn remove_output(raw: &Path, run: &str) {
    // Ids come from a file; one that is not a plain name is not that of a folder of ours.
    let is_plain = Path::new(run).file_name().is_some_and(|name| name == run) && run != "..";
    let folder = raw.join(run);
    if !is_plain || !folder.is_dir() {
        return;
    }
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        Failure::system(format!("removing {}", folder.display()), error).warn();
    }
}

fn document(deletion: &Deletion, deleted: &DeletionResult) -> String {
    let stays = |kept: &KeptItem| KeptLine { id: kept.id.clone(), reason: kept.reason.clone() };
    output::json(&Document {
        format: "fathom.deleted",
        version: 1,
        runs: &deleted.runs,
        campaigns: deletion.campaigns.iter().map(|row| row.id.clone()).collect(),
        kept: deletion.kept.iter().map(stays).collect(),
        bytes_before: deleted.bytes_before,
        bytes_now: deleted.bytes_now,
    })
}

fn words_of(deletion: &Deletion, deleted: Option<&DeletionResult>) -> String {
    let style = output::style();
    let heading = if deleted.is_some() { "deleted" } else { "would be deleted" };
    let mut table = Table::new(&[
        words(heading, 0),
        words("started", 2),
        paths("target", 2),
        titles("workload", 1),
        numbers("runs", 0),
    ]);
    let rows =
        deletion.runs.iter().map(|run| (&run.id, &run.started_at, &run.target, run.pattern.clone(), 1));
    let campaigns = deletion
        .campaigns
        .iter()
        .map(|row| (&row.id, &row.started_at, &row.target, "campaign".to_owned(), row.runs));
    for (id, started_at, target, workload, runs) in rows.chain(campaigns) {
        table.row([id.clone(), style.zone.minute(started_at), target.clone(), workload, runs.to_string()]);
    }
    let mut text = if table.rows.is_empty() { String::new() } else { terminal::table(&table, style) };
    for kept in &deletion.kept {
        text += &format!("kept: {}, {}\n", kept.id, kept.reason);
    }
    if let Some(deleted) = deleted {
        let size = |bytes: u64| fathom_measure::Bytes(bytes).to_string();
        let runs = fathom_measure::counted(deleted.runs.len() as u64, "run");
        let (before, now) = (rounded(deleted.bytes_before), rounded(deleted.bytes_now));
        text += &match &deleted.space_kept {
            None => format!("{runs} deleted; the store went from {} to {}\n", size(before), size(now)),
            Some(error) => {
                format!("{runs} deleted; their space is used for what is saved next ({})\n", error.cause)
            }
        };
    }
    text
}

/// To whole KiB, up: sizes of files are read, not added up.
fn rounded(bytes: u64) -> u64 {
    bytes.div_ceil(1024) * 1024
}
