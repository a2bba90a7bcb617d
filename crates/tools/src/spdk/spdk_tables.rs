//! The tables that SPDK's generators print, of every version: a head whose columns vary, rows whose name comes
//! first, a total, and behind them percentiles and histograms.

use super::spdk_command_line::CommandOptions;
use crate::{Fault, Refusal};

/// The quirk of an outcome in which a job failed: the run that it becomes has failed too.
pub(crate) const JOB_FAILED: &str = "job_failed";

/// One table with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What was asked for, as far as it is told.
    pub asked: CommandOptions,
    /// One row for each job or namespace and core.
    pub rows: Vec<Row>,
    /// The row of all together.
    pub total: Option<Row>,
    /// Distributions, by the name of their row.
    pub distributions: Vec<Distribution>,
    /// Version of SPDK.
    pub version: Option<String>,
    /// What was seen to be odd, as name and sentence.
    pub quirks: Vec<(&'static str, String)>,
}

/// A row of the table; absent where its version has no such column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Job, or namespace and core.
    pub name: String,
    /// Measured time in seconds.
    pub seconds: Option<f64>,
    /// I/Os per second.
    pub per_s: f64,
    /// Throughput in MiB/s.
    pub mib_per_s: f64,
    /// Failed I/Os per second.
    pub failed_per_s: Option<f64>,
    /// Mean latency in microseconds.
    pub mean_us: Option<f64>,
    /// Smallest latency in microseconds; absent where nothing completed.
    pub min_us: Option<f64>,
    /// Largest latency in microseconds.
    pub max_us: Option<f64>,
}

/// How latencies of one row are spread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// Name of the row.
    pub name: String,
    /// Order, 0 to 1, and the end of its bucket in microseconds.
    pub percentiles: Vec<(f64, f64)>,
    /// Buckets: both ends in microseconds, and the count.
    pub buckets: Vec<(f64, f64, u64)>,
}

/// Above this a latency is the mark of none, the largest number of 64 bits.
const NO_LATENCY_US: f64 = 1e15;

/// A column behind the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Seconds,
    PerS,
    MibPerS,
    FailedPerS,
    TimedOutPerS,
    Mean,
    Min,
    Max,
}

/// Reads all tables of a text; `what` is what it is taken for.
///
/// # Errors
/// Where its numbers stop making sense, or that it has none.
pub fn read(text: &str, what: &'static str) -> Result<Vec<Outcome>, Refusal> {
    let mut reader = Reader::default();
    for (at, line) in text.lines().enumerate() {
        // Progress is redrawn on its line.
        let line = bare(line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or(line));
        reader.line(line).map_err(|fault| fault.of(what).at(format!("line {}", at + 1)))?;
    }
    reader.finish(what)
}

/// A line without what a shell script or a CI put before it: `# `, `00:17:46.818  `.
fn bare(line: &str) -> &str {
    let line = line.trim_start().trim_start_matches('#').trim_start();
    let stamp = line.find(char::is_whitespace).map_or(line, |end| &line[..end]);
    let is_stamp = stamp.len() >= 8
        && stamp.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'))
        && stamp.matches(':').count() == 2;
    let rest = if is_stamp { line[stamp.len()..].trim_start() } else { line };
    rest.trim_end()
}

/// What the lines that follow belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    Table,
    Percentiles,
    Histogram,
}

