//! What the system has to start besides a program, so that the program starts: a script's interpreter, and the loader
//! that a dynamic program names.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The kernel follows no more scripts than this.
const MOST_SCRIPTS: usize = 5;

/// Bytes of a file's start that are looked at; program headers lie right behind the file's own.
const HEAD_BYTES: u64 = 4096;

/// A program and every file that the kernel runs on its behalf. What cannot be read stands alone.
pub fn with_interpreters(program: &Path) -> Vec<PathBuf> {
    let mut found = vec![program.to_owned()];
    while found.len() <= MOST_SCRIPTS {
        let Some(next) = found.last().and_then(|last| interpreter(last)) else { break };
        found.push(next);
    }
    found
}

fn interpreter(program: &Path) -> Option<PathBuf> {
    let file = File::open(program).ok()?;
    let mut head = Vec::new();
    (&file).take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let name = match head.strip_prefix(b"#!") {
        Some(line) => {
            let line = line.split(|byte| *byte == b'\n').next()?;
            line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?.to_vec()
        }
        None => loader(&file, &head)?,
    };
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(&name)))
}

/// The `PT_INTERP` of a 64-bit little-endian ELF file (System V ABI, "Program Loading and Dynamic Linking").
fn loader(file: &File, head: &[u8]) -> Option<Vec<u8>> {
    const PT_INTERP: u64 = 3;
    if head.get(..6)? != [0x7f, b'E', b'L', b'F', 2, 1] {
        return None;
    }
    let number = |at: usize, bytes: usize| {
        let field = head.get(at..at.checked_add(bytes)?)?;
        Some(field.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte)))
    };
    let (table, entry_bytes, entries) = (number(32, 8)? as usize, number(54, 2)? as usize, number(56, 2)?);
    for entry in 0..entries as usize {
        let at = table.checked_add(entry.checked_mul(entry_bytes)?)?;
        if number(at, 4)? == PT_INTERP {
            let (offset, length) = (number(at.checked_add(8)?, 8)?, number(at.checked_add(32)?, 8)?);
            let mut name = vec![0; length.min(HEAD_BYTES) as usize];
            file.read_exact_at(&mut name, offset).ok()?;
            name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
            return Some(name);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_brings_its_loader_and_a_script_its_shell() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        std::fs::write(&script, "#! /bin/sh -e\necho\n").unwrap();
        let found = with_interpreters(&script);
        assert_eq!(found[..2], [script, PathBuf::from("/bin/sh")]);
        // A shell that is linked statically has none.
        assert!(found[2..].iter().all(|loader| loader.to_string_lossy().contains("ld")), "{found:?}");
    }

    #[test]
    fn what_is_no_program_stands_alone() {
        let dir = tempfile::tempdir().unwrap();
        for bytes in [&b""[..], b"#!", b"#!\n", b"\x7fELF\x02\x01", &[0x7f, b'E', b'L', b'F', 2, 1, 255, 255]]
        {
            let path = dir.path().join("x");
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(with_interpreters(&path), [path]);
        }
        let mut head = vec![0xff; 128];
        head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        let path = dir.path().join("y");
        std::fs::write(&path, head).unwrap();
        assert_eq!(with_interpreters(&path), [path]);
    }
}
