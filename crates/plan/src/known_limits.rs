//! Limits that a user knows of: `--ceiling`, `--instance` and `--volume`, read and written back.

use clap::Args;
use fathom_measure::ByteRate;
use fathom_record::Fault;
use fathom_record::campaign::AssessPlan;
use fathom_record::environment_facts::Environment;
use fathom_record::facts::DeviceFacts;
use fathom_record::{CeilingRate, CeilingScope, Direction, KnownCeiling, spelling};

use super::catalogue_limits::{self, instance_type, volume};
use super::error::{Mistake, PlanError, PlanErrorKind};
use super::quantity;
use super::resolve::value;
use super::scalar_text::Text;
use super::write::flag;

/// Beyond this no storage goes, and a unit is wrong: 10^11 I/Os and 10^15 bytes a second.
const MOST_OPERATIONS_PER_S: f64 = 1e11;
const MOST_BYTES_PER_S: f64 = 1e15;
/// Below this a unit was forgotten.
const LEAST_BYTES_PER_S: f64 = 1000.0;

/// What is known of the target's limits, unread.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RawKnownLimits {
    /// A limit that is known, e.g. iops=3000, throughput=125MB/s or instance:throughput=25Gbit/s:
    /// [volume:|instance:|link:|device:|memory:|bus:] iops or throughput [-read|-write] [-burst] = limit, several with
    /// commas; may be repeated.
    #[arg(long = "ceiling", value_name = "[SCOPE:]KIND=LIMIT")]
    pub ceilings: Vec<Text>,

    /// Instance type that the volume is attached to, e.g. r6id.4xlarge: its limits are looked up in the catalogue.
    /// Default: what the machine's firmware reports, where the catalogue has that type.
    #[arg(long, value_name = "TYPE")]
    pub instance: Option<Text>,

    /// Volume that the target is, e.g. gp3:iops=16000,throughput=1000MiB/s, gp2:size=500GiB, io2:iops=10000
    /// or st1:size=2TiB: its limits are looked up in the catalogue.
    #[arg(long, value_name = "TYPE[:SETTINGS]")]
    pub volume: Option<Text>,
}

impl RawKnownLimits {
    /// The same flags, with a blank before each.
    pub fn flags(&self) -> String {
        let once = [("instance", &self.instance), ("volume", &self.volume)];
        let all = self.ceilings.iter().map(|text| ("ceiling", text));
        let all = all.chain(once.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))));
        all.map(|(name, text)| flag(name, &text.0)).collect()
    }

    /// Reads all of it. Instance and volume stay as they were typed, since what they come to depends on the
    /// target; that they are known is checked here.
    ///
    /// # Errors
    /// The first value that is not what its flag takes, or a limit that contradicts another.
    pub fn read(&self) -> Result<KnownLimits, Mistake> {
        let mut ceilings: Vec<KnownCeiling> = Vec::new();
        for text in &self.ceilings {
            let more = value("ceiling", &Some(text.clone()), |text| list(text, &ceilings))?;
            ceilings.extend(more.unwrap_or_default());
        }
        bursts_exceed(&ceilings)
            .map_err(|cause| Mistake::new("ceiling", PlanErrorKind::Contradiction, cause))?;
        let instance =
            value("instance", &self.instance, |text| instance_type(text).map(|instance| instance.name))?;
        let volume = value("volume", &self.volume, |text| volume(text).map(|_| text.to_owned()))?;
        Ok(KnownLimits { ceilings, instance, volume })
    }
}

/// What a user knows of a target's limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownLimits {
    /// Declared limits.
    pub ceilings: Vec<KnownCeiling>,
    /// Instance type, as `r6id.4xlarge`; absent: what the machine's firmware says.
    pub instance: Option<String>,
    /// Volume, e.g. `gp3:iops=16000`.
    pub volume: Option<String>,
}

