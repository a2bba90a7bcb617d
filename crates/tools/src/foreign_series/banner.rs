//! The first line of what sysstat's tools print: kernel, host, date, machine, processors.

/// What the first line says of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    /// Operating system, as `Linux`.
    pub system: String,
    /// Kernel release.
    pub release: String,
    /// Name of the host.
    pub host: String,
    /// The date as it is written there; its order follows the machine's locale.
    pub date: String,
    /// Kind of machine, as `x86_64`.
    pub machine: String,
    /// Processors.
    pub processors: Option<u32>,
}

/// Reads `Linux 5.4.0 (host) 08/15/2022 _x86_64_ (24 CPU)`.
pub fn banner(line: &str) -> Option<Banner> {
    let (system, rest) = line.trim().split_once(' ')?;
    let known = matches!(system, "Linux" | "AIX" | "FreeBSD" | "SunOS");
    let (release, rest) = rest.trim_start().split_once(' ')?;
    let (host, rest) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    let mut words = rest.split_whitespace();
    let date = words.next()?;
    if !known || !date.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let machine = words.next().unwrap_or_default().trim_matches('_');
    let processors = words.next().and_then(|word| word.strip_prefix('(')).and_then(|word| word.parse().ok());
    let owned = |text: &str| text.to_owned();
    let (system, release, host) = (owned(system), owned(release), owned(host));
    Some(Banner { system, release, host, date: owned(date), machine: owned(machine), processors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_machine() {
        let line = "Linux 5.4.0-124-generic (compute3) \t08/15/2022 \t_x86_64_\t(24 CPU)";
        let read = banner(line).unwrap();
        assert_eq!((read.release.as_str(), read.host.as_str()), ("5.4.0-124-generic", "compute3"));
        assert_eq!((read.date.as_str(), read.machine.as_str()), ("08/15/2022", "x86_64"));
        assert_eq!(read.processors, Some(24));
        assert_eq!(banner(&format!(" {line}")), banner(line), "indented, as it was pasted");
        assert_eq!(banner("Linux is a kernel (mostly) of 1991"), None);
        assert_eq!(banner("Linux"), None);
    }
}
