//! The calls that a program made on files of the lab, from what strace wrote.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// System calls that are traced.
pub const CALLS: &str = "openat,open,lseek,read,write,readv,writev,pread64,pwrite64,preadv,pwritev,preadv2,pwritev2,\
                         io_submit,fsync,fdatasync,sync_file_range,syncfs,msync,fadvise64,fallocate,ftruncate,ioctl";

/// Which way data went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    Read,
    Write,
    Trim,
}

impl Way {
    /// fio's word, which is also its key in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
        }
    }
}

/// One call, or one I/O of a call that submits several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// `flags` are those of the descriptor that matter to durability and caching.
    Io { way: Way, offset: u64, bytes: u64, flags: String },
    /// `io_submit` with so many I/Os.
    Submit(u64),
    /// A flush, by the call's name.
    Sync(String),
    /// Advice about the cache, by its name.
    Advice(String),
}

/// What was done to which file, by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub thread: u32,
    /// By a thread on which files are laid out, and no job runs.
    pub lays_out: bool,
    /// Name below the lab's folder, or the device.
    pub file: String,
    pub act: Act,
}

/// Reads a trace of `strace -f -y -Y -v`; files outside of `here` and of the devices are left out. The thread that the
/// program began with lays files out; so do all that have its name, where `named_jobs` says that jobs have others.
pub fn read(text: &str, here: &Path, devices: &[String], named_jobs: bool) -> Vec<Call> {
    let mut reader =
        Reader { here: format!("{}/", here.display()), devices, named_jobs, ..Reader::default() };
    for line in text.lines() {
        reader.line(line);
    }
    reader.calls
}

