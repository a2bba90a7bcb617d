//! The commands that measure, with the victim as a target.

use super::super::door::{ALL, BOTH, DEVICES, Door, FILES, FOLDERS, Kind};

/// Written to without the right words.
const REFUSED: &[(&str, &str)] = &[
    ("run randwrite", "run -q --target {V} --rw randwrite --count 8"),
    ("run write", "run -q --target {V} --rw write --bs 64k --count 8"),
    ("run rw", "run -q --target {V} --rw randrw --count 16"),
    ("run buffered", "run -q --target {V} --rw randwrite --count 8 --buffered"),
    ("run sync", "run -q --target {V} --rw randwrite --count 8 --engine sync"),
    ("run aio", "run -q --target {V} --rw randwrite --count 8 --engine aio"),
    ("run mmap", "run -q --target {V} --rw randwrite --count 8 --engine mmap"),
    ("run verify", "run -q --target {V} --rw write --count 8 --verify at-end"),
    ("run durable", "run -q --target {V} --rw randwrite --count 8 --durable all"),
    ("run flush", "run -q --target {V} --rw randwrite --count 8 --flush-every 2"),
    ("run part", "run -q --target {V} --rw write --offset 64k --size 64k --count 4"),
    ("run grown", "run -q --target {V} --rw write --size 16m --count 4"),
    ("run kept", "run -q --target {V} --rw write --count 4 --keep"),
    ("run jobs", "run -q --target {V} --rw randwrite --jobs 3 --depth 2 --count 12"),
    ("run blank and victim", "run -q --target {B} --target {V} --rw randwrite --jobs 2 --count 16"),
    ("run victim and blank", "run -q --target {V} --target {B} --rw randwrite --jobs 2 --count 16"),
    ("run stripe", "run -q --target {B} --target {V} --stripe 64k --rw randwrite --count 16"),
    ("run wrong words", "run -q --target {V} --rw randwrite --count 8 --destroy {X}"),
    ("run words of the path", "run -q --target {V} --rw randwrite --count 8 --destroy {D}"),
    ("run several wrong words", "run -q --target {V} --rw write --count 8 --destroy {X} --destroy *"),
    ("run replay", "run -q --target {V} --replay t.csv"),
    ("run like", "run -q --target {V} --like p.json --time 1s --warmup 0s"),
    ("run fio", "run -q --target {V} --rw randwrite --count 8 --engine fio"),
    ("run throttled", "run -q --target {V} --rw randwrite --count 8 --throttle iops=3000"),
    ("run rates", "run -q --target {V} --rw randwrite --rates 500*2 --rate-step 100ms --count 8"),
    ("assess", "assess {V} -q --budget 1s --patterns randwrite-4k"),
    ("assess full", "assess {V} -q --budget 1s --patterns randwrite-4k --precondition full"),
    ("assess thorough", "assess {V} -q --budget 1s --patterns randwrite-4k --thorough"),
    ("assess wrong words", "assess {V} -q --budget 1s --patterns randwrite-4k --destroy {X}"),
    ("sweep", "sweep -q --target {V} --rw randwrite --count 8 --over depth=1,2 --passes 1"),
    ("sweep over targets", "sweep -q --rw randwrite --count 8 --over target={B},{V} --passes 1"),
    ("sweep over kinds", "sweep -q --target {V} --count 8 --over rw=read,write,randtrim --passes 1"),
    ("compare a", "compare {V} {B} -q --rw randwrite --pairs 5 --count 8 --warmup 0s"),
    ("compare b", "compare {B} {V} -q --rw randwrite --pairs 5 --count 8 --warmup 0s"),
    ("compare side", "compare {V} -q --rw read --a rw=randread --b rw=randwrite --pairs 5 --count 8"),
];

/// On devices alone, where they take longer or mean nothing on files.
const DEVICES_REFUSED: &[(&str, &str)] = &[
    ("run trim", "run -q --target {V} --rw randtrim --bs 64k --count 8"),
    ("run trimwrite", "run -q --target {V} --rw trimwrite --bs 64k --count 8"),
    ("explain", "explain --experiments {V} -q --rw randwrite --count 8 --max-experiments 1"),
    ("explain purge", "explain --experiments {V} -q --rw randread --purge --max-experiments 1"),
    (
        "explain second",
        "explain --experiments {B} -q --second {V} --rw randwrite --max-experiments 1 --budget 5s --time 1s",
    ),
];