#[derive(Debug, Default)]
struct Reader {
    done: Vec<Outcome>,
    outcome: Outcome,
    place: Place,
    columns: Vec<Column>,
    /// Names a distribution's row, where its title has come already.
    name: String,
    core: Option<String>,
    has_warnings: bool,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), Fault> {
        if line.is_empty() || line.chars().all(|c| matches!(c, '=' | '-' | ' ')) {
            return Ok(());
        }
        if self.title(line)? {
            return Ok(());
        }
        match self.place {
            Place::Table => self.row(line),
            Place::Percentiles => self.percentile(line),
            Place::Histogram => self.bucket(line),
            Place::Outside => Ok(()),
        }
    }

    /// Lines that begin something, or say something of their own; whether this is one.
    fn title(&mut self, line: &str) -> Result<bool, Fault> {
        if line.starts_with("Device Information") {
            self.head(line)?;
        } else if let Some(core) = line.strip_prefix("Logical core:") {
            self.old_core(core.trim());
        } else if line.starts_with("Latency summary") {
            self.place = Place::Percentiles;
        } else if line.starts_with("Latency histogram for ") || line.starts_with("Summary latency data for ")
        {
            let name = line.split_once(" for ").map_or("", |(_, name)| name).trim().trim_end_matches(':');
            self.name = squeezed(name);
            self.place = if line.starts_with("Summary") { Place::Percentiles } else { Place::Histogram };
        } else if line.starts_with("Latency histogram") {
            self.place = Place::Histogram;
        } else if let Some(rest) = line.strip_prefix("Job:") {
            self.job(rest.trim());
        } else if let Some(rest) = line.strip_prefix("Running I/O for ") {
            self.begin();
            self.outcome.asked.seconds = rest.split(' ').next().and_then(|seconds| seconds.parse().ok());
        } else if let Some((_, limit)) = line.split_once("Queue depth is limited to ") {
            self.has_warnings = true;
            self.limited(limit);
        } else if let Some((_, version)) = line.split_once("Starting SPDK v") {
            self.begin();
            self.outcome.version = version.split(' ').next().map(str::to_owned);
        } else if let Some(asked) = CommandOptions::of_line(line) {
            self.begin();
            self.outcome.asked = asked;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Ends an outcome that has its numbers, before another begins.
    fn begin(&mut self) {
        if !self.outcome.rows.is_empty() {
            self.done.push(std::mem::take(&mut self.outcome));
        }
        self.place = Place::Outside;
    }

    fn quirk(&mut self, name: &'static str, what: impl Into<String>) {
        if !self.outcome.quirks.iter().any(|(known, _)| *known == name) {
            self.outcome.quirks.push((name, what.into()));
        }
    }

    fn head(&mut self, line: &str) -> Result<(), Fault> {
        if self.outcome.total.is_some() {
            self.begin();
        }
        let Some((_, names)) = line.split_once(':') else {
            return Err("the table's head has no columns".into());
        };
        let mut columns = Vec::new();
        for name in names.split_whitespace() {
            columns.push(match name {
                "runtime(s)" => Column::Seconds,
                "IOPS" => Column::PerS,
                "MiB/s" => Column::MibPerS,
                "MB/s" => {
                    self.quirk("mb_is_mib", "old versions head the throughput MB/s and print MiB/s");
                    Column::MibPerS
                }
                "Fail/s" => Column::FailedPerS,
                "TO/s" => Column::TimedOutPerS,
                "Average" => Column::Mean,
                "min" => Column::Min,
                "max" => Column::Max,
                // The title over the last three stands between them in some versions.
                "Latency(us)" => continue,
                other => {
                    return Err(
                        format!("`{other}` is not a column that SPDK prints: its unit is not known").into()
                    );
                }
            });
        }
        if !columns.contains(&Column::PerS) || !columns.contains(&Column::MibPerS) {
            return Err("the table's head has no IOPS and MiB/s".into());
        }
        (self.columns, self.place, self.core) = (columns, Place::Table, None);
        Ok(())
    }

    /// The layout of 2019: rows by core, with their units behind the numbers.
    fn old_core(&mut self, core: &str) {
        self.quirk("mb_is_mib", "old versions say MB/s and print MiB/s");
        (self.columns, self.place) = (vec![Column::PerS, Column::MibPerS], Place::Table);
        self.core = Some(core.to_owned());
    }

    /// `Nvme0n1 (Core Mask 0x1, workload: write, depth: 1, IO size: 8192)`
    fn job(&mut self, text: &str) {
        let name = text.split(" (").next().unwrap_or(text).trim();
        self.name = name.to_owned();
        for part in text.trim_end_matches(')').split([',', '(']) {
            let Some((key, value)) = part.split_once(':') else { continue };
            let value = value.trim();
            match key.trim() {
                "workload" => self.outcome.asked.workload = Some(value.to_owned()),
                "depth" => self.outcome.asked.depths.extend(value.parse::<u64>().ok()),
                "percentage" => {
                    self.outcome.asked.read_percent = value.parse().ok().filter(|percent| *percent <= 100);
                }
                "IO size" => self.outcome.asked.io_bytes = value.parse().ok(),
                _ => {}
            }
        }
        if text.contains("ended in") && text.contains("error") {
            self.quirk(JOB_FAILED, format!("job {name} ended early with an error"));
        }
    }

    fn limited(&mut self, limit: &str) {
        let depth =
            limit.trim().split(|c: char| !c.is_ascii_digit()).next().and_then(|depth| depth.parse().ok());
        self.outcome.asked.limited = depth.or(self.outcome.asked.limited);
        let what = format!("the depth was reduced to {} by the tool, below what was asked for", limit.trim());
        self.quirk("depth_reduced", what);
    }

    fn row(&mut self, line: &str) -> Result<(), Fault> {
        let line = line.replace(" IO/s", "").replace(" MB/s", "");
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<f64> = words.iter().rev().map_while(|word| decimal(word)).collect();
        let is_total = words.first().is_some_and(|word| word.trim_end_matches(':') == "Total");
        // Old versions have no time in the total, as newer ones do.
        let columns: Vec<Column> =
            self.columns.iter().copied().filter(|column| !(is_total && *column == Column::Seconds)).collect();
        if numbers.len() < columns.len() {
            // Other output between the rows, as an elision or a warning.
            let looks_cut = !numbers.is_empty() && line.contains(" : ");
            return if looks_cut {
                Err("a row has fewer numbers than the table's head".into())
            } else {
                Ok(())
            };
        }
        let mut row = Row::default();
        for (column, number) in columns.iter().rev().zip(&numbers) {
            let latency = Some(*number).filter(|us| *us < NO_LATENCY_US);
            match column {
                Column::Seconds => row.seconds = Some(*number),
                Column::PerS => row.per_s = *number,
                Column::MibPerS => row.mib_per_s = *number,
                Column::FailedPerS => row.failed_per_s = Some(*number),
                Column::TimedOutPerS => {}
                Column::Mean => row.mean_us = latency,
                Column::Min => row.min_us = latency,
                Column::Max => row.max_us = latency,
            }
        }
        if columns.contains(&Column::Min) && row.min_us.is_none() {
            let what =
                "a smallest latency of 18446744073709551616 stands for none, because nothing completed";
            self.quirk("no_completion", what);
            (row.mean_us, row.max_us) = (None, None);
        }
        let name = words[..words.len() - columns.len()].join(" ");
        row.name = name.trim_end_matches(':').trim().to_owned();
        if is_total {
            self.outcome.total = Some(row);
            self.place = Place::Outside;
            return Ok(());
        }
        if let Some(core) = &self.core {
            row.name += &format!(" on core {core}");
        }
        self.outcome.rows.push(row);
        Ok(())
    }

    fn distribution(&mut self) -> &mut Distribution {
        let all = &mut self.outcome.distributions;
        let at = all.iter().position(|known| known.name == self.name).unwrap_or_else(|| {
            all.push(Distribution { name: self.name.clone(), ..Distribution::default() });
            all.len() - 1
        });
        &mut all[at]
    }

    /// `  50.00000% :   242.834us`
    fn percentile(&mut self, line: &str) -> Result<(), Fault> {
        let parts = line.split_once("% :").and_then(|(percent, value)| {
            Some((decimal(percent.trim())?, decimal(value.trim().strip_suffix("us")?)?))
        });
        let Some((percent, us)) = parts else { return Ok(()) };
        if percent > 100.0 {
            return Err(format!("unknown percentile {percent}").into());
        }
        self.distribution().percentiles.push((percent / 100.0, us));
        Ok(())
    }

    /// `  209.189 -   210.651:    0.0003%  (        3)`
    fn bucket(&mut self, line: &str) -> Result<(), Fault> {
        let parts = line.split_once(':').and_then(|(range, rest)| {
            let (low, high) = range.split_once('-')?;
            let count = rest.split_once('(')?.1.trim_end_matches(')').trim().parse::<u64>().ok()?;
            Some((decimal(low.trim())?, decimal(high.trim())?, count))
        });
        let Some((low, high, count)) = parts else { return Ok(()) };
        if low > high {
            return Err(format!("the bucket from {low} to {high} us ends before it begins").into());
        }
        self.distribution().buckets.push((low, high, count));
        Ok(())
    }

    fn finish(mut self, what: &'static str) -> Result<Vec<Outcome>, Refusal> {
        let had_head = !self.columns.is_empty();
        let (has_warnings, has_job) = (self.has_warnings, !self.outcome.asked.depths.is_empty());
        self.begin();
        if !self.done.is_empty() {
            return Ok(self.done);
        }
        let cause = if had_head {
            "its table has no row"
        } else if has_job {
            "its rows have no head that says what their numbers are"
        } else if has_warnings {
            "it holds warnings of depths that were reduced, and no result"
        } else {
            "it has no table of results"
        };
        Err(Refusal::new(what, cause).or("import the whole output of the run"))
    }
}

/// Words with one space between them.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn decimal(text: &str) -> Option<f64> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit());
    text.parse::<f64>().ok().filter(|number| plain && number.is_finite())
}
