//! diskspd's `-S` flags and `-h`: caches, write-through, memory mapping.

use crate::Fault;

/// How a target is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caching {
    /// Which caches are used.
    pub mode: CacheMode,
    /// Whether writes end on stable media.
    pub write_through: bool,
    /// Whether I/Os are copies within a mapping.
    pub mapped: bool,
    /// How a mapping is flushed after each write.
    pub flush: Option<Flush>,
}

/// Which caches are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// The system's file cache.
    #[default]
    Cached,
    /// The cache of a remote system alone.
    Remote,
    /// None: unbuffered.
    Unbuffered,
}

/// How a mapping is flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// `FlushViewOfFile`.
    View,
    /// Persistent memory, drained.
    Memory,
    /// Persistent memory, not drained.
    MemoryNoDrain,
}

/// Takes in the flags one after the other, as they may contradict each other.
#[derive(Clone, Copy, Debug, Default)]
pub struct CachingFlags {
    mode: Option<CacheMode>,
    write_through: bool,
    mapped: bool,
    flush: Option<Flush>,
}

impl CachingFlags {
    /// Takes the letters behind `-S`; none is `-S` alone.
    ///
    /// # Errors
    /// Which letter is unknown, or contradicts one before it.
    pub fn take(&mut self, letters: &str) -> Result<(), Fault> {
        if letters.is_empty() {
            return self.unbuffered("-S");
        }
        for letter in letters.chars() {
            let flag = format!("-S{letter}");
            match letter {
                'b' => self.set_mode(CacheMode::Cached, &flag)?,
                'r' => self.set_mode(CacheMode::Remote, &flag)?,
                'u' => self.unbuffered(&flag)?,
                'h' => self.both(&flag)?,
                'w' if !self.write_through => self.write_through = true,
                'm' if !self.mapped && self.mode != Some(CacheMode::Unbuffered) => self.mapped = true,
                // Flags of diskspd for Linux: O_DIRECT and O_SYNC alone.
                'd' => self.unbuffered(&flag)?,
                's' if !self.write_through => self.write_through = true,
                'w' | 'm' | 's' => return Err(format!("{flag} contradicts or repeats an earlier -S").into()),
                _ => return Err(format!("{flag} is unknown: behind -S stand b, h, m, r, u and w").into()),
            }
        }
        Ok(())
    }

    /// `-h`, or `-Sh`: neither cached nor buffered, written through.
    ///
    /// # Errors
    /// When an earlier flag set either.
    pub fn both(&mut self, flag: &str) -> Result<(), Fault> {
        if self.write_through {
            return Err(format!("{flag} contradicts or repeats an earlier -S or -h").into());
        }
        self.unbuffered(flag)?;
        self.write_through = true;
        Ok(())
    }

    /// Takes the letter behind `-N`.
    ///
    /// # Errors
    /// When it is unknown.
    pub fn take_flush(&mut self, letter: &str) -> Result<(), Fault> {
        self.flush = Some(match letter {
            "v" => Flush::View,
            "n" => Flush::Memory,
            "i" => Flush::MemoryNoDrain,
            _ => return Err("behind -N stands v, n or i".into()),
        });
        Ok(())
    }

    fn unbuffered(&mut self, flag: &str) -> Result<(), Fault> {
        if self.mapped {
            return Err(format!("{flag} contradicts -Sm: a mapping is the cache").into());
        }
        self.set_mode(CacheMode::Unbuffered, flag)
    }

    fn set_mode(&mut self, mode: CacheMode, flag: &str) -> Result<(), Fault> {
        match self.mode.replace(mode) {
            None => Ok(()),
            Some(_) => Err(format!("{flag} contradicts or repeats an earlier -S or -h").into()),
        }
    }

    /// What they amount to.
    ///
    /// # Errors
    /// When a flush is asked for and nothing is mapped.
    pub fn result(self) -> Result<Caching, Fault> {
        if self.flush.is_some() && !self.mapped {
            return Err("-N flushes a mapping, and there is none: add -Sm".into());
        }
        Ok(Caching {
            mode: self.mode.unwrap_or_default(),
            write_through: self.write_through,
            mapped: self.mapped,
            flush: self.flush,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flags: &[&str]) -> Result<Caching, Fault> {
        let mut taken = CachingFlags::default();
        for flag in flags {
            match *flag {
                "-h" => taken.both("-h")?,
                flag => taken.take(flag.strip_prefix("-S").expect("one of -S"))?,
            }
        }
        taken.result()
    }

    #[test]
    fn flags_are_read_as_diskspd_does() {
        let direct =
            |write_through| Caching { mode: CacheMode::Unbuffered, write_through, ..Caching::default() };
        assert_eq!(read(&["-Sh"]), Ok(direct(true)));
        assert_eq!(read(&["-h"]), Ok(direct(true)));
        assert_eq!(read(&["-Sw", "-Su"]), Ok(direct(true)));
        assert_eq!(read(&["-Suw"]), Ok(direct(true)));
        assert_eq!(read(&["-S"]), Ok(direct(false)));
        assert_eq!(read(&[]), Ok(Caching::default()));
        for wrong in [
            &["-Sub"][..],
            &["-Sbu"],
            &["-Sru"],
            &["-Smu"],
            &["-Sb", "-h"],
            &["-h", "-Sb"],
            &["-Sm", "-h"],
            &["-Suw", "-h"],
            &["-h", "-Suw"],
            &["-S", "-Su"],
            &["-Sb", "-Sb"],
            &["-Sm", "-Sm"],
            &["-Sx"],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
