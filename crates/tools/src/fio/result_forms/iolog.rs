//! A sequence of I/Os as fio's iolog, version 3, which `read_iolog` replays.

use std::fmt::Write;

use fathom_record::Direction;

/// One I/O that ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedIo {
    /// When it was submitted, in nanoseconds of the run's clock.
    pub submitted_ns: u64,
    /// First byte on the target.
    pub offset: u64,
    /// Its length.
    pub bytes: u32,
    /// Number of the target among those of the run.
    pub target: u32,
    /// What it did.
    pub direction: Direction,
}

/// The log of I/Os on these files, in the order of their submission.
pub fn iolog(files: &[String], ios: &[LoggedIo]) -> String {
    let first_ns = ios.first().map_or(0, |io| io.submitted_ns);
    let mut text = "fio version 3 iolog\n".to_owned();
    for action in ["add", "open"] {
        for file in files {
            let _ = writeln!(text, "0 {file} {action}");
        }
    }
    let mut last_us = 0;
    for io in ios {
        let Some(file) = files.get(io.target as usize) else { continue };
        let LoggedIo { submitted_ns, offset, bytes, .. } = io;
        let at_us = submitted_ns.saturating_sub(first_ns) / 1000;
        let _ = match io.direction {
            Direction::Read => writeln!(text, "{at_us} {file} read {offset} {bytes}"),
            Direction::Write => writeln!(text, "{at_us} {file} write {offset} {bytes}"),
            Direction::Trim => writeln!(text, "{at_us} {file} trim {offset} {bytes}"),
            Direction::Flush => writeln!(text, "{at_us} {file} datasync 0 0"),
        };
        last_us = at_us;
    }
    for file in files {
        let _ = writeln!(text, "{last_us} {file} close");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_io_is_a_line_of_its_file() {
        let issued = |submitted_ns, direction, offset| LoggedIo {
            submitted_ns,
            target: 0,
            direction,
            offset,
            bytes: 4096,
        };
        let ios = [issued(5000, Direction::Read, 8192), issued(12_000, Direction::Write, 0)];
        assert_eq!(
            iolog(&["f".to_owned()], &ios),
            "fio version 3 iolog\n0 f add\n0 f open\n0 f read 8192 4096\n7 f write 0 4096\n7 f close\n"
        );
    }
}
