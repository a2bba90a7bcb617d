//! `fathom size --fleet` on rows that are not sorted by volume: what it says is what it says of sorted ones.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use crate::typed::{Answer, Typist};

const HEADER: &str = "volume,time,reads,writes,read_bytes,write_bytes,size,current";
const ASKED: [&str; 6] = ["size", "--fleet", "--region", "us-east-1", "--values", "per-row"];

/// Numbers that are the same in every run (Steele, Lea and Flood, "SplitMix64", 2014).
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[derive(Clone, Debug)]
struct Row {
    volume: String,
    time: i64,
    counts: [f64; 4],
    size: f64,
    current: &'static str,
}

/// Four days of 5-minute counts with gaps and repeats, of volumes that some grew in the meantime; one is unlike the
/// others, one is too short.
fn fleet(drawn: &mut Drawn) -> Vec<Row> {
    let mut rows = Vec::new();
    for volume in 0..24 {
        let iops = 100.0 + drawn.below(5000) as f64;
        let ticks = if volume == 3 { 1 } else { 4 * 288 };
        let grown_at = drawn.below(2 * ticks);
        for tick in 0..ticks {
            if drawn.below(50) == 0 {
                continue;
            }
            let writes = (iops * 300.0 * (0.5 + drawn.below(1000) as f64 / 1000.0)).round();
            let reads = writes / 4.0;
            let is_grown = tick >= grown_at;
            let row = Row {
                volume: format!("vol-{volume:02}"),
                time: 1_793_491_200 + 300 * tick as i64,
                counts: [reads, writes, reads * 8192.0, writes * 16384.0],
                size: if is_grown { 400.0 } else { 100.5 },
                current: if is_grown { "gp3:iops=16000,throughput=1000" } else { "gp3" },
            };
            let repeats = 1 + usize::from(drawn.below(100) == 0);
            rows.extend(vec![row; repeats]);
        }
    }
    rows
}

fn csv(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let [reads, writes, read_bytes, write_bytes] = row.counts;
        format!(
            "{},{},{reads},{writes},{read_bytes},{write_bytes},{},\"{}\"\n",
            row.volume, row.time, row.size, row.current
        )
    };
    format!("{HEADER}\n{}", rows.iter().map(line).collect::<String>())
}

/// The same as Parquet, so many rows in a row group.
fn parquet(rows: &[Row], each: usize) -> Vec<u8> {
    let schema = "message rows { required binary volume (STRING); required int64 time; required double reads; \
        required double writes; required double read_bytes; required double write_bytes; required double size; \
        required binary current (STRING); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Default::default()).unwrap();
    for rows in rows.chunks(each) {
        let mut group = file.next_row_group().unwrap();
        for column in 0..8 {
            let mut writer = group.next_column().unwrap().unwrap();
            let real = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
            let words = |of: &dyn Fn(&Row) -> String| -> Vec<ByteArray> {
                rows.iter().map(|row| ByteArray::from(of(row).into_bytes())).collect()
            };
            match column {
                0 => {
                    writer.typed::<ByteArrayType>().write_batch(&words(&|row| row.volume.clone()), None, None)
                }
                1 => {
                    let times: Vec<i64> = rows.iter().map(|row| row.time).collect();
                    writer.typed::<Int64Type>().write_batch(&times, None, None)
                }
                6 => writer.typed::<DoubleType>().write_batch(&real(&|row| row.size), None, None),
                7 => writer.typed::<ByteArrayType>().write_batch(
                    &words(&|row| row.current.to_owned()),
                    None,
                    None,
                ),
                flow => {
                    writer.typed::<DoubleType>().write_batch(&real(&|row| row.counts[flow - 2]), None, None)
                }
            }
            .unwrap();
            writer.close().unwrap();
        }
        group.close().unwrap();
    }
    file.close().unwrap();
    bytes
}

/// What is said of files in a folder: each volume's row, and the summary without where it was read from and by which
/// command.
fn judged(typist: &Typist, from: &str) -> (String, Value, String) {
    let rows = format!("{from}.rows.csv");
    let answer =
        typist.run(&[ASKED.as_slice(), &[from, "--rows", &rows, "--json", "--scratch", "."]].concat());
    assert_eq!(answer.status, 0, "{answer:?}");
    let mut record = answer.json();
    record.as_object_mut().unwrap().retain(|key, _| key != "from" && key != "command");
    (std::fs::read_to_string(typist.path(&rows)).unwrap(), record, answer.stderr)
}

