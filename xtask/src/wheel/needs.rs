//! What a shared library asks of the machine that it is loaded on: its processor, other libraries, and versions of their
//! symbols. Read from the file's own tables, as the loader reads them.
//!
//! Source: System V ABI, "Object Files" and "Dynamic Linking"; LSB Core 5.0, "Symbol Versioning".

use std::collections::BTreeMap;

/// The C library of 2014 (PEP 599), which every Linux that Python 3.9 runs on has.
pub const OLD_GLIBC: (u32, u32) = (2, 17);
/// The compiler's own library of that time.
const OLD_GCC: (u32, u32) = (4, 8);
/// Libraries that come with every C library of Linux, and the compiler's own (PEP 599, but for those of desktops).
const EVERYWHERE: [&str; 9] = [
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "librt.so.1",
    "libpthread.so.0",
    "libutil.so.1",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];
/// Since glibc 2.36: a library that is relocated in a way that older loaders do not know.
const PACKED_RELOCATIONS: (&str, (u32, u32)) = ("GLIBC_ABI_DT_RELR", (2, 36));

const DYNAMIC: u32 = 6;
const DYNAMIC_SYMBOLS: u32 = 11;
const VERSIONS_NEEDED: u32 = 0x6fff_fffe;
const VERSIONS_OF_SYMBOLS: u32 = 0x6fff_ffff;
const NEEDED: u64 = 1;

/// What a library needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Needs {
    /// As Rust names it; absent for one that there are no wheels for.
    pub processor: Option<&'static str>,
    /// Other libraries.
    pub libraries: Vec<String>,
    /// Versions by their names, as `GLIBC_2.17`, each with the symbols that it is asked for.
    pub versions: BTreeMap<String, Vec<String>>,
}

/// A section's place in the file, its type, and the section that its names are in.
struct Section {
    kind: u32,
    from: usize,
    size: usize,
    link: usize,
}

/// Bytes of a file with little-endian numbers at places that the file itself names.
struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn bytes(&self, at: usize, count: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(count)?)
    }

    fn half(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(self.bytes(at, 2)?.try_into().ok()?))
    }

    fn word(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(at, 4)?.try_into().ok()?))
    }

    fn long(&self, at: usize) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(at, 8)?.try_into().ok()?))
    }

    fn place(&self, at: usize) -> Option<usize> {
        usize::try_from(self.long(at)?).ok()
    }

    /// A name of a section of names.
    fn name(&self, names: &Section, at: u32) -> Option<String> {
        let from = names.from.checked_add(at as usize)?;
        let rest = self.0.get(from..names.from.checked_add(names.size)?)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    fn sections(&self) -> Option<Vec<Section>> {
        let (table, each, count) =
            (self.place(40)?, usize::from(self.half(58)?), usize::from(self.half(60)?));
        let section = |number: usize| {
            let at = table.checked_add(number.checked_mul(each)?)?;
            self.bytes(at, each)?;
            Some(Section {
                kind: self.word(at.checked_add(4)?)?,
                from: self.place(at.checked_add(24)?)?,
                size: self.place(at.checked_add(32)?)?,
                link: self.word(at.checked_add(40)?)? as usize,
            })
        };
        (0..count).map(section).collect()
    }
}

impl Needs {
    /// Reads a library.
    ///
    /// # Errors
    /// When the file is no library of 64 bits for Linux, or damaged.
    pub fn read(library: &[u8]) -> Result<Self, String> {
        if !library.starts_with(b"\x7fELF\x02\x01") {
            return Err("it is not a library of 64 bits for Linux (ELF, little-endian)".to_owned());
        }
        Self::of(&File(library)).ok_or_else(|| "its tables name places outside of the file".to_owned())
    }

    fn of(file: &File<'_>) -> Option<Self> {
        let processor = match file.half(18)? {
            62 => Some("x86_64"),
            183 => Some("aarch64"),
            _ => None,
        };
        let sections = file.sections()?;
        let of_kind = |kind: u32| sections.iter().find(|section| section.kind == kind);
        let mut libraries = Vec::new();
        if let Some(dynamic) = of_kind(DYNAMIC) {
            let names = sections.get(dynamic.link)?;
            for entry in 0..dynamic.size / 16 {
                let at = dynamic.from.checked_add(entry * 16)?;
                if file.long(at)? == NEEDED {
                    libraries.push(file.name(names, u32::try_from(file.long(at + 8)?).ok()?)?);
                }
            }
        }
        let mut names_of = BTreeMap::new();
        if let Some(needed) = of_kind(VERSIONS_NEEDED) {
            versions(file, needed, sections.get(needed.link)?, &mut names_of)?;
        }
        let mut versions: BTreeMap<String, Vec<String>> =
            names_of.values().map(|name| (name.clone(), Vec::new())).collect();
        if let (Some(symbols), Some(numbers)) = (of_kind(DYNAMIC_SYMBOLS), of_kind(VERSIONS_OF_SYMBOLS)) {
            let names = sections.get(symbols.link)?;
            for number in 0..symbols.size / 24 {
                let at = symbols.from.checked_add(number * 24)?;
                let version = file.half(numbers.from.checked_add(number * 2)?)? & 0x7fff;
                // Section 0: it is defined elsewhere.
                if let (0, Some(version)) = (file.half(at.checked_add(6)?)?, names_of.get(&version)) {
                    versions.entry(version.clone()).or_default().push(file.name(names, file.word(at)?)?);
                }
            }
        }
        Some(Self { processor, libraries, versions })
    }

