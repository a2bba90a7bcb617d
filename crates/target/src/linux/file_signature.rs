//! Signs files that fathom makes and leaves behind, so that it knows one again that nobody changed since.
//!
//! The signature is an extended attribute of the inode, so that it goes with the file; it names the inode and its
//! birth, so that a copy with all attributes is no longer signed, and the time of the last change, so that a changed
//! file is not either. File systems without such attributes have no signed files.

use std::fs::File;

use rustix::fs::{AtFlags, Statx, StatxFlags, XattrFlags};

const NAME: &str = "user.fathom.made";
const MOST_BYTES: usize = 256;

/// Signs a file of fathom's making as it is now. Where that fails the file is somebody's, as any other.
pub fn sign(file: &File) {
    if let Some(text) = text_of(file) {
        let _ = rustix::fs::fsetxattr(file, NAME, text.as_bytes(), XattrFlags::empty());
    }
}

/// Whether fathom made this file, and it is as fathom left it.
pub fn is_as_left(file: &File) -> bool {
    let mut signed = [0; MOST_BYTES];
    let Ok(length) = rustix::fs::fgetxattr(file, NAME, &mut signed[..]) else { return false };
    text_of(file).is_some_and(|text| signed.get(..length) == Some(text.as_bytes()))
}

/// What is signed; `None` for what is not a file, and where the file system does not say when it was made.
fn text_of(file: &File) -> Option<String> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let found: Statx = rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, wanted).ok()?;
    let known = StatxFlags::from_bits_retain(found.stx_mask).contains(wanted);
    let is_file = u32::from(found.stx_mode) & libc::S_IFMT == libc::S_IFREG;
    (known && is_file).then(|| {
        let (changed, made) = (found.stx_mtime, found.stx_btime);
        format!(
            "1 inode={} size={} changed={}.{:09} made={}.{:09}",
            found.stx_ino, found.stx_size, changed.tv_sec, changed.tv_nsec, made.tv_sec, made.tv_nsec
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::FileExt;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_signature_holds_until_the_file_is_changed_or_copied() {
        // Under the build's own folder: many a /tmp has no extended attributes of users.
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = dir.path().join("made");
        fs::write(&path, vec![7; 8192]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        assert!(!is_as_left(&file));
        sign(&file);
        if !is_as_left(&file) {
            fathom_skips::skipped("no extended attributes, or no times of birth, here");
            return;
        }
        let copy = dir.path().join("copy");
        let copied = std::process::Command::new("cp").arg("-a").args([&path, &copy]).status();
        assert!(copied.unwrap().success());
        assert!(!is_as_left(&File::open(&copy).unwrap()), "a copy is somebody's");
        fs::rename(&path, dir.path().join("moved")).unwrap();
        assert!(is_as_left(&file), "its name does not matter");

        let left = file.metadata().unwrap().modified().unwrap();
        file.write_all_at(&[8], 100).unwrap();
        file.set_modified(left + Duration::from_millis(20)).unwrap();
        assert!(!is_as_left(&file), "a changed byte");
        sign(&file);
        assert!(is_as_left(&file));
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(!is_as_left(&file), "another time");
        sign(&file);
        file.set_len(4096).unwrap();
        assert!(!is_as_left(&file), "another size");
    }
}
