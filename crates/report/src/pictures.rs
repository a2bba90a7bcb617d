//! Which pictures a report shows, each with its title and what it means.

use fathom_record::campaign::{CellResult, OperatingPointKind, PatternResult};
use fathom_record::verdict::Limit;
use fathom_record::{CampaignRecord, Direction, RunRecord};

use crate::chart::{
    Curve, Ink, Mark, OverviewRow, Picture, ceilings, operating_curve, overview, percentile_curves, series,
};
use crate::sheet::assess_sheet::{ChosenCell, chosen, limited_by, point, reached, runs_of};
use crate::value_words::moment;
use crate::{ReportError, merged_histograms, number, pictures_of_explain};

/// A picture with its words.
pub struct Figure {
    /// Short name for a file.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// The drawing.
    pub picture: Picture,
}

impl Figure {
    /// Whether it says at once what a pattern does: the others say why.
    pub fn is_main(&self) -> bool {
        matches!(self.name, "operating-points" | "latency")
    }
}

/// The pictures of a pattern, as far as its runs are at hand.
///
/// # Errors
/// When a histogram is damaged.
pub fn of_pattern(pattern: &PatternResult, runs: &[RunRecord]) -> Result<Vec<Figure>, ReportError> {
    let chosen = chosen(pattern);
    let all = [
        operating(pattern, &chosen),
        distributions(pattern, &chosen, runs)?,
        best_run(&chosen, runs)
            .map(|(run, place)| seconds(&pattern.title, run, &place))
            .transpose()?
            .flatten(),
        bars(pattern),
        pattern
            .verdict
            .as_ref()
            .and_then(|verdict| pictures_of_explain::of_causes(&pattern.title, verdict, None)),
    ];
    Ok(all.into_iter().flatten().collect())
}

/// All patterns of an assessment that were measured, in one picture.
pub fn of_assessment(patterns: &[PatternResult]) -> Option<Figure> {
    let row = |pattern: &PatternResult| {
        let best = pattern.cells.iter().max_by(|a, b| a.operations_per_s.total_cmp(&b.operations_per_s));
        let peak = point(pattern, OperatingPointKind::Peak).or(best)?;
        let balanced = point(pattern, OperatingPointKind::Balanced)
            .filter(|cell| (cell.jobs, cell.depth) != (peak.jobs, peak.depth));
        let p99 = |cell: &CellResult| cell.service_p99_ns.map(|ns| ns as f64);
        let latency = p99(peak).map_or_else(String::new, |ns| format!(", p99 {}", number::time(ns)));
        Some(OverviewRow {
            name: pattern.title.clone(),
            rates: (peak.operations_per_s, balanced.map(|cell| cell.operations_per_s)),
            latencies: (p99(peak), balanced.and_then(p99)),
            words: format!("{}{latency}", number::iops(peak.operations_per_s)),
            read_out: format!("{}: {} Limited by: {}", pattern.title, reached(pattern), limited_by(pattern)),
        })
    };
    let rows: Vec<OverviewRow> = patterns.iter().filter_map(row).collect();
    overview("All patterns", &rows).map(|picture| Figure {
        name: "overview",
        title: "All patterns".to_owned(),
        caption: "Dot: peak. Ring: balanced point, where it is another one. Both axes are logarithmic."
            .to_owned(),
        picture,
    })
}

/// Ids of the runs whose series a campaign's report draws; of all others it needs the summaries alone.
/// `runs` may be without their series.
pub fn runs_drawn(campaign: &CampaignRecord, runs: &[RunRecord]) -> Vec<String> {
    let CampaignRecord::Assess(campaign) = campaign else { return Vec::new() };
    let drawn = campaign.patterns.iter().filter_map(|pattern| best_run(&chosen(pattern), runs));
    drawn.map(|(run, _)| run.id.clone()).collect()
}

