//! A demand that was drawn, as fathom is given it and as the slow simulator serves it.

use std::fmt::Write as _;

/// First time in every table: a whole number of every tick's length.
const EPOCH_S: u64 = 1_760_000_400;

/// One direction's sums in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub ios: u64,
    pub bytes: u64,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    pub at_us: u64,
    pub bytes: u64,
    pub offset: u64,
    pub writes: bool,
}

/// What is known of the demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Sums of reads and of writes of each tick; nothing where a row is missing.
    Table(Vec<Option<[Sum; 2]>>),
    /// Each I/O by itself.
    Trace(Vec<Io>),
}

/// A demand and the terms on which storage is bought for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    pub name: String,
    pub shape: &'static str,
    pub tick_s: u64,
    pub form: Form,
    pub region: &'static str,
    pub instance: Option<&'static str>,
    pub margin_percent: u64,
    /// Share of the I/Os that may be late, in millionths.
    pub late_ppm: u64,
    pub wait_s: u64,
    pub size_gib: u64,
    pub current: Option<String>,
}

impl Demand {
    pub fn is_trace(&self) -> bool {
        matches!(self.form, Form::Trace(_))
    }

    pub fn ticks(&self) -> usize {
        match &self.form {
            Form::Table(rows) => rows.len(),
            Form::Trace(ios) => ios.last().map_or(0, |io| (io.at_us / 1_000_000 / self.tick_s) as usize + 1),
        }
    }

    /// Ticks that an I/O may wait.
    pub fn patience(&self) -> usize {
        (self.wait_s / self.tick_s).max(1) as usize
    }

    /// The same with nothing known but each tick's sums.
    pub fn summed(&self) -> Self {
        let rows = match &self.form {
            Form::Table(rows) => rows.clone(),
            Form::Trace(ios) => {
                let mut rows = vec![Some([Sum::default(); 2]); self.ticks()];
                for io in ios {
                    let row = rows[(io.at_us / 1_000_000 / self.tick_s) as usize].get_or_insert_default();
                    let sum = &mut row[usize::from(io.writes)];
                    (sum.ios, sum.bytes) = (sum.ios + 1, sum.bytes + io.bytes);
                }
                rows
            }
        };
        Self { form: Form::Table(rows), ..self.clone() }
    }

    /// The file that fathom is given.
    pub fn text(&self) -> String {
        match &self.form {
            Form::Table(rows) => {
                let mut text = "time,reads,writes,read_bytes,write_bytes\n".to_owned();
                for (tick, row) in rows.iter().enumerate() {
                    let Some([read, write]) = row else { continue };
                    let at = EPOCH_S + tick as u64 * self.tick_s;
                    let _ = writeln!(text, "{at},{},{},{},{}", read.ios, write.ios, read.bytes, write.bytes);
                }
                text
            }
            Form::Trace(ios) => {
                let mut text = "time,op,offset,bytes\n".to_owned();
                for io in ios {
                    let (s, us) = (io.at_us / 1_000_000, io.at_us % 1_000_000);
                    let op = if io.writes { 'W' } else { 'R' };
                    let _ = writeln!(text, "{s}.{us:06},{op},{},{}", io.offset, io.bytes);
                }
                text
            }
        }
    }

    /// The words behind `fathom` that size it.
    pub fn words(&self, file: &str) -> Vec<String> {
        let mut words: Vec<String> = vec!["size".to_owned(), file.to_owned()];
        match self.form {
            Form::Table(_) => words.extend(["--values".to_owned(), "per-row".to_owned()]),
            Form::Trace(_) => {
                words
                    .extend(["--columns".to_owned(), "time=time,op=op,offset=offset,bytes=bytes".to_owned()]);
            }
        }
        let mut say = |name: &str, value: String| words.extend([name.to_owned(), value]);
        say("--size", format!("{}GiB", self.size_gib));
        say("--region", self.region.to_owned());
        say("--margin", format!("{}.{:02}", self.margin_percent / 100, self.margin_percent % 100));
        say("--late", format!("{}%", self.late_ppm as f64 / 10_000.0));
        say("--wait", format!("{}s", self.wait_s));
        if let Some(instance) = self.instance {
            say("--instance", instance.to_owned());
        }
        if let Some(current) = &self.current {
            say("--current", current.clone());
        }
        words
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// On plain terms.
    pub fn of(form: Form) -> Demand {
        Demand {
            name: "t".to_owned(),
            shape: "t",
            tick_s: 1,
            form,
            region: "us-east-1",
            instance: None,
            margin_percent: 100,
            late_ppm: 1000,
            wait_s: 1,
            size_gib: 100,
            current: None,
        }
    }

    #[test]
    fn fathom_is_given_what_was_drawn() {
        let io = |at_us, writes| Io { at_us, bytes: 512, offset: 4096, writes };
        let mut trace = of(Form::Trace(vec![io(0, true), io(1_500_000, false)]));
        trace.margin_percent = 130;
        assert_eq!(trace.text(), "time,op,offset,bytes\n0.000000,W,4096,512\n1.500000,R,4096,512\n");
        assert_eq!((trace.ticks(), trace.patience()), (2, 1));
        let (none, one) = (Sum::default(), Sum { ios: 1, bytes: 512 });
        assert_eq!(trace.summed().form, Form::Table(vec![Some([none, one]), Some([one, none])]));
        let words = trace.words("f").join(" ");
        assert!(words.contains("--margin 1.30 --late 0.1% --wait 1s"), "{words}");
        let row = Some([Sum { ios: 3, bytes: 4096 }, Sum { ios: 1, bytes: 512 }]);
        let mut table = of(Form::Table(vec![row, None, row]));
        (table.tick_s, table.wait_s) = (10, 60);
        assert_eq!(table.text().lines().nth(2), Some("1760000420,3,1,4096,512"), "a row is missing");
        assert_eq!((table.ticks(), table.patience()), (3, 6));
    }
}
