//! The demand that files hold, as the commands that need one read it.

pub mod cloudwatch_demand;
mod http;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use fathom_campaign::calendar_now;
use fathom_demand::aws::ServiceOptions;
use fathom_demand::{CloudWatchQuery, PrometheusQuery, Selection, Text, without_credentials};
use fathom_rows::demand_tables::{is_parquet, of_parquet};
use fathom_rows::{DemandReport, Hints, Values};
use fathom_tools::Refusal;
use fathom_tools::result_import::is_wide;
use jiff::Timestamp;

use super::typed_moment::moment;
use crate::arguments::{MetricsArguments, ValuesName};
use crate::failure::Failure;

/// Files of metrics larger than this are not read at once.
const LARGEST_FILE: u64 = 4 << 30;

/// Bytes at a file's start that say whether it is text.
const START_BYTES: u64 = 32 << 10;

/// Reads the demand in some files, or from the server that was named.
///
/// # Errors
/// When a file cannot be read or holds none, with what to type.
pub fn seen(paths: &[PathBuf], arguments: &MetricsArguments) -> Result<DemandReport, Failure> {
    if let Some(url) = &arguments.prometheus {
        return served(url, arguments);
    }
    if let Some(subject) = &arguments.cloudwatch {
        return watched(subject, arguments);
    }
    check_files(paths)?;
    let hints = Hints {
        device: arguments.device.as_deref(),
        instance: arguments.host.as_deref(),
        columns: &arguments.columns,
        values: values_of(arguments),
    };
    let refused = |refusal: Refusal| {
        let place = match (paths, refusal.place.as_str()) {
            ([only], "") => only.display().to_string(),
            ([only], place) => format!("{}, {place}", only.display()),
            (_, "") => name(paths, arguments),
            (_, place) => place.to_owned(),
        };
        Failure::usage(
            place,
            format!("not read as {}: {}", refusal.kind.expected, refusal.cause),
            refusal.remedy,
        )
    };
    if let Some(files) = parquet(paths)? {
        return of_parquet(&files, &hints).map_err(refused);
    }
    let contents: Vec<(String, Vec<u8>)> = paths
        .iter()
        .map(|path| Ok((path.display().to_string(), read(path)?)))
        .collect::<Result<_, Failure>>()?;
    let texts: Vec<Text<'_>> = contents.iter().map(|(name, bytes)| Text { name, bytes }).collect();
    fathom_demand::read(&texts, &hints).map_err(refused)
}

/// The files, open, if all are Parquet: they are never in memory whole.
fn parquet(paths: &[PathBuf]) -> Result<Option<Vec<(String, File)>>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let place = || path.display().to_string();
        let unread = |error: std::io::Error| {
            Failure::usage(place(), error.to_string(), "name a file that can be read").with_source(error)
        };
        // A pipe's first bytes would be lost.
        if !path.is_file() {
            continue;
        }
        let file = File::open(path).map_err(unread)?;
        let mut start = Vec::new();
        (&file).take(4).read_to_end(&mut start).map_err(unread)?;
        if is_parquet(&start) {
            files.push((place(), file));
        }
    }
    match files.len() {
        0 => Ok(None),
        all if all == paths.len() => Ok(Some(files)),
        _ => Err(Failure::usage(
            &files[0].0,
            "it is Parquet where others are not",
            "give files of one kind at a time",
        )),
    }
}

/// What a table's values are said to be.
pub fn values_of(arguments: &MetricsArguments) -> Option<Values> {
    arguments.values.map(|values| match values {
        ValuesName::PerSecond => Values::PerSecond,
        ValuesName::PerRow => Values::PerRow,
    })
}

/// Refuses an address where a file belongs: the flag in front of it is missing.
fn check_files(paths: &[PathBuf]) -> Result<(), Failure> {
    let is_address = |path: &&PathBuf| path.to_string_lossy().contains("://") && !path.exists();
    paths.iter().find(is_address).map_or(Ok(()), |path| {
        let cause = "it is an address, and a file was expected";
        Err(Failure::usage(shown(path), cause, "--prometheus URL reads from a server"))
    })
}

