//! What `fathom fio` answers about itself: fio's own questions, as scripts ask them before they begin.

use fathom_record::spelling::nearest;
use fathom_tools::fio::cmdline::Globals;
use fathom_tools::fio::handover::PROTOCOL;
use fathom_tools::fio::option_tables::{
    Class, EngineRow, OptionRow, all_engines, all_options, engine, option,
};

use crate::arguments::program;
use crate::failure::Failure;

/// The fio whose options are known and whose results are written; scripts read a number of theirs from it.
const FIO: &str = "fio-3.42";

/// The answer to a question that was asked, if one was.
///
/// # Errors
/// When it is about an option or an engine that there is not.
pub fn answer(globals: &Globals) -> Result<Option<String>, Failure> {
    let Some(question) = globals.question else { return Ok(None) };
    let about =
        globals.given.iter().find(|(name, _)| *name == question).and_then(|(_, value)| value.as_deref());
    let about = about.filter(|about| !about.is_empty() && *about != "all");
    Ok(Some(match (question, about) {
        ("version", _) => version() + "\n",
        ("enghelp", None) => engines(),
        ("enghelp", Some(name)) => of_engine(engine(name).ok_or_else(|| {
            unknown(question, name, "engine", nearest(name, all_engines().iter().map(|row| row.name)))
        })?),
        ("cmdhelp", None) => all_options().iter().map(line).collect(),
        ("cmdhelp", Some(name)) => {
            let names = || all_options().iter().map(|row| row.name);
            of_option(option(name).ok_or_else(|| unknown(question, name, "option", nearest(name, names())))?)
        }
        _ => help(),
    }))
}

/// Refuses what is a matter of fio's own protocol, before anything is read.
///
/// # Errors
/// Where it was asked for, with what to type instead.
pub fn refuse(globals: &Globals) -> Result<(), Failure> {
    let Some((name, _)) = globals.given.iter().find(|(name, _)| PROTOCOL.contains(name)) else {
        return Ok(());
    };
    let cause = "fathom does not speak fio's own protocol: other machines are reached by ssh";
    let remedy = "on another machine: ssh HOST fathom fio JOB.fio --output-format=json > HOST.json\n\
                  on several at once: fathom run --client ssh:HOST1 --client ssh:HOST2 --target FILE --rw randread\n\
                  with the installed fio: fathom run --engine fio@HOST --target FILE --rw randread\n\
                  fio's own client and server: run fio without fathom";
    Err(Failure::usage(format!("--{name}"), cause, remedy))
}

/// Begins as fio's does, whose git builds put more behind the number too.
pub fn version() -> String {
    format!("{FIO}-fathom-{}", env!("CARGO_PKG_VERSION"))
}

fn unknown(question: &str, name: &str, kind: &str, near: Vec<&str>) -> Failure {
    let remedy = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("all of them: fathom fio --{question}"),
    };
    let cause = format!("fio has no {kind} `{name}`");
    Failure { kind: "unknown_name", ..Failure::usage(format!("--{question}={name}"), cause, remedy) }
}

/// Engines as fio lists them: those that fathom carries out.
fn engines() -> String {
    let mut text = "Available IO engines:\n".to_owned();
    all_engines()
        .iter()
        .filter(|row| row.fathom.is_some())
        .for_each(|row| text += &format!("\t{}\n", row.name));
    text
}

fn of_engine(row: &EngineRow) -> String {
    let words = if row.words.is_empty() { String::new() } else { format!(": {}", row.words) };
    match row.fathom {
        Some(own) => format!("{}: engine {own} of fathom{words}\n", row.name),
        None => format!("{}: not carried out by fathom{words}; --engine=fio hands the job over\n", row.name),
    }
}

/// `name                 : what becomes of it`, as fio lines up names and help.
fn line(row: &OptionRow) -> String {
    format!("{:<28}: {}\n", row.name, fate(row))
}

fn of_option(row: &OptionRow) -> String {
    let mut text = line(row);
    if !row.aliases.is_empty() {
        text += &format!("{:>28}: {}\n", "alias", row.aliases.join(", "));
    }
    if !row.neutral.is_empty() {
        text += &format!("{:>28}: {}\n", "changes nothing with", row.neutral.join(", "));
    }
    text
}

fn fate(row: &OptionRow) -> String {
    let fate = match row.class {
        Class::Implement => "as in fio",
        Class::Map => "done in another way",
        Class::Accept => "accepted: nothing depends on it here",
        Class::Warn => "left out",
        Class::HandOver => "not done by fathom; --engine=fio hands the job over",
    };
    if row.words.is_empty() { fate.to_owned() } else { format!("{fate}: {}", row.words) }
}

fn help() -> String {
    let mut program = program();
    program.build();
    let command = program.find_subcommand_mut("fio").expect("the command is there");
    command.render_long_help().to_string()
}

#[cfg(test)]
mod tests {
    use fathom_tools::fio::cmdline;

    use super::*;

    fn answered(words: &[&str]) -> Result<Option<String>, Failure> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        answer(&cmdline::parse(&words).expect("a command line").globals)
    }

    #[test]
    fn the_version_reads_as_fios_and_says_whose_it_is() {
        let version = answered(&["--version"]).expect("an answer").expect("one");
        let numbers =
            version.trim().strip_prefix("fio-").expect("fio's prefix").split('-').next().expect("a number");
        let (major, minor) = numbers.split_once('.').expect("two numbers");
        assert_eq!((major, minor.parse::<u32>().is_ok()), ("3", true));
        assert!(version.contains("fathom"));
        assert_eq!(answered(&["-v"]).expect("an answer").as_deref(), Some(version.as_str()));
    }

    #[test]
    fn options_and_engines_are_listed_and_explained() {
        let engines = answered(&["--enghelp"]).expect("an answer").expect("one");
        assert!(engines.contains("\tlibaio\n") && !engines.contains("rbd"));
        assert!(answered(&["--enghelp=rbd"]).expect("one").expect("one").contains("--engine=fio"));
        assert!(answered(&["--cmdhelp=rw"]).expect("one").expect("one").starts_with("rw "));
        let all = answered(&["--cmdhelp=all"]).expect("an answer").expect("one");
        assert_eq!(all.lines().count(), all_options().len());
        assert!(answered(&["--cmdhelp=iodpeth"]).expect_err("none").remedy.contains("iodepth"));
        assert_eq!(answered(&["--name=a"]).expect("no question"), None);
    }

    #[test]
    fn fios_protocol_is_refused_with_another_way() {
        let words = ["--client=db1", "job.fio"].map(str::to_owned);
        let globals = cmdline::parse(&words).expect("a command line").globals;
        assert!(refuse(&globals).expect_err("refused").remedy.contains("ssh HOST"));
    }
}
