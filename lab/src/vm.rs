//! Boots a guest in QEMU and reads its console until it ends or its time is over.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::boot_kernel::Kernel;

/// What is emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// A PC.
    X86,
    /// QEMU's own board for Arm, with the newest processor that it knows.
    Arm,
}

impl Board {
    fn program(self) -> &'static str {
        match self {
            Self::X86 => "qemu-system-x86_64",
            Self::Arm => "qemu-system-aarch64",
        }
    }

    /// Debian's package of the program.
    fn package(self) -> &'static str {
        match self {
            Self::X86 => "qemu-system-x86",
            Self::Arm => "qemu-system-arm",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            // Without cmpxchg16b, which some versions of QEMU get wrong: newer kernels fault on it.
            Self::X86 => &["-cpu", "max,cx16=off"],
            // Addresses are not authenticated by the architecture's own cipher, which is slow to emulate.
            Self::Arm => &["-machine", "virt,gic-version=3", "-cpu", "max,pauth-impdef=on"],
        }
    }

    /// The kernel's name of the serial console.
    fn console(self) -> &'static str {
        match self {
            Self::X86 => "ttyS0",
            Self::Arm => "ttyAMA0",
        }
    }
}

/// A machine to boot.
pub struct Machine {
    pub board: Board,
    /// First root, as the kernel unpacks it.
    pub root: Vec<u8>,
    /// Processors.
    pub processors: u32,
    /// Memory.
    pub memory_mib: u32,
    /// Devices, as QEMU's arguments.
    pub devices: Vec<String>,
}

/// What came of it.
pub struct BootOutcome {
    /// All that the console showed.
    pub text: String,
    /// From start to end.
    pub wall: Duration,
}

/// What virtual machines need and is not here, with what to install.
pub fn missing(board: Board) -> Option<String> {
    let program = board.program();
    let works = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    (!works).then(|| format!("no {program}: apt-get install {}", board.package()))
}

/// An empty disk of a raw image, which takes no space until it is written.
///
/// # Errors
/// Where it cannot be made.
pub fn empty_disk(folder: &Path, name: &str, bytes: u64) -> Result<PathBuf, String> {
    let path = folder.join(name);
    let made = File::create(&path).and_then(|file| file.set_len(bytes));
    made.map(|()| path.clone()).map_err(|error| format!("{}: {error}", path.display()))
}

/// Boots and waits until the guest powers off, at most `seconds`.
///
/// # Errors
/// Where QEMU cannot be started or refuses the machine. A guest that does not end is no error: its
/// console tells how far it came.
pub fn boot(kernel: &Kernel, machine: &Machine, seconds: u64, folder: &Path) -> Result<BootOutcome, String> {
    let place = |name: &str| folder.join(name);
    let fail = |name: &str, error: std::io::Error| format!("{}: {error}", place(name).display());
    fs::write(place("root.cpio"), &machine.root).map_err(|error| fail("root.cpio", error))?;
    let errors = File::create(place("qemu.err")).map_err(|error| fail("qemu.err", error))?;
    let start = now();
    let program = machine.board.program();
    let mut child = Command::new(program)
        // Emulated: it runs wherever the program does, and its drivers are as real.
        .args(["-accel", "tcg,thread=multi", "-nodefaults", "-no-user-config", "-no-reboot"])
        .args(machine.board.arguments())
        .args(["-display", "none", "-monitor", "none"])
        .args(["-smp", &machine.processors.to_string(), "-m", &format!("{}M", machine.memory_mib)])
        .arg("-kernel")
        .arg(&kernel.image)
        .arg("-initrd")
        .arg(place("root.cpio"))
        .arg("-append")
        .arg(format!("console={} quiet loglevel=3 panic=-1 rdinit=/init", machine.board.console()))
        .arg("-serial")
        .arg(format!("file:{}", place("console").display()))
        .args(&machine.devices)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    let refused = wait(&mut child, start, Duration::from_secs(seconds));
    let wall = start.elapsed();
    if refused {
        let words = fs::read_to_string(place("qemu.err")).unwrap_or_default();
        return Err(format!("{program}: {}", words.trim()));
    }
    let bytes = fs::read(place("console")).map_err(|error| fail("console", error))?;
    Ok(BootOutcome { text: String::from_utf8_lossy(&bytes).into_owned(), wall })
}

/// Waits for the end, or makes it; whether QEMU itself gave up.
fn wait(child: &mut Child, start: Instant, limit: Duration) -> bool {
    while start.elapsed() < limit {
        match child.try_wait() {
            Ok(Some(status)) => return !status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(50)),
            Err(_) => break,
        }
    }
    // It may have ended by itself meanwhile; either way nothing is left running.
    let _ = child.kill();
    let _ = child.wait();
    false
}

#[allow(clippy::disallowed_methods, reason = "the wall time of a whole machine, seen from outside")]
fn now() -> Instant {
    Instant::now()
}
