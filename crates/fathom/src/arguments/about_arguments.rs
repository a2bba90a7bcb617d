//! What can be typed about the program itself: help, manual pages, completions, settings and the state of the machine.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use super::RedactedPart;

/// Arguments of `help`.
#[derive(Args, Debug)]
pub struct HelpArguments {
    /// The command that is meant.
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

pub const HELP_EXAMPLES: &str = "\
Examples:
  fathom help
  fathom help run";

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// bash, zsh, fish, elvish or powershell.
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub shell: Shell,
}

pub const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  fathom completions bash > ~/.local/share/bash-completion/completions/fathom
  fathom completions zsh > ~/.zfunc/_fathom                    with fpath+=~/.zfunc before compinit in ~/.zshrc
  fathom completions fish > ~/.config/fish/completions/fathom.fish";

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// A command, or the page's own name, e.g. fathom-run. Default: the page of fathom itself.
    #[arg(value_name = "COMMAND")]
    pub page: Option<String>,
    /// Print the names of all pages.
    #[arg(long, conflicts_with = "page")]
    pub list: bool,
}

pub const MAN_EXAMPLES: &str = "\
Examples:
  fathom man run | man -l -
  fathom man --list";

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArguments {
    /// A folder or a file on the storage that is to be measured.
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Try what can be tried without a device: clock, engines, refusals, store and reports, in a folder of its own in PATH,
    /// which is removed. Takes a minute.
    #[arg(long)]
    pub self_test: bool,
    /// With --self-test: write all that was said to this file, to send it to whoever asked. What it holds is listed.
    #[arg(long, value_name = "FILE.zip", requires = "self_test")]
    pub zip: Option<PathBuf>,
    /// With --zip: replace these by words of the same meaning, as in fathom share. A list, e.g. host,serial,path.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true,
        requires = "zip"
    )]
    pub redact: Vec<RedactedPart>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub const DOCTOR_EXAMPLES: &str = "\
Examples:
  fathom doctor
  fathom doctor /mnt/data --json
  fathom doctor --self-test /mnt/data --zip answers.zip --redact host,serial,path

Nothing is changed, and nothing is written but a file without a name, or with --self-test a folder that is removed. Exit
status 1 where fathom cannot measure here, or where what was tried failed.";

pub const CONFIG_EXAMPLES: &str = "\
Examples:
  fathom config
  fathom config --json

The file is ~/.config/fathom/config.toml, or what FATHOM_CONFIG names. It has `store`, and for each command a table of
its flags, which hold where they are not typed:

  store = \"/srv/fathom/runs.sqlite\"
  [run]
  time = \"60s\"
  [assess]
  instance = \"m5.xlarge\"

With a plan file [run] and [sweep] are left out. What permits the loss of data is typed, and never a setting.";

/// Arguments of `sample`.
#[derive(Args, Debug)]
pub struct SampleArguments {
    /// Folder to write node3.csv, volumes.csv and trace.csv to; it is made where it is not there.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
    /// Replace files of these names.
    #[arg(long)]
    pub force: bool,
    /// Print the names of the files as JSON.
    #[arg(long)]
    pub json: bool,
}

pub const SAMPLE_EXAMPLES: &str = "\
Examples:
  fathom sample
  fathom sample try && cd try && fathom profile node3.csv --values per-row

The numbers are made by a formula and are of no real volume. They are the same each time.";
