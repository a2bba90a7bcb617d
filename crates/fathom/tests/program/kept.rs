//! What is there already, against every output of every command: the bytes before and after.

#![allow(clippy::print_stderr, reason = "a test says which device it goes without")]

use std::collections::BTreeSet;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::typed::{Answer, Typist, until_a_job_runs};

const RUN: &str = "run --target sim:gp3 --time 1s";
const FIO: &str = "fio --name=a --ioengine=null --size=1m --rw=randread --quiet";

/// Every way to have a file written that is called `there`, with an ending: what is typed, and the file.
fn outputs() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut add = |line: String, ending: &str| {
        all.push((line.replace("FILE", &format!("there{ending}")), format!("there{ending}")));
    };
    for command in [
        RUN,
        "assess sim:gp3 --budget 5s --patterns randread-4k",
        "sweep --target sim:gp3 --time 1s --over depth=1,2 --passes 1",
        "compare sim:gp3 sim:gp3,seed=2 --patterns randread-4k --depth 8 --budget 60s",
        "size demand.csv --values per-row --size 1TiB --region us-east-1",
        "profile demand.csv --values per-row",
    ] {
        add(format!("{command} --json=FILE"), ".json");
        add(format!("{command} --report FILE"), ".html");
    }
    for command in ["report last --html", "report last --md", "analyse last --html", "analyse last --md"] {
        add(format!("{command} FILE"), ".html");
    }
    add("diskspd --json=FILE -b4K -W0 -d1 disk.dat".to_owned(), ".json");
    for form in ["csv", "parquet", "openmetrics", "fio-json"] {
        add(format!("export last --as {form} --output FILE"), ".out");
    }
    add(
        "size --fleet fleet.csv --size 100GiB --region us-east-1 --values per-row --rows FILE".to_owned(),
        ".csv",
    );
    for option in ["--output=FILE", "--output=FILE --output-format=json", "--write_iolog=FILE"] {
        add(format!("{FIO} {option}"), ".txt");
    }
    for (log, ending) in LOGS {
        all.push((format!("{FIO} --write_{log}_log=there"), format!("there{ending}")));
    }
    all
}

/// fio's logs, and how the names of their files end.
const LOGS: [(&str, &str); 5] = [
    ("bw", "_bw.1.log"),
    ("iops", "_iops.1.log"),
    ("lat", "_clat.1.log"),
    ("lat", "_lat.1.log"),
    ("hist", "_clat_hist.1.log"),
];

/// Contents that are somebody else's, though some hold fathom's words.
fn foreign() -> Vec<(&'static str, Vec<u8>)> {
    let mut state = 7u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let noise: Vec<u8> = (0..5000).map(|_| random()).collect();
    let picture = [&[0xff, 0xd8, 0xff, 0xe0, 0, 16], b"JFIF\0".as_slice(), noise.as_slice()].concat();
    let texts = [
        ("notes", "fathom-0.1.0 gave 13 k IOPS here.\n"),
        ("notes on a line", "What I saw:\nfathom-0.1.0\n<!-- made by fathom -->\n"),
        (
            "fio's text",
            "a: (g=0): rw=read, bs=(R) 4096B, ioengine=null, iodepth=1\nfio-3.33\n\na: (groupid=0, jobs=1): err= 0: pid=7\n",
        ),
        ("fio's json", "{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1,\n  \"jobs\" : []\n}\n"),
        ("other json", "{\"mine\": 1, \"format\": \"fathom.run\"}\n"),
        ("continued json", "{\"format\": \"fathom.run\", \"version\": 6}\nAsk Ann about it.\n"),
        ("page", "<!doctype html>\n<title>fathom</title>\n"),
        ("a log", "1000, 5120, 0, 4096, 0\n2000, 5120, 0, 4096, 0\n"),
        ("an iolog", "fio version 2 iolog\nx add\nx open\nx read 0 4096\nx close\n"),
        ("a table", "time,value\n1,2\n"),
    ];
    let mut all: Vec<(&str, Vec<u8>)> =
        texts.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect();
    all.extend([("noise", noise), ("picture", picture), ("zeros", vec![0; 4096])]);
    all
}

/// A folder with a run in the store, and something to profile and to size.
fn bench() -> Typist {
    let typist = Typist::new();
    let rows = |first: &str| -> String {
        (0..30).map(|i| format!("{first}{},100,100,409600,409600\n", 1_700_000_000 + i * 60)).collect()
    };
    let columns = "time,reads,writes,read_bytes,write_bytes\n";
    std::fs::write(typist.path("demand.csv"), format!("{columns}{}", rows(""))).unwrap();
    std::fs::write(typist.path("fleet.csv"), format!("volume,{columns}{}", rows("a,"))).unwrap();
    std::fs::write(typist.path("disk.dat"), vec![7; 1 << 20]).unwrap();
    type_line(&typist, RUN);
    typist
}

