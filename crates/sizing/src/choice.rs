//! The cheapest offer that holds: every offer's limits simulated on the demand, exact among all of them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::accounting::Accounting;
use crate::catalogue::{Catalogue, Family, Line};
use crate::demand::Demand;
use crate::lateness::{Arrivals, Lateness, Patience};
use crate::offer::{Limits, Offer};
use crate::shaper::Shaper;

/// What an offer has to hold.
#[derive(Clone, Copy, Debug)]
pub struct Need<'a> {
    /// The demand, with its margin.
    pub demand: &'a Demand,
    /// Bytes to store, in GiB.
    pub size_gib: u64,
    /// How late how many I/Os may be.
    pub patience: Patience,
    /// What the instance lets through, where it is known.
    pub instance: Option<Limits>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What to buy.
    pub offer: Offer,
    /// I/Os of the demand that would be late.
    pub late: u64,
    /// Of so many.
    pub of: u64,
}

/// Which queue a limit is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Queue {
    Operations(Unit),
    Bytes(Unit),
}

/// How the queue's units are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Unit {
    bytes: u64,
    random_costs: bool,
}

impl From<Accounting> for Unit {
    fn from(accounting: Accounting) -> Self {
        Self { bytes: accounting.unit_bytes, random_costs: accounting.random_costs_a_unit }
    }
}

/// Judges offers against one need, and remembers each limit that it has simulated.
pub struct Judge<'a> {
    need: Need<'a>,
    ios: Arc<[u64]>,
    total: u64,
    allowed: u64,
    arrivals: HashMap<Queue, Arrivals>,
    known: HashMap<(Queue, Shaper), Option<Arc<Lateness>>>,
}

impl<'a> Judge<'a> {
    /// For one need.
    pub fn new(need: Need<'a>) -> Self {
        let ios: Arc<[u64]> = need.demand.operations().into();
        let total = ios.iter().sum();
        let allowed = need.patience.allowed(total);
        Self { need, ios, total, allowed, arrivals: HashMap::new(), known: HashMap::new() }
    }

    /// I/Os that would be late under these limits and the instance's; `None` where they are too many.
    pub fn late(&mut self, limits: &Limits) -> Option<u64> {
        let volume = self.late_under(limits)?;
        let late = match self.need.instance {
            None => volume,
            Some(instance) => volume.either(&self.late_under(&instance)?),
        };
        Some(late.total()).filter(|&late| late <= self.allowed)
    }

    fn late_under(&mut self, limits: &Limits) -> Option<Lateness> {
        let operations =
            self.behind(Queue::Operations(limits.accounting.into()), limits.operations, limits.accounting)?;
        let bytes = self.behind(Queue::Bytes(limits.accounting.into()), limits.bytes, limits.accounting)?;
        Some(operations.either(&bytes)).filter(|late| late.total() <= self.allowed)
    }

    fn behind(&mut self, queue: Queue, shaper: Shaper, accounting: Accounting) -> Option<Arc<Lateness>> {
        if let Some(known) = self.known.get(&(queue, shaper)) {
            return known.clone();
        }
        let demand = self.need.demand;
        let arrivals = self.arrivals.entry(queue).or_insert_with(|| {
            let units = match queue {
                Queue::Operations(_) => accounting.operations(demand),
                Queue::Bytes(_) => accounting.bytes(demand),
            };
            Arrivals::new(demand.tick_s, units, Arc::clone(&self.ios))
        });
        let late = arrivals.late(&shaper, self.need.patience.ticks, self.allowed).map(Arc::new);
        self.known.insert((queue, shaper), late.clone());
        late
    }

    /// The cheapest offer of a line that holds: along it limits only grow, so the first is found by halves.
    fn first_of(&mut self, line: &Line<'_>, below: Option<&Choice>) -> Option<Choice> {
        let dearer = |offer: &Offer| below.is_some_and(|best| offer.month >= best.offer.month);
        if line.is_empty() || dearer(&line.offer(0)) {
            return None;
        }
        let (mut low, mut high) = (0, line.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.late(&line.offer(middle).limits).is_some() { high = middle } else { low = middle + 1 }
        }
        if low == line.len() {
            return None;
        }
        let offer = line.offer(low);
        let late = self.late(&offer.limits)?;
        (!dearer(&offer)).then_some(Choice { offer, late, of: self.total })
    }
}

/// The cheapest offer of a region that holds the need, in stripes of up to so many volumes; at one price
/// the narrower stripe, then the earlier type. `None` where nothing that is sold there holds it.
pub fn cheapest(catalogue: &Catalogue, region: &str, need: Need<'_>, stripes: u32) -> Option<Choice> {
    let families = families(catalogue, region, need, stripes);
    best_of(&mut Judge::new(need), families.iter())
}

/// The cheapest offer that holds of each type that is sold in a region; `None` for types of which none does.
pub fn cheapest_of(
    catalogue: &Catalogue,
    region: &str,
    need: Need<'_>,
    stripes: u32,
) -> Vec<(&'static str, Option<Choice>)> {
    let families = families(catalogue, region, need, stripes);
    let mut judge = Judge::new(need);
    let mut volumes: Vec<&'static str> = Vec::new();
    families.iter().map(Family::volume).for_each(|volume| {
        if !volumes.contains(&volume) {
            volumes.push(volume);
        }
    });
    let best = |volume| best_of(&mut judge, families.iter().filter(|family| family.volume() == volume));
    let found: Vec<Option<Choice>> = volumes.iter().copied().map(best).collect();
    volumes.into_iter().zip(found).collect()
}

/// Narrow stripes first, so that they win at one price.
fn families<'a>(catalogue: &'a Catalogue, region: &'a str, need: Need<'_>, stripes: u32) -> Vec<Family<'a>> {
    let mut families = catalogue.families(region, need.size_gib, stripes);
    families.sort_by_key(Family::members);
    families
}

fn best_of<'a>(judge: &mut Judge<'_>, families: impl Iterator<Item = &'a Family<'a>>) -> Option<Choice> {
    let mut best: Option<Choice> = None;
    for family in families {
        for line in family.lines() {
            if let Some(found) = judge.first_of(&line, best.as_ref()) {
                best = Some(found);
            }
        }
    }
    best
}
