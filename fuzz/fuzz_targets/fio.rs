//! Any text is a job file of fio or a refusal; what was read maps to runs or says why not.
#![no_main]

use fathom_interop::fio::cmdline::{self, Invocation};
use fathom_interop::fio::document::{self, FileText};
use fathom_interop::fio::job::Variables;
use fathom_interop::fio::map::{self, Around};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let _ = cmdline::parse(&words);
    let environment = |name: &str| (name.len() < 8).then(|| "4k".to_owned());
    let variables = Variables { environment: &environment, processors: 4, page_bytes: 4096, memory_mib: 1024 };
    let file = FileText { name: "job.fio".to_owned(), text: text.to_owned() };
    let mut include = |_: &str, _: &str| Err("no files here".to_owned());
    let Ok(jobs) = document::jobs(&Invocation::default(), &[file], &variables, &mut include) else { return };
    let around = Around { target_bytes: &|name| (name.len() % 2 == 0).then_some(1 << 30), new_seed: 1 };
    let mapped: Vec<_> = jobs.iter().filter_map(|job| map::map(job, &around).ok()).collect();
    if mapped.len() == jobs.len() {
        let _ = map::stages(&jobs, &mapped);
    }
});
