//! Texts made of pieces that mean something to some tool of telemetry.

use fathom_tools::observers::{OBSERVERS, observe};
use proptest::prelude::*;

use crate::counting::held_by;

/// Reads a text with every tool, whether it is taken for its own or not.
fn read_all(bytes: &[u8]) {
    let _ = observe(bytes);
    for observer in OBSERVERS {
        let _ = (observer.observe)(bytes);
        let _ = (observer.audit)(bytes);
    }
}

/// What texts are made of here: pieces that mean something to some tool.
const PIECES: [&str; 40] = [
    "\n",
    " ",
    "\t",
    "Linux 6.1 (h) 06/01/20 _x_ (2 CPU)\n",
    "Device ",
    "Device: ",
    "r/s w/s rkB/s ",
    " Device\n",
    "avg-cpu: %user %idle\n",
    "sda 1.00 2.00 3.00\n",
    "12:00:00 ",
    "12:00:01 AM ",
    "Average: ",
    "CPU %usr %idle\n",
    "all 1.00 99.00\n",
    "0 1.00 99.00\n",
    "06/01/20 12:00:00\n",
    "DEV tps rkB/s\n",
    "sdb 1,00 2.5k\n",
    "TEMP degC %temp DEVICE\n",
    " r b swpd free\n",
    "1 2 3 4\n",
    "Performance counter stats for 'x':\n",
    "1,234 cycles # 3\n",
    "0.5 seconds time elapsed\n",
    "<not counted> msec task-clock\n",
    "0.1,5,,cycles,1,100\n",
    "{\"sysstat\": {\"hosts\": [{\"statistics\": [",
    "{\"disk\": [{\"disk_device\": \"a\", \"r/s\": 1}]},",
    "{}]}]}}",
    "{\"counter-value\": \"1\", \"event\": \"x\"}\n",
    "time (seconds)\ttps\n",
    "1\t2.0\n",
    "\u{1b}[1m",
    "é",
    "99999999999",
    "INTR all CPU0 CPU1\n",
    "CPU CORE SOCK NODE %usr\n",
    "-1.00",
    "CPU0 ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_of_known_pieces_panics(picks in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = picks.iter().map(|at| PIECES[*at]).collect();
        read_all(text.as_bytes());
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn cut_and_changed_outputs_do_not_panic(at in 0..4000_usize, byte in any::<u8>(), end in 0..5000_usize) {
        for whole in [
            &include_bytes!("../telemetry/own/iostat-x.txt")[..], include_bytes!("../telemetry/own/iostat.json"), include_bytes!("../telemetry/own/mpstat.txt"),
            include_bytes!("../telemetry/own/sar-mixed.txt"), include_bytes!("../telemetry/own/sadf.json"), include_bytes!("../telemetry/own/perf-I.csv"),
            include_bytes!("../telemetry/own/vmstat-t.txt"), include_bytes!("../telemetry/own/perf-A.txt"),
        ] {
            let mut bytes = whole[..end.min(whole.len())].to_vec();
            if let Some(slot) = bytes.get_mut(at) {
                *slot = byte;
            }
            read_all(&bytes);
        }
    }
}

/// Texts made to take as much memory as can be for their length.
#[test]
fn memory_stays_in_proportion_to_the_text() {
    let things = |n: usize| (0..n).map(|at| format!("{at:x} 0 0 0\n")).collect::<String>();
    let each_alone: String = (0..3000).map(|at| format!("Device r/s\n{at:x} 0\n")).collect();
    let averages: String =
        (0..4000).map(|at| format!("12:00:00 CPU %idle\n12:00:01 {at} 1\nAverage: {at} 1\n")).collect();
    let texts = [
        format!("Device r/s w/s d/s\n{}", things(20_000)),
        each_alone,
        averages,
        "Device r/s\n".repeat(20_000),
        format!("12:00:00 CPU {}\n", "%usr ".repeat(20_000)),
        format!("{{\"sysstat\":{{\"hosts\":[{{\"statistics\":[{}{{}}]}}]}}}}", "{\"\":0},".repeat(20_000)),
        format!("{{\"sysstat\":{{\"hosts\":[{}0]}}}}", "[],".repeat(30_000)),
        format!(" r b swpd\n{}", "1 1 1\n".repeat(20_000)),
        format!("# time counts unit events\n{}", "1 2 a\n".repeat(20_000)),
        format!(
            "# time counts unit events\n{}",
            (0..9000).map(|at| format!("{at} 2 e{at}\n")).collect::<String>()
        ),
        "1,2,,a,5\n".repeat(10_000),
        "{\"counter-value\":\"1\"}\n".repeat(10_000),
    ];
    for text in &texts {
        let start: String = text.chars().take(40).collect();
        let most = held_by(|| read_all(text.as_bytes()));
        assert!(most <= 100 * text.len() as i64, "{most} bytes for {} of {start:?}", text.len());
    }
}
