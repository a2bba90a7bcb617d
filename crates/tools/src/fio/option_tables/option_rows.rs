//! Reads the tables beside this file, which are part of the program.

use std::collections::HashMap;
use std::sync::LazyLock;

use fathom_record::engine_list::{self, EngineEntry, InFlight};
use fathom_record::facts::TargetKind;

use super::option_class::{ArgumentKind, Class};

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionRow {
    /// Its first name.
    pub name: &'static str,
    /// Its other names.
    pub aliases: Vec<&'static str>,
    /// Engines that it belongs to; none for an option of every job.
    pub engines: Vec<&'static str>,
    /// What its value is.
    pub takes: ArgumentKind,
    /// What becomes of it.
    pub class: Class,
    /// Values with which it changes nothing.
    pub neutral: Vec<&'static str>,
    /// How it is mapped, what changes without it, or why fathom cannot do it.
    pub words: &'static str,
}

/// One of fio's engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineRow {
    /// Its name.
    pub name: &'static str,
    /// The engine of fathom that takes its place; none where the job goes to fio.
    pub fathom: Option<&'static str>,
    /// What fio's own touches; none where that is more than a job names, so that it is not handed over.
    pub touches: Option<TouchedTargets>,
    /// Whether fio's own does one I/O at a time; said where no engine of fathom says it.
    alone: bool,
    /// Whether it burns processor time and does no I/O.
    pub burns_time: bool,
    /// Whether it names its target to one of several drivers.
    pub has_drivers: bool,
    /// What differs, or why it goes to fio; may be empty.
    pub words: &'static str,
}

/// What an engine touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchedTargets {
    /// The files and block devices that the job names.
    Files,
    /// Nothing.
    Nothing,
}

impl EngineRow {
    /// The entry of fathom's engine for it; none where there is no such engine.
    pub fn entry(&self) -> Option<&'static EngineEntry> {
        self.fathom.and_then(engine_list::named)
    }

    /// Whether it has one I/O in flight whatever depth is asked for, in fio too.
    pub fn does_one_at_a_time(&self) -> bool {
        // Nothing is in flight of what goes nowhere, and fio queues it as deep as it is asked to.
        let of_entry =
            |entry: &EngineEntry| entry.in_flight != InFlight::Depth && !entry.carries(TargetKind::Null);
        self.entry().map_or(self.alone, of_entry)
    }
}

static OPTIONS: LazyLock<Vec<OptionRow>> = LazyLock::new(|| {
    let core = rows(include_str!("core.txt")).map(|cells| option_row(&cells, false));
    let own = rows(include_str!("engine_options.txt")).map(|cells| option_row(&cells, true));
    core.chain(own).collect()
});

static BY_NAME: LazyLock<HashMap<&'static str, &'static OptionRow>> = LazyLock::new(|| {
    let names = |row: &'static OptionRow| {
        std::iter::once(&row.name).chain(&row.aliases).map(move |name| (*name, row))
    };
    OPTIONS.iter().flat_map(names).collect()
});

static ENGINES: LazyLock<Vec<EngineRow>> =
    LazyLock::new(|| rows(include_str!("engines.txt")).map(|cells| engine_row(&cells)).collect());

/// Every option, in the order of the tables.
pub fn all_options() -> &'static [OptionRow] {
    &OPTIONS
}

/// Every engine, in the order of the table.
pub fn all_engines() -> &'static [EngineRow] {
    &ENGINES
}

/// The option of a name or an alias.
pub fn option(name: &str) -> Option<&'static OptionRow> {
    BY_NAME.get(name).copied()
}

/// The engine of a name; what follows a colon names a file to load and does not count.
pub fn engine(name: &str) -> Option<&'static EngineRow> {
    let name = name.split(':').next().unwrap_or(name);
    ENGINES.iter().find(|row| row.name == name)
}

/// The name of an option that is a slip away from `name`.
pub fn nearest(name: &str) -> Option<&'static str> {
    let names = OPTIONS.iter().flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()));
    fathom_record::spelling::nearest(name, names).first().copied()
}

fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('|').map(str::trim).collect())
}

fn option_row(cells: &[&'static str], of_engines: bool) -> OptionRow {
    let words = |at: usize| cells.get(at).copied().unwrap_or_default();
    let at = usize::from(of_engines);
    let mut names = words(0).split(' ');
    let class = Class::of_word(words(at + 2)).expect("the tables name classes that exist");
    let engines: Vec<_> = if of_engines { words(1).split(' ').collect() } else { Vec::new() };
    let why = match words(at + 4) {
        "" if class == Class::HandOver => "it belongs to an engine that fathom leaves to fio",
        words => words,
    };
    OptionRow {
        name: names.next().unwrap_or_default(),
        aliases: names.collect(),
        engines,
        takes: ArgumentKind::of_word(words(at + 1)).expect("the tables name kinds of value that exist"),
        class,
        neutral: words(at + 3).split_whitespace().collect(),
        words: why,
    }
}

fn engine_row(cells: &[&'static str]) -> EngineRow {
    let words = |at: usize| cells.get(at).copied().unwrap_or_default();
    let fathom = Some(words(1)).filter(|name| *name != "-");
    let facts: Vec<&str> = words(2).split_whitespace().collect();
    let touches = [("files", TouchedTargets::Files), ("nothing", TouchedTargets::Nothing)];
    let touches = touches.into_iter().find(|(word, _)| facts.contains(word)).map(|(_, touches)| touches);
    EngineRow {
        name: words(0),
        fathom,
        touches,
        alone: facts.contains(&"one"),
        burns_time: facts.contains(&"cpu"),
        has_drivers: facts.contains(&"drivers"),
        words: words(3),
    }
}
