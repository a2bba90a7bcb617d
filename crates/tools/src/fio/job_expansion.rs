//! From a command line and its job files to jobs, with the defaults that apply to each.

use fathom_record::shell_word;

use crate::Refusal;

use super::cmdline::Invocation;
use super::fio_job::{self, Job, JobOption, Variables};
use super::jobfile::{self, Assignment, IncludeResolver, Section};

/// A job file, read from wherever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// What its lines are called by.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// The jobs of a command, in the order in which fio makes them: those of the command line, then those of
/// each file.
///
/// # Errors
/// With the line or argument that makes no sense, or when there is no job.
pub fn jobs(
    invocation: &Invocation,
    files: &[FileText],
    variables: &Variables<'_>,
    include: &mut IncludeResolver<'_>,
) -> Result<Vec<Job>, Refusal> {
    let mut maker = Maker { sections: &invocation.globals.sections, defaults: Vec::new(), jobs: Vec::new() };
    maker.command_line(&invocation.options, variables)?;
    for (file, number) in files.iter().zip(0..) {
        let sections = jobfile::parse(&file.text, &file.name, include)?;
        maker.file(&sections, number > 0, variables)?;
    }
    if maker.jobs.is_empty() {
        let refusal = Refusal::new("fio command", "there is no job");
        return Err(match maker.sections {
            [] => refusal.or("name a job file, or begin a job with --name=NAME"),
            some => refusal.or(format!("no section is called {}", some.join(" or "))),
        });
    }
    Ok(maker.jobs)
}

struct Maker<'a> {
    sections: &'a [String],
    defaults: Vec<JobOption>,
    jobs: Vec<Job>,
}

impl Maker<'_> {
    /// Whether a section runs: with `--section` only those named do.
    fn is_wanted(&self, name: &str) -> bool {
        jobfile::is_global(name)
            || self.sections.is_empty()
            || self.sections.iter().any(|wanted| wanted == name)
    }

    /// A job with the defaults of all.
    fn begun(&self, name: String, after_file: bool) -> Job {
        Job { name, options: self.defaults.clone(), defaults: self.defaults.len(), after_file }
    }

    /// Options before the first `name`, and after a name that begins with `global`, are of all jobs.
    fn command_line(&mut self, options: &[Assignment], variables: &Variables<'_>) -> Result<(), Refusal> {
        let mut current: Option<Job> = None;
        let mut skipped = false;
        for option in options {
            let given = fio_job::option_of(option, variables)?;
            if given.row.name == "name" {
                self.jobs.extend(current.take());
                let name = given.text().to_owned();
                skipped = !self.is_wanted(&name);
                if !skipped && !jobfile::is_global(&name) {
                    let mut job = self.begun(name, false);
                    job.options.push(given);
                    current = Some(job);
                }
                continue;
            }
            match &mut current {
                _ if skipped => {}
                Some(job) => job.options.push(given),
                None => self.defaults.push(given),
            }
        }
        self.jobs.extend(current);
        Ok(())
    }

    fn file(&mut self, sections: &[Section], later: bool, variables: &Variables<'_>) -> Result<(), Refusal> {
        let mut after_file = later;
        for section in sections {
            if !self.is_wanted(&section.name) {
                continue;
            }
            let given: Result<Vec<_>, _> =
                section.options.iter().map(|option| fio_job::option_of(option, variables)).collect();
            if section.is_global() {
                self.defaults.extend(given?);
                continue;
            }
            let mut job = self.begun(section.name.clone(), after_file);
            after_file = false;
            job.options.extend(given?);
            // What a default calls all jobs, none of them is called.
            if let Some(name) =
                job.options[self.defaults.len()..].iter().rev().find(|given| given.row.name == "name")
            {
                job.name = name.text().to_owned();
            }
            self.jobs.push(job);
        }
        Ok(())
    }
}

/// A command line that says the same as the jobs, the way `--showcmd` prints it.
pub fn command_line(jobs: &[Job]) -> String {
    let mut words = vec!["fio".to_owned()];
    for job in jobs {
        words.push(shell_word(&format!("--name={}", job.name)));
        for given in job.options.iter().filter(|given| given.row.name != "name") {
            words.push(match &given.value {
                Some(value) => shell_word(&format!("--{}={value}", given.row.name)),
                None => format!("--{}", given.row.name),
            });
        }
        if job.after_file {
            words.push("--stonewall".to_owned());
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::cmdline;

    fn read(words: &[&str], files: &[&str]) -> Result<Vec<Job>, Refusal> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let invocation = cmdline::parse(&words)?;
        let file = |text: &&str| FileText { name: "a.fio".into(), text: (*text).to_owned() };
        let files: Vec<_> = files.iter().map(file).collect();
        let variables = Variables { environment: &|_| None, processors: 1, page_bytes: 4096, memory_mib: 1 };
        jobs(&invocation, &files, &variables, &mut |_, _| Err(std::io::ErrorKind::NotFound.into()))
    }

    #[test]
    fn later_globals_apply_to_the_jobs_after_them() {
        let jobs =
            read(&[], &["[global]\nbs=4k\n[a]\n[global]\nbs=8k\nrw=write\n[b]\nbs=16k\n[c]"]).expect("jobs");
        let sizes: Vec<_> = jobs.iter().map(|job| job.text("bs").unwrap_or_default()).collect();
        assert_eq!(sizes, ["4k", "16k", "8k"]);
        assert_eq!(
            jobs.iter().map(|job| job.text("rw")).collect::<Vec<_>>(),
            [None, Some("write"), Some("write")]
        );
    }

    #[test]
    fn a_name_on_the_command_line_begins_a_job() {
        let jobs = read(&["--bs=4k", "--name=a", "--rw=read", "--name=b", "--bs=8k"], &[]).expect("jobs");
        assert_eq!(jobs.len(), 2);
        assert_eq!((jobs[0].text("bs"), jobs[0].text("rw")), (Some("4k"), Some("read")));
        assert_eq!((jobs[1].text("bs"), jobs[1].text("rw")), (Some("8k"), None));
    }

    #[test]
    fn options_before_a_job_file_are_defaults_that_the_file_overrides() {
        let jobs = read(&["--runtime=5", "--direct=1"], &["[a]\nruntime=60"]).expect("jobs");
        assert_eq!((jobs[0].text("runtime"), jobs[0].text("direct")), (Some("60"), Some("1")));
    }

    #[test]
    fn files_follow_one_another_and_sections_are_chosen() {
        let jobs = read(&[], &["[a]", "[b]\n[c]"]).expect("jobs");
        let waits: Vec<_> = jobs.iter().map(|job| (job.name.as_str(), job.after_file)).collect();
        assert_eq!(waits, [("a", false), ("b", true), ("c", false)]);
        let jobs = read(&["--section=c"], &["[global]\nbs=4k\n[b]\n[c]"]).expect("jobs");
        assert_eq!(jobs.len(), 1);
        assert_eq!(jobs[0].text("bs"), Some("4k"));
        assert!(read(&["--section=x"], &["[b]"]).unwrap_err().remedy.contains('x'));
        assert!(read(&["--bs=4k"], &[]).is_err());
    }

    #[test]
    fn a_shown_command_line_means_the_same() {
        let text = "[global]\nbs=4k\nthread\n[a job]\nfilename=/tmp/x y\nrw=read\n[b]\nstonewall";
        let shown = command_line(&read(&[], &[text]).expect("jobs"));
        assert_eq!(
            shown,
            "fio '--name=a job' --bs=4k --thread '--filename=/tmp/x y' --rw=read --name=b --bs=4k --thread --stonewall"
        );
    }
}
