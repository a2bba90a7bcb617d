//! `fathom size --account`: every EBS volume of accounts, read by the provider's API or from what its own tool printed,
//! and judged as a fleet.
//!
//! Nothing here changes anything of an account: the three calls that are made describe and measure, and the changes are
//! printed as commands for people.

mod account_reading;

use std::cell::RefCell;
use std::io;

use fathom_demand::account_volumes::Inventory;
use fathom_fleet::{Account, AccountTerms, GroupKey, VolumeDefaults, check_region, currency};
use fathom_record::AccountRecord;
use fathom_record::account_record::{AccountPlace, AccountReading, FailedPlace};
use fathom_record::fleet_record::FleetRow;
use fathom_report::{html, terminal};
use fathom_sizing::fleet_volumes::History;
use fathom_sizing::{Catalogue, Market};

use self::account_reading::AccountInputs;
use super::fleet::inputs::Inputs;
use super::fleet::stop_request::Stop;
use super::fleet::{JudgedVolume, RegionVolumes, TakeRow, base_policy, by, rows_file, write_rows};
use super::{catalogue, market_of, refused};
use crate::arguments::SizeArguments;
use crate::commands::store_access::StorePlace;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};

/// What no answer of this kind takes into account.
const NOT_MODELLED: [&str; 2] = [
    "Amounts are list prices: commitments, private prices, credits and taxes are not modelled. --prices FILE.csv takes your own.",
    "Snapshots, and instances themselves, are not priced: a change that needs another instance is named, and not added up.",
];

/// Where volumes are: an account by its profile, and a region.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    profile: Option<&'a str>,
    region: &'a str,
}

/// What is known of a place once it was read.
struct PlaceReading {
    inputs: Inputs,
    account: Option<String>,
    reading: Option<AccountReading>,
    from: Vec<String>,
}

/// What is the same for all places.
struct Sizing<'a> {
    arguments: &'a SizeArguments,
    catalogue: &'a Catalogue,
    by: Option<GroupKey>,
    kept: StorePlace,
    stop: Stop,
}

/// Sizes accounts; `line` is the command.
///
/// # Errors
/// What makes no sense or cannot be read, with what to type.
pub fn perform(
    store: &StorePlace,
    arguments: &SizeArguments,
    machine: &Machine,
    line: &str,
) -> Result<Status, Failure> {
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?;
    }
    let rows = arguments.rows.as_deref().map(|path| rows_file(path, arguments.force)).transpose()?;
    let by = by(arguments)?;
    let catalogue = catalogue(arguments)?;
    let places = places(arguments, &catalogue)?;
    let stop = Stop::watch()?;
    let sizing = Sizing { arguments, catalogue: &catalogue, by, kept: store.clone(), stop };
    let mut record = AccountRecord {
        format: AccountRecord::FORMAT.to_owned(),
        version: AccountRecord::VERSION,
        command: Some(line.to_owned()),
        places: Vec::new(),
        failed: Vec::new(),
        notes: NOT_MODELLED.map(str::to_owned).to_vec(),
    };
    let mut read = |row: &mut TakeRow<'_>| {
        for place in &places {
            let currency = currency(&catalogue, place.region);
            match sizing.place(*place, &mut |judged| row(judged, &currency)) {
                Ok(found) => record.places.push(found),
                // One place that is switched off keeps nobody from the others.
                Err(failure) if places.len() > 1 && failure.kind != "interrupted" => {
                    failure.warn();
                    record.failed.push(failed(*place, failure));
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    };
    match &rows {
        None => read(&mut |_, _| Ok(()))?,
        Some((file, form)) => write_rows(file, *form, sizing.by.is_some(), read)?,
    }
    tell(&record, arguments, machine)?;
    if let Some((file, _)) = &rows {
        output::message(&format!("wrote {}", file.name().display()));
    }
    let is_whole = record.failed.is_empty() && record.places.iter().any(|place| place.fleet.sized > 0);
    Ok(if is_whole { Status::Done } else { Status::Invalid })
}

/// Profiles times regions, each of which has prices.
fn places<'a>(arguments: &'a SizeArguments, catalogue: &Catalogue) -> Result<Vec<Place<'a>>, Failure> {
    let regions: Vec<&str> =
        arguments.region.split(',').map(str::trim).filter(|region| !region.is_empty()).collect();
    for region in &regions {
        check_region(catalogue, region).map_err(refused)?;
        market_of(arguments, catalogue, region)?;
    }
    if regions.is_empty() {
        return Err(Failure::usage("--region", "no region is named", "type it as eu-central-1,us-east-1"));
    }
    if let ([_, second, ..], [_, ..]) = (regions.as_slice(), arguments.demand.as_slice()) {
        let cause = format!("files do not say which of their volumes are in {second}");
        return Err(Failure::usage("--region", cause, "give the files of one region at a time"));
    }
    let profiles: Vec<Option<&str>> = match arguments.aws_profile.as_slice() {
        [] => vec![None],
        profiles => profiles.iter().map(|profile| Some(profile.trim())).collect(),
    };
    let of_profile = |profile: &Option<&'a str>| {
        let profile = *profile;
        regions.iter().map(move |region| Place { profile, region }).collect::<Vec<_>>()
    };
    Ok(profiles.iter().flat_map(of_profile).collect())
}

