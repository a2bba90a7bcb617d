//! What was typed after `cargo lab fio`.

use std::path::PathBuf;

pub const USAGE: &str = "\
cargo lab fio [OPTIONS]    the same job files by fathom fio and by the installed fio, compared

  --fathom PATH       program to try. Default: built from this tree
  --fio PATH          fio to compare with. Default: the one that is installed
  --only NAME         only jobs whose name contains it, with their text and all that was compared
  --jobs DIR          where collected job files are, as OWNER+NAME/PATH. Default: only the lab's own jobs
  --fetch             get collected job files that DIR lacks from raw.githubusercontent.com, with curl
  --workers NUMBER    pairs run at the same time, 1 to 16. Default: 2
  --short             one job in four
  --list              list the jobs and end
  --markdown FILE     write the score and every unexplained difference there
  --folder DIR        where the lab makes its own folder. Default: the system's temporary folder

It needs fio and strace; jobs on block devices need root and loop devices too.
The exit status is 1 where a difference is left that neither docs/interop.md nor fathom's output explains.";

/// Which jobs, with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub fathom: Option<PathBuf>,
    pub fio: Option<PathBuf>,
    pub only: Option<String>,
    pub jobs: Option<PathBuf>,
    pub fetch: bool,
    pub workers: usize,
    pub short: bool,
    pub list: bool,
    pub markdown: Option<PathBuf>,
    pub folder: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments; `--name value` and `--name=value` are the same.
    ///
    /// # Errors
    /// Names the argument without sense.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            fathom: None,
            fio: None,
            only: None,
            jobs: None,
            fetch: false,
            workers: 2,
            short: false,
            list: false,
            markdown: None,
            folder: None,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, glued) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            match name.as_str() {
                "--fetch" => options.fetch = true,
                "--short" => options.short = true,
                "--list" => options.list = true,
                _ => {
                    let value = glued.or_else(|| arguments.next());
                    options.set(&name, value.ok_or_else(|| format!("{name} needs a value"))?)?;
                }
            }
        }
        if options.fetch && options.jobs.is_none() {
            return Err("--fetch needs --jobs DIR, where the files are kept".to_owned());
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        match name {
            "--fathom" => self.fathom = Some(value.into()),
            "--fio" => self.fio = Some(value.into()),
            "--only" => self.only = Some(value),
            "--jobs" => self.jobs = Some(value.into()),
            "--workers" => {
                let workers = value.parse().ok().filter(|workers| (1..=16).contains(workers));
                self.workers = workers.ok_or_else(|| format!("{name}: `{value}` is not from 1 to 16"))?;
            }
            "--markdown" => self.markdown = Some(value.into()),
            "--folder" => self.folder = Some(value.into()),
            _ => return Err(format!("`{name}` is not an option of lab fio\n\n{USAGE}")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read_and_nonsense_is_refused_by_name() {
        let options = read("--only zipf --jobs=/j --fetch --short").unwrap();
        assert_eq!((options.only.as_deref(), options.jobs), (Some("zipf"), Some("/j".into())));
        assert!(options.fetch && options.short && !options.list);
        for (line, word) in [
            ("--fetch", "--jobs DIR"),
            ("--only", "needs a value"),
            ("--odd 1", "`--odd`"),
            ("--workers 0", "`0`"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
