//! Numbers of things, with the thing in its right form.

/// `1 pass`, `2 passes`: English nouns of the regular kind.
pub fn counted(number: u64, noun: &str) -> String {
    let ending = match number {
        1 => "",
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_has_no_ending() {
        let found = [counted(1, "run"), counted(0, "run"), counted(2, "usable pair"), counted(3, "pass")];
        assert_eq!(found, ["1 run", "0 runs", "2 usable pairs", "3 passes"]);
    }
}
