//! What makes two comparisons the same one.

use fathom_record::campaign::{ComparePlan, SidePlan};

use crate::resumable_campaign::{ResumablePlan, base_targets};

impl ResumablePlan for ComparePlan {
    const NOUN: &'static str = "comparison";
    const LETTER: &'static str = "x";

    fn without_seed(&self) -> Self {
        Self { seed: 0, ..self.clone() }
    }

    /// Both targets as the user named them, or the one that both sides share.
    fn targets(&self) -> Vec<String> {
        let own = |side: &SidePlan| {
            let target = side.settings.iter().find(|setting| setting.key == "target");
            target.map(|setting| setting.value.clone()).or_else(|| side.stored.clone())
        };
        match (own(&self.a), own(&self.b)) {
            (Some(a), Some(b)) => vec![a, b],
            _ => base_targets(&self.base),
        }
    }

    fn target(&self) -> String {
        self.targets().join(" | ")
    }
}
