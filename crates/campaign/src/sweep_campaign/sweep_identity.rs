//! What makes two sweeps the same one.

use fathom_record::campaign::SweepPlan;

use crate::resumable_campaign::{ResumablePlan, base_targets};

impl ResumablePlan for SweepPlan {
    const NOUN: &'static str = "sweep";
    const LETTER: &'static str = "s";

    fn without_seed(&self) -> Self {
        Self { seed: 0, ..self.clone() }
    }

    fn targets(&self) -> Vec<String> {
        let axis = self.axes.iter().find(|axis| axis.key == "target");
        axis.map_or_else(|| base_targets(&self.base), |axis| axis.values.clone())
    }
}
