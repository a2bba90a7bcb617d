//! Text of sar and mpstat: tables whose rows begin with a time of the day.

use super::statement::Statement;
use super::sysstat_columns;

/// Reads the tables of processors and disks. Rows of the mean over all are none of an interval.
///
/// # Errors
/// Where there is no such table.
pub fn read(text: &str) -> Result<Statement, String> {
    let mut statement = Statement::default();
    let mut header: Vec<&str> = Vec::new();
    let mut seen = false;
    for line in text.lines() {
        let words = unclocked(line);
        let Some(first) = words.first().copied() else {
            header.clear();
            continue;
        };
        let is_header =
            words.iter().skip(1).any(|word| word.starts_with('%') || word.ends_with("/s") || *word == "tps");
        if is_header {
            header = words;
            seen |= ["CPU", "DEV"].contains(&header[0]);
        } else if words.len() == header.len() {
            let cells: Vec<(&str, &str)> =
                header[1..].iter().copied().zip(words[1..].iter().copied()).collect();
            match header[0] {
                "CPU" => sysstat_columns::put_processor(
                    &mut statement,
                    if first == "all" { "" } else { first },
                    &cells,
                ),
                "DEV" => sysstat_columns::put_disk(&mut statement, first, &cells),
                _ => {}
            }
        }
    }
    if seen { Ok(statement) } else { Err("no table of processors or disks".to_owned()) }
}

/// The words behind the time of the day; none of a line without one.
fn unclocked(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |word: &&str| word.len() == 8 && word.matches(':').count() == 2;
    if !words.first().is_some_and(is_time) {
        return Vec::new();
    }
    words.remove(0);
    if words.first().is_some_and(|word| ["AM", "PM"].contains(word)) {
        words.remove(0);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_intervals_are_read_and_means_are_not() {
        let text = "Linux 6.1 (a) 01/02/24\n\n10:00:00 AM CPU %user %idle\n10:00:01 AM all 1.0 99.0\n\
            10:00:01 AM 0 2.0 98.0\n\n10:00:00 AM DEV tps rkB/s\n10:00:01 AM sda 5.0 1.0\n\nAverage: sda 5.0 1.0\n";
        let statement = read(text).unwrap();
        let track = |metric: &str, label: &str| {
            statement
                .tracks
                .iter()
                .find(|it| it.metric == metric && it.label == label)
                .map(|it| it.values.clone())
        };
        assert_eq!(track("disk.transfers", "sda"), Some(vec![5.0]));
        assert_eq!(track("disk.read_bytes", "sda"), Some(vec![1024.0]));
        assert_eq!(track("cpu.user", ""), Some(vec![0.01]));
        assert_eq!(track("cpu.user", "0"), Some(vec![0.02]));
        assert!(read("Average: CPU %user\n").is_err());
    }
}
