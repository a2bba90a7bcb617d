//! The targets of a tool's own command: judged, made where they are missing, and held while the tool runs.
//!
//! A tool that finds every file there, and as large as it wants it, makes no name and removes none.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind as Os;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fathom_engine::{EngineError, ErrorKind};
use fathom_plan::RunOptions;
use fathom_target::filling::{Layout, lay_out};
use fathom_target::{OpenRequest, Permit, Target, TargetName, admit_all};
use fathom_tools::ToolTarget;
use fathom_tools::fio::map::is_of_a_device;

use crate::process_control;
use crate::write_cap;

/// Space that stays free when a file is made.
const KEEP_FREE_BYTES: u64 = 64 << 20;

/// Targets that a tool may now use.
#[derive(Debug, Default)]
pub struct HeldTargets {
    /// Open until the tool has ended: what is written is claimed for this process.
    open: Vec<Target>,
    /// Files that were made for the tool, with whether they go when it has ended.
    made: Vec<(PathBuf, bool)>,
    /// Files and devices that may be written.
    pub written: Vec<PathBuf>,
    /// Files and devices that are only read.
    pub read: Vec<PathBuf>,
}

impl HeldTargets {
    /// Judges all targets by what is there now, before the first is touched; then makes files that are missing and
    /// lengthens those that are shorter than the jobs ask for.
    ///
    /// # Errors
    /// When a target may not be written or would be laid out anew, is not there and may not be made, or is neither a
    /// file nor a block device. What was made until then is removed again.
    pub fn take(
        targets: &[ToolTarget],
        permits: &[String],
        check_empty: bool,
        stop: &AtomicBool,
    ) -> Result<Self, EngineError> {
        let mut found = Vec::with_capacity(targets.len());
        for target in targets {
            found.push(look(target)?);
        }
        let mut held = Self::default();
        let outcome = held.open_written(targets, &found, (permits, check_empty, stop)).and_then(|()| {
            targets.iter().zip(&found).try_for_each(|(target, found)| held.prepare(target, *found, stop))
        });
        let confirmed = outcome.and_then(|()| held.open.iter().try_for_each(Target::confirm));
        confirmed.inspect_err(|_| held.remove(|_| true))?;
        Ok(held)
    }

    /// Judges what is written, all together, and opens it so that nobody else begins to use it.
    fn open_written(
        &mut self,
        targets: &[ToolTarget],
        found: &[PathContent],
        (permits, check_empty, stop): (&[String], bool, &AtomicBool),
    ) -> Result<(), EngineError> {
        let mut names = BTreeSet::new();
        let mut missing = BTreeSet::new();
        for (target, found) in targets.iter().zip(found) {
            let path = Path::new(&target.path);
            match found {
                PathContent::Nothing => {
                    missing.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
                }
                // Names of one file are judged once.
                _ if target.writes => {
                    let place = || format!("finding {}", target.path);
                    names.insert(path.canonicalize().map_err(|error| EngineError::system(place(), &error))?);
                }
                _ => {}
            }
        }
        let names: Vec<TargetName> = names.into_iter().map(TargetName::Path).collect();
        if names.is_empty() {
            return Ok(());
        }
        // Words that name a file which is still to be made are meant for it.
        let permits: Vec<Permit> =
            permits.iter().filter(|words| !missing.contains(*words)).cloned().map(Permit).collect();
        let admitted = admit_all(&names, true, &permits, |_| None)?;
        let options = RunOptions { direct: false, check_empty, ..RunOptions::default() };
        for (name, permit) in names.iter().zip(&admitted.permits) {
            let request = OpenRequest {
                reads: false,
                writes: true,
                options: &options,
                permit: permit.as_ref(),
                stop,
                ..OpenRequest::default()
            };
            self.open.push(Target::open(name, &request)?);
        }
        Ok(())
    }

    fn prepare(
        &mut self,
        target: &ToolTarget,
        found: PathContent,
        stop: &AtomicBool,
    ) -> Result<(), EngineError> {
        let path = PathBuf::from(&target.path);
        let end_bytes = target.end_bytes.unwrap_or(0);
        match found {
            PathContent::Device => {}
            PathContent::File { bytes } if bytes >= end_bytes => {}
            PathContent::File { bytes } => {
                // Opened for writing above, so that it was judged.
                let file = File::options().write(true).open(&path);
                let file =
                    file.map_err(|error| EngineError::system(format!("opening {}", target.path), &error))?;
                fill(&file, bytes..end_bytes, target.reads, stop)?;
            }
            PathContent::Nothing => {
                let file = File::options().write(true).create_new(true).open(&path).map_err(|error| {
                    let place = format!("making the file {}", target.path);
                    match error.kind() {
                        Os::NotFound => EngineError::new(ErrorKind::NoSuchTarget, place, "no such folder")
                            .with_remedy("make the folder first: mkdir -p FOLDER"),
                        _ => EngineError::system(place, &error),
                    }
                })?;
                self.made.push((path.clone(), target.is_removed));
                fill(&file, 0..end_bytes, target.reads, stop)?;
            }
        }
        if target.writes {
            self.written.push(path)
        } else {
            self.read.push(path)
        }
        Ok(())
    }

    /// Removes what was made for the tool and is to go: all of it where the tool failed.
    pub fn release(mut self, failed: bool) {
        self.remove(|is_removed| failed || is_removed);
    }