/// The pictures of a single run.
///
/// # Errors
/// When a histogram is damaged.
pub fn of_run(run: &RunRecord) -> Result<Vec<Figure>, ReportError> {
    let mut curves = Vec::new();
    for summary in &run.summary.directions {
        let kinds = [
            ("service", &summary.service_histogram, false),
            ("completion", &summary.completion_histogram, true),
            ("response", &summary.response_histogram, true),
        ];
        for (kind, sparse, dashed) in kinds {
            let histogram = sparse.as_ref().map(|sparse| merged_histograms::read(run, sparse)).transpose()?;
            if let Some(histogram) = histogram.filter(|histogram| !histogram.is_empty()) {
                let name = format!("{} {kind}", summary.direction.name());
                let ink = summary.direction.direction().map_or(Ink::Green, hue);
                curves.push(Curve { name, ink, dashed, points: merged_histograms::curve(&histogram) });
            }
        }
    }
    let open = run.workload.arrival.is_open();
    let kind = if open { "service and response" } else { "service" };
    let percentiles = percentile_curves("This run", kind, &curves).map(|picture| Figure {
        name: "latency",
        title: "Latency distribution".to_owned(),
        caption: if open {
            format!("{PERCENTILES} Response latency (dashed) runs from the scheduled start.")
        } else {
            PERCENTILES.to_owned()
        },
        picture,
    });
    let series = seconds("This run", run, "")?;
    Ok(series.into_iter().chain(percentiles).collect())
}

/// The run's distribution and the block layer's in one picture; none where nobody watched.
///
/// # Errors
/// When a histogram is damaged.
pub fn of_witness(run: &RunRecord) -> Result<Vec<Figure>, ReportError> {
    let mut curves = Vec::new();
    let seen = run.witness.as_ref().and_then(|witness| witness.seen());
    for direction in seen.iter().flat_map(|trace| &trace.directions) {
        let (name, ink) = (direction.direction.name(), hue(direction.direction));
        for (stage, of, dashed) in
            [(&direction.service, "service", false), (&direction.total, "block layer", true)]
        {
            if let Some(stage) = stage {
                let points = merged_histograms::curve(&merged_histograms::read(run, &stage.histogram)?);
                curves.push(Curve { name: format!("{name} {of}"), ink, dashed, points });
            }
        }
    }
    let drawn = percentile_curves("Next to the block layer", "service and block-layer", &curves);
    Ok(drawn
        .map(|picture| Figure {
            name: "block-layer",
            title: "Service latency and the block layer's".to_owned(),
            caption: format!(
                "{PERCENTILES} Dashed: the same I/Os from their arrival in the block layer to their end there."
            ),
            picture,
        })
        .into_iter()
        .collect())
}

const PERCENTILES: &str = "Each step to the right leaves ten times fewer I/Os above. A curve ends where fewer than 10 I/Os lie beyond.";

fn hue(direction: Direction) -> Ink {
    match direction {
        Direction::Read => Ink::Blue,
        Direction::Write => Ink::Vermillion,
        Direction::Trim => Ink::Purple,
        Direction::Flush => Ink::Green,
    }
}

fn point_ink(chosen: &ChosenCell<'_>) -> Ink {
    match chosen.kinds.first() {
        Some(OperatingPointKind::Balanced) => Ink::Vermillion,
        Some(OperatingPointKind::Peak) | None => Ink::Purple,
        Some(OperatingPointKind::Slo) => Ink::Green,
    }
}

