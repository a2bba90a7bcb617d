//! What the provider's API says of an account in a region, kept in a folder: each answer is written when it is whole, so
//! that a reading that was cut off continues behind the last of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use fathom_campaign::calendar_now;
use fathom_demand::account_volumes::{Batches, Inventory, Pace, Stretch, describe, measure};
use fathom_demand::aws::{Caller, ServiceOptions, account_number};
use fathom_measure::Nanos;
use fathom_record::account_record::AccountReading;
use fathom_store::default_path;
use fathom_tools::Refusal;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Place;
use crate::arguments::SizeArguments;
use crate::commands::demand_input::cloudwatch_demand::LocalMachine;
use crate::commands::demand_input::read;
use crate::commands::size::fleet::meter::Meter;
use crate::commands::size::fleet::stop_request::Stop;
use crate::commands::size::typed;
use crate::commands::store_access::StorePlace;
use crate::commands::typed_moment::moment;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};

/// A reading is used again for so long: volumes change, and yesterday's metrics are not all.
const FRESH_S: i64 = 86_400;
/// Calls that are under way at once: an answer of 100,000 points may take seconds, and one such a second may be asked for.
const AT_ONCE: usize = 8;
const USUAL_FROM: &str = "7d";
const ASKED: &str = "asked.json";
const VOLUMES: &str = "volumes.json";
const INSTANCES: &str = "instances.json";

/// What was read.
pub struct AccountInputs {
    /// Number of the account.
    pub account: String,
    /// Volumes and instances.
    pub inventory: Inventory,
    /// Files with the metrics of some volumes each, those of an instance one after the other.
    pub metrics: Vec<PathBuf>,
    /// How it was read.
    pub record: AccountReading,
}

/// What a folder is the reading of.
#[derive(Debug, Serialize, Deserialize)]
struct Question {
    format: String,
    version: u32,
    account: String,
    region: String,
    /// As it was typed.
    from: String,
    to: Option<String>,
    asked_unix_s: i64,
    stretch: Stretch,
}

impl Question {
    const FORMAT: &'static str = "fathom.account_reading";
    const VERSION: u32 = 1;
}

impl AccountInputs {
    /// Reads a place, as far as it was not read already.
    ///
    /// # Errors
    /// When no credentials are found, nobody answers, the service refuses, somebody stops it, or nothing can be kept.
    pub fn of(
        place: Place<'_>,
        arguments: &SizeArguments,
        store: &StorePlace,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let mut here = LocalMachine::new();
        let asked = ServiceOptions { region: Some(place.region), endpoint: None, profile: place.profile };
        let mut calls = Calls::default();
        let mut sts = Caller::new(&mut here, ("sts", "STS"), asked)?.patient();
        let account = account_number(&mut sts)?;
        calls.count(&sts);
        let now = calendar_now().parse::<Timestamp>().map_or(0, Timestamp::as_second);
        let wanted = question(&account, place.region, arguments, now)?;
        let base = folder(arguments, store)?.join(format!("{account}-{}", place.region));
        let kept = if arguments.read_again { None } else { latest(&base, &wanted) };
        let (folder, question) = match kept {
            Some(kept) => kept,
            None => begun(&base, wanted)?,
        };
        let inventory = inventory(&folder, || {
            let mut ec2 = Caller::new(&mut here, ("ec2", "EC2"), asked)?.patient();
            let found = describe(&mut ec2);
            calls.count(&ec2);
            found
        })
        .map_err(|failure| continues(failure, &folder))?;
        let mut machines: Vec<LocalMachine> = (0..AT_ONCE).map(|_| here.beside()).collect();
        let cloudwatch = Caller::new(&mut here, ("monitoring", "CLOUDWATCH"), asked)?.patient();
        let asked = (&question.stretch, folder.as_path());
        let (metrics, of_metrics) = metrics(&cloudwatch, &inventory, asked, (&mut machines, stop))?;
        calls.add(&of_metrics);
        let record = AccountReading {
            kept: folder.display().to_string(),
            from_unix_s: question.stretch.from_unix_s,
            to_unix_s: question.stretch.to_unix_s,
            period_s: question.stretch.period_s,
            calls: calls.answered,
            throttled: calls.throttled,
        };
        Ok(Self { account, inventory, metrics, record })
    }
}

