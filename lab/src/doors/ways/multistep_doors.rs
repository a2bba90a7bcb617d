//! Doors of several steps: what is at the name is not what was judged before.

use super::super::door::{DEVICES, Door, Kind, Step};

const ASSESS: &str = "assess {B} -q --budget 4s --patterns randwrite-4k";
const SWEEP: &str =
    "sweep -q --target {B} --rw randwrite --time 300ms --warmup 0s --over depth=1,2,4 --passes 3";
const COMPARE: &str =
    "compare {B} {B} -q --rw randwrite --time 300ms --warmup 0s --a depth=1 --b depth=2 --pairs 5";

const ASSESS_NAMED: &str = "assess {P} -q --budget 4s --patterns randwrite-4k --destroy {W}";
const SWEEP_NAMED: &str = "sweep -q --target {P} --rw randwrite --time 300ms --warmup 0s --over depth=1,2,4 --passes 3 --destroy {W}";

/// The doors of several steps. Their victim appears in the middle, behind the name of a blank device.
pub fn doors() -> Vec<Door> {
    let turn = |name: &str, steps: Vec<Step>| {
        let mut door = Door::new(name, Kind::Refused, DEVICES, "devices").for_ms(12_000);
        door.steps = steps;
        door
    };
    let mut doors = Vec::new();
    for (name, command, ms) in [("assess", ASSESS, 1500), ("sweep", SWEEP, 900), ("compare", COMPARE, 900)] {
        let killed = Step::Killed(command, ms);
        doors.push(turn(
            &format!("{name}, killed, header, again"),
            vec![killed, Step::Header, Step::Run(command)],
        ));
        doors.push(turn(
            &format!("{name}, killed, other disk, again"),
            vec![killed, Step::Swap, Step::Run(command)],
        ));
    }
    for (name, command) in [("assess", ASSESS_NAMED), ("sweep", SWEEP_NAMED)] {
        // What is named is the disk that was there: the words permit nothing of the one that came instead.
        let steps = vec![Step::Killed(command, 1500), Step::Swap, Step::Run(command)];
        doors.push(turn(&format!("{name} with words, killed, other disk, again"), steps));
    }
    let again = "run -q --target {B} --rw randwrite --count 8";
    doors.push(turn("run, header, run", vec![Step::Run(again), Step::Header, Step::Run(again)]));
    doors.push(turn("run, other disk, run", vec![Step::Run(again), Step::Swap, Step::Run(again)]));
    // In a store of their own: where the run came to nothing, the last one would be another's.
    let rerun = Step::Run("--store own.sqlite rerun -q last");
    let first = Step::Run("--store own.sqlite run -q --target {B} --rw randwrite --count 8");
    doors.push(turn("run, header, rerun", vec![first, Step::Header, rerun]));
    doors.push(turn("run, other disk, rerun", vec![first, Step::Swap, rerun]));
    let named = Step::Run("--store own.sqlite run -q --target {P} --rw randwrite --count 8 --destroy {W}");
    doors.push(turn("run with words, other disk, rerun", vec![named, Step::Swap, rerun]));
    let before = "compare {B} {B} -q --rw write --count 8 --warmup 0s --a depth=1 --b depth=2 --pairs 5 \
                  --before-b dd·if=header·of={B}·conv=notrunc·2>/dev/null;·touch·header-put";
    doors.push(turn("header between the pairs of a comparison", vec![Step::Run(before), Step::Kept]));
    doors
}
