//! `--balances`: burst balances of this machine's network volumes, read from CloudWatch while a command measures.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fathom_campaign::{burst_balances, calendar_now};
use fathom_demand::aws::{Caller, ServiceOptions, instance_id};
use fathom_demand::{Balance, CLOUDWATCH_OPERATION, fetch_balances};
use fathom_telemetry::{Root, environment};
use fathom_tools::Refusal;
use jiff::Timestamp;

use super::demand_input::cloudwatch_demand::LocalMachine;
use crate::arguments::OWN_BALANCES;
use crate::failure::Failure;
use crate::output;

const FLAG: &str = "--balances";
/// How often they are read: a point stands for a minute.
const EVERY: Duration = Duration::from_secs(60);
/// Before the command so much is read, so that what it begins with is known.
const BEFORE_S: i64 = 1800;

/// Reads balances from now on, and says the newest; nothing where nobody asked.
///
/// # Errors
/// When it is not known of what, no credentials are found, or the service refuses.
pub fn begin(asked: Option<&str>) -> Result<(), Failure> {
    let Some(asked) = asked else { return Ok(()) };
    let mut here = LocalMachine::new();
    let subjects = subjects(asked, &mut here)?;
    let from_unix_s = now() - BEFORE_S;
    let first = read(&mut here, &subjects, from_unix_s)?;
    if first.is_empty() {
        output::message(&format!("{FLAG}: CloudWatch knows no burst balance of {} yet", subjects.join(", ")));
    }
    first.iter().filter_map(burst_balances::newest).for_each(|said| output::message(&said));
    let known = Arc::new(Mutex::new(first));
    let shared = Arc::clone(&known);
    burst_balances::watch(Box::new(move || shared.lock().unwrap_or_else(PoisonError::into_inner).clone()));
    let reader = move || {
        loop {
            std::thread::sleep(EVERY);
            // A service that does not answer leaves what was known before, with its time.
            if let Ok(found) = read(&mut here, &subjects, from_unix_s) {
                *known.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
        }
    };
    // It waits almost always, and ends with the process.
    std::thread::Builder::new()
        .name("balances".to_owned())
        .spawn(reader)
        .map_err(|error| Failure::system(FLAG, error))?;
    Ok(())
}

fn read(here: &mut LocalMachine, subjects: &[String], from_unix_s: i64) -> Result<Vec<Balance>, Refusal> {
    let mut caller = Caller::new(here, ("monitoring", "CLOUDWATCH"), ServiceOptions::default())?;
    fetch_balances(subjects, (from_unix_s, now()), |body| caller.call(CLOUDWATCH_OPERATION, body))
}

fn now() -> i64 {
    calendar_now().parse::<Timestamp>().map_or(0, Timestamp::as_second)
}

/// The ids that were typed, or those of this machine and its volumes.
fn subjects(asked: &str, here: &mut LocalMachine) -> Result<Vec<String>, Failure> {
    if asked != OWN_BALANCES {
        let ids = asked.split(',').map(str::trim).filter(|id| !id.is_empty());
        return Ok(ids.map(str::to_owned).collect());
    }
    let found = environment::amazon_ids(&Root::system());
    let instance = found.instance.or_else(|| instance_id(here));
    let ids: Vec<String> = instance.into_iter().chain(found.volumes).collect();
    if ids.is_empty() {
        let cause = "no EC2 instance id found on this machine";
        return Err(Failure::usage(FLAG, cause, "name instances and volumes: --balances=i-0abc,vol-0def"));
    }
    Ok(ids)
}
