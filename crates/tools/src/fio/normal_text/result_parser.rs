//! fio's lines for people as the results that they state.

use std::borrow::Cow;

use super::EXPECTED;
use super::printed_figures::{bytes, counts, cut_off, milliseconds, number, unit_ns, value};
use crate::Refusal;
use crate::fio::fio_json_results::result_document::{Document, Flow, Job, Latency, Sync};

/// Largest difference of a rounded figure from what count, size and time give, as a share.
const ROUNDING: f64 = 0.01;

/// What a line before the start says of a job: `r: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=...`.
#[derive(Debug)]
struct Definition {
    name: String,
    group: u64,
    options: Vec<(String, String)>,
    /// Size of an I/O of each direction, where it has one.
    sizes: [Option<u64>; 3],
}

/// Which list of percentiles or which distribution a line belongs to.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Submission,
    Completion,
    Total,
}

#[derive(Default)]
struct Reader {
    documents: Vec<Document>,
    definitions: Vec<Definition>,
    current: Document,
    job: Option<OpenJob>,
}

/// A job whose lines are being read.
struct OpenJob {
    job: Job,
    clones: u64,
    /// Number of the direction that the last lines were of.
    direction: usize,
    flows: [Option<DirectionLine>; 4],
    percentiles: Option<(Kind, u64)>,
    counted: bool,
    /// Whether I/Os of a direction are counted of which no line states a rate.
    unrated: bool,
}

/// A direction as its line states it.
#[derive(Default)]
struct DirectionLine {
    flow: Flow,
    rounded_iops: f64,
    rounded_bytes: Option<u64>,
    /// How many more there may have been.
    cut_off_bytes: u64,
    line: usize,
}

/// All results of a text.
///
/// # Errors
/// When a rate is not what count and time of its job give.
pub fn documents(text: &str) -> Result<Vec<Document>, Refusal> {
    let mut reader = Reader::default();
    for (number, line) in text.split(['\n', '\r']).enumerate() {
        reader.line(&without_emphasis(line.trim()), number + 1)?;
    }
    reader.end_document()?;
    Ok(reader.documents)
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), Refusal> {
        if let Some(definition) = definition(line) {
            // Definitions come before results, so that these are of another command.
            if !self.current.jobs.is_empty() || self.job.is_some() {
                self.end_document()?;
            }
            self.definitions.push(definition);
        } else if is_version(line) {
            if !self.current.jobs.is_empty() || self.job.is_some() {
                self.end_document()?;
            }
            self.current.version = Some(line.to_owned());
        } else if let Some(open) = header(line) {
            self.end_job()?;
            // Several that are reported together are the whole of their group: the same group again is another run's.
            let others = &self.current.jobs;
            if others.iter().any(|job| job.group == open.job.group && (open.clones > 1 || clones_of(job) > 1))
            {
                self.end_document()?;
            }
            self.job = Some(open);
        } else if line.starts_with("Run status group") {
            self.end_job()?;
        } else if let Some(open) = &mut self.job {
            open.line(line, number);
        }
        Ok(())
    }

    fn end_job(&mut self) -> Result<(), Refusal> {
        let Some(mut open) = self.job.take() else { return Ok(()) };
        if !open.counted || open.unrated {
            self.current.cut_off = true;
            return Ok(());
        }
        let of_group: Vec<&Definition> =
            self.definitions.iter().filter(|definition| definition.group == open.job.group).collect();
        let own: Vec<&Definition> =
            of_group.iter().copied().filter(|definition| definition.name == open.job.name).collect();
        // Jobs that are reported together bear the first one's name.
        let mine = if open.clones > 1 || own.is_empty() { of_group } else { own };
        let same = |get: &dyn Fn(&Definition) -> Option<String>| {
            let first = mine.first().and_then(|definition| get(definition))?;
            mine.iter().all(|definition| get(definition).as_ref() == Some(&first)).then_some(first)
        };
        for key in ["rw", "bs", "ioengine", "iodepth"] {
            let get = |definition: &Definition| {
                definition.options.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
            };
            open.job.options.extend(same(&get).map(|value| (key.to_owned(), value)));
        }
        open.job.options.push(("numjobs".to_owned(), open.clones.to_string()));
        let size = |direction: usize| {
            let of = |definition: &Definition| definition.sizes.get(direction).copied().flatten();
            let first = mine.first().and_then(|definition| of(definition))?;
            mine.iter().all(|definition| of(definition) == Some(first)).then_some(first)
        };
        let sizes = [0, 1, 2].map(size);
        let job = open.finish(sizes)?;
        self.current.jobs.push(job);
        Ok(())
    }

    fn end_document(&mut self) -> Result<(), Refusal> {
        self.end_job()?;
        let document = std::mem::take(&mut self.current);
        self.definitions.clear();
        if !document.jobs.is_empty() || document.cut_off {
            self.documents.push(document);
        }
        Ok(())
    }
}

