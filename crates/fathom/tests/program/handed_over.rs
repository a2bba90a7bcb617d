//! `fathom fio --engine=fio` does not change what nobody named: each form of a job against the bytes of a file or device
//! that was there. Says so and passes without fio, or without the right to make a loop device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fio::{fathom_fio, has};

const BYTES: usize = 1 << 20;

/// A folder with a file that must not change, a log of writes to it, and a script that leaves a trace.
struct Scene {
    folder: tempfile::TempDir,
}

fn content(seed: usize) -> Vec<u8> {
    (0..BYTES).map(|at| ((at * 31 + seed) % 251) as u8 + 1).collect()
}

impl Scene {
    fn new() -> Self {
        let scene = Self { folder: tempfile::tempdir().unwrap() };
        for (seed, name) in (0..).zip(["victim", "victim.1", "victim_bw.1.log"]) {
            fs::write(scene.at(name), content(seed)).unwrap();
        }
        let victim = scene.at("victim").display().to_string();
        let log = |file: &str| {
            format!("fio version 2 iolog\n{file} add\n{file} open\n{file} write 0 65536\n{file} close\n")
        };
        fs::write(scene.at("log"), log("x")).unwrap();
        fs::write(scene.at("victims.log"), log(&victim)).unwrap();
        fs::write(scene.at("script"), "#!/bin/sh\ntouch pwned\n").unwrap();
        Command::new("chmod").arg("+x").arg(scene.at("script")).status().unwrap();
        fs::write(scene.at("included"), format!("exec_prerun={}\n", scene.at("script").display())).unwrap();
        fs::write(scene.at("including.fio"), "[a]\nsize=64k\ninclude included\n").unwrap();
        fs::write(scene.at("hidden.fio"), "[global-a]\nrw=write\nfilename=victim\n[a]\nsize=64k\n").unwrap();
        fs::hard_link(scene.at("victim"), scene.at("hard")).unwrap();
        std::os::unix::fs::symlink("victim", scene.at("soft")).unwrap();
        scene
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What must be as it was, as one text: names and whether each has its content.
    fn unchanged(&self) -> bool {
        let names = ["victim", "victim.1", "victim_bw.1.log"];
        let whole = (0..)
            .zip(names)
            .all(|(seed, name)| fs::read(self.at(name)).is_ok_and(|bytes| bytes == content(seed)));
        whole && !self.at("pwned").exists()
    }

    /// Runs a command whose `V` is the victim's path, and `D` that of its folder.
    fn fio(&self, words: &str) -> (String, String, Option<i32>) {
        let folder = self.folder.path().display().to_string();
        let words = words.replace("{V}", &format!("{folder}/victim")).replace("{D}", &folder);
        fathom_fio(self.folder.path(), &format!("--engine=fio --quiet {words}"))
    }
}

/// Each leaves everything as it was, and is refused before fio starts.
const REFUSED: [&str; 73] = [
    "--name=a --rw=read --read_iolog=victims.log",
    "--name=a --rw=read --read_iolog=log --replay_redirect={V}",
    "--name=a --rw=write --filename=new --size=64k --replay_redirect={V}",
    "--name=a --rw=write --size=64k --directory={D} --filename_format=victim",
    "--name=victim --rw=write --size=64k --filename_format=$jobname",
    "--name=victim --rw=write --size=64k --filename_format=$JOBNAME",
    "--name=a --rw=write --size=64k --filename_format=sub/../victim",
    "--name=a --rw=write --size=128k --nrfiles=2 --filename_format=victim.$filenum",
    "--name=a --rw=write --size=64k --numjobs=2 --filename_format=victim.$jobnum",
    "--name=a --rw=write --size=64k --opendir={D}",
    "--name=a --rw=read --size=8m --filename=victim",
    "--name=a --rw=read --size=8m --filename=victim --fallocate=none",
    "--name=a --rw=read --size=8m --filename=victim --overwrite=1",
    "--name=a --rw=read --size=8m --filename=victim --create_on_open=1",
    "--name=a --rw=read --size=8m --filename=victim --create_only=1",
    "--name=a --rw=randread --offset=512k --size=1m --filename=victim",
    "--name=a --rw=read --filesize=2m --filename=victim",
    "--name=a --rw=read --size=1m --numjobs=2 --offset_increment=1m --filename=victim",
    "--name=a --rw=read --size=4m --ioengine=mmap --filename=victim",
    "--name=a --rw=read --unlink=1 --filename=victim",
    "--name=a --rw=read --unlink_each_loop=1 --loops=2 --filename=victim",
    "--name=a --ioengine=filedelete --filename=victim --size=1m",
    "--name=a --ioengine=filecreate --filename=victim --size=1m",
    "--name=a --ioengine=dirdelete --filename={D} --size=1m",
    "--name=a --ioengine=ftruncate --rw=write --filename=victim --size=4k",
    "--name=a --ioengine=falloc --rw=trim --filename=victim --size=1m",
    "--name=a --ioengine=sg --rw=write --filename=victim --size=64k",
    "--name=a --ioengine=io_uring_cmd --rw=write --filename=victim --size=64k",
    "--name=a --ioengine=external:/tmp/x.so --rw=write --filename=victim --size=64k",
    "--name=a --ioengine=libblkio --libblkio_driver=io_uring --libblkio_path={V} --rw=write --size=64k",
    "--name=a --ioengine=exec --program={D}/script --size=64k",
    "--name=a --ioengine=e4defrag --donorname={V} --filename=new --size=64k",
    "--name=a --rw=read --size=64k --exec_prerun={D}/script",
    "--name=a --rw=read --size=64k --exec_postrun={D}/script",
    "--name=a --rw=read --size=64k --exec_pre={D}/script",
    "--exec_prerun={D}/script including.fio",
    "including.fio",
    "hidden.fio",
    "--output={V} --name=a --rw=read --size=64k --filename=new",
    "--output={V} --output-format=json --name=a --ioengine=null --size=64k",
    "--trigger={D}/script --trigger-timeout=1 --name=a --rw=read --size=64k",
    "--trigger-file={V} --trigger={D}/script --name=a --rw=read --size=64k",
    "--aux-path={D} --name=a --rw=read --size=64k",
    "--daemonize={V} --server",
    "--client=127.0.0.1 --name=a --rw=write --filename=victim --size=64k",
    "--profile=tiobench --name=a --size=64k",
    "--inflate-log={V} --name=a --size=64k",
    "--enghelp={D}/script",
    "--parse-only --name=a --rw=read --size=64k --exec_prerun={D}/script",
    "--parse-only --name=a --ioengine=external:{D}/script --size=64k",
    "--name=a --rw=write --verify=crc32c --size=64k --filename=victim",
    "--name=a --rw=randtrim --size=64k --filename=victim",
    "--name=a --rw=trimwrite --size=64k --filename=victim",
    "--name=a --rw=read --zonemode=zbd --zonesize=64k --size=64k --filename=victim",
    "--name=a --rw=read --trim_percentage=50 --verify=crc32c --size=64k --filename=victim",
    "--name=a --readwrite=write:4k --size=64k --filename=soft",
    "--name=a --rw=write --size=64k --filename=hard",
    "--name=a --rw=write --size=64k --filename=vic\\tim",
    "--name=a --rw=write --size=64k --filename=\"victim\"",
    "--name=a --rw=write --size=64k --filename=other:victim",
    "--name=a --rw=read --size=64k --filename=other --name=b --rw=write --filename=victim",
    "--name=a --rw=write --size=64k --filename=victim --destroy=other",
    "--name=a --rw=write --file_append=1 --size=64k --filename=victim",
    "--name=a --rw=write --fill_device=1 --filename=victim",
    "--name=a --rw=read --size=64k --mem=mmapshared:{V}",
    "--name=a --rw=read --size=64k --mem=mmaphuge:{V}",
    "--name=a --rw=read --size=64k --merge_blktrace_file={V} --read_iolog=log",
    "--name=a --rw=read --size=64k --verify_state_load=1",
    "--name=a --rw=read --size=64k --cgroup=pwned",
    "--name=a --rw=read --size=64k --uid=65534 --filename=victim",
    "--name=a --rw=write --size=64k --filename={D}",
    "--name=../victim --rw=write --size=64k",
    "--name=a --allow_file_create=0 --size=64k --filename=none",
];

#[test]
fn no_form_of_a_job_changes_what_was_not_named() {
    if !has("fio") {
        return;
    }
    let scene = Scene::new();
    for words in REFUSED {
        let (_, said, status) = scene.fio(words);
        assert!(scene.unchanged(), "{words} changed something: {said}");
        assert!(matches!(status, Some(1..=3)), "{words} ended with {status:?}: {said}");
        assert!(!said.trim().is_empty(), "{words} says nothing");
    }
    for left in ["new", "other", "a.0.0", "none"] {
        assert!(!scene.at(left).exists(), "{left} was left by a command that was refused");
    }
}

#[test]
fn what_is_written_beside_a_target_replaces_nothing() {
    if !has("fio") {
        return;
    }
    let scene = Scene::new();
    for log in ["--write_bw_log=victim", "--write_iolog=victim", "--write_lat_log={V}", "--bandwidth-log"] {
        let (_, said, _) = scene.fio(&format!("--name=a --rw=read --size=64k --filename=victim {log}"));
        assert!(scene.unchanged(), "{log}: {said}");
    }
    let (_, said, status) =
        scene.fio("--name=a --rw=read --size=64k --filename=victim --write_iops_log=sound");
    assert_eq!(status, Some(0), "{said}");
    assert!(scene.at("sound_iops.1.log").exists(), "a log goes where it was asked for: {said}");
}

#[test]
fn files_that_are_missing_are_made_as_fio_names_and_wants_them() {
    if !has("fio") {
        return;
    }
    for (words, made) in [
        ("--name=a --rw=read --size=64k", vec!["a.0.0"]),
        ("--name=a --rw=write --size=64k --bs=4k", vec!["a.0.0"]),
        (
            "--name=a --rw=randrw --size=100k --numjobs=2 --nrfiles=2",
            vec!["a.0.0", "a.0.1", "a.1.0", "a.1.1"],
        ),
        ("--name=b --rw=read --size=64k --filename_format=x.$filenum.$jobname --offset=64k", vec!["x.0.b"]),
        ("--name=a --rw=write --size=64k --filename=p:q", vec!["p", "q"]),
        ("--name=a --rw=write --size=64k --unlink=1", vec![]),
        (
            "--name=a --rw=write --size=64k --filename=p --name=b --stonewall --rw=read --filename=p",
            vec!["p"],
        ),
        ("--name=a --rw=randread --filesize=64k-128k --size=64k --filename=p", vec!["p"]),
        ("--name=a --rw=write --filename=old --size=2m --destroy=old", vec![]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old"), content(0)).unwrap();
        let words = format!("--engine=fio --quiet --output-format=normal {words}");
        let (printed, said, status) = fathom_fio(folder.path(), &words);
        assert_eq!(status, Some(0), "{words}: {said}");
        assert!(printed.contains("Run status group 0"), "{words}: {printed}");
        assert!(!printed.contains("Laying out"), "{words}: fio found a file too short: {printed}");
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with("runs.sqlite") && name != "old")
            .collect();
        names.sort();
        assert_eq!(names, made, "{words}");
    }
}

/// A loop device over an image of its own.
struct Loop {
    folder: tempfile::TempDir,
    path: String,
}

impl Loop {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image");
        fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
        let output = Command::new("losetup").args(["--find", "--show"]).arg(&image).output().ok();
        let path = output.filter(|output| output.status.success());
        let Some(path) = path else {
            fathom_skips::skipped("losetup makes no device here");
            return None;
        };
        Some(Self { folder, path: String::from_utf8_lossy(&path.stdout).trim().to_owned() })
    }

