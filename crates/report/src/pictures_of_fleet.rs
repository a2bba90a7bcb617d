//! The pictures of a fleet's sizing: over which ranges its volumes are spread, and which groups waste most.
//!
//! Volumes are counted as their rows come, so that no row has to be kept, and in whole numbers, so that their order
//! changes nothing.

use fathom_record::FleetRecord;
use fathom_record::fleet_record::{FleetGrouping, FleetRow};

use crate::chart::{Bar, Ink, bars};
use crate::number;
use crate::pictures::Figure;
use crate::sheet::account_sheet::grouping;

/// Groups of a picture.
const GROUPS: usize = 12;
/// Where ranges end: I/Os a second, bytes a second, times the demand, and amounts of a month.
const IOPS: &[f64] = &[100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5];
const BYTES: &[f64] = &[1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9];
const HEADROOM: &[f64] = &[1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0];
const AMOUNTS: &[f64] = &[1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0];

/// How many volumes of a fleet lie where: by what they need, by how much room they have today, by what they would save.
#[derive(Clone, Debug)]
pub struct FleetSpread {
    iops: Ranges,
    bytes: Ranges,
    headroom: Ranges,
    saves: Ranges,
}

impl Default for FleetSpread {
    fn default() -> Self {
        Self {
            iops: Ranges::new(IOPS),
            bytes: Ranges::new(BYTES),
            headroom: Ranges::new(HEADROOM),
            saves: Ranges::new(AMOUNTS),
        }
    }
}

/// Volumes by a number that they have.
#[derive(Clone, Debug)]
struct Ranges {
    ends: &'static [f64],
    volumes: Vec<u64>,
    /// What they add up to, in millionths.
    sums: Vec<i128>,
}

impl Ranges {
    fn new(ends: &'static [f64]) -> Self {
        Self { ends, volumes: vec![0; ends.len() + 1], sums: vec![0; ends.len() + 1] }
    }

    fn put(&mut self, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        let at = self.ends.partition_point(|end| value >= *end);
        self.volumes[at] += 1;
        self.sums[at] += (value * 1e6).round() as i128;
    }

    /// The ranges from the first to the last that has volumes: its name, volumes, and what they add up to.
    fn told(&self, words: impl Fn(f64) -> String) -> Vec<(String, u64, f64)> {
        let has = |volumes: &u64| *volumes > 0;
        let (Some(first), Some(last)) =
            (self.volumes.iter().position(has), self.volumes.iter().rposition(has))
        else {
            return Vec::new();
        };
        let name = |at: usize| match (at.checked_sub(1).map(|before| self.ends[before]), self.ends.get(at)) {
            (Some(from), Some(to)) => format!("{} to {}", words(from), words(*to)),
            (Some(from), None) => format!("{} and more", words(from)),
            (None, Some(to)) => format!("below {}", words(*to)),
            (None, None) => "all".to_owned(),
        };
        (first..=last).map(|at| (name(at), self.volumes[at], self.sums[at] as f64 / 1e6)).collect()
    }

    /// A bar a range, as long as it has volumes.
    fn counted(&self, words: impl Fn(f64) -> String) -> Vec<Bar> {
        let all: u64 = self.volumes.iter().sum();
        let bar = |(name, volumes, _): (String, u64, f64)| Bar {
            name,
            value: volumes as f64,
            told: number::count(volumes),
            hint: format!(
                "{} volumes, {}",
                number::count(volumes),
                number::percent(volumes as f64 / all.max(1) as f64)
            ),
        };
        self.told(words).into_iter().map(bar).collect()
    }
}

impl FleetSpread {
    /// Counts a volume.
    pub fn put(&mut self, row: &FleetRow) {
        let real = |whole: Option<u64>| whole.map(|whole| whole as f64);
        self.iops.put(real(row.needs_iops));
        self.bytes.put(real(row.needs_bytes_per_s));
        self.headroom.put(row.current_headroom);
        self.saves.put(row.saves_month.filter(|saves| *saves > 0.0));
    }

