//! Several targets at once: all are judged before the first is opened, because opening lays files out.

use super::guard::{self, Permit};
use super::name::TargetName;
use super::origin::Origin;
use super::platform::Glimpse;
use super::remote;
use crate::{Error, ErrorKind};

/// What the judgement of several targets leaves to say.
#[derive(Debug, Default)]
pub struct AdmissionSummary {
    /// The permission that names each target, if any does; one entry a target.
    pub permits: Vec<Option<Permit>>,
    /// Targets that share bytes, as sentences; only where nothing is written.
    pub notes: Vec<String>,
}

/// Judges all targets by what exists under their names now. Opening them judges again, on the
/// descriptors that are then used. `origin_of` gives what the campaign that continues found under a name.
///
/// # Errors
/// [`ErrorKind::Refused`] when one of them may not be written, when two of them share bytes that would
/// be written, or when a permission names none of them; [`ErrorKind::System`] and
/// [`ErrorKind::Permission`] when one cannot be looked at.
pub fn admit_all<'a>(
    names: &[TargetName],
    writes: bool,
    permits: &[Permit],
    origin_of: impl Fn(&TargetName) -> Option<&'a Origin>,
) -> Result<AdmissionSummary, Error> {
    if let ([_], [] | [_]) = (names, permits) {
        // Opening judges it alone, with the same words.
        return Ok(AdmissionSummary { permits: vec![permits.first().cloned()], notes: Vec::new() });
    }
    let glimpses = names.iter().map(glimpse).collect::<Result<Vec<_>, _>>()?;
    let notes = overlaps(names, &glimpses, writes)?;
    if !writes {
        return Ok(AdmissionSummary { permits: vec![None; names.len()], notes });
    }
    let mut given = Vec::with_capacity(names.len());
    for (name, glimpse) in names.iter().zip(&glimpses) {
        let Some(glimpse) = glimpse else {
            given.push(permit_of(name, permits));
            continue;
        };
        let place = format!("writing to {name}");
        let findings = glimpse.findings(&place, origin_of(name))?;
        let permit = permits.iter().find(|permit| findings.identity.is_named_by(permit));
        guard::admit(&place, &findings.reasons, &findings.identity, permit)?;
        given.push(permit.cloned());
    }
    match permits.iter().find(|permit| !given.contains(&Some((*permit).clone()))) {
        None => Ok(AdmissionSummary { permits: given, notes }),
        Some(Permit(words)) => {
            let cause = format!("refused, because `--destroy {words}` names none of the targets");
            Err(Error::new(ErrorKind::Refused, "judging the targets", cause)
                .with_remedy("leave it out, or name a target of this run: see fathom devices"))
        }
    }
}

/// Which permissions name one of these targets, by what exists under their names now; one entry a permission. `None`
/// where a target is not there yet, or cannot be looked at: what it will be called is then not known.
pub fn named_by(names: &[TargetName], permits: &[Permit]) -> Option<Vec<bool>> {
    let mut named = vec![false; permits.len()];
    for name in names {
        let of_path = |path: &std::path::Path| match Glimpse::of(&name.to_string(), path) {
            Ok(Some(glimpse)) => glimpse.findings(&name.to_string(), None).ok().map(Some),
            Ok(None) if path.is_dir() => Some(None),
            _ => None,
        };
        match name {
            TargetName::Path(path) => {
                let Some(findings) = of_path(path)? else { continue };
                let identity = findings.identity;
                named
                    .iter_mut()
                    .zip(permits)
                    .for_each(|(named, permit)| *named |= identity.is_named_by(permit));
            }
            TargetName::Fabric(name) => {
                let may = |permit| remote::may_name(name, permit);
                named.iter_mut().zip(permits).for_each(|(named, permit)| *named |= may(permit));
            }
            _ => {}
        }
    }
    Some(named)
}

/// The permission that a namespace on the network is judged with when it is opened; the rest needs none.
fn permit_of(name: &TargetName, permits: &[Permit]) -> Option<Permit> {
    let TargetName::Fabric(name) = name else { return None };
    permits.iter().find(|permit| remote::may_name(name, permit)).cloned()
}

fn glimpse(name: &TargetName) -> Result<Option<Glimpse>, Error> {
    match name {
        TargetName::Path(path) => Glimpse::of(&name.to_string(), path),
        _ => Ok(None),
    }
}

/// Every two targets that share bytes: refused for writing, a note for reading.
fn overlaps(names: &[TargetName], glimpses: &[Option<Glimpse>], writes: bool) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    for (later, second) in glimpses.iter().enumerate() {
        for (earlier, first) in glimpses[..later].iter().enumerate() {
            let shared = match (first, second, &names[earlier], &names[later]) {
                (Some(first), Some(second), ..) => first.shares_bytes_with(second),
                (None, None, TargetName::Fabric(one), TargetName::Fabric(other)) => {
                    remote::may_share(one, other)
                }
                _ => false,
            };
            if !shared {
                continue;
            }
            let both = format!("{} and {} share bytes", names[earlier], names[later]);
            if writes {
                let cause = format!("refused, because {both}: what one job writes, another's would destroy");
                return Err(Error::new(ErrorKind::Refused, "judging the targets", cause)
                    .with_remedy("name each device or file once; more --jobs load one target more"));
            }
            notes.push(format!("{both}: their rates are one device's, and not independent."));
        }
    }
    Ok(notes)
}
