//! Every option that names a file to write, with the victim standing there.

use super::super::door::{BOTH, DEVICES, Door, FILES, Kind};

/// A short run of a simulated device, which has something to write.
const OUTPUTS: &[(&str, &str)] = &[
    ("run --json", "run -q --target sim:nvme --count 8 --json={V}"),
    ("run --report", "run -q --target sim:nvme --count 8 --report {V}"),
    ("assess --json", "assess sim:nvme -q --budget 1s --patterns randread-4k --json={V}"),
    ("assess --report", "assess sim:nvme -q --budget 1s --patterns randread-4k --report {V}"),
    ("sweep --json", "sweep -q --target sim:nvme --count 8 --over depth=1,2 --passes 1 --json={V}"),
    ("sweep --report", "sweep -q --target sim:nvme --count 8 --over depth=1,2 --passes 1 --report {V}"),
    (
        "compare --json",
        "compare sim:nvme sim:gp3 -q --rw randread --pairs 5 --count 8 --warmup 0s --json={V}",
    ),
    (
        "compare --report",
        "compare sim:nvme sim:gp3 -q --rw randread --pairs 5 --count 8 --warmup 0s --report {V}",
    ),
    ("explain --json", "explain --experiments sim:nvme -q --time 1s --max-experiments 1 --json={V}"),
    ("explain --report", "explain --experiments sim:nvme -q --time 1s --max-experiments 1 --report {V}"),
    ("profile --json", "profile d.csv --values per-row --json={V}"),
    ("profile --report", "profile d.csv --values per-row --report {V}"),
    ("size --json", "size d.csv --values per-row --size 1GiB --region us-east-1 --json={V}"),
    ("size --report", "size d.csv --values per-row --size 1GiB --region us-east-1 --report {V}"),
    ("size --rows", "size --fleet f.csv --values per-row --size 1GiB --region us-east-1 --rows {V}"),
    ("report --html", "report last --html {V}"),
    ("report --md", "report last --md {V}"),
    ("analyse --html", "analyse last --html {V}"),
    ("analyse --md", "analyse last --md {V}"),
    ("export csv", "export last --as csv --output {V}"),
    ("export parquet", "export last --as parquet --output {V}"),
    ("export openmetrics", "export last --as openmetrics --output {V}"),
    ("export fio-json", "export last --as fio-json --output {V}"),
    ("diskspd --json", "diskspd -q --json={V} -c1M -b4K -o2 -d1 -W0 new.dat"),
    ("diskspd --report", "diskspd -q --report {V} -c1M -b4K -o2 -d1 -W0 new.dat"),
    ("store of a run", "--store {V} run -q --target sim:nvme --count 8"),
    ("store listed", "--store {V} runs"),
    ("store of an import", "--store {V} import d.csv"),
];

/// The doors of results.
pub fn doors() -> Vec<Door> {
    let mut doors: Vec<Door> =
        OUTPUTS.iter().map(|(name, command)| Door::new(*name, Kind::Output, BOTH, command)).collect();
    for (name, at, command) in [
        ("pictures of --md", "out-latency.svg", "report last --md out.md"),
        ("pictures of --md, series", "out-series.svg", "report last --md out.md"),
        ("folder of outputs", "store.sqlite.raw", "run -q --target sim:nvme --count 8 --engine fio"),
    ] {
        doors.push(Door::new(name, Kind::Aside, BOTH, command).at(at));
    }
    let scratch = "size --fleet f.csv --values per-row --size 1GiB --region us-east-1 --scratch {V}";
    doors.push(Door::new("size --scratch", Kind::Aside, BOTH, scratch));
    for (name, command) in [
        ("export --force", "export last --as csv --output {V} --force"),
        (
            "size --rows --force",
            "size --fleet f.csv --values per-row --size 1GiB --region us-east-1 --rows {V} --force",
        ),
    ] {
        doors.push(Door::new(name, Kind::Replaced, FILES, command));
        doors.push(Door::new(format!("{name} on a device"), Kind::Output, DEVICES, command));
    }
    doors
}
