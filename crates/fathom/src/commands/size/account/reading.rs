//! What the provider's API says of an account in a region, kept in a folder: each answer is written when it is whole, so
//! that a reading that was cut off continues behind the last of them.

use std::fs;
use std::path::{Path, PathBuf};

use fathom_campaign::calendar_now;
use fathom_demand::account::{Batches, Inventory, Pace, Stretch, describe, measure};
use fathom_demand::aws::{Asked, Caller, account_number};
use fathom_measure::Nanos;
use fathom_record::account::AccountReading;
use fathom_store::default_path;
use fathom_tools::Refusal;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Place;
use crate::arguments::SizeArguments;
use crate::commands::demand::aws::Here;
use crate::commands::demand::read;
use crate::commands::moment::moment;
use crate::commands::size::fleet::meter::Meter;
use crate::commands::size::fleet::stop::Stop;
use crate::commands::size::typed;
use crate::commands::stored::StorePlace;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};

/// A reading is used again for so long: volumes change, and yesterday's metrics are not all.
const FRESH_S: i64 = 86_400;
const USUAL_FROM: &str = "7d";
const ASKED: &str = "asked.json";
const VOLUMES: &str = "volumes.json";
const INSTANCES: &str = "instances.json";

/// What was read.
pub struct Reading {
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

impl Reading {
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
        let mut here = Here::new();
        let asked = Asked { region: Some(place.region), endpoint: None, profile: place.profile };
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
        let mut cloudwatch = Caller::new(&mut here, ("monitoring", "CLOUDWATCH"), asked)?.patient();
        let metrics = metrics(&mut cloudwatch, &inventory, (&question.stretch, &folder), stop)?;
        calls.count(&cloudwatch);
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
    caller: &mut Caller<'_, Here>,
    inventory: &Inventory,
    (stretch, folder): (&Stretch, &Path),
    stop: &Stop,
) -> Result<Vec<PathBuf>, Failure> {
    let batches = Batches::new(inventory.by_instance(), stretch);
    let (mut pace, mut meter) = (Pace::default(), Meter::new("reading metrics"));
    let (all, mut files) = (batches.iter().len(), Vec::new());
    for (number, volumes) in batches.iter().enumerate() {
        meter.at(number, all);
        let path = folder.join(format!("metrics-{number:05}.json"));
        if !path.is_file() {
            if stop.is_asked() {
                return Err(stopped(folder, number, all));
            }
            let text = measure(caller, volumes, stretch, &mut pace)
                .map_err(|refusal| continues(refusal.into(), folder))?;
            OutputFile::check_derived(&path, Content::Json)?.write(&text)?;
        }
        files.push(path);
    }
    Ok(files)
}

/// Calls that were made.
#[derive(Default)]
struct Calls {
    answered: u64,
    throttled: u64,
}

impl Calls {
    fn count(&mut self, caller: &Caller<'_, Here>) {
        self.answered += caller.answered;
        self.throttled += caller.throttled;
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
        let question: Question = serde_json::from_slice(&fs::read(folder.join(ASKED)).ok()?).ok()?;
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
        let entries = fs::read_dir(path)
            .map_err(|error| Failure::usage(place(), error.to_string(), "name a folder that can be read"))?;
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
