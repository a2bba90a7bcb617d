//! Risks that a fleet's sizing states, against what then happened: volumes whose past and future are drawn by
//! one law, sized on the past, held against the future.

use std::collections::BTreeMap;

use fathom_record::sizing_record::Requirement;
use fathom_sizing::choice::OfferJudge;
use fathom_sizing::fleet_volumes::{
    History, SizingOutcome, SizingPolicy, VolumeFacts, VolumeVerdict, growth, row, verdict,
};
use fathom_sizing::requirement::{Precision, requirement};
use fathom_sizing::{Catalogue, Market, Patience, StorageRequirement, margin};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::random_process::fleet_process::{Bursts, Life, TICK_S};
use crate::{Bound, Figure};

/// Risks that are asked for, in millionths.
const RISKS: [u32; 3] = [200_000, 100_000, 50_000];
/// Seed of the first fleet; each further one has the next.
const SEED: u64 = 900;

/// Realised against stated risks, of margins and of what is bought.
pub fn run(effort: Effort) -> Vec<Figure> {
    // The catalogue is built in and whole, which a test of its own holds.
    let Ok(catalogue) = Catalogue::built_in() else { return Vec::new() };
    let market = Market::of(&catalogue, "us-east-1");
    let (fleets, volumes) = (effort.trials(3, 10), effort.trials(300, 400));
    let mut figures = Vec::new();
    for (kind, bursts) in Bursts::ALL.into_iter().enumerate() {
        let seed = |fleet: usize| SEED + (kind * 100 + fleet) as u64;
        // Purchases take most of the time; the ordinary tests leave them out.
        let whole = effort == Effort::Full;
        let mut sums = [Sums::default(); RISKS.len()];
        for fleet in 0..fleets {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed(fleet));
            let lives: Vec<Life> = (0..volumes).map(|_| Life::draw(bursts, &mut rng)).collect();
            let drawn = DrawnFleet::of(lives);
            for (sums, risk) in sums.iter_mut().zip(RISKS) {
                sums.add(&market, &drawn, (risk, whole));
            }
        }
        // The smallest risk needs more volumes than the ordinary tests draw.
        let enough = if whole { RISKS.len() } else { RISKS.len() - 1 };
        for (sums, risk) in sums.iter().zip(RISKS).take(enough) {
            let stated = f64::from(risk) / 1e6;
            let within = Bound::Within(0.5 * stated, 1.5 * stated);
            let what = format!("margins exceeded where {:.0} % is stated", stated * 100.0);
            figures.push(Figure::share(bursts.name(), what, sums.exceeded / sums.volumes, within));
            if whole {
                let expected = sums.expected / sums.sized;
                let what = format!("purchases that fail where {:.1} % is stated", expected * 100.0);
                let bound = Bound::AtMost(1.5 * expected);
                figures.push(Figure::share(bursts.name(), what, sums.failed / sums.sized, bound));
            }
        }
    }
    figures.extend(mixed(&market, effort));
    figures
}

/// Risk that is asked for of mixed fleets, in millionths.
const MIXED_RISK: u32 = 100_000;

