//! The benchmark that proves a choice: the demand's own rates with the margin, until credits have run out.

use fathom_record::shell_word;
use fathom_record::sizing_advice::{ProofRecord, ShorterProof};

use crate::demand::Demand;
use crate::offer::Limits;
use crate::shaper::Shaper;

/// What the guide runs at least, so that nothing is served from what was saved up: 30 minutes.
const LEAST_S: u64 = 1800;
/// Longer nobody waits; a bucket that lasts longer is said to.
const MOST_S: u64 = 24 * 3600;
/// A proof that is shorter by less is not worth another choice.
const WORTH_S: u64 = 600;

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
            "at the demand's peak full credits would last {} h, too long for a run: the run shows the burst, and only the simulation what is below it",
            seconds / 3600
        ),
        Some(seconds) => format!(
            "at the demand's peak full credits last {} min; half an hour behind that shows what is sustained",
            seconds.div_ceil(60)
        ),
    };
    let scale = claim.margin;
    let (profile, target) = (shell_word(profile), shell_word(target));
    let commands = |time_s: u64| {
        let like = format!(
            "fathom run --like {profile} --scale {scale} --target {target} --time {time_s}s --json=proof.json"
        );
        vec![like, "fathom profile proof.json".to_owned()]
    };
    ProofRecord {
        time_s,
        because,
        commands: commands(time_s),
        shorter: shorter(claim, time_s, &target, commands(LEAST_S)),
        passes: format!(
            "the rates are within 5 % of the profile's times {scale}, and at most {} % of the I/Os have a response latency above {} s",
            claim.late_share * 100.0,
            claim.wait_s
        ),
    }
}

/// Spends what was saved up at full speed, which takes less time than at the demand's own rates, and then runs like its
/// busiest half hour. Absent where that takes nearly as long, or nothing is saved up.
fn shorter(claim: &Claim<'_>, time_s: u64, target: &str, like: Vec<String>) -> Option<ShorterProof> {
    let limits = || claim.limits.iter().flatten();
    let longest = |shapers: &mut dyn Iterator<Item = Shaper>| {
        shapers.filter_map(|shaper| drained_s(&shaper, shaper.peak_per_s)).max().unwrap_or(0)
    };
    let operations_s = longest(&mut limits().map(|limits| limits.operations));
    let bytes_s = longest(&mut limits().map(|limits| limits.bytes));
    let drains = [(operations_s, "randread --bs 4k"), (bytes_s, "randread --bs 256k")];
    let minutes = |seconds: u64| seconds.next_multiple_of(60);
    let drains: Vec<(u64, &str)> =
        drains.into_iter().filter(|(s, _)| *s > 0).map(|(s, rw)| (minutes(s), rw)).collect();
    let spent_s: u64 = drains.iter().map(|(seconds, _)| seconds).sum();
    let total_s = spent_s + LEAST_S;
    if drains.is_empty() || total_s + WORTH_S > time_s {
        return None;
    }
    let spend = |(seconds, rw): &(u64, &str)| {
        format!("fathom run --target {target} --rw {rw} --jobs 2 --depth 64 --time {seconds}s")
    };
    let bytes_after = if drains.len() == 2 {
        "; those of I/Os may fill up a little while those of bytes are spent"
    } else {
        ""
    };
    Some(ShorterProof {
        time_s: total_s,
        commands: drains.iter().map(spend).chain(like).collect(),
        because: format!(
            "reads at full speed spend full credits in {} min; the busiest half hour behind that finds none, the start that the choice must survive",
            spent_s / 60
        ),
        not_shown: format!(
            "how long credits last at the demand's own rates, and the demand beyond its busiest half hour{bytes_after}"
        ),
    })
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
    use crate::tick_counts::TickCounts;

    fn claim(demand: &Demand, operations: Shaper) -> ProofRecord {
        let limits = Limits { operations, bytes: Shaper::cap(1 << 30), accounting: Accounting::SOLID_STATE };
        let claim = Claim { demand, margin: 1.5, limits: [Some(limits), None], late_share: 0.001, wait_s: 1 };
        proof(&claim, "p.json", "/mnt/new disk/file")
    }

    #[test]
    fn it_lasts_until_credits_have_run_out() {
        let flow = |rate: u64| Flow { operations: vec![rate; 10], bytes: vec![rate * 4096; 10] };
        let counted = Some(TickCounts::of_equal_sizes(&flow(0), &flow(1200)));
        let demand = Demand { tick_s: 1, read: flow(0), write: flow(1200), gaps: vec![], counted };
        // 1,800 a second against a base of 300: 5.4 million credits last an hour.
        let burst = claim(&demand, Shaper { base_per_s: 300, peak_per_s: 3000, bucket: 5_400_000 });
        assert_eq!(burst.time_s, 3600 + 1800);
        assert!(
            burst.commands[0].contains("--scale 1.5 --target '/mnt/new disk/file' --time 5400s"),
            "{burst:?}"
        );
        assert_eq!(claim(&demand, Shaper::cap(3000)).time_s, 1800);
        // 2,700 a second above the base spend them in 2,000 s.
        let shorter = burst.shorter.unwrap();
        assert_eq!(shorter.time_s, 2040 + 1800);
        assert!(
            shorter.commands[0].contains("--rw randread --bs 4k")
                && shorter.commands[0].contains("--time 2040s"),
            "{shorter:?}"
        );
        assert!(
            shorter.commands[1].contains("--like p.json") && shorter.commands[1].contains("--time 1800s"),
            "{shorter:?}"
        );
        assert_eq!(claim(&demand, Shaper::cap(3000)).shorter, None, "nothing is saved up");
        let endless = claim(&demand, Shaper { base_per_s: 1799, peak_per_s: 3000, bucket: 5_400_000 });
        assert_eq!(endless.time_s, MOST_S);
        assert!(endless.because.contains("1500 h"), "{endless:?}");
    }
}
