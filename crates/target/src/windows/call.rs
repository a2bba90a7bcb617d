//! The calls of the system by a handle, each with what it answers.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle};

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, GetDiskFreeSpaceExW, GetDiskFreeSpaceW, GetFileInformationByHandle,
    GetFinalPathNameByHandleW, GetVolumeInformationW, GetVolumePathNameW, ReOpenFile,
};

use super::in_use::{FileId, FileState};

/// What is known of the volume that a file is in.
#[derive(Debug)]
pub struct Volume {
    /// Its root.
    pub root: String,
    /// The file system in it, as `NTFS`.
    pub file_system: String,
    /// Its size.
    pub total_bytes: u64,
    /// What this user may still write.
    pub free_bytes: u64,
    /// Unit of I/O past the cache.
    pub sector_bytes: u32,
}

/// Opens what a handle stands for once more, by rights, sharing and flags of `CreateFile`.
pub fn reopen(file: &File, access: u32, share: u32, flags: u32) -> io::Result<File> {
    // SAFETY: the handle is open for the length of the call.
    let opened = unsafe { ReOpenFile(file.as_raw_handle(), access, share, flags) };
    if opened == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has just made it, and nobody else has it.
    Ok(unsafe { File::from_raw_handle(opened) })
}

/// What the system says of an open file.
pub fn look(file: &File) -> io::Result<FileState> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and the place is one such structure.
    let done = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &mut found) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    Ok(FileState {
        attributes: found.dwFileAttributes,
        links: found.nNumberOfLinks,
        size_bytes: pair(found.nFileSizeHigh, found.nFileSizeLow),
        id: FileId {
            volume: found.dwVolumeSerialNumber,
            index: pair(found.nFileIndexHigh, found.nFileIndexLow),
        },
    })
}

/// The whole path of an open file or folder, without the zero at its end.
fn final_path(file: &File) -> io::Result<Vec<u16>> {
    let mut path = vec![0u16; 512];
    loop {
        let room = path.len() as u32;
        // SAFETY: the handle is open, and the place is as many units as is said.
        let needed =
            unsafe { GetFinalPathNameByHandleW(file.as_raw_handle(), path.as_mut_ptr(), room, 0) } as usize;
        match needed {
            0 => return Err(io::Error::last_os_error()),
            _ if needed < path.len() => {
                path.truncate(needed);
                return Ok(path);
            }
            // It does not fit, and the zero at its end is counted too.
            _ => path.resize(needed + 1, 0),
        }
    }
}

/// The same as text, for people.
pub fn path_of(file: &File) -> io::Result<String> {
    let path = String::from_utf16_lossy(&final_path(file)?);
    Ok(path.strip_prefix(r"\\?\").map(str::to_owned).unwrap_or(path))
}

/// The volume of an open file or folder.
pub fn volume(file: &File) -> io::Result<Volume> {
    let mut path = final_path(file)?;
    path.push(0);
    let mut root = vec![0u16; path.len() + 1];
    // SAFETY: the path ends in a zero, and the place is as many units as is said.
    let done = unsafe { GetVolumePathNameW(path.as_ptr(), root.as_mut_ptr(), root.len() as u32) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let (mut free_bytes, mut total_bytes) = (0, 0);
    // SAFETY: the root ends in a zero, and the places are numbers; the third is not asked for.
    let done = unsafe {
        GetDiskFreeSpaceExW(root.as_ptr(), &mut free_bytes, &mut total_bytes, std::ptr::null_mut())
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let (mut sectors, mut sector_bytes, mut free, mut all) = (0, 0, 0, 0);
    // SAFETY: the root ends in a zero, and the places are numbers.
    let done =
        unsafe { GetDiskFreeSpaceW(root.as_ptr(), &mut sectors, &mut sector_bytes, &mut free, &mut all) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let file_system = file_system(&root)?;
    Ok(Volume { root: text(&root), file_system, total_bytes, free_bytes, sector_bytes })
}

/// The name of the file system in a volume; its root ends in a zero.
pub fn file_system(root: &[u16]) -> io::Result<String> {
    let mut name = [0u16; 64];
    let nothing = std::ptr::null_mut();
    // SAFETY: the root ends in a zero, the place is as many units as is said, and what is null is not asked for.
    let done = unsafe {
        GetVolumeInformationW(
            root.as_ptr(),
            std::ptr::null_mut(),
            0,
            nothing,
            nothing,
            nothing,
            name.as_mut_ptr(),
            name.len() as u32,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(text(&name)) }
}

/// What stands before the zero.
fn text(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    let text = String::from_utf16_lossy(&units[..end]);
    text.strip_prefix(r"\\?\").map(str::to_owned).unwrap_or(text)
}