impl KnownLimits {
    /// What an assessment was told.
    pub fn of(plan: &AssessPlan) -> Self {
        let AssessPlan { ceilings, instance, volume, .. } = plan;
        Self { ceilings: ceilings.clone(), instance: instance.clone(), volume: volume.clone() }
    }

    /// The bounds that follow without a target: of an instance those on the way to its network volumes.
    ///
    /// # Errors
    /// When instance or volume are not in the catalogue; which names are near.
    pub fn anywhere(&self) -> Result<Vec<KnownCeiling>, PlanError> {
        self.applying(&[], &Environment::default()).map(|told| told.ceilings)
    }

    /// What the user, the catalogue and the firmware say of a target on these devices.
    ///
    /// # Errors
    /// When instance or volume are not in the catalogue; which names are near.
    pub fn applying(
        &self,
        devices: &[DeviceFacts],
        environment: &Environment,
    ) -> Result<ApplicableLimits, PlanError> {
        let refused = |flag: &str, fault: Fault| fault.at(PlanErrorKind::Value, flag);
        let mut out = ApplicableLimits { ceilings: self.ceilings.clone(), notes: Vec::new() };
        if let Some(text) = &self.volume {
            out.ceilings.extend(volume(text).map_err(|fault| refused("--volume", fault))?);
        }
        catalogue_limits::of_instance(self.instance.as_deref(), devices, environment, &mut out)
            .map_err(|fault| refused("--instance", fault))?;
        Ok(out)
    }
}

/// The bounds that hold for a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApplicableLimits {
    /// Each with whose it is and who says so.
    pub ceilings: Vec<KnownCeiling>,
    /// Remarks for people: what was looked up unasked, and what the catalogue does not have.
    pub notes: Vec<String>,
}

/// The flags that read back as the same limits, with a blank before each.
pub(super) fn write(ceilings: &[KnownCeiling], instance: Option<&str>, volume: Option<&str>) -> String {
    let mut line: String = ceilings.iter().map(|ceiling| flag("ceiling", &ceiling.to_string())).collect();
    for (name, text) in [("instance", instance), ("volume", volume)] {
        line += &text.map_or(String::new(), |text| flag(name, text));
    }
    line
}

/// One flag: limits of one scope.
fn list(text: &str, before: &[KnownCeiling]) -> Result<Vec<KnownCeiling>, Fault> {
    let (scope, limits) = match text.split_once(':') {
        None => (CeilingScope::default(), text),
        Some((name, limits)) => (scope(name.trim())?, limits),
    };
    let mut read: Vec<KnownCeiling> = Vec::new();
    for part in limits.split(',') {
        let ceiling = KnownCeiling { scope, ..one(part.trim())? };
        if before.iter().chain(&read).any(|known| same_limit(known, &ceiling)) {
            return Err(Fault::from(format!("`{}` is given twice: leave one out", part.trim())));
        }
        read.push(ceiling);
    }
    Ok(read)
}

fn scope(name: &str) -> Result<CeilingScope, Fault> {
    let names = || CeilingScope::NAMES.iter().map(|(name, _)| *name);
    let found = CeilingScope::NAMES.iter().find(|(known, _)| *known == name);
    let unknown = || match spelling::nearest(name, names()).as_slice() {
        [near, ..] => format!("`{name}` is nothing that has a limit: did you mean `{near}`?"),
        [] => format!(
            "`{name}` is nothing that has a limit: write volume, instance, link, device, memory or bus before the colon"
        ),
    };
    Ok(found.map(|(_, scope)| *scope).ok_or_else(unknown)?)
}

