//! fio's logs of bandwidth, IOPS and latency: `time, value, direction, size, ...`.

use super::printed_values;
use super::statement::Statement;

/// Reads the log; the file's name says what it holds.
///
/// # Errors
/// A name that does not say it.
pub fn read(text: &str, name: &str) -> Result<Statement, String> {
    let kinds = [
        ("_bw.", "fio.bandwidth", 1024.0),
        ("_iops.", "fio.iops", 1.0),
        ("_clat.", "fio.clat", 1.0),
        ("_slat.", "fio.slat", 1.0),
        ("_lat.", "fio.lat", 1.0),
    ];
    let kind = kinds.into_iter().find(|(word, ..)| name.contains(word));
    let (_, metric, unit) = kind.ok_or_else(|| format!("{name} does not say what it logs"))?;
    let mut statement = Statement::default();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let label = match cells.get(2) {
            Some(&"0") => "read",
            Some(&"1") => "write",
            Some(&"2") => "trim",
            _ => continue,
        };
        if let Some(value) = printed_values::plain(cells[1]) {
            statement.put(metric, label, value.times(unit));
        }
    }
    Ok(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_a_track_for_each_direction() {
        let statement = read("1000, 5, 0, 0\n1000, 6, 1, 0\n2000, 7, 0, 0\n", "a_bw.1.log").unwrap();
        assert_eq!(statement.tracks[0].values, [5.0 * 1024.0, 7.0 * 1024.0]);
        assert_eq!((statement.tracks[1].label.as_str(), statement.tracks.len()), ("write", 2));
        assert!(read("", "a.log").is_err());
    }
}
