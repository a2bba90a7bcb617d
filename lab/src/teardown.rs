//! What a set-up holds: taken down in the reverse of the order in which it was made, whatever happens.

use std::any::Any;
use std::process::{Command, Stdio};

/// Guards, last made first dropped.
#[derive(Default)]
pub struct GuardStack(Vec<Box<dyn Any>>);

impl GuardStack {
    /// Keeps a guard until the end.
    pub fn keep(&mut self, guard: impl Any) {
        self.0.push(Box::new(guard));
    }
}

impl Drop for GuardStack {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Runs a tool of the system and takes what it printed. One that a signal ended is run again: Ctrl-C reaches
/// the tools that take down what was set up, too.
///
/// # Errors
/// That it is not there or failed, with its words.
pub fn tool(program: &str, arguments: &[&str]) -> Result<String, String> {
    let run = || {
        Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{program}` cannot be started: {error}"))
    };
    let mut output = run()?;
    for _ in 0..3 {
        if output.status.code().is_some() {
            break;
        }
        output = run()?;
    }
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program} {}`: {}", arguments.join(" "), said.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    struct Noted(&'static str, Rc<RefCell<Vec<&'static str>>>);

    impl Drop for Noted {
        fn drop(&mut self) {
            self.1.borrow_mut().push(self.0);
        }
    }

    #[test]
    fn what_was_made_last_goes_first() {
        let order = Rc::default();
        let mut held = GuardStack::default();
        for name in ["device", "loop", "mount"] {
            held.keep(Noted(name, Rc::clone(&order)));
        }
        drop(held);
        assert_eq!(*order.borrow(), ["mount", "loop", "device"]);
    }

    #[test]
    fn a_tool_that_fails_or_is_missing_is_named() {
        assert_eq!(tool("echo", &["a", "b"]).unwrap(), "a b");
        assert!(tool("sh", &["-c", "echo no >&2; exit 3"]).unwrap_err().contains("no"));
        assert!(tool("no-such-tool", &[]).unwrap_err().contains("no-such-tool"));
    }
}
