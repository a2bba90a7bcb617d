//! The tools whose telemetry is read, as a list: how each is known, read and held against itself.

use crate::foreign_series::{Contradiction, MachineTables, decimal, stamp};
use crate::result_import::{Importer, narrow};
use crate::sysstat::{iostat, mpstat, sadf, sar};
use crate::{Refusal, importers, perf_stat, vmstat};

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct Observer {
    /// Its name.
    pub name: &'static str,
    /// The importer of what it prints.
    pub importer: Importer,
    /// Whether the start of a text is one of its own.
    pub recognise: fn(&str) -> bool,
    /// Makes series of a whole text.
    pub observe: fn(&[u8]) -> Result<MachineTables, Refusal>,
    /// Holds the figures of a whole text against each other.
    pub audit: fn(&[u8]) -> Result<Vec<Contradiction>, Refusal>,
}

/// A tool by its module and its name, the name and the title of its importer, and its audit where that is not the
/// module's own.
macro_rules! observer {
    ($tool:ident, $name:ident, $importer:literal, $title:literal) => {
        observer!($tool, $name, $importer, $title, |bytes| Ok($tool::audit(&$tool::read(bytes)?)))
    };
    ($tool:ident, $name:ident, $importer:literal, $title:literal, $audit:expr) => {
        Observer {
            name: $tool::$name,
            importer: Importer {
                name: $importer,
                title: $title,
                sniff: |head| importers::sniff(head, $tool::$name),
                read: |input, _| importers::read(input, $tool::$name),
            },
            recognise: $tool::recognise,
            observe: $tool::observe,
            audit: $audit,
        }
    };
}

/// All of them; those that are told by more come first.
pub const OBSERVERS: &[Observer] = &[
    observer!(sadf, TOOL, "sadf", "sadf JSON"),
    observer!(iostat, TOOL, "iostat", "iostat text or JSON"),
    observer!(sar, TOOL, "sar", "sar text"),
    observer!(mpstat, TOOL, "mpstat", "mpstat text or JSON"),
    observer!(vmstat, TOOL, "vmstat", "vmstat text"),
    observer!(perf_stat, NAME, "perf-stat", "perf stat text, CSV or JSON", |_| Ok(Vec::new())),
];

/// Bytes at the start of a text that tell its tool: sar's processors and interrupts may be many.
const START_BYTES: usize = 32 * 1024;

/// The tool that a text in UTF-8 comes from; absent for none of them.
pub fn observer(bytes: &[u8]) -> Option<&'static Observer> {
    let named = |name: &str| OBSERVERS.iter().find(|observer| observer.name == name);
    if sar::is_binary(bytes) {
        return named(sar::TOOL);
    }
    if perf_stat::is_binary(bytes) {
        return named(perf_stat::NAME);
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START_BYTES)]);
    let start = start.trim_start_matches('\u{feff}');
    OBSERVERS.iter().find(|observer| (observer.recognise)(start))
}

/// Makes series of a text of any of the tools, in UTF-8 or UTF-16.
///
/// # Errors
/// When no tool is known by the text, with what it is instead where that can be told, and as the tool's
/// own reading.
pub fn observe(bytes: &[u8]) -> Result<MachineTables, Refusal> {
    let bytes = narrow(bytes);
    match observer(&bytes) {
        Some(observer) => (observer.observe)(&bytes),
        None => Err(stranger(&bytes)),
    }
}

/// Holds the figures of a text of any of the tools against each other; absent where no tool is known by it, or it
/// is refused.
pub fn audit(bytes: &[u8]) -> Option<Vec<Contradiction>> {
    let bytes = narrow(bytes);
    (observer(&bytes)?.audit)(&bytes).ok()
}

/// Whether a text that no tool is known by can be told what it is instead.
pub fn is_stranger(start: &str) -> bool {
    is_iotop(start) || is_pidstat(start) || is_bare(start) || is_sadf_table(start) || prefix(start).is_some()
}

/// Whether a text is what `sadf -d` prints: a line of columns for each report.
fn is_sadf_table(start: &str) -> bool {
    start.starts_with("# hostname;interval;timestamp")
}

/// What another program put before each line of a text that a tool is known by without it, and the command that
/// takes it away again.
fn prefix(start: &str) -> Option<(&'static str, String)> {
    let first = start.lines().next()?;
    if let Some((_, behind)) = stamp(first) {
        let blank = if behind.starts_with('\t') { "\t" } else { " " };
        let bare = without_prefix(start, |line| {
            stamp(line).map(|(_, rest)| rest.strip_prefix(blank).unwrap_or(rest))
        })?;
        let behind = behind.strip_prefix(blank).unwrap_or(behind);
        let width = first.len() - behind.len();
        let command = if blank == "\t" { "cut -f2-".to_owned() } else { format!("cut -b{}-", width + 1) };
        return is_known(&bare).then_some(("a time", command));
    }
    let (host, _) =
        first.split_once(": ").filter(|(host, _)| !host.is_empty() && !host.contains(char::is_whitespace))?;
    let bare = without_prefix(start, |line| {
        line.strip_prefix(host)?.strip_prefix(':').map(|rest| rest.strip_prefix(' ').unwrap_or(rest))
    })?;
    let plain = host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let command = if plain { format!("sed 's/^{host}: *//'") } else { "sed 's/^[^:]*: *//'".to_owned() };
    is_known(&bare).then_some(("a name", command))
}

