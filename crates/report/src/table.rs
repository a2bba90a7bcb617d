//! A table as values, and its forms: Markdown, and aligned text that leaves columns out to fit a width.

use crate::escape;
use crate::layout::plain;

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// Whether it holds numbers, which line up at the right.
    pub number: bool,
    /// The higher, the sooner it is left out where the table is too wide; those of 0 are the last.
    pub rank: u8,
    /// Whether its texts may be cut before any column is left out.
    pub may_cut: bool,
    /// Whether a cut takes their beginnings, and not their ends.
    pub keeps_end: bool,
}

/// A column of words.
pub const fn words(name: &'static str, rank: u8) -> Column {
    Column { name, number: false, rank, may_cut: false, keeps_end: false }
}

/// A column of texts that are still understood without their ends, as titles.
pub const fn titles(name: &'static str, rank: u8) -> Column {
    Column { name, number: false, rank, may_cut: true, keeps_end: false }
}

/// A column of paths, which differ at their ends.
pub const fn paths(name: &'static str, rank: u8) -> Column {
    Column { name, number: false, rank, may_cut: true, keeps_end: true }
}

/// A column of numbers.
pub const fn numbers(name: &'static str, rank: u8) -> Column {
    Column { name, number: true, rank, may_cut: false, keeps_end: false }
}

/// Rows under headings; every row has one cell a column.
#[derive(Clone, Debug)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// A heading or cell as a page shows it.
pub struct Cell<'a> {
    /// Its text.
    pub text: &'a str,
    /// Style class: `n` for numbers.
    pub class: &'static str,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let row: Vec<String> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "a row has one cell a column");
        self.rows.push(row);
    }

    /// Headings for a page.
    pub fn head(&self) -> Vec<Cell<'_>> {
        self.columns.iter().map(|c| Cell { text: c.name, class: if c.number { "n" } else { "" } }).collect()
    }

    /// Rows for a page.
    pub fn body(&self) -> Vec<Vec<Cell<'_>>> {
        let class = |at: usize| if self.columns[at].number { "n" } else { "" };
        self.rows
            .iter()
            .map(|row| row.iter().enumerate().map(|(at, text)| Cell { text, class: class(at) }).collect())
            .collect()
    }

    /// GitHub's form, with every cell escaped.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = line(self.columns.iter().map(|c| c.name.to_owned()).collect());
        out.push_str(&line(
            self.columns
                .iter()
                .map(|c| if c.number { "---:".to_owned() } else { "---".to_owned() })
                .collect(),
        ));
        for row in &self.rows {
            out.push_str(&line(row.iter().map(|cell| escape::markdown(cell)).collect()));
        }
        out
    }

    /// Lines of aligned text, `width` characters at most; the first line is the heading. Titles are cut first; then
    /// columns of the highest rank are left out and named; then words are cut. A number is never cut: without its unit
    /// it would be another one.
    pub fn text(&self, width: usize) -> (Vec<String>, Vec<&'static str>) {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
        let rooms: Vec<Room> = (0..self.columns.len()).map(|at| self.room(at, &cells)).collect();
        let (shown, left_out) = self.fitting(&rooms, width);
        let mut widths: Vec<usize> = shown.iter().map(|&at| rooms[at].widest).collect();
        let floors: [fn(&Room) -> usize; 3] = [|room| room.cut, |room| room.words, |room| room.least];
        for floor in floors {
            let least: Vec<usize> = shown.iter().map(|&at| floor(&rooms[at])).collect();
            shrink(&mut widths, &least, width);
        }
        let line = |cells: Vec<&str>| {
            let parts: Vec<String> = cells
                .iter()
                .zip(&shown)
                .zip(&widths)
                .map(|((cell, &at), &width)| {
                    let column = &self.columns[at];
                    let cut = if column.keeps_end { clip_front(cell, width) } else { clip(cell, width) };
                    pad(&cut, width, column.number)
                })
                .collect();
            parts.join(&" ".repeat(GUTTER)).trim_end().to_owned()
        };
        let mut lines = vec![line(shown.iter().map(|&at| self.columns[at].name).collect())];
        lines.extend(cells.iter().map(|row| line(shown.iter().map(|&at| row[at].as_str()).collect())));
        (lines, left_out.into_iter().map(|at| self.columns[at].name).collect())
    }

    /// How wide a column is, and how narrow it can be.
    fn room(&self, at: usize, cells: &[Vec<String>]) -> Room {
        let column = &self.columns[at];
        let heading = column.name.chars().count();
        let content = cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widest = content.max(heading);
        let least = if column.number { content } else { NARROWEST };
        Room {
            widest,
            cut: if column.may_cut { widest.min(heading.max(TITLE)) } else { widest },
            words: if column.number { content.max(1) } else { widest.min(WORDS) },
            least: widest.min(least.max(1)),
        }
    }

    /// The columns that are shown, and those that are left out, in the order in which they go.
    fn fitting(&self, rooms: &[Room], width: usize) -> (Vec<usize>, Vec<usize>) {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut left_out = Vec::new();
        let total = |shown: &[usize], least: fn(&Room) -> usize| {
            shown.iter().map(|&at| least(&rooms[at])).sum::<usize>() + GUTTER * shown.len().saturating_sub(1)
        };
        while total(&shown, |room| room.cut) > width {
            let ranked = (0..shown.len()).filter(|&p| self.columns[shown[p]].rank > 0);
            let Some(position) = ranked.max_by_key(|&p| self.columns[shown[p]].rank) else { break };
            left_out.push(shown.remove(position));
        }
        // The first number of a row is what the row is about.
        while total(&shown, |room| room.words) > width {
            let numbers = || (0..shown.len()).filter(|&p| self.columns[shown[p]].number);
            let Some(position) = numbers().next_back().filter(|_| numbers().count() > 1) else { break };
            left_out.push(shown.remove(position));
        }
        (shown, left_out)
    }
}

