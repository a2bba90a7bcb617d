//! Demand from traces of single I/Os: blkparse's text, and the tables that published traces come as.

mod blkparse;
mod moment;
mod stream;
mod trace_columns;

use std::collections::HashMap;

use fathom_sizing::{Trace, TracedIo};
use fathom_tools::{Refusal, RefusalAbout};

use crate::{DemandReport, disk_choices};
pub use stream::TraceStream;
pub use trace_columns::{name_them, recognise as recognise_table};

const TRACE: &str = "a block trace";
/// I/Os that are held at once: 1.6 GB.
const MOST_IOS: usize = 50_000_000;
/// An I/O larger than this is a mistake in its line: no block layer passes it on whole.
const LARGEST_IO: u64 = 1 << 30;
/// A time after 1973 is a date; before, it counts from the trace's start.
const FIRST_DATE_NS: i128 = 100_000_000 * 1_000_000_000;

/// Half of the centuries that 64 bits of nanoseconds hold.
const BEFORE_FIRST_NS: i128 = 1 << 63;

/// What the user says of a trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceSelection<'a> {
    /// The host, of several.
    pub host: Option<&'a str>,
    /// The disk, of several: by its name, or as `HOST/DISK`.
    pub device: Option<&'a str>,
    /// Names of a table's columns; may be empty.
    pub columns: &'a str,
}

impl TraceSelection<'_> {
    /// Whether a volume is meant. A volume is a disk of a host: disks of several hosts may have one name.
    fn means(&self, host: &str, device: &str) -> bool {
        let whole = |asked: &str| {
            let rest = asked.strip_prefix(host).filter(|_| !host.is_empty());
            rest.and_then(|rest| rest.strip_prefix('/')) == Some(device)
        };
        self.host.is_none_or(|asked| asked == host)
            && self.device.is_none_or(|asked| asked == device || whole(asked))
    }
}

/// One I/O as a line has it, its time in nanoseconds from anywhere.
struct Line<'a> {
    at_ns: i128,
    /// Empty where the trace names none.
    host: &'a str,
    device: &'a str,
    offset: u64,
    bytes: u64,
    write: bool,
}

/// Other operations that a refusal names.
const NAMED_OPERATIONS: usize = 5;

/// I/Os from lines, of one disk.
#[derive(Default)]
struct TraceCollector<'a> {
    /// Their times are counted from `zero`.
    ios: Vec<TracedIo>,
    /// So long before the first line's time that earlier lines have a time too.
    zero: Option<i128>,
    /// I/Os of each host's disks.
    volumes: HashMap<(&'a str, &'a str), u64>,
    /// Whose I/Os the last line had, and how many lines it was.
    current: Option<((&'a str, &'a str), u64)>,
    left_out: u64,
    /// Names of operations that are no reads or writes, as far as they are few.
    others: Vec<&'a str>,
}

impl<'a> TraceCollector<'a> {
    /// Takes a line of the disk that is meant.
    fn take(&mut self, line: &Line<'a>, which: TraceSelection<'_>) -> Result<(), Refusal> {
        let volume = (line.host, line.device);
        match &mut self.current {
            // Lines of one disk follow each other, and so are counted without looking it up.
            Some((current, count)) if *current == volume => *count += 1,
            current => {
                if let Some((before, count)) = current.replace((volume, 1)) {
                    *self.volumes.entry(before).or_default() += count;
                }
            }
        }
        if !which.means(line.host, line.device) {
            return Ok(());
        }
        if line.bytes == 0 || line.bytes > LARGEST_IO {
            self.left_out += 1;
            return Ok(());
        }
        if self.ios.len() == MOST_IOS {
            return Err(Refusal::new(TRACE, format!("more than {MOST_IOS} I/Os are in it")).or("cut it"));
        }
        let Line { at_ns, offset, bytes, write, .. } = *line;
        let zero = *self.zero.get_or_insert(at_ns - BEFORE_FIRST_NS);
        // What lies centuries apart becomes no demand, wherever it is put.
        let at_ns = u64::try_from((at_ns - zero).max(0)).unwrap_or(u64::MAX);
        self.ios.push(TracedIo { at_ns, offset, bytes, write });
        Ok(())
    }

    /// Counts a line that neither reads nor writes.
    fn leave_out(&mut self, operation: &'a str) {
        self.left_out += 1;
        if self.others.len() < NAMED_OPERATIONS && !self.others.contains(&operation) {
            self.others.push(operation);
        }
    }

