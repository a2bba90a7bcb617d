//! The pages: whole, closed, small, and deaf to hostile text.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail by panicking")]

use crate::sample::{Device, Shape, campaign, run};
use fathom_record::check::{CheckName, CheckOutcome};
use fathom_record::fleet_record::{
    FleetGroup, FleetGrouping, FleetMoney, FleetReason, FleetRisk, FleetRow, FleetStatus, FleetTerms,
};
use fathom_record::{Check, FleetRecord, RunRecord, SizingRecord};
use fathom_report::{FleetSpread, html};

const NVME: Device = Device { unloaded_ns: 82e3, most_per_s: 585e3, sharpness: 3.0 };
const HOSTILE: &str = "/data/<script>alert(1)</script>\"'&|`\u{1b}[31m";

fn one_run(name: &str) -> RunRecord {
    let shape = Shape {
        read_share: 0.7,
        bytes: 4096,
        jobs: 2,
        depth: 32,
        seconds: 30,
        warmup_seconds: 3,
        seed: 7,
        random: true,
    };
    run("r-20261120-161500-01", name, &NVME, &shape)
}

/// Writes a page for looking at, where the environment names a folder.
fn keep(name: &str, page: &str) {
    if let Ok(folder) = std::env::var("FATHOM_REPORT_KEEP") {
        std::fs::write(format!("{folder}/{name}"), page).unwrap();
    }
}

/// Every element that is opened is closed in order; gives the number of elements.
fn balanced(page: &str) -> usize {
    const VOID: [&str; 5] = ["meta", "br", "!doctype", "link", "img"];
    let mut stack: Vec<String> = Vec::new();
    let mut count = 0;
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap().to_lowercase();
        if tag.starts_with('/') {
            assert_eq!(stack.pop().as_deref(), Some(name.as_str()), "closing tag");
        } else {
            count += 1;
            if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
                stack.push(name.clone());
            }
            if name == "script" || name == "style" {
                rest = &rest[rest.find(&format!("</{name}")).expect("raw text ends")..];
            }
        }
    }
    assert!(stack.is_empty(), "never closed: {stack:?}");
    count
}

fn holds_together(page: &str) {
    assert!(balanced(page) > 100);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    for outside in ["http:", "https:", "src=", "@import", "url(", "<link", "<iframe"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("@media screen and (prefers-color-scheme:dark)"));
    assert!(page.contains("@media print"));
    assert!(!page.contains("NaN") && !page.contains("#F0"), "a number or a colour was left raw");
}

