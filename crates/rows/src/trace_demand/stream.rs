//! The I/Os of a trace one by one in the order of their times, with the same memory however long it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead, Read};

use fathom_sizing::TracedIo;
use fathom_tools::fio::read_iolog::{self, Event, LoggedLine};
use fathom_tools::{Refusal, RefusalAbout};

use super::trace_columns::{self, Layout, Row};
use super::{LARGEST_IO, Line, TRACE, TraceSelection, blkparse, no_io};

/// I/Os that wait for an earlier one: lines of several processors, and times of ends, are out of order by less.
const AHEAD: usize = 1 << 16;
/// A longer line is no trace's.
const LONGEST_LINE: u64 = 1 << 16;
/// Bytes at the start that tell the kind.
const START_BYTES: u64 = 32 * 1024;

#[derive(Clone, Copy, Debug)]
enum Form {
    Blkparse { action: &'static str },
    Iolog { version: u8 },
    Table(Layout),
}

/// A trace that is being read.
pub struct TraceStream<R> {
    input: R,
    form: Form,
    /// The host and the disk that are meant.
    asked: [Option<String>; 2],
    /// The host and the disk whose I/Os come.
    volume: Option<(String, String)>,
    /// An operation that is neither a read nor a write.
    other: Option<String>,
    buffer: Vec<u8>,
    line: u64,
    /// Whether the line that names the columns is still to come.
    header: bool,
    /// By time, then in the order of the lines.
    ahead: BinaryHeap<Reverse<(i128, u64, Io)>>,
    ended: bool,
    first_ns: Option<i128>,
    last_ns: u64,
    left_out: u64,
    late: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Io {
    offset: u64,
    bytes: u64,
    write: bool,
}

fn unreadable(error: io::Error) -> Refusal {
    Refusal::caused_by(TRACE, error).or("name a file that can be read")
}

impl<R: BufRead> TraceStream<R> {
    /// Finds out what trace it is, and begins. `open` gives the text from its start, each time it is asked.
    ///
    /// # Errors
    /// When it cannot be read, or is no trace that is known.
    pub fn open(open: impl Fn() -> io::Result<R>, which: TraceSelection<'_>) -> Result<Self, Refusal> {
        let mut start = Vec::new();
        open().and_then(|input| input.take(START_BYTES).read_to_end(&mut start)).map_err(unreadable)?;
        let start = String::from_utf8_lossy(&start);
        let form = if blkparse::recognise(&start) {
            Form::Blkparse { action: action(open().map_err(unreadable)?)? }
        } else if let Some(version) = read_iolog::version(&start) {
            Form::Iolog { version }
        } else {
            let first = start.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
            let layout = first.and_then(|first| Layout::of(first, which.columns));
            Form::Table(layout.ok_or_else(trace_columns::unknown)?)
        };
        Ok(Self {
            form,
            input: open().map_err(unreadable)?,
            asked: [which.host, which.device].map(|asked| asked.map(str::to_owned)),
            volume: None,
            other: None,
            buffer: Vec::new(),
            line: 0,
            header: matches!(form, Form::Table(Layout { header: true, .. }) | Form::Iolog { .. }),
            ahead: BinaryHeap::new(),
            ended: false,
            first_ns: None,
            last_ns: 0,
            left_out: 0,
            late: 0,
        })
    }

    /// Which trace it is, as `MSR trace`.
    pub fn kind(&self) -> &'static str {
        match self.form {
            Form::Blkparse { .. } => "blkparse",
            Form::Iolog { .. } => "fio's log of I/Os",
            Form::Table(layout) => layout.kind,
        }
    }

    /// Whether it says when its I/Os started.
    pub fn has_times(&self) -> bool {
        !matches!(self.form, Form::Iolog { version: 2 })
    }