#[derive(Default)]
struct Reader<'a> {
    here: String,
    devices: &'a [String],
    named_jobs: bool,
    /// The first thread, and its name.
    main: Option<(u32, String)>,
    laying_out: bool,
    /// Calls that another thread's line came into.
    begun: HashMap<u32, String>,
    /// Flags of descriptors, by thread and number; those of a process's other threads under the number alone.
    flags: HashMap<(Option<u32>, String), String>,
    /// Where the next `read` or `write` without an offset goes.
    positions: BTreeMap<(u32, String), u64>,
    calls: Vec<Call>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) {
        let Some((thread, rest)) = line.split_once(' ') else { return };
        let (thread, name) = thread.trim_end_matches('>').split_once('<').unwrap_or((thread, ""));
        let Ok(thread) = thread.parse::<u32>() else { return };
        let (main, main_name) = self.main.get_or_insert_with(|| (thread, name.to_owned()));
        // Until it runs the program, the first thread has the name of what started it.
        if *main == thread {
            name.clone_into(main_name);
        }
        self.laying_out = *main == thread || self.named_jobs && main_name == name;
        let rest = rest.trim_start();
        if let Some(begun) = rest.strip_suffix("<unfinished ...>") {
            self.begun.insert(thread, begun.trim_end().to_owned());
            return;
        }
        let whole = match rest.strip_prefix("<... ").and_then(|rest| rest.split_once("resumed>")) {
            Some((_, end)) => match self.begun.remove(&thread) {
                Some(begun) => format!("{begun}{end}"),
                None => return,
            },
            None => rest.to_owned(),
        };
        let Some((name, rest)) = whole.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        let arguments = arguments.trim_end().trim_end_matches(')');
        self.call(thread, name, arguments, result);
    }

    fn call(&mut self, thread: u32, name: &str, arguments: &str, result: &str) {
        if name == "io_submit" {
            return self.submitted(thread, arguments);
        }
        let parts: Vec<&str> = arguments.split(", ").collect();
        let number = |at: usize| parts.get(at).and_then(|part| part.parse::<u64>().ok());
        let moved = || result.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
        if name == "open" || name == "openat" {
            let flags = parts.iter().find(|part| part.starts_with("O_")).map_or("", |flags| flags);
            return self.opened(thread, flags, result);
        }
        let Some((file, descriptor)) = parts.first().and_then(|first| self.file(first)) else { return };
        let way = if name.contains("read") { Way::Read } else { Way::Write };
        let act = match name {
            "lseek" => {
                self.positions.insert((thread, descriptor), moved().unwrap_or(0));
                return;
            }
            "read" | "write" | "readv" | "writev" => {
                let Some(bytes) = moved() else { return };
                let flags = self.flags_of(thread, &descriptor);
                let position = self.positions.entry((thread, descriptor)).or_default();
                let offset = *position;
                *position += bytes;
                Act::Io { way, offset, bytes, flags }
            }
            "pread64" | "pwrite64" | "preadv" | "pwritev" | "preadv2" | "pwritev2" => {
                // The offset is last, but for the flags of the newest calls.
                let offset = number(parts.len() - if name.ends_with('2') { 2 } else { 1 });
                let (Some(offset), Some(bytes)) = (offset, moved()) else { return };
                Act::Io { way, offset, bytes, flags: self.flags_of(thread, &descriptor) }
            }
            "fallocate" if arguments.contains("PUNCH_HOLE") => {
                let (Some(offset), Some(bytes)) = (number(2), number(3)) else { return };
                Act::Io { way: Way::Trim, offset, bytes, flags: String::new() }
            }
            "ioctl" if arguments.contains("BLKDISCARD") => match discarded(arguments) {
                Some((offset, bytes)) => Act::Io { way: Way::Trim, offset, bytes, flags: String::new() },
                None => return,
            },
            "ioctl" if arguments.contains("BLKFLSBUF") => Act::Advice("BLKFLSBUF".to_owned()),
            "fadvise64" => {
                Act::Advice(parts.last().unwrap_or(&"").trim_start_matches("POSIX_FADV_").to_owned())
            }
            "fsync" | "fdatasync" | "sync_file_range" | "syncfs" | "msync" => Act::Sync(name.to_owned()),
            _ => return,
        };
        self.push(thread, file, act);
    }

    fn opened(&mut self, thread: u32, flags: &str, result: &str) {
        let Some((_, descriptor)) = self.file(result) else { return };
        let kept: Vec<&str> =
            flags.split('|').filter(|flag| ["O_DIRECT", "O_SYNC", "O_DSYNC"].contains(flag)).collect();
        let kept = kept.join("|");
        self.flags.insert((Some(thread), descriptor.clone()), kept.clone());
        self.flags.insert((None, descriptor), kept);
    }

    fn flags_of(&self, thread: u32, descriptor: &str) -> String {
        let own = self.flags.get(&(Some(thread), descriptor.to_owned()));
        own.or_else(|| self.flags.get(&(None, descriptor.to_owned()))).cloned().unwrap_or_default()
    }

    fn submitted(&mut self, thread: u32, arguments: &str) {
        let items: Vec<&str> = arguments.split("aio_lio_opcode=").skip(1).collect();
        let mut count = 0;
        let mut last = None;
        for item in items {
            let value = |key: &str| {
                let (_, rest) = item.split_once(&format!("{key}="))?;
                Some(rest.split([',', '}']).next().unwrap_or(rest))
            };
            let number = |key: &str| value(key).and_then(|value| value.parse::<u64>().ok());
            let Some((file, descriptor)) = value("aio_fildes").and_then(|value| self.file(value)) else {
                continue;
            };
            let act = if item.starts_with("IOCB_CMD_FDSYNC") {
                Act::Sync("fdatasync".to_owned())
            } else if item.starts_with("IOCB_CMD_FSYNC") {
                Act::Sync("fsync".to_owned())
            } else {
                let way = if item.starts_with("IOCB_CMD_PREAD") { Way::Read } else { Way::Write };
                let (Some(offset), Some(bytes)) = (number("aio_offset"), number("aio_nbytes")) else {
                    continue;
                };
                count += 1;
                Act::Io { way, offset, bytes, flags: self.flags_of(thread, &descriptor) }
            };
            last = Some(file.clone());
            self.push(thread, file, act);
        }
        if let Some(file) = last.filter(|_| count > 0) {
            self.push(thread, file, Act::Submit(count));
        }
    }

    /// Name and key of a descriptor of ours, as `5</folder/here/data>`.
    fn file(&self, written: &str) -> Option<(String, String)> {
        let (number, path) = written.split_once('<')?;
        let path = path.split_once('>').map_or(path, |(path, _)| path);
        let path = path.trim_end_matches(" (deleted)");
        let name = match path.strip_prefix(&self.here) {
            // Logs, whatever they are called while they are written, and states are no targets.
            Some(name)
                if name.ends_with(".log") || name.ends_with("-verify.state") || name.starts_with('.') =>
            {
                return None;
            }
            Some(name) => name.to_owned(),
            None => self.devices.iter().find(|device| **device == path)?.clone(),
        };
        Some((name.clone(), format!("{number}<{name}")))
    }

    fn push(&mut self, thread: u32, file: String, act: Act) {
        self.calls.push(Call { thread, lays_out: self.laying_out, file, act });
    }
}

