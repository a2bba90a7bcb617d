//! What can be typed of other tools: command lines of fio and diskspd.

use std::ffi::OsString;

use clap::Args;

use super::{ConditionArguments, MeasurementOutputs};

pub const FIO_EXAMPLES: &str = "\
Examples:
  fathom fio job.fio --output-format=json
  fathom fio --name=a --filename=data.bin --rw=randread --bs=4k --size=1g --iodepth=32 --ioengine=libaio --direct=1
  fathom fio job.fio --parse-only                    what would be left out, and what fathom cannot do
  fathom fio job.fio --engine=fio                    the installed fio does it

Options are fio's, with one hyphen or two; what stands before the first --name is of all jobs. fathom's own:
  --engine=fathom|fio   which program runs the jobs. Default: fathom, which refuses what it cannot do
  --destroy=WORDS       permit the loss of what a target holds, as in fathom run
  --force               replace files that --output, the logs and write_iolog name, whoever wrote them
  --store=FILE          run store to use, here as well as before fio
  --check-empty         read all of a device before the first write, as in fathom run
  --fail-if=CONDITION   end with status 4 if a job meets it, e.g. 'p99>2ms', as in fathom run
  --wear-limit=SIZE     write at most this much in all, e.g. 100GiB, as in fathom run
  --strict              end with status 1 if a self-check fails; fio's statuses are otherwise kept
  --quiet               show no progress
Options that change nothing are accepted, others are left out with a warning or refused with the reason.";

pub const DISKSPD_EXAMPLES: &str = "\
Examples:
  fathom diskspd -c1G -b4K -r -o32 -t4 -w30 -d60 -Sh -L testfile.dat
  fathom diskspd --drive D:=/mnt/scratch -c10G -b128K -si -o4 -t4 -d60 -Sh -L 'D:\\testfile.dat'
  FATHOM_DRIVES='D:=/mnt/d;#1=/dev/nvme1n1' fathom diskspd -b4K -r -d10 -Rxml '#1'
  fathom diskspd -Xprofile.xml -d30 testfile.dat
  fathom diskspd --fail-if 'p99>2ms' -b4K -r -d10 testfile.dat

Flags of fathom stand first and have two hyphens; all that follows is diskspd's. A file that -c makes has
no name and goes when the run ends, unless --keep is given; what is there already is written only with
--destroy. Which flags are done, mapped, or refused: docs/interop.md.";

/// Arguments of `diskspd`.
#[derive(Args, Debug)]
pub struct DiskspdArguments {
    /// What stands for a drive, disk or share of Windows here, e.g. D:=/mnt/scratch or #1=/dev/nvme1n1.
    /// Repeatable; or put them into FATHOM_DRIVES, with semicolons between them.
    #[arg(long, value_name = "NAME=PATH")]
    pub drive: Vec<String>,
    /// Allow destroying all data on the device with this serial number, or in the file of this name.
    #[arg(long, value_name = "SERIAL")]
    pub destroy: Vec<String>,
    /// Read all of a device before the first write where only that can show whether it is empty, however long it
    /// takes. Default: only where that takes 10 s or less; otherwise the device needs --destroy.
    #[arg(long)]
    pub check_empty: bool,
    /// Keep the files that -c makes.
    #[arg(long)]
    pub keep: bool,
    /// I/O engine, e.g. uring, aio or sync; or diskspd itself, with the command that reaches it:
    /// 'diskspd:ssh HOST diskspd.exe'. Default: the best one the target allows.
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// When it fails.
    #[command(flatten)]
    pub conditions: ConditionArguments,
    /// Where the record goes; the text of diskspd stays on stdout.
    #[command(flatten)]
    pub outputs: MeasurementOutputs,
    /// Print this help.
    #[arg(long, action = clap::ArgAction::Help)]
    pub help: Option<bool>,
    /// Flags of diskspd with values attached (-b4K), then its targets.
    #[arg(
        value_name = "FLAGS AND TARGETS",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true
    )]
    pub command: Vec<OsString>,
}

/// Arguments of `fio`.
#[derive(Args, Debug)]
pub struct FioArguments {
    /// fio's options and job files.
    #[arg(value_name = "FIO ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}
