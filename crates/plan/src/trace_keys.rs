//! The keys of a trace that is replayed: read from a plan, and written back.

use fathom_record::Fault;
use fathom_record::workload::{Addresses, Arrival, Mix, TraceFit, TraceSource};

use super::error::{Mistake, PlanErrorKind};
use super::raw_plan::RawPlan;
use super::resolve::{name, value, word};
use super::scalar_text::Text;

/// What stands for the trace's own directions until it is read: writes may be among them.
pub(super) const UNREAD_MIX: Mix = Mix { read_share: 0.5, trim_share: 0.0, flush_every_writes: 0 };

const FITS: [(&str, TraceFit); 2] = [("wrap", TraceFit::Wrap), ("scale", TraceFit::Scale)];

/// Where and when a trace says; absent where none is to be replayed.
pub(super) fn read(raw: &RawPlan, targets: usize) -> Result<Option<(Addresses, Arrival)>, Mistake> {
    let contradiction = |key, cause: &str| Err(Mistake::new(key, PlanErrorKind::Contradiction, cause));
    let speed = value("speed", &raw.speed, speed)?;
    let fit = value("replay-fit", &raw.replay_fit, |text| word(text, &FITS))?;
    let device = name("replay-device", &raw.replay_device)?;
    let columns = name("replay-columns", &raw.replay_columns)?;
    let Some(file) = name("replay", &raw.replay)? else {
        let given = [
            ("speed", speed.is_some()),
            ("replay-fit", fit.is_some()),
            ("replay-device", device.is_some()),
            ("replay-columns", columns.is_some()),
        ];
        return match given.into_iter().find(|(_, given)| *given) {
            Some((key, _)) => {
                contradiction(key, "it is about a trace: name one with `replay`, e.g. trace.csv")
            }
            None => Ok(None),
        };
    };
    let given = [
        ("rw", raw.rw.is_some()),
        ("bs", raw.bs.is_some()),
        ("read-bs", raw.read_bs.is_some()),
        ("write-bs", raw.write_bs.is_some()),
        ("trim-bs", raw.trim_bs.is_some()),
        ("read-share", raw.read_share.is_some()),
        ("trim-share", raw.trim_share.is_some()),
        ("flush-every", raw.flush_every.is_some()),
        ("addresses", raw.addresses.is_some()),
        ("align", raw.align.is_some()),
        ("rate", raw.rate.is_some()),
        ("rates", raw.rates.is_some()),
        ("rate-step", raw.rate_step.is_some()),
        ("arrival", raw.arrival.is_some()),
        ("ramp-from", raw.ramp_from.is_some()),
        ("ramp-over", raw.ramp_over.is_some()),
        ("pause", raw.pause.is_some()),
        ("pause-every", raw.pause_every.is_some()),
    ];
    if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
        return contradiction(key, "`replay` takes that from the trace: leave one of the two out");
    }
    if value("verify", &raw.verify, |text| Ok(text != "off"))? == Some(true) {
        return contradiction(
            "verify",
            "the reads of a trace are of data that were there before: leave it out",
        );
    }
    if targets > 1 && raw.stripe.is_none() {
        return contradiction(
            "replay",
            "a trace is of one volume: name one target, or put them together with `stripe`",
        );
    }
    let traced = TraceSource {
        file,
        device,
        columns: columns.unwrap_or_default(),
        fit: fit.unwrap_or_default(),
        extent_bytes: 0,
    };
    Ok(Some((Addresses::Traced(traced), Arrival::Traced { speed: speed.unwrap_or(1.0) })))
}

fn speed(text: &str) -> Result<f64, Fault> {
    let factor = text.parse::<f64>().ok().filter(|speed| (1e-3..=1e6).contains(speed));
    factor.ok_or_else(|| {
        Fault::from(format!(
            "`{text}` is not a valid speed: write a factor from 0.001 to 1000000, e.g. 1 or 2.5"
        ))
    })
}

/// The keys of a trace in place of those of what it says itself.
pub(super) fn write(raw: &mut RawPlan, traced: &TraceSource) {
    let fit = FITS.iter().find(|(_, fit)| *fit == traced.fit).map(|(name, _)| (*name).into());
    *raw = RawPlan {
        rw: None,
        bs: None,
        read_bs: None,
        write_bs: None,
        trim_bs: None,
        read_share: None,
        trim_share: None,
        align: None,
        replay: Some(Text(traced.file.clone())),
        replay_fit: fit.filter(|_| traced.fit != TraceFit::default()),
        replay_device: traced.device.clone().map(Text),
        replay_columns: Some(traced.columns.clone()).filter(|columns| !columns.is_empty()).map(Text),
        ..std::mem::take(raw)
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlanSource, to_command_line};

    fn plan(fill: impl FnOnce(&mut RawPlan)) -> Result<crate::RunPlan, String> {
        let mut raw = RawPlan { target: Some(vec!["memory:".to_owned()]), ..RawPlan::default() };
        fill(&mut raw);
        PlanSource::from_flags(raw).resolve(1).map_err(|error| error.to_string())
    }

    #[test]
    fn a_trace_says_where_and_when_and_goes_back_to_a_command_line() {
        let plan = plan(|raw| {
            raw.replay = Some("t.csv".into());
            raw.speed = Some("2.5".into());
            raw.replay_fit = Some("scale".into());
        });
        let plan = plan.unwrap();
        assert_eq!(plan.workload.arrival, Arrival::Traced { speed: 2.5 });
        assert_eq!((plan.workload.length.time_ns, plan.workload.length.warmup_ns), (None, 0));
        let line = to_command_line(&plan);
        assert!(line.contains("--replay t.csv --speed 2.5 --replay-fit scale"), "{line}");
        assert!(!line.contains("--rw") && !line.contains("--bs"), "{line}");
    }

    #[test]
    fn what_a_trace_says_is_not_said_again() {
        for (fill, told) in [
            ((|raw| raw.bs = Some("4k".into())) as fn(&mut RawPlan), "--bs"),
            (|raw| raw.rate = Some("5".into()), "--rate"),
            (|raw| raw.verify = Some("at-end".into()), "--verify"),
            (|raw| raw.speed = Some("0".into()), "not a valid speed"),
            (|raw| raw.target = Some(vec!["a".into(), "b".into()]), "one volume"),
        ] {
            let refused = plan(|raw| {
                raw.replay = Some("t.csv".into());
                fill(raw);
            });
            assert!(refused.as_ref().unwrap_err().contains(told), "{refused:?}");
        }
        let refused = plan(|raw| raw.speed = Some("2".into()));
        assert!(refused.unwrap_err().contains("--speed"));
    }
}
