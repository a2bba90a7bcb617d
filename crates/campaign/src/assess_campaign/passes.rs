//! Which chosen point is visited next: passes over all that are not decided, each in a random order.
//!
//! Repeats of one point are spaced by the visits to the others, which costs nothing. Between two visits
//! to a point lie those to at least half of the points of the pass. The next visit is a pure function of
//! the seed and of the visits so far, so that a campaign resumes by replaying them.

use std::collections::VecDeque;

use fathom_record::campaign::RepeatRule;
use fathom_record::precision::{Precision, StopDecision};
use fathom_record::steadiness::SniaRounds;
use fathom_stats::steady::snia;
use fathom_stats::stopping::stalls::{self, RunStalls};
use fathom_stats::stopping::{SpacedRun, StopRule, assess_with};

/// A chosen point: a pattern by its place in the plan, and a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub pattern: usize,
    pub jobs: u32,
    pub depth: u32,
}

/// What ends the passes, with the lengths that it is applied to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PassRule {
    Error(StopRule),
    Rounds { most: u32, window_s: f64 },
}

impl PassRule {
    /// The rule of a plan for windows of this length.
    pub fn of(rule: RepeatRule, window_s: f64) -> Self {
        match rule {
            RepeatRule::Error { target_share } => {
                let rule = StopRule { window_s, ..StopRule::for_target(target_share) };
                // Short windows must be more, or the least measured time could not be reached.
                let for_floor = (rule.floor_s() / window_s).ceil() as usize;
                Self::Error(StopRule { most_runs: rule.most_runs.max(for_floor), ..rule })
            }
            RepeatRule::Rounds { most } => Self::Rounds { most, window_s },
        }
    }
}

/// The visits made and to be made.
#[derive(Clone, Debug)]
pub struct Passes {
    points: Vec<Point>,
    rule: PassRule,
    seed: u64,
    visits: Vec<Vec<SpacedRun>>,
    /// Points in the order in which they were visited.
    history: Vec<usize>,
    queue: VecDeque<usize>,
    passes: u32,
    /// What all runs on the target saw of its stalls, each with the point that it was a visit to.
    stalls: Vec<(Option<usize>, RunStalls)>,
}

impl Passes {
    /// No visits yet.
    pub fn new(points: Vec<Point>, rule: PassRule, seed: u64) -> Self {
        let visits = vec![Vec::new(); points.len()];
        let (history, queue) = (Vec::new(), VecDeque::new());
        Self { points, rule, seed, visits, history, queue, passes: 0, stalls: Vec::new() }
    }

    /// The points.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Passes that were begun.
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Visits to a point.
    pub fn visits(&self, point: usize) -> &[SpacedRun] {
        &self.visits[point]
    }

    /// Visits in all.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// The point to visit; `None` when the rule holds at all or nothing more may be done for it.
    pub fn next(&mut self) -> Option<usize> {
        if self.queue.is_empty() {
            let members = self.undecided();
            if members.is_empty() {
                return None;
            }
            self.queue = self.order(members);
            self.passes += 1;
        }
        self.queue.front().copied()
    }

    /// Takes in a visit to the point that was next.
    pub fn take(&mut self, point: usize, run: SpacedRun) {
        self.queue.retain(|waiting| *waiting != point);
        self.history.push(point);
        self.visits[point].push(run);
    }

    /// Takes in the stalls that the next run on the target saw: a visit to a point, or another one.
    pub fn saw(&mut self, point: Option<usize>, stalls: RunStalls) {
        self.stalls.push((point, stalls));
    }

    /// What is known of a point's rate, where an error was asked for.
    pub fn precision(&self, point: usize) -> Option<Precision> {
        match &self.rule {
            PassRule::Error(rule) => {
                Some(assess_with(&self.visits[point], rule, stalls::seen(&self.stalls, point)))
            }
            PassRule::Rounds { .. } => None,
        }
    }

    /// SNIA's rule on a point's last rounds, where rounds were asked for.
    pub fn snia(&self, point: usize) -> Option<SniaRounds> {
        let PassRule::Rounds { window_s, .. } = self.rule else { return None };
        let rates: Vec<f64> = self.visits[point].iter().map(|run| run.value).collect();
        snia::last_of(&rates, window_s)
    }

