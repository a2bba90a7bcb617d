//! All doors: every command, and every option of a front end that names something.

mod fio;
mod multistep_doors;
mod output_doors;
mod readers;
mod target_doors;

use super::door::Door;

/// Every door, each with a name of its own.
pub fn all() -> Vec<Door> {
    let mut doors = target_doors::doors();
    doors.extend(output_doors::doors());
    doors.extend(fio::doors());
    doors.extend(readers::doors());
    doors.extend(multistep_doors::doors());
    doors
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn doors_have_names_of_their_own_and_lead_to_the_victim() {
        let doors = all();
        let names: BTreeSet<&str> = doors.iter().map(|door| door.name.as_str()).collect();
        assert_eq!(names.len(), doors.len());
        for door in &doors {
            let leads = ["{V}", "{P}", "{E}", "{D}", "{N}", "{M}"].iter().any(|place| door.uses(place));
            assert!(leads || door.has_turns() || door.at.is_some(), "{}", door.name);
        }
    }
}
