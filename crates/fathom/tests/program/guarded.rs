//! What is written without being named, by whom, and what is said where not everything can be seen. Needs the right
//! to make a loop device; says so and passes without.

use std::fs::Permissions;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::typed::{Answer, Typist};

const SIZE: u64 = 16 << 20;
const NOBODY: u32 = 65534;
const WRITE: [&str; 8] = ["--rw", "randwrite", "--time", "300ms", "--warmup", "0s", "--json", "--quiet"];

fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// An empty loop device over a sparse file.
struct Loop(String);

impl Loop {
    fn make(typist: &Typist) -> Option<Self> {
        let image = typist.path("image");
        std::fs::File::create(&image).unwrap().set_len(SIZE).unwrap();
        let path = run("losetup", &["--find", "--show", image.to_str().unwrap()]);
        if path.is_none() {
            fathom_skips::skipped("no loop device can be made here");
        }
        path.map(Self)
    }

    fn words(&self) -> String {
        format!("{}-{SIZE}", Path::new(&self.0).file_name().unwrap().to_str().unwrap())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        run("losetup", &["--detach", &self.0]);
    }
}

/// Writes to a target; a run this short may miss its checks.
fn write(mut command: Command) -> (Answer, bool) {
    let answer: Answer = command.output().unwrap().into();
    let wrote = matches!(answer.status, 0 | 1) && answer.stdout.contains("\"checks\"");
    (answer, wrote)
}

#[test]
fn an_empty_device_is_written_unnamed_and_what_lies_in_its_middle_is_not() {
    let typist = Typist::new();
    let Some(device) = Loop::make(&typist) else { return };
    let target = ["run", "--target", &device.0];
    // Closed again: what is open for writing behind a device is use of it.
    let put = |bytes: &[u8]| {
        let image = std::fs::File::options().write(true).open(typist.path("image")).unwrap();
        image.write_all_at(bytes, 5 << 20).unwrap();
    };
    put(b"data");
    let (answer, _) = write(typist.command(&[&target[..], &WRITE].concat()));
    assert!(answer.status == 3 && answer.stderr.contains("byte 5242880 is not zero"), "{answer:?}");
    put(&[0; 4]);
    let (answer, wrote) = write(typist.command(&[&target[..], &WRITE].concat()));
    assert!(wrote, "{answer:?}");
    assert!(answer.stdout.contains("was known to be empty before the first write: all 16 MiB"), "{answer:?}");
}

#[test]
fn a_user_who_cannot_see_other_programs_names_the_device() {
    let typist = Typist::new();
    let Some(device) = Loop::make(&typist) else { return };
    // The same device under a name that anybody may write.
    let numbers = std::fs::read_to_string(format!("/sys/class/block/{}/dev", &device.0[5..])).unwrap();
    let (major, minor) = numbers.trim().split_once(':').unwrap();
    let open_to_all = typist.path("device");
    let made = run("mknod", &["-m", "666", open_to_all.to_str().unwrap(), "b", major, minor]);
    std::fs::set_permissions(typist.folder(), Permissions::from_mode(0o777)).unwrap();
    let as_nobody = |more: &[&str]| {
        let target = ["run", "--target", open_to_all.to_str().unwrap()];
        let mut command = typist.command(&[&target[..], &WRITE, more].concat());
        command.uid(NOBODY).gid(NOBODY);
        command
    };
    if made.is_none() || as_nobody(&["--help"]).output().map_or(true, |output| !output.status.success()) {
        fathom_skips::skipped("no node can be made, or another user cannot run the program here");
        return;
    }
    let (answer, _) = write(as_nobody(&[]));
    assert_eq!(answer.status, 3, "{answer:?}");
    assert!(answer.stderr.contains("cannot be seen") && answer.stderr.contains("sudo"), "{answer:?}");
    let words = device.words();
    assert!(answer.stderr.contains(&format!("--destroy {words}")), "{answer:?}");
    let (answer, wrote) = write(as_nobody(&["--destroy", &words]));
    assert!(wrote && answer.stdout.contains("Written as permitted, although"), "{answer:?}");
}

#[test]
fn in_a_container_a_device_is_named() {
    let typist = Typist::new();
    let Some(device) = Loop::make(&typist) else { return };
    let target = ["run", "--target", &device.0];
    let contained = |more: &[&str]| {
        let inner = typist.command(&[&target[..], &WRITE, more].concat());
        let mut command = Command::new("unshare");
        command
            .current_dir(typist.folder())
            .args(["--pid", "--fork", "--mount-proc"])
            .arg(inner.get_program());
        command.args(inner.get_args());
        command
    };
    if run("unshare", &["--pid", "--fork", "--mount-proc", "true"]).is_none() {
        fathom_skips::skipped("no PID namespace can be made here");
        return;
    }
    let (answer, _) = write(contained(&[]));
    assert_eq!(answer.status, 3, "{answer:?}");
    assert!(answer.stderr.contains("PID namespace") && answer.stderr.contains("--pid=host"), "{answer:?}");
    let (answer, wrote) = write(contained(&["--destroy", &device.words()]));
    assert!(wrote && answer.stdout.contains("Written as permitted, although"), "{answer:?}");
}
