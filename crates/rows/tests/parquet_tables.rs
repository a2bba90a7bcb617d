//! Parquet tables of a fleet, as several writers write them: the same rows as the text beside them, and no
//! damage that panics.
//!
//! The files in `fleets` hold the rows of `fleet.csv` (three volumes, one empty cell, one count below zero), cut
//! into row groups wherever they fall. `pyarrow_snappy` has dictionaries and UTC microseconds, `pyarrow_v2_lz4`
//! pages of version 2 with delta encodings, `pyarrow_int96_gzip` times of old Spark; `polars_zstd` nanoseconds without
//! a zone and single precision; `duckdb` milliseconds as numbers and decimals.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail by panicking")]

use std::fs::File;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use fathom_rows::demand_tables::{
    Groups, Interest, Run, RunSink, WholeColumn, WholeKind, header, of_parquet, read_text, whole_columns,
};
use fathom_rows::{Hints, Values};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const WRITERS: [&str; 5] =
    ["pyarrow_snappy", "pyarrow_v2_lz4", "pyarrow_int96_gzip", "polars_zstd", "duckdb"];
const COUNTS: Hints<'static> =
    Hints { device: None, instance: None, columns: "", values: Some(Values::PerRow) };

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fleets").join(name)
}

fn golden(name: &str) -> Bytes {
    std::fs::read(place(&format!("{name}.parquet"))).unwrap().into()
}

/// Joins runs as a fleet's reader does.
#[derive(Default)]
struct Joined {
    runs: Vec<Run>,
    not: &'static str,
}

impl RunSink for Joined {
    fn interest(&self, volume: &[u8]) -> Interest {
        if volume == self.not.as_bytes() { Interest::Name } else { Interest::Rows }
    }

    fn take(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.volume == run.volume => last.append(run),
            _ => self.runs.push(run),
        }
    }
}

fn read(bytes: &Bytes, not: &'static str) -> Result<Vec<Run>, String> {
    let groups = Groups::open(bytes, &COUNTS).map_err(|refusal| refusal.to_string())?;
    let mut joined = Joined { not, ..Joined::default() };
    for group in 0..groups.count() {
        groups.read(bytes.clone(), group, &mut joined).map_err(|error| error.to_string())?;
    }
    Ok(joined.runs)
}

#[test]
fn whole_columns_are_the_text_s_and_what_is_not_there_is_absent() {
    let text = std::fs::read_to_string(place("fleet.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let wanted = [
        ("volume_id", WholeKind::Words),
        ("writes", WholeKind::Numbers),
        ("current", WholeKind::Words),
        ("colour", WholeKind::Words),
    ];
    for writer in WRITERS {
        let found = whole_columns(&Arc::new(golden(writer)), &wanted, 1000).unwrap();
        let [
            Some(WholeColumn::Words(volumes)),
            Some(WholeColumn::Numbers(writes)),
            Some(WholeColumn::Words(current)),
            None,
        ] = found.as_slice()
        else {
            panic!("{writer}: {found:?}");
        };
        assert_eq!((volumes.places.len(), writes.len()), (rows.len(), rows.len()), "{writer}");
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(volumes.word(at), Some(row[0]), "{writer}: {at}");
            assert_eq!(current.word(at), Some(row[7]).filter(|word| !word.is_empty()), "{writer}: {at}");
            let is_same = match row[3].parse::<f64>() {
                Ok(value) => (writes[at] - value).abs() <= value.abs() * 1e-6,
                Err(_) => writes[at].is_nan(),
            };
            assert!(is_same, "{writer}: {at}: {} for {:?}", writes[at], row[3]);
        }
        let many = whole_columns(&Arc::new(golden(writer)), &wanted, 1).unwrap_err();
        assert!(
            many.cause.contains("rows") && many.kind.about == fathom_tools::RefusalAbout::TooMany,
            "{many}"
        );
        let wrong = whole_columns(&Arc::new(golden(writer)), &[("volume_id", WholeKind::Numbers)], 1000);
        assert!(wrong.unwrap_err().cause.contains("a number is needed"), "{writer}");
    }
}

#[test]
fn every_writer_s_table_holds_the_rows_of_the_text() {
    let text = std::fs::read(place("fleet.csv")).unwrap();
    let mut joined = Joined::default();
    read_text(Cursor::new(&text), &header(&text, &COUNTS).unwrap(), 0..u64::MAX, &mut joined).unwrap();
    let wanted = joined.runs;
    assert_eq!((wanted.len(), wanted[1].empty, wanted[0].size_gib.get()), (3, 1, Some(&100.0)));
    for writer in WRITERS {
        let mut runs = read(&golden(writer), "").unwrap();
        // What is wrong is told with its time; of a text with its place.
        let trouble = runs[2].trouble.take().unwrap();
        assert!(trouble.contains("row of 2026-11-01T00:07:00Z, reads below zero"), "{writer}: {trouble}");
        for (run, wanted) in runs.iter().zip(&wanted) {
            assert_eq!(run, &Run { trouble: None, ..wanted.clone() }, "{writer}");
        }
        let without = read(&golden(writer), "vol-b").unwrap();
        let rows: Vec<_> = without.iter().map(|run| (run.rows, run.intervals.len())).collect();
        assert_eq!(rows, [(40, 40), (40, 0), (40, 39)], "{writer}");
    }
}

