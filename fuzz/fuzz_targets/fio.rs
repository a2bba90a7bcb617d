//! Any text is a job file or a command line of fio or a refusal; what fathom takes on is a workload that runs.
#![no_main]

use fathom_fuzz::within;
use fathom_tools::Refusal;
use fathom_tools::fio::cmdline::{self, Invocation};
use fathom_tools::fio::job_expansion::{self, FileText};
use fathom_tools::fio::fio_job::{Job, Variables};
use fathom_tools::fio::map::{self, JobContext, Executor, MappedJob};
use libfuzzer_sys::fuzz_target;

fn jobs(invocation: &Invocation, files: &[FileText]) -> Result<Vec<Job>, Refusal> {
    let environment = |name: &str| (name.len() < 8).then(|| "4k".to_owned());
    let variables =
        Variables { environment: &environment, processors: 4, page_bytes: 4096, memory_mib: 1024 };
    let mut include = |_: &str, _: &str| Err(std::io::ErrorKind::NotFound.into());
    job_expansion::jobs(invocation, files, &variables, &mut include)
}

fn run(jobs: &[Job]) {
    let around = JobContext {
        target_bytes: &|name| (name.len() % 2 == 0).then_some(1 << 30),
        log: &|name| fathom_tools::fio::read_iolog::survey(name.as_bytes()),
        new_seed: 1,
    };
    let mapped: Vec<MappedJob> = jobs.iter().filter_map(|job| map::map(job, &around).ok()).collect();
    for mapped in &mapped {
        match &mapped.doer {
            Executor::Fathom(runs) => runs.iter().for_each(|run| {
                assert_eq!(run.workload.validate(), Ok(()), "{}", mapped.name);
                assert!(!run.targets.is_empty());
            }),
            Executor::Burner(burner) => {
                assert!(burner.threads > 0 && (1..=100).contains(&burner.load_percent), "{}", mapped.name);
            }
            Executor::Fio(reasons) => assert!(!reasons.is_empty()),
        }
    }
    if mapped.len() == jobs.len() {
        let _ = map::stages(jobs, &mapped);
    }
    let _ = job_expansion::command_line(jobs);
}

fuzz_target!(|text: &str| {
    let file = FileText { name: "job.fio".to_owned(), text: text.to_owned() };
    let mut read = Vec::new();
    within(text.len(), "job file", || read = jobs(&Invocation::default(), &[file]).unwrap_or_default());
    run(&read);
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let mut typed = None;
    within(text.len(), "command line", || typed = cmdline::parse(&words).ok());
    if let Some(invocation) = typed {
        run(&jobs(&invocation, &[]).unwrap_or_default());
    }
});
