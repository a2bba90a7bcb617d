//! fio's job files and command lines: every option that names something, for fathom's engines and handed over
//! to the installed fio.

use std::time::Duration;

use super::super::door::{ALL, BOTH, DEVICES, Door, FILES, FOLDERS, Kind};
use super::super::victims::Class;
use Kind::{Aside, Output, Read, Refused};

type Row = (&'static str, Kind, &'static [Class], &'static str);

/// Tried by both, with `--engine=fio` after the rest for the second.
const TWICE: &[Row] = &[
    ("filename", Refused, BOTH, "fio --name=a --rw=randwrite --size=64k --filename={E}"),
    ("filename as it is", Read, BOTH, "fio --name=a --rw=write --size=64k --filename={V}"),
    ("list of names", Refused, BOTH, "fio --name=a --rw=write --size=128k --filename={B}:{E}"),
    (
        "list in a folder",
        Refused,
        BOTH,
        "fio --name=a --rw=write --size=64k --directory={D} --filename=o:{M}",
    ),
    ("directory", Refused, BOTH, "fio --name=a --rw=write --size=64k --directory={D} --filename={M}"),
    (
        "filename_format",
        Refused,
        BOTH,
        "fio --name=a --rw=write --size=64k --directory={D} --filename_format={N}",
    ),
    ("opendir", Refused, ALL, "fio --name=a --rw=write --size=64k --opendir={D}"),
    ("trim", Refused, BOTH, "fio --name=a --rw=randtrim --bs=64k --size=256k --filename={E}"),
    ("verify", Refused, BOTH, "fio --name=a --rw=write --verify=crc32c --size=64k --filename={E}"),
    ("mmap", Refused, BOTH, "fio --name=a --rw=write --ioengine=mmap --size=64k --filename={E}"),
    (
        "io_uring direct",
        Refused,
        BOTH,
        "fio --name=a --rw=write --ioengine=io_uring --direct=1 --size=64k --filename={E}",
    ),
    ("wrong words", Refused, BOTH, "fio --name=a --rw=write --size=64k --filename={E} --destroy={X}"),
    ("file_append", Refused, FILES, "fio --name=a --rw=write --file_append=1 --size=64k --filename={E}"),
    (
        "fill_device",
        Refused,
        DEVICES,
        "fio --name=a --rw=write --fill_device=1 --bs=64k --size=256k --filename={E}",
    ),
    ("falloc", Refused, FILES, "fio --name=a --rw=randwrite --ioengine=falloc --size=64k --filename={E}"),
    (
        "ftruncate",
        Refused,
        FILES,
        "fio --name=a --rw=randwrite --ioengine=ftruncate --size=64k --filename={E}",
    ),
    (
        "second job",
        Refused,
        BOTH,
        "fio --name=a --rw=read --size=64k --filename={B} --name=b --stonewall --rw=write --filename={E}",
    ),
    (
        "replay_redirect",
        Refused,
        BOTH,
        "fio --name=a --rw=read --read_iolog=writes2.log --replay_redirect={P}",
    ),
    ("write_iolog", Output, BOTH, "fio --name=a --rw=read --size=64k --filename={B} --write_iolog={V}"),
    ("output", Output, BOTH, "fio --name=a --rw=read --size=64k --filename={B} --output={V}"),
    (
        "output json",
        Output,
        BOTH,
        "fio --name=a --rw=read --size=64k --filename={B} --output={V} --output-format=json",
    ),
    ("mem=mmap", Aside, BOTH, "fio --name=a --rw=read --size=64k --filename={B} --mem=mmap:{V}"),
    ("mem=mmapshared", Aside, BOTH, "fio --name=a --rw=read --size=64k --filename={B} --mem=mmapshared:{V}"),
    (
        "merge_blktrace_file",
        Output,
        BOTH,
        "fio --name=a --rw=read --filename={B} --read_iolog=writes2.log:writes3.log --merge_blktrace_file={V}",
    ),
    (
        "exec_prerun",
        Aside,
        BOTH,
        "fio --name=a --rw=read --size=64k --filename={B} --exec_prerun=cp·d.csv·{P}",
    ),
    (
        "exec_postrun",
        Aside,
        BOTH,
        "fio --name=a --rw=read --size=64k --filename={B} --exec_postrun=cp·d.csv·{P}",
    ),
    ("trigger-file", Aside, BOTH, "fio --name=a --rw=read --size=64k --filename={B} --trigger-file={P}"),
    (
        "trigger",
        Aside,
        BOTH,
        "fio --name=a --rw=read --time_based --runtime=2 --size=64k --filename={B} --trigger-timeout=1 \
         --trigger=cp·d.csv·{P}",
    ),
    ("engine exec", Aside, FILES, "fio --name=a --ioengine=exec --program=/bin/cp --arguments=d.csv·{P}"),
    (
        "external engine",
        Aside,
        BOTH,
        "fio --name=a --rw=read --size=64k --filename={B} --ioengine=external:{V}",
    ),
    (
        "error dump",
        Aside,
        FILES,
        "fio --name=a --rw=read --size=64k --filename={B} --aux-path={D} --verify_state_save=1",
    ),
    ("read", Read, BOTH, "fio --name=a --rw=randread --size=64k --filename={E}"),
    ("read mmap", Read, BOTH, "fio --name=a --rw=read --ioengine=mmap --size=64k --filename={E}"),
    ("read beyond its end", Read, BOTH, "fio --name=a --rw=read --size=16m --io_size=64k --filename={E}"),
    (
        "read after fallocate",
        Read,
        FILES,
        "fio --name=a --rw=read --fallocate=native --size=16m --io_size=64k --filename={E}",
    ),
    (
        "read with overwrite",
        Read,
        FILES,
        "fio --name=a --rw=read --overwrite=1 --size=16m --io_size=64k --filename={E}",
    ),
    ("read with a filesize", Read, FILES, "fio --name=a --rw=read --filesize=4k --size=4k --filename={E}"),
    ("create_only", Read, FILES, "fio --name=a --rw=write --create_only=1 --size=16m --filename={E}"),
    ("unlink", Read, BOTH, "fio --name=a --rw=read --size=4k --filename={D}/{N} --unlink=1"),
    (
        "unlink_each_loop",
        Read,
        BOTH,
        "fio --name=a --rw=read --size=4k --loops=2 --filename={D}/{N} --unlink_each_loop=1",
    ),
    ("pre_read", Read, BOTH, "fio --name=a --rw=read --size=4k --pre_read=1 --filename={E}"),
    (
        "verify_only",
        Read,
        BOTH,
        "fio --name=a --rw=write --verify=crc32c --verify_only=1 --size=64k --filename={E}",
    ),
    ("verified reads", Read, BOTH, "fio --name=a --rw=read --verify=crc32c --size=64k --filename={E}"),
    (
        "filecreate",
        Read,
        BOTH,
        "fio --name=a --ioengine=filecreate --rw=read --filesize=4k --filename={D}/{N}",
    ),
    (
        "filedelete",
        Read,
        BOTH,
        "fio --name=a --ioengine=filedelete --rw=read --filesize=4k --filename={D}/{N}",
    ),
    ("filestat", Read, BOTH, "fio --name=a --ioengine=filestat --rw=read --filesize=4k --filename={D}/{N}"),
    (
        "dircreate",
        Read,
        FOLDERS,
        "fio --name=a --ioengine=dircreate --rw=read --filesize=4k --filename={D}/sub",
    ),
    (
        "dirdelete",
        Read,
        FOLDERS,
        "fio --name=a --ioengine=dirdelete --rw=read --filesize=4k --filename={D}/sub",
    ),
    (
        "filedelete in a folder",
        Read,
        ALL,
        "fio --name=a --ioengine=filedelete --rw=read --filesize=4k --opendir={D}",
    ),
    ("splice", Read, FILES, "fio --name=a --ioengine=splice --rw=read --size=64k --filename={E}"),
    ("sg", Refused, DEVICES, "fio --name=a --ioengine=sg --rw=write --size=64k --filename={E}"),
    (
        "e4defrag",
        Aside,
        FILES,
        "fio --name=a --ioengine=e4defrag --rw=write --size=64k --filename=o --donorname={V}",
    ),
    ("null", Read, BOTH, "fio --name=a --ioengine=null --rw=write --size=64k --filename={E}"),
];

/// Job files with their texts, tried by both.
const JOBS: &[(&str, Kind, &str)] = &[
    ("job file", Refused, "[a]\nfilename={E}\nrw=write\nsize=64k\n"),
    ("job file, global", Refused, "[global]\nfilename={E}\nrw=write\nsize=64k\n[a]\nrw=read\n[b]\n"),
    ("job file, include", Refused, "include inner.fio\n"),
    (
        "job file, second",
        Refused,
        "[a]\nfilename={B}\nrw=read\nsize=64k\n[b]\nstonewall\nfilename={E}\nrw=write\nsize=64k\n",
    ),
    ("job file, prerun", Aside, "[a]\nfilename={B}\nrw=read\nsize=64k\nexec_prerun=cp d.csv {P}\n"),
    ("job file, format", Refused, "[a]\ndirectory={D}\nfilename_format={N}\nrw=write\nsize=64k\n"),
];

/// Traces with writes that name the victim inside.
const LOGS: &[(&str, &str)] = &[
    ("read_iolog 2", "fio version 2 iolog\n{P} add\n{P} open\n{P} write 0 65536\n{P} close\n"),
    ("read_iolog 3", "fio version 3 iolog\n1 {P} add\n2 {P} open\n3 {P} write 0 65536\n4 {P} close\n"),
    ("read_iolog trim", "fio version 2 iolog\n{P} add\n{P} open\n{P} trim 0 65536\n{P} close\n"),
];

const LOG: &str = "fio --name=a --rw=read --read_iolog=names.log";
const READ_BLANK: &str = "fio --name=a --rw=read --size=64k --filename={B}";

/// Names that fio makes by itself, and what has it make them.
const MADE: &[(&str, Kind, &str, &str)] = &[
    ("write_bw_log", Output, "log_bw.1.log", "--write_bw_log=log"),
    ("write_bw_log by the job", Aside, "a_bw.1.log", "--write_bw_log"),
    ("write_lat_log", Output, "log_lat.1.log", "--write_lat_log=log"),
    ("write_lat_log clat", Output, "log_clat.1.log", "--write_lat_log=log"),
    ("write_iops_log", Output, "log_iops.1.log", "--write_iops_log=log"),
    ("write_hist_log", Output, "log_clat_hist.1.log", "--write_hist_log=log --log_hist_msec=100"),
    ("write_bw_log of all", Output, "log_bw.log", "--write_bw_log=log --per_job_logs=0"),
    ("bandwidth-log", Aside, "agg-read_bw.log", "--bandwidth-log"),
    ("verify_state_save", Aside, "local-a-0-verify.state", "--verify=crc32c --verify_state_save=1"),
];

/// The doors of fio, by fathom's engines and handed over.
pub fn doors() -> Vec<Door> {
    let own = once().into_iter().map(|mut door| {
        door.name = format!("fio {}", door.name);
        door
    });
    let handed = once().into_iter().map(|mut door| {
        door.name = format!("fio hand-over {}", door.name);
        door.more = "--engine=fio";
        // What only a log's text or a folder's content leads to is no target of a command line.
        door.unnamed |= ["read_iolog", "opendir"].iter().any(|word| door.name.contains(word));
        door
    });
    own.chain(handed).collect()
}

fn once() -> Vec<Door> {
    let traces = |door: Door| {
        if !door.uses("writes2.log") {
            return door;
        }
        door.with("writes2.log", "fio version 2 iolog\nx add\nx open\nx write 0 65536\nx close\n")
            .with("writes3.log", "fio version 3 iolog\n1 x add\n2 x open\n3 x write 0 65536\n4 x close\n")
    };
    let mut doors: Vec<Door> =
        TWICE.iter().map(|(name, kind, on, command)| traces(Door::new(*name, *kind, on, command))).collect();
    // What is let in here works on for as long as it likes.
    for door in doors.iter_mut().filter(|door| ["engine exec", "trigger"].contains(&door.name.as_str())) {
        door.patience = Duration::from_secs(4);
    }
    for (name, kind, text) in JOBS {
        let inner = "[a]\nfilename={E}\nrw=write\nsize=64k\n";
        doors.push(
            Door::new(*name, *kind, BOTH, "fio job.fio").with("job.fio", text).with("inner.fio", inner),
        );
    }
    for (name, text) in LOGS {
        doors.push(Door::new(*name, Refused, BOTH, LOG).with("names.log", text));
    }
    for (name, kind, at, options) in MADE {
        let mut door = Door::new(*name, *kind, BOTH, READ_BLANK).at(at);
        door.options = options;
        doors.push(door);
    }
    let job = |name, at, command| Door::new(name, Refused, BOTH, command).at(at);
    doors.push(job("name of the job", "a.0.0", "fio --name=a --rw=write --size=64k"));
    doors.push(job("name of the second file", "a.0.1", "fio --name=a --rw=write --size=128k --nrfiles=2"));
    doors.push(job(
        "name by a format",
        "a.dat",
        "fio --name=a --rw=write --size=64k --filename_format=$jobname.dat",
    ));
    doors
}