    fn image(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("image")).unwrap()
    }

    fn mount_point(&self) -> PathBuf {
        self.folder.path().join("mount")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.mount_point()).output();
        let _ = Command::new("losetup").args(["--detach", &self.path]).output();
    }
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// Jobs that fio would write to the device `{L}` with.
fn jobs_for(device: &str) -> Vec<String> {
    let name = Path::new(device).file_name().unwrap().to_str().unwrap();
    [
        "--name=a --rw=read --read_iolog=log --replay_redirect={L} --direct=1",
        "--name={L} --rw=write --size=64k",
        "--name=a --rw=write --size=64k --directory=/dev --filename_format={N}",
        "--name={N} --rw=write --size=64k --directory=/dev --filename_format=$jobname",
        "--name=a --rw=write --size=64k --filename={L}",
        "--name=a --rw=randtrim --size=64k --filename={L}",
        "--name=a --rw=write --size=64k --opendir=/dev",
        "--name=a --rw=write --size=64k --filename=link",
        "--name=a --rw=read --size=64k --mem=mmapshared:{L}",
        "--output={L} --name=a --ioengine=null --size=64k",
        "--name=a --ioengine=null --size=64k --write_iolog={L}",
        "--name=a --ioengine=sg --rw=write --filename={L} --size=64k",
    ]
    .iter()
    .map(|words| words.replace("{L}", device).replace("{N}", name))
    .collect()
}

