//! Interfaces' bytes, packets, errors and drops, and the machine's TCP retransmissions.

mod metrics;

pub use metrics::METRICS;

use std::collections::HashMap;

use crate::counter_growth::per_second;
use crate::kept_file::KeptFile;
use crate::{MetricDecl, Root, Sample, Source, TelemetryError};

/// Interfaces that are followed at most.
const INTERFACES_MAX: usize = 64;

/// Received bytes, packets, errors, drops, then the same sent: the order of [`METRICS`].
type Counts = [u64; 8];

/// The network.
pub struct Net {
    root: Root,
    interfaces: KeptFile,
    tcp: KeptFile,
    tcp_more: KeptFile,
    /// Which interfaces to follow, chosen at the first sample.
    followed: Option<Vec<String>>,
    before: HashMap<String, Counts>,
    tcp_before: Option<(u64, u64)>,
    windows_before: Option<(u64, u64)>,
}

impl Net {
    /// The machine's interfaces: those with hardware under them and the loopback, or all where
    /// none has hardware (in a container).
    pub fn new(root: &Root) -> Self {
        Self {
            root: root.clone(),
            interfaces: KeptFile::new(root, "/proc/net/dev"),
            tcp: KeptFile::new(root, "/proc/net/snmp"),
            tcp_more: KeptFile::new(root, "/proc/net/netstat"),
            followed: None,
            before: HashMap::new(),
            tcp_before: None,
            windows_before: None,
        }
    }

    fn sample_interfaces(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) -> Result<(), TelemetryError> {
        let text = self.interfaces.text("interface counts need /proc mounted")?;
        let root = &self.root;
        let followed =
            self.followed.get_or_insert_with(|| choose(root, parse_interfaces(&text).map(|(n, _)| n)));
        let mut after = HashMap::with_capacity(followed.len());
        for (name, now) in parse_interfaces(&text).filter(|(name, _)| followed.iter().any(|f| f == name)) {
            if let Some(before) = self.before.get(name) {
                for (metric, (before, now)) in METRICS.iter().zip(before.iter().zip(now)) {
                    sample.put(metric, name, per_second(*before, now, elapsed_ns));
                }
            }
            after.insert(name.to_owned(), now);
        }
        self.before = after;
        Ok(())
    }

    fn sample_tcp(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) -> Result<(), TelemetryError> {
        let text = self.tcp.text("TCP counts need /proc mounted")?;
        let now = parse_pair(&text, "Tcp:", ["OutSegs", "RetransSegs"]);
        if let (Some(before), Some(now)) = (self.tcp_before, now) {
            sample.put(&METRICS[8], "", per_second(before.0, now.0, elapsed_ns));
            sample.put(&METRICS[9], "", per_second(before.1, now.1, elapsed_ns));
        }
        self.tcp_before = now;
        Ok(())
    }

    fn sample_windows(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) -> Result<(), TelemetryError> {
        let text = self.tcp_more.text("TCP window counts need /proc mounted")?;
        let now = parse_pair(&text, "TcpExt:", ["TCPToZeroWindowAdv", "TCPWinProbe"]);
        if let (Some(before), Some(now)) = (self.windows_before, now) {
            sample.put(&METRICS[10], "", per_second(before.0, now.0, elapsed_ns));
            sample.put(&METRICS[11], "", per_second(before.1, now.1, elapsed_ns));
        }
        self.windows_before = now;
        Ok(())
    }
}

fn choose<'a>(root: &Root, names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let hardware = |name: &str| root.exists(format!("/sys/class/net/{name}/device"));
    let any = names.clone().any(hardware);
    names
        .filter(|name| !any || *name == "lo" || hardware(name))
        .take(INTERFACES_MAX)
        .map(str::to_owned)
        .collect()
}

/// Lines of `/proc/net/dev`: name, a colon, 8 columns received and 8 sent.
fn parse_interfaces(text: &str) -> impl Iterator<Item = (&str, Counts)> + Clone {
    text.lines().filter_map(|line| {
        // Names of aliases hold colons themselves; the last one ends the name.
        let (name, columns) = line.rsplit_once(':')?;
        let mut words = [0u64; 16];
        let mut known = 0;
        for (column, word) in words.iter_mut().zip(columns.split_ascii_whitespace()) {
            *column = word.parse().ok()?;
            known += 1;
        }
        let [r_bytes, r_packets, r_errors, r_drops, .., s_bytes, s_packets, s_errors, s_drops, _, _, _, _] =
            words;
        let counts = [r_bytes, r_packets, r_errors, r_drops, s_bytes, s_packets, s_errors, s_drops];
        (known >= 12).then_some((name.trim(), counts))
    })
}

/// Two counts by name, from a line of names and one of numbers, as in `/proc/net/snmp`.
fn parse_pair(text: &str, prefix: &str, wanted: [&str; 2]) -> Option<(u64, u64)> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(prefix));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let number = |wanted: &str| {
        let at = names.split_ascii_whitespace().position(|name| name == wanted)?;
        numbers.split_ascii_whitespace().nth(at)?.parse().ok()
    };
    Some((number(wanted[0])?, number(wanted[1])?))
}

impl Source for Net {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        if let Err(error) = self.sample_interfaces(elapsed_ns, sample) {
            self.before.clear();
            sample.absent("net", error.cause);
        }
        if let Err(error) = self.sample_tcp(elapsed_ns, sample) {
            self.tcp_before = None;
            sample.absent("net", error.cause);
        }
        if let Err(error) = self.sample_windows(elapsed_ns, sample) {
            self.windows_before = None;
            sample.absent("net", error.cause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEV: &str = "Inter-|   Receive                                                |  Transmit\n \
        face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
        lo:     100       2    0    0    0     0          0         0      100       2    0    0    0     0       0          0\n  \
        eth0: 1000 10 1 2 0 0 0 0 3000 30 3 4 0 0 0 0\nveth9:1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n";

    #[test]
    fn interfaces_read_with_or_without_a_blank_after_the_colon() {
        let read: Vec<_> = parse_interfaces(DEV).collect();
        assert_eq!(read.len(), 3);
        assert_eq!(read[1], ("eth0", [1000, 10, 1, 2, 3000, 30, 3, 4]));
        assert_eq!(read[2].0, "veth9");
        assert_eq!(parse_interfaces("eth0: 1 2 3\neth1: a b c d e f g h i j k l").count(), 0);
    }

    #[test]
    fn tcp_counts_are_found_by_name() {
        let parse_tcp = |text: &str| parse_pair(text, "Tcp:", ["OutSegs", "RetransSegs"]);
        let text = "Ip: A B\nIp: 1 2\nTcp: RtoMin MaxConn OutSegs RetransSegs InErrs\nTcp: 200 -1 77 5 0\n";
        assert_eq!(parse_tcp(text), Some((77, 5)));
        assert_eq!(parse_tcp("Tcp: OutSegs RetransSegs\nTcp: 77\n"), None);
        assert_eq!(parse_tcp("Tcp: OutSegs\n"), None);
    }

    #[test]
    fn interfaces_without_hardware_are_left_out_unless_there_are_no_others() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::at(tree.path());
        assert_eq!(choose(&root, ["lo", "eth0", "veth9"].into_iter()).len(), 3);
        std::fs::create_dir_all(tree.path().join("sys/class/net/eth0/device")).unwrap();
        assert_eq!(choose(&root, ["lo", "eth0", "veth9"].into_iter()), ["lo", "eth0"]);
    }
}
