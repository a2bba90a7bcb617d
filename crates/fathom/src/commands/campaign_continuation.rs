//! How a campaign that was stopped goes on: its own command, with what holds for one command alone.

use fathom_record::shell_word;

use super::store_access::StorePlace;

/// What lets a device be written, which has to be given again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Permits<'a> {
    /// Serial numbers of devices whose content may be lost.
    pub serials: &'a [String],
    /// Whether devices are read in full before the first write.
    pub check_empty: bool,
}

/// What is said of a campaign that was stopped. `command` is the line that its record keeps.
pub fn to_continue(command: Option<&str>, permits: Permits<'_>, place: &StorePlace) -> String {
    let line = command.and_then(|line| self::command(line, permits, &place.flag()));
    match line {
        Some(line) => format!("\nstopped before its end; what was measured is saved. To continue:\n  {line}"),
        None => {
            "\nstopped before its end; what was measured is saved. The same command continues.".to_owned()
        }
    }
}

/// What is said of a campaign that waits for a restart of the machine.
pub fn after_restart(
    waits_for: &str,
    command: Option<&str>,
    permits: Permits<'_>,
    place: &StorePlace,
) -> String {
    let line = command.and_then(|line| self::command(line, permits, &place.flag()));
    let line = line.map_or_else(String::new, |line| format!(" To continue after it:\n  {line}"));
    format!("\n{waits_for}{line}")
}

/// The command with the store's flag before its verb, and permission behind it: targets may stand at its end.
pub fn command(line: &str, permits: Permits<'_>, store_flag: &str) -> Option<String> {
    let (verb, rest) = line.strip_prefix("fathom ")?.split_once(' ')?;
    let serials = permits.serials.iter().map(|serial| format!(" --destroy={}", shell_word(serial)));
    let check_empty = permits.check_empty.then(|| " --check-empty".to_owned());
    let permits: String = serials.chain(check_empty).collect();
    Some(format!("fathom{store_flag} {verb}{permits} {rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_for_one_command_is_given_again() {
        let serials = ["S3R1 AL's".to_owned()];
        let permits = Permits { serials: &serials, check_empty: true };
        assert_eq!(
            command("fathom assess --budget 2m -- /dev/x", permits, " --store s.db").as_deref(),
            Some(r"fathom --store s.db assess --destroy='S3R1 AL'\''s' --check-empty --budget 2m -- /dev/x")
        );
    }
}
