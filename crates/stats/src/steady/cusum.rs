//! After a verdict: goes on looking, and revokes it when the rate leaves its level.
//!
//! A two-sided CUSUM (Page 1954) of the means of batches of half a minute or more. Half the tolerance, or a
//! standard deviation of a batch if that is more, is forgiven in every batch; the alarm comes when what
//! exceeds it has added up to five standard deviations, and to no less than four tolerances. So a stall
//! of a second revokes nothing, and noise does so in less than 2 of 100 hours.

use fathom_record::exposure_guard::ExposureGuard;
use fathom_record::steadiness::Steadiness;

use super::{SteadyRule, judge, schedule};

/// Deviations that have to add up.
const DEVIATIONS: f64 = 5.0;
/// Tolerances that have to add up, if they are more.
const TOLERANCES: f64 = 4.0;
/// Shortest batch, in seconds.
const SHORTEST_BATCH_S: f64 = 30.0;

/// The level that a verdict stated, and what has left it since.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    mean: f64,
    slack: f64,
    limit: f64,
    batch_s: usize,
    batch: Vec<f64>,
    seconds: usize,
    up: Excess,
    down: Excess,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Excess {
    sum: f64,
    /// Seconds of the watch at which the sum was last zero.
    since: usize,
}

/// The rate left its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alarm {
    /// Whether it rose.
    pub rose: bool,
    /// Seconds since the watch began.
    pub seconds: usize,
    /// Seconds since the watch began at which the change itself most probably was.
    pub changed_at: usize,
}

impl Watch {
    /// Watches the level of a settled verdict; `None` for another one.
    pub fn over(verdict: &Steadiness) -> Option<Watch> {
        let (mean, drift, level) = (verdict.mean?, verdict.gates.drift?, verdict.gates.level?);
        let together = (SHORTEST_BATCH_S / drift.batch_s).ceil().max(1.0);
        let deviation = level.error_share / 2.0 * (f64::from(drift.batches) / together).sqrt() * mean;
        verdict.verdict.is_settled().then(|| Watch {
            mean,
            slack: deviation.max(drift.tolerance_share / 2.0 * mean),
            limit: (DEVIATIONS * deviation).max(TOLERANCES * drift.tolerance_share * mean),
            batch_s: (together * drift.batch_s) as usize,
            batch: Vec::new(),
            seconds: 0,
            up: Excess::default(),
            down: Excess::default(),
        })
    }

    /// Takes the next second.
    pub fn push(&mut self, rate: f64) -> Option<Alarm> {
        self.batch.push(rate);
        self.seconds += 1;
        if self.batch.len() < self.batch_s {
            return None;
        }
        let mean = self.batch.iter().sum::<f64>() / self.batch.len() as f64;
        self.batch.clear();
        let before = self.seconds - self.batch_s;
        self.up.add(mean - self.mean - self.slack, before);
        self.down.add(self.mean - mean - self.slack, before);
        let (rose, excess) = if self.up.sum >= self.down.sum { (true, self.up) } else { (false, self.down) };
        (excess.sum > self.limit).then_some(Alarm { rose, seconds: self.seconds, changed_at: excess.since })
    }
}

impl Excess {
    fn add(&mut self, excess: f64, before: usize) {
        if self.sum <= 0.0 {
            self.since = before;
        }
        self.sum = (self.sum + excess).max(0.0);
    }
}

/// A growing series: judged at its looks, watched after a verdict, begun anew after an alarm.
#[derive(Clone, Debug)]
pub struct Monitor {
    rule: SteadyRule,
    /// The stretch that is judged.
    rates: Vec<f64>,
    /// Seconds before that stretch, which an alarm cut off.
    before: usize,
    next_look: usize,
    latest: Option<Steadiness>,
    watch: Option<Watch>,
    alarms: Vec<Alarm>,
}

/// What a second brought.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent {
    /// The series was judged.
    Judged(Box<Steadiness>),
    /// The verdict is revoked; the stretch begins anew at the change. Seconds are those of the whole series.
    Revoked(Alarm),
}

impl Monitor {
    /// A series without a second yet.
    pub fn new(rule: SteadyRule) -> Self {
        Self {
            rule,
            rates: Vec::new(),
            before: 0,
            next_look: schedule::FIRST_S,
            latest: None,
            watch: None,
            alarms: Vec::new(),
        }
    }

    /// Takes the next second's rate, and the guard after it. The guard's `exposed_s` counts the time under
    /// load to this second, whatever came before the series included.
    pub fn push(&mut self, rate: f64, guard: &ExposureGuard) -> Option<WatchEvent> {
        self.rates.push(rate);
        if let Some(alarm) = self.watch.as_mut().and_then(|watch| watch.push(rate)) {
            return Some(WatchEvent::Revoked(self.revoke(alarm)));
        }
        if self.watch.is_some() || self.rates.len() < self.next_look {
            return None;
        }
        self.next_look = schedule::after(self.rates.len());
        let verdict = judge(&self.rates, guard, &self.rule);
        self.watch = Watch::over(&verdict);
        self.latest = Some(verdict.clone());
        Some(WatchEvent::Judged(Box::new(verdict)))
    }

    /// The latest verdict on the present stretch; none before the first look and after an alarm.
    pub fn latest(&self) -> Option<&Steadiness> {
        self.latest.as_ref()
    }

    /// Judges now, at whatever length: what is known when a budget ends.
    pub fn conclude(&self, guard: &ExposureGuard) -> Steadiness {
        judge(&self.rates, guard, &self.rule)
    }

    /// Verdicts that were revoked, in seconds of the whole series.
    pub fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }

    fn revoke(&mut self, alarm: Alarm) -> Alarm {
        let watched_from = self.rates.len() - alarm.seconds;
        let change = watched_from + alarm.changed_at;
        let whole = Alarm {
            rose: alarm.rose,
            seconds: self.before + self.rates.len(),
            changed_at: self.before + change,
        };
        self.rates.drain(..change);
        self.before += change;
        (self.watch, self.latest) = (None, None);
        self.next_look = schedule::after(self.rates.len());
        self.alarms.push(whole);
        whole
    }
}
