//! Digests of files, as `sha256sum` prints and checks them.

use sha2::{Digest, Sha256};

/// In hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line for `sha256sum --check`.
pub fn line(name: &str, bytes: &[u8]) -> String {
    format!("{}  {name}\n", sha256(bytes))
}

/// The lines of `sums` that are of other files than these: those of another processor, made before.
pub fn others(sums: &str, names: &[&str]) -> String {
    let is_other = |line: &&str| line.split_once("  ").is_some_and(|(_, name)| !names.contains(&name));
    sums.lines().filter(is_other).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_files_stay() {
        let sums = line("a", b"1") + &line("b", b"2");
        assert_eq!(others(&sums, &["a"]), line("b", b"2"));
        assert_eq!(others("damaged\n", &["a"]), "");
    }

    #[test]
    fn digests_are_those_of_the_standard() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(line("x", b""), format!("{empty}  x\n"));
    }
}
