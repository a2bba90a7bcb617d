//! Sides that are states of one machine, with a restart between them: how each is told and made.

use clap::Args;
use fathom_plan::{Mistake, PlanErrorKind, Text, quantity, value};
use fathom_record::Fault;
use fathom_record::campaign::{AcrossRestarts, MachineFact, Setting, SideState};

/// Services that start with a machine are at work for a few minutes.
const DEFAULT_SETTLE_NS: u64 = 300_000_000_000;

/// What commands with sides are told of restarts, unread.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RawRestarts {
    /// The sides are states of this machine, with a restart between them: each turn of a side is measured in a boot of
    /// its own, and the same command continues after each. Give what tells the sides apart.
    #[arg(long)]
    pub across_restarts: bool,

    /// Time that the machine is up before a turn is measured, and for a fifth of it idle (CPU under 5 % busy);
    /// waits at most three times as long. Default: 5m; 0s measures at once.
    #[arg(long, value_name = "TIME", requires = "across_restarts")]
    pub settle: Option<Text>,
}

impl RawRestarts {
    /// The sides, each with the flag that says what tells it; `None` where no restart lies between them.
    pub(crate) fn resolve(
        &self,
        sides: Vec<(&'static str, SideState)>,
    ) -> Result<Option<AcrossRestarts>, Mistake> {
        let wrong = |flag, kind, cause: String| Err(Mistake::new(flag, kind, cause));
        if !self.across_restarts {
            let told = sides.iter().find(|(_, side)| !side.is.is_empty());
            return told.map_or(Ok(None), |(flag, _)| {
                let cause = "it states which state the machine is in after a restart: add --across-restarts";
                wrong(flag, PlanErrorKind::Contradiction, cause.to_owned())
            });
        }
        for (at, (flag, side)) in sides.iter().enumerate() {
            let name = &side.name;
            if side.is.is_empty() {
                let cause = format!("no fact identifies the machine as {name}: add one, e.g. kernel=6.12*");
                return wrong(flag, PlanErrorKind::Missing, cause);
            }
            if let Some((_, same)) = sides[..at].iter().find(|(_, other)| other.is == side.is) {
                let cause = format!(
                    "the mark of {name} is that of {} too: they can then never be distinguished",
                    same.name
                );
                return wrong(flag, PlanErrorKind::Contradiction, cause);
            }
        }
        let settle_ns = value("settle", &self.settle, quantity::time_ns)?.unwrap_or(DEFAULT_SETTLE_NS);
        Ok(Some(AcrossRestarts { settle_ns, sides: sides.into_iter().map(|(_, side)| side).collect() }))
    }
}

/// Facts with their values, as they are typed.
pub(crate) fn facts(flag: &'static str, texts: &[Text]) -> Result<Vec<Setting>, Mistake> {
    let read = |text: &Text| value(flag, &Some(text.clone()), fact);
    Ok(texts.iter().map(read).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// A fact with its value, as `kernel=6.12*`.
pub(crate) fn fact(text: &str) -> Result<Setting, Fault> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(Fault::from(format!(
            "`{text}` has no value: write a fact and its value, e.g. kernel=6.12*"
        )));
    };
    let key = key.trim();
    if MachineFact::parse(key).is_none() {
        return Err(Fault::from(format!(
            "`{key}` is not a valid fact of a machine: write {}",
            MachineFact::FORMS
        )));
    }
    Ok(Setting { key: key.to_owned(), value: value.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(name: &str, is: &[&str]) -> SideState {
        let is = is.iter().map(|text| fact(text).unwrap()).collect();
        SideState { name: name.to_owned(), is, before: None }
    }

    fn raw(across_restarts: bool) -> RawRestarts {
        RawRestarts { across_restarts, settle: None }
    }

    #[test]
    fn sides_across_restarts_are_told_apart() {
        let both = || vec![("is-a", side("A", &["kernel=6.1.*"])), ("is-b", side("B", &["kernel=6.12.*"]))];
        let across = raw(true).resolve(both()).unwrap().unwrap();
        assert_eq!((across.settle_ns, across.sides.len()), (300_000_000_000, 2));
        let at_once = RawRestarts { settle: Some("0s".into()), ..raw(true) };
        assert_eq!(at_once.resolve(both()).unwrap().unwrap().settle_ns, 0);
        for (across, sides, flag, word) in [
            (false, both(), "is-a", "--across-restarts"),
            (
                true,
                vec![("is-a", side("A", &["kernel=1"])), ("is-b", side("B", &[]))],
                "is-b",
                "no fact identifies",
            ),
            (
                true,
                vec![("is-a", side("A", &["kernel=1"])), ("is-b", side("B", &["kernel=1"]))],
                "is-b",
                "distinguished",
            ),
        ] {
            let mistake = raw(across).resolve(sides).unwrap_err();
            assert!(mistake.key == flag && mistake.cause.contains(word), "{mistake:?}");
        }
        assert_eq!(raw(false).resolve(vec![("is-a", side("A", &[]))]).unwrap(), None);
    }

    #[test]
    fn a_fact_is_one_that_is_known_and_has_a_value() {
        assert_eq!(fact("sysctl:vm.swappiness = 10").unwrap().value, "10");
        assert!(fact("kernel").unwrap_err().cause.contains("no value"));
        assert!(fact("stack=native").unwrap_err().cause.contains("driver:DEVICE"));
    }
}