/// Offset and length of a discard, as `BLKDISCARD, [4096, 8192]`.
fn discarded(arguments: &str) -> Option<(u64, u64)> {
    let (_, rest) = arguments.split_once("BLKDISCARD")?;
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<u64>().ok());
    Some((numbers.next()?, numbers.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = r#"10<fathom> openat(AT_FDCWD</t>, "data", O_RDONLY) = 3</t/here/data>
10<fathom> pread64(3</t/here/data>, ""..., 4096, 0) = 4096
11<job-0> openat(AT_FDCWD</t>, "data", O_RDWR|O_CREAT|O_DIRECT, 0600) = 3</t/here/data>
11<job-0> fadvise64(3</t/here/data>, 0, 4096, POSIX_FADV_DONTNEED) = 0
11<job-0> pread64(3</t/here/data>,  <unfinished ...>
12<fathom> fsync(3</t/here/data>)            = 0
11<job-0> <... pread64 resumed>""..., 4096, 8192) = 4096
11<job-0> io_submit(0x7f, 2, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3</t/here/data>, aio_buf=0x7f, aio_nbytes=512, aio_offset=1024}, {aio_data=0x1, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3</t/here/data>, aio_buf=""..., aio_nbytes=4096, aio_offset=12288}]) = 2
11<job-0> lseek(4</t/here/sub/b>, 4096, SEEK_SET) = 4096
11<job-0> write(4</t/here/sub/b>, ""..., 100) = 100
11<job-0> write(4</t/here/sub/b>, ""..., 100) = 100
11<job-0> read(5</etc/passwd>, ""..., 100) = 100
11<job-0> ioctl(6</dev/loop9>, BLKDISCARD, [4096, 8192]) = 0
11<job-0> ioctl(6</dev/loop8>, BLKDISCARD, [4096, 8192]) = 0
"#;

    #[test]
    fn calls_on_the_lab_s_files_are_read() {
        let calls = read(TRACE, Path::new("/t/here"), &["/dev/loop9".to_owned()], true);
        let shown: Vec<String> = calls
            .iter()
            .map(|call| {
                let act = match &call.act {
                    Act::Io { way, offset, bytes, flags } => {
                        format!("{} {offset}+{bytes} {flags}", way.name())
                    }
                    Act::Submit(count) => format!("submit {count}"),
                    Act::Sync(name) | Act::Advice(name) => name.clone(),
                };
                format!("{}{} {} {act}", call.thread, if call.lays_out { "m" } else { "" }, call.file)
            })
            .collect();
        let expected = [
            "10m data read 0+4096 ",
            "11 data DONTNEED",
            "12m data fsync",
            "11 data read 8192+4096 O_DIRECT",
            "11 data read 1024+512 O_DIRECT",
            "11 data write 12288+4096 O_DIRECT",
            "11 data submit 2",
            "11 sub/b write 4096+100 ",
            "11 sub/b write 4196+100 ",
            "11 /dev/loop9 trim 4096+8192 ",
        ];
        assert_eq!(shown, expected);
    }
}