    /// Lines so far that neither read nor write, have no size, or one above 1 GiB.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// I/Os so far that stood so far behind later ones that they come when those came.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// The next I/O, its time counted from the first one's.
    ///
    /// # Errors
    /// With the line that makes no sense, when several disks are in it and none is named, or when the one
    /// that is named, or any I/O at all, is not there.
    #[expect(
        clippy::should_implement_trait,
        reason = "an error ends it, which an iterator's next does not say"
    )]
    pub fn next(&mut self) -> Result<Option<TracedIo>, Refusal> {
        while !self.ended && self.ahead.len() < AHEAD {
            self.read_line()?;
        }
        let Some(Reverse((at_ns, _, io))) = self.ahead.pop() else {
            return if self.first_ns.is_some() { Ok(None) } else { Err(self.empty()) };
        };
        let first_ns = *self.first_ns.get_or_insert(at_ns);
        let mut at_ns = u64::try_from(at_ns.saturating_sub(first_ns)).unwrap_or(0);
        if at_ns < self.last_ns {
            self.late += 1;
            at_ns = self.last_ns;
        }
        self.last_ns = at_ns;
        let Io { offset, bytes, write } = io;
        Ok(Some(TracedIo { at_ns, offset, bytes, write }))
    }

    fn empty(&self) -> Refusal {
        let other = self.other.as_deref();
        match self.asked.iter().flatten().next_back() {
            Some(asked) if self.volume.is_none() && other.is_none() => {
                Refusal::new(TRACE, format!("no disk {asked} is in it")).about(RefusalAbout::WhichDevice)
            }
            _ => no_io(&other.into_iter().collect::<Vec<_>>()),
        }
    }

    /// Takes one line in.
    fn read_line(&mut self) -> Result<(), Refusal> {
        self.buffer.clear();
        let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut self.buffer);
        let length = read.map_err(unreadable)?;
        self.ended = length == 0;
        self.line += 1;
        let number = self.line;
        let place = || format!("line {number}");
        if length as u64 == LONGEST_LINE {
            return Err(Refusal::new(TRACE, "it is longer than any of a trace").at(place()));
        }
        let text = String::from_utf8_lossy(&self.buffer);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.header) {
            return Ok(());
        }
        let line = match self.form {
            Form::Blkparse { action } => match blkparse::event(text) {
                Some((of, line)) if of == action => line,
                // What else blkparse prints is no I/O of its own.
                _ => return Ok(()),
            },
            Form::Iolog { version } => {
                match read_iolog::event(text, version).map_err(|refusal| refusal.at(place()))? {
                    Event::Io(LoggedLine { at_ns, device, offset, bytes, write }) => {
                        Line { at_ns, host: "", device, offset, bytes, write }
                    }
                    Event::Other => {
                        self.left_out += 1;
                        return Ok(());
                    }
                    Event::OfFile => return Ok(()),
                }
            }
            Form::Table(layout) => match layout.line(text).map_err(|refusal| refusal.at(place()))? {
                Row::Io(line) => line,
                Row::Other(operation) => {
                    self.left_out += 1;
                    self.other.get_or_insert_with(|| operation.chars().take(40).collect());
                    return Ok(());
                }
            },
        };
        let Line { at_ns, host, device, offset, bytes, write } = line;
        let [asked_host, asked_device] = [&self.asked[0], &self.asked[1]].map(Option::as_deref);
        if !(TraceSelection { host: asked_host, device: asked_device, columns: "" }).means(host, device) {
            return Ok(());
        }
        match &self.volume {
            None => self.volume = Some((host.to_owned(), device.to_owned())),
            Some((known_host, known)) if known != device || known_host != host => {
                return Err(several((known_host.as_str(), known.as_str()), (host, device)));
            }
            Some(_) => {}
        }
        if bytes == 0 || bytes > LARGEST_IO {
            self.left_out += 1;
            return Ok(());
        }
        self.ahead.push(Reverse((at_ns, self.line, Io { offset, bytes, write })));
        Ok(())
    }
}

/// That two volumes are in a trace of which one is to be named; each is its host and its device.
fn several(first: (&str, &str), second: (&str, &str)) -> Refusal {
    let whole = |(host, device): (&str, &str)| match host {
        "" => device.to_owned(),
        host => format!("{host}/{device}"),
    };
    let remedy = format!("name the one that is meant: {}, {} or another", whole(first), whole(second));
    Refusal::new(TRACE, "several disks are in it").about(RefusalAbout::WhichDevice).or(remedy)
}

