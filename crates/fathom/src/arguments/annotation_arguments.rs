//! What can be typed to say something of what was measured, and to delete it.

use clap::Args;

use super::Switch;

/// Arguments of `tag`.
#[derive(Args, Debug)]
pub struct TagArguments {
    /// An id, the start of one, last, or last-2 for the second before it.
    #[arg(value_name = "RUN|CAMPAIGN")]
    pub name: String,
    /// Tags to put on it: one word each, e.g. weekly. Default: print those that it has.
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Take these tags off again.
    #[arg(long, requires = "words")]
    pub remove: bool,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

pub const TAG_EXAMPLES: &str = "\
Examples:
  fathom tag last prod weekly
  fathom tag last prod --remove
  fathom tag last                        what it has
  fathom runs --tag weekly               all that have it; on the page of fathom serve: tag:weekly";

/// Arguments of `note`.
#[derive(Args, Debug)]
pub struct NoteArguments {
    /// An id, the start of one, last, or last-2 for the second before it.
    #[arg(value_name = "RUN|CAMPAIGN")]
    pub name: String,
    /// What to write about it. Default: print its notes.
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
    /// Take the note with this number back.
    #[arg(long, value_name = "NUMBER", conflicts_with = "text")]
    pub remove: Option<i64>,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

pub const NOTE_EXAMPLES: &str = "\
Examples:
  fathom note last \"after the firmware update, cache still on\"
  fathom note last                       its notes, with their numbers
  fathom note last --remove 3";

/// Arguments of `baseline`.
#[derive(Args, Debug)]
pub struct BaselineArguments {
    /// The run that others of its workload on its target are compared with. Default: print all baselines.
    #[arg(value_name = "RUN")]
    pub name: Option<String>,
    /// Make it a baseline no longer.
    #[arg(long, requires = "name")]
    pub remove: bool,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

pub const BASELINE_EXAMPLES: &str = "\
Examples:
  fathom baseline last
  fathom baseline                        all of them, with the runs to compare with
  fathom baseline last --remove

A target has one baseline for each workload, jobs and depth. fathom delete --older and --tag leave it.";

/// Arguments of `mark`.
#[derive(Args, Debug)]
pub struct MarkArguments {
    /// What happened, e.g. \"kernel 6.14\". Default: print all marks.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// When it was, or began: a date or time, e.g. 2026-11-20 or 2026-11-20T08:00:00Z, or how long ago, e.g. 2h. Default:
    /// now.
    #[arg(long, value_name = "TIME", requires = "title")]
    pub from: Option<String>,
    /// When it was over. Default: it is a moment.
    #[arg(long, value_name = "TIME", requires = "title")]
    pub until: Option<String>,
    /// The one target that it is about, as it is named in runs. Default: all of them.
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// Take the mark with this number back.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["title", "target"])]
    pub remove: Option<i64>,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

pub const MARK_EXAMPLES: &str = "\
Examples:
  fathom mark --title \"kernel 6.14\"
  fathom mark --title \"RAID rebuild\" --from 2026-11-20T08:00:00Z --until 2026-11-20T14:30:00Z --target /dev/md0
  fathom mark                            all marks, with their numbers

Marks stand in fathom trend and on the page. Where kernel, driver, firmware or fathom itself changed between two runs,
a mark stands there by itself.";

/// Arguments of `delete`.
#[derive(Args, Debug)]
pub struct DeleteArguments {
    /// Runs and campaigns: ids, starts of ids, or last. A campaign goes with all of its runs.
    #[arg(value_name = "RUN|CAMPAIGN", required_unless_present_any = ["older", "tag"], conflicts_with_all = ["older", "tag"])]
    pub names: Vec<String>,
    /// All that started before then: how long ago, e.g. 90d, or a date or time.
    #[arg(long, value_name = "TIME")]
    pub older: Option<String>,
    /// All that have this tag. With --older: that are old enough too.
    #[arg(long, value_name = "WORD")]
    pub tag: Option<String>,
    /// Delete it. Without it, what would go is printed, and nothing is deleted.
    #[arg(long)]
    pub yes: bool,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

pub const DELETE_EXAMPLES: &str = "\
Examples:
  fathom delete r-20261120-155300123-7f3a           what would go; nothing is deleted
  fathom delete r-20261120-155300123-7f3a --yes
  fathom delete --older 90d --yes
  fathom delete --tag scratch --older 7d --yes

What is deleted is gone for good, and its space is given back. A baseline, and a campaign that is not finished, go only
by their own names.";