/// Widths of a column, in characters.
struct Room {
    /// Of its widest text or its heading.
    widest: usize,
    /// With titles cut.
    cut: usize,
    /// With words cut as well, and the headings of numbers.
    words: usize,
    /// At least.
    least: usize,
}

const GUTTER: usize = 2;
/// Titles and words are cut to these while a column could still be left out.
const TITLE: usize = 16;
const WORDS: usize = 12;
/// No column of words is narrower than this.
const NARROWEST: usize = 6;

/// Takes from the widest column that is above its least until the line fits.
fn shrink(widths: &mut [usize], least: &[usize], width: usize) {
    let gutters = GUTTER * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gutters > width {
        let above = (0..widths.len()).filter(|&at| widths[at] > least[at]);
        let Some(widest) = above.max_by_key(|&at| widths[at]) else { return };
        widths[widest] -= 1;
    }
}

/// The first `width` characters, the last of them a mark if any were lost. It never ends inside a number or between a
/// number and its unit.
pub fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    let next = text.chars().nth(width.saturating_sub(1));
    let mut words: Vec<&str> = kept.split(' ').collect();
    let begins_number = |word: &str| {
        // What a sign ends has no unit behind it.
        if word.ends_with([',', ';', ':', ')', '%']) {
            return false;
        }
        let digits = word.trim_start_matches(['+', '-', '−', '±', '×', '<', '>', '~', '(']);
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    // What stands whole before the cut, and is no number whose unit is lost.
    let inside = next.is_some_and(|c| c != ' ');
    if inside && words.last().is_some_and(|word| begins_number(word)) {
        words.pop();
    }
    let unit = inside.then(|| words.len().checked_sub(2)).flatten();
    if unit.is_some_and(|at| begins_number(words[at])) {
        words.pop();
    }
    while words.last().is_some_and(|word| begins_number(word)) {
        words.pop();
    }
    words.join(" ").trim_end().chars().chain(['…']).collect()
}