    fn remove(&mut self, goes: impl Fn(bool) -> bool) {
        for (path, is_removed) in self.made.drain(..) {
            if goes(is_removed) {
                // Somebody else may have removed it already.
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Gives a file its length: written throughout where it is read before it is written, otherwise only given room.
fn fill(
    file: &File,
    range: std::ops::Range<u64>,
    throughout: bool,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    if throughout {
        write_cap::take_for_layout(range.end - range.start)?;
        let layout = Layout { seed: range.end, stop, progress: None, keep_free_bytes: KEEP_FREE_BYTES };
        return lay_out(file, range, &layout);
    }
    process_control::give_room(file, &range).map_err(|error| {
        EngineError::system("making room for the file", &error)
            .with_remedy("check the free space, or ask for a smaller size")
    })
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathContent {
    Nothing,
    File { bytes: u64 },
    Device,
}

fn look(target: &ToolTarget) -> Result<PathContent, EngineError> {
    let path = &target.path;
    let refuse = |kind: ErrorKind, cause: String, remedy: &str| {
        Err(EngineError::new(kind, format!("target {path}"), cause).with_remedy(remedy))
    };
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == Os::NotFound => return look_at_nothing(target),
        Err(error) => return Err(EngineError::system(format!("target {path}"), &error)),
    };
    if process_control::is_block_device(&meta) {
        return Ok(PathContent::Device);
    }
    if !meta.is_file() {
        let cause = "it is neither a file nor a block device".to_owned();
        return refuse(ErrorKind::NoSuchTarget, cause, "name a file or a block device");
    }
    let (bytes, wanted) = (meta.len(), target.end_bytes.unwrap_or(0));
    if target.is_removed {
        let cause = "unlink=1 would remove a file that was there before".to_owned();
        return refuse(ErrorKind::Refused, cause, "leave unlink out, or name a file that does not exist yet");
    }
    if bytes < wanted && !target.writes {
        let cause = format!(
            "refused, because it has {bytes} bytes and the job asks for {wanted}: fio would write the file anew, \
             also to read it"
        );
        return refuse(
            ErrorKind::Refused,
            cause,
            "ask for what is there (leave size out), or name another file",
        );
    }
    Ok(PathContent::File { bytes })
}

fn look_at_nothing(target: &ToolTarget) -> Result<PathContent, EngineError> {
    let path = &target.path;
    let refuse = |cause: &str, remedy: &str| {
        Err(EngineError::new(ErrorKind::NoSuchTarget, format!("target {path}"), cause).with_remedy(remedy))
    };
    if is_of_a_device(path) {
        return refuse("no such device", "`fathom devices` lists what is here");
    }
    if !target.may_be_made {
        return refuse(
            "no such file, and allow_file_create=0",
            "make it first, or leave allow_file_create out",
        );
    }
    if target.end_bytes.unwrap_or(0) == 0 {
        return refuse(
            "no such file, and the job gives no size to make it with",
            "add the size, e.g. size=1g",
        );
    }
    Ok(PathContent::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn target(path: &Path) -> ToolTarget {
        ToolTarget {
            path: path.to_str().unwrap().to_owned(),
            writes: false,
            reads: true,
            end_bytes: Some(8192),
            may_be_made: true,
            is_removed: false,
        }
    }

    #[test]
    fn a_missing_file_is_made_whole_and_goes_where_the_tool_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        for (failed, is_removed, stays) in [(false, false, true), (false, true, false), (true, false, false)]
        {
            let held =
                HeldTargets::take(&[ToolTarget { is_removed, ..target(&path) }], &[], false, &NEVER).unwrap();
            assert_eq!(held.read, std::slice::from_ref(&path));
            assert!(fs::read(&path).unwrap().chunks(512).all(|chunk| chunk.iter().any(|byte| *byte != 0)));
            held.release(failed);
            assert_eq!(path.exists(), stays);
            let _ = fs::remove_file(&path);
        }
    }

    #[test]
    fn what_is_there_is_not_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precious");
        fs::write(&path, [7; 4096]).unwrap();
        let refused = |target: ToolTarget, permits: &[String]| {
            let error = HeldTargets::take(&[target], permits, false, &NEVER).unwrap_err().to_string();
            assert_eq!(fs::read(&path).unwrap(), [7; 4096], "{error}");
            error
        };
        assert!(refused(target(&path), &[]).contains("write the file anew"));
        let written = ToolTarget { writes: true, ..target(&path) };
        assert!(refused(written.clone(), &[]).contains("--destroy precious"));
        assert!(refused(ToolTarget { is_removed: true, ..target(&path) }, &[]).contains("unlink=1"));
        assert!(refused(target(folder.path()), &[]).contains("neither a file nor a block device"));
        let missing = folder.path().join("none");
        let other = ToolTarget { may_be_made: false, ..target(&missing) };
        assert!(refused(other, &[]).contains("allow_file_create=0"));
        assert!(refused(ToolTarget { end_bytes: None, ..target(&missing) }, &[]).contains("no size"));
        assert!(refused(target(Path::new("/dev/no-such-device")), &[]).contains("no such device"));
        // One that is refused leaves nothing of the others behind.
        let several = [target(&missing), written.clone()];
        assert!(HeldTargets::take(&several, &[], false, &NEVER).is_err() && !missing.exists());

        let held = HeldTargets::take(&[written], &["precious".to_owned()], false, &NEVER).unwrap();
        assert_eq!(
            (held.written.as_slice(), fs::metadata(&path).unwrap().len()),
            ([path.clone()].as_slice(), 8192)
        );
        held.release(true);
        assert_eq!(fs::read(&path).unwrap()[..4096], [7; 4096], "it was there before");
    }
}
