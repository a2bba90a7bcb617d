//! What was typed after `cargo lab`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::{cases, doors, evaluations, fio, fit, imports, independent, kills, sizing};

const GUEST: &str = "\
It needs qemu-system-x86_64, a static busybox and a kernel with its modules; on Debian:
  apt-get install qemu-system-x86 busybox-static linux-image-cloud-amd64
or, to leave this machine's own boot alone:
  apt-get download linux-image-VERSION-cloud-amd64 && dpkg-deb -x linux-image-*.deb DIR
  cargo lab passthrough --kernel-root DIR
fabrics needs nvme-cli too, and takes fio where it is there.";

/// A command line of the labs.
#[derive(Debug, Parser)]
#[command(name = "lab", bin_name = "cargo lab", about = "fathom held against a known truth")]
pub struct LabCommandLine {
    #[command(subcommand)]
    pub lab: Lab,
}

const ARM: &str = "\
It needs qemu-system-arm, the Rust target aarch64-unknown-linux-musl, a static fathom for Arm, and below --kernel-root a
kernel and a static busybox for it. On Debian:
  cargo xtask dist --target aarch64-unknown-linux-musl --profile dev
  dpkg --add-architecture arm64 && apt-get update
  apt-get download linux-image-VERSION-arm64 busybox-static:arm64
  for package in *_arm64.deb; do dpkg-deb -x $package DIR; done
  cargo lab arm --kernel-root DIR --fathom target/aarch64-unknown-linux-musl/debug/fathom";

/// Which lab, on what.
#[derive(Debug, Subcommand)]
pub enum Lab {
    /// The engines and a disk on Linux on Arm, in an emulated machine.
    #[command(after_help = ARM)]
    Arm(Guest),
    /// fathom's verdicts on cases whose answer is known.
    #[command(
        after_help = "Cases on this machine make zram and loop devices and control groups, and need root; each says \
                      what it lacks.\nCases in virtual machines need what the other labs need."
    )]
    Cases(cases::Options),
    /// Whether fathom changes a byte of anything that was not named.
    #[command(
        after_help = "It needs root, loop devices, and for each kind of file system its own mkfs; what is missing is \
                      listed."
    )]
    Doors(doors::Options),
    /// The published evaluations on simulated devices that have the articles' own figures.
    #[command(
        after_help = "Three of the five run in real time and want two cores that nobody else uses; all take some \
                      minutes.\nThe exit status is 1 where a conclusion comes out otherwise than on the published \
                      figures."
    )]
    Evaluations(evaluations::Options),
    /// NVMe over TCP between fathom and the kernel, in a virtual machine.
    #[command(after_help = GUEST)]
    Fabrics {
        /// One pass over each group, in about two minutes.
        #[arg(long)]
        short: bool,
        #[command(flatten)]
        guest: Guest,
    },
    /// The same job files by fathom fio and by the installed fio, compared.
    #[command(
        after_help = "It needs fio and strace; jobs on block devices need root and loop devices too.\nThe exit status \
                      is 1 where a difference is left that neither docs/interop.md nor fathom's output explains."
    )]
    Fio(fio::Options),
    /// What causes show on drawn simulated cases, for the table of evidence.
    Fit(fit::Options),
    /// Whether published results of other tools are read right.
    Imports(imports::Options),
    /// Verdicts on simulated cases that were made from the documentation alone.
    Independent(independent::Options),
    /// Whether anything is lost when fathom is killed at any moment.
    Kills(kills::Options),
    /// NVMe commands on the kernel's own driver, in a virtual machine.
    #[command(after_help = GUEST)]
    Passthrough(Guest),
    /// `fathom size` against a slow simulator of volumes that shares no code with it.
    #[command(after_help = "Exit status 1 says that a difference is left which no documented rule explains.")]
    Sizing(sizing::Options),
}

/// A virtual machine and what is tried in it.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// Where boot/vmlinuz-VERSION and lib/modules/VERSION or usr/lib/modules/VERSION are.
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub kernel_root: PathBuf,
    /// Program to try. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    pub fathom: Option<PathBuf>,
    /// Time after which the guest is ended. Default: 300; 900 of arm and fabrics.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub seconds: Option<u64>,
    /// Write all that the guest's console showed there.
    #[arg(long, value_name = "FILE")]
    pub console: Option<PathBuf>,
}

/// A number of workers at the same time.
///
/// # Errors
/// What is none from 1 to 64.
pub fn workers(text: &str) -> Result<usize, String> {
    let workers = text.parse().ok().filter(|workers| (1..=64).contains(workers));
    workers.ok_or_else(|| format!("`{text}` is not from 1 to 64"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_lab_is_typed_as_it_is_documented() {
        LabCommandLine::command().debug_assert();
        let typed =
            LabCommandLine::try_parse_from(["lab", "fabrics", "--short", "--kernel-root=/k"]).unwrap();
        assert!(
            matches!(typed.lab, Lab::Fabrics { short: true, guest } if guest.kernel_root.as_os_str() == "/k")
        );
        for line in ["", "raid", "passthrough --seconds 0", "passthrough --console", "passthrough --short"] {
            assert!(
                LabCommandLine::try_parse_from(["lab"].into_iter().chain(line.split_whitespace())).is_err(),
                "{line}"
            );
        }
    }

    #[test]
    fn each_lab_tells_its_flags() {
        let said = |words: &[&str]| {
            let told = LabCommandLine::try_parse_from(["lab"].iter().chain(words)).unwrap_err();
            (told.to_string(), told.exit_code())
        };
        let (all, status) = said(&["--help"]);
        assert_eq!(status, 0);
        let labs = LabCommandLine::command();
        assert!(labs.get_subcommands().count() >= 12);
        for lab in labs.get_subcommands().map(clap::Command::get_name) {
            assert!(all.contains(&format!("  {lab} ")), "{all}");
            let (own, status) = said(&[lab, "--help"]);
            assert!(status == 0 && own.contains("Usage: cargo lab"), "{lab}: {own}");
        }
        assert_eq!(said(&["no-such-lab"]).1, 2);
    }
}
