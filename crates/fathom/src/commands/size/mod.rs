//! `fathom size`: the cheapest storage that holds what metrics show.

mod account;
mod fleet;

use fathom_campaign::calendar_now;
use fathom_demand::{price_list, with_placeholder};
use fathom_fleet::check_region;
use fathom_measure::{Bytes, Nanos, Share};
use fathom_record::{shell_bytes, shell_word};
use fathom_report::{html, terminal};
use fathom_sizing::catalogue::{CatalogueError, Instance, OfferRequirements, Prices};
use fathom_sizing::margin::{Margin, USUAL};
use fathom_sizing::{Catalogue, Market, Offer, Patience, SizingQuestion, answer};
use fathom_tools::Refusal;

use super::demand_input::{self, read};
use super::proof_run;
use super::store_access::StorePlace;
use crate::arguments::{SizeArguments, ValuesName};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};

/// Sizes; `line` is the command.
///
/// # Errors
/// What makes no sense or cannot be read, with what to type.
pub fn perform(place: &StorePlace, arguments: &SizeArguments, line: &str) -> Result<Status, Failure> {
    let machine = Machine::of(arguments.json.as_ref());
    machine.check()?;
    if arguments.run.is_some() && machine.takes_stdout() {
        let cause = "what the proof's runs print goes to stdout, where the JSON would be";
        return Err(Failure::usage("--run with --json", cause, "name a file: --json=size.json"));
    }
    if arguments.fleet {
        return fleet::perform(arguments, &machine, line);
    }
    if arguments.account {
        return account::perform(place, arguments, &machine, line);
    }
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?;
    }
    let catalogue = catalogue(arguments)?;
    let size = arguments.size.as_deref().unwrap_or_default();
    let bytes = typed::<Bytes>("--size", size, "a size as 1TiB")?.0;
    let size_gib = bytes.div_ceil(1 << 30).max(1);
    check_region(&catalogue, &arguments.region).map_err(refused)?;
    let market = market(arguments, &catalogue)?;
    let (market, attached) = attached(arguments, &catalogue, market)?;
    let seen = demand_input::seen(&arguments.demand, &arguments.metrics)?;
    let current = arguments.current.as_ref().map(|text| current(&market, size_gib, text));
    let current = current.transpose()?;
    let profile = match arguments.demand.as_slice() {
        [only] if seen.source == "profile" => only.display().to_string(),
        _ => "profile.json".to_owned(),
    };
    let question = SizingQuestion {
        demand: &seen.demand,
        from: &demand_input::name(&arguments.demand, &arguments.metrics),
        size_gib,
        region: &arguments.region,
        market: &market,
        today: Some(&today()),
        patience: patience(arguments, seen.demand.tick_s)?,
        margin: arguments.margin.map_or(Ok(USUAL), margin)?,
        growths: &[],
        instance: attached,
        stripes: arguments.stripes,
        nodes: arguments.nodes,
        current: current.as_ref(),
        memory_gib: memory_gib(arguments)?,
        prove: arguments.prove.as_deref().map(|target| (profile.as_str(), target)),
    };
    let mut record = answer(&catalogue, &question);
    record.command = Some(line.to_owned());
    record.notes.extend(seen.notes);
    record.notes.extend(decimal_size(size, bytes));
    if let Some(proof) = record.proof.as_mut().filter(|_| seen.source != "profile") {
        let first = format!("fathom profile {} --json={profile}", sources(arguments));
        proof.commands.insert(0, first.clone());
        proof.shorter.iter_mut().for_each(|shorter| shorter.commands.insert(0, first.clone()));
    }
    if !machine.takes_stdout() {
        output::result(&terminal::sizing(&record, output::style()))?;
    }
    machine.write(&output::json(&record))?;
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?.write(&html::sizing(&record)?)?;
        output::message(&format!("report: {}", path.display()));
    }
    if let Some(length) = arguments.run {
        return proof_run::run(&record, length, arguments, place.named());
    }
    Ok(if record.choice.is_some() { Status::Done } else { Status::Invalid })
}

/// What to type behind `fathom profile` for the same demand, with a placeholder for credentials.
fn sources(arguments: &SizeArguments) -> String {
    let metrics = &arguments.metrics;
    let mut words: Vec<String> =
        arguments.demand.iter().map(|path| shell_bytes(path.as_os_str().as_encoded_bytes())).collect();
    let flags = [
        ("--prometheus", metrics.prometheus.as_deref()),
        ("--cloudwatch", metrics.cloudwatch.as_deref()),
        ("--aws-region", metrics.aws_region.as_deref()),
        ("--aws-endpoint", metrics.aws_endpoint.as_deref()),
        ("--device", metrics.device.as_deref()),
        ("--host", metrics.host.as_deref()),
        ("--columns", Some(metrics.columns.as_str())),
        ("--values", metrics.values.map(values)),
        ("--query", Some(metrics.query.as_str())),
        ("--from", metrics.prometheus.as_ref().or(metrics.cloudwatch.as_ref()).map(|_| metrics.from())),
        ("--to", metrics.to.as_deref()),
    ];
    let given =
        flags.into_iter().filter_map(|(flag, value)| Some((flag, value.filter(|value| !value.is_empty())?)));
    words.extend(given.map(|(flag, value)| format!("{flag} {}", shell_word(&with_placeholder(value)))));
    words.join(" ")
}

fn values(values: ValuesName) -> &'static str {
    match values {
        ValuesName::PerSecond => "per-second",
        ValuesName::PerRow => "per-row",
    }
}

/// What is sold in the region that was named, with only the types to offer that were asked for.
fn market(arguments: &SizeArguments, catalogue: &Catalogue) -> Result<Market, Failure> {
    market_of(arguments, catalogue, &arguments.region)
}

