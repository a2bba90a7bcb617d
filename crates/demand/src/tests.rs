//! Demands from texts of tools and from intervals, whole.

use fathom_rows::{DemandReport, Hints, Interval, Values, of_intervals};
use fathom_tools::Refusal;
use fathom_tools::result_import::{Head, recognise};

use crate::{Text, read, what};

/// A text of iostat with a report since the machine started, and one a second of these reads.
fn iostat(stamped: bool, reads: &[u32]) -> String {
    let mut text = "Linux 6.1 (h) \t11/20/26 \t_x86_64_\t(2 CPU)\n".to_owned();
    for (second, reads) in std::iter::once(&5).chain(reads).enumerate() {
        let stamp = if stamped { format!("2026-11-20T10:00:{second:02}+0000\n") } else { String::new() };
        text += &format!("\n{stamp}Device r/s rkB/s w/s wkB/s\nsda {reads}.00 {}.00 0.00 0.00\n", reads * 4);
    }
    text
}

fn seen(text: &str, device: Option<&str>) -> Result<DemandReport, Refusal> {
    read(&[Text { name: "a", bytes: text.as_bytes() }], &Hints { device, ..Hints::default() })
}

#[test]
fn the_first_interval_is_one_of_them() {
    for stamped in [true, false] {
        let found = seen(&iostat(stamped, &[1000, 100, 100, 100]), None).unwrap();
        assert_eq!((found.demand.tick_s, &found.demand.read.operations), (1, &vec![1000, 100, 100, 100]));
        assert_eq!(found.demand.read.bytes[0], 1000 * 4096);
        let start = stamped.then_some(1_795_168_800);
        assert_eq!((found.start_unix_s, found.demand.gaps.len()), (start, 0));
        let only = seen(&iostat(stamped, &[700]), None).unwrap();
        assert_eq!(only.demand.read.operations, [700], "the report since the start says when it began");
    }
    let cut = iostat(true, &[1000, 100]).split_once("10:00:00+0000").unwrap().1.to_owned();
    let cut = cut.split_once("\n2026").map(|(_, rest)| format!("2026{rest}")).unwrap();
    let found = seen(&cut, None).unwrap();
    assert_eq!(found.demand.read.operations, [1000, 100], "without it, as long as the next");
}

#[test]
fn sars_header_says_when_its_first_interval_begins() {
    let rows: String = [(10, 600), (20, 100), (30, 100)]
        .map(|(second, tps)| format!("10:00:{second}          sda {tps}.00 {}.00 0.00\n", tps * 4))
        .concat();
    let text = format!(
        "Linux 6.1 (h) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n10:00:00          DEV       tps     rkB/s     wkB/s\n{rows}"
    );
    let found = seen(&text, None).unwrap();
    assert_eq!((found.demand.tick_s, found.demand.read.operations), (10, vec![6000, 1000, 1000]));
    // Twice as long as the others it is not known to have kept its rate for all of them.
    let late = text.replace("10:00:00 ", "09:59:50 ");
    assert_eq!(seen(&late, None).unwrap().demand.read.operations, [6000, 1000, 1000]);
}

#[test]
fn what_is_left_out_or_missing_is_said() {
    let cut = iostat(true, &[10, 20, 30]) + "\n2026-11-20T10:00:04+0000\navg-cpu: %user %idle\n 1.00 99.00\n";
    let found = seen(&cut, None).unwrap();
    assert!(
        found.notes.iter().any(|note| note.starts_with("1 of 4 reports have no figures")),
        "{:?}",
        found.notes
    );
    assert_eq!(found.demand.read.operations, [10, 20, 30]);
    let boot = seen(&iostat(false, &[]), None).unwrap_err();
    assert!(
        boot.cause.contains("since the machine started") && boot.remedy.contains("iostat -x 1"),
        "{boot}"
    );
    let hosts = Hints { instance: Some("other"), ..Hints::default() };
    let text = iostat(true, &[1, 2]);
    let other = read(&[Text { name: "a", bytes: text.as_bytes() }], &hosts).unwrap_err();
    assert!(other.cause.contains("host h, and not of other"), "{other}");
    let many: String = (0..12).map(|disk| format!("sd{disk} {disk}.00 1.00 0.00 0.00\n")).collect();
    let many = format!("Device r/s rkB/s w/s wkB/s\n{many}\nDevice r/s rkB/s w/s wkB/s\n{many}");
    let several = seen(&many, None).unwrap_err();
    assert!(several.cause.contains("12 disks"), "{several}");
    assert!(
        several.remedy.contains("--device: sd11, sd10, ") && several.remedy.ends_with("and 2 less busy ones"),
        "{several}"
    );
    assert!(seen(&many, Some("sd3")).is_ok());
}

#[test]
fn bytes_that_no_io_moved_are_noted_or_refused() {
    let row = |minute: i64, reads: f64, read_bytes: f64| Interval {
        end_ns: minute * 60_000_000_000,
        reads,
        read_bytes,
        ..Interval::default()
    };
    let with = |odd: &[Interval]| {
        let mut rows: Vec<Interval> = (0..40).map(|minute| row(minute, 600.0, 600.0 * 4096.0)).collect();
        odd.iter().for_each(|odd| rows[(odd.end_ns / 60_000_000_000) as usize] = *odd);
        of_intervals(rows, Values::PerRow)
    };
    assert_eq!(with(&[]).unwrap().notes, Vec::<String>::new());
    let rounded = with(&[row(7, 0.0, 8192.0)]).unwrap();
    assert!(rounded.notes[0].starts_with("1 rows carry bytes and no I/Os"), "{:?}", rounded.notes);
    assert_eq!(rounded.demand.read.operations[7], 1);
    let odd = with(&[row(7, 0.0, 1e9)]).unwrap();
    assert!(odd.notes[0].contains("left out"), "{:?}", odd.notes);
    assert_eq!(odd.demand.gaps, std::slice::from_ref(&(7..8)));
    assert_eq!(odd.demand.read.operations[7], 0);
    let many: Vec<Interval> = (5..8).map(|minute| row(minute, 0.0, 1e9)).collect();
    assert!(with(&many).unwrap_err().cause.contains("3 of 40 rows"));
}

#[test]
fn a_file_that_no_importer_knows_is_named_where_it_is_a_demand() {
    let trace = "  8,0    3        1     0.000000000   697  D   W 223490 + 8 [kjournald]\n";
    let msr = "128166372003061629,hm,1,Read,383496192,32768,413736\n";
    for text in [trace, msr] {
        let fault = recognise(&Head { bytes: text.as_bytes(), file_name: "x" }, what).unwrap_err();
        assert_eq!(fault.in_one_line(), "a block trace, which is not a result; fathom profile reads it");
    }
}