#[test]
fn a_campaign_of_seven_patterns_is_one_small_closed_page() {
    let (record, runs) = campaign("/data", 30);
    let page = html::campaign(&record.clone().into(), &runs).unwrap();
    keep("campaign.html", &page);
    holds_together(&page);
    assert!(page.len() < 300_000, "{} bytes", page.len());
    assert_eq!(page.matches("<svg ").count(), 1 + 7 * 4);
    let order = [
        "Storage assessment: db-7, ",
        "class=\"headline\"",
        "rate and latency of every pattern",
        "class=\"verdicts\"",
        "aria-label=\"Contents\"",
        "<h2>Operating points",
        "Throughput against latency",
        "<details><summary>Evidence, other causes",
        "What limits it",
        "Not covered by this run",
        "Settings that distort",
        "Every self-check",
        "id=\"again\"",
    ];
    let places: Vec<usize> = order.iter().map(|part| page.find(part).expect(part)).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_run_is_one_small_closed_page() {
    let page = html::run(&one_run("/data")).unwrap();
    keep("run.html", &page);
    holds_together(&page);
    assert_eq!(page.matches("<svg ").count(), 2);
    assert!(page.contains("Not covered by this run"));
}

#[test]
fn an_hour_stays_small() {
    let mut record = one_run("/data");
    let minute = record.intervals.clone();
    for second in record.intervals.len()..3600 {
        let mut interval = minute[second % minute.len()].clone();
        interval.start_ns = second as u64 * 1_000_000_000;
        interval.warmup = false;
        record.intervals.push(interval);
    }
    let page = html::run(&record).unwrap();
    assert!(page.len() < 200_000, "{} bytes", page.len());
    assert!(page.contains("One point is 15 s"));
}

#[test]
fn hostile_names_stay_text() {
    let page = html::run(&one_run(HOSTILE)).unwrap();
    balanced(&page);
    assert!(!page.contains("<script>alert"));
    assert!(!page.contains('\u{1b}'));
    let (mut record, runs) = campaign(HOSTILE, 3);
    record.patterns[0].title = HOSTILE.to_owned();
    record.patterns[0].verdict.as_mut().unwrap().ceilings[0].name = HOSTILE.to_owned();
    record.patterns[0].verdict.as_mut().unwrap().claims[0].statement = HOSTILE.to_owned();
    let page = html::campaign(&record.clone().into(), &runs).unwrap();
    balanced(&page);
    assert!(!page.contains("<script>alert"));
    assert!(!page.contains('\u{1b}'));
}

#[test]
fn a_failed_check_stands_before_every_number() {
    let mut record = one_run("/data");
    let found = "3.1 of 64 I/Os were in flight; the generator could not hold the depth.";
    record.checks.push(Check::plain(CheckName::InFlight, CheckOutcome::Fail, found));
    let page = html::run(&record).unwrap();
    keep("failed.html", &page);
    assert!(page.find(found).unwrap() < page.find("class=\"headline\"").unwrap());
    let clean = html::run(&one_run("/data")).unwrap();
    assert!(!clean.contains("class=\"alarm\""));
}

#[test]
fn what_was_not_measured_is_never_zero() {
    let mut record = one_run("/data");
    record.summary.cpu_user_ns = None;
    record.summary.generator_busy_share = None;
    record.telemetry.series.clear();
    record.target.written_share = None;
    record.environment.cpus = 0;
    let page = html::run(&record).unwrap();
    for name in ["CPU per I/O", "generator busy", "written at the start", "CPUs online"] {
        assert!(page.contains(&format!("<dt>{name}</dt><dd>not measured</dd>")), "{name}");
    }
    let drawn = &page[page.find("CPUs in use").unwrap()..];
    assert!(drawn[..drawn.find("</svg>").unwrap()].contains("not measured"));
}

#[test]
fn empty_and_cut_short_records_still_make_a_page() {
    let mut record = one_run("/data");
    record.summary.directions.clear();
    record.intervals.clear();
    record.ending = fathom_record::run_record::RunEnding::Failed { error: "Input/output error".to_owned() };
    let page = html::run(&record).unwrap();
    balanced(&page);
    assert!(page.contains("No I/O finished") && page.contains("Input/output error"));

    let (mut record, _) = campaign("/data", 3);
    record.patterns[1].cells.clear();
    record.patterns[1].incomplete = Some("the budget ended".to_owned());
    record.patterns[2].verdict = None;
    record.patterns[3].operating_points[0].cell = 99;
    record.finished_at = None;
    let page = html::campaign(&record.clone().into(), &[]).unwrap();
    balanced(&page);
    assert!(page.contains("the budget ended") && page.contains("were not at hand"));
}

#[test]
fn a_damaged_histogram_is_named_with_its_run() {
    let mut record = one_run("/data");
    record.intervals[3].directions[0].service.buckets.push(1);
    let error = html::run(&record).unwrap_err().to_string();
    assert!(error.contains("r-20261120-161500-01") && error.contains("pair"), "{error}");
}

#[test]
fn an_open_loop_shows_response_beside_service() {
    let mut record = one_run("/data");
    record.workload.arrival = fathom_record::workload::Arrival::Poisson { rate_per_s: 5000.0 };
    record.summary.in_flight_requested = None;
    record.summary.offered_per_s = Some(5000.0);
    record.summary.delayed_arrivals = None;
    let read = &mut record.summary.directions[0];
    read.response = read.service.clone();
    read.response_histogram = read.service_histogram.clone();
    let page = html::run(&record).unwrap();
    keep("open.html", &page);
    assert!(page.contains("<td>read response</td>") && page.contains("Response latency (dashed)"));
    assert!(page.contains("s-blue dash"), "the response curve is drawn");
    assert!(page.contains("5000 IOPS, arrivals delayed by the in-flight cap: not measured"));
    assert!(!page.contains("In a closed loop"));
    assert!(page.contains("--rate 2k --arrival poisson"), "the kept command is printed");
    record.command = None;
    let page = html::run(&record).unwrap();
    assert!(page.contains("fathom show r-20261120-161500-01 --json"), "no other is made up");
}

#[test]
fn a_time_axis_has_the_clock_where_time_is_not_simulated() {
    let record = one_run("data.bin");
    assert!(!record.is_virtual() && record.started_at.contains("T16:15:00"), "{}", record.started_at);
    let page = html::run(&record).unwrap();
    assert!(page.contains("16:15:00") && page.contains("first I/O, and UTC"));
    let mut simulated = record;
    simulated.clock.as_mut().unwrap().source = "virtual".into();
    let page = html::run(&simulated).unwrap();
    assert!(
        !page.contains(">16:15:10<") && !page.contains("and UTC"),
        "simulated seconds have no time of day"
    );
}

/// The record that a page holds, as somebody who saves it has it.
fn record_in(page: &str) -> serde_json::Value {
    use base64::Engine;
    let (_, rest) = page.split_once("id=\"record\"").expect("the page has its record");
    let text = rest.split_once('>').unwrap().1.split_once('<').unwrap().0;
    let packed = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    serde_json::from_reader(flate2::read::GzDecoder::new(packed.as_slice())).unwrap()
}

#[test]
fn a_page_has_its_whole_record_to_save() {
    let record = one_run(HOSTILE);
    let page = html::run(&record).unwrap();
    assert_eq!(record_in(&page), serde_json::to_value(&record).unwrap());
    assert!(page.contains("data-name=\"fathom-r-20261120-161500-01.json\""));
    let (campaign, runs) = campaign("/data", 3);
    let campaign = campaign.into();
    let page = html::campaign(&campaign, &runs).unwrap();
    assert_eq!(record_in(&page), serde_json::to_value(&campaign).unwrap());
}

/// A volume that needs so much and saves so much.
fn volume(name: &str, needs_iops: u64, saves_month: Option<f64>) -> FleetRow {
    FleetRow {
        volume: name.to_owned(),
        group: None,
        status: FleetStatus::Sized,
        reason: String::new(),
        tick_s: Some(300),
        ticks: Some(2016),
        ticks_seen: Some(2016),
        needs_iops: Some(needs_iops),
        needs_iops_least: None,
        rests_on: None,
        needs_bytes_per_s: Some(needs_iops * 16_384),
        plateau_share: None,
        offer: Some("gp3, 200 GiB, 3000 IOPS, 125 MiB/s".to_owned()),
        offer_type: Some("gp3".to_owned()),
        offer_members: Some(1),
        offer_size_gib: Some(200),
        offer_iops: Some(3000),
        offer_bytes_per_s: Some(125 << 20),
        offer_month: Some(16.0),
        offer_headroom: Some(2.0),
        offer_risk: Some(0.05),
        current: saves_month.map(|_| "gp3, 200 GiB, 16000 IOPS, 500 MiB/s".to_owned()),
        current_month: saves_month.map(|saves| 16.0 + saves),
        current_holds: saves_month.map(|saves| saves >= 0.0),
        current_headroom: saves_month.map(|saves| if saves < 0.0 { 0.8 } else { 4.0 }),
        current_risk: saves_month.map(|_| 0.01),
        saves_month,
        notes: Vec::new(),
    }
}

fn fleet(rows: &[FleetRow], group: &str) -> FleetRecord {
    let saved = |saves: &f64| *saves > 0.0;
    let waste_month: f64 = rows.iter().filter_map(|row| row.saves_month).filter(saved).sum();
    let wasting =
        FleetGroup { group: group.to_owned(), volumes: 2, waste_month, cheaper: 2, ..FleetGroup::default() };
    FleetRecord {
        format: FleetRecord::FORMAT.to_owned(),
        version: FleetRecord::VERSION,
        command: None,
        from: vec!["lake".to_owned()],
        terms: FleetTerms {
            region: "us-east-1".to_owned(),
            wait_s: 1.0,
            late_share: 0.001,
            margin: 1.7,
            risk: Some(0.1),
            margin_volumes: 60,
            horizon_s: Some(172_800),
            stripes: 1,
        },
        volumes: rows.len() as u64 + 1,
        rows: 2016,
        sized: rows.len() as u64,
        throttled: 0,
        left_out: Vec::new(),
        not_judged: vec![FleetReason {
            reason: "no I/O was seen".to_owned(),
            volumes: 1,
            examples: vec!["vol-idle".to_owned()],
        }],
        money: FleetMoney {
            currency: "USD".to_owned(),
            compared: 3,
            current_month: 200.0,
            waste_month,
            cheaper: 2,
            ..FleetMoney::default()
        },
        risk: FleetRisk::default(),
        by: vec![FleetGrouping { by: "tag:team".to_owned(), groups: vec![wasting] }],
        top_savings: rows.to_vec(),
        too_small: Vec::new(),
        notes: vec!["Risks hold as long as the coming time is like the past.".to_owned()],
    }
}

#[test]
fn a_fleet_s_page_says_who_wastes_and_draws_how_its_volumes_are_spread() {
    let rows = [
        volume("vol-1", 250, Some(80.0)),
        volume("vol-2", 260, Some(4.5)),
        volume("vol-3", 9000, Some(-3.0)),
        volume("vol-4", 40_000, None),
    ];
    let mut spread = FleetSpread::default();
    rows.iter().for_each(|row| spread.put(row));
    let page = html::fleet(&fleet(&rows, "search"), &spread).unwrap();
    keep("fleet.html", &page);
    holds_together(&page);
    assert_eq!(page.matches("<svg ").count(), 5);
    let order = [
        "84.50 USD per month wasted by a fleet of 5 volumes",
        "Wasted by tag team",
        "search: 84.50 of",
        "30 to 100 USD: 1 volumes, 80.00 USD per month together",
        "below 1x: 1 volumes, 33 %",
        "100 to 300: 2 volumes, 50 %",
        "Totals by tag team",
        "Top savings",
        "Not judged",
        "Risks hold as long",
    ];
    let places: Vec<usize> = order.iter().map(|part| page.find(part).expect(part)).collect();
    assert!(places.is_sorted(), "{places:?}");
    // A fleet of which nothing is known but that it is there.
    let bare = FleetRecord {
        by: Vec::new(),
        top_savings: Vec::new(),
        money: FleetMoney::default(),
        ..fleet(&[], "")
    };
    let page = html::fleet(&bare, &FleetSpread::default()).unwrap();
    balanced(&page);
    assert!(!page.contains("<svg ") && page.contains("A fleet of 1 volumes"), "{page}");
    let hostile = FleetRecord {
        command: Some(format!("fathom size --fleet {HOSTILE}")),
        ..fleet(&[volume(HOSTILE, 250, Some(80.0))], HOSTILE)
    };
    let hostile = html::fleet(&hostile, &spread).unwrap();
    balanced(&hostile);
    assert!(!hostile.contains("<script>alert") && !hostile.contains('\u{1b}'));
}

#[test]
fn the_command_has_a_section_where_the_record_keeps_it() {
    let old = include_bytes!("../../../store/tests/golden/sizing-1.json");
    let mut record: SizingRecord = serde_json::from_slice(old).unwrap();
    let page = html::sizing(&record).unwrap();
    balanced(&page);
    assert!(record.command.is_none() && !page.contains("How to reproduce"), "{page}");
    record.command = Some("fathom size d.csv --size 1TiB".to_owned());
    let page = html::sizing(&record).unwrap();
    balanced(&page);
    assert!(page.contains("How to reproduce</h2>\n<pre>fathom size d.csv --size 1TiB</pre>"), "{page}");
}