/// Fleets in which volumes of all kinds are mixed: what each row states against what came, by what the row's need
/// rests on and by the law that it was drawn by, and the sum. A volume that has not burst yet cannot be told from
/// one that never does, so that only the first can be right; the second shows what it comes to.
fn mixed(market: &Market, effort: Effort) -> Vec<Figure> {
    let (fleets, volumes) = (effort.trials(1, 5), effort.trials(150, 700));
    let mut by_rest: BTreeMap<String, Sums> = BTreeMap::new();
    let mut by_law: BTreeMap<&str, Sums> = BTreeMap::new();
    let mut all = Sums::default();
    for fleet in 0..fleets {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED + 1000 + fleet as u64);
        let laws: Vec<Bursts> = (0..volumes).map(|at| Bursts::MIXED[at % Bursts::MIXED.len()]).collect();
        let lives = laws.iter().map(|law| Life::draw(*law, &mut rng)).collect();
        let drawn = DrawnFleet::of(lives);
        let Some(margin) = margin::calibrated(drawn.history.all(), MIXED_RISK) else { continue };
        let asked = drawn.asked(market, margin.thousandths());
        for (life, law) in drawn.lives.iter().zip(&laws) {
            let volume = VolumeFacts { demand: &life.past, size_gib: 100, current: None, instance: None };
            let found = verdict(&asked, &volume);
            let rests_on = row("v", &volume, &found).rests_on.unwrap_or_default();
            let Some(one) = Sums::of(&found, life) else { continue };
            for sums in
                [by_rest.entry(rests_on).or_default(), by_law.entry(law.name()).or_default(), &mut all]
            {
                sums.sized += one.sized;
                sums.expected += one.expected;
                sums.failed += one.failed;
            }
        }
    }
    let figure = |name: String, sums: &Sums, bound| {
        let what = format!("purchases that fail, of {:.0} for {:.1} stated", sums.sized, sums.expected);
        Figure::count(name, what, sums.failed, bound)
    };
    let full = effort == Effort::Full;
    // Few volumes of a class fail, so that their number varies as its root.
    let within = |sums: &Sums| {
        let slack = 2.0 * sums.expected.sqrt();
        if full { Bound::AtMost(1.5 * sums.expected + slack) } else { Bound::Shown }
    };
    let rests =
        by_rest.iter().map(|(rests_on, sums)| figure(format!("mixed, {rests_on}"), sums, within(sums)));
    let laws =
        by_law.iter().map(|(law, sums)| figure(format!("mixed, drawn with {law}"), sums, Bound::Shown));
    rests.chain(laws).chain([figure("mixed, all".to_owned(), &all, within(&all))]).collect()
}

/// Counts over fleets.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    volumes: f64,
    exceeded: f64,
    sized: f64,
    expected: f64,
    failed: f64,
}

/// A fleet with what its volumes needed.
struct DrawnFleet {
    lives: Vec<Life>,
    /// Of the past and of the future.
    needs: Vec<[Requirement; 2]>,
    /// How they grew in the past.
    history: History,
}

/// What is held in all fleets.
const PATIENCE: Patience = Patience { ticks: 1, late_millionths: 1000 };

impl DrawnFleet {
    fn of(lives: Vec<Life>) -> Self {
        let needs = lives
            .iter()
            .map(|life| [&life.past, &life.future].map(|d| requirement(d, PATIENCE, Precision::Exact)));
        let history = History::new(lives.iter().filter_map(|life| growth(&life.past, PATIENCE)));
        Self { needs: needs.collect(), history, lives }
    }

    fn asked<'a>(&'a self, market: &'a Market, margin_thousandths: u32) -> SizingPolicy<'a> {
        SizingPolicy {
            market,
            wait_s: f64::from(TICK_S),
            late_millionths: PATIENCE.late_millionths,
            margin_thousandths,
            history: &self.history,
            stripes: 8,
        }
    }
}

impl Sums {
    /// Sizes a fleet on its past and holds it against its future; purchases only where the whole is wanted.
    fn add(&mut self, market: &Market, fleet: &DrawnFleet, (risk, whole): (u32, bool)) {
        let Some(margin) = margin::calibrated(fleet.history.all(), risk) else { return };
        for [before, after] in &fleet.needs {
            let bought = |need: u64| need as f64 * f64::from(margin.thousandths()) / 1e3;
            let more = after.operations_per_s as f64 > bought(before.operations_per_s)
                || after.bytes_per_s as f64 > bought(before.bytes_per_s);
            self.volumes += 1.0;
            self.exceeded += f64::from(u8::from(more));
        }
        let asked = fleet.asked(market, margin.thousandths());
        for life in fleet.lives.iter().filter(|_| whole) {
            let volume = VolumeFacts { demand: &life.past, size_gib: 100, current: None, instance: None };
            let Some(one) = Self::of(&verdict(&asked, &volume), life) else { continue };
            self.sized += one.sized;
            self.expected += one.expected;
            self.failed += one.failed;
        }
    }

    /// One purchase against what came; absent without one.
    fn of(found: &VolumeVerdict, life: &Life) -> Option<Self> {
        let (choice, standing) = found.choice.as_ref().filter(|_| found.outcome == SizingOutcome::Sized)?;
        let need =
            StorageRequirement { demand: &life.future, size_gib: 100, patience: PATIENCE, instance: None };
        let holds = OfferJudge::new(need).late(&choice.offer.limits).is_some();
        let expected = standing.risk_millionths.map_or(0.0, |risk| f64::from(risk) / 1e6);
        Some(Self { sized: 1.0, expected, failed: f64::from(u8::from(!holds)), ..Self::default() })
    }
}