#[test]
fn a_device_with_a_file_system_stays_as_it_is_mounted_or_not() {
    if !has("fio") {
        return;
    }
    let Some(device) = Loop::new() else { return };
    if !runs("mkfs.ext4", &["-q", &device.path]) {
        fathom_skips::skipped("mkfs.ext4 makes no file system here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log"), "fio version 2 iolog\nx add\nx open\nx write 0 65536\nx close\n")
        .unwrap();
    std::os::unix::fs::symlink(&device.path, folder.path().join("link")).unwrap();
    let attempt = |state: &str| {
        let before = device.image();
        for words in jobs_for(&device.path) {
            let (_, said, status) = fathom_fio(folder.path(), &format!("--engine=fio --quiet {words}"));
            assert!(device.image() == before, "{state}: {words} changed the device: {said}");
            assert_ne!(status, Some(0), "{state}: {words}: {said}");
        }
    };
    attempt("not mounted");
    fs::create_dir(device.mount_point()).unwrap();
    if runs("mount", &["-o", "ro", &device.path, device.mount_point().to_str().unwrap()]) {
        attempt("mounted");
    } else {
        fathom_skips::skipped("nothing can be mounted here");
    }
}

#[test]
fn a_blank_device_is_read_and_written() {
    if !has("fio") {
        return;
    }
    let Some(device) = Loop::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let job = format!("--engine=fio --quiet --name=a --filename={} --size=1m --direct=1", device.path);
    for rw in ["read", "write"] {
        let (_, said, status) = fathom_fio(folder.path(), &format!("{job} --rw={rw}"));
        assert_eq!(status, Some(0), "{rw}: {said}");
    }
    assert!(device.image()[..1 << 20].chunks(4096).all(|block| block.iter().any(|byte| *byte != 0)));
    // Now it holds data.
    let (_, said, status) = fathom_fio(folder.path(), &format!("{job} --rw=write"));
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("--destroy"), "{said}");
}

#[test]
fn a_device_that_is_not_there_is_told_when_the_job_is_run() {
    let folder = tempfile::tempdir().unwrap();
    for form in ["", "--engine=fio"] {
        let job = format!("--quiet --name=a --filename=/dev/no-such-device --rw=randread {form}");
        if !form.is_empty() && !has("fio") {
            return;
        }
        for size in ["", "--size=1m", "--size=20%"] {
            let (_, said, status) = fathom_fio(folder.path(), &format!("{job} {size}"));
            assert!(status == Some(3) && said.contains("no such device"), "{status:?}: {said}");
            let (_, said, status) = fathom_fio(folder.path(), &format!("--parse-only {job} {size}"));
            assert_eq!(status, Some(0), "{said}");
            assert!(!form.is_empty() || said.contains("no such device"), "{said}");
        }
    }
    assert!(!Path::new("/dev/no-such-device").exists());
    let (_, said, status) = fathom_fio(
        folder.path(),
        "--quiet --name=a --filename=nf --size=1m --rw=randread --allow_file_create=0",
    );
    assert!(status == Some(2) && said.contains("allow_file_create"), "{status:?}: {said}");
    assert!(!folder.path().join("nf").exists());
}