#[test]
fn one_volume_of_a_table_is_a_demand() {
    let files = || vec![("f".to_owned(), File::open(place("pyarrow_snappy.parquet")).unwrap())];
    let of = |device| of_parquet(&files(), &Hints { device, ..COUNTS });
    let seen = of(Some("vol-b")).unwrap();
    assert_eq!((seen.demand.tick_s, seen.demand.ticks(), seen.demand.read.operations[3]), (60, 40, 22));
    assert_eq!((seen.start_unix_s, seen.device.as_deref()), (Some(1_793_491_140), Some("vol-b")));
    assert!(seen.notes.iter().any(|note| note.contains("1 rows have an empty cell")), "{:?}", seen.notes);
    assert!(of(None).unwrap_err().remedy.contains("--device: vol-a, vol-b, vol-c"));
    assert!(of(Some("vol-x")).unwrap_err().cause.contains("no volume vol-x"));
    let odd = of(Some("vol-c")).unwrap();
    assert!(odd.notes.iter().any(|note| note.contains("left out")), "{:?}", odd.notes);
}

#[test]
fn damage_is_refused_or_read_and_never_panics() {
    for writer in WRITERS {
        let whole = golden(writer);
        for length in (0..whole.len()).step_by(7) {
            assert!(read(&whole.slice(..length), "").is_err(), "{writer} cut at {length}");
        }
        let mut refused = 0;
        for at in (0..whole.len()).step_by(3) {
            let mut damaged = whole.to_vec();
            damaged[at] ^= [0xff, 0x80, 0x01][at / 3 % 3];
            refused += usize::from(read(&damaged.into(), "").is_err());
        }
        assert!(refused > whole.len() / 30, "{writer}: {refused} of {}", whole.len());
    }
}

/// A table with these columns, without rows.
fn of_columns(columns: &str) -> Bytes {
    let schema = parse_message_type(&format!("message rows {{ {columns} }}")).unwrap();
    let mut bytes = Vec::new();
    SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::default()).unwrap().close().unwrap();
    bytes.into()
}

#[test]
fn columns_that_are_missing_or_hold_something_else_are_named() {
    let with = |volume: &str, time: &str, reads: &str| {
        of_columns(&format!(
            "{volume} {time} {reads} OPTIONAL INT64 writes; OPTIONAL DOUBLE read_bytes; OPTIONAL DOUBLE write_bytes;"
        ))
    };
    let (volume, time, reads) = (
        "REQUIRED BINARY volume (UTF8);",
        "REQUIRED INT64 time (TIMESTAMP_MILLIS);",
        "OPTIONAL INT32 reads (UINT_32);",
    );
    assert_eq!(read(&with(volume, time, reads), ""), Ok(Vec::new()));
    for (table, told) in [
        (with("", time, reads), "volume="),
        (with(volume, "", reads), "no column for time"),
        (with(volume, time, "OPTIONAL BOOLEAN reads;"), "reads holds BOOLEAN"),
        (with(volume, time, "REPEATED INT64 reads;"), "reads holds INT64"),
        (with(volume, time, "OPTIONAL INT64 reads (TIMESTAMP_MILLIS);"), "a number is needed"),
        (with(volume, "REQUIRED INT64 time (TIME_MICROS);", reads), "a time is needed"),
        (
            with("REQUIRED DOUBLE volume;", time, "OPTIONAL FIXED_LEN_BYTE_ARRAY (9) reads (DECIMAL(20,2));"),
            "reads holds FIXED",
        ),
    ] {
        let refused = read(&table, "").unwrap_err();
        assert!(refused.contains(told), "{refused}");
        assert!(refused.contains("--columns"), "{refused}");
    }
    assert!(read(&Bytes::from_static(b"PAR1 and no more"), "").is_err());
}

#[test]
fn rows_beyond_a_batch_keep_their_order_and_their_nulls() {
    let schema = "message rows { REQUIRED BINARY volume (UTF8); REQUIRED INT64 time; OPTIONAL INT64 reads; REQUIRED INT64 writes; \
        REQUIRED INT64 read_bytes; REQUIRED INT64 write_bytes; REQUIRED BOOLEAN other; }";
    let rows = 20_000i64;
    let mut bytes = Vec::new();
    let mut file =
        SerializedFileWriter::new(&mut bytes, Arc::new(parse_message_type(schema).unwrap()), Arc::default())
            .unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut number = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        let values: Vec<i64> = (0..rows).map(|row| if number == 1 { 60 * row } else { row }).collect();
        match number {
            0 => {
                let names: Vec<ByteArray> =
                    (0..rows).map(|row| format!("v{}", row / 7000).as_str().into()).collect();
                column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
            }
            2 => {
                let levels: Vec<i16> = (0..rows).map(|row| i16::from(row % 5 != 0)).collect();
                let there: Vec<i64> = values.into_iter().filter(|row| row % 5 != 0).collect();
                column.typed::<Int64Type>().write_batch(&there, Some(&levels), None).unwrap();
            }
            6 => {
                column.typed::<BoolType>().write_batch(&vec![true; rows as usize], None, None).unwrap();
            }
            _ => {
                column.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
            }
        }
        column.close().unwrap();
        number += 1;
    }
    group.close().unwrap();
    file.close().unwrap();
    let runs = read(&bytes.clone().into(), "v1").unwrap();
    let counts: Vec<_> = runs.iter().map(|run| (run.rows, run.empty, run.intervals.len())).collect();
    assert_eq!(counts, [(7000, 1400, 5600), (7000, 0, 0), (6000, 1200, 4800)]);
    for interval in runs.iter().flat_map(|run| &run.intervals) {
        let row = interval.end_ns / 60_000_000_000;
        assert_eq!((interval.reads, interval.writes, row % 5 != 0), (row as f64, row as f64, true));
    }
}
