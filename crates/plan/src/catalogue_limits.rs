//! Limits of instances and volumes from the catalogue, each with its date and source.

use std::sync::OnceLock;

use fathom_measure::{ByteRate, Bytes};
use fathom_record::Fault;
use fathom_record::environment_facts::Environment;
use fathom_record::facts::DeviceFacts;
use fathom_record::spelling::nearest;
use fathom_record::{CeilingRate, CeilingScope, Direction, KnownCeiling};
use fathom_sizing::catalogue::Instance;
use fathom_sizing::offer::Settings;
use fathom_sizing::{Catalogue, Shaper};

use super::ApplicableLimits;

/// How the environment names an instance of EC2 whose firmware tells its type.
const EC2: &str = "AWS EC2 ";
/// Models of EC2's disks, as the devices give them.
const NETWORK_MODEL: &str = "Amazon Elastic Block Store";
const LOCAL_MODEL: &str = "Amazon EC2 NVMe Instance Storage";
/// Any region in which all types are sold: limits are the same everywhere.
const REGION: &str = "us-east-1";
const MIB: u64 = 1 << 20;
/// Names that an error offers at most.
const OFFERED: usize = 8;

/// Read once: several limits of one plan are looked up in it.
fn catalogue() -> Result<&'static Catalogue, Fault> {
    static READ: OnceLock<Result<Catalogue, Fault>> = OnceLock::new();
    READ.get_or_init(|| Catalogue::built_in().map_err(|error| Fault::from(error.to_string())))
        .as_ref()
        .map_err(Clone::clone)
}

/// An instance type of the catalogue.
///
/// # Errors
/// When there is none of that name; which names are near.
pub fn instance_type(name: &str) -> Result<Instance, Fault> {
    let catalogue = catalogue()?;
    if let Some(instance) = catalogue.instance(name) {
        return Ok(instance.clone());
    }
    let names = catalogue.instances.iter().map(|instance| instance.name.as_str());
    let mut near = nearest(name, names);
    near.extend(catalogue.similar_instances(name));
    let mut offered: Vec<String> = Vec::new();
    for name in near.into_iter().map(|name| format!("`{name}`")) {
        if !offered.contains(&name) && offered.len() < OFFERED {
            offered.push(name);
        }
    }
    let advice = match offered.as_slice() {
        [] => "give its limits themselves, e.g. --ceiling instance:iops=20k,throughput=594MB/s".to_owned(),
        names => format!("near it are {}", names.join(", ")),
    };
    Err(Fault::from(format!("the catalogue has no instance type `{name}`: {advice}")))
}

/// `catalogue: r6id.4xlarge, 2026-10-27, moto 5.2.5 ...`.
fn source(catalogue: &Catalogue, what: &str, key: &str) -> String {
    match catalogue.sources.find(key) {
        Some(source) => format!("catalogue: {what}, {}, {}", source.date, source.text),
        None => format!("catalogue: {what}"),
    }
}

/// What a limit lasts at, and what it reaches while there are credits.
fn both(
    shaper: Shaper,
    rate: fn(f64) -> CeilingRate,
    (scope, source): (CeilingScope, &str),
) -> impl Iterator<Item = KnownCeiling> {
    let ceiling = |per_s: u64, burst| KnownCeiling {
        rate: rate(per_s as f64),
        scope,
        direction: None,
        burst,
        source: source.to_owned(),
    };
    let burst = (shaper.peak_per_s > shaper.base_per_s).then(|| ceiling(shaper.peak_per_s, true));
    std::iter::once(ceiling(shaper.base_per_s, false)).chain(burst)
}

fn iops(operations_per_s: f64) -> CeilingRate {
    CeilingRate::Iops { operations_per_s }
}

fn throughput(bytes_per_s: f64) -> CeilingRate {
    CeilingRate::Throughput { bytes_per_s }
}

