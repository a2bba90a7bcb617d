//! What a turn waits for, by the turns so far and the boot.

use fathom_record::campaign::BootTurn;

/// What is next for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DueAction {
    /// It begins in this boot: the machine is on its side, and no other turn had this boot.
    Begin,
    /// It was asked for, and the machine has restarted into it.
    Enter(usize),
    /// It began in this boot.
    Continue(usize),
    /// The machine has to restart, which nobody has asked for yet.
    Ask,
    /// The machine has to restart, which was asked for in this boot.
    Wait(usize),
    /// The machine has restarted, and is on another side.
    Wrong,
}

/// `at` is the turn among `turns`, where it was asked for; `holds` whether the machine is on its side.
pub(super) fn due(turns: &[BootTurn], at: Option<usize>, boot: &str, holds: bool) -> DueAction {
    let had = |turn: &BootTurn| turn.boots.iter().any(|had| had == boot);
    let Some(at) = at else {
        // A boot is measured in once: what lasts as long as it would weigh twice.
        return if holds && !turns.iter().any(had) { DueAction::Begin } else { DueAction::Ask };
    };
    let turn = &turns[at];
    match holds {
        true if had(turn) => DueAction::Continue(at),
        true if turn.asked_in != boot => DueAction::Enter(at),
        false if turn.asked_in != boot || had(turn) => DueAction::Wrong,
        _ => DueAction::Wait(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(round: u32, side: &str, asked_in: &str, boots: &[&str]) -> BootTurn {
        let boots = boots.iter().map(|boot| (*boot).to_owned()).collect();
        BootTurn { round, side: side.to_owned(), asked_in: asked_in.to_owned(), boots, ..BootTurn::default() }
    }

    #[test]
    fn the_first_turn_begins_at_once_where_the_machine_is_on_its_side() {
        assert_eq!(due(&[], None, "1", true), DueAction::Begin);
        assert_eq!(due(&[], None, "1", false), DueAction::Ask);
    }

    #[test]
    fn a_turn_waits_for_a_restart_and_is_entered_after_it() {
        let asked = [turn(0, "A", "1", &["1"]), turn(0, "B", "1", &[])];
        assert_eq!(due(&asked, Some(1), "1", false), DueAction::Wait(1));
        assert_eq!(due(&asked, Some(1), "2", true), DueAction::Enter(1));
        assert_eq!(due(&asked, Some(1), "2", false), DueAction::Wrong);
    }

    #[test]
    fn what_holds_without_a_restart_is_not_measured_in_the_boot_of_another_turn() {
        // The fact has changed already, and the machine has not restarted.
        let asked = [turn(0, "A", "1", &["1"]), turn(0, "B", "1", &[])];
        assert_eq!(due(&asked, Some(1), "1", true), DueAction::Wait(1));
        assert_eq!(due(&asked[..1], None, "1", true), DueAction::Ask);
    }

    #[test]
    fn a_side_that_comes_twice_in_a_row_has_a_boot_of_its_own_each_time() {
        let done = [turn(0, "A", "1", &["1"]), turn(0, "B", "1", &["2"])];
        assert_eq!(due(&done, None, "2", true), DueAction::Ask);
        assert_eq!(due(&done, None, "3", true), DueAction::Begin);
    }

    #[test]
    fn a_turn_that_was_cut_off_goes_on_in_its_boot_or_the_next() {
        let begun = [turn(0, "A", "1", &["1"])];
        assert_eq!(due(&begun, Some(0), "1", true), DueAction::Continue(0));
        assert_eq!(due(&begun, Some(0), "2", true), DueAction::Enter(0));
        assert_eq!(due(&begun, Some(0), "2", false), DueAction::Wrong);
        assert_eq!(due(&begun, Some(0), "1", false), DueAction::Wrong);
    }
}