    /// The one volume that is meant; absent where no line has an I/O.
    fn volume(&self, which: TraceSelection<'_>) -> Result<Option<(&'a str, &'a str)>, Refusal> {
        let known: Vec<(&(&str, &str), f64)> =
            self.volumes.iter().map(|(volume, count)| (volume, *count as f64)).collect();
        if let Some(asked) =
            which.host.filter(|_| !known.is_empty() && known.iter().all(|((host, _), _)| host.is_empty()))
        {
            let cause = format!("it names no host, and so none called {asked}");
            return Err(Refusal::new(TRACE, cause).or("leave --host out"));
        }
        let meant: Vec<_> =
            known.iter().filter(|((host, device), _)| which.means(host, device)).copied().collect();
        let named = |list: &[(&(&'a str, &'a str), f64)], word: fn(&(&str, &str)) -> String| {
            disk_choices::listed(list.iter().map(|(volume, count)| (word(volume), *count)).collect())
        };
        let whole = |(host, device): &(&str, &str)| match *host {
            "" => (*device).to_owned(),
            host => format!("{device} of {host}"),
        };
        match meant.as_slice() {
            [(only, _)] => Ok(Some(**only)),
            [] if known.is_empty() => Ok(None),
            [] => {
                let asked = which.device.or(which.host).unwrap_or_default();
                let cause = format!("no disk {asked} is in it");
                let cause = match (which.device, which.host) {
                    (Some(_), Some(host)) => format!("{cause} of host {host}"),
                    (None, Some(host)) => format!("no host {host} is in it"),
                    _ => cause,
                };
                let refusal = Refusal::new(TRACE, cause).about(RefusalAbout::WhichDevice);
                Err(refusal.or(format!("these are: {}", named(&known, whole))))
            }
            several => {
                let ((first_host, first_device), _) = several[0];
                let one_host = several.iter().all(|((host, _), _)| host == first_host);
                let one_device = several.iter().all(|((_, device), _)| device == first_device);
                let (cause, remedy) = if one_device {
                    (
                        format!("disk {first_device} is in it of several hosts"),
                        format!("name one with --host: {}", named(several, |(host, _)| (*host).to_owned())),
                    )
                } else if one_host {
                    (
                        "several disks are in it".to_owned(),
                        format!(
                            "name one with --device: {}",
                            named(several, |(_, device)| (*device).to_owned())
                        ),
                    )
                } else {
                    (
                        "disks of several hosts are in it".to_owned(),
                        format!("name one with --host and --device: {}", named(several, whole)),
                    )
                };
                Err(Refusal::new(TRACE, cause).about(RefusalAbout::WhichDevice).or(remedy))
            }
        }
    }

    /// The trace in order of time, with what was done to make it one.
    fn finish(
        mut self,
        which: TraceSelection<'_>,
        mut notes: Vec<String>,
        kind: &'static str,
    ) -> Result<DemandReport, Refusal> {
        if let Some((last, count)) = self.current.take() {
            *self.volumes.entry(last).or_default() += count;
        }
        let volume = self.volume(which)?;
        if self.left_out > 0 {
            notes.push(format!(
                "{} lines neither read nor write, have no size, or one above 1 GiB, and were left out.",
                self.left_out
            ));
        }
        let back = self.ios.windows(2).filter(|pair| pair[1].at_ns < pair[0].at_ns).count();
        if back > 0 {
            notes.push(format!(
                "{back} I/Os were earlier than the line before them; all were put in order of their times."
            ));
        }
        let mut trace = Trace { ios: self.ios };
        trace.ios.sort_by_key(|io| io.at_ns);
        let Some((zero, first)) = self.zero.zip(trace.ios.first().map(|io| io.at_ns)) else {
            return Err(no_io(&self.others));
        };
        trace.ios.iter_mut().for_each(|io| io.at_ns -= first);
        let first = zero + i128::from(first);
        let demand = trace.demand().map_err(|error| {
            Refusal::caused_by(TRACE, error).or("a time in it makes no sense: cut the lines around it")
        })?;
        let dated = (first >= FIRST_DATE_NS).then_some(first / 1_000_000_000);
        Ok(DemandReport {
            demand,
            notes,
            start_unix_s: dated.and_then(|s| i64::try_from(s).ok()),
            source: kind,
            device: volume.map(|(_, device)| device).filter(|name| !name.is_empty()).map(str::to_owned),
            directions_known: true,
            throttled: Vec::new(),
            trace: Some(trace),
        })
    }
}

/// Why a trace without reads and writes is none, with the operations that it has.
fn no_io(others: &[&str]) -> Refusal {
    if others.is_empty() {
        return Refusal::new(TRACE, "no read or write is in it");
    }
    let known = "known are R, read, 0; W, write, 1; and SCSI's codes 28, 2a, 88, 8a";
    let cause = format!("no read or write is in it: its operations are {}; {known}", others.join(", "));
    Refusal::new(TRACE, cause).or("write R and W in their place")
}