/// Where blkparse's I/Os are counted: as they were issued where that is in the trace, otherwise as it has them.
fn action(mut input: impl BufRead) -> Result<&'static str, Refusal> {
    let mut found = [false; blkparse::ACTIONS.len()];
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let read = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut buffer);
        if read.map_err(unreadable)? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&buffer);
        if let Some((of, line)) = blkparse::event(&text)
            && line.bytes > 0
            && let Some(at) = blkparse::ACTIONS.iter().position(|(action, _)| *action == of)
        {
            found[at] = true;
            if at == 0 {
                break;
            }
        }
    }
    let best = found.iter().position(|found| *found);
    best.map(|at| blkparse::ACTIONS[at].0)
        .ok_or_else(|| Refusal::new(TRACE, "no issued, queued or completed I/O is in it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, which: TraceSelection<'_>) -> Result<Vec<TracedIo>, Refusal> {
        let mut stream = TraceStream::open(|| Ok(text.as_bytes()), which)?;
        let mut ios = Vec::new();
        while let Some(io) = stream.next()? {
            ios.push(io);
        }
        Ok(ios)
    }

    #[test]
    fn ios_come_one_by_one_as_the_whole_trace_has_them() {
        let mut text = String::new();
        for at in 0..1000u64 {
            // Times that go back a little, as ends do.
            let time = 1_577_808_000_000_000 + at * 100 - at % 7 * 250;
            text +=
                &format!("3,{},{},{},{time}\n", ["R", "W"][at as usize % 2], at * 4096, 512 + at % 9 * 512);
        }
        let whole = super::super::read(&[&text], TraceSelection::default()).unwrap().trace.unwrap();
        assert_eq!(all(&text, TraceSelection::default()).unwrap(), whole.ios);
    }

    #[test]
    fn blkparse_and_headers_are_read_line_by_line() {
        let text = "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [a]\n  8,0    3        2     0.000001829   697  D   W 223490 + 8 [a]\n  8,0    3        3     0.500000000   697  D  RA 223498 + 256 [dd]\n";
        let ios = all(text, TraceSelection::default()).unwrap();
        assert_eq!(
            ios.iter().map(|io| (io.at_ns, io.write)).collect::<Vec<_>>(),
            [(0, true), (499_998_171, false)]
        );
        let own = "\u{feff}when,what,where,much\n0.1,read,0,4096\n\n0.2,trim,0,1\n0.2,write,8192,4096\n";
        let which = TraceSelection {
            columns: "time=when,op=what,offset=where,bytes=much",
            ..TraceSelection::default()
        };
        let ios = all(own, which).unwrap();
        assert_eq!(ios[1], TracedIo { at_ns: 100_000_000, offset: 8192, bytes: 4096, write: true });
        assert_eq!(all(own, TraceSelection::default()).unwrap_err().cause, "its columns are not known");
    }

    #[test]
    fn broken_and_ambiguous_traces_are_named() {
        let text = "3,R,0,4096,1577808000000626\n4,W,0,16384,1577808001000626\n3,W,0,0,1577808001000627\n";
        assert!(all(text, TraceSelection::default()).unwrap_err().cause.contains("several disks"));
        let third = TraceSelection { device: Some("3"), ..TraceSelection::default() };
        assert_eq!(all(text, third).unwrap().len(), 1);
        let fifth = TraceSelection { device: Some("5"), ..TraceSelection::default() };
        assert!(all(text, fifth).unwrap_err().cause.contains("no disk 5"));
        let msr = "128166372003061629,hm,0,Read,0,4096,1\n128166372003061630,prn,0,Read,0,4096,1\n";
        let both = all(msr, TraceSelection { device: Some("0"), ..TraceSelection::default() }).unwrap_err();
        assert!(both.remedy.contains("hm/0, prn/0"), "{both}");
        assert_eq!(
            all(msr, TraceSelection { device: Some("prn/0"), ..TraceSelection::default() }).unwrap().len(),
            1
        );
        let broken = format!("{}3,R,0,banana,1577808000000627\n", "3,R,0,4096,1577808000000626\n".repeat(60));
        assert_eq!(all(&broken, TraceSelection::default()).unwrap_err().place, "line 61");
        let endless = format!("3,R,0,4096,1577808000000626\n{}", "x".repeat(70_000));
        assert!(all(&endless, TraceSelection::default()).unwrap_err().cause.contains("longer"));
    }
}
