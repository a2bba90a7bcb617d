//! What a program for Windows says of itself: its processor, and the libraries that it asks for (Microsoft, PE Format).

/// A program's header.
#[derive(Debug, PartialEq, Eq)]
pub struct Executable {
    /// The processor, as the format numbers them.
    pub machine: u16,
    /// Names of libraries, in lower case, each once and in order.
    pub libraries: Vec<String>,
}

/// Place of the header's place.
const HEADER_AT: usize = 0x3c;
const SIGNATURE: &[u8] = b"PE\0\0";
/// 64-bit programs.
const PE32_PLUS: u16 = 0x20b;
/// From the optional header's start.
const DIRECTORIES_AT: usize = 112;
/// Directories of imports, and of those that are loaded when they are first called: number, length of an entry, place
/// of the name in it.
const IMPORTS: [(usize, usize, usize); 2] = [(1, 20, 12), (13, 32, 4)];
const SECTION: usize = 40;
/// More would be no program of ours.
const LIBRARIES_MAX: usize = 256;

/// Reads a program.
///
/// # Errors
/// When it is none for 64 bits, or says of itself what is not in it.
pub fn read(bytes: &[u8]) -> Result<Executable, String> {
    parse(bytes).ok_or_else(|| "it is no 64-bit program for Windows".to_owned())
}

fn parse(bytes: &[u8]) -> Option<Executable> {
    let file = Bytes(bytes);
    let header = file.whole(HEADER_AT)?;
    if file.slice(header, SIGNATURE.len())? != SIGNATURE {
        return None;
    }
    let coff = header + SIGNATURE.len();
    let (machine, sections) = (file.half(coff)?, usize::from(file.half(coff + 2)?));
    let (optional, length) = (coff + 20, usize::from(file.half(coff + 16)?));
    if file.half(optional)? != PE32_PLUS {
        return None;
    }
    let table = Sections { file, at: optional + length, count: sections };
    let mut libraries = Vec::new();
    for (number, entry, name) in IMPORTS {
        let directory = optional + DIRECTORIES_AT + 8 * number;
        let start = file.whole(directory)?;
        if directory + 8 > optional + length || start == 0 {
            continue;
        }
        let mut at = table.place(start)?;
        while file.slice(at, entry)?.iter().any(|byte| *byte != 0) {
            let text = file.text(table.place(file.whole(at + name)?)?)?;
            libraries.push(text.to_lowercase());
            if libraries.len() > LIBRARIES_MAX {
                return None;
            }
            at += entry;
        }
    }
    libraries.sort();
    libraries.dedup();
    Some(Executable { machine, libraries })
}

/// Bytes that are read at places that bytes name.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn slice(self, at: usize, length: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(length)?)
    }

    fn half(self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(self.slice(at, 2)?.try_into().ok()?))
    }

    fn whole(self, at: usize) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.slice(at, 4)?.try_into().ok()?)).ok()
    }

    fn text(self, at: usize) -> Option<&'a str> {
        let rest = self.0.get(at..)?;
        std::str::from_utf8(&rest[..rest.iter().position(|byte| *byte == 0)?]).ok()
    }
}

/// Where what the system maps lies in the file.
struct Sections<'a> {
    file: Bytes<'a>,
    at: usize,
    count: usize,
}

impl Sections<'_> {
    fn place(&self, mapped: usize) -> Option<usize> {
        (0..self.count).find_map(|number| {
            let entry = self.at + SECTION * number;
            let (start, length) = (self.file.whole(entry + 12)?, self.file.whole(entry + 16)?);
            let inside = mapped.checked_sub(start).filter(|inside| *inside < length)?;
            self.file.whole(entry + 20)?.checked_add(inside)
        })
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A program with one section, mapped 0x1000 behind its place, that asks for these.
    pub fn drawn(machine: u16, libraries: &[&str]) -> Vec<u8> {
        const START: usize = 0x200;
        let mut file = vec![0; 0x1000];
        let put =
            |file: &mut Vec<u8>, at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        let whole = |number: usize| (number as u32).to_le_bytes();
        put(&mut file, HEADER_AT, &whole(0x40));
        put(&mut file, 0x40, SIGNATURE);
        put(&mut file, 0x44, &machine.to_le_bytes());
        put(&mut file, 0x46, &1u16.to_le_bytes());
        put(&mut file, 0x54, &240u16.to_le_bytes());
        put(&mut file, 0x58, &PE32_PLUS.to_le_bytes());
        put(&mut file, 0x58 + DIRECTORIES_AT + 8, &whole(0x1000 + START));
        let section = 0x58 + 240;
        for (at, number) in [(12, 0x1000 + START), (16, 0xe00), (20, START)] {
            put(&mut file, section + at, &whole(number));
        }
        for (number, name) in libraries.iter().enumerate() {
            let place = START + 0x400 + 0x40 * number;
            put(&mut file, START + 20 * number + 12, &whole(0x1000 + place));
            put(&mut file, place, name.as_bytes());
        }
        file
    }

    #[test]
    fn a_program_says_its_processor_and_its_libraries() {
        let read = read(&drawn(0x8664, &["KERNEL32.dll", "ntdll.dll", "kernel32.dll"])).unwrap();
        assert_eq!(
            read,
            Executable {
                machine: 0x8664,
                libraries: vec!["kernel32.dll".to_owned(), "ntdll.dll".to_owned()]
            }
        );
    }

    #[test]
    fn what_is_cut_or_points_outside_is_refused() {
        let whole = drawn(0xaa64, &["ntdll.dll"]);
        for length in [0, 0x3c, 0x44, 0x5a, 0x148] {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        for at in [HEADER_AT, 0x40, 0x58] {
            let mut broken = whole.clone();
            broken[at..at + 2].copy_from_slice(&[0xff; 2]);
            assert!(read(&broken).is_err(), "{at:#x}");
        }
        let mut outside = whole;
        outside[0x200 + 12..0x200 + 16].copy_from_slice(&[0xff; 4]);
        assert!(read(&outside).is_err());
    }
}
