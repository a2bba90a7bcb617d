//! The boots of the machine in which the sides of a campaign had their turns.

use fathom_measure::Nanos;
use fathom_record::campaign::BootTurn;

use crate::number;
use crate::table::{Table, numbers, words};

/// One row a turn; none where no restart lies between the sides.
pub fn boots(turns: &[BootTurn]) -> Table {
    let columns = [
        words("side", 0),
        numbers("round", 1),
        words("boot", 0),
        words("asked for", 2),
        numbers("up", 1),
        numbers("busy", 1),
        words("found", 0),
    ];
    let mut table = Table::new(&columns);
    for turn in turns {
        let boot = match turn.boots.as_slice() {
            [] => "waits for a restart".to_owned(),
            boots => boots.iter().map(|boot| start(boot)).collect::<Vec<_>>().join(", "),
        };
        let up = turn.up_s.map_or_else(|| "-".to_owned(), |up_s| Nanos::from_seconds(up_s).coarse());
        let found: Vec<String> =
            turn.found.iter().map(|fact| format!("{} {}", fact.key, fact.value)).collect();
        table.row([
            turn.side.clone(),
            (turn.round + 1).to_string(),
            boot,
            turn.asked_at.clone(),
            up,
            turn.busy_share.map_or_else(|| "-".to_owned(), number::percent),
            found.join(", "),
        ]);
    }
    table
}

/// Enough of a boot's name to tell it from others.
fn start(boot: &str) -> &str {
    boot.get(..8).unwrap_or(boot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_record::campaign::Setting;

    #[test]
    fn a_turn_shows_its_boot_and_what_told_the_side() {
        let turn = BootTurn {
            side: "B".to_owned(),
            asked_at: "2026-11-26T08:00:00Z".to_owned(),
            boots: vec!["0123456789".to_owned()],
            found: vec![Setting { key: "kernel".to_owned(), value: "6.12".to_owned() }],
            up_s: Some(301.0),
            busy_share: Some(0.012),
            ..BootTurn::default()
        };
        let waits = BootTurn { round: 1, ..BootTurn::default() };
        let table = boots(&[turn, waits]);
        let text = format!("{:?}", table.rows);
        assert!(text.contains("01234567") && !text.contains("012345678"), "{text}");
        assert!(text.contains("kernel 6.12") && text.contains("waits for a restart"), "{text}");
    }
}
