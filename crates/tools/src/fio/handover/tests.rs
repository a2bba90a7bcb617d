//! What is passed on, what is judged and what is refused, option by option and against the installed fio.

use super::*;
use crate::fio::fio_job::Variables;
use crate::fio::job_expansion::{self, FileText};
use crate::fio::{cmdline, option_tables};

/// A machine with a file of 1 MiB and a device; everything else is missing.
fn bytes_of(path: &str) -> Option<u64> {
    match path {
        "/data/old" => Some(1 << 20),
        "/dev/sdx" => Some(1 << 40),
        _ => None,
    }
}

fn of(words: &str, files: &[&str]) -> Result<HandOver, Refusal> {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let invocation = cmdline::parse(&words)?;
    let file = |text: &&str| FileText { name: "a.fio".into(), text: (*text).to_owned() };
    let files: Vec<_> = files.iter().map(file).collect();
    let variables = Variables { environment: &|_| None, processors: 2, page_bytes: 4096, memory_mib: 64 };
    let mut include = |name: &str, _: &str| Ok(format!("exec_prerun={name}"));
    let jobs = job_expansion::jobs(&invocation, &files, &variables, &mut include)?;
    hand_over(&jobs, &invocation.globals, "/data", &bytes_of)
}

fn refusal(words: &str) -> Refusal {
    match of(words, &[]) {
        Err(refusal) => refusal,
        Ok(made) => panic!("{words} passes as\n{}", made.job_file),
    }
}