/// Whether a text begins like a trace.
pub fn recognise(start: &str) -> bool {
    blkparse::recognise(start) || trace_columns::recognise(start, "")
}

/// Reads traces that continue each other.
///
/// # Errors
/// With the line that makes no sense, or when several disks are in it and none is named.
pub fn read(texts: &[&str], which: TraceSelection<'_>) -> Result<DemandReport, Refusal> {
    let mut gathering = TraceCollector::default();
    let mut notes = Vec::new();
    let mut kind = "trace";
    for text in texts {
        if blkparse::recognise(text) {
            kind = "blkparse";
            notes.extend(blkparse::read(text, which, &mut gathering)?);
        } else {
            kind = trace_columns::read(text, which, &mut gathering)?;
        }
    }
    gathering.finish(which, notes, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str, device: Option<&str>) -> Result<DemandReport, Refusal> {
        read(&[text], TraceSelection { device, ..TraceSelection::default() })
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
            let found = seen(text, None).unwrap();
            assert_eq!((found.source, found.start_unix_s), (kind, start));
            let (demand, trace) = (&found.demand, found.trace.as_ref().unwrap());
            assert_eq!(demand.read.operations.iter().chain(&demand.write.operations).sum::<u64>(), 2);
            assert_eq!([trace.ios[0].bytes, trace.ios[1].bytes], bytes, "{kind}");
            assert_eq!(demand.ticks(), 2, "{kind}");
            let spaced = format!("\u{feff}\r\n{}\n \t", text.replace(',', " ,\t").replace('\n', "\r\n\r\n"));
            assert_eq!(seen(&spaced, None).unwrap().trace, found.trace, "{kind}");
        }
    }

    #[test]
    fn several_disks_and_absurd_lines_are_named() {
        let text = "3,R,0,4096,1577808000000626\n4,W,0,16384,1577808001000626\n4,W,0,0,1577808001000627\n4,W,0,512,1577808000000000\n";
        assert!(seen(text, None).unwrap_err().remedy.contains("4, 3"), "the busiest first");
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
        let columns = "time=when,op=what,offset=where,bytes=much";
        let found = read(&[own], TraceSelection { columns, ..TraceSelection::default() }).unwrap();
        assert_eq!(found.trace.unwrap().ios[1].at_ns, 100_000_000);
    }

    #[test]
    fn disks_of_several_hosts_are_apart() {
        let line = |at: u64, host: &str, disk: u32| {
            format!("{},{host},{disk},Read,4096,4096,1\n", 128_166_372_003_061_629 + at * 10_000_000)
        };
        let text: String = [(0, "hm", 0), (1, "prn", 0), (2, "hm", 1), (3, "hm", 0)]
            .map(|(at, host, disk)| line(at, host, disk))
            .concat();
        let of = |host, device| read(&[&text], TraceSelection { host, device, columns: "" });
        let ambiguous = of(None, Some("0")).unwrap_err();
        assert!(ambiguous.remedy.contains("--host: hm, prn"), "{ambiguous}");
        assert!(of(None, None).unwrap_err().remedy.contains("0 of hm, "), "the busiest first");
        assert!(of(Some("hm"), None).unwrap_err().remedy.contains("--device: 0, 1"));
        assert!(of(Some("web"), Some("0")).unwrap_err().cause.contains("no disk 0 is in it of host web"));
        let reads =
            |seen: Result<DemandReport, Refusal>| seen.unwrap().demand.read.operations.iter().sum::<u64>();
        assert_eq!([reads(of(Some("hm"), Some("0"))), reads(of(None, Some("prn/0")))], [2, 1]);
        assert_eq!(reads(of(Some("prn"), None)), 1, "its only disk");
        let blind = read(
            &["3,R,0,4096,1577808000000626\n"],
            TraceSelection { host: Some("hm"), ..TraceSelection::default() },
        );
        assert!(blind.unwrap_err().remedy.contains("leave --host out"));
    }

    #[test]
    fn operations_of_scsi_and_blocks_are_read_and_others_named() {
        let header = "version,time,op,size,lbn\n";
        let found = seen(&format!("{header}1,5633898,2a,512,42932745\n1,5633899,28,4096,8\n"), None).unwrap();
        assert_eq!(
            (found.demand.write.bytes.clone(), found.demand.read.bytes.clone()),
            (vec![512, 0], vec![0, 4096])
        );
        assert_eq!(found.trace.unwrap().ios[0].offset, 42_932_745 * 512);
        let other =
            seen(&format!("{header}1,5633898,42,512,42932745\n1,5633899,12,36,0\n"), None).unwrap_err();
        assert!(other.cause.contains("its operations are 42, 12"), "{other}");
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