fn type_line(typist: &Typist, line: &str) -> Answer {
    typist.run(&line.split(' ').collect::<Vec<_>>())
}

fn names(typist: &Typist) -> BTreeSet<PathBuf> {
    let all = std::fs::read_dir(typist.folder()).unwrap().map(|entry| entry.unwrap().path());
    // The store's own logs come and go.
    all.filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with("store")).collect()
}

fn runs(typist: &Typist) -> Value {
    typist.json(&["runs", "--all", "--json"])["runs"].clone()
}

#[test]
fn what_somebody_else_wrote_stays_as_it_is_whichever_output_names_it() {
    let typist = bench();
    let before = runs(&typist);
    let mut pairs = 0;
    for (line, file) in outputs() {
        let file = typist.path(&file);
        for (kind, bytes) in foreign() {
            std::fs::write(&file, &bytes).unwrap();
            let there = names(&typist);
            let answer = type_line(&typist, &line);
            assert_eq!(answer.status, 2, "{line} over {kind}: {answer:?}");
            assert_eq!(std::fs::read(&file).unwrap(), bytes, "{line} over {kind}: {answer:?}");
            assert!(answer.stderr.contains("name another file"), "{line} over {kind}: {answer:?}");
            assert_eq!(names(&typist), there, "{line} over {kind}: something was left");
            pairs += 1;
        }
        std::fs::remove_file(&file).unwrap();
    }
    assert!(pairs >= 300, "{pairs}");
    assert_eq!(runs(&typist), before, "nothing was measured");
}

/// Places that no file can take, forced or not: a folder, a link that leads nowhere, and through a link a
/// character device.
#[test]
fn what_is_no_file_is_refused_with_force_and_without() {
    let typist = bench();
    std::fs::create_dir(typist.path("folder")).unwrap();
    let mut pairs = 0;
    for (line, file) in outputs() {
        let file = typist.path(&file);
        for leads in ["folder", "nowhere", "/dev/urandom"] {
            symlink(leads, &file).unwrap();
            for line in with_force(&line) {
                let there = names(&typist);
                let answer = type_line(&typist, &line);
                assert_eq!(answer.status, 2, "{line} onto {leads}: {answer:?}");
                assert_eq!(std::fs::read_link(&file).unwrap(), Path::new(leads), "{line}");
                assert_eq!(names(&typist), there, "{line} onto {leads}: something was left");
                pairs += 1;
            }
            std::fs::remove_file(&file).unwrap();
        }
    }
    assert!(pairs >= 100 && !typist.path("nowhere").exists(), "{pairs}");
    assert_eq!(std::fs::read_dir(typist.path("folder")).unwrap().count(), 0);
}

/// The line as it is and, where its command has the flag, with `--force`.
fn with_force(line: &str) -> Vec<String> {
    let has_force = ["fio", "export", "size --fleet"].iter().any(|command| line.starts_with(command));
    let mut lines = vec![line.to_owned()];
    lines.extend(has_force.then(|| format!("{line} --force")));
    lines
}

/// A disk over a file, taken away with it.
struct Disk(String);

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

#[test]
fn no_output_goes_onto_a_disk() {
    let typist = bench();
    let image = typist.path("image");
    let bytes: Vec<u8> = (0..2 << 20).map(|at: u32| (at % 251) as u8).collect();
    std::fs::write(&image, &bytes).unwrap();
    let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output();
    let Some(made) = made.ok().filter(|made| made.status.success()) else {
        fathom_skips::skipped("losetup makes no device here");
        return;
    };
    let disk = Disk(String::from_utf8(made.stdout).unwrap().trim().to_owned());
    assert!(std::fs::metadata(&disk.0).unwrap().file_type().is_block_device());
    let mut pairs = 0;
    for (line, file) in outputs() {
        // By its name where that is what is typed, and through a link.
        symlink(&disk.0, typist.path(&file)).unwrap();
        let by_name = line.contains(&file).then(|| line.replace(&file, &disk.0));
        for line in with_force(&line).into_iter().chain(by_name) {
            let answer = type_line(&typist, &line);
            assert_eq!(answer.status, 2, "{line}: {answer:?}");
            assert!(std::fs::read(&disk.0).unwrap() == bytes, "{line}: {answer:?}");
            pairs += 1;
        }
        std::fs::remove_file(typist.path(&file)).unwrap();
    }
    let line = format!("{RUN} --store {}", disk.0);
    let answer = type_line(&Typist::new(), &line);
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stderr.trim_end().contains("nothing was saved"), "{answer:?}");
    assert!(std::fs::read(&disk.0).unwrap() == bytes && pairs >= 60, "{pairs}");
}

