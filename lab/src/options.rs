//! What was typed after `cargo lab`.

use std::path::PathBuf;

pub const USAGE: &str = "\
cargo lab passthrough [OPTIONS]    NVMe commands on the kernel's own driver, in a virtual machine

  --kernel-root DIR   where boot/vmlinuz-VERSION and lib/modules/VERSION are. Default: /
  --fathom PATH       program to try. Default: built from this tree
  --seconds NUMBER    time after which the guest is ended. Default: 300
  --console FILE      write all that the guest's console showed there

It needs qemu-system-x86_64, a static busybox and a kernel with its modules; on Debian:
  apt-get install qemu-system-x86 busybox-static linux-image-cloud-amd64
or, to leave this machine's own boot alone:
  apt-get download linux-image-VERSION-cloud-amd64 && dpkg-deb -x linux-image-*.deb DIR
  cargo lab passthrough --kernel-root DIR

cargo lab fabrics [OPTIONS]        NVMe over TCP between fathom and the kernel, in a virtual machine

  --short             one pass over each group, in about two minutes
  and the options of passthrough. It needs the same, and nvme-cli; fio where it is there.

cargo lab arm [OPTIONS]            the engines and a disk on Linux on Arm, in an emulated machine

  The options of passthrough. It needs qemu-system-arm, the Rust target aarch64-unknown-linux-musl, a static fathom for
  Arm, and below --kernel-root a kernel and a static busybox for it. On Debian:
    cargo xtask dist --target aarch64-unknown-linux-musl --profile dev
    dpkg --add-architecture arm64 && apt-get update
    apt-get download linux-image-VERSION-arm64 busybox-static:arm64
    for package in *_arm64.deb; do dpkg-deb -x $package DIR; done
    cargo lab arm --kernel-root DIR --fathom target/aarch64-unknown-linux-musl/debug/fathom";

const LABS: &str = "arm, cases, doors, fabrics, fio, fit, imports, independent, kills, sizing or passthrough";

/// Which lab of those that are one guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lab {
    Passthrough,
    Fabrics,
    Arm,
}

/// Which lab, on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub lab: Lab,
    pub short: bool,
    pub kernel_root: PathBuf,
    pub fathom: Option<PathBuf>,
    pub seconds: u64,
    pub console: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments after the task's name; `--name value` and `--name=value` are the same.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let (lab, seconds) = match arguments.next().as_deref() {
            Some("passthrough") => (Lab::Passthrough, 300),
            Some("fabrics") => (Lab::Fabrics, 900),
            Some("arm") => (Lab::Arm, 900),
            Some(other) => {
                return Err(format!("there is no lab `{other}`: {LABS}\n\n{USAGE}"));
            }
            None => return Err(format!("which lab: {LABS}?\n\n{USAGE}")),
        };
        let mut options =
            Self { lab, short: false, kernel_root: "/".into(), fathom: None, seconds, console: None };
        while let Some(argument) = arguments.next() {
            let (name, glued) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let mut value =
                || glued.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{name} needs a value"));
            match name.as_str() {
                "--short" if lab == Lab::Fabrics && glued.is_none() => options.short = true,
                "--kernel-root" => options.kernel_root = value()?.into(),
                "--fathom" => options.fathom = Some(value()?.into()),
                "--console" => options.console = Some(value()?.into()),
                "--seconds" => {
                    let text = value()?;
                    let seconds = text.parse().ok().filter(|seconds| *seconds > 0);
                    options.seconds = seconds.ok_or_else(|| format!("{name}: `{text}` is no time"))?;
                }
                _ => return Err(format!("`{name}` is no option of lab\n\n{USAGE}")),
            }
        }
        Ok(options)
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
        let options = read("passthrough --kernel-root=/k --seconds 9").unwrap();
        assert_eq!((options.kernel_root, options.seconds), (PathBuf::from("/k"), 9));
        let options = read("fabrics --short").unwrap();
        assert!(options.lab == Lab::Fabrics && options.short && options.seconds == 900);
        for (line, word) in [
            ("", "which lab"),
            ("raid", "`raid`"),
            ("passthrough --seconds 0", "`0`"),
            ("passthrough --kernel", "--kernel`"),
            ("passthrough --console", "needs a value"),
            ("passthrough --short", "--short`"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