/// Adds the limits of the instance: the one that was named, or that the firmware names, on the way to network
/// volumes, or of its own disks if the target is on them.
///
/// # Errors
/// When the one that was named is not in the catalogue.
pub(super) fn of_instance(
    named: Option<&str>,
    devices: &[DeviceFacts],
    environment: &Environment,
    out: &mut ApplicableLimits,
) -> Result<(), Fault> {
    let detected = environment.instance.as_deref().and_then(|text| text.strip_prefix(EC2));
    // A type of another shape is the remark that the firmware does not tell it.
    let detected = detected.filter(|name| !name.is_empty() && !name.contains(' '));
    let on = |model: &str| devices.iter().filter(|device| device.model.as_deref() == Some(model)).count();
    let (on_network, on_local) = (on(NETWORK_MODEL), on(LOCAL_MODEL));
    let instance = match (named, detected) {
        (Some(named), detected) => {
            if let Some(other) = detected.filter(|detected| *detected != named) {
                out.notes.push(format!(
                    "The firmware says that this is an {other}, and --instance says {named}: the limits of \
                     {named} were used."
                ));
            }
            instance_type(named)?
        }
        (None, Some(detected)) if on_network + on_local > 0 => match instance_type(detected) {
            Ok(instance) => {
                out.notes.push(format!(
                    "The limits of {detected}, which the firmware names, were taken from the catalogue."
                ));
                instance
            }
            Err(cause) => {
                out.notes
                    .push(format!("The firmware names {detected}; {cause}. Its limits are not known here."));
                return Ok(());
            }
        },
        _ => return Ok(()),
    };
    let catalogue = catalogue()?;
    let said = source(catalogue, &instance.name, &instance.source);
    if on_local > 0 && on_network == 0 {
        out.ceilings.extend(local(&instance, on_local, &said));
    } else if on_local > 0 {
        out.notes.push(
            "The target is on network volumes and on the instance's own disks: the limits of neither \
                        alone hold for it."
                .to_owned(),
        );
    } else if let Some(ebs) = instance.ebs {
        let whose = (CeilingScope::Instance, said.as_str());
        out.ceilings.extend(both(ebs.operations, iops, whose));
        out.ceilings.extend(both(ebs.bytes, throughput, whose));
    } else {
        out.notes.push(format!("The catalogue has no limits of {} on network volumes.", instance.name));
    }
    Ok(())
}

/// Published rates are of 4 KiB, and of all disks together.
fn local(instance: &Instance, used: usize, said: &str) -> Vec<KnownCeiling> {
    let Some(local) = instance.local.filter(|local| local.disks > 0) else { return Vec::new() };
    let share = (used as f64 / local.disks as f64).min(1.0);
    let rates = [(Direction::Read, local.read_iops_4k), (Direction::Write, local.write_iops_4k)];
    let known = rates.into_iter().filter_map(|(direction, rate)| Some((direction, rate?)));
    known
        .map(|(direction, rate)| KnownCeiling {
            rate: iops(rate as f64 * share),
            scope: CeilingScope::Device,
            direction: Some(direction),
            burst: false,
            source: format!("{said} ({rate} at 4 KiB of all {} local disks)", local.disks),
        })
        .collect()
}

/// Settings that a volume can be named with.
#[derive(Clone, Copy, Default)]
struct VolumeSettings {
    size_gib: Option<u64>,
    iops: Option<u64>,
    mib_per_s: Option<u64>,
}

/// A volume as it was named: `gp3:iops=16000,throughput=1000`, `gp2:size=500`. Throughput without a unit is in
/// MiB/s and size in GiB, as the provider counts them.
///
/// # Errors
/// When the catalogue has no such type, or the type no such setting; what it has.
pub fn volume(text: &str) -> Result<Vec<KnownCeiling>, Fault> {
    let (kind, settings) = text.split_once(':').unwrap_or((text, ""));
    let catalogue = catalogue()?;
    let takes = TYPES.iter().find(|takes| takes.name == kind).ok_or_else(|| unknown_type(kind))?;
    let mut named = VolumeSettings::default();
    for setting in settings.split(',').filter(|_| !settings.is_empty()) {
        read_setting(takes, setting.trim(), &mut named)?;
    }
    for setting in takes.needs {
        if !named.has(setting) {
            return Err(Fault::from(format!(
                "the limits of {kind} follow from its {setting}: write {}",
                takes.example
            )));
        }
    }
    let fact = |attribute: &str| catalogue.volumes.fact(takes.facts, attribute);
    let number = |attribute: &str| fact(attribute).and_then(|fact| fact.value.parse::<f64>().ok());
    let within = |what: &str, value: Option<u64>, least: Option<f64>, most: Option<f64>, unit: &str| {
        let Some(value) = value else { return Ok(()) };
        let (least, most) = (least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY));
        if (least..=most).contains(&(value as f64)) {
            return Ok(());
        }
        Err(Fault::from(format!("{kind} has a {what} from {least} to {most} {unit}, not {value}")))
    };
    within("size", named.size_gib, number("min_size"), number("max_size"), "GiB")?;
    let least_iops = number("baseline_iops").or(number("min_iops"));
    within("rate", named.iops, least_iops, number("max_iops"), "IOPS")?;
    within("throughput", named.mib_per_s, number("baseline_throughput"), number("max_throughput"), "MiB/s")?;
    let iops = named.iops.or(number("baseline_iops").map(|iops| iops as u64)).unwrap_or(0);
    if let (Some(mib), Some(per)) = (named.mib_per_s, number("throughput_per_iops_max"))
        && mib as f64 > iops as f64 * per
    {
        let needed = (mib as f64 / per).ceil();
        return Err(Fault::from(format!(
            "{kind} gives at most {per} MiB/s for each IOPS: {mib} MiB/s needs iops={needed}"
        )));
    }
    if let (Some(size), Some(per)) = (named.size_gib, number("iops_per_gib_max"))
        && named.iops.is_some_and(|iops| iops as f64 > (size as f64 * per).max(least_iops.unwrap_or(0.0)))
    {
        return Err(Fault::from(format!(
            "{kind} gives at most {per} IOPS for each GiB: {iops} IOPS need more than {size} GiB"
        )));
    }
    limits_of(catalogue, takes, named, iops)
}