#[test]
fn what_fathom_wrote_is_replaced_and_other_files_with_force() {
    let typist = bench();
    for (line, file) in outputs() {
        let path = typist.path(&file);
        let first = type_line(&typist, &line);
        assert!(first.status < 2 && path.is_file(), "{line}: {first:?}");
        let of_first = std::fs::metadata(&path).unwrap().ino();
        let is_known = !line.starts_with("export") && !line.contains("log") && !line.contains("--rows");
        let again = if is_known { line.clone() } else { format!("{line} --force") };
        let again = type_line(&typist, &again);
        assert!(again.status < 2, "{line}: {again:?}");
        assert_ne!(std::fs::metadata(&path).unwrap().ino(), of_first, "{line}: a new file took the name");
        // A file that holds nothing is nobody's loss.
        if !is_known && std::fs::metadata(&path).unwrap().len() > 0 {
            assert_eq!(type_line(&typist, &line).status, 2, "{line}: nothing tells whose it is");
        }
        for entry in names(&typist) {
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            assert!(!name.ends_with(".part"), "{line}: {name} was left");
            if name.starts_with("there") {
                std::fs::remove_file(entry).unwrap();
            }
        }
    }
    std::fs::write(typist.path("there.txt"), "my notes").unwrap();
    assert_eq!(type_line(&typist, &format!("{FIO} --output=there.txt --force")).status, 0);
    assert!(std::fs::read_to_string(typist.path("there.txt")).unwrap().contains("Run status group 0"));
}

