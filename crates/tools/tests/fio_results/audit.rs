//! The audit of fio's results: it is quiet where they are right, and speaks where they are made wrong.

use std::path::Path;

use fathom_record::RunRecord;
use fathom_tools::result_audit::{Rule, Weight, audit_run};

use super::{import, runs};

fn own(name: &str) -> RunRecord {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio_results/own").join(name);
    runs(&import(&path).unwrap().1)[0].clone()
}

fn contradictions(run: &RunRecord) -> Vec<(Rule, String)> {
    let wrong = audit_run(run).into_iter().filter(|finding| finding.weight == Weight::Contradiction);
    wrong.map(|finding| (finding.rule, finding.text)).collect()
}

#[test]
fn results_of_an_installed_fio_do_not_contradict_themselves() {
    for name in [
        "mix-jsonplus.json",
        "clones.json",
        "group-fsync.json",
        "status-interval.json",
        "mixed.json",
        "gtod-reduce.json",
    ] {
        assert_eq!(contradictions(&own(name)), [], "{name}");
    }
}

#[test]
fn each_figure_that_is_made_wrong_is_found() {
    let good = own("mix-jsonplus.json");
    let rules = |change: &dyn Fn(&mut RunRecord)| {
        let mut run = good.clone();
        change(&mut run);
        contradictions(&run).into_iter().map(|(rule, _)| rule).collect::<Vec<_>>()
    };
    let first = |run: &mut RunRecord, change: &dyn Fn(&mut fathom_record::run_record::DirectionSummary)| {
        change(&mut run.summary.directions[0]);
    };
    assert!(rules(&|run| first(run, &|d| d.throughput_bytes_per_s *= 1.024)).contains(&Rule::Units));
    assert!(rules(&|run| first(run, &|d| d.operations_per_s /= 2.0)).contains(&Rule::Totals));
    assert!(
        rules(&|run| first(run, &|d| d.service.as_mut().unwrap().mean_ns *= 1000.0))
            .contains(&Rule::LittlesLaw)
    );
    let swapped = rules(&|run| first(run, &|d| d.service.as_mut().unwrap().quantiles.reverse()));
    assert!(swapped.contains(&Rule::Percentiles));
    let low = rules(&|run| first(run, &|d| d.service.as_mut().unwrap().max_ns = Some(1)));
    assert!(low.contains(&Rule::Percentiles));
}

#[test]
fn values_above_the_last_bin_and_counters_never_set_are_told() {
    let mut run = own("mix-jsonplus.json");
    let service = run.summary.directions[0].service.as_mut().unwrap();
    service.max_ns = Some(60_000_000_000);
    service.min_ns = Some(u64::MAX);
    let found = audit_run(&run);
    let caps: Vec<&str> =
        found.iter().filter(|f| f.rule == Rule::HistogramCap).map(|f| f.text.as_str()).collect();
    assert!(caps.iter().any(|text| text.contains("last bin at 17.18 s")), "{caps:?}");
    assert!(caps.iter().any(|text| text.contains("2^64 - 1")), "{caps:?}");
}
