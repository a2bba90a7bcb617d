//! Other programs that use a device, or put something on it while a run that was admitted goes on.

use std::fs::File;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::process::{Child, Command, Stdio};

use super::super::machine::Machine;
use super::super::{admission, inspect};
use super::made::{Loop, open, refusal, run};

const MIB: u64 = 1 << 20;

/// A program that ends when this is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_program_that_only_reads_a_device_uses_it() {
    let Some(device) = Loop::blank() else { return };
    let words = device.size_words();
    let opened = File::open(&device.path).unwrap();
    let reader = Program(Command::new("sleep").arg("60").stdin(opened).spawn().unwrap());
    for words in [None, Some(words.as_str())] {
        let refused = refusal(&device.path, words);
        assert!(refused.contains("(sleep) has") && refused.contains("open for reading"), "{refused}");
        assert!(!refused.contains("--destroy"), "{refused}");
    }
    drop(reader);
    // One that only looks is waited for.
    let opened = File::open(&device.path).unwrap();
    let _glance = Program(Command::new("sleep").arg("0.3").stdin(opened).spawn().unwrap());
    open(&device.path, true, None).unwrap();
}

#[test]
fn a_mapping_whose_descriptor_is_closed_is_use() {
    let Some(device) = Loop::blank() else { return };
    let file = device.image.with_file_name("mapped.bin");
    std::fs::write(&file, vec![1; MIB as usize]).unwrap();
    for path in [device.path.as_str(), file.to_str().unwrap()] {
        let script = "import mmap, os, sys, time\nf = os.open(sys.argv[1], os.O_RDWR)\nm = mmap.mmap(f, 1 << 20)\n\
                      os.close(f)\nfor n in os.listdir('/proc/self/fd'):\n  n = int(n)\n  if n > 2:\n    \
                      try: os.close(n)\n    except OSError: pass\nprint('ready', flush=True)\ntime.sleep(60)";
        let started =
            Command::new("python3").args(["-c", script, path]).stdout(Stdio::piped()).spawn().map(Program);
        let Ok(mut program) = started else {
            fathom_skips::skipped("no python3");
            return;
        };
        std::io::Read::read_exact(program.0.stdout.as_mut().unwrap(), &mut [0; 6]).unwrap();
        let words = if path == device.path { device.size_words() } else { "mapped.bin".to_owned() };
        let refused = refusal(path, Some(&words));
        assert!(refused.contains("mapped into its memory"), "{refused}");
    }
}

#[test]
fn a_lock_that_another_program_holds_on_a_file_is_use() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("locked.bin");
    std::fs::write(&file, vec![1; MIB as usize]).unwrap();
    // F_SETLEASE, F_RDLCK: the program reads, and wants to be asked before anybody writes.
    let script = "import fcntl, os, sys, time\nf = os.open(sys.argv[1], os.O_RDONLY)\nfcntl.fcntl(f, 1024, 0)\n\
                  print('ready', flush=True)\ntime.sleep(60)";
    let started =
        Command::new("python3").args(["-c", script]).arg(&file).stdout(Stdio::piped()).spawn().map(Program);
    let Ok(mut program) = started else {
        fathom_skips::skipped("no python3");
        return;
    };
    std::io::Read::read_exact(program.0.stdout.as_mut().unwrap(), &mut [0; 6]).unwrap();
    let refused = refusal(file.to_str().unwrap(), Some("locked.bin"));
    assert!(refused.contains("holds a lock or a lease"), "{refused}");
}

#[test]
fn a_file_below_an_overlay_is_in_use_as_the_overlay_shows_it() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for folder in ["lower", "upper", "work", "merged"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    let text = |name: &str| at(name).display().to_string();
    let options = format!("lowerdir={},upperdir={},workdir={}", text("lower"), text("upper"), text("work"));
    if run("mount", &["-t", "overlay", "overlay", "-o", &options, &text("merged")]).is_none() {
        fathom_skips::skipped("no overlay can be mounted");
        return;
    }
    std::fs::write(at("merged/data.bin"), vec![1; MIB as usize]).unwrap();
    let opened = File::options().append(true).open(at("merged/data.bin")).unwrap();
    let writer = Program(Command::new("sleep").arg("60").stdout(opened).spawn().unwrap());
    let refused = open(&text("upper/data.bin"), true, Some("data.bin")).map(drop);
    drop(writer);
    assert!(run("umount", &[&text("merged")]).is_some());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("merged/data.bin open for writing"), "{refused}");
}

