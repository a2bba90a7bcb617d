//! Changed files of every format, as every importer, observer and reader of commands takes them.

use fathom_tools::diskspd::{Command, Drives, map as map_diskspd, profile_xml, read_command};
use fathom_tools::fio::cmdline::{self, Invocation};
use fathom_tools::fio::fio_job::Variables;
use fathom_tools::fio::job_expansion::{self, FileText};
use fathom_tools::fio::map::{self, JobContext};
use fathom_tools::fio::read_iolog;
use fathom_tools::observers::OBSERVERS;
use fathom_tools::result_audit::audit_run;
use fathom_tools::result_import::{Context, HEAD_BYTES, Head, IMPORTERS, ImportedItem, recognise};

use crate::changed::each_changed;
use crate::counting::within;

fn import(bytes: &[u8], name: &str) {
    let _ = recognise(&Head { bytes: &bytes[..bytes.len().min(HEAD_BYTES)], file_name: name }, |_| None);
    let context = Context { file_name: name.to_owned(), ..Context::default() };
    for importer in IMPORTERS {
        within(bytes.len(), importer.name, || {
            let mut input = bytes;
            let found = importer.read(&mut input, &context).unwrap_or_default();
            for run in found
                .iter()
                .filter_map(|found| if let ImportedItem::Run(run) = found { Some(run) } else { None })
            {
                let _ = audit_run(run);
            }
        });
    }
    within(bytes.len(), "record", || drop(fathom_record::parse_run(bytes)));
    for observer in OBSERVERS {
        within(bytes.len(), "observer", || {
            let _ = (observer.observe)(bytes);
            let _ = (observer.audit)(bytes);
        });
    }
}

fn read_commands(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    within(bytes.len(), "fio's command line", || drop(cmdline::parse(&words)));
    within(bytes.len(), "fio's job file", || {
        let environment = |name: &str| (name.len() < 8).then(|| "4k".to_owned());
        let variables =
            Variables { environment: &environment, processors: 4, page_bytes: 4096, memory_mib: 1024 };
        let file = FileText { name: "job.fio".to_owned(), text: text.clone() };
        let mut include = |_: &str, _: &str| Err(std::io::ErrorKind::NotFound.into());
        let jobs = job_expansion::jobs(&Invocation::default(), &[file], &variables, &mut include)
            .unwrap_or_default();
        let around = JobContext {
            target_bytes: &|name| (name.len() % 2 == 0).then_some(1 << 30),
            log: &|name| read_iolog::survey(name.as_bytes()),
            new_seed: 1,
        };
        jobs.iter().for_each(|job| drop(map::map(job, &around)));
    });
    let mut command = None;
    within(bytes.len(), "diskspd's command line", || command = read_command(&words, 1).ok());
    // What is printed of many targets is longer than their names.
    if let Some(Command::Run(profile)) = command {
        let _ = profile_xml::print_profile(&profile);
        let _ = map_diskspd(&profile.spans[0], &Drives::default(), &|_| Some(1 << 30));
    }
    within(bytes.len(), "diskspd's profile", || drop(profile_xml::read_profile(&text)));
}

#[test]
fn changed_files_of_every_format_are_read_or_refused() {
    each_changed(fathom_skips::folder_named_by("FATHOM_SAMPLES"), |bytes, name| {
        import(bytes, name);
        read_commands(bytes);
    });
}
