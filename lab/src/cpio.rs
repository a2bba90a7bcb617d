//! An archive in the form that the kernel unpacks as its first root (`newc`, Linux
//! `Documentation/driver-api/early-userspace/buffer-format.rst`).

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

/// An archive that grows.
#[derive(Debug, Default)]
pub struct Archive {
    bytes: Vec<u8>,
    folders: Vec<String>,
    entries: u32,
}

impl Archive {
    /// A file that may be run, at a path without leading slash; its folders are made before it.
    pub fn file(&mut self, path: &str, content: &[u8]) {
        self.folders_of(path);
        self.entry(path, PROGRAM, content);
    }

    /// An empty folder.
    pub fn folder(&mut self, path: &str) {
        self.folders_of(&format!("{path}/"));
    }

    fn folders_of(&mut self, path: &str) {
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            if !folder.is_empty() && !self.folders.iter().any(|made| made == folder) {
                self.folders.push(folder.to_owned());
                self.entry(folder, FOLDER, &[]);
            }
        }
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let name_bytes = path.len() as u32 + 1;
        // Inode, mode, owner, group, links, time, length, four device numbers, name's length, check.
        let fields = [self.entries, mode, 0, 0, 1, 0, content.len() as u32, 0, 0, 0, 0, name_bytes, 0];
        self.bytes.extend_from_slice(b"070701");
        fields.iter().for_each(|field| self.bytes.extend_from_slice(format!("{field:08x}").as_bytes()));
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// The whole archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_lie_as_the_format_says() {
        let mut archive = Archive::default();
        archive.file("a/b", b"12345");
        archive.file("a/c", b"");
        let bytes = archive.finish();
        let names: Vec<usize> = ["a\0", "a/b\0", "a/c\0", "TRAILER!!!\0"]
            .iter()
            .map(|name| bytes.windows(name.len()).position(|at| at == name.as_bytes()).unwrap())
            .collect();
        assert!(names.is_sorted() && names.iter().all(|at| (at - 110) % 4 == 0), "{names:?}");
        let data = bytes.windows(5).position(|at| at == b"12345").unwrap();
        assert_eq!(data % 4, 0);
        assert_eq!(bytes.windows(6).filter(|at| at == b"070701").count(), 4, "the folder once");
        assert_eq!(&bytes[names[1] - 110 + 54..names[1] - 110 + 62], b"00000005");
    }
}
