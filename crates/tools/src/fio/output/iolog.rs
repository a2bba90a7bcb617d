//! A sequence of I/Os as fio's iolog, version 3, which `read_iolog` replays.

use std::fmt::Write;

use fathom_record::Direction;

/// One I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedIo {
    /// Microseconds from the first one.
    pub at_us: u64,
    /// Number of its file.
    pub file: usize,
    /// What it did.
    pub direction: Direction,
    /// First byte.
    pub offset: u64,
    /// Its length.
    pub bytes: u32,
}

/// The log of I/Os on these files, in their order.
pub fn iolog(files: &[String], ios: impl Iterator<Item = LoggedIo>) -> String {
    let mut text = "fio version 3 iolog\n".to_owned();
    for action in ["add", "open"] {
        for file in files {
            let _ = writeln!(text, "0 {file} {action}");
        }
    }
    let mut last_us = 0;
    for io in ios {
        let Some(file) = files.get(io.file) else { continue };
        let LoggedIo { at_us, offset, bytes, .. } = io;
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
        let issued = |at_us, direction, offset| LoggedIo { at_us, file: 0, direction, offset, bytes: 4096 };
        let ios = [issued(0, Direction::Read, 8192), issued(7, Direction::Write, 0)];
        assert_eq!(
            iolog(&["f".to_owned()], ios.into_iter()),
            "fio version 3 iolog\n0 f add\n0 f open\n0 f read 8192 4096\n7 f write 0 4096\n7 f close\n"
        );
    }
}
