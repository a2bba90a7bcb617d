//! The benchmark that proves a choice: the demand's own rates with the margin, until credits have run out.

use fathom_record::sizing_advice::ProofRecord;

use crate::demand::Demand;
use crate::offer::Limits;
use crate::shaper::Shaper;

/// What the guide runs at least, so that nothing is served from what was saved up: 30 minutes.
const LEAST_S: u64 = 1800;
/// Longer nobody waits; a bucket that lasts longer is said to.
const MOST_S: u64 = 24 * 3600;

/// What is proved.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The demand without the margin.
    pub demand: &'a Demand,
    /// The demand times this is held.
    pub margin: f64,
    /// Limits of the volume, and of the instance where it is known.
    pub limits: [Option<Limits>; 2],
    /// Share of the I/Os that may be late, and how long one waits, in seconds.
    pub late_share: f64,
    /// See `late_share`.
    pub wait_s: u64,
}

/// The commands: `profile` is the profile's file, `target` the file or device on the new storage.
pub fn proof(claim: &Claim<'_>, profile: &str, target: &str) -> ProofRecord {
    let longest = claim.limits.iter().flatten().flat_map(|limits| {
        let most =
            |units: Vec<u64>| units.into_iter().max().unwrap_or(0) / u64::from(claim.demand.tick_s.max(1));
        let peak = |units: Vec<u64>| (most(units) as f64 * claim.margin) as u64;
        let accounting = limits.accounting;
        [
            drained_s(&limits.operations, peak(accounting.operations(claim.demand))),
            drained_s(&limits.bytes, peak(accounting.bytes(claim.demand))),
        ]
    });
    let drained = longest.flatten().max();
    let wanted_s = drained.map_or(LEAST_S, |seconds| seconds + LEAST_S);
    let time_s = wanted_s.clamp(LEAST_S, MOST_S).next_multiple_of(60);
    let because = match drained {
        None => "no limit in the way has credits; half an hour shows what is sustained".to_owned(),
        Some(seconds) if wanted_s > MOST_S => format!(
            "at the demand's peak full credits would last {} h, longer than anybody waits: the run shows the burst, and only the simulation what is below it",
            seconds / 3600
        ),
        Some(seconds) => format!(
            "at the demand's peak full credits last {} min; half an hour behind that shows what is sustained",
            seconds.div_ceil(60)
        ),
    };
    let quoted = |text: &str| {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-:=,+".contains(c));
        if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    let scale = claim.margin;
    ProofRecord {
        time_s,
        because,
        commands: vec![
            format!(
                "fathom run --like {} --scale {scale} --target {} --time {time_s}s --json=proof.json",
                quoted(profile),
                quoted(target)
            ),
            "fathom profile proof.json".to_owned(),
        ],
        passes: format!(
            "the rates are within 5 % of the profile's times {scale}, and at most {} % of the I/Os have a response latency above {} s",
            claim.late_share * 100.0,
            claim.wait_s
        ),
    }
}

/// How long a full bucket lasts at a rate; absent where it never runs out or holds nothing.
fn drained_s(shaper: &Shaper, rate_per_s: u64) -> Option<u64> {
    let over = rate_per_s.min(shaper.peak_per_s).checked_sub(shaper.base_per_s).filter(|over| *over > 0)?;
    (shaper.bucket > 0).then(|| shaper.bucket / over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::Accounting;
    use crate::demand::Flow;

    fn claim(demand: &Demand, operations: Shaper) -> ProofRecord {
        let limits = Limits { operations, bytes: Shaper::cap(1 << 30), accounting: Accounting::SOLID_STATE };
        let claim = Claim { demand, margin: 1.5, limits: [Some(limits), None], late_share: 0.001, wait_s: 1 };
        proof(&claim, "p.json", "/mnt/new disk/file")
    }

    #[test]
    fn it_lasts_until_credits_have_run_out() {
        let flow = |rate: u64| Flow { operations: vec![rate; 10], bytes: vec![rate * 4096; 10] };
        let demand = Demand { tick_s: 1, read: flow(0), write: flow(1200), gaps: vec![] };
        // 1,800 a second against a base of 300: 5.4 million credits last an hour.
        let burst = claim(&demand, Shaper { base_per_s: 300, peak_per_s: 3000, bucket: 5_400_000 });
        assert_eq!(burst.time_s, 3600 + 1800);
        assert!(
            burst.commands[0].contains("--scale 1.5 --target '/mnt/new disk/file' --time 5400s"),
            "{burst:?}"
        );
        assert_eq!(claim(&demand, Shaper::cap(3000)).time_s, 1800);
        let endless = claim(&demand, Shaper { base_per_s: 1799, peak_per_s: 3000, bucket: 5_400_000 });
        assert_eq!(endless.time_s, MOST_S);
        assert!(endless.because.contains("1500 h"), "{endless:?}");
    }
}