#[test]
fn links_and_permissions_stay_and_protected_files_are_told() {
    let typist = bench();
    let json = format!("{RUN} --json=link.json");
    assert_eq!(type_line(&typist, &format!("{RUN} --json=there.json")).status, 0);
    let path = typist.path("there.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("there.json", typist.path("link.json")).unwrap();
    std::fs::hard_link(&path, typist.path("second.json")).unwrap();
    let first = std::fs::read(&path).unwrap();
    assert_eq!(type_line(&typist, &json).status, 0);
    assert_eq!(std::fs::read_link(typist.path("link.json")).unwrap(), Path::new("there.json"));
    assert_ne!(std::fs::read(&path).unwrap(), first);
    assert_eq!(std::fs::read(typist.path("second.json")).unwrap(), first, "under its other name it stays");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    let set = Command::new("chattr").arg("+i").arg(&path).status();
    if !set.is_ok_and(|status| status.success()) {
        fathom_skips::skipped("no file can be made immutable here");
        return;
    }
    let there = std::fs::read(&path).unwrap();
    let answer = type_line(&typist, &json);
    assert!(Command::new("chattr").arg("-i").arg(&path).status().unwrap().success());
    assert_eq!((answer.status, std::fs::read(&path).unwrap()), (1, there), "{answer:?}");
    assert!(answer.stderr.contains("lsattr"), "{answer:?}");
}

#[test]
fn a_file_that_comes_while_it_is_measured_stays() {
    let typist = bench();
    let words = "fio --name=a --ioengine=null --size=1m --rw=randread --time_based --runtime=2 --rate_iops=1k \
                 --quiet --output=out.txt --write_bw_log=log";
    let child = typist.start(&words.split_whitespace().collect::<Vec<_>>());
    until_a_job_runs(child.id(), true);
    for name in ["out.txt", "log_bw.1.log"] {
        std::fs::write(typist.path(name), "mine").unwrap();
    }
    let answer = Answer::from(child.wait_with_output().unwrap());
    assert_eq!(answer.status, 1, "{answer:?}");
    for name in ["out.txt", "log_bw.1.log"] {
        assert_eq!(std::fs::read_to_string(typist.path(name)).unwrap(), "mine", "{answer:?}");
        assert!(answer.stderr.contains(name), "{answer:?}");
    }
}

#[test]
fn a_document_that_does_not_fit_leaves_the_one_that_was_there() {
    let typist = bench();
    let line = "profile demand.csv --values per-row --json=p.json";
    assert_eq!(type_line(&typist, line).status, 0);
    let first = std::fs::read(typist.path("p.json")).unwrap();
    assert!(first.len() > 1024);
    let limited = format!("trap '' XFSZ; ulimit -f 1; exec {} {line}", env!("CARGO_BIN_EXE_fathom"));
    let output = Command::new("bash").args(["-c", &limited]).current_dir(typist.folder()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(std::fs::read(typist.path("p.json")).unwrap(), first);
    assert!(names(&typist).iter().all(|path| path.extension().is_none_or(|end| end != "part")));
    assert_eq!(type_line(&typist, "profile demand.csv --values per-row --json=/dev/full").status, 1);
}

#[test]
fn a_run_that_could_not_be_saved_is_not_done() {
    let stores: [(&str, &str); 4] = [
        ("mine.txt", "nothing was saved"),
        ("folder", "nothing was saved"),
        ("newer", "nothing was saved"),
        ("mine.txt/store", "nothing was saved"),
    ];
    let typist = bench();
    std::fs::write(typist.path("mine.txt"), "not a store").unwrap();
    std::fs::create_dir(typist.path("folder")).unwrap();
    // The version stands at byte 60, and the build's own is smaller.
    let mut newer = std::fs::read(typist.path("store")).unwrap();
    newer[60..64].copy_from_slice(&9999u32.to_be_bytes());
    std::fs::write(typist.path("newer"), &newer).unwrap();
    for (store, said) in stores {
        for line in [RUN, FIO, "diskspd -b4K -W0 -d1 disk.dat"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
            command.current_dir(typist.folder()).args(["--store", store]).args(line.split(' '));
            let answer = Answer::from(command.output().unwrap());
            assert_eq!(answer.status, 1, "{line}, {store}: {answer:?}");
            assert!(!answer.stdout.is_empty(), "the result is printed: {line}, {store}: {answer:?}");
            assert!(answer.stderr.contains(said), "{line}, {store}: {answer:?}");
        }
    }
    assert_eq!(std::fs::read_to_string(typist.path("mine.txt")).unwrap(), "not a store");
    assert_eq!(std::fs::read(typist.path("newer")).unwrap(), newer);
    let line = "run --target sim:gp3 --time 1s --json=kept.json --store mine.txt";
    let answer = Answer::from(
        Command::new(env!("CARGO_BIN_EXE_fathom"))
            .current_dir(typist.folder())
            .args(line.split(' '))
            .output()
            .unwrap(),
    );
    assert!(answer.stderr.trim_end().ends_with("fathom import kept.json --store FILE"), "{answer:?}");
    assert_eq!(type_line(&typist, "import kept.json").status, 0, "what is said to be typed works");
}

#[test]
fn the_store_may_be_named_behind_fio_too() {
    let typist = bench();
    let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .current_dir(typist.folder())
        .args(format!("{FIO} --store here.sqlite").split(' '))
        .output()
        .unwrap();
    assert!(output.status.success() && typist.path("here.sqlite").is_file(), "{output:?}");
}

/// What is printed to be typed is typed: it names the file exactly, and nothing in it reaches the terminal.
#[test]
fn a_name_that_a_terminal_would_obey_is_printed_to_be_pasted() {
    let typist = bench();
    for name in [
        "esc\u{1b}[31mred",
        "two\nlines",
        "my disk's",
        "back\\slash\ttab",
        "$(id) `id`",
        "\u{7f}del",
        " spaced ",
    ] {
        std::fs::write(typist.path(name), vec![7; 1 << 20]).unwrap();
        let target = typist.path(name).to_str().unwrap().to_owned();
        let run = ["run", "--target", &target, "--rw", "randwrite", "--time", "200ms", "--warmup", "0s"];
        let refused = typist.run(&run);
        assert_eq!(refused.status, 3, "{name:?}: {refused:?}");
        let obeyed = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
        assert!(!obeyed(&refused.stderr) && !obeyed(&refused.stdout), "{refused:?}");
        let flag = &refused.stderr[refused.stderr.find("--destroy").unwrap()..];
        let line = format!("exec \"$0\" \"$@\" {}", flag.lines().next().unwrap());
        let mut typed = Command::new("bash");
        typed.args(["-c", &line, env!("CARGO_BIN_EXE_fathom"), "--store"]).arg(typist.path("store"));
        let typed = Answer::from(typed.args(run).current_dir(typist.folder()).output().unwrap());
        assert!(typed.status < 2, "{name:?}: {line}: {typed:?}");
    }
}

#[test]
fn a_name_that_is_not_text_is_refused_with_a_way_to_name_it() {
    use std::os::unix::ffi::OsStrExt;
    let typist = bench();
    let name = std::ffi::OsStr::from_bytes(b"latin-\xe9.bin");
    std::fs::write(typist.folder().join(name), vec![7; 1 << 20]).unwrap();
    let output = typist.command(&["run", "--time", "1s", "--target"]).arg(name).output().unwrap();
    let answer = Answer::from(output);
    assert_eq!(answer.status, 2, "{answer:?}");
    let line = answer.stderr.lines().last().unwrap();
    let (_, command) = line.split_once("type that one: ").unwrap();
    let linked = Command::new("bash").args(["-c", command]).current_dir(typist.folder()).status().unwrap();
    assert!(linked.success() && typist.path("plain-name").is_file(), "{command}");
}

#[test]
fn results_that_nobody_can_read_are_no_success() {
    let typist = bench();
    let store = typist.path("store");
    for (stdout, done) in
        [(">&-", false), ("> /dev/full", false), ("> /dev/null", true), ("<>/dev/null >&0", true)]
    {
        for line in [
            "show last",
            "show last --json",
            "export last --as csv",
            RUN,
            FIO,
            "engines",
            "report last --html x.html",
        ] {
            let line =
                format!("exec {} --store {} {line} {stdout}", env!("CARGO_BIN_EXE_fathom"), store.display());
            let output =
                Command::new("bash").args(["-c", &line]).current_dir(typist.folder()).output().unwrap();
            let prints = !line.contains("--html");
            assert_eq!(output.status.code(), Some(i32::from(prints && !done)), "{line}: {output:?}");
        }
    }
}

/// A device answers for what was never written without its medium, as a file with holes does.
#[test]
fn reading_a_device_that_was_never_written_is_no_measurement() {
    let typist = bench();
    let image = typist.path("image");
    let file = std::fs::File::create(&image).unwrap();
    file.set_len(64 << 20).unwrap();
    let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output();
    let Some(made) = made.ok().filter(|made| made.status.success()) else {
        fathom_skips::skipped("losetup makes no device here");
        return;
    };
    let disk = Disk(String::from_utf8(made.stdout).unwrap().trim().to_owned());
    std::fs::write(&image, vec![7; 16 << 20]).unwrap();
    std::fs::File::options().write(true).open(&image).unwrap().set_len(64 << 20).unwrap();
    for (size, outcome) in [("16MiB", "pass"), ("32MiB", "fail"), ("64MiB", "fail")] {
        let run = ["run", "--target", &disk.0, "--size", size, "--time", "300ms", "--warmup", "0s", "--json"];
        let answer = typist.run(&run);
        let record = answer.json();
        let checks = record["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == "unwritten_data").unwrap();
        assert_eq!(check["outcome"], outcome, "{size}: {check}");
        assert!(outcome == "pass" || answer.status == 1, "{size}: {answer:?}");
    }
}

/// However much of a store fits, what does not fit is told as a full disk, twice, and no broken store is left.
#[test]
fn a_store_on_a_full_disk_is_not_half_made() {
    let typist = bench();
    std::fs::create_dir(typist.path("small")).unwrap();
    for kib in [8, 40, 80, 120, 160, 200, 300] {
        let line = format!(
            "mount -t tmpfs -o size={}k none small || exit 99; {fathom} --store small/s {RUN} > /dev/null; \
             {fathom} --store small/s {RUN} > /dev/null; ended=$?; ls -A small >&2; exit $ended",
            kib + 4,
            fathom = env!("CARGO_BIN_EXE_fathom")
        );
        let mut command = Command::new("unshare");
        let output = command.args(["-m", "bash", "-c", &line]).current_dir(typist.folder()).output();
        let Some(output) = output.ok().filter(|output| matches!(output.status.code(), Some(0 | 1))) else {
            fathom_skips::skipped(format_args!("no file system of {kib} KiB can be mounted here"));
            continue;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("malformed") && !said.contains(".s.new-"), "{kib} KiB: {said}");
        let is_told = said.trim_end().contains("nothing was saved");
        assert_eq!(is_told, !output.status.success(), "{kib} KiB: {said}");
    }
}

#[test]
fn an_empty_file_of_a_name_that_nobody_typed_stays() {
    let typist = Typist::new();
    typist.run(&RUN.split(' ').collect::<Vec<_>>());
    let report = || typist.run(&["report", "last", "--md", "there.md"]);
    let made = report();
    assert_eq!(made.status, 0, "{made:?}");
    let folder = || std::fs::read_dir(typist.folder()).unwrap().map(|entry| entry.unwrap().path());
    let picture = folder().find(|path| path.extension().is_some_and(|kind| kind == "svg")).unwrap();
    std::fs::write(&picture, "").unwrap();
    let refused = report();
    assert_eq!((refused.status, std::fs::read(&picture).unwrap().len()), (2, 0), "{refused:?}");
    std::fs::remove_file(&picture).unwrap();
    // Its own pictures are replaced.
    assert_eq!((report().status, report().status), (0, 0));
}