/// How many jobs the result of one stands for.
fn clones_of(job: &Job) -> u64 {
    job.options
        .iter()
        .find(|(name, _)| name == "numjobs")
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(1)
}

/// A line without the marks by which Markdown makes parts of it bold or slanted: `**write: IOPS=40.1k**, BW=...`,
/// `**_write:IOPS=40.0k_** , BW=...`.
fn without_emphasis(line: &str) -> Cow<'_, str> {
    let Some(rest) = line.strip_prefix("**") else { return Cow::Borrowed(line) };
    let bare = rest.replacen("**", "", 1);
    match bare.strip_prefix('_') {
        Some(slanted) => Cow::Owned(slanted.replacen("_ ,", ",", 1).replacen("_,", ",", 1)),
        None => Cow::Owned(bare),
    }
}

/// A line that is a version and nothing else, as `fio-3.33` or `fio-3.35-110-gc0ffee`.
fn is_version(line: &str) -> bool {
    line.strip_prefix("fio-").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            && !rest.contains(|c: char| c.is_whitespace() || c == ':')
    })
}

fn definition(line: &str) -> Option<Definition> {
    let (name, rest) = line.split_once(": (g=")?;
    let (group, rest) = rest.split_once("):")?;
    let sizes_text =
        rest.split_once("bs=").map(|(_, after)| after.split(", ioengine").next().unwrap_or(after))?;
    let mut sizes = [None; 3];
    let ranges = sizes_text.split(['/', ',']).map(|part| part.rsplit(' ').next().unwrap_or(part));
    for (size, range) in sizes.iter_mut().zip(ranges) {
        let (from, to) = range.trim().split_once('-')?;
        *size = bytes(from).filter(|bytes| bytes.to_string() == to || from == to);
    }
    let mut options = vec![("rw".to_owned(), value(rest, "rw")?.to_owned())];
    if let [Some(read), Some(write), Some(trim)] = sizes {
        options.push(("bs".to_owned(), format!("{read},{write},{trim}")));
    } else {
        options.push(("bs".to_owned(), sizes_text.trim().to_owned()));
    }
    for key in ["ioengine", "iodepth"] {
        options.extend(value(rest, key).map(|text| (key.to_owned(), text.to_owned())));
    }
    Some(Definition { name: name.to_owned(), group: group.trim().parse().ok()?, options, sizes })
}

/// `r: (groupid=0, jobs=4): err= 0: pid=5378: Wed Feb 28 13:18:25 2018`
fn header(line: &str) -> Option<OpenJob> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let (inside, after) = rest.split_once("):")?;
    let (group, clones) = inside.split_once(", jobs=")?;
    let error = after.split_once("err=")?.1.trim_start().split([':', ' ', '(']).next()?;
    let job = Job {
        name: name.to_owned(),
        group: group.trim().parse().ok()?,
        error: error.trim().parse().ok()?,
        ..Job::default()
    };
    let clones = clones.trim().parse().ok().filter(|clones| *clones > 0)?;
    Some(OpenJob {
        job,
        clones,
        direction: 0,
        flows: Default::default(),
        percentiles: None,
        counted: false,
        unrated: false,
    })
}