fn limits_of(
    catalogue: &Catalogue,
    takes: &Type,
    named: VolumeSettings,
    iops_bought: u64,
) -> Result<Vec<KnownCeiling>, Fault> {
    let settings = Settings {
        size_gib: named.size_gib.unwrap_or(0),
        iops: iops_bought,
        bytes_per_s: named.mib_per_s.unwrap_or(0) * MIB,
    };
    let offer = catalogue.configured(REGION, takes.name, settings);
    let offer = offer
        .ok_or_else(|| Fault::from(format!("the catalogue does not have all limits of {}", takes.name)))?;
    let key = catalogue.volumes.fact(takes.facts, "max_throughput").map_or("", |fact| fact.source.as_str());
    let said = source(catalogue, &offer.to_string(), key);
    let whose = (CeilingScope::Volume, said.as_str());
    let mut ceilings: Vec<KnownCeiling> = both(offer.limits.operations, iops, whose).collect();
    ceilings.extend(both(offer.limits.bytes, throughput, whose));
    // From 170 to 333 GiB gp2 has its full throughput while there are credits.
    if takes.name == "gp2"
        && (170..334).contains(&settings.size_gib)
        && let Some(most) = catalogue.volumes.whole(takes.facts, "max_throughput")
    {
        let rate = throughput((most * MIB) as f64);
        let scope = CeilingScope::Volume;
        ceilings.push(KnownCeiling { rate, scope, direction: None, burst: true, source: said.clone() });
    }
    Ok(ceilings)
}

/// A type of volume, and what it can be named with.
struct Type {
    name: &'static str,
    /// As the catalogue's facts name it.
    facts: &'static str,
    takes: &'static [&'static str],
    /// Settings without which it has no limits.
    needs: &'static [&'static str],
    example: &'static str,
}

const TYPES: [Type; 6] = [
    Type {
        name: "gp3",
        facts: "gp3",
        takes: &["size", "iops", "throughput"],
        needs: &[],
        example: "gp3:iops=16000,throughput=1000",
    },
    Type { name: "gp2", facts: "gp2", takes: &["size"], needs: &["size"], example: "gp2:size=500" },
    Type { name: "io1", facts: "io1", takes: &["size", "iops"], needs: &["iops"], example: "io1:iops=10000" },
    Type {
        name: "io2",
        facts: "io2 Block Express",
        takes: &["size", "iops"],
        needs: &["iops"],
        example: "io2:iops=10000",
    },
    Type { name: "st1", facts: "st1", takes: &["size"], needs: &["size"], example: "st1:size=2TiB" },
    Type { name: "sc1", facts: "sc1", takes: &["size"], needs: &["size"], example: "sc1:size=2TiB" },
];

fn unknown_type(kind: &str) -> String {
    let names = TYPES.iter().map(|known| known.name);
    match nearest(kind, names.clone()).as_slice() {
        [] => {
            let names: Vec<&str> = names.collect();
            format!(
                "`{kind}` is not a volume type whose limits are known: there are {}; of others give the limits \
                 themselves, e.g. --ceiling iops=5000,throughput=200MB/s",
                names.join(", ")
            )
        }
        near => format!("`{kind}` is not a valid volume type: did you mean `{}`?", near.join("` or `")),
    }
}

impl VolumeSettings {
    fn has(&self, setting: &str) -> bool {
        match setting {
            "size" => self.size_gib.is_some(),
            "iops" => self.iops.is_some(),
            _ => self.mib_per_s.is_some(),
        }
    }
}

fn read_setting(takes: &Type, text: &str, named: &mut VolumeSettings) -> Result<(), Fault> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let (name, value) = (name.trim(), value.trim());
    if !takes.takes.contains(&name) {
        return Err(Fault::from(format!(
            "`{text}` is not a valid setting of {}: it takes {}, e.g. {}",
            takes.name,
            takes.takes.join(", "),
            takes.example
        )));
    }
    if named.has(name) {
        return Err(Fault::from(format!("`{name}` is given twice: leave one out")));
    }
    let bare = value.parse::<u64>().ok().filter(|value| *value < 1 << 40);
    let read = match name {
        "size" => bare.or_else(|| Some(value.parse::<Bytes>().ok()?.0.div_ceil(1 << 30))),
        "iops" => value.parse::<fathom_measure::Rate>().ok().map(|rate| rate.0.round() as u64),
        _ => bare.or_else(|| Some((value.parse::<ByteRate>().ok()?.0 / MIB as f64).ceil() as u64)),
    };
    let example = takes.example;
    let read = read
        .filter(|read| *read > 0)
        .ok_or_else(|| Fault::from(format!("`{text}` is not a valid figure: write it as in {example}")))?;
    match name {
        "size" => named.size_gib = Some(read),
        "iops" => named.iops = Some(read),
        _ => named.mib_per_s = Some(read),
    }
    Ok(())
}
