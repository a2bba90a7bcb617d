//! Results from diskspd's text, of every version: lines with names, and tables whose columns vary.

use super::read_input::Input;
use super::results::{
    Counts, CpuUse, PERCENTILES, Percentile, Results, SectionValues, SpanResult, TargetPercentiles, ThreadRow,
};
use super::size_notation::read_printed_size;
use super::span_profile::Profile;
use super::{Command, read_command};
use crate::{Fault, Refusal};

/// What a text is taken for.
pub const WHAT: &str = "diskspd text result";

/// Reads all executions in a text.
///
/// # Errors
/// Where its numbers stop making sense, or that it has none.
pub fn read(text: &str) -> Result<Vec<Results>, Refusal> {
    let mut reader = Reader::default();
    let last = text.lines().filter(|line| !line.trim().is_empty()).count();
    let mut seen = 0;
    for (at, line) in text.lines().enumerate() {
        seen += usize::from(!line.trim().is_empty());
        let is_end = seen == last && !text.ends_with('\n');
        reader.line(line, is_end || seen == last).map_err(|fault| {
            fault.of(WHAT).at(format!("line {}", at + 1)).or("give the text as diskspd printed it")
        })?;
    }
    reader.finish()
}

/// What the lines that follow belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Nothing in particular.
    #[default]
    Outside,
    /// What was asked for.
    Input,
    /// Use of processors.
    Processors,
    /// A table of I/O: 0 all, 1 reads, 2 writes.
    Section(usize),
    /// Latencies of all targets.
    Latencies,
    /// Latencies of one target of several, whose table is the last.
    OtherLatencies,
    /// The sum of several time spans.
    AllSpans,
}

/// A column of a table of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Thread,
    Bytes,
    Operations,
    MibPerS,
    PerS,
    Mean,
    IopsDeviation,
    LatencyDeviation,
    File,
}

#[derive(Debug, Default)]
struct Reader {
    done: Vec<Results>,
    results: Results,
    input: Input,
    place: Place,
    columns: Vec<Column>,
    /// Rows of the table of I/O that is being read.
    rows: Vec<(u64, String, Option<u64>, Counts)>,
    /// Whether a table of I/O ended in the middle of a row.
    cut: bool,
    /// The last line that was not empty: what stands over a table of latencies.
    before: String,
    /// Whether the span had a table of latencies of all targets.
    had_latencies: bool,
}

impl Reader {
    fn line(&mut self, line: &str, is_last: bool) -> Result<(), Fault> {
        let text = line.trim();
        if let Some(command) = text.strip_prefix("Command Line:") {
            self.close_results()?;
            self.results.command_line = command.trim().to_owned();
            return Ok(());
        }
        let is_heading = self.heading(text)?;
        if !text.is_empty() {
            text.clone_into(&mut self.before);
        }
        if is_heading {
            return Ok(());
        }
        match self.place {
            Place::Input => self.input.line(text),
            Place::Processors => self.processor(text, is_last),
            Place::Section(_) => self.row(text, is_last)?,
            Place::Latencies | Place::OtherLatencies => self.percentile(text, is_last)?,
            Place::Outside | Place::AllSpans => self.fact(text),
        }
        Ok(())
    }