    /// Whether the rule holds at a point.
    pub fn is_met(&self, point: usize) -> bool {
        match self.rule {
            PassRule::Error(_) => self.precision(point).is_some_and(|p| p.decision == StopDecision::Reached),
            PassRule::Rounds { .. } => self.snia(point).is_some_and(|rounds| rounds.met),
        }
    }

    /// Visits that are still likely, all points together.
    pub fn likely(&self) -> u64 {
        let visits = (0..self.points.len()).map(|point| match &self.rule {
            PassRule::Rounds { .. } => {
                let made = self.visits[point].len() as u64;
                if self.all_rounds_met() { 0 } else { 5u64.saturating_sub(made).max(1) }
            }
            PassRule::Error(rule) => match self.precision(point) {
                Some(p) if p.decision == StopDecision::Continue => {
                    let fewest = (rule.fewest_runs as u64).saturating_sub(u64::from(p.runs));
                    let for_floor = ((rule.floor_s() - p.measured_s) / rule.window_s).ceil().max(0.0) as u64;
                    // Beyond the most runs nothing is made.
                    let most = (rule.most_runs as u64).saturating_sub(u64::from(p.runs));
                    let forecast = p.forecast.map_or(0, |f| u64::from(f.likely));
                    forecast.max(fewest).max(for_floor).min(most)
                }
                _ => 0,
            },
        });
        visits.sum()
    }

    fn all_rounds_met(&self) -> bool {
        (0..self.points.len()).all(|point| self.is_met(point))
    }

    /// Points that the next pass visits. Rounds are of all points, until all keep the rule.
    fn undecided(&self) -> Vec<usize> {
        let all = 0..self.points.len();
        match self.rule {
            PassRule::Error(_) => all
                .filter(|point| self.precision(*point).is_some_and(|p| p.decision == StopDecision::Continue))
                .collect(),
            PassRule::Rounds { most, .. } if self.passes >= most || self.all_rounds_met() => Vec::new(),
            PassRule::Rounds { .. } => all.collect(),
        }
    }

    /// The pass's order: at each place a random one of the points whose last visit lies far enough back.
    /// Rounds all have the same order, as SNIA's do: what a pattern leaves behind is then part of each round.
    fn order(&self, mut members: Vec<usize>) -> VecDeque<usize> {
        if let PassRule::Rounds { .. } = self.rule {
            return members.into();
        }
        let apart = members.len() / 2;
        let mut random = SplitMix(self.seed ^ (u64::from(self.passes) << 32));
        let mut history = self.history.clone();
        let mut order = VecDeque::with_capacity(members.len());
        while !members.is_empty() {
            let recent = &history[history.len().saturating_sub(apart)..];
            let far: Vec<usize> = members.iter().copied().filter(|point| !recent.contains(point)).collect();
            // With points that were decided on the way none may be far enough back.
            let choice = if far.is_empty() { &members } else { &far };
            let point = choice[random.below(choice.len())];
            members.retain(|member| *member != point);
            history.push(point);
            order.push_back(point);
        }
        order
    }
}

