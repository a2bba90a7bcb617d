//! iostat's text: reports of processors and disks. The first one behind a banner is the mean since the machine
//! started, and no interval.

use super::statement::Statement;
use super::sysstat_columns;

/// Reads every interval.
///
/// # Errors
/// Where there is no report.
pub fn read(text: &str) -> Result<Statement, String> {
    let mut statement = Statement::default();
    let mut header: Vec<&str> = Vec::new();
    let (mut reports, mut has_disks, mut seen) = (0, true, false);
    for line in text.lines().map(unstamped) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        if first == "Linux" {
            (reports, has_disks) = (0, true);
            header.clear();
        } else if first == "avg-cpu:" || first.trim_end_matches(':') == "Device" {
            let is_disks = first != "avg-cpu:";
            if !is_disks || has_disks {
                reports += 1;
            }
            has_disks = is_disks;
            seen = true;
            header.clone_from(&words);
        } else if words.is_empty() {
            header.clear();
        } else if reports > 1 && header.first() == Some(&"avg-cpu:") && words.len() + 1 == header.len() {
            sysstat_columns::put_processor(&mut statement, "", &pairs(&header[1..], &words));
        } else if reports > 1 && words.len() == header.len() {
            sysstat_columns::put_disk(&mut statement, first, &pairs(&header[1..], &words[1..]));
        }
    }
    if seen { Ok(statement) } else { Err("no report".to_owned()) }
}

fn pairs<'a>(names: &[&'a str], cells: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    names.iter().copied().zip(cells.iter().copied()).collect()
}

/// The line without the moment that a script put before it: `2015-01-03 16:40:43.768718`, a tab, the line.
pub fn unstamped(line: &str) -> &str {
    match line.split_once('\t') {
        Some((stamp, rest)) if stamp.len() >= 19 && stamp.starts_with("20") && stamp[..19].contains(' ') => {
            rest
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_report_is_no_interval() {
        let report = |busy: &str| {
            format!("avg-cpu: %user %idle\n {busy} 90.0\n\nDevice: r/s %util\nsda {busy} 1.0\n\n")
        };
        let text = format!("Linux 6.1 (a)\n\n{}{}{}", report("1.0"), report("2.0"), report("3.0"));
        let statement = read(&text).unwrap();
        let track = statement.tracks.iter().find(|track| track.metric == "disk.reads").unwrap();
        assert_eq!((track.values.as_slice(), track.label.as_str()), ([2.0, 3.0].as_slice(), "sda"));
        let disks_alone = "Linux\n\nDevice r/s\nsda 1\n\nDevice r/s\nsda 2\n";
        assert_eq!(read(disks_alone).unwrap().tracks[0].values, [2.0]);
        assert!(read("text").is_err());
    }

    #[test]
    fn stamps_before_lines_are_cut() {
        assert_eq!(unstamped("2015-01-03 16:40:43.768718\tsda 1"), "sda 1");
        assert_eq!(unstamped("sda\t1"), "sda\t1");
    }
}