/// The metrics of all volumes: a file for each batch, those that are there left as they are.
fn metrics(
    caller: &Caller<'_, LocalMachine>,
    inventory: &Inventory,
    (stretch, folder): (&Stretch, &Path),
    (machines, stop): (&mut [LocalMachine], &Stop),
) -> Result<(Vec<PathBuf>, Calls), Failure> {
    let batches = Batches::new(inventory.by_instance(), stretch);
    let batches: Vec<(PathBuf, &[&str])> = batches
        .iter()
        .enumerate()
        .map(|(number, volumes)| (folder.join(format!("metrics-{number:05}.json")), volumes))
        .collect();
    let missing: Vec<&(PathBuf, &[&str])> = batches.iter().filter(|(path, _)| !path.is_file()).collect();
    let kept = batches.len() - missing.len();
    let asking = PendingQueries {
        stretch,
        missing: &missing,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        pace: Pace::default(),
        stop,
        failure: Mutex::new(None),
    };
    let calls = thread::scope(|scope| {
        let asking = &asking;
        let threads: Vec<_> = machines
            .iter_mut()
            .take(missing.len())
            .enumerate()
            .filter_map(|(number, here)| {
                let thread = thread::Builder::new().name(format!("metrics-{number}"));
                let started = thread.spawn_scoped(scope, move || asking.ask(caller.on(here)));
                started.map_err(|error| asking.fail(Failure::system("starting a thread", error))).ok()
            })
            .collect();
        let mut meter = Meter::new("reading metrics");
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            meter.at(kept + asking.done.load(Ordering::Relaxed), batches.len());
            thread::park_timeout(Meter::EVERY);
        }
        let mut calls = Calls::default();
        threads.into_iter().filter_map(|thread| thread.join().ok()).for_each(|of| calls.add(&of));
        calls
    });
    let done = asking.done.into_inner();
    if let Some(failure) = asking.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(continues(failure, folder));
    }
    if done < missing.len() {
        return Err(stopped(folder, kept + done, batches.len()));
    }
    Ok((batches.iter().map(|(path, _)| path.clone()).collect(), calls))
}

/// What the threads that ask share: an answer may take longer than the service's rates keep the next call back.
struct PendingQueries<'a> {
    stretch: &'a Stretch,
    /// Batches that were not answered yet, and the files for their answers.
    missing: &'a [&'a (PathBuf, &'a [&'a str])],
    next: AtomicUsize,
    done: AtomicUsize,
    pace: Pace,
    stop: &'a Stop,
    failure: Mutex<Option<Failure>>,
}

impl PendingQueries<'_> {
    /// Asks for batches until none is left, one cannot be had, or somebody stops it; gives the calls that it made.
    fn ask(&self, mut caller: Caller<'_, LocalMachine>) -> Calls {
        while !self.is_over()
            && let Some((path, volumes)) = self.missing.get(self.next.fetch_add(1, Ordering::Relaxed))
        {
            match measure(&mut caller, volumes, self.stretch, (&self.pace, &|| self.is_over())) {
                Ok(None) => break,
                Ok(Some(text)) => {
                    let written = OutputFile::check_derived(path, Content::Json);
                    match written.and_then(|file| file.write(&text)) {
                        Ok(()) => {
                            self.done.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(failure) => self.fail(failure),
                    }
                }
                Err(refusal) => self.fail(refusal.into()),
            }
        }
        let mut calls = Calls::default();
        calls.count(&caller);
        calls
    }

    fn is_over(&self) -> bool {
        self.stop.is_asked() || self.failed().is_some()
    }

    fn failed(&self) -> MutexGuard<'_, Option<Failure>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, failure: Failure) {
        self.failed().get_or_insert(failure);
    }
}

/// Calls that were made.
#[derive(Default)]
struct Calls {
    answered: u64,
    throttled: u64,
}

impl Calls {
    fn count(&mut self, caller: &Caller<'_, LocalMachine>) {
        self.answered += caller.answered;
        self.throttled += caller.throttled;
    }

    fn add(&mut self, other: &Self) {
        self.answered += other.answered;
        self.throttled += other.throttled;
    }
}

fn question(
    account: &str,
    region: &str,
    arguments: &SizeArguments,
    now_unix_s: i64,
) -> Result<Question, Failure> {
    let from = arguments.metrics.from.as_deref().unwrap_or(USUAL_FROM);
    let to = arguments.metrics.to.clone();
    let to_unix_s = to.as_deref().map_or(Ok(now_unix_s), |text| moment("--to", text, now_unix_s))?;
    let period = typed::<Nanos>("--metric-period", &arguments.metric_period, "a time as 5m")?;
    let from_unix_s = moment("--from", from, now_unix_s)?;
    let period_s = period.as_seconds().round() as i64;
    Ok(Question {
        format: Question::FORMAT.to_owned(),
        version: Question::VERSION,
        account: account.to_owned(),
        region: region.to_owned(),
        from: from.to_owned(),
        to,
        asked_unix_s: now_unix_s,
        stretch: Stretch::new(from_unix_s, to_unix_s, now_unix_s, period_s)
            .map_err(|refusal| Failure::usage(refusal.place, refusal.cause, refusal.remedy))?,
    })
}