    /// The pictures, as far as there is something to draw.
    pub fn figures(&self, record: &FleetRecord) -> Vec<Figure> {
        let currency = &record.money.currency;
        let saves = self.saves.told(number::rate_tick).into_iter().map(|(name, volumes, sum)| Bar {
            name: format!("{name} {currency}"),
            value: sum,
            told: format!("{} {currency}", number::rate_short(sum)),
            hint: format!("{} volumes, {sum:.2} {currency} per month together", number::count(volumes)),
        });
        let factor = |factor: f64| format!("{factor}x");
        let drawn = [
            (
                "saves",
                "What is wasted, by how much a volume wastes",
                "Volumes for which something cheaper was found. Long bars below say that a few volumes are worth the work, long ones above that all are.",
                bars(
                    "What is wasted",
                    &format!("{currency} per month"),
                    &saves.collect::<Vec<_>>(),
                    Ink::Blue,
                ),
            ),
            (
                "headroom",
                "How much the demand may grow until today's volume is too small",
                "Of volumes whose present type and settings are known. Below 1x it is too small for what was seen.",
                bars("Room of today's volumes", "volumes", &self.headroom.counted(factor), Ink::Green),
            ),
            (
                "iops",
                "IOPS that volumes need",
                "The least that serves the history, without the margin.",
                bars("IOPS that volumes need", "volumes", &self.iops.counted(number::rate_tick), Ink::Purple),
            ),
            (
                "throughput",
                "Throughput that volumes need",
                "The least that serves the history, without the margin.",
                bars(
                    "Throughput that volumes need",
                    "volumes",
                    &self.bytes.counted(number::throughput_tick),
                    Ink::Purple,
                ),
            ),
        ];
        let figure = |(name, title, caption, picture): (&'static str, &str, &str, Option<_>)| {
            Some(Figure { name, title: title.to_owned(), caption: caption.to_owned(), picture: picture? })
        };
        drawn.into_iter().filter_map(figure).collect()
    }
}

/// A picture for each grouping: the groups that waste most.
pub fn of_groups(groupings: &[FleetGrouping], currency: &str) -> Vec<Figure> {
    let mut figures = Vec::new();
    for of in groupings {
        let groups = of.groups.iter().filter(|group| group.waste_month > 0.0).take(GROUPS);
        let rows: Vec<Bar> = groups
            .map(|group| Bar {
                name: group.group.clone(),
                value: group.waste_month,
                told: format!("{} {currency}", number::rate_short(group.waste_month)),
                hint: format!(
                    "{:.2} of {:.2} {currency} per month, {} of {} volumes",
                    group.waste_month,
                    group.current_month,
                    number::count(group.cheaper),
                    number::count(group.volumes)
                ),
            })
            .collect();
        let title = format!("Wasted {}", grouping(of));
        let picture = bars(&title, &format!("{currency} per month"), &rows, Ink::Vermillion);
        figures.extend(picture.map(|picture| Figure {
            name: "groups",
            title,
            caption: if of.groups.len() > GROUPS {
                format!("The first {GROUPS} of {} groups.", of.groups.len())
            } else {
                String::new()
            },
            picture,
        }));
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_their_lower_end_and_are_told_from_the_first_to_the_last() {
        let mut ranges = Ranges::new(IOPS);
        let values = [100.0, 299.9, 2e3, 5e9, f64::NAN];
        values.into_iter().for_each(|value| ranges.put(Some(value)));
        ranges.put(None);
        let told = ranges.told(number::rate_tick);
        let names: Vec<(&str, u64)> =
            told.iter().map(|(name, volumes, _)| (name.as_str(), *volumes)).collect();
        assert_eq!(names[..3], [("100 to 300", 2), ("300 to 1 k", 0), ("1 k to 3 k", 1)]);
        assert_eq!(names.last(), Some(&("100 k and more", 1)));
        assert!((told[0].2 - 399.9).abs() < 1e-9);
        assert!(Ranges::new(IOPS).told(number::rate_tick).is_empty());
    }
}