/// The last `width` characters, the first of them a mark if any were lost.
fn clip_front(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(length - width.saturating_sub(1))).collect()
}

/// Fills up with spaces at the left (for numbers) or the right.
pub fn pad(text: &str, width: usize, right: bool) -> String {
    if right { format!("{text:>width$}") } else { format!("{text:<width$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table =
            Table::new(&[words("pattern", 0), numbers("IOPS", 0), numbers("p99", 1), numbers("CPU", 2)]);
        table.row(["a | b".into(), "12.3 k".into(), "180 us".into(), "3.1 us".into()]);
        table
    }

    #[test]
    fn columns_leave_by_rank_until_the_line_fits() {
        let (lines, left_out) = table().text(40);
        assert_eq!(lines, ["pattern    IOPS     p99     CPU", "a | b    12.3 k  180 us  3.1 us"]);
        assert!(left_out.is_empty());
        let (lines, left_out) = table().text(24);
        assert_eq!(left_out, ["CPU"]);
        assert!(lines.iter().all(|line| line.chars().count() <= 24));
        assert_eq!(table().text(15).1, ["CPU", "p99"]);
    }

    #[test]
    fn a_title_is_cut_before_a_column_is_left_out() {
        let mut table =
            Table::new(&[words("run", 0), titles("workload", 1), numbers("IOPS", 0), numbers("p99", 3)]);
        let long = "4 KiB random 70 % read / 30 % write, zoned over three parts of the span";
        table.row(["r-1".into(), long.into(), "12.3 k".into(), "180 us".into()]);
        let (lines, left_out) = table.text(50);
        assert!(left_out.is_empty(), "{left_out:?}");
        assert_eq!(lines[1], "r-1  4 KiB random 70 % read /…      12.3 k  180 us");
        let mut table = Table::new(&[paths("target", 0), numbers("IOPS", 0)]);
        table.row(["/mnt/a/very/long/path/data.bin".into(), "12.3 k".into()]);
        assert_eq!(table.text(26).0[1], "…ong/path/data.bin  12.3 k");
    }

    #[test]
    fn no_number_is_printed_without_its_unit() {
        let row = ["4 KiB random read", "balanced", "12.3 k", "8.01 ms", "352 MB/s"];
        let mut table = Table::new(&[
            words("pattern", 0),
            words("point", 0),
            numbers("IOPS", 0),
            numbers("p99", 0),
            numbers("throughput", 0),
        ]);
        table.row(row.map(str::to_owned));
        for width in 20..=80 {
            let (lines, left_out) = table.text(width);
            assert!(lines[1].contains("12.3 k"), "{width}: {lines:?}");
            for (name, value, number) in [("p99", "8.01 ms", "8.01"), ("throughput", "352 MB/s", "352")] {
                assert_ne!(
                    lines[1].contains(value),
                    left_out.contains(&name),
                    "{width}: {lines:?} {left_out:?}"
                );
                assert_eq!(lines[1].contains(number), lines[1].contains(value), "{width}: {lines:?}");
            }
        }
    }

    #[test]
    fn a_text_is_not_cut_between_a_number_and_its_unit() {
        let text = "p99 of 8.01 ms at 12 jobs";
        let cut: Vec<String> = (6..=25).map(|width| clip(text, width)).collect();
        for short in &cut {
            assert!(!short.contains("8.01") || short.contains("8.01 ms"), "{short}");
            assert!(!short.contains("12") || short.contains("12 jobs"), "{short}");
        }
        assert_eq!(cut.last().map(String::as_str), Some(text));
        assert_eq!(clip("/dev/nvme0n1", 8), "/dev/nv…");
    }

    #[test]
    fn pipes_do_not_break_a_markdown_table() {
        assert_eq!(table().markdown().lines().last(), Some(r"| a \| b | 12.3 k | 180 us | 3.1 us |"));
    }
}
