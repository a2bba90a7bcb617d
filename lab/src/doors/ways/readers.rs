//! Commands that read what they are given, with the victim given to them.

use super::super::door::{ALL, DEVICES, Door, Kind};

const INPUTS: &[(&str, &str)] = &[
    ("import", "import {V}"),
    ("import as fio-json", "import {V} --as fio-json"),
    ("audit", "audit {V}"),
    ("explain a file", "explain {V}"),
    ("profile a file", "profile {V}"),
    ("size a file", "size {V} --size 1GiB --region us-east-1"),
    ("run a plan", "run -q {V}"),
    ("run --like it", "run -q --like {V} --target sim:nvme --time 1s"),
    ("run --replay it", "run -q --replay {V} --target sim:nvme"),
    ("size --prices", "size d.csv --values per-row --size 1GiB --region us-east-1 --prices {V}"),
    ("size --fleet", "size --fleet {V} --size 1GiB --region us-east-1 --rows rows.csv"),
    ("fio a job file", "fio {V}"),
    ("diskspd a profile", "diskspd -q -X{V}"),
    ("show", "show {V}"),
    ("rerun", "rerun -q {V}"),
    ("runs of a target", "runs --target {V}"),
];

/// The doors of inputs.
pub fn doors() -> Vec<Door> {
    let mut doors: Vec<Door> =
        INPUTS.iter().map(|(name, command)| Door::new(*name, Kind::Aside, ALL, command)).collect();
    doors.push(Door::new("devices", Kind::Aside, DEVICES, "devices").with("device.txt", "{V}"));
    doors
        .push(Door::new("profile --live", Kind::Aside, DEVICES, "profile --live {V} --time 2s").for_ms(3000));
    doors
}
