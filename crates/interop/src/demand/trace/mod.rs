//! Demand from traces of single I/Os: blkparse's text, and the tables that published traces come as.

mod blkparse;
pub mod iolog;
mod layout;
mod moment;
mod stream;

use fathom_sizing::{Trace, TracedIo};

use super::Seen;
use crate::Refusal;

pub use layout::recognise as recognise_table;
pub use stream::{TraceStream, Which};

const TRACE: &str = "a block trace";
/// I/Os that are held at once: 1.6 GB.
const MOST_IOS: usize = 50_000_000;
/// An I/O larger than this is a mistake in its line: no block layer passes it on whole.
const LARGEST_IO: u64 = 1 << 30;
/// A time after 1973 is a date; before, it counts from the trace's start.
const FIRST_DATE_NS: i128 = 100_000_000 * 1_000_000_000;

/// One I/O as a line has it, its time in nanoseconds from anywhere.
struct Line<'a> {
    at_ns: i128,
    device: &'a str,
    offset: u64,
    bytes: u64,
    write: bool,
}

/// I/Os from lines, of one disk.
#[derive(Default)]
struct Gathering<'a> {
    ios: Vec<(i128, TracedIo)>,
    devices: Vec<&'a str>,
    left_out: u64,
}

impl<'a> Gathering<'a> {
    /// Takes a line of the asked disk.
    fn take(&mut self, line: &Line<'a>, asked: Option<&str>) -> Result<(), Refusal> {
        if !self.devices.contains(&line.device) && self.devices.len() < 100 {
            self.devices.push(line.device);
        }
        if asked.is_some_and(|asked| asked != line.device) {
            return Ok(());
        }
        if line.bytes == 0 || line.bytes > LARGEST_IO {
            self.left_out += 1;
            return Ok(());
        }
        if self.ios.len() == MOST_IOS {
            return Err(Refusal::new(TRACE, format!("more than {MOST_IOS} I/Os are in it")).or("cut it"));
        }
        let Line { offset, bytes, write, .. } = *line;
        self.ios.push((line.at_ns, TracedIo { at_ns: 0, offset, bytes, write }));
        Ok(())
    }

    /// The trace in order of time, with what was done to make it one.
    fn finish(
        mut self,
        asked: Option<&str>,
        mut notes: Vec<String>,
        kind: &'static str,
    ) -> Result<Seen, Refusal> {
        if asked.is_none() && self.devices.len() > 1 {
            return Err(Refusal::new(TRACE, "several disks are in it")
                .or(format!("name one with --device: {}", self.devices.join(", "))));
        }
        if let Some(asked) = asked.filter(|asked| !self.devices.contains(asked)) {
            return Err(Refusal::new(TRACE, format!("no disk {asked} is in it"))
                .or(format!("name one with --device: {}", self.devices.join(", "))));
        }
        if self.left_out > 0 {
            notes.push(format!(
                "{} lines neither read nor write, have no size, or one above 1 GiB, and were left out.",
                self.left_out
            ));
        }
        let back = self.ios.windows(2).filter(|pair| pair[1].0 < pair[0].0).count();
        if back > 0 {
            notes.push(format!(
                "{back} I/Os were earlier than the line before them; all were put in order of their times."
            ));
        }
        self.ios.sort_by_key(|(at, _)| *at);
        let Some(first) = self.ios.first().map(|(at, _)| *at) else {
            return Err(Refusal::new(TRACE, "no read or write is in it"));
        };
        let since = |at: i128| u64::try_from(at - first).unwrap_or(u64::MAX);
        let trace =
            Trace { ios: self.ios.into_iter().map(|(at, io)| TracedIo { at_ns: since(at), ..io }).collect() };
        let demand = trace.demand().map_err(|error| {
            Refusal::new(TRACE, error.to_string()).or("a time in it makes no sense: cut the lines around it")
        })?;
        let dated = (first >= FIRST_DATE_NS).then_some(first / 1_000_000_000);
        Ok(Seen {
            demand,
            notes,
            start_unix_s: dated.and_then(|s| i64::try_from(s).ok()),
            source: kind,
            device: asked
                .or(self.devices.first().copied())
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
            directions_known: true,
            throttled: Vec::new(),
            trace: Some(trace),
        })
    }
}

/// Whether a text begins like a trace.
pub fn recognise(start: &str) -> bool {
    blkparse::recognise(start) || layout::recognise(start, "")
}