/// `iops-read-burst=3000`.
fn one(text: &str) -> Result<KnownCeiling, Fault> {
    let no_ceiling = || {
        format!(
            "`{text}` is not a valid ceiling: write iops=3000, throughput=125MB/s or instance:iops-read-burst=40k"
        )
    };
    let (name, limit) = text.split_once('=').ok_or_else(no_ceiling)?;
    let mut words = name.trim().split('-');
    let kind = words.next().unwrap_or_default();
    let rate = match kind {
        "iops" => iops_ceiling(limit.trim())?,
        "throughput" => throughput_ceiling(limit.trim())?,
        _ => return Err(no_ceiling().into()),
    };
    let mut ceiling = KnownCeiling::declared(rate);
    for word in words {
        match word {
            "read" if ceiling.direction.is_none() && !ceiling.burst => {
                ceiling.direction = Some(Direction::Read)
            }
            "write" if ceiling.direction.is_none() && !ceiling.burst => {
                ceiling.direction = Some(Direction::Write)
            }
            "burst" if !ceiling.burst => ceiling.burst = true,
            _ => return Err(no_ceiling().into()),
        }
    }
    Ok(ceiling)
}

/// I/Os per second as a bound.
///
/// # Errors
/// What is no rate, or more than any storage does.
pub fn iops_ceiling(text: &str) -> Result<CeilingRate, Fault> {
    let operations_per_s = quantity::rate_per_s(text)?;
    if operations_per_s > MOST_OPERATIONS_PER_S {
        return Err(Fault::from(format!(
            "`{text}` I/Os a second are more than any storage does: look at the unit"
        )));
    }
    Ok(CeilingRate::Iops { operations_per_s })
}

/// Bytes per second as a bound, with a unit: a bare number could be bytes, MB or MiB, and `Gb/s` could be bits or bytes.
///
/// # Errors
/// What is no such rate, or none that storage has.
pub fn throughput_ceiling(text: &str) -> Result<CeilingRate, Fault> {
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(Fault::from(format!(
            "`{text}` has no unit: write {text}MB/s, {text}MiB/s or {text}Gbit/s"
        )));
    }
    let number = text.trim_end_matches("/s").trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[number.len()..].trim_end_matches("/s");
    if unit.len() > 1 && unit.ends_with('b') {
        let prefix = &unit[..unit.len() - 1];
        return Err(Fault::from(format!(
            "`{text}` could be bits or bytes: write {number}{prefix}bit/s or {number}{prefix}B/s"
        )));
    }
    let ByteRate(bytes_per_s) = text.parse().map_err(|error: fathom_measure::UnitError| error.to_string())?;
    if bytes_per_s == 0.0 {
        return Err(Fault::from("a ceiling of 0 leaves nothing to measure; e.g. throughput=125MB/s"));
    }
    if bytes_per_s < LEAST_BYTES_PER_S {
        return Err(Fault::from(format!(
            "`{text}` is less than any storage moves: look at the unit, as in 125MB/s"
        )));
    }
    if bytes_per_s > MOST_BYTES_PER_S {
        return Err(Fault::from(format!(
            "`{text}` is more than any storage moves: look at the unit, as in 125MB/s"
        )));
    }
    Ok(CeilingRate::Throughput { bytes_per_s })
}

fn same_limit(a: &KnownCeiling, b: &KnownCeiling) -> bool {
    same_but_burst(a, b) && a.burst == b.burst
}

fn same_but_burst(a: &KnownCeiling, b: &KnownCeiling) -> bool {
    let kind = |ceiling: &KnownCeiling| matches!(ceiling.rate, CeilingRate::Iops { .. });
    (a.scope, a.direction, kind(a)) == (b.scope, b.direction, kind(b))
}

