//! Which jobs run at the same time: a job that stonewalls waits for all before it.

use super::MappedJob;
use crate::Refusal;
use crate::fio::fio_job::Job;

/// Jobs that run at the same time, by their places in the list of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Places of the jobs.
    pub jobs: Vec<usize>,
}

/// The stages of a command, one after the other.
///
/// # Errors
/// When a job waits for one that is not before it.
pub fn stages(jobs: &[Job], mapped: &[MappedJob]) -> Result<Vec<Stage>, Refusal> {
    let mut stages: Vec<Stage> = Vec::new();
    for (place, job) in jobs.iter().enumerate() {
        let waits = job.after_file || job.flag("stonewall", false)?;
        if waits || stages.is_empty() {
            stages.push(Stage::default());
        }
        stages.last_mut().expect("one was made above").jobs.push(place);
        if let Some(name) = &mapped[place].waits_for {
            let known = jobs[..place].iter().any(|earlier| earlier.name == *name);
            if !known {
                let given = job.last("wait_for").expect("what waits names what it waits for");
                return Err(given.refuse(format!("no job before it is called `{name}`")));
            }
        }
    }
    Ok(stages)
}
