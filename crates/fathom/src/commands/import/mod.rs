//! `fathom import`: files of other tools into the run store, several at a time, each once.

mod import_saver;
mod import_summary;
mod input_files;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use fathom_measure::{Clock, WallClock};
use fathom_tools::result_import::{FileOutcome, IMPORTERS, Importer, KnownFiles, by_name, read_file};

use self::import_saver::ImportSaver;
use self::input_files::Files;
use super::store_access::StorePlace;
use crate::arguments::ImportArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// An import that takes longer than this says how it goes, and again as often.
const SILENT_NS: u64 = 2_000_000_000;

/// Files read at the same time at most: each may take memory in proportion to its size.
const MOST_AT_ONCE: usize = 16;

/// Imports the files.
///
/// # Errors
/// When a path or a name is wrong, or the store cannot keep what was read.
pub fn perform(place: &StorePlace, arguments: &ImportArguments) -> Result<Status, Failure> {
    let named = arguments.format.as_deref().map(importer).transpose()?;
    let files = input_files::collect(&arguments.paths)?;
    let store = place.open()?;
    let beside = arguments.beside.as_deref().map(|name| store.resolve_run(name)).transpose()?;
    let known = store.imports()?.into_iter().map(|import| (import.sha256, import.file)).collect();
    let mut saving = ImportSaver::new(&store, beside);
    read_all(&files, named, &known, &mut saving)?;
    let entries = saving.finish()?;
    let text = if arguments.switch.json {
        output::json(&import_summary::document(&entries))
    } else {
        import_summary::text(&entries, &place.flag(), output::width_of_sentences())
    };
    output::result(&text)?;
    Ok(Status::of_measurement(import_summary::is_whole(&entries)))
}

fn importer(name: &str) -> Result<&'static Importer, Failure> {
    by_name(name).ok_or_else(|| Failure {
        kind: "unknown_name",
        ..Failure::usage(
            "--as",
            format!("no format is called `{name}`"),
            format!("one of {}", IMPORTERS.iter().map(|i| i.name).collect::<Vec<_>>().join(", ")),
        )
    })
}

/// Reads on several threads, and saves on this one as files come.
fn read_all(
    files: &Files,
    named: Option<&'static Importer>,
    known: &KnownFiles,
    saving: &mut ImportSaver<'_>,
) -> Result<(), Failure> {
    let workers =
        thread::available_parallelism().map_or(1, usize::from).min(MOST_AT_ONCE).min(files.len().max(1));
    let next = AtomicUsize::new(0);
    let (clock, _) = WallClock::start_on_system_clock();
    thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<(usize, FileOutcome)>(workers);
        for _ in 0..workers {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    let outcome = read_file(&file.path, named, known, fathom_demand::what);
                    if send.send((at, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let (mut done, mut said_ns) = (0, clock.now_ns());
        for (at, outcome) in receive {
            if let Some(file) = files.get(at) {
                saving.take(file, outcome)?;
            }
            done += 1;
            let now_ns = clock.now_ns();
            if now_ns.saturating_sub(said_ns) >= SILENT_NS {
                output::message(&format!("{done} of {} files", files.len()));
                said_ns = now_ns;
            }
        }
        Ok(())
    })
}
