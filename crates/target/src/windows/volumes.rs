//! The volumes of this machine: where each lies, is mounted, and what it is to the system. Each is opened without a right to
//! read or to write.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::ptr;

use windows_sys::Win32::Foundation::{ERROR_NO_MORE_FILES, HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    FindFirstVolumeW, FindNextVolumeW, FindVolumeClose, GetVolumeNameForVolumeMountPointW,
    GetVolumePathNamesForVolumeNameW,
};
use windows_sys::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_MULTI_SZ, RegGetValueW};
use windows_sys::Win32::System::SystemInformation::GetSystemWindowsDirectoryW;

use super::call;
use super::drives::{NUMBER, control};
use super::handle::SHARED;
use crate::drives::{Role, Volume, digits, drives_of};

/// `IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS`.
pub const EXTENTS: u32 = 0x0056_0000;
/// Volumes that are looked for.
const VOLUMES_MAX: usize = 1024;
/// Room for a name, and for the places of one volume, in units of UTF-16.
const NAME_UNITS: usize = 64;
const PLACES_UNITS: usize = 4096;
/// Where the system says which files it pages to.
const MEMORY: &str = r"SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management";
const PAGING: [&str; 2] = ["ExistingPageFiles", "PagingFiles"];

/// A search that is under way.
struct Search(HANDLE);

impl Drop for Search {
    fn drop(&mut self) {
        // SAFETY: the search was begun by the system, and nobody else has it.
        unsafe { FindVolumeClose(self.0) };
    }
}

/// All volumes, and whether the system listed them to the last one.
pub fn volumes() -> (Vec<Volume>, bool) {
    let mut found = Vec::new();
    let mut name = [0u16; NAME_UNITS];
    // SAFETY: the place is as many units as is said.
    let search = unsafe { FindFirstVolumeW(name.as_mut_ptr(), name.len() as u32) };
    if search == INVALID_HANDLE_VALUE {
        return (found, false);
    }
    let search = Search(search);
    let (system, paging) = (system_folder(), paging_files());
    while found.len() < VOLUMES_MAX {
        found.push(volume(&name, &system, &paging));
        // SAFETY: the search is open, and the place is as many units as is said.
        if unsafe { FindNextVolumeW(search.0, name.as_mut_ptr(), name.len() as u32) } == 0 {
            let why = io::Error::last_os_error().raw_os_error();
            return (found, why == Some(ERROR_NO_MORE_FILES as i32));
        }
    }
    (found, false)
}

/// The numbers of the drives that the volume of a root lies on; none where it does not say, as on a network.
pub fn drives_under(root: &str) -> Vec<u32> {
    let root: Vec<u16> = root.encode_utf16().chain([0]).collect();
    let mut name = [0u16; NAME_UNITS];
    // SAFETY: the root ends in a zero, and the place is as many units as is said.
    let done =
        unsafe { GetVolumeNameForVolumeMountPointW(root.as_ptr(), name.as_mut_ptr(), name.len() as u32) };
    let bytes = if done == 0 { None } else { asked(&until_zero(&name), EXTENTS) };
    bytes.and_then(|bytes| drives_of(&bytes)).unwrap_or_default()
}

/// What a volume answers to a question, e.g. where it lies.
fn asked(name: &str, code: u32) -> Option<Vec<u8>> {
    // With a backslash at its end it would be the volume's first folder.
    let volume = File::options().access_mode(0).share_mode(SHARED).open(name.trim_end_matches('\\')).ok()?;
    control(&volume, code, &[]).ok()
}

fn volume(name: &[u16], system: &str, paging: &[String]) -> Volume {
    let places = places(name);
    let begins = |file: &str| {
        let file = file.trim_start_matches(r"\??\").to_lowercase();
        places.iter().any(|place| !place.is_empty() && file.starts_with(&place.to_lowercase()))
    };
    let mut roles = Vec::new();
    if begins(system) {
        roles.push(Role::System);
    }
    if paging.iter().any(|file| begins(file)) {
        roles.push(Role::Paging);
    }
    let text = until_zero(name);
    Volume {
        file_system: call::file_system(name).ok().filter(|kind| !kind.is_empty()),
        extents: asked(&text, EXTENTS).map(|bytes| digits(&bytes)),
        device: asked(&text, NUMBER).map(|bytes| digits(&bytes)),
        name: text,
        places,
        roles,
    }
}

/// Letters and folders that a volume is mounted at.
fn places(name: &[u16]) -> Vec<String> {
    let mut units = [0u16; PLACES_UNITS];
    let mut length = 0;
    // SAFETY: the name ends in a zero, and the place is as many units as is said.
    let done = unsafe {
        GetVolumePathNamesForVolumeNameW(name.as_ptr(), units.as_mut_ptr(), units.len() as u32, &mut length)
    };
    if done == 0 { Vec::new() } else { texts(&units) }
}

/// Where the system lies.
fn system_folder() -> String {
    let mut units = [0u16; PLACES_UNITS];
    // SAFETY: the place is as many units as is said.
    unsafe { GetSystemWindowsDirectoryW(units.as_mut_ptr(), units.len() as u32) };
    until_zero(&units)
}

/// Files that memory is paged to, each with what stands behind its name.
fn paging_files() -> Vec<String> {
    PAGING.iter().flat_map(|value| setting(value)).collect()
}

fn setting(value: &str) -> Vec<String> {
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, value) = (wide(MEMORY), wide(value));
    let mut units = [0u16; PLACES_UNITS];
    let mut bytes = size_of_val(&units) as u32;
    // SAFETY: both names end in a zero, and the place is as many bytes as is said.
    let failed = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            value.as_ptr(),
            RRF_RT_REG_MULTI_SZ,
            ptr::null_mut(),
            units.as_mut_ptr().cast(),
            &mut bytes,
        )
    };
    if failed == 0 { texts(&units) } else { Vec::new() }
}

/// Texts one behind the other, up to an empty one.
fn texts(units: &[u16]) -> Vec<String> {
    units.split(|unit| *unit == 0).take_while(|text| !text.is_empty()).map(String::from_utf16_lossy).collect()
}

fn until_zero(units: &[u16]) -> String {
    String::from_utf16_lossy(units.split(|unit| *unit == 0).next().unwrap_or_default())
}
