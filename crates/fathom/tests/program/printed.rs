//! The command lines that published evaluations print, as they stand, on a scratch folder.
//!
//! They run for minutes on files of gigabytes: `FATHOM_TRIAL` makes time and files short, and nothing else. One names its
//! mount as `<mount>`, and Windows' drive has a folder here, as it needs on any other system.

use crate::typed::Typist;

const PRINTED: [&str; 5] = [
    "fio --directory=<mount> --name fio_rnd_rwmix --randrepeat=1 --ioengine=libaio --direct=1 --bsrange=4k-16k,64k-64k --iodepth=64 --size=2G --readwrite=randrw --rwmixread=33 --numjobs=16 --time_based --runtime=900 --group_reporting",
    r"diskspd.exe -b4K -r -o32 -t4 -w0 -d60 -Sh -L -c10G D:\testfile.dat",
    r"diskspd.exe -b4K -r -o32 -t4 -w100 -d60 -Sh -L -c10G D:\testfile.dat",
    r"diskspd.exe -b128K -si -o4 -t4 -w0 -d60 -Sh -L -c10G D:\testfile.dat",
    r"diskspd.exe -b128K -si -o16 -t4 -w100 -d60 -Sh -L -c10G D:\testfile.dat",
];

#[test]
fn printed_command_lines_run_as_they_stand() {
    std::thread::scope(|scope| {
        for line in PRINTED {
            scope.spawn(|| runs_as_it_stands(line));
        }
    });
}

fn runs_as_it_stands(line: &str) {
    let typist = Typist::new();
    std::fs::create_dir(typist.path("scratch")).unwrap();
    let scratch = typist.path("scratch").display().to_string();
    let placed = line.replace("<mount>", &scratch);
    let mut words = placed.split(' ');
    let tool = words.next().unwrap().trim_end_matches(".exe");
    let typed: Vec<&str> = std::iter::once(tool).chain(words).collect();
    let mut command = typist.command(&typed);
    command.env("FATHOM_TRIAL", "1s,4MiB").env("FATHOM_DRIVES", format!("D:={scratch}"));
    let answer: crate::typed::Answer = command.output().unwrap().into();
    // 1 is a self-check that failed: other tests use the processors too.
    assert!(answer.status <= 1, "{line}: {answer:?}");
    let record = typist.json(&["show", "last", "--json"]);
    let operations = |place: usize| record["summary"]["directions"][place]["operations"].as_u64();
    assert!(operations(0) > Some(0), "{line}: {record}");
    let notes = record["notes"].to_string();
    assert!(notes.contains("FATHOM_TRIAL"), "{line}: {notes}");
    if tool == "fio" {
        assert!(operations(1) > Some(0) && answer.stdout.contains("  read: IOPS="), "{answer:?}");
        assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 16, "a file each job");
    } else {
        assert!(answer.stdout.contains("Command Line: diskspd -b"), "{answer:?}");
        assert!(answer.stdout.contains("3-nines |"), "-L prints percentiles: {answer:?}");
    }
}

/// Where `FATHOM_EVALUATIONS` names a folder of the published evaluations, no command line of theirs is missing above.
#[test]
fn every_printed_command_line_is_tried() {
    let Some(folder) = fathom_skips::folder_named_by("FATHOM_EVALUATIONS") else { return };
    let texts = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let printed: Vec<String> = texts
        .flat_map(|text| {
            let lines =
                text.lines().map(|line| line.trim().trim_start_matches("command: ").trim_start_matches("- "));
            let commands = lines.filter(|line| {
                line.contains(" -") && (line.starts_with("fio ") || line.starts_with("diskspd"))
            });
            commands.map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    assert!(printed.len() >= PRINTED.len(), "{printed:?}");
    for line in &printed {
        assert!(PRINTED.contains(&line.as_str()), "not tried: {line}");
    }
}