/// Reads traces that continue each other.
///
/// # Errors
/// With the line that makes no sense, or when several disks are in it and none is named.
pub fn read(texts: &[&str], mapping: &str, device: Option<&str>) -> Result<Seen, Refusal> {
    let mut gathering = Gathering::default();
    let mut notes = Vec::new();
    let mut kind = "trace";
    for text in texts {
        if blkparse::recognise(text) {
            kind = "blkparse";
            notes.extend(blkparse::read(text, device, &mut gathering)?);
        } else {
            kind = layout::read(text, mapping, device, &mut gathering)?;
        }
    }
    gathering.finish(device, notes, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str, device: Option<&str>) -> Result<Seen, Refusal> {
        read(&[text], "", device)
    }

    #[test]
    fn published_tables_are_known_by_their_shape() {
        let msr = "128166372003061629,hm,1,Read,383496192,32768,413736\n128166372013061629,hm,1,Write,4096,8192,1\n";
        let alibaba = "3,R,126703644672,4096,1577808000000626\n3,W,0,16384,1577808001000626\n";
        let tencent = "1538323200,12910952,8,0,1283\n1538323201,0,32,1,1283\n";
        let spc = "0,20941264,8192,W,0.551706\n0,20939840,8192,R,1.554041\n";
        for (text, kind, start, bytes) in [
            (msr, "MSR trace", Some(1_172_163_600), [32768, 8192]),
            (alibaba, "Alibaba trace", Some(1_577_808_000), [4096, 16384]),
            (tencent, "Tencent trace", Some(1_538_323_200), [4096, 16384]),
            (spc, "SPC trace", None, [8192, 8192]),
        ] {
            assert!(recognise(text), "{kind}");
            let seen = seen(text, None).unwrap();
            assert_eq!((seen.source, seen.start_unix_s), (kind, start));
            let (demand, trace) = (&seen.demand, seen.trace.as_ref().unwrap());
            assert_eq!(demand.read.operations.iter().chain(&demand.write.operations).sum::<u64>(), 2);
            assert_eq!([trace.ios[0].bytes, trace.ios[1].bytes], bytes, "{kind}");
            assert_eq!(demand.ticks(), 2, "{kind}");
        }
    }

    #[test]
    fn several_disks_and_absurd_lines_are_named() {
        let text = "3,R,0,4096,1577808000000626\n4,W,0,16384,1577808001000626\n4,W,0,0,1577808001000627\n4,W,0,512,1577808000000000\n";
        assert!(seen(text, None).unwrap_err().remedy.contains("3, 4"));
        assert!(seen(text, Some("5")).unwrap_err().cause.contains("no disk 5"));
        let found = seen(text, Some("4")).unwrap();
        assert_eq!(
            (found.demand.write.operations.clone(), found.notes.len()),
            (vec![1, 1], 2),
            "{:?}",
            found.notes
        );
        let broken = "3,R,0,4096,1577808000000626\n3,R,0,banana,1577808000000627\n";
        assert_eq!(seen(broken, None).unwrap_err().place, "line 2");
        let jump = "3,R,0,4096,1\n3,R,0,4096,1577808000000627\n";
        assert!(seen(jump, None).unwrap_err().cause.contains("span"));
    }

    #[test]
    fn a_header_names_the_columns() {
        let text = "Timestamp,Response,IOType,LUN,Offset,Size\n1455592804.002157211,0.000102,W,0,1024,512\n1455592805.5,0.1,R,0,2048,4096\n";
        let found = seen(text, None).unwrap();
        assert_eq!(
            (found.demand.read.bytes.clone(), found.start_unix_s),
            (vec![0, 4096], Some(1_455_592_804))
        );
        let own = "when,what,where,much\n0.1,read,0,4096\n0.2,write,8192,4096\n";
        assert!(!recognise(own));
        let found = read(&[own], "time=when,op=what,offset=where,bytes=much", None).unwrap();
        assert_eq!(found.trace.unwrap().ios[1].at_ns, 100_000_000);
    }

    #[test]
    fn blkparse_counts_what_went_to_the_driver() {
        let text = "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n  8,0    3        2     0.000001829   697  D   W 223490 + 8 [kjournald]\n  8,0    3        3     0.500000000   697  D  RA 223498 + 256 [dd]\n  8,0    3        4     1.500000000   697  D  FN [kworker]\n  8,0    3        5     1.700000000     0  C   W 223490 + 8 [0]\nCPU3 (8,0):\n Reads Queued:           0,        0KiB\n";
        assert!(recognise(text));
        let found = seen(text, None).unwrap();
        assert_eq!(
            (found.demand.read.bytes.clone(), found.demand.write.operations.clone()),
            (vec![131_072], vec![1])
        );
        assert_eq!((found.device.as_deref(), found.source), (Some("8,0"), "blkparse"));
        assert!(found.notes[0].contains("issued"), "{:?}", found.notes);
    }
}
