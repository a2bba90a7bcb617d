//! The cheapest offer that holds: every offer's limits simulated on the demand, exact among all of them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::accounting::Accounting;
use crate::catalogue::{Catalogue, Family, Line, Market};
use crate::demand::Demand;
use crate::lateness::{Arrivals, Lateness, Patience};
use crate::offer::{Limits, Offer};
use crate::shaper::Shaper;

/// What an offer has to hold.
#[derive(Clone, Copy, Debug)]
pub struct StorageRequirement<'a> {
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
pub struct OfferChoice {
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
pub struct OfferJudge<'a> {
    need: StorageRequirement<'a>,
    ios: Arc<[u64]>,
    total: u64,
    allowed: u64,
    arrivals: HashMap<Queue, Arc<Arrivals>>,
    known: HashMap<(Queue, Shaper), Option<Arc<Lateness>>>,
    /// The largest plain cap of each queue that is known to make too many late: all below do too.
    fails: HashMap<Queue, u64>,
}

impl<'a> OfferJudge<'a> {
    /// For one need.
    pub fn new(need: StorageRequirement<'a>) -> Self {
        let ios: Arc<[u64]> = need.demand.operations().into();
        let total = ios.iter().sum();
        let allowed = need.patience.allowed(total);
        Self {
            need,
            ios,
            total,
            allowed,
            arrivals: HashMap::new(),
            known: HashMap::new(),
            fails: HashMap::new(),
        }
    }

    /// I/Os that would be late under these limits and the instance's; `None` where they are too many.
    pub fn late(&mut self, limits: &Limits) -> Option<u64> {
        self.late_behind(limits, self.need.instance)
    }

    /// Whether these limits and the instance's would hold the demand grown so many thousandths.
    pub fn holds_grown(&mut self, limits: &Limits, thousandths: u32) -> bool {
        let instance = self.need.instance.map(|instance| instance.over(thousandths));
        self.late_behind(&limits.over(thousandths), instance).is_some()
    }

    fn late_behind(&mut self, limits: &Limits, instance: Option<Limits>) -> Option<u64> {
        let volume = self.late_under(limits)?;
        let late = match instance {
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
        let plain = shaper.bucket == 0;
        if plain && self.fails.get(&queue).is_some_and(|cap| shaper.base_per_s <= *cap) {
            return None;
        }
        let (ticks, allowed) = (self.need.patience.ticks, self.allowed);
        let late = self.arrivals_at(queue, accounting).late(&shaper, ticks, allowed).map(Arc::new);
        if late.is_none() && plain {
            let cap = self.fails.entry(queue).or_default();
            *cap = shaper.base_per_s.max(*cap);
        }
        self.known.insert((queue, shaper), late.clone());
        late
    }

    fn arrivals_at(&mut self, queue: Queue, accounting: Accounting) -> &Arc<Arrivals> {
        let demand = self.need.demand;
        self.arrivals.entry(queue).or_insert_with(|| {
            let units = match queue {
                Queue::Operations(_) => accounting.operations(demand),
                Queue::Bytes(_) => accounting.bytes(demand),
            };
            Arc::new(Arrivals::new(demand.tick_s, units, Arc::clone(&self.ios)))
        })
    }

    /// I/Os and bytes of the need as solid-state volumes count them.
    pub fn solid_state(&mut self) -> [Arc<Arrivals>; 2] {
        let accounting = Accounting::SOLID_STATE;
        let queues = [Queue::Operations(accounting.into()), Queue::Bytes(accounting.into())];
        queues.map(|queue| Arc::clone(self.arrivals_at(queue, accounting)))
    }

    /// The cheapest offer of a line that holds, if it is cheaper than what is known: along a line limits
    /// and prices only grow, so that the first that holds is found by halves.
    fn first_of(&mut self, line: &Line<'_>, below: Option<&OfferChoice>) -> Option<OfferChoice> {
        let cheaper = |at: usize| below.is_none_or(|best| line.month(at) < best.offer.month);
        let len = first(0, line.len(), |at| !cheaper(at));
        // Where the last of them fails, all do.
        let last = len.checked_sub(1)?;
        self.late(&line.limits(last))?;
        let at = first(0, last, |at| self.late(&line.limits(at)).is_some());
        let offer = line.offer(at);
        let late = self.late(&offer.limits)?;
        Some(OfferChoice { offer, late, of: self.total })
    }

    /// Whether the most that a line offers holds; of the lines of a family each lets through what the one
    /// before does.
    fn can_hold(&mut self, line: &Line<'_>) -> bool {
        line.len().checked_sub(1).is_some_and(|last| self.late(&line.limits(last)).is_some())
    }
}

/// The first place from `low` on that is so, where all behind one that is so are; `high` where none is.
fn first(mut low: usize, mut high: usize, mut is_so: impl FnMut(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The cheapest offer of a region that holds the need, in stripes of up to so many volumes; at one price
/// the narrower stripe, then the earlier type. `None` where nothing that is sold there holds it.
pub fn cheapest(
    catalogue: &Catalogue,
    region: &str,
    need: StorageRequirement<'_>,
    stripes: u32,
) -> Option<OfferChoice> {
    cheapest_in(&Market::of(catalogue, region), &mut OfferJudge::new(need), stripes)
}

/// As [`cheapest`], of a market that many questions are put to, by a judge that has more to do.
pub fn cheapest_in(market: &Market, judge: &mut OfferJudge<'_>, stripes: u32) -> Option<OfferChoice> {
    let families = families(market, judge.need, stripes);
    best_of(judge, families.iter())
}

/// The cheapest offer that holds of each type that is on offer; `None` for types of which none does.
pub fn cheapest_of(
    market: &Market,
    need: StorageRequirement<'_>,
    stripes: u32,
) -> Vec<(&'static str, Option<OfferChoice>)> {
    let families = families(market, need, stripes);
    let mut judge = OfferJudge::new(need);
    let mut volumes: Vec<&'static str> = Vec::new();
    families.iter().map(Family::volume).for_each(|volume| {
        if !volumes.contains(&volume) {
            volumes.push(volume);
        }
    });
    let best = |volume| best_of(&mut judge, families.iter().filter(|family| family.volume() == volume));
    let found: Vec<Option<OfferChoice>> = volumes.iter().copied().map(best).collect();
    volumes.into_iter().zip(found).collect()
}

/// Narrow stripes first, so that they win at one price.
fn families(market: &Market, need: StorageRequirement<'_>, stripes: u32) -> Vec<Family> {
    let mut families = market.families(need.size_gib, stripes, need.demand.is_sequential());
    families.sort_by_key(Family::members);
    families
}

fn best_of<'a>(
    judge: &mut OfferJudge<'_>,
    families: impl Iterator<Item = &'a Family>,
) -> Option<OfferChoice> {
    let mut best: Option<OfferChoice> = None;
    for family in families {
        let lines: Vec<Line<'_>> = family.lines().collect();
        let from = first(0, lines.len(), |at| judge.can_hold(&lines[at]));
        for line in &lines[from..] {
            // Lines only grow dearer from their first offer on.
            let dearer = |best: &OfferChoice| line.is_empty() || line.month(0) >= best.offer.month;
            if best.as_ref().is_some_and(dearer) {
                break;
            }
            if let Some(found) = judge.first_of(line, best.as_ref()) {
                best = Some(found);
            }
        }
    }
    best
}
