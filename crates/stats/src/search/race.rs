//! The race: the best cells are run again until none can be better than the leader by more than a tie.

use super::picture::Estimate;
use super::{Purpose, SearchEnd, Step, StepResult, View};

/// Standard errors of a difference that count as decided: one-sided 95 %.
const DECIDED: f64 = 1.64;

impl View<'_> {
    /// The racing cell whose repeat decides most, or why there is none.
    pub(super) fn race(&self) -> StepResult {
        let options = &self.search.options;
        let mut field: Vec<_> = self.picture.estimates.iter().collect();
        field.sort_by(|a, b| b.ln_power.total_cmp(&a.ln_power));
        field.truncate(options.racers.max(1));
        let Some((leader, others)) = field.split_first() else { return Err(SearchEnd::NothingUsable) };
        let mut open = false;
        for other in others {
            let error =
                self.picture.noise * (1.0 / f64::from(leader.runs) + 1.0 / f64::from(other.runs)).sqrt();
            let ahead = leader.ln_power - other.ln_power;
            if DECIDED * error - ahead <= options.tie_share {
                continue;
            }
            open = true;
            let passes = |e: &Estimate| self.tries(e.cell).count();
            let fewer = if passes(other) <= passes(leader) { other } else { leader };
            if passes(fewer) < options.max_passes {
                return Ok(Step { cell: fewer.cell, purpose: Purpose::Race });
            }
        }
        Err(if open { SearchEnd::Undecided } else { SearchEnd::Decided })
    }
}
