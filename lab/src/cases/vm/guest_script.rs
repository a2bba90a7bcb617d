//! The guest's script: its words, then each case.

use super::cases::VmCase;

const WORDS: &str = include_str!("cases.sh");

/// A script that goes through the cases, with so many experiments each at most and runs of so many seconds.
pub fn of(cases: &[VmCase], experiments: u32, seconds: u32) -> String {
    let mut script = format!("{WORDS}\nexperiments={experiments} seconds={seconds}\n");
    for case in cases {
        let VmCase { id, set_up, line, take_down, .. } = case;
        script += &format!(
            "echo \"@@lab begin {id}\"\nif {{ {set_up}; }} 2>/tmp/lack && [ -n \"$device\" ]; then asks {id} {line}; \
             else cat /tmp/lack; echo \"@@lab skip {id}\"; fi\n{take_down} >/dev/null 2>&1\n"
        );
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_script_is_one_that_a_shell_reads() {
        let script = of(&super::super::cases::ALL, 5, 8);
        let checked = Command::new("sh").args(["-n", "-c", &script]).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        assert!(script.contains("asks null-tags $device --rw randread"));
    }
}