    /// The C library that it needs at least.
    ///
    /// # Errors
    /// When it needs one that no version is said of.
    pub fn glibc(&self) -> Result<(u32, u32), String> {
        let mut least = OLD_GLIBC;
        for (name, symbols) in self.versions.iter().filter(|(name, _)| name.starts_with("GLIBC_")) {
            let known = (name == PACKED_RELOCATIONS.0).then_some(PACKED_RELOCATIONS.1);
            let version = known.or_else(|| numbers(name, "GLIBC_")).ok_or_else(|| asks(name, symbols))?;
            least = least.max(version);
        }
        Ok(least)
    }

    /// Refuses a library that needs anything that Linux of 2014 does not have.
    ///
    /// # Errors
    /// When it does, with the symbols.
    pub fn check_old(&self) -> Result<(), String> {
        let foreign = self.libraries.iter().find(|name| !EVERYWHERE.contains(&name.as_str()));
        if let Some(name) = foreign {
            return Err(format!("it needs {name}, which not every Linux of 2014 has"));
        }
        let is_old = |name: &str| {
            numbers(name, "GLIBC_").is_some_and(|version| version <= OLD_GLIBC)
                || numbers(name, "GCC_").is_some_and(|version| version <= OLD_GCC)
        };
        match self.versions.iter().find(|(name, _)| !is_old(name.as_str())) {
            None => Ok(()),
            Some((name, symbols)) => Err(format!(
                "{}, which is newer than glibc {}.{} and gcc {}.{}",
                asks(name, symbols),
                OLD_GLIBC.0,
                OLD_GLIBC.1,
                OLD_GCC.0,
                OLD_GCC.1
            )),
        }
    }
}

fn asks(version: &str, symbols: &[String]) -> String {
    match symbols {
        [] => format!("it asks for {version}"),
        symbols => format!("it asks for {} of {version}", symbols.join(", ")),
    }
}

