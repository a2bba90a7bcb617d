//! `cargo lab fio`: the same job files by fathom fio and by the installed fio, each on files that are filled the
//! same, and what differs: the system calls on the files, by strace, the results in JSON, and what is left behind.
//!
//! *Equal*: nothing differs beyond chance. *Explained*: what differs is a row of `explained.toml`, whose sentence stands
//! in docs/interop.md or in what fathom printed. *Unexplained*: anything else; the exit status is then 1.
//!
//! The suite knows nothing of how fathom does it: what is right is what the installed fio does.

mod by_calls;
mod by_left;
mod by_result;
mod call_summary;
mod collected;
mod explained;
mod form;
mod judged;
mod left;
mod own_jobs;
mod pair_options;
mod pair_report;
mod ran;
mod scene;
mod shared_job;
mod shorten;
mod strace_calls;
mod tool_differences;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Outcome;
use super::guest_programs;
use super::stop::Stop;
use super::teardown::tool;
use explained::Table;
use form::Form;
use judged::PairVerdict;
pub use pair_options::Options;
use pair_report::Report;
use ran::Tools;
use scene::Scene;
use shared_job::Job;

/// With `--short`, every job whose number divides by this.
const SHORT: usize = 4;

/// Runs all pairs that are wanted.
///
/// # Errors
/// A build that fails, or a folder that cannot be made.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let mut report = Report::default();
    let jobs = wanted(&options, &mut report)?;
    if options.list {
        jobs.iter().for_each(|job| println!("{:<60} {:?}", job.name, job.pace));
        report.skipped.iter().for_each(|(name, reason)| println!("{name:<60} skipped: {reason}"));
        return Ok(Outcome::Passed);
    }
    if jobs.is_empty() {
        return Err("no job has that in its name".to_owned());
    }
    let fio = options.fio.clone().unwrap_or_else(|| "fio".into());
    if let Some(reason) = [(fio.as_path(), "--version"), (Path::new("strace"), "-V")]
        .into_iter()
        .find_map(|(program, option)| ran::missing(program, option))
    {
        return Ok(Outcome::Missing(reason));
    }
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => guest_programs::fathom(root)?,
    };
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let table = Table::read(root)?;
    let stop = Stop::listen_patiently()?;
    let folder = own_folder(&options)?;
    let tools = Tools { fio, fathom };
    let version = tool(&tools.fio.display().to_string(), &["--version"])?;
    println!("{} jobs, {version}, {}", jobs.len(), tools.fathom.display());
    let bench = Bench { tools: &tools, table: &table, folder: folder.path(), stop: &stop };
    let outcomes = run_all(&bench, &options, &jobs)?;
    if stop.is_asked() {
        return Err("stopped: what was set up is taken down".to_owned());
    }
    let (mut fio_form, mut fathom_form) = (Form::default(), Form::default());
    for (job, outcome) in jobs.into_iter().zip(outcomes) {
        match outcome {
            Ok(judged) => {
                if let (Some(a), Some(b)) = (&judged.fio.json, &judged.fathom.json) {
                    fio_form.add(a);
                    fathom_form.add(b);
                }
                report.pairs.push((job, judged));
            }
            Err(reason) => report.skipped.push((job.name, reason)),
        }
    }
    // A few jobs do not fill every key.
    if options.only.is_none() && !options.short {
        judge_form(&fio_form, &fathom_form, &table, &mut report);
    }
    finish(&options, &report, &table, &format!("{version}, {}", tools.fathom.display()))
}

/// What all pairs share.
struct Bench<'a> {
    tools: &'a Tools,
    table: &'a Table,
    folder: &'a Path,
    stop: &'a Stop,
}

/// Runs all pairs, some at the same time, each worker in a folder and on devices of its own.
fn run_all(
    bench: &Bench<'_>,
    options: &Options,
    jobs: &[Job],
) -> Result<Vec<Result<PairVerdict, String>>, String> {
    let mut scenes = Vec::new();
    for number in 0..options.workers {
        let folder = bench.folder.join(format!("worker-{number}"));
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        scenes.push(Scene::new(&folder)?);
    }
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Result<PairVerdict, String>>> =
        Mutex::new(vec![Err("not run".to_owned()); jobs.len()]);
    std::thread::scope(|scope| {
        for scene in &scenes {
            scope.spawn(|| {
                while let Some((at, job)) = next_of(&next, jobs).filter(|_| !bench.stop.is_asked()) {
                    let outcome = match scene.without_devices.as_ref().filter(|_| job.needs_devices()) {
                        Some(reason) => Err(reason.clone()),
                        None => judged::judge(bench.tools, job, scene, bench.table),
                    };
                    if let Ok(judged) = &outcome {
                        print!("{}", pair_report::lines(job, judged, options.only.is_some()));
                    }
                    if let Some(place) = outcomes.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                        *place = outcome;
                    }
                }
            });
        }
    });
    Ok(outcomes.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn next_of<'a>(next: &AtomicUsize, jobs: &'a [Job]) -> Option<(usize, &'a Job)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(at).map(|job| (at, job))
}

/// The jobs of the lab and those that were collected; what cannot be had is skipped visibly.
fn wanted(options: &Options, report: &mut Report) -> Result<Vec<Job>, String> {
    let mut jobs = own_jobs::all()?;
    let by_name = |name: &str| options.only.as_ref().is_none_or(|word| name.contains(word.as_str()));
    for found in collected::list().into_iter().filter(|found| by_name(&found.name())) {
        let job = match &options.jobs {
            Some(folder) => found.job(folder, options.fetch),
            None => Err("--jobs DIR is needed for collected jobs".to_owned()),
        };
        match job {
            Ok(job) => jobs.push(job),
            Err(reason) => report.skipped.push((found.name(), reason)),
        }
    }
    jobs.retain(|job| by_name(&job.name));
    if options.short {
        jobs = jobs.into_iter().step_by(SHORT).collect();
    }
    Ok(jobs)
}

fn own_folder(options: &Options) -> Result<tempfile::TempDir, String> {
    let within = options.folder.clone().unwrap_or_else(std::env::temp_dir);
    let within: PathBuf = within.canonicalize().map_err(|error| format!("{}: {error}", within.display()))?;
    let made = tempfile::Builder::new().prefix("fathom-fio-").tempdir_in(&within);
    made.map_err(|error| format!("{}: {error}", within.display()))
}

/// The form of the results is one for all jobs, and judged once.
fn judge_form(fio: &Form, fathom: &Form, table: &Table, report: &mut Report) {
    let any = Job { name: "form".to_owned(), ..Job::default() };
    for found in fio.differences(fathom) {
        match table.explain(&any, &found, "") {
            Some(sentence) => report.form_explained.push((found, sentence.to_owned())),
            None => report.form_unexplained.push(found),
        }
    }
}

fn finish(options: &Options, report: &Report, table: &Table, tools: &str) -> Result<Outcome, String> {
    print!("{}", report.form());
    for (name, reason) in &report.skipped {
        println!("skip         {name}: {reason}");
    }
    for sentence in table.stale() {
        println!("note: docs/interop.md does not say: {sentence}");
    }
    println!("{}", report.score());
    if let Some(path) = &options.markdown {
        std::fs::write(path, report.markdown(tools))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(if report.passed() { Outcome::Passed } else { Outcome::Failed })
}