/// Refuses an address without a scheme. What was given is not said again: without the scheme nobody knows where a
/// password in it ends.
fn check_server(url: &str) -> Result<(), Failure> {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    if ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let cause = "the address begins with neither http:// nor https://";
    Err(Failure::usage("--prometheus", cause, "give an address as http://localhost:9090"))
}

/// The demand that a Prometheus server has.
fn served(url: &str, arguments: &MetricsArguments) -> Result<DemandReport, Failure> {
    check_server(url)?;
    let (from_unix_s, to_unix_s, _) = stretch(arguments)?;
    let (device, instance) = (arguments.device.as_deref(), arguments.host.as_deref());
    let selection = Selection { device, instance, matchers: &arguments.query };
    let client = http::Client::new();
    let asked = PrometheusQuery { url, selection, from_unix_s, to_unix_s };
    fathom_demand::fetch_prometheus(&asked, |url| client.get(url)).map_err(Failure::from)
}

/// The demand that CloudWatch has.
fn watched(subject: &str, arguments: &MetricsArguments) -> Result<DemandReport, Failure> {
    let (from_unix_s, to_unix_s, now_unix_s) = stretch(arguments)?;
    let asked = CloudWatchQuery { subject, from_unix_s, to_unix_s, now_unix_s };
    let (region, endpoint) = (arguments.aws_region.as_deref(), arguments.aws_endpoint.as_deref());
    cloudwatch_demand::fetch(&asked, ServiceOptions { region, endpoint, profile: None })
        .map_err(Failure::from)
}

/// From when, until when, and now; in seconds since 1970.
fn stretch(arguments: &MetricsArguments) -> Result<(i64, i64, i64), Failure> {
    let now = calendar_now().parse::<Timestamp>().map_or(0, Timestamp::as_second);
    let to = arguments.to.as_deref().map_or(Ok(now), |text| moment("--to", text, now))?;
    Ok((moment("--from", arguments.from(), now)?, to, now))
}

/// The files in a few words, or the server without credentials.
pub fn name(paths: &[PathBuf], arguments: &MetricsArguments) -> String {
    match paths {
        [] => {
            let server = arguments.prometheus.as_deref().map(without_credentials);
            server.or_else(|| arguments.cloudwatch.clone()).unwrap_or_default()
        }
        [only] => only.display().to_string(),
        [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
    }
}

/// A file's name without credentials: what was meant for a server may stand where a file belongs.
pub fn shown(path: &Path) -> String {
    without_credentials(&path.display().to_string())
}

/// A file's content; of what is binary its start alone, which is enough to say so: a disk has no length, and is not
/// to be read to its end.
///
/// # Errors
/// When it is not there, cannot be read, or is too large to be read at once.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let place = || shown(path);
    let unread = |error: std::io::Error| {
        Failure::usage(place(), error.to_string(), "name a file that can be read").with_source(error)
    };
    let mut file = File::open(path).map_err(|error| {
        Failure::usage(place(), error.to_string(), "name an existing file").with_source(error)
    })?;
    let mut bytes = Vec::new();
    (&mut file).take(START_BYTES).read_to_end(&mut bytes).map_err(unread)?;
    if is_binary(&bytes) {
        return Ok(bytes);
    }
    let left = LARGEST_FILE + 1 - bytes.len() as u64;
    file.take(left).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(Failure::usage(place(), "larger than 4 GiB", "cut it, or sum it up to longer ticks"));
    }
    Ok(bytes)
}

/// Whether a file that starts so is neither text nor Parquet.
fn is_binary(start: &[u8]) -> bool {
    start.contains(&0) && !is_wide(start) && !is_parquet(start)
}