    /// Lines that begin something else; whether this is one.
    fn heading(&mut self, text: &str) -> Result<bool, Fault> {
        let sections = ["Total IO", "Read IO", "Write IO"];
        if let Some(at) = sections.iter().position(|title| text.trim_matches(['#', '*', ' ']) == *title) {
            self.close_section()?;
            self.place = Place::Section(at);
            return Ok(true);
        }
        let bare = text.trim_start_matches('|').trim_start();
        if bare.starts_with("thread |") || bare.starts_with("thread|") {
            return self.header(text).map(|()| true);
        }
        if text.starts_with("Input parameters:") {
            self.place = Place::Input;
        } else if text.starts_with("System information:") {
            self.place = Place::Outside;
        } else if text.starts_with("Results for timespan") {
            self.close_span()?;
            self.results.spans.push(SpanResult::default());
            self.place = Place::Outside;
        } else if text.starts_with("Totals:") {
            self.close_section()?;
            self.place = Place::AllSpans;
        } else if text.contains("CPU |") && text.contains("Usage |") {
            self.place = Place::Processors;
        } else if text.starts_with("%-ile |") {
            self.close_section()?;
            self.open_latencies()?;
        } else if text.starts_with("Latency distribution:") || text.starts_with("Total latency distribution:")
        {
            self.close_section()?;
            self.place = Place::Outside;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Begins a table of latencies: of the target whose name stands over it, or of all. diskspd 2.0 writes a bare
    /// path or `total:` there, later versions `Latency distribution: PATH` or `Total latency distribution:`.
    fn open_latencies(&mut self) -> Result<(), Fault> {
        let before = std::mem::take(&mut self.before);
        let path = match before.strip_prefix("Latency distribution:").map(str::trim) {
            Some(path) => Some(path).filter(|path| !path.is_empty()),
            None => Some(before.as_str()).filter(|path| self.span().rows.iter().any(|row| row.path == *path)),
        };
        let is_known = match path {
            Some(path) => self.span().of_targets.iter().any(|known| known.path == path),
            None => std::mem::replace(&mut self.had_latencies, true),
        };
        if is_known {
            let heading = path.map_or_else(|| "all targets".to_owned(), |path| format!("`{path}`"));
            return Err(format!(
                "a second table of latencies of {heading} in one result | import each result by itself"
            )
            .into());
        }
        self.place = match path {
            Some(path) => {
                let table = TargetPercentiles { path: path.to_owned(), percentiles: Vec::new() };
                self.span().of_targets.push(table);
                Place::OtherLatencies
            }
            None => Place::Latencies,
        };
        Ok(())
    }

    fn span(&mut self) -> &mut SpanResult {
        if self.results.spans.is_empty() {
            self.results.spans.push(SpanResult::default());
        }
        let last = self.results.spans.len() - 1;
        &mut self.results.spans[last]
    }

    /// A line with a name and a value.
    fn fact(&mut self, text: &str) {
        let Some((name, value)) = text.split_once(':') else { return };
        let value = value.trim();
        let number = || value.trim_end_matches('s').parse::<f64>().ok().filter(|number| *number >= 0.0);
        match name.trim() {
            "actual test time" => self.span().seconds = number(),
            "thread count" => self.span().threads = value.parse().ok(),
            "proc count" => self.span().processors = value.parse().ok(),
            "cpu count" => self.results.processors = value.parse().ok(),
            "computer name" if !value.is_empty() => self.results.computer = Some(value.to_owned()),
            "start time" if !value.is_empty() => self.results.started = Some(value.to_owned()),
            _ => {}
        }
    }

    fn processor(&mut self, text: &str, is_last: bool) {
        if text.is_empty() {
            self.place = Place::Outside;
            return;
        }
        if !text.contains('|') {
            return;
        }
        let cells: Vec<&str> = text.split('|').map(str::trim).collect();
        let percents: Option<Vec<f64>> = (cells.len() > 4)
            .then(|| {
                cells[cells.len() - 4..].iter().map(|cell| cell.strip_suffix('%')?.parse().ok()).collect()
            })
            .flatten();
        let Some([usage, user, kernel, idle]) = percents.as_deref() else {
            if is_last {
                self.span().cut = true;
            }
            return;
        };
        let mean = cells.iter().any(|cell| cell.starts_with("avg"));
        let name = if mean { String::new() } else { cells[..cells.len() - 4].join("/") };
        let row = CpuUse { name, usage: *usage, user: *user, kernel: *kernel, idle: *idle };
        if mean {
            self.span().cpu_mean = Some(row);
        } else {
            self.span().cpus.push(row);
        }
    }

    /// The names of a table's columns.
    fn header(&mut self, text: &str) -> Result<(), Fault> {
        if text.starts_with('|') {
            self.quirk(
                "retyped_table",
                "tables were re-typed as Markdown; their cells were read as they stand",
            );
        }
        let names = text.trim_matches('|').split('|').map(str::trim).filter(|name| !name.is_empty());
        let mut columns = Vec::new();
        for name in names {
            columns.push(match name {
                "thread" => Column::Thread,
                "bytes" => Column::Bytes,
                "I/Os" => Column::Operations,
                "MiB/s" => Column::MibPerS,
                "MB/s" => {
                    self.quirk("mb_is_mib", "old versions head the throughput MB/s and print MiB/s");
                    Column::MibPerS
                }
                "I/O per s" => Column::PerS,
                "AvgLat" => Column::Mean,
                "IopsStdDev" => Column::IopsDeviation,
                "LatStdDev" => Column::LatencyDeviation,
                "file" => Column::File,
                other => return Err(format!("`{other}` is not a column that diskspd prints").into()),
            });
        }
        if !columns.starts_with(&[Column::Thread, Column::Bytes, Column::Operations]) {
            return Err("the columns do not begin with thread, bytes and I/Os".into());
        }
        self.columns = columns;
        Ok(())
    }

    fn quirk(&mut self, name: &'static str, what: &str) {
        if !self.results.quirks.iter().any(|(known, _)| *known == name) {
            self.results.quirks.push((name, what.to_owned()));
        }
    }

    /// A row of a table of I/O.
    fn row(&mut self, text: &str, is_last: bool) -> Result<(), Fault> {
        let is_rule = text.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '));
        if self.columns.is_empty() || is_rule || text == "`" || text.starts_with("```") {
            return Ok(());
        }
        let total = text.strip_prefix("total:");
        if total.is_some_and(|rest| rest.trim().is_empty()) || (total.is_none() && !text.contains('|')) {
            // `total:` alone heads the latencies of version 2.0.18.
            self.close_section()?;
            self.place = Place::Outside;
            return Ok(());
        }
        let mut cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
        if let (Some(_), Some(first)) = (total, cells.first_mut()) {
            *first = first.trim_start_matches("total:").trim();
            cells.insert(0, "total");
        }
        // A path may hold a bar; it is the last column.
        let needed = self.columns.iter().filter(|column| **column != Column::File).count();
        let has_file = self.columns.contains(&Column::File) && total.is_none();
        if cells.len() < needed + usize::from(has_file) || (has_file && is_last && cells.last() == Some(&""))
        {
            if is_last {
                self.cut = true;
                return Ok(());
            }
            return Err(format!(
                "the row has {} cells, and the table's head {}",
                cells.len(),
                self.columns.len()
            )
            .into());
        }
        let counts = self.counts(&cells)?;
        if total.is_some() {
            let at = self.section();
            let rows = std::mem::take(&mut self.rows);
            return self.store(at, rows, Some(counts));
        }
        let thread = whole(cells[0])?;
        let file = if has_file { cells[needed..].join("|") } else { String::new() };
        let (path, bytes) = path_and_size(&file);
        self.rows.push((thread, path, bytes, counts));
        Ok(())
    }

    fn section(&self) -> usize {
        match self.place {
            Place::Section(at) => at,
            _ => 0,
        }
    }

    fn counts(&self, cells: &[&str]) -> Result<Counts, Fault> {
        let mut counts = Counts::default();
        for (column, cell) in self.columns.iter().zip(cells) {
            match column {
                Column::Thread | Column::File => {}
                Column::Bytes => counts.bytes = whole(cell)?,
                Column::Operations => counts.operations = whole(cell)?,
                Column::MibPerS => counts.mib_per_s = decimal(cell)?,
                Column::PerS => counts.per_s = decimal(cell)?,
                Column::Mean => counts.mean_ms = decimal(cell)?,
                Column::IopsDeviation => counts.iops_deviation = decimal(cell)?,
                Column::LatencyDeviation => counts.deviation_ms = decimal(cell)?,
            }
        }
        Ok(counts)
    }

    /// Takes the table that ends here.
    fn close_section(&mut self) -> Result<(), Fault> {
        let Place::Section(at) = self.place else { return Ok(()) };
        let rows = std::mem::take(&mut self.rows);
        self.place = Place::Outside;
        if rows.is_empty() { Ok(()) } else { self.store(at, rows, None) }
    }

    /// Puts a table's rows and its total into the span.
    fn store(
        &mut self,
        at: usize,
        rows: Vec<(u64, String, Option<u64>, Counts)>,
        stated: Option<Counts>,
    ) -> Result<(), Fault> {
        let cut = self.cut;
        let threads = self.span().threads;
        let sum = rows.iter().try_fold((0u64, 0u64), |sum, row| {
            Some((sum.0.checked_add(row.3.bytes)?, sum.1.checked_add(row.3.operations)?))
        });
        let (bytes, operations) = sum.ok_or("the rows of a table add up to more than any count")?;
        let total = match stated {
            Some(stated) if rows.is_empty() || (stated.bytes, stated.operations) == (bytes, operations) => {
                stated
            }
            Some(stated) => {
                return Err(format!(
                    "the rows add up to {bytes} bytes and {operations} I/Os, and the total says {} and {}",
                    stated.bytes, stated.operations
                )
                .into());
            }
            None if cut || threads.is_some_and(|threads| (rows.len() as u64) < threads) => {
                return Err(format!(
                    "the table ends after {} rows and has no total, so that its numbers are not those of the run",
                    rows.len()
                ).into());
            }
            None if rows.len() == 1 => rows[0].3,
            None => {
                Counts { bytes, operations, per_s: sum_of(&rows, |counts| counts.per_s), ..Counts::default() }
            }
        };
        let span = self.span();
        *section_of(&mut span.totals, at) = Some(total);
        for (place, (thread, path, file_bytes, counts)) in rows.into_iter().enumerate() {
            if span.rows.len() <= place {
                span.rows.push(ThreadRow { thread, path, file_bytes, counts: SectionValues::default() });
            }
            *section_of(&mut span.rows[place].counts, at) = Some(counts);
        }
        Ok(())
    }

    fn percentile(&mut self, text: &str, is_last: bool) -> Result<(), Fault> {
        if !text.contains('|') {
            if text.is_empty() {
                self.place = Place::Outside;
            }
            return Ok(());
        }
        let cells: Vec<&str> = text.split('|').map(str::trim).collect();
        let Some((order, _)) = PERCENTILES.iter().find(|(_, name)| Some(name) == cells.first()) else {
            return Err(format!("`{}` is not a percentile that diskspd prints", cells[0]).into());
        };
        let &[_, read, write, total] = cells.as_slice() else {
            return if is_last { Ok(()) } else { Err("a row of latencies has not 4 cells".into()) };
        };
        let ms = SectionValues { total: decimal(total)?, read: decimal(read)?, write: decimal(write)? };
        let percentile = Percentile { order: *order, ms };
        let is_of_one = self.place == Place::OtherLatencies;
        let span = self.span();
        match span.of_targets.last_mut().filter(|_| is_of_one) {
            Some(target) => target.percentiles.push(percentile),
            None => span.percentiles.push(percentile),
        }
        Ok(())
    }

    fn close_span(&mut self) -> Result<(), Fault> {
        self.close_section()?;
        self.cut = false;
        self.had_latencies = false;
        self.columns.clear();
        Ok(())
    }

    fn close_results(&mut self) -> Result<(), Fault> {
        self.close_span()?;
        let input = std::mem::take(&mut self.input);
        let mut results = std::mem::take(&mut self.results);
        let empty = results == Results::default();
        results.profile = input.profile().or_else(|| profile_of(&results.command_line));
        tell_pools(&mut results);
        if !empty || results.profile.is_some() {
            self.done.push(results);
        }
        self.place = Place::Outside;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Results>, Refusal> {
        let had_table = !self.columns.is_empty();
        let in_processors = self.place == Place::Processors;
        self.close_results().map_err(|fault| fault.of(WHAT).at("the end"))?;
        let found = self.done.iter().flat_map(|results| &results.spans);
        let measured = found.clone().any(|span| span.totals != SectionValues::default());
        if measured {
            return Ok(self.done);
        }
        let has_latencies = found.clone().any(|span| !span.percentiles.is_empty());
        let cause = if has_latencies {
            "it holds latencies alone, and no number or rate of I/Os"
        } else if in_processors {
            "it ends in the table of CPUs, before any I/O is reported"
        } else if had_table {
            "its tables hold no whole row"
        } else if self.done.iter().any(|results| results.profile.is_some()) {
            "it states what was asked for, and no result"
        } else {
            "it names diskspd and has none of its tables"
        };
        Err(Refusal::new(WHAT, cause).or("import the whole output of the run"))
    }
}

fn section_of<T>(sections: &mut SectionValues<T>, at: usize) -> &mut T {
    match at {
        0 => &mut sections.total,
        1 => &mut sections.read,
        _ => &mut sections.write,
    }
}

fn sum_of(rows: &[(u64, String, Option<u64>, Counts)], pick: fn(&Counts) -> Option<f64>) -> Option<f64> {
    rows.iter().map(|row| pick(&row.3)).sum()
}

fn profile_of(command_line: &str) -> Option<Profile> {
    let words: Vec<String> = command_line.split_whitespace().skip(1).map(str::to_owned).collect();
    match read_command(&words, 0) {
        Ok(Command::Run(profile)) => Some(*profile),
        _ => None,
    }
}

fn whole(cell: &str) -> Result<u64, Fault> {
    cell.parse().map_err(|_| {
        let as_printed =
            if cell.contains(['.', ',']) { " as diskspd prints it: somebody grouped its digits" } else { "" };
        format!("`{cell}` is not a whole number{as_printed}").into()
    })
}

fn decimal(cell: &str) -> Result<Option<f64>, Fault> {
    if cell == "N/A" {
        return Ok(None);
    }
    let number = cell.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.map(Some).ok_or_else(|| format!("`{cell}` is not a number as diskspd prints it").into())
}

/// `testfile.dat (1024MiB)` in its parts.
fn path_and_size(text: &str) -> (String, Option<u64>) {
    let parts = text.rsplit_once(" (").and_then(|(path, size)| Some((path, size.strip_suffix(')')?)));
    match parts.and_then(|(path, size)| Some((path, read_printed_size(size)?))) {
        Some((path, bytes)) => (path.to_owned(), Some(bytes).filter(|bytes| *bytes > 0)),
        None => (text.to_owned(), None),
    }
}

/// Old versions print nothing of `-F` among what was asked for; then more threads worked than its targets have.
fn tell_pools(results: &mut Results) {
    let Some(profile) = &mut results.profile else { return };
    for (span, result) in profile.spans.iter_mut().zip(&results.spans) {
        let asked: u64 = span.targets.iter().map(|target| target.threads).sum();
        if let Some(threads) = result.threads.filter(|threads| span.threads == 0 && *threads != asked) {
            span.threads = threads;
        }
    }
}