impl OpenJob {
    fn line(&mut self, line: &str, number: usize) {
        if let Some(inside) = line.strip_prefix('|') {
            return self.percentiles(inside);
        }
        let Some((head, rest)) = line.split_once(':') else { return };
        let (word, unit) = head.trim().split_once('(').unwrap_or((head.trim(), ""));
        let (word, unit) = (word.trim(), unit_ns(unit.trim_end_matches(')').trim()));
        match (word, unit) {
            ("read" | "write" | "trim" | "mixed", None) => self.rates(word, rest, number),
            ("slat" | "clat" | "lat", Some(unit)) if rest.contains("min=") => self.latency(word, unit, rest),
            ("lat", Some(unit)) if rest.contains('%') => self.steps(unit, rest),
            ("slat percentiles", Some(unit)) => self.percentiles = Some((Kind::Submission, unit)),
            ("clat percentiles", Some(unit)) => self.percentiles = Some((Kind::Completion, unit)),
            ("lat percentiles", Some(unit)) => self.percentiles = Some((Kind::Total, unit)),
            _ if word.starts_with("issued") => self.issued(rest),
            _ => {}
        }
    }

    /// `io=452656KB, bw=7544.2KB/s, iops=1886, runt= 60001msec`, or `IOPS=37, BW=148KiB/s (152kB/s)(6168KiB/41644msec)`.
    fn rates(&mut self, word: &str, rest: &str, line: usize) {
        let direction = ["read", "write", "trim", "mixed"].iter().position(|name| *name == word);
        let iops = value(rest, "IOPS").or_else(|| value(rest, "iops")).and_then(number);
        let (Some(direction), Some(rounded_iops), Some(runtime)) = (direction, iops, milliseconds(rest))
        else {
            return;
        };
        let printed = value(rest, "io").or_else(|| rest.rsplit_once('(')?.1.split('/').next());
        self.direction = direction;
        self.percentiles = None;
        self.flows[direction] = Some(DirectionLine {
            flow: Flow { runtime_ms: Some(runtime), ..Flow::default() },
            rounded_iops,
            rounded_bytes: printed.and_then(bytes),
            cut_off_bytes: printed.map_or(0, cut_off),
            line,
        });
    }

    fn flow(&mut self) -> Option<&mut Flow> {
        self.flows[self.direction].as_mut().map(|stated| &mut stated.flow)
    }

    fn latency(&mut self, word: &str, unit_ns: u64, rest: &str) {
        let figure = |name: &str| value(rest, name).and_then(number);
        let (Some(min), Some(max), Some(mean)) = (figure("min"), figure("max"), figure("avg")) else {
            return;
        };
        let latency = Latency {
            unit_ns,
            min: min as u64,
            max: max as u64,
            mean,
            deviation: figure("stdev"),
            ..Latency::default()
        };
        let Some(flow) = self.flow() else { return };
        match word {
            "slat" => flow.slat = Some(latency),
            "clat" => flow.clat = Some(latency),
            _ => flow.lat = Some(latency),
        }
    }

    /// `1.00th=[  562],  5.00th=[ 6325], ...`
    fn percentiles(&mut self, inside: &str) {
        let Some((kind, unit)) = self.percentiles else { return };
        let Some(flow) = self.flow() else { return };
        let latency = match kind {
            Kind::Submission => &mut flow.slat,
            Kind::Completion => &mut flow.clat,
            Kind::Total => &mut flow.lat,
        };
        let Some(latency) = latency else { return };
        for part in inside.split("],") {
            let Some((order, text)) = part.split_once("th=[") else { continue };
            let (Ok(order), Some(found)) = (order.trim().parse::<f64>(), number(text.trim_end_matches(']')))
            else {
                continue;
            };
            let ns = (found as u64).saturating_mul(unit);
            latency.rounded.push((order / 100.0, ns, unit));
        }
    }