fn failed(place: Place<'_>, failure: Failure) -> FailedPlace {
    FailedPlace {
        profile: place.profile.map(str::to_owned),
        region: place.region.to_owned(),
        cause: failure.cause,
        remedy: failure.remedy,
    }
}

/// Tells it where people and programs read it.
fn tell(record: &AccountRecord, arguments: &SizeArguments, machine: &Machine) -> Result<(), Failure> {
    if !machine.takes_stdout() {
        output::result(&terminal::account(record, output::style()))?;
    }
    machine.write(&output::json(record))?;
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?.write(&html::account(record)?)?;
        output::message(&format!("report: {}", path.display()));
    }
    Ok(())
}

impl Sizing<'_> {
    /// Reads a place and judges its volumes.
    fn place(
        &self,
        place: Place<'_>,
        row: &mut dyn FnMut(&FleetRow) -> io::Result<()>,
    ) -> Result<AccountPlace, Failure> {
        let market = market_of(self.arguments, self.catalogue, place.region)?;
        let read = match self.arguments.demand.as_slice() {
            [] => self.of_the_api(place)?,
            _ => self.of_files()?,
        };
        self.judged(place, &market, read, row)
    }

    fn of_the_api(&self, place: Place<'_>) -> Result<PlaceReading, Failure> {
        let reading = AccountInputs::of(place, self.arguments, &self.kept, &self.stop)?;
        let from = vec![reading.record.kept.clone()];
        let (account, record) = (Some(reading.account), Some(reading.record));
        let inputs = Inputs::of_reading(reading.inventory, reading.metrics);
        Ok(PlaceReading { inputs, account, reading: record, from })
    }

    /// What the provider's own tool printed.
    fn of_files(&self) -> Result<PlaceReading, Failure> {
        let paths = &self.arguments.demand;
        let files = account_reading::files(paths)?;
        let inputs = Inputs::open(&files, &self.arguments.metrics, None)?;
        if let Some(path) = inputs.stranger() {
            let cause = "it is nothing that aws ec2 or aws cloudwatch prints";
            let remedy = "judge tables and dumps with fathom size --fleet, and give it the answers of describe-volumes too";
            return Err(Failure::usage(path.display().to_string(), cause, remedy));
        }
        if inputs.inventory().volumes().next().is_none() {
            let cause = "no volumes are in them";
            let remedy = "give what aws ec2 describe-volumes prints as JSON too";
            return Err(Failure::usage(names(paths), cause, remedy));
        }
        let from = paths.iter().map(|path| path.display().to_string()).collect();
        Ok(PlaceReading { inputs, account: None, reading: None, from })
    }

    fn judged(
        &self,
        place: Place<'_>,
        market: &Market,
        read: PlaceReading,
        row: &mut dyn FnMut(&FleetRow) -> io::Result<()>,
    ) -> Result<AccountPlace, Failure> {
        let none = History::default();
        let inventory: &Inventory = read.inputs.inventory();
        let terms = AccountTerms {
            catalogue: self.catalogue,
            market,
            asked: base_policy(self.arguments, market, &none)?,
            inventory,
            region: place.region,
            profile: place.profile,
        };
        let account = RefCell::new(Account::new(terms, self.by.as_ref()));
        let regional = RegionVolumes {
            arguments: self.arguments,
            catalogue: self.catalogue,
            known: VolumeDefaults::new(self.catalogue, market),
            region: place.region,
            from: read.from,
            inputs: &read.inputs,
            by: self.by.as_ref(),
            keeps_series: true,
        };
        let take = |judged: &JudgedVolume| {
            account.borrow_mut().put(&judged.row, &judged.series);
            row(&judged.row)
        };
        let rest = || {
            let by = self.by.as_ref();
            let grouped = |row: FleetRow| {
                let volume = inventory.volume(&row.volume);
                let group = by.zip(volume).map(|(by, volume)| by.group_of(volume, inventory));
                FleetRow { group, ..row }
            };
            account.borrow().unseen().into_iter().map(grouped).collect()
        };
        let fleet = regional.judge(&self.stop, take, rest)?;
        Ok(account.into_inner().place(fleet, read.account, read.reading))
    }
}

fn names(paths: &[std::path::PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
