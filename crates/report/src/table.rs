//! A table as values, and its forms: Markdown, and aligned text that leaves columns out to fit a width.

use crate::escape;

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// Whether it holds numbers, which line up at the right.
    pub number: bool,
    /// The higher, the sooner it is left out where the table is too wide; 0 never is.
    pub rank: u8,
}

/// A column of words.
pub const fn words(name: &'static str, rank: u8) -> Column {
    Column { name, number: false, rank }
}

/// A column of numbers.
pub const fn numbers(name: &'static str, rank: u8) -> Column {
    Column { name, number: true, rank }
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

    /// Lines of aligned text, `width` characters at most; the first line is the heading. Columns of the
    /// highest rank are left out first and named; what is still too wide is cut.
    pub fn text(&self, width: usize) -> (Vec<String>, Vec<&'static str>) {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| escape::plain(cell)).collect()).collect();
        let widest = |at: usize| {
            let heading = self.columns[at].name.chars().count();
            cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).max(heading)
        };
        let total = |shown: &[usize]| {
            shown.iter().map(|&at| widest(at)).sum::<usize>() + GUTTER * shown.len().saturating_sub(1)
        };
        let mut left_out = Vec::new();
        while total(&shown) > width {
            let Some(position) = (0..shown.len())
                .filter(|&p| self.columns[shown[p]].rank > 0)
                .max_by_key(|&p| self.columns[shown[p]].rank)
            else {
                break;
            };
            left_out.push(self.columns[shown.remove(position)].name);
        }
        let mut widths: Vec<usize> = shown.iter().map(|&at| widest(at)).collect();
        shrink(&mut widths, width);
        let line = |cells: Vec<&str>| {
            let parts: Vec<String> = cells
                .iter()
                .zip(&shown)
                .zip(&widths)
                .map(|((cell, &at), &width)| pad(&clip(cell, width), width, self.columns[at].number))
                .collect();
            parts.join(&" ".repeat(GUTTER)).trim_end().to_owned()
        };
        let mut lines = vec![line(shown.iter().map(|&at| self.columns[at].name).collect())];
        lines.extend(cells.iter().map(|row| line(shown.iter().map(|&at| row[at].as_str()).collect())));
        (lines, left_out)
    }
}

const GUTTER: usize = 2;
/// A column is not made narrower than this while another is wider.
const NARROWEST: usize = 6;

/// Takes from the widest column until the line fits.
fn shrink(widths: &mut [usize], width: usize) {
    let gutters = GUTTER * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gutters > width {
        let Some(widest) = widths.iter_mut().max() else { return };
        if *widest <= NARROWEST {
            return;
        }
        *widest -= 1;
    }
}

/// The first `width` characters, the last of them a mark if any were lost.
pub fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
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
    fn pipes_do_not_break_a_markdown_table() {
        assert_eq!(table().markdown().lines().last(), Some(r"| a \| b | 12.3 k | 180 us | 3.1 us |"));
    }
}
