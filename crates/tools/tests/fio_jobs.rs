//! Job files as people write them: the fixtures here, and the collection that `FATHOM_SAMPLES` names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fathom_tools::Refusal;
use fathom_tools::fio::cmdline::Invocation;
use fathom_tools::fio::fio_job::{Job, Variables};
use fathom_tools::fio::job_expansion::{self, FileText};
use fathom_tools::fio::map::{self, Executor, JobContext, MappedJob};
use fathom_tools::fio::read_iolog;

/// What the variables of scripts around job files stand for.
fn environment(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let value = match name.as_str() {
        name if name.contains("depth") || name.contains("jobs") || name.contains("nr") => "4",
        "rw" | "fio_rw" | "readwrite" | "read_type" => "randrw",
        name if name.contains("mix") || name.contains("percent") => "50",
        name if name.contains("bdev_name") => "Nvme0n1",
        name if name.contains("dir") && !name.contains("direct") => "/scratch",
        name if name.contains("bs") || name.contains("block") || name.contains("blk") => "4k",
        name if name.contains("engine") => "libaio",
        name if name.contains("json") || name.contains("conf") || name.contains("uri") => "/conf",
        name if name.contains("size") || name.contains("offset") => "1g",
        name if name.contains("file") || name.contains("dev") => "/dev/sda",
        name if name.contains("sync") => "0",
        name if name.contains("chunk") => "4096",
        _ => "1",
    };
    Some(value.to_owned())
}

fn read(path: &Path) -> Result<Vec<(Job, MappedJob)>, Refusal> {
    let bytes = std::fs::read(path).expect("a file that was listed");
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = FileText { name, text: String::from_utf8_lossy(&bytes).into_owned() };
    let variables =
        Variables { environment: &environment, processors: 8, page_bytes: 4096, memory_mib: 16384 };
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    // A collection has the files that include, and not always those that are included.
    let mut include =
        |name: &str, _: &str| Ok(std::fs::read_to_string(folder.join(name)).unwrap_or_default());
    let jobs = job_expansion::jobs(&Invocation::default(), &[file], &variables, &mut include)?;
    // Scripts around job files make the files first.
    // An earlier job of the same script wrote the log.
    let log =
        |_: &str| read_iolog::survey("fio version 3 iolog\n0 t add\n0 t open\n0 t read 0 4096\n".as_bytes());
    let around = JobContext { target_bytes: &|_| Some(1 << 40), log: &log, new_seed: 1 };
    let mapped: Result<Vec<MappedJob>, Refusal> = jobs.iter().map(|job| map::map(job, &around)).collect();
    let mapped = mapped?;
    map::stages(&jobs, &mapped)?;
    Ok(jobs.into_iter().zip(mapped).collect())
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.sort();
    files
}

#[derive(Debug, Default)]
struct Count {
    files: usize,
    parsed: usize,
    /// Of those parsed, whose engines fathom has one for.
    engines: usize,
    native: usize,
}

#[test]
fn real_job_files_parse_and_run_or_name_their_reason() {
    let Some(samples) = fathom_skips::folder_named_by("FATHOM_SAMPLES") else { return };
    let folder = samples.join("fio_job");
    let (mut all, mut in_use) = (Count::default(), Count::default());
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for path in files_in(&folder) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // fio's own examples and tests show each feature once; all others are in use somewhere.
        let mut counts = vec![&mut all];
        if !name.starts_with("axboe__fio__") {
            counts.push(&mut in_use);
        }
        let outcome = read(&path);
        let native = outcome
            .as_ref()
            .is_ok_and(|jobs| jobs.iter().all(|(_, mapped)| !matches!(mapped.doer, Executor::Fio(_))));
        let engines =
            outcome.as_ref().is_ok_and(|jobs| jobs.iter().all(|(_, mapped)| !is_of_another_engine(mapped)));
        for count in counts {
            count.files += 1;
            count.engines += usize::from(engines);
            count.parsed += usize::from(outcome.is_ok());
            count.native += usize::from(native);
        }
        let reason = match &outcome {
            Err(refusal) => Some(format!("refused: {refusal}")),
            Ok(jobs) => jobs.iter().find_map(|(_, mapped)| match &mapped.doer {
                Executor::Fathom(_) | Executor::Burner(_) => None,
                Executor::Fio(reasons) => {
                    assert!(!reasons.is_empty(), "{name}: goes to fio without a reason");
                    Some(reasons[0].clone())
                }
            }),
        };
        if let Some(reason) = reason {
            eprintln!("{name}: {reason}");
            *why.entry(reason.split(':').next().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    eprintln!("{why:#?}\nall: {all:?}\nin use: {in_use:?}");
    assert!(all.parsed * 100 >= all.files * 95, "parsed: {all:?}");
    assert!(in_use.native * 100 >= in_use.engines * 90, "run natively: {in_use:?}");
    assert!(all.native * 100 >= all.engines * 85, "run natively: {all:?}");
}

fn is_of_another_engine(mapped: &MappedJob) -> bool {
    matches!(&mapped.doer, Executor::Fio(reasons) if reasons.iter().any(|reason| reason.starts_with("ioengine=")))
}

/// Each fixture says in its first line what becomes of it: `; native`, `; fio: WORDS` or `; refused: WORDS`.
#[test]
fn each_fixture_comes_to_what_it_says() {
    let fixtures = files_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio"));
    assert!(fixtures.len() >= 8);
    for path in fixtures {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let says = text.lines().next().unwrap_or_default().trim_start_matches(['\u{feff}', ';', ' ']).trim();
        let found = match read(&path) {
            Err(refusal) => format!("refused: {refusal}"),
            Ok(jobs) => jobs
                .iter()
                .find_map(|(_, mapped)| match &mapped.doer {
                    Executor::Fathom(_) | Executor::Burner(_) => None,
                    Executor::Fio(reasons) => Some(format!("fio: {}", reasons.join("; "))),
                })
                .unwrap_or_else(|| "native".to_owned()),
        };
        let (kind, words) = says.split_once(':').unwrap_or((says, ""));
        assert!(found.starts_with(kind) && found.contains(words.trim()), "{}: {found}", path.display());
    }
}

/// Job files that the installed fio takes are taken here, and those that it refuses are refused.
#[test]
fn the_installed_fio_agrees_about_the_fixtures() {
    if std::process::Command::new("fio").arg("--version").output().is_err() {
        fathom_skips::skipped("no fio is installed");
        return;
    }
    for path in files_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio")) {
        let fio = std::process::Command::new("fio")
            .args(["--parse-only", "--output-format=json"])
            .arg(&path)
            .envs(["RW", "BS", "DIRECTORY"].map(|name| (name, environment(name).unwrap_or_default())))
            .output()
            .expect("fio was there a moment ago");
        let taken = read(&path).is_ok();
        // fio does not know the mark with which editors begin a text, and refuses the file for it.
        if std::fs::read(&path).is_ok_and(|bytes| bytes.starts_with("\u{feff}".as_bytes())) {
            continue;
        }
        assert_eq!(
            taken,
            fio.status.success(),
            "{}: {}",
            path.display(),
            String::from_utf8_lossy(&fio.stderr)
        );
    }
}