/// A text without what each of its lines begins with; absent where one of them does not. The last may be cut off.
fn without_prefix(start: &str, cut: impl Fn(&str) -> Option<&str>) -> Option<String> {
    let whole = start.rfind('\n').map_or(start, |end| &start[..end]);
    let lines: Option<Vec<&str>> = whole.lines().filter(|line| !line.is_empty()).map(cut).collect();
    lines.map(|lines| lines.join("\n"))
}

fn is_known(text: &str) -> bool {
    OBSERVERS.iter().any(|observer| (observer.recognise)(text))
}

/// Whether a text is `pidstat`'s: its columns name processes.
fn is_pidstat(start: &str) -> bool {
    start.lines().take(64).any(|line| {
        let mut words = line.split_whitespace();
        let is_header = words.any(|word| word == "PID" || word == "TGID");
        is_header && line.trim_end().ends_with("Command")
    })
}

fn is_iotop(start: &str) -> bool {
    start.contains("DISK READ") && start.contains("DISK WRITE")
}

/// Whether there are numbers alone, one a line.
fn is_bare(start: &str) -> bool {
    let mut lines = start.lines().map(str::trim).filter(|line| !line.is_empty()).take(100);
    lines.clone().next().is_some() && lines.all(|line| decimal(line).is_some())
}

/// What a text is that no tool is known by.
pub fn stranger(bytes: &[u8]) -> Refusal {
    const EXPECTED: &str = "telemetry";
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START_BYTES)]);
    if is_iotop(&start) {
        return Refusal::new(EXPECTED, "iotop's list of processes, which has no figures of a device")
            .or("import `iostat -x 1` of the same time");
    }
    if is_pidstat(&start) {
        return Refusal::new(EXPECTED, "pidstat's list of processes, which has no figures of a device")
            .or("use `iostat -x 1` of the same time");
    }
    if is_bare(&start) {
        let cause = "a column of numbers alone: nothing says which column, device or interval it is of";
        return Refusal::new(EXPECTED, cause).or(
            "put the column's name on the first line, e.g. `tps` or `w_await`; addresses alone are not a trace, which has times, directions and sizes too",
        );
    }
    if is_sadf_table(&start) {
        return Refusal::new(EXPECTED, "a table of sadf -d, whose columns are those of one report alone")
            .or("let sadf print all of them: sadf -j FILE -- -A > FILE.json");
    }
    if let Some((what, command)) = prefix(&start) {
        let cause = format!("each line begins with {what} that another program put there");
        return Refusal::new(EXPECTED, cause).or(format!("take it away: {command} FILE > cut.txt"));
    }
    let names: Vec<&str> = OBSERVERS.iter().map(|observer| observer.name).collect();
    Refusal::new(EXPECTED, format!("it is not known as output of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VMSTAT: &str = include_str!("../tests/telemetry/own/vmstat-w.txt");

    fn refused(before: &str) -> String {
        let text: String = VMSTAT.lines().map(|line| format!("{before}{line}\n")).collect();
        assert!(is_stranger(&text), "{before}");
        stranger(text.as_bytes()).remedy
    }

    #[test]
    fn what_stands_before_each_line_is_named_with_the_command_that_takes_it_away() {
        assert!(observe(VMSTAT.as_bytes()).is_ok());
        assert_eq!(refused("object3: "), "take it away: sed 's/^object3: *//' FILE > cut.txt");
        assert_eq!(refused("a'b: "), "take it away: sed 's/^[^:]*: *//' FILE > cut.txt");
        assert_eq!(refused("2015-01-03 16:40:43.766337\t"), "take it away: cut -f2- FILE > cut.txt");
        assert_eq!(refused("2015-01-03 16:40:43 "), "take it away: cut -b21- FILE > cut.txt");
        assert!(!is_stranger("Dear diary: today\nDear diary: too\n"));
    }

    #[test]
    fn a_table_of_sadf_is_named() {
        let text = "# hostname;interval;timestamp;CPU;%user\nh;60;1430501965;-1;80.19\n";
        assert!(is_stranger(text));
        assert!(stranger(text.as_bytes()).remedy.contains("sadf -j"));
    }
}
