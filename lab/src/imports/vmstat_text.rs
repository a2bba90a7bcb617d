//! vmstat's text. Its first row is the mean since the machine started, and no interval.

use super::iostat_text::unstamped;
use super::printed_values;
use super::statement::Statement;

const COLUMNS: [(&str, &str, f64); 14] = [
    ("r", "load.run_queue", 1.0),
    ("b", "load.blocked", 1.0),
    ("swpd", "memory.swap_used", 1024.0),
    ("free", "memory.free", 1024.0),
    ("buff", "memory.buffers", 1024.0),
    ("cache", "memory.cached", 1024.0),
    ("bi", "paging.in_bytes", 1024.0),
    ("bo", "paging.out_bytes", 1024.0),
    ("cs", "load.context_switches", 1.0),
    ("us", "cpu.user", 0.01),
    ("sy", "cpu.kernel", 0.01),
    ("id", "cpu.idle", 0.01),
    ("wa", "cpu.iowait", 0.01),
    ("st", "cpu.steal", 0.01),
];

/// Reads every interval.
///
/// # Errors
/// Where there is no header.
pub fn read(text: &str) -> Result<Statement, String> {
    let mut statement = Statement::default();
    let mut header: Vec<&str> = Vec::new();
    let mut rows = 0;
    for line in text.lines().map(unstamped) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.starts_with(&["r", "b", "swpd"]) {
            header = words;
        } else if words.len() >= header.len()
            && !header.is_empty()
            && printed_values::plain(words[0]).is_some()
        {
            rows += 1;
            let cells = header.iter().zip(&words).filter(|_| rows > 1);
            for (name, cell) in cells {
                let known = COLUMNS.iter().find(|(column, ..)| column == name);
                if let (Some((_, metric, factor)), Some(printed)) = (known, printed_values::plain(cell)) {
                    statement.put(metric, "", printed.times(*factor));
                }
            }
        }
    }
    if header.is_empty() { Err("no header".to_owned()) } else { Ok(statement) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_behind_the_first_are_intervals() {
        let text = "procs --memory--\n r b swpd free\n 1 0 0 4\n 2 0 0 5\n r b swpd free\n 3 0 0 6\n";
        let statement = read(text).unwrap();
        assert_eq!(statement.tracks[0].values, [2.0, 3.0]);
        assert_eq!(statement.tracks[3].values, [5120.0, 6144.0]);
        assert!(read("text").is_err());
    }
}
