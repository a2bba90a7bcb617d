//! Who uses a device, on machines drawn as trees of files.

use super::drawn::{Drawn, number};
use crate::guard::Hold;

fn reasons(drawn: Drawn) -> Vec<(Hold, String, String)> {
    let machine = drawn.disk("sda", "8:0").look();
    let reasons = machine.use_of(number(&machine, "sda"));
    reasons.into_iter().map(|reason| (reason.hold, reason.text, reason.first)).collect()
}

#[test]
fn what_cannot_be_seen_counts_as_use() {
    assert_eq!(reasons(Drawn::new()), []);
    // A PID namespace that is not the machine's first.
    let found =
        reasons(Drawn::new().without("proc/self/ns/pid").and_link("proc/self/ns/pid", "pid:[4026532222]"));
    assert!(
        matches!(&found[..], [(Hold::Unseen, text, first)] if text.contains("PID namespace") && first.contains("--pid=host"))
    );
    // Nobody says which it is.
    assert_eq!(reasons(Drawn::new().without("proc/self/ns/pid"))[0].0, Hold::Unseen);
    // Processes of others are not listed, as with hidepid.
    let found = reasons(Drawn::new().without("proc/1"));
    assert!(
        matches!(&found[..], [(Hold::Unseen, text, first)] if text.contains("does not list") && first.contains("sudo"))
    );
}