/// The first two numbers behind a prefix: `GLIBC_2.2.5` is 2.2.
fn numbers(name: &str, prefix: &str) -> Option<(u32, u32)> {
    let mut parts = name.strip_prefix(prefix)?.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// The names of versions by the numbers that symbols have them by.
fn versions(
    file: &File<'_>,
    needed: &Section,
    names: &Section,
    out: &mut BTreeMap<u16, String>,
) -> Option<()> {
    let mut at = needed.from;
    // Each step forward is of some bytes, so that tables end with the file.
    loop {
        let mut of_library = at.checked_add(file.word(at.checked_add(8)?)? as usize)?;
        for _ in 0..file.half(at.checked_add(2)?)? {
            let name = file.name(names, file.word(of_library.checked_add(8)?)?)?;
            out.insert(file.half(of_library.checked_add(6)?)? & 0x7fff, name);
            of_library = of_library.checked_add(file.word(of_library.checked_add(12)?)? as usize)?;
        }
        match file.word(at.checked_add(12)?)? as usize {
            0 => return Some(()),
            next => at = at.checked_add(next)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(out: &mut Vec<u8>, at: usize, bytes: &[u8]) {
        if out.len() < at + bytes.len() {
            out.resize(at + bytes.len(), 0);
        }
        out[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// A library that asks one other for symbols, each of a version.
    fn library(machine: u16, other: &str, symbols: &[(&str, &str)]) -> Vec<u8> {
        let mut names = vec![0u8];
        let mut name = |text: &str| {
            let at = names.len() as u32;
            names.extend(text.as_bytes());
            names.push(0);
            at
        };
        let (mut needed, mut dynamic, mut table, mut numbers) =
            (Vec::new(), Vec::new(), vec![0u8; 24], vec![0u8; 2]);
        let of_other = name(other);
        dynamic.extend(NEEDED.to_le_bytes());
        dynamic.extend(u64::from(of_other).to_le_bytes());
        dynamic.extend([0; 16]);
        for word in [1u32 | (symbols.len() as u32) << 16, of_other, 16, 0] {
            needed.extend(word.to_le_bytes());
        }
        for (number, (symbol, version)) in symbols.iter().enumerate() {
            let index = number as u16 + 2;
            for word in [0, u32::from(index) << 16, name(version), 16] {
                needed.extend(word.to_le_bytes());
            }
            table.extend(name(symbol).to_le_bytes());
            table.extend([0; 20]);
            numbers.extend(index.to_le_bytes());
        }
        let mut out = Vec::new();
        put(&mut out, 0, b"\x7fELF\x02\x01\x01");
        put(&mut out, 18, &machine.to_le_bytes());
        put(&mut out, 58, &64u16.to_le_bytes());
        put(&mut out, 60, &5u16.to_le_bytes());
        let parts = [
            (3, names),
            (DYNAMIC, dynamic),
            (VERSIONS_NEEDED, needed),
            (DYNAMIC_SYMBOLS, table),
            (VERSIONS_OF_SYMBOLS, numbers),
        ];
        let mut headers = Vec::new();
        for (kind, part) in parts {
            let from = out.len().max(64);
            put(&mut out, from, &part);
            let mut header = vec![0u8; 64];
            put(&mut header, 4, &kind.to_le_bytes());
            put(&mut header, 24, &(from as u64).to_le_bytes());
            put(&mut header, 32, &(part.len() as u64).to_le_bytes());
            headers.extend(header);
        }
        let at = out.len() as u64;
        put(&mut out, 40, &at.to_le_bytes());
        out.extend(headers);
        out
    }

    #[test]
    fn a_symbol_of_a_newer_c_library_is_refused_by_name() {
        let of = |symbols: &[(&str, &str)]| Needs::read(&library(62, "libc.so.6", symbols)).unwrap();
        let old = of(&[("memcpy", "GLIBC_2.14"), ("malloc", "GLIBC_2.2.5"), ("secure_getenv", "GLIBC_2.17")]);
        assert_eq!((old.processor, old.glibc(), old.check_old()), (Some("x86_64"), Ok((2, 17)), Ok(())));
        assert_eq!(old.versions["GLIBC_2.14"], ["memcpy"]);
        for (symbol, version, least) in [
            ("__cxa_thread_atexit_impl", "GLIBC_2.18", Ok((2, 18))),
            ("pthread_create", "GLIBC_2.34", Ok((2, 34))),
            ("", "GLIBC_ABI_DT_RELR", Ok((2, 36))),
        ] {
            let new = of(&[("malloc", "GLIBC_2.2.5"), (symbol, version)]);
            assert_eq!(new.glibc(), least);
            let refused = new.check_old().unwrap_err();
            assert!(refused.contains(version) && refused.contains(symbol), "{refused}");
        }
        let private = of(&[("_dl_open", "GLIBC_PRIVATE")]);
        assert!(private.glibc().is_err() && private.check_old().is_err());
    }

    #[test]
    fn other_libraries_and_other_processors_are_named() {
        let arm = Needs::read(&library(183, "libssl.so.3", &[("SSL_new", "OPENSSL_3.0.0")])).unwrap();
        assert_eq!(
            (arm.processor, arm.libraries.as_slice()),
            (Some("aarch64"), ["libssl.so.3".to_owned()].as_slice())
        );
        assert!(arm.check_old().unwrap_err().contains("libssl.so.3"));
        let gcc = |version: &str| {
            Needs::read(&library(62, "libgcc_s.so.1", &[("_Unwind_Resume", version)])).unwrap()
        };
        assert!(gcc("GCC_3.0").check_old().is_ok() && gcc("GCC_12.0.0").check_old().is_err());
        assert_eq!(Needs::read(&library(2, "libc.so.6", &[])).unwrap().processor, None);
    }

    #[test]
    fn what_is_no_library_is_refused_wherever_it_is_cut() {
        assert!(Needs::read(b"GLIBC_2.17").is_err());
        let whole = library(62, "libc.so.6", &[("malloc", "GLIBC_2.2.5")]);
        for length in 0..whole.len() {
            assert!(Needs::read(&whole[..length]).is_err(), "{length} bytes");
        }
        // A table whose steps lead to its own beginning, or far away, ends all the same.
        for at in 64..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] = 0xff;
            let _ = Needs::read(&damaged);
        }
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn what_a_real_linker_wrote_is_read() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let needs = Needs::read(&own).unwrap();
        assert_eq!(needs.processor, Some(std::env::consts::ARCH));
        assert!(needs.libraries.iter().any(|name| name == "libc.so.6"), "{:?}", needs.libraries);
        let symbols: Vec<&String> = needs.versions.values().flatten().collect();
        assert!(symbols.iter().any(|name| name.as_str() == "malloc"), "{symbols:?}");
        assert!(needs.glibc().unwrap() >= OLD_GLIBC);
    }
}