#[test]
fn every_option_that_is_known_is_decided_and_none_by_a_wrong_name() {
    let undecided: Vec<_> = option_tables::all_options()
        .iter()
        .filter(|row| !option_passing::is_decided(row))
        .map(|row| row.name)
        .collect();
    assert!(undecided.is_empty(), "{undecided:?}");
    let lines = include_str!("passing.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut seen = BTreeSet::new();
    for line in lines {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let verdicts = ["pass", "only", "writes", "named", "omit", "log", "refuse"];
        assert!(verdicts.contains(&cells[0]), "{line}");
        assert_eq!(matches!(cells[0], "refuse"), line.contains("; "), "a refusal has a remedy: {line}");
        for name in cells[1].split(' ') {
            assert_eq!(option_tables::option(name).map(|row| row.name), Some(name), "{line}");
            assert!(seen.insert(name), "{name} stands twice");
        }
    }
}

/// What reaches further than a job says must not be handed over by a slip in the table of engines.
#[test]
fn engines_that_are_handed_over_are_these_and_no_others() {
    let that = |touches| {
        let rows = option_tables::all_engines()
            .iter()
            .filter(move |row| option_passing::engine(row.name) == Some(touches));
        rows.map(|row| row.name).collect::<Vec<_>>()
    };
    let on_files = that(option_tables::TouchedTargets::Files);
    let expected =
        ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap", "splice"];
    assert_eq!(on_files, expected);
    assert_eq!(that(option_tables::TouchedTargets::Nothing), ["null", "cpuio"]);
    assert_eq!(option_passing::engine("sync:/a/plugin.so"), None, "the very name alone");
}

/// The installed fio's own list: nothing that it knows is passed on without a decision.
#[test]
fn every_option_of_the_installed_fio_is_decided() {
    let Ok(output) = std::process::Command::new("fio").arg("--cmdhelp=all").output() else {
        fathom_skips::skipped("fio is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
    let is_name = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let mut decided = 0;
    for name in names.filter(is_name) {
        assert!(option_tables::option(name).is_some_and(option_passing::is_decided), "{name}");
        decided += 1;
    }
    assert!(decided > 200, "{decided} options");
}

#[test]
fn what_names_another_file_a_device_or_a_command_is_refused() {
    let cases = [
        ("--read_iolog=log", "read_iolog"),
        ("--rw=write --replay_redirect=/dev/sdx", "replay_redirect"),
        ("--rw=write --opendir=/data", "opendir"),
        ("--unlink_each_loop=1", "unlink_each_loop"),
        ("--exec_prerun=rm", "command yourself"),
        ("--exec_postrun=rm", "command yourself"),
        ("--exec_pre=rm", "exec_prerun"),
        ("--ioengine=filedelete", "ioengine"),
        ("--ioengine=filecreate", "ioengine"),
        ("--ioengine=dirdelete", "ioengine"),
        ("--ioengine=sg", "ioengine"),
        ("--ioengine=io_uring_cmd", "ioengine"),
        ("--ioengine=exec --program=rm", "ioengine"),
        ("--ioengine=external:/tmp/x.so", "ioengine"),
        ("--ioengine=libaio:/tmp/x.so", "ioengine"),
        ("--ioengine=/tmp/x.so", "ioengine"),
        ("--ioengine=e4defrag --donorname=/data/old", "ioengine"),
        ("--ioengine=mtd", "ioengine"),
        ("--ioengine=libblkio --libblkio_path=/dev/sdx", "ioengine"),
        ("--ioengine=falloc", "ioengine"),
        ("--ioengine=ftruncate", "ioengine"),
        ("--ioengine=libaio --donorname=/data/old", "donorname"),
        ("--ioengine=libaio --program=rm", "program"),
        ("--mem=mmapshared:/dev/sdx", "mem"),
        ("--iomem=mmaphuge:/data/old", "mem"),
        ("--ioscheduler=none", "ioscheduler"),
        ("--cgroup=x", "cgroup"),
        ("--uid=0", "uid"),
        ("--profile=tiobench", "profile"),
        ("--verify_state_load=1", "verify_state_load"),
        ("--merge_blktrace_file=/data/old", "merge_blktrace_file"),
        ("--dp_scheme=/data/old", "dp_scheme"),
        ("--create_only=1", "create_only"),
        ("--file_append=1", "file_append"),
        ("--fill_device=1", "fill_device"),
        ("--filetype=block", "filetype"),
        ("--buffer_pattern='/etc/shadow'", "buffer_pattern"),
        ("--verify_pattern='/etc/shadow'", "verify_pattern"),
        ("--filename=-", "filename"),
        ("--filename=a\\\\b", "filename"),
        ("--filename=a;b", "filename"),
        ("--filename_format=$JOBNAME", "filename_format"),
        ("--filename_format=$clientuid.x", "filename_format"),
        ("--size=10z", "size"),
        ("--rw=sideways", "sideways"),
        ("--numjobs=5000", "numjobs"),
        ("--write_bw_log", "needs a value"),
        ("--write_iolog=..", "write_iolog"),
        ("--write_bw_log=a/log --write_lat_log=b/log", "folders"),
    ];
    for (words, told) in cases {
        let refusal = refusal(&format!("--name=a --size=64k {words}"));
        assert!(refusal.to_string().contains(told), "{words}: {refusal}");
    }
    for (job, told) in [
        ("[/dev/sdx]\nrw=write", "[/dev/sdx]"),
        ("[a]\ninclude rm", "command"),
        ("[a]\nname=globals", "global"),
    ] {
        assert!(of("", &[job]).unwrap_err().to_string().contains(told), "{job}");
    }
}

#[test]
fn what_concerns_the_command_is_refused_unless_it_is_known_to_pass() {
    for words in [
        "--client=host",
        "--server",
        "--daemonize=/data/old",
        "--remote-config=x",
        "--trigger-file=x",
        "--trigger=rm",
        "--trigger-remote=rm",
        "--trigger-timeout=1",
        "--aux-path=/data",
        "--inflate-log=x",
        "--merge-blktrace-only",
        "--profile=x",
    ] {
        let refusal = refusal(&format!("{words} --name=a --size=64k"));
        assert!(
            refusal.place.starts_with(words.split('=').next().unwrap()) && !refusal.remedy.is_empty(),
            "{refusal}"
        );
    }
    let made =
        of("--status-interval=1 --max-jobs=4 --eta=never --output=x --destroy=y --name=a --size=64k", &[])
            .unwrap();
    assert_eq!(made.words, ["--status-interval=1", "--max-jobs=4", "--readonly"]);
    assert!(refusal("--readonly --name=a --rw=write --size=64k").place.contains("--readonly"));
}

/// A target as text: its path, `w` where it is written, `r` where it is read first, and its length.
fn targets(words: &str) -> Vec<String> {
    let text = |target: &ToolTarget| {
        let flags =
            [(target.writes, "w"), (target.reads, "r"), (target.is_removed, "u"), (!target.may_be_made, "!")];
        let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, letter)| *letter).collect();
        format!("{} {flags} {}", target.path, target.end_bytes.unwrap_or(0))
    };
    of(words, &[]).unwrap_or_else(|refusal| panic!("{words}: {refusal}")).targets.iter().map(text).collect()
}

#[test]
fn every_file_that_fio_would_touch_is_among_the_targets() {
    for (words, expected) in [
        ("--name=a --size=64k", vec!["/data/a.0.0 r 65536"]),
        ("--name=a --size=64k --rw=write --unlink=1 --allow_file_create=0", vec!["/data/a.0.0 wu! 65536"]),
        ("--name=a --size=64k --rw=randtrim --filename=/dev/sdx", vec!["/dev/sdx w 65536"]),
        ("--name=a --size=64k --directory=/d --filename_format=v.dat --rw=write", vec!["/d/v.dat w 65536"]),
        ("--name=v --size=64k --filename_format=$jobname.dat --rw=rw", vec!["/data/v.dat wr 65536"]),
        ("--name=a --filename_format=/../../etc/x --size=1k", vec!["/../../etc/x r 1024"]),
        ("--name=a --size=64k --nrfiles=2", vec!["/data/a.0.0 r 32768", "/data/a.0.1 r 32768"]),
        (
            "--name=a --size=64k --numjobs=2 --directory=/x:/y\\:z",
            vec!["/x/a.0.0 r 65536", "/y:z/a.1.0 r 65536"],
        ),
        ("--name=a --size=8m --filename=old", vec!["/data/old r 8388608"]),
        ("--name=a --filename=old --offset=50% --size=1m", vec!["/data/old r 2621440"]),
        (
            "--name=a --filename=old --offset=4k --offset_increment=1m --numjobs=3 --size=64k",
            vec!["/data/old r 2166784"],
        ),
        ("--name=a --filename=old", vec!["/data/old r 0"]),
        ("--name=a --filename=old --size=50%", vec!["/data/old r 0"]),
        ("--name=a --filename=old --filesize=4m --size=1m", vec!["/data/old r 4194304"]),
        ("--name=a --filename=old --filesize=512k-2m", vec!["/data/old r 0"]),
        ("--name=a --filename=/x\\:y:b --size=9k", vec!["/x:y r 4608", "/data/b r 4608"]),
        ("--name=a --filename=f --size=1k --rw=read --zonemode=zbd", vec!["/data/f wr 1024"]),
        ("--name=a --filename=f --size=1k --trim_percentage=5", vec!["/data/f wr 1024"]),
        (
            "--name=a --filename=f --size=1k --name=b --filename=f --rw=write --size=2k",
            vec!["/data/f wr 2048"],
        ),
        ("--name=a --ioengine=null --filename=/dev/sdx --rw=write --size=1g", vec![]),
        ("--name=a --ioengine=cpuio --cpuload=10", vec![]),
    ] {
        assert_eq!(targets(words), expected, "{words}");
    }
}

#[test]
fn the_job_file_says_what_was_judged_and_nothing_else() {
    let text = "[global]\ndescription=\"x; rm\"\nbs=8k\nsize=1m ; all of it\nioengine=sync\n[a b]\nrw=write\nbs=4k\nthread\n\
                cmdprio_percentage=5\nioengine=io_uring\nunlink=1\nwrite_bw_log=/logs/x\nfilename=./f\n\
                fdp=0\n[b]\nstonewall\nnrfiles=2\nsize=20%";
    let made = of("", &[text, "[c]\nsize=1k"]).unwrap();
    assert_eq!(
        made.job_file,
        "[a b]\nioengine=io_uring\nrw=write\nbs=4k\nthread\ncmdprio_percentage=5\nwrite_bw_log=logs/x\n\
         filename=/data/f\nsize=1048576\nallow_file_create=0\n\n\
         [b]\nioengine=sync\nbs=8k\nstonewall\nnrfiles=2\ndirectory=/data\nsize=20%\nallow_file_create=0\n\n\
         [c]\nioengine=sync\nbs=8k\nnrfiles=1\ndirectory=/data\nsize=1024\nallow_file_create=0\nstonewall\n\n"
    );
    // Nothing stands before a name that begins at the root.
    let made_of = |words: &str| of(words, &[]).unwrap().job_file;
    assert!(!made_of("--name=a --size=1k --filename_format=/x/y").contains("directory="));
    assert!(made_of("--name=a --size=1k --filename_format=x/y").contains("directory=/data\n"));
    assert_eq!(made.logs, [("x".to_owned(), "/logs".to_owned())]);
    assert_eq!(made.words, Vec::<String>::new(), "one job writes");
    assert_eq!(of("--name=a --size=64k", &[]).unwrap().words, ["--readonly"]);
}