/// The folder of all readings.
fn folder(arguments: &SizeArguments, store: &StorePlace) -> Result<PathBuf, Failure> {
    if let Some(folder) = &arguments.kept {
        return Ok(folder.clone());
    }
    let usual = || default_path(|name| std::env::var_os(name));
    let store = store.named().map_or_else(usual, |path| Ok(path.to_owned()))?;
    Ok(store.parent().unwrap_or(Path::new(".")).join("accounts"))
}

/// The last reading of the same question, where it is fresh.
fn latest(base: &Path, wanted: &Question) -> Option<(PathBuf, Question)> {
    let mut folders: Vec<PathBuf> = fs::read_dir(base).ok()?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders.into_iter().rev().find_map(|folder| {
        let question: Question = fathom_json::read_bytes(&fs::read(folder.join(ASKED)).ok()?).ok()?;
        let same = question.version == Question::VERSION
            && (&question.account, &question.region) == (&wanted.account, &wanted.region)
            && (&question.from, &question.to) == (&wanted.from, &wanted.to)
            && question.stretch.period_s == wanted.stretch.period_s;
        let fresh = (0..FRESH_S).contains(&(wanted.asked_unix_s - question.asked_unix_s));
        (same && fresh).then_some((folder, question))
    })
}

/// A folder for a new reading.
fn begun(base: &Path, question: Question) -> Result<(PathBuf, Question), Failure> {
    // Seconds since 1970 have as many digits for 250 years: their order is that of the names.
    let mut folder = base.join(question.asked_unix_s.to_string());
    let mut again = 1;
    while folder.exists() {
        folder = base.join(format!("{}-{again}", question.asked_unix_s));
        again += 1;
    }
    fs::create_dir_all(&folder).map_err(|error| {
        Failure::output(&folder, error, "name a folder that you may write to with --kept")
    })?;
    OutputFile::check_derived(&folder.join(ASKED), Content::Json)?.write(&output::json(&question))?;
    Ok((folder, question))
}

/// Volumes and instances, as they were kept or as `ask` says.
fn inventory(folder: &Path, ask: impl FnOnce() -> Result<Inventory, Refusal>) -> Result<Inventory, Failure> {
    let (volumes, instances) = (folder.join(VOLUMES), folder.join(INSTANCES));
    if volumes.is_file() && instances.is_file() {
        let mut inventory = Inventory::default();
        for path in [volumes, instances] {
            let damaged = |refusal: Refusal| {
                Failure::usage(path.display().to_string(), refusal.cause, "read again with --anew")
            };
            inventory.read(&read(&path)?).map_err(damaged)?;
        }
        return Ok(inventory);
    }
    let inventory = ask()?;
    OutputFile::check_derived(&volumes, Content::Json)?.write(&inventory.volumes_document())?;
    OutputFile::check_derived(&instances, Content::Json)?.write(&inventory.instances_document())?;
    Ok(inventory)
}

fn continues(mut failure: Failure, folder: &Path) -> Failure {
    let kept = format!("what was read is kept in {}: the same command continues there", folder.display());
    failure.remedy = if failure.remedy.is_empty() { kept } else { format!("{}\n{kept}", failure.remedy) };
    failure
}

fn stopped(folder: &Path, done: usize, all: usize) -> Failure {
    let cause = format!("stopped after {done} of {all} answers");
    let failure = Failure { kind: "interrupted", ..Failure::system("reading the account", cause) };
    continues(failure, folder)
}

/// The files that were named; of a folder those that a reading keeps, or the JSON in it.
///
/// # Errors
/// When a folder cannot be read or holds none.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let place = || path.display().to_string();
        let entries = fs::read_dir(path).map_err(|error| {
            Failure::usage(place(), error.to_string(), "name a folder that can be read").with_source(error)
        })?;
        let is_answer = |path: &PathBuf| {
            path.extension().is_some_and(|ending| ending == "json") && !path.ends_with(ASKED)
        };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_answer).collect();
        if found.is_empty() {
            return Err(Failure::usage(place(), "no .json is in it", "name the files themselves"));
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}
