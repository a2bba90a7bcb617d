//! Risks that a fleet's sizing states, against what then happened: volumes whose past and future are drawn by
//! one law, sized on the past, held against the future.

use fathom_record::sizing::Requirement;
use fathom_sizing::choice::Judge;
use fathom_sizing::fleet::{Asked, Outcome, Volume, growth, verdict};
use fathom_sizing::requirement::requirement;
use fathom_sizing::{Catalogue, Market, Need, Patience, margin};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::process::fleet::{Bursts, Life, TICK_S};
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
            let drawn = Drawn::of(lives);
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
    figures
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
struct Drawn {
    lives: Vec<Life>,
    /// Of the past and of the future.
    needs: Vec<[Requirement; 2]>,
    /// Of the past, ascending.
    growths: Vec<u32>,
}

/// What is held in all fleets.
const PATIENCE: Patience = Patience { ticks: 1, late_millionths: 1000 };

impl Drawn {
    fn of(lives: Vec<Life>) -> Self {
        let needs = lives.iter().map(|life| [&life.past, &life.future].map(|d| requirement(d, PATIENCE)));
        let mut growths: Vec<u32> = lives.iter().filter_map(|life| growth(&life.past, PATIENCE)).collect();
        growths.sort_unstable();
        Self { needs: needs.collect(), growths, lives }
    }
}

impl Sums {
    /// Sizes a fleet on its past and holds it against its future; purchases only where the whole is wanted.
    fn add(&mut self, market: &Market, fleet: &Drawn, (risk, whole): (u32, bool)) {
        let Some(margin) = margin::calibrated(&fleet.growths, risk) else { return };
        for [before, after] in &fleet.needs {
            let bought = |need: u64| need as f64 * f64::from(margin.thousandths()) / 1e3;
            let more = after.operations_per_s as f64 > bought(before.operations_per_s)
                || after.bytes_per_s as f64 > bought(before.bytes_per_s);
            self.volumes += 1.0;
            self.exceeded += f64::from(u8::from(more));
        }
        let asked = Asked {
            market,
            wait_s: f64::from(TICK_S),
            late_millionths: PATIENCE.late_millionths,
            margin_thousandths: margin.thousandths(),
            growths: &fleet.growths,
            stripes: 8,
        };
        for life in fleet.lives.iter().filter(|_| whole) {
            let volume = Volume { demand: &life.past, size_gib: 100, current: None, instance: None };
            let found = verdict(&asked, &volume);
            let Some((choice, standing)) = found.choice.filter(|_| found.outcome == Outcome::Sized) else {
                continue;
            };
            let need = Need { demand: &life.future, size_gib: 100, patience: PATIENCE, instance: None };
            let holds = Judge::new(need).late(&choice.offer.limits).is_some();
            self.sized += 1.0;
            self.expected += standing.risk_millionths.map_or(0.0, |risk| f64::from(risk) / 1e6);
            self.failed += f64::from(u8::from(!holds));
        }
    }
}
