//! diskspd's command lines: every one is read, or refused with a reason.

use fathom_tools::diskspd::{Command, Drives, map, profile_xml, read_command};

use crate::files;

/// The arguments of a published line: what stands behind the program's name, without what shells and prose
/// put around it.
pub fn arguments(line: &str) -> Option<Vec<String>> {
    let line = line.split('\t').next().unwrap_or(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_program = |word: &&str| {
        let word = word.trim_matches(['"', '\'', '`', '(', '*']).to_ascii_lowercase();
        word.ends_with("diskspd") || word.ends_with("diskspd.exe")
    };
    let program = words.iter().position(is_program)?;
    let rest =
        words[program + 1..].iter().take_while(|word| !word.starts_with(['>', '|', '#']) && **word != "&&");
    let plain = |word: &&str| word.trim_matches(['"', '\'', '`', '*', ')', ';', '(', '.']).to_owned();
    let words: Vec<String> = rest.map(plain).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then_some(words)
}

#[test]
fn published_command_lines_are_mapped_or_refused_with_a_reason() {
    let drives: Vec<String> = ('A'..='Z').map(|drive| format!("{drive}:=/mnt/{drive}")).collect();
    let others = [r"\\mb-win81\diskspd=/mnt/share", "#2=/dev/nvme1n1"];
    let drives = Drives::read(drives.iter().map(String::as_str).chain(others)).expect("drives");
    let (mut mapped, mut refused) = (0, Vec::new());
    for (_, bytes) in files("diskspd_cmdlines").into_iter().filter(|(name, _)| name.ends_with(".tsv")) {
        for line in String::from_utf8_lossy(&bytes).lines().filter(|line| !line.starts_with('#')) {
            let Some(words) = arguments(line) else { continue };
            let outcome = read_command(&words, 1).and_then(|command| match command {
                Command::Run(profile) => map(&profile.spans[0], &drives, &|_| Some(1 << 40)).map(drop),
                Command::Xml(_) => Ok(()),
            });
            match outcome {
                Ok(()) => mapped += 1,
                Err(refusal) => {
                    assert!(refusal.cause.len() > 10, "{line}: {refusal}");
                    refused.push(format!("{refusal}\n    {line}"));
                }
            }
        }
    }
    println!("{mapped} mapped, {} refused:\n{}", refused.len(), refused.join("\n"));
    if mapped + refused.len() > 0 {
        assert!(mapped >= 75, "{mapped}");
    }
}

#[test]
fn commands_of_published_evaluations_are_mapped() {
    let Some(folder) = fathom_skips::folder_named_by("FATHOM_EVALUATIONS") else { return };
    let Ok(text) = std::fs::read_to_string(folder.join("windows-arm-ebs.yaml")) else {
        fathom_skips::skipped("no windows-arm-ebs.yaml in the folder of FATHOM_EVALUATIONS");
        return;
    };
    let lines: Vec<&str> =
        text.lines().filter(|line| line.trim_start().starts_with("- diskspd.exe")).collect();
    assert_eq!(lines.len(), 4);
    let drives = Drives::read(["D:=/mnt/d"]).expect("a drive");
    for line in lines {
        let words = arguments(line).expect("arguments");
        let Ok(Command::Run(profile)) = read_command(&words, 1) else { panic!("{line}") };
        let mapping = map(&profile.spans[0], &drives, &|_| None).expect(line);
        assert_eq!(
            (mapping.run.targets[0].as_str(), mapping.run.workload.jobs),
            ("/mnt/d/testfile.dat", 4),
            "{line}"
        );
    }
}

/// Lines of the tool's own tests that the tool itself refuses, as their tests expect.
fn is_refused_by_the_tool(line: &str) -> bool {
    let wrong = [
        "-agg",
        "-ag,0",
        "-a1, ",
        "-ag1,0, ",
        "-ag1,0,g ",
        "-ax",
        "-ag0,300",
        "-ag70000",
        "-B5mx",
        "-B5m: ",
        "-B5m:j",
        "-B5m:1x",
        "-B5m:1mx",
        "-f5m -f6m",
        "-Sub",
        "-Sbu",
        "-Sru",
        "-Smu",
        "-Sx",
        "-g0",
        "-g ",
        "-gi",
        "-g100x",
        "-rdfoo",
        "BAD",
        "-rd ",
        "-F23 -g567x",
    ];
    wrong.iter().any(|part| line.contains(part))
}

#[test]
fn argument_vectors_of_the_tools_own_tests_are_judged_alike() {
    for (_, bytes) in files("diskspd_cmdlines").into_iter().filter(|(name, _)| name.ends_with(".txt")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut read = 0;
        for line in text.lines().filter(|line| line.starts_with("diskspd")) {
            let words: Vec<String> = line.split_whitespace().skip(1).map(str::to_owned).collect();
            let outcome = read_command(&words, 1);
            read += usize::from(outcome.is_ok());
            if is_refused_by_the_tool(line) {
                assert!(outcome.is_err(), "{line}");
            }
        }
        assert!(read > 60, "{read}");
    }
}

#[test]
fn published_profiles_are_read() {
    for (name, bytes) in files("diskspd_profile_xml") {
        let text = String::from_utf8(bytes).expect("text");
        let profile = profile_xml::read_profile(&text).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let again = profile_xml::read_profile(&profile_xml::print_profile(&profile)).expect(&name);
        assert_eq!(profile.spans.len(), again.spans.len(), "{name}");
    }
}
