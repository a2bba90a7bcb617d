//! The log of a run's I/Os, in fio's form.

use fathom_campaign::IoLog;
use fathom_plan::RunPlan;
use fathom_tools::fio::result_forms::iolog;

use super::job_log_files::Places;
use crate::failure::Failure;

/// Writes the log of a run's I/Os as fio's.
///
/// # Errors
/// When it cannot be written, or there were more I/Os than it holds.
pub fn write(places: &Places, name: &str, run: &RunPlan, log: IoLog) -> Result<(), Failure> {
    let (ios, left_out) = log.finish();
    let files: Vec<String> = run.targets.iter().map(|name| plain(name).to_owned()).collect();
    places.write(name, &iolog(&files, &ios))?;
    if left_out == 0 {
        return Ok(());
    }
    let cause = format!("{left_out} I/Os at the end are not in it: it holds {} of a job", ios.len());
    Err(Failure::output(name.as_ref(), cause, "log a shorter run, with io_size or number_ios"))
}

/// The name that the user gave, without what marks it as a path.
fn plain(target: &str) -> &str {
    target.strip_prefix("./").unwrap_or(target)
}