/// The same in a region.
fn market_of(arguments: &SizeArguments, catalogue: &Catalogue, region: &str) -> Result<Market, Failure> {
    let latency =
        arguments.latency.as_deref().map(|text| typed::<Nanos>("--latency", text, "a time, e.g. 2ms"));
    let latency_ns = latency.transpose()?.map(|latency| latency.0);
    let wanted = OfferRequirements { types: arguments.types.clone(), latency_ns, boots: arguments.boot };
    fathom_fleet::market(catalogue, region, wanted).map_err(refused)
}

/// What a room refuses of the flags.
fn refused(refusal: Refusal) -> Failure {
    Failure::usage(refusal.place, refusal.cause, refusal.remedy)
}

/// The day, in UTC.
fn today() -> String {
    calendar_now().chars().take("2026-01-31".len()).collect()
}

/// What is said of a size that is no whole number of GiB, e.g. 1TB: what the provider calls a GB is a GiB.
fn decimal_size(typed: &str, bytes: u64) -> Option<String> {
    let gib = bytes as f64 / f64::from(1u32 << 30);
    (bytes > 1 << 30 && !bytes.is_multiple_of(1 << 30)).then(|| {
        format!(
            "{typed} is {gib:.1} GiB, so that {} GiB are billed: what AWS calls a GB is a GiB. For {:.0} GB as AWS counts them type --size {:.0}GiB.",
            gib.ceil(),
            bytes as f64 / 1e9,
            bytes as f64 / 1e9
        )
    })
}

fn catalogue(arguments: &SizeArguments) -> Result<Catalogue, Failure> {
    let mut catalogue = built_in()?;
    if let Some(path) = &arguments.prices {
        let text = String::from_utf8_lossy(&read(path)?).into_owned();
        let file = path.display().to_string();
        let list = price_list(&text).map_err(|refusal| Failure::from(refusal.at(file.clone())))?;
        let own = Prices::read(&file, &list).map_err(broken)?;
        catalogue.prices = catalogue.prices.after(own);
    }
    Ok(catalogue)
}

/// The catalogue of this build.
///
/// # Errors
/// When a file of the build is damaged.
pub fn built_in() -> Result<Catalogue, Failure> {
    Catalogue::built_in().map_err(broken)
}

fn broken(error: CatalogueError) -> Failure {
    Failure::usage(error.place, error.cause, "put that row right")
}

/// What is sold, for what the volumes are attached to: a machine that limits each type of volume by itself, or an instance
/// with limits for all together.
fn attached<'a>(
    arguments: &SizeArguments,
    catalogue: &'a Catalogue,
    market: Market,
) -> Result<(Market, Option<&'a Instance>), Failure> {
    let Some(name) = &arguments.instance else { return Ok((market, None)) };
    match market.behind(name) {
        Some(behind) => Ok((behind, None)),
        None => Ok((market, Some(instance(catalogue, name)?))),
    }
}

/// An instance type by its name.
///
/// # Errors
/// When the catalogue has none, with similar names.
pub fn instance<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a Instance, Failure> {
    catalogue.instance(name).ok_or_else(|| unknown_instance(catalogue, name))
}

fn unknown_instance(catalogue: &Catalogue, name: &str) -> Failure {
    let similar = catalogue.similar_instances(name);
    let remedy = match similar.as_slice() {
        [] => "leave --instance out to size the volume alone".to_owned(),
        known => format!("known of that family: {}", known.join(", ")),
    };
    Failure::usage("--instance", format!("the catalogue has no {name}"), remedy)
}

/// Nothing is known inside a tick, so that none is waited for less than one.
fn patience(arguments: &SizeArguments, tick_s: u32) -> Result<Patience, Failure> {
    let (wait_s, late_millionths) = lateness(arguments)?;
    let ticks = (wait_s / f64::from(tick_s)).ceil().clamp(1.0, 1e6) as usize;
    Ok(Patience { ticks, late_millionths })
}

/// How long an I/O may wait, in seconds, and what share of them may wait longer, in millionths.
fn lateness(arguments: &SizeArguments) -> Result<(f64, u64), Failure> {
    let wait = typed::<Nanos>("--wait", &arguments.wait, "a time as 1s")?.as_seconds();
    let late = typed::<Share>("--late", &arguments.late, "a share as 0.1%")?.0;
    Ok((wait, (late * 1e6).round() as u64))
}

fn memory_gib(arguments: &SizeArguments) -> Result<Option<f64>, Failure> {
    let Some(text) = &arguments.memory else { return Ok(None) };
    let bytes = typed::<Bytes>("--memory", text, "a size as 64GiB")?.0;
    Ok(Some(bytes as f64 / f64::from(1u32 << 30)).filter(|gib| *gib > 0.0))
}

fn margin(factor: f64) -> Result<Margin, Failure> {
    if !(0.5..=100.0).contains(&factor) {
        return Err(Failure::usage(
            "--margin",
            format!("{factor} is not a valid margin"),
            "give a factor from 0.5 to 100, e.g. 1.3",
        ));
    }
    let thousandths = (factor * 1000.0).round() as u32;
    Ok(if thousandths == USUAL.thousandths() { USUAL } else { Margin::Uncalibrated { thousandths } })
}

fn current(market: &Market, size_gib: u64, text: &str) -> Result<Offer, Failure> {
    fathom_fleet::current(market, size_gib, text).map_err(refused)
}

fn typed<T: std::str::FromStr>(flag: &str, text: &str, form: &str) -> Result<T, Failure> {
    text.parse().map_err(|_| Failure::usage(flag, format!("{text:?} is not {form}"), format!("type {form}")))
}