#[test]
fn what_appears_on_a_device_between_two_runs_is_not_overwritten() {
    let Some(device) = Loop::blank() else { return };
    let target = open(&device.path, true, None).unwrap();
    let file = target.file.clone().unwrap();
    // The run's own data: random, with the two bytes that boot sectors end in.
    let mut data = crate::Arena::new(1, MIB).unwrap();
    data.slice(0)
        .iter_mut()
        .enumerate()
        .for_each(|(at, byte)| *byte = (at.wrapping_mul(2_654_435_761) >> 13) as u8);
    data.slice(0)[510..512].copy_from_slice(&[0x55, 0xaa]);
    file.write_all_at(data.slice(0), 0).unwrap();
    target.confirm().unwrap();
    let mut header = vec![0; 4096];
    header[..6].copy_from_slice(b"LUKS\xba\xbe");
    File::options().write(true).open(&device.path).unwrap().write_all_at(&header, 0).unwrap();
    let error = target.confirm().unwrap_err().to_string();
    assert!(error.contains("LUKS container (signature at byte 0), which appeared since"), "{error}");
    assert!(!error.contains("--destroy"), "{error}");
}

#[test]
fn what_was_there_when_it_was_permitted_may_stay_or_go() {
    let Some(device) = Loop::blank() else { return };
    device.behind().write_all_at(b"XFSB", 0).unwrap();
    device.behind().write_all_at(b"SKUL\xba\xbe", 16 << 10).unwrap();
    let target = open(&device.path, true, Some(&device.size_words())).unwrap();
    target.confirm().unwrap();
    let mut zeros = crate::Arena::new(1, 4096).unwrap();
    target.file.as_ref().unwrap().write_all_at(zeros.slice(0), 0).unwrap();
    target.confirm().unwrap();
    // Another one in its place was not permitted.
    device.behind().write_all_at(b"XFSB\0\0\x10\0 another", 0).unwrap();
    File::open(&device.path).unwrap().sync_all().unwrap();
    assert!(target.confirm().unwrap_err().to_string().contains("XFS file system"));
}

#[test]
fn a_device_that_grew_is_not_the_one_that_was_admitted() {
    let Some(device) = Loop::blank() else { return };
    let target = open(&device.path, true, None).unwrap();
    target.confirm().unwrap();
    device.behind().set_len(128 * MIB).unwrap();
    if run("losetup", &["--set-capacity", &device.path]).is_none() {
        fathom_skips::skipped("losetup does not change sizes here");
        return;
    }
    assert!(target.confirm().unwrap_err().to_string().contains("its size changed"));
}

#[test]
fn a_claim_that_is_let_go_in_a_moment_is_waited_for() {
    let Some(device) = Loop::blank() else { return };
    let claim = File::options().read(true).custom_flags(libc::O_EXCL).open(&device.path).unwrap();
    // Whoever has it lets go between the second look and the third.
    let (claim, looks) = (std::cell::Cell::new(Some(claim)), std::cell::Cell::new(0));
    let opened = admission::claim(|| {
        looks.set(looks.get() + 1);
        if looks.get() == 3 {
            drop(claim.take());
        }
        File::options().read(true).write(true).custom_flags(libc::O_EXCL).open(&device.path)
    });
    assert!(opened.is_ok(), "{opened:?}");
    // Udev may look at it for a moment too.
    assert!(looks.get() >= 3, "{} looks", looks.get());
}

#[test]
fn a_busy_machine_is_not_looked_at_for_longer() {
    let Some(device) = Loop::blank() else { return };
    let _user =
        Program(Command::new("sleep").arg("60").stdin(File::open(&device.path).unwrap()).spawn().unwrap());
    let looks = std::cell::Cell::new(0);
    let look = |machine: &Machine| {
        looks.set(looks.get() + 1);
        // The time itself is tested: looks as slow as a busy machine makes them end after a second, not after a number.
        std::thread::sleep(std::time::Duration::from_millis(400));
        inspect::hold(machine, &File::open(&device.path).unwrap())
    };
    let refused = admission::judge("writing to it", None, Machine::now, look).unwrap_err().to_string();
    assert!(refused.contains("open for reading"), "{refused}");
    assert!((2..=4).contains(&looks.get()), "{} looks", looks.get());
}
