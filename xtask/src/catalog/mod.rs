//! `cargo xtask catalog`: brings `catalog/` up to date from what the cloud's own API says, and shows each change
//! before anything is written.

mod catalogue_csv;
mod instances;
mod prices;

use std::path::Path;
use std::process::Command;

use catalogue_csv::{Change, Sheet};
use clap::{ArgGroup, Args};
use serde_json::Value;

/// What to read, and whether to write.
#[derive(Args)]
#[command(
    group(ArgGroup::new("read").args(["fetch", "instances", "prices"]).multiple(true).required(true)),
    after_help = "Rows that the API no longer names stay, and are listed: somebody may still run them."
)]
pub struct CatalogArguments {
    /// Ask the cloud with its command-line tool `aws` (credentials as it finds them).
    #[arg(long)]
    fetch: bool,
    /// Instead: what `aws ec2 describe-instance-types --output json` printed.
    #[arg(long, value_name = "FILE")]
    instances: Option<String>,
    /// Instead: what `aws pricing get-products --service-code AmazonEC2 --output json` printed; again for another.
    #[arg(long, value_name = "FILE")]
    prices: Vec<String>,
    /// Region of the prices, and of the instance types.
    #[arg(long, value_name = "NAME", default_value = "us-east-1")]
    region: String,
    /// Day of these facts; needed with files.
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,
    /// Write the files; rows keep facts that the API does not give (rates of local disks).
    #[arg(long)]
    write: bool,
}

/// Does it.
///
/// # Errors
/// A document that is none, or files that cannot be read or written.
pub fn run(root: &Path, options: &CatalogArguments) -> Result<(), String> {
    let region = &options.region;
    let documents = documents(options)?;
    let date = match &options.date {
        Some(date) => date.clone(),
        None if options.fetch => today()?,
        None => return Err("--date: say of which day the files are, e.g. 2026-11-22".to_owned()),
    };
    let folder = root.join("catalog");
    let mut changes = Vec::new();
    let mut sources = Sheet::read(&folder.join("sources.csv"))?;
    let mut types = Sheet::read(&folder.join("instances.csv"))?;
    let mut costs = Sheet::read(&folder.join("prices.csv"))?;
    if let Some(document) = &documents.instances {
        let key = format!("ec2-types-{date}");
        changes.extend(instances::update(&mut types, document, &key)?);
        sources.put(&[("key", &key), ("date", &date), ("source", "DescribeInstanceTypes of the EC2 API")])?;
    }
    for document in &documents.prices {
        let key = format!("aws-prices-{region}-{date}");
        let place = prices::Place { region, date: &date, key: &key };
        changes.extend(prices::update(&mut types, &mut costs, document, &place)?);
        sources.put(&[
            ("key", &key),
            ("date", &date),
            ("source", "GetProducts of the AWS price list API"),
        ])?;
    }
    changes.iter().for_each(|change| println!("{change}"));
    println!("{}", Change::summary(&changes));
    if options.write {
        for (sheet, name) in [(&types, "instances.csv"), (&costs, "prices.csv"), (&sources, "sources.csv")] {
            sheet.write(&folder.join(name))?;
        }
        println!("written; `cargo test -p fathom-sizing` holds every row to its source");
    } else if !changes.is_empty() {
        println!("nothing written: --write does");
    }
    Ok(())
}

struct Documents {
    instances: Option<Value>,
    prices: Vec<Value>,
}

fn documents(options: &CatalogArguments) -> Result<Documents, String> {
    let region = options.region.as_str();
    let file = |path: &String| {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("{path}: no JSON: {error}"))
    };
    let mut instances = options.instances.as_ref().map(file).transpose()?;
    let mut prices = options.prices.iter().map(file).collect::<Result<Vec<_>, String>>()?;
    if options.fetch {
        instances = Some(ask(&["ec2", "describe-instance-types", "--region", region])?);
        let place = format!("Type=TERM_MATCH,Field=regionCode,Value={region}");
        for family in ["Compute Instance", "Storage", "System Operation", "Provisioned Throughput"] {
            let family = format!("Type=TERM_MATCH,Field=productFamily,Value={family}");
            let query = ["pricing", "get-products", "--region", "us-east-1", "--service-code", "AmazonEC2"];
            prices.push(ask(&[&query[..], &["--filters", &place, &family]].concat())?);
        }
    }
    Ok(Documents { instances, prices })
}

fn ask(arguments: &[&str]) -> Result<Value, String> {
    let asked = Command::new("aws").args(arguments).args(["--output", "json"]).output();
    let output = asked.map_err(|error| {
        format!("aws cannot be started: {error}; install the cloud's command-line tool, or give files")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("aws {}: {}", arguments.join(" "), said.trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("aws printed no JSON: {error}"))
}

/// Today as the system's `date` says it, in UTC.
fn today() -> Result<String, String> {
    let output =
        Command::new("date").args(["-u", "+%F"]).output().map_err(|error| format!("date: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
