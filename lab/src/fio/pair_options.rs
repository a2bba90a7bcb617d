//! What was typed after `cargo lab fio`.

use std::path::PathBuf;

use clap::Args;

/// Which jobs, with what.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Program to try. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    pub fathom: Option<PathBuf>,
    /// fio to compare with. Default: the one that is installed.
    #[arg(long, value_name = "PATH")]
    pub fio: Option<PathBuf>,
    /// Only jobs whose name contains it, with their text and all that was compared.
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Where collected job files are, as OWNER+NAME/PATH. Default: only the lab's own jobs.
    #[arg(long, value_name = "DIR")]
    pub jobs: Option<PathBuf>,
    /// Get collected job files that DIR lacks from raw.githubusercontent.com, with curl.
    #[arg(long, requires = "jobs")]
    pub fetch: bool,
    /// Pairs run at the same time.
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = crate::workers)]
    pub workers: usize,
    /// One job in four.
    #[arg(long)]
    pub short: bool,
    /// List the jobs and end.
    #[arg(long)]
    pub list: bool,
    /// Write the score and every unexplained difference there.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Where the lab makes its own folder. Default: the system's temporary folder.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}