fn operating(pattern: &PatternResult, chosen: &[ChosenCell<'_>]) -> Option<Figure> {
    let marks: Vec<Mark> =
        chosen.iter().map(|c| Mark { cell: c.index, name: c.name(), ink: point_ink(c) }).collect();
    let caps = |limit: Limit| {
        matches!(limit, Limit::VolumeIops | Limit::VolumeThroughput | Limit::InstanceCap | Limit::RateCap)
    };
    let bounds: Vec<(String, f64)> = pattern
        .verdict
        .iter()
        .flat_map(|verdict| &verdict.ceilings)
        .filter(|ceiling| caps(ceiling.limit) && ceiling.operations_per_s > 0.0)
        .map(|ceiling| (ceiling.name.clone(), ceiling.operations_per_s))
        .collect();
    let repeats = pattern.cells.iter().any(|cell| cell.interval_share.is_some());
    let bars = if repeats { " Bars are 95 % intervals over repeats." } else { "" };
    operating_curve(&pattern.title, &pattern.cells, &marks, &bounds).map(|picture| Figure {
        name: "operating-points",
        title: "Throughput against latency".to_owned(),
        caption: format!(
            "One line a number of jobs, depth growing along it. On a dashed line the same number of I/Os is in flight.{bars}"
        ),
        picture,
    })
}

/// Distributions at the chosen cells, beside the one with the fewest I/Os in flight. With several
/// directions, each direction at the first chosen cell.
fn distributions(
    pattern: &PatternResult,
    chosen: &[ChosenCell<'_>],
    runs: &[RunRecord],
) -> Result<Option<Figure>, ReportError> {
    let least =
        pattern.cells.iter().enumerate().min_by(|a, b| a.1.in_flight_mean.total_cmp(&b.1.in_flight_mean));
    let mut shown: Vec<(String, &CellResult, Ink)> = Vec::new();
    if let Some((_, cell)) = least.filter(|(at, _)| chosen.iter().all(|c| c.index != *at)) {
        shown.push((number::cell(cell.jobs, cell.depth), cell, Ink::Blue));
    }
    for point in chosen {
        let name = format!("{} {}", point.name(), number::cell(point.cell.jobs, point.cell.depth));
        shown.push((name, point.cell, point_ink(point)));
    }
    let directions = data_directions(pattern, runs);
    let mut curves = Vec::new();
    let mut caption = PERCENTILES.to_owned();
    if let [direction] = directions[..] {
        for (name, cell, ink) in shown {
            if let Some(histogram) = merged_histograms::service(&runs_of(cell, runs), direction)? {
                curves.push(Curve { name, ink, dashed: false, points: merged_histograms::curve(&histogram) });
            }
        }
    } else if let Some(point) = chosen.first() {
        for &direction in &directions {
            if let Some(histogram) = merged_histograms::service(&runs_of(point.cell, runs), direction)? {
                let (name, points) = (direction.name().to_owned(), merged_histograms::curve(&histogram));
                curves.push(Curve { name, ink: hue(direction), dashed: false, points });
            }
        }
        let cell = number::cell(point.cell.jobs, point.cell.depth);
        caption = format!("At the {} point, {cell}. {PERCENTILES}", point.name());
    }
    Ok(percentile_curves(&pattern.title, "service", &curves).map(|picture| Figure {
        name: "latency",
        title: "Latency distribution".to_owned(),
        caption,
        picture,
    }))
}

fn data_directions(pattern: &PatternResult, runs: &[RunRecord]) -> Vec<Direction> {
    let seen = |direction: &Direction| {
        pattern
            .cells
            .iter()
            .flat_map(|cell| runs_of(cell, runs))
            .any(|run| run.summary.direction(*direction).is_some())
    };
    [Direction::Read, Direction::Write, Direction::Trim].into_iter().filter(seen).collect()
}

/// The longest run of the first chosen cell that has any at hand, and where it stands.
fn best_run<'a>(chosen: &[ChosenCell<'_>], runs: &'a [RunRecord]) -> Option<(&'a RunRecord, String)> {
    chosen.iter().find_map(|point| {
        let run = runs_of(point.cell, runs).into_iter().max_by_key(|run| run.summary.duration_ns)?;
        let cell = number::cell(point.cell.jobs, point.cell.depth);
        Some((run, format!("One run at the {} point, {cell}: {}. ", point.name(), run.id)))
    })
}

fn seconds(title: &str, run: &RunRecord, place: &str) -> Result<Option<Figure>, ReportError> {
    let drawn = series(title, run)?;
    Ok(drawn.map(|drawn| {
        let each = if drawn.merged == 1 {
            "One point a second".to_owned()
        } else {
            format!("One point is {} s; histograms are merged, not averaged", drawn.merged)
        };
        let shaded =
            if run.intervals.iter().any(|i| i.warmup) { " Shaded: warm-up, counted apart." } else { "" };
        Figure {
            name: "series",
            title: "Second by second".to_owned(),
            caption: format!("{place}{each}.{shaded}{}", began(run)),
            picture: drawn.picture,
        }
    }))
}

/// Which moment the times of a series are counted from; empty where the record does not say.
fn began(run: &RunRecord) -> String {
    if run.started_at.is_empty() { String::new() } else { format!(" 0 s is {}.", moment(&run.started_at)) }
}

fn bars(pattern: &PatternResult) -> Option<Figure> {
    let verdict = pattern.verdict.as_ref()?;
    ceilings(&pattern.title, &verdict.ceilings).map(|picture| Figure {
        name: "ceilings",
        title: "How close to each limit".to_owned(),
        caption: "The best rate as a share of each limit; a bar at the line reached it.".to_owned(),
        picture,
    })
}