#[test]
fn rows_in_any_order_are_judged_as_sorted_ones() {
    for seed in 0..3 {
        let mut drawn = Drawn(seed);
        let typist = Typist::new();
        let sorted = fleet(&mut drawn);
        let write = |name: &str, bytes: &[u8]| {
            let path = typist.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        write("sorted.csv", csv(&sorted).as_bytes());
        write("sorted.parquet", &parquet(&sorted, 3000));
        let (rows, record, told) = judged(&typist, "sorted.csv");
        assert!(!told.contains("gathering") && record["volumes"] == 24, "{told}");
        assert_eq!(judged(&typist, "sorted.parquet").0, rows);
        let mut shuffled = sorted.clone();
        drawn.shuffle(&mut shuffled);
        let mut by_time = sorted.clone();
        by_time.sort_by_key(|row| row.time);
        write("shuffled.csv", csv(&shuffled).as_bytes());
        write("shuffled.parquet", &parquet(&shuffled, 1000));
        for (day, rows) in by_time.chunks(by_time.len() / 5).enumerate() {
            // The days are not in the order of their names.
            write(&format!("days/{}.parquet", day * 3 % 7), &parquet(rows, 900));
            write(&format!("texts/{}.csv", day * 3 % 7), csv(rows).as_bytes());
        }
        for name in ["shuffled.csv", "shuffled.parquet", "days", "texts"] {
            let (other_rows, other, told) = judged(&typist, name);
            assert!(told.contains("gathering the rows of each volume"), "{told}");
            assert_eq!(other_rows, rows, "{name} of seed {seed}");
            assert_eq!(other, record, "{name} of seed {seed}");
        }
        let names = std::fs::read_dir(typist.folder()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with('.')).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_volume_with_counts_in_one_table_and_rates_in_another_is_not_judged() {
    let typist = Typist::new();
    let line = |time: u32| format!("a,{time},1000,1000,8192000,8192000,100,\n");
    let counts = format!("{HEADER}\n").replace("reads", "VolumeReadOps");
    let rates = format!("{HEADER}\n").replace("reads", "read_iops");
    let text = |header: &str, from: u32| {
        header.to_owned() + &(from..from + 20).map(|i| line(i * 60)).collect::<String>()
    };
    std::fs::write(typist.path("a.csv"), text(&counts, 1)).unwrap();
    std::fs::write(typist.path("b.csv"), text(&rates, 21)).unwrap();
    let asked = ["size", "--fleet", "--region", "us-east-1", "a.csv", "b.csv"];
    let answer = typist.run(&asked);
    assert!(answer.status == 1 && answer.stdout.contains("counts in one table and rates"), "{answer:?}");
}

#[test]
fn a_folder_that_takes_no_rows_is_refused_with_what_to_type() {
    let typist = Typist::new();
    let mut rows = fleet(&mut Drawn(9));
    rows.sort_by_key(|row| row.time);
    std::fs::write(typist.path("apart.csv"), csv(&rows)).unwrap();
    for scratch in ["absent", "apart.csv", "/proc"] {
        let answer = typist.run(&[ASKED.as_slice(), &["apart.csv", "--scratch", scratch]].concat());
        assert!(answer.status == 2 && answer.stderr.contains("--scratch FOLDER"), "{scratch}: {answer:?}");
    }
}

#[test]
fn ctrl_c_leaves_neither_rows_nor_a_draft_of_them() {
    let typist = Typist::new();
    let mut text = format!("{HEADER}\n");
    let rows = fleet(&mut Drawn(5));
    for copy in 0..40 {
        let renamed =
            rows.iter().map(|row| Row { volume: format!("{copy:02}-{}", row.volume), ..row.clone() });
        text += csv(&renamed.collect::<Vec<Row>>()).split_once('\n').unwrap().1;
    }
    std::fs::write(typist.path("fleet.csv"), text).unwrap();
    let child = typist.start(&[ASKED.as_slice(), &["fleet.csv", "--rows", "rows.csv"]].concat());
    let drafts = || {
        let names = std::fs::read_dir(typist.folder()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with(".fathom-")).count()
    };
    for _ in 0..2000 {
        if drafts() > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let answer: Answer = child.wait_with_output().unwrap().into();
    assert_eq!((answer.status, drafts()), (1, 0), "{answer:?}");
    assert!(
        answer.stderr.contains("stopped before all rows were read") && !typist.path("rows.csv").exists(),
        "{answer:?}"
    );
}