    /// `250=0.06%, 500=0.19%`: shares of completion latencies by their upper edges.
    fn steps(&mut self, unit: u64, rest: &str) {
        for part in rest.split(',') {
            let Some((edge, share)) = part.split_once('=').filter(|(edge, _)| !edge.contains('>')) else {
                continue;
            };
            let share = share.trim().trim_end_matches('%').parse::<f64>();
            if let (Ok(edge), Ok(share)) = (edge.trim().parse::<u64>(), share) {
                self.job.steps.push((Some(edge.saturating_mul(unit)), share));
            }
        }
    }

    /// `total=r=113164/w=0/d=0, short=...`, or `total=1542,0,0,0 short=...`
    fn issued(&mut self, rest: &str) {
        let Some((_, totals)) = rest.split_once("total=") else { return };
        let totals = counts(totals.split("short").next().unwrap_or(totals));
        if totals.len() < 2 {
            return;
        }
        self.counted = true;
        let of = |at: usize| totals.get(at).copied().unwrap_or(0);
        for (at, stated) in self.flows.iter_mut().enumerate() {
            let count = if at == 3 { of(0).saturating_add(of(1)).saturating_add(of(2)) } else { of(at) };
            if let Some(stated) = stated {
                stated.flow.total_ios = Some(count);
            }
        }
        self.unrated = self.flows[3].is_none() && (0..3).any(|at| of(at) > 0 && self.flows[at].is_none());
        if of(3) > 0 {
            self.job.sync = Some(Sync { total_ios: Some(of(3)), lat: None });
        }
    }

    /// The job, with bytes where they follow from count and size, and agree with what is printed.
    fn finish(mut self, sizes: [Option<u64>; 3]) -> Result<Job, Refusal> {
        for (at, stated) in self.flows.iter_mut().enumerate() {
            let Some(stated) = stated else { continue };
            let (Some(count), Some(ms)) = (stated.flow.total_ios, stated.flow.runtime_ms) else { continue };
            let seconds = (ms.max(1) as f64) / 1000.0;
            let rate = count as f64 / seconds;
            // A short run's time is rounded too.
            let allowed = 1.0 + rate * (ROUNDING + 0.001 / seconds);
            if (rate - stated.rounded_iops).abs() > allowed {
                let cause = format!("IOPS={} is not what {count} I/Os in {ms} ms are", stated.rounded_iops);
                return Err(Refusal::new(EXPECTED, cause).at(format!("line {}", stated.line)));
            }
            let of_size = sizes.get(at).copied().flatten().map(|size| size.saturating_mul(count));
            stated.flow.io_bytes = of_size.zip(stated.rounded_bytes).and_then(|(exact, printed)| {
                let apart = exact.abs_diff(printed) as f64;
                let cut = (printed..printed.saturating_add(stated.cut_off_bytes)).contains(&exact);
                (cut || apart <= (exact as f64 * ROUNDING).max(1024.0)).then_some(exact)
            });
            // With exact bytes known, KiB are not to be guessed from a rate.
            stated.flow.io_kbytes = stated.flow.io_bytes.map(|bytes| bytes / 1024);
            if stated.flow.io_bytes.is_none() {
                let printed = stated.rounded_bytes.unwrap_or(0) as f64;
                stated.flow.bw = Some(printed / 1024.0 / seconds).filter(|kib| *kib > 0.0);
            }
        }
        let [read, write, trim, mixed] = self.flows.map(|stated| stated.map(|stated| stated.flow));
        Ok(Job { read, write, trim, mixed, ..self.job })
    }
}