/// Read.
const READ: &[(&str, &str)] = &[
    ("read run", "run -q --target {V} --rw randread --count 8"),
    ("read run in order", "run -q --target {V} --rw read --bs 64k --count 8"),
    ("read run buffered", "run -q --target {V} --rw randread --count 8 --buffered"),
    ("read run mmap", "run -q --target {V} --rw randread --count 8 --engine mmap"),
    ("read run sync", "run -q --target {V} --rw randread --count 8 --engine sync"),
    ("read run verify", "run -q --target {V} --rw randread --count 8 --verify on-read"),
    ("read run grown", "run -q --target {V} --rw read --size 16m --count 8"),
    ("read run fio", "run -q --target {V} --rw randread --count 8 --engine fio"),
    ("read sweep", "sweep -q --target {V} --count 8 --over depth=1,2 --passes 1"),
    ("read assess", "assess {V} -q --budget 1s --patterns randread-4k"),
    ("read compare", "compare {V} {V} -q --rw randread --a depth=1 --b depth=2 --pairs 5 --count 8"),
    ("read right words", "run -q --target {P} --rw randread --count 8 --destroy {W}"),
];

/// With the right words: what is in use stays as it is all the same.
const NAMED: &[(&str, &str)] = &[
    ("named run", "run -q --target {P} --rw randwrite --count 8 --destroy {W}"),
    ("named buffered", "run -q --target {P} --rw randwrite --count 8 --buffered --destroy {W}"),
    ("named mmap", "run -q --target {P} --rw randwrite --count 8 --engine mmap --destroy {W}"),
    ("named run fio", "run -q --target {P} --rw randwrite --count 8 --engine fio --destroy {W}"),
    ("named beside blank", "run -q --target {B} --target {P} --rw write --jobs 2 --count 8 --destroy {W}"),
    ("named sweep", "sweep -q --target {P} --rw write --count 8 --over depth=1,2 --passes 1 --destroy {W}"),
    ("named fio", "fio --name=a --rw=randwrite --filename={E} --size=64k --destroy={W}"),
    ("named hand-over", "fio --engine=fio --name=a --rw=randwrite --filename={E} --size=64k --destroy={W}"),
];

const FIVE_JOBS: &str = "target = [\"{P}\"]\nrw = \"randwrite\"\ncount = 8\n";

/// The doors of the commands.
pub fn doors() -> Vec<Door> {
    let of = |table: &'static [(&str, &str)], kind, on| {
        table.iter().map(move |(name, command)| Door::new(*name, kind, on, command))
    };
    let mut doors: Vec<Door> = of(REFUSED, Kind::Refused, BOTH)
        .chain(of(DEVICES_REFUSED, Kind::Refused, DEVICES).map(|door| door.for_ms(8000)))
        .chain(of(READ, Kind::Read, BOTH))
        .chain(of(NAMED, Kind::Named, BOTH))
        .collect();
    doors.push(Door::new("run plan", Kind::Refused, BOTH, "run -q plan.toml").with("plan.toml", FIVE_JOBS));
    doors.push(
        Door::new("sweep plan", Kind::Refused, BOTH, "sweep -q plan.toml --over depth=1,2 --passes 1")
            .with("plan.toml", FIVE_JOBS),
    );
    doors.push(Door::new(
        "size prove",
        Kind::Refused,
        FILES,
        "size d.csv --values per-row --size 1GiB --region us-east-1 --prove {V} --run",
    ));
    doors.extend(diskspd());
    doors.push(
        Door::new(
            "folder assess",
            Kind::Read,
            FOLDERS,
            "assess {V} -q --size 16MiB --budget 1s --patterns write-1m",
        )
        .for_ms(8000),
    );
    doors.push(Door::new(
        "folder run",
        Kind::Read,
        FOLDERS,
        "run -q --target {V} --size 1MiB --rw randwrite --count 8 --keep",
    ));
    doors.push(Door::new(
        "folder run fio",
        Kind::Read,
        FOLDERS,
        "run -q --target {V} --size 1MiB --rw write --count 8 --engine fio",
    ));
    doors
}

fn diskspd() -> [Door; 7] {
    let refused = |name: &'static str, command| Door::new(name, Kind::Refused, BOTH, command);
    [
        refused("diskspd write", "diskspd -q -b4K -r -o2 -t1 -w100 -d1 -W0 -L {V}"),
        refused("diskspd make", "diskspd -q -c1M -b4K -o2 -w50 -d1 -W0 {V}"),
        refused("diskspd wrong words", "diskspd -q --destroy {X} -b4K -o2 -w50 -d1 -W0 {V}"),
        refused("diskspd two", "diskspd -q -b4K -o2 -w50 -d1 -W0 {B} {V}"),
        refused("diskspd drive", "diskspd -q --drive D:={D} -b4K -o2 -w50 -d1 -W0 D:\\{N}"),
        Door::new("diskspd read", Kind::Read, BOTH, "diskspd -q -b4K -r -o2 -t1 -d1 -W0 {V}"),
        Door::new(
            "diskspd drive leads out",
            Kind::Aside,
            ALL,
            "diskspd -q --drive D:=tmp -b4K -o2 -w50 -d1 -W0 D:\\..\\..\\v\\{N}",
        )
        .named_after_all(),
    ]
}
