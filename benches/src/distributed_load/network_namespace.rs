//! A network namespace behind a pair of virtual interfaces, whose link can be cut.

use std::process::Command;

/// Both ends, in a network that is for documentation (RFC 5737).
const HERE: &str = "198.51.100.1";
const THERE: &str = "198.51.100.2";

/// A namespace of our own; removed when it is dropped.
pub struct Namespace {
    name: String,
    link: String,
}

fn ip(words: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(words).output().map_err(|error| format!("ip: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(format!("ip {}: {said}", words.join(" "))) }
}

impl Namespace {
    /// Makes one.
    ///
    /// # Errors
    /// Without the rights to, or where the kernel has none.
    pub fn new() -> Result<Self, String> {
        let number = std::process::id() % 100_000;
        let (name, link) = (format!("fathom-{number}"), format!("fb{number}"));
        let far = format!("{link}f");
        ip(&["netns", "add", &name])?;
        let made = Self { name: name.clone(), link: link.clone() };
        ip(&["link", "add", &link, "type", "veth", "peer", "name", &far])?;
        ip(&["link", "set", &far, "netns", &name])?;
        ip(&["addr", "add", &format!("{HERE}/30"), "dev", &link])?;
        ip(&["link", "set", &link, "up"])?;
        ip(&["-n", &name, "addr", "add", &format!("{THERE}/30"), "dev", &far])?;
        ip(&["-n", &name, "link", "set", &far, "up"])?;
        ip(&["-n", &name, "link", "set", "lo", "up"])?;
        Ok(made)
    }

    /// The address of its end.
    pub fn address(&self) -> &'static str {
        THERE
    }

    /// The words before a command that runs in it.
    pub fn enter(&self) -> Vec<String> {
        ["ip", "netns", "exec", &self.name].map(str::to_owned).to_vec()
    }

    /// Cuts the link, or has it carry again.
    ///
    /// # Errors
    /// As `ip` says them.
    pub fn link(&self, is_up: bool) -> Result<(), String> {
        ip(&["link", "set", &self.link, if is_up { "up" } else { "down" }])
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // The other end goes with it.
        let _ = ip(&["link", "del", &self.link]);
        let _ = ip(&["netns", "del", &self.name]);
    }
}