/// A burst is above what holds for ever.
fn bursts_exceed(ceilings: &[KnownCeiling]) -> Result<(), Fault> {
    for burst in ceilings.iter().filter(|ceiling| ceiling.burst) {
        let lasting = ceilings.iter().find(|known| !known.burst && same_but_burst(known, burst));
        if let Some(lasting) = lasting.filter(|lasting| lasting.rate.per_s() >= burst.rate.per_s()) {
            return Err(Fault::from(format!(
                "`{burst}` is not a burst above `{lasting}`: exchange them, or leave one out"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(texts: &[&str]) -> Result<Vec<KnownCeiling>, String> {
        let ceilings = texts.iter().map(|text| Text((*text).to_owned())).collect();
        let raw = RawKnownLimits { ceilings, ..RawKnownLimits::default() };
        raw.read().map(|known| known.ceilings).map_err(|mistake| mistake.cause)
    }

    #[test]
    fn scope_direction_and_burst_are_read() {
        let known =
            read(&["iops=3k", "link:throughput=25Gbit/s", "device:iops-read=1M,iops-write=200k"]).unwrap();
        assert_eq!(known[0], KnownCeiling::declared(CeilingRate::Iops { operations_per_s: 3000.0 }));
        assert_eq!(known[1].scope, CeilingScope::Link);
        assert_eq!(known[1].rate, CeilingRate::Throughput { bytes_per_s: 3.125e9 });
        assert_eq!((known[2].scope, known[2].direction), (CeilingScope::Device, Some(Direction::Read)));
        assert_eq!((known[3].scope, known[3].direction), (CeilingScope::Device, Some(Direction::Write)));
        let known = read(&["instance:throughput=594MB/s,throughput-burst=2375MB/s"]).unwrap();
        assert_eq!(known.iter().map(|known| known.burst).collect::<Vec<_>>(), [false, true]);
        assert_eq!(read(&["instance:iops=1,iops-read=2", "iops=1"]).unwrap().len(), 3, "limits of their own");
    }

    #[test]
    fn what_is_no_limit_is_refused_with_what_to_type() {
        for (texts, advice) in [
            (&["iosp=3"] as &[&str], "write iops=3000"),
            (&["throughput=125"], "125MB/s"),
            (&["throughput=25Gb/s"], "25Gbit/s or 25GB/s"),
            (&["throughput=25Mb"], "25Mbit/s or 25MB/s"),
            (&["throughput=0MB/s"], "leaves nothing"),
            (&["throughput=12B/s"], "look at the unit"),
            (&["throughput=9999999TB/s"], "look at the unit"),
            (&["iops=0"], "not a rate"),
            (&["iops=-3"], "not a rate"),
            (&["iops=nan"], "not a rate"),
            (&["iops=1e9"], "not a rate"),
            (&["iops=999999999999"], "look at the unit"),
            (&["instence:iops=3"], "did you mean `instance`?"),
            (&["cluster:iops=3"], "write volume, instance, link, device, memory or bus"),
            (&["iops-burst-read=3"], "not a valid ceiling"),
            (&["iops-read-write=3"], "not a valid ceiling"),
            (&["iops-trim=3"], "not a valid ceiling"),
            (&["iops=3,"], "not a valid ceiling"),
            (&[""], "not a valid ceiling"),
            (&["iops=3000", "iops=4000"], "given twice"),
            (&["iops=3000,iops=3000"], "given twice"),
            (&["iops=3000,iops-burst=2000"], "not a burst above"),
            (&["instance:throughput-burst=1MB/s", "instance:throughput=1MB/s"], "not a burst above"),
        ] {
            let error = read(texts).expect_err(texts[0]);
            assert!(error.contains(advice), "{texts:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_limit_reads_back_from_its_flag(
            scope in 0usize..4, read_or_write in 0usize..3, burst in any::<bool>(), bytes in any::<bool>(),
            limit in 1000u64..1_000_000_000_000
        ) {
            let rate = match (bytes, limit as f64) {
                (true, bytes_per_s) => CeilingRate::Throughput { bytes_per_s },
                (false, rate) => CeilingRate::Iops { operations_per_s: rate / 16.0 },
            };
            let direction = [None, Some(Direction::Read), Some(Direction::Write)][read_or_write];
            let (_, scope) = CeilingScope::NAMES[scope];
            let known = KnownCeiling { scope, direction, burst, ..KnownCeiling::declared(rate) };
            prop_assert_eq!(read(&[&known.to_string()]), Ok(vec![known]));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>(), near in "[a-z:]{0,9}(iops|throughput)[-a-z]{0,12}=[0-9.kMGTbBit/sé]{0,9}") {
            let _ = (read(&[&text]), read(&[&near]));
        }
    }
}
