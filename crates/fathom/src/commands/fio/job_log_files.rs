//! Files that the jobs of a command write beside its results: each looked at before anything runs.

use std::collections::BTreeMap;
use std::path::Path;

use fathom_tools::fio::map::{Executor, MappedJob};
use fathom_tools::fio::result_forms::log_names;

use crate::failure::Failure;
use crate::output_file::{Content, OutputFile};

/// Logs of seconds, and logs of I/Os, by their names.
pub struct Places {
    force: bool,
    files: BTreeMap<String, OutputFile>,
}

impl Places {
    /// Looks at every place. Numbers and lines of I/Os do not tell who wrote them, so that a file that is there
    /// is replaced only with `force`.
    ///
    /// # Errors
    /// With the first that could not be written or is not to be, or that two would write.
    pub fn prepare(mapped: &[MappedJob], force: bool) -> Result<Self, Failure> {
        let mut places = Self { force, files: BTreeMap::new() };
        let mut number = 0;
        for job in mapped {
            let Executor::Fathom(runs) = &job.doer else { continue };
            for run in runs {
                for _ in 0..run.workload.jobs {
                    number += 1;
                    for name in log_names(&job.reporting, number) {
                        places.add(name)?;
                    }
                }
                if let Some(name) = &job.iolog
                    && !places.add(name.clone())?
                {
                    let cause = "several jobs would write it over one another";
                    let remedy = "give each job a write_iolog of its own";
                    return Err(Failure::usage(format!("write_iolog={name}"), cause, remedy));
                }
            }
        }
        Ok(places)
    }

    /// Looks at a place, and gives whether it is a new one.
    fn add(&mut self, name: String) -> Result<bool, Failure> {
        let file = OutputFile::check(Path::new(&name), Content::Foreign { force: self.force })?;
        Ok(self.files.insert(name, file).is_none())
    }

    /// Writes a file.
    ///
    /// # Errors
    /// As the system reports them, and when somebody else's file came there meanwhile.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        match self.files.get(name) {
            Some(file) => file.write(text),
            None => OutputFile::check(Path::new(name), Content::Foreign { force: self.force })?.write(text),
        }
    }
}
