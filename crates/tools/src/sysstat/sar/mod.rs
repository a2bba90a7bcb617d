//! `sar` of sysstat: text of all activities. Its binary files are refused with how to convert them.

mod sar_columns;
mod sar_contradictions;

pub use sar_columns::column;
pub use sar_contradictions::audit;
pub(crate) use sar_contradictions::device_row;

use crate::Refusal;
use crate::foreign_series::{
    Grammar, MachineTables, Sheet, assemble, plain_text, read_stamped, without_colours,
};

/// The tool's name.
pub const TOOL: &str = "sar";

/// `sysstat_magic` at the start of `sa` files, in either order of bytes.
const MAGIC: [[u8; 2]; 2] = [[0x96, 0xd5], [0xd5, 0x96]];

const GRAMMAR: Grammar = Grammar {
    keys: &[
        "CPU",
        "DEV",
        "IFACE",
        "INTR",
        "TTY",
        "FILESYSTEM",
        "FCHOST",
        "TEMP",
        "FAN",
        "IN",
        "BUS",
        "BAT",
        "DEVICE",
    ],
    same_time_is_since_boot: false,
    remarks: &["LINUX RESTART", "COM "],
};

/// Whether bytes are one of sar's binary files.
pub fn is_binary(start: &[u8]) -> bool {
    MAGIC.iter().any(|magic| start.starts_with(magic))
}

/// Whether a text looks like sar's: headers behind times, in sar's order of columns.
pub fn recognise(start: &str) -> bool {
    let start = without_colours(start);
    let mut lines = start.lines().filter(|line| crate::foreign_series::stamp(line).is_some());
    lines.any(|line| {
        let Some((_, rest)) = crate::foreign_series::stamp(line) else { return false };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let cpu = words.first() == Some(&"CPU") && matches!(words.last(), Some(&"%idle"));
        // mpstat has the time of interrupts before that of the hypervisor, sar behind it.
        let place = |name: &str| words.iter().position(|word| *word == name);
        let own = matches!((place("%steal"), place("%irq")), (Some(steal), Some(irq)) if steal < irq)
            || place("%user").is_some() && place("%irq").is_none();
        let other = words.iter().any(|word| OWN.contains(word));
        cpu && own || other || rest.trim_start().starts_with("LINUX RESTART")
    })
}

/// Columns that only sar has behind a time.
const OWN: &[&str] = &[
    "DEV",
    "IFACE",
    "kbmemfree",
    "runq-sz",
    "rtps",
    "pgpgin/s",
    "cswch/s",
    "pswpin/s",
    "kbswpfree",
    "totsck",
    "kbhugfree",
    "FILESYSTEM",
    "dentunusd",
    "INTR",
];

/// Reads a text into the tool's own words.
///
/// # Errors
/// When it is one of sar's binary files, or has no table.
pub fn read(bytes: &[u8]) -> Result<Sheet, Refusal> {
    if is_binary(bytes) {
        return Err(Refusal::new(TOOL, "a binary file of sar, whose layout follows its version and machine")
            .or("convert it with the sysstat that wrote it: sadf -j FILE -- -A > FILE.json"));
    }
    let text = plain_text(bytes, TOOL)?;
    let sheet = read_stamped(&without_colours(&text), GRAMMAR);
    if sheet.columns.is_empty() {
        return Err(Refusal::new(TOOL, "no line names columns behind a time"));
    }
    Ok(sheet)
}

/// Makes series of a text.
///
/// # Errors
/// As [`read`], and when there is no number under a known column.
pub fn observe(bytes: &[u8]) -> Result<MachineTables, Refusal> {
    let sheet = read(bytes)?;
    assemble(TOOL, sar_columns::era(&sheet), &sheet, bytes.len(), column)
}