/// Steele, Lea and Flood 2014: enough to shuffle a few points, from a seed alone.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(count: u32) -> Vec<Point> {
        (0..count).map(|depth| Point { pattern: 0, jobs: 1, depth }).collect()
    }

    fn run(visit: usize, value: f64) -> SpacedRun {
        SpacedRun { start_s: 70.0 * visit as f64, seconds: 60.0, value }
    }

    /// Visits until the rule ends them, or the limit; returns the order.
    fn visit(passes: &mut Passes, limit: usize, value: impl Fn(usize, usize) -> f64) -> Vec<usize> {
        while passes.len() < limit
            && let Some(point) = passes.next()
        {
            let visit = passes.visits(point).len();
            passes.take(point, run(passes.len(), value(point, visit)));
        }
        passes.history.clone()
    }

    #[test]
    fn repeats_of_a_point_lie_half_a_pass_apart_and_orders_differ() {
        let rule = PassRule::of(RepeatRule::Error { target_share: 0.02 }, 60.0);
        let mut passes = Passes::new(points(12), rule, 5);
        let order = visit(&mut passes, usize::MAX, |_, _| 100.0);
        assert_eq!(order.len(), 12 * 8, "eight even windows reach the target");
        for (at, point) in order.iter().enumerate() {
            let before = &order[at.saturating_sub(6)..at];
            assert!(!before.contains(point), "{order:?}");
        }
        assert_ne!(order[..12], order[12..24]);
        assert_eq!((passes.passes(), passes.likely()), (8, 0));
    }

    #[test]
    fn a_replay_goes_on_with_the_same_visits() {
        let value = |point: usize, visit: usize| 100.0 + (point * visit % 5) as f64;
        let make = || Passes::new(points(5), PassRule::of(RepeatRule::Error { target_share: 0.01 }, 30.0), 9);
        let whole = visit(&mut make(), 60, value);
        let mut again = make();
        visit(&mut again, 23, value);
        let mut replayed = make();
        for (at, point) in again.history.iter().enumerate() {
            assert_eq!(replayed.next(), Some(*point));
            replayed.take(*point, run(at, value(*point, replayed.visits(*point).len())));
        }
        assert_eq!(visit(&mut replayed, 60, value), whole);
    }

    #[test]
    fn decided_points_are_left_and_wild_ones_end_at_the_cap() {
        let rule = PassRule::of(RepeatRule::Error { target_share: 0.02 }, 60.0);
        let mut passes = Passes::new(points(2), rule, 1);
        visit(&mut passes, usize::MAX, |point, visit| 100.0 + 60.0 * (point * (visit % 2)) as f64);
        assert_eq!((passes.visits(0).len(), passes.visits(1).len()), (8, 20));
        assert!(passes.is_met(0) && !passes.is_met(1));
    }

    #[test]
    fn stalls_that_another_point_met_keep_a_point_from_being_met() {
        use fathom_stats::stopping::stalls::Second;
        let seconds = |still: std::ops::Range<usize>| -> Vec<Second> {
            let rate = |at| if still.contains(&at) { 0.0 } else { 100.0 };
            (0..60).map(|at| Second { rate_per_s: rate(at), measured: true }).collect()
        };
        let rule = PassRule::of(RepeatRule::Error { target_share: 0.02 }, 60.0);
        let mut passes = Passes::new(points(2), rule, 1);
        while let Some(point) = passes.next() {
            // Each meets the same in each of its windows.
            let still = if point == 0 { 0..0 } else { 20..50 };
            passes.saw(Some(point), RunStalls::of(&seconds(still), 0.0));
            passes.take(point, run(passes.len(), [100.0, 50.0][point]));
        }
        assert!(!passes.is_met(0) && !passes.is_met(1));
        let known = passes.precision(0).and_then(|precision| precision.half_width_share);
        assert!(known.is_some_and(|share| share > 0.2), "{known:?}");
    }

    #[test]
    fn short_windows_may_be_as_many_as_the_least_time_takes() {
        let rule = PassRule::of(RepeatRule::Error { target_share: 0.02 }, 5.0);
        let mut passes = Passes::new(points(1), rule, 1);
        while let Some(point) = passes.next() {
            passes.take(point, SpacedRun { seconds: 5.0, ..run(passes.len(), 100.0) });
        }
        assert_eq!(passes.visits(0).len(), 30, "150 s in windows of 5 s");
        assert!(passes.is_met(0));
    }

    #[test]
    fn rounds_end_when_five_of_every_point_keep_the_rule_or_at_the_most() {
        let rounds = |value: fn(usize, usize) -> f64| {
            let rule = PassRule::of(RepeatRule::Rounds { most: 25 }, 60.0);
            let mut passes = Passes::new(points(2), rule, 3);
            visit(&mut passes, usize::MAX, value);
            (passes.passes(), passes.is_met(0), passes.is_met(1))
        };
        assert_eq!(rounds(|_, _| 100.0), (5, true, true));
        // One settles from 1.8 times its level by a tenth of the way a round.
        assert_eq!(rounds(|point, visit| 100.0 + 80.0 * point as f64 * 0.5f64.powi(visit as i32)).0, 8);
        let wild = |point, visit| 100.0 + 60.0 * (point * (visit % 2)) as f64;
        assert_eq!(rounds(wild), (25, true, false));
    }
}
