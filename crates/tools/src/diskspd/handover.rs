//! A command line for diskspd itself, on a machine that nobody here can look at: what it touches.
//!
//! Every flag was read, and what is none is refused, before this; here remain the flags whose values name files.

use super::diskspd_command_line::Command;
use super::read_command;
use super::span_profile::{Content, Profile, Target};
use crate::{Refusal, ToolTarget};

const WHAT: &str = "command line for diskspd itself";

/// The targets of a command line, and whether each is written; a file that is made is written over one that is there.
///
/// # Errors
/// When it names a file that is no target, or a target that diskspd would take for a flag.
pub fn handed_over(words: &[String], profile: &Profile) -> Result<Vec<ToolTarget>, Refusal> {
    if let Ok(Command::Xml(run)) = read_command(words, 0) {
        let cause =
            "diskspd would read the profile of that name on its own machine, which may be another one";
        return Err(Refusal::new(WHAT, cause)
            .at(format!("-X{}", run.file))
            .or("write the profile as a command line, or leave --engine out"));
    }
    profile.spans.iter().flat_map(|span| &span.targets).map(of_target).collect()
}

fn of_target(target: &Target) -> Result<ToolTarget, Refusal> {
    if let Content::Buffer { file: Some(file), .. } = &target.content {
        let refusal = Refusal::new(WHAT, "it names a file that is not a target").at(format!("-Z...,{file}"));
        return Err(refusal.or("leave the file out: -Z1M"));
    }
    if is_a_flag_of_windows(&target.path) {
        let cause = "diskspd takes a word that begins with `/` for a flag";
        let refusal = Refusal::new(WHAT, cause).at(format!("target {}", target.path));
        return Err(refusal.or("name it with its drive, e.g. C:\\test.dat"));
    }
    Ok(ToolTarget {
        path: target.path.clone(),
        writes: target.write_percent > 0 || target.create_bytes.is_some(),
        reads: target.write_percent < 100,
        end_bytes: target.create_bytes,
        may_be_made: target.create_bytes.is_some(),
        is_removed: false,
    })
}

/// `/w100` is `-w100` to diskspd for Windows; a path of Linux has a folder before its name.
fn is_a_flag_of_windows(target: &str) -> bool {
    target.strip_prefix('/').is_some_and(|rest| !rest.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Vec<ToolTarget>, Refusal> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match read_command(&words, 0)? {
            Command::Run(profile) => handed_over(&words, &profile),
            Command::Xml(_) => handed_over(&words, &Profile::default()),
        }
    }

    #[test]
    fn what_is_written_is_told_of_each_target() {
        let written =
            |line: &str| read(line).expect(line).iter().map(|target| target.writes).collect::<Vec<_>>();
        assert_eq!(written("-b4K a.dat #1"), [false, false]);
        assert_eq!(written("-w10 a.dat /dev/sdb"), [true, true]);
        assert_eq!(written("-c1G a.dat"), [true], "it is made over one that is there");
    }

    #[test]
    fn what_names_another_file_is_refused() {
        for line in [
            "-Xprofile.xml",
            "-Xprofile.xml a.dat",
            "-w10 -Z1M,secret.bin a.dat",
            "-b4K /w100 a.dat",
            "/c1G a.dat",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
        for unknown in
            ["-ag -q a.dat", "-e a.dat", "-yf,event a.dat", "-:1 a.dat", "-L,out.csv a.dat", "-Wx a.dat"]
        {
            assert!(read(unknown).is_err(), "{unknown}");
        }
    }
}
