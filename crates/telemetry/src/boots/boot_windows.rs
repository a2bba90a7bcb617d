//! From the kernel's own answers, and the registry.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::ffi::OsStr;
use std::io;
use std::mem::size_of;
use std::os::windows::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr;

use windows_sys::Wdk::System::SystemInformation::{NtQuerySystemInformation, SystemTimeOfDayInformation};
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, REG_DWORD, REG_QWORD, RRF_RT_REG_DWORD, RRF_RT_REG_QWORD,
    RRF_RT_REG_SZ, RegGetValueW,
};
use windows_sys::Win32::System::SystemInformation::GetTickCount64;
use windows_sys::Win32::System::Threading::GetSystemTimes;

use super::{ProcessorTime, absent};
use crate::Root;

/// Where the system says its version.
const VERSION: &str = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
/// Bytes of a value of the registry that are read.
const VALUE_BYTES: usize = 1024;

/// The moment of the start less what the clock was set by since: the same as long as the machine is up.
pub(super) fn id(_: &Root) -> io::Result<String> {
    // BootTime, CurrentTime, TimeZoneBias, TimeZoneId and a gap, BootTimeBias, SleepTimeBias, each of eight bytes.
    let mut words = [0_u64; 6];
    // SAFETY: the place is as long as is said, and any bytes in it are numbers.
    let status = unsafe {
        NtQuerySystemInformation(
            SystemTimeOfDayInformation,
            words.as_mut_ptr().cast(),
            size_of::<[u64; 6]>() as u32,
            ptr::null_mut(),
        )
    };
    if status < 0 || words[0] == 0 {
        return Err(absent("the moment of the start"));
    }
    Ok(format!("{:016x}", words[0].wrapping_sub(words[4])))
}

pub(super) fn up_s(_: &Root) -> Option<f64> {
    // SAFETY: it takes nothing.
    Some(unsafe { GetTickCount64() } as f64 / 1e3)
}

pub(super) fn processor_time(_: &Root) -> Option<ProcessorTime> {
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut idle, mut kernel, mut user) = (zero, zero, zero);
    // SAFETY: three places of the right type.
    let done = unsafe { GetSystemTimes(&mut idle, &mut kernel, &mut user) };
    let ticks = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    // The kernel's time holds the idle one.
    let all = ticks(kernel).saturating_add(ticks(user));
    (done != 0).then(|| ProcessorTime { busy: all.saturating_sub(ticks(idle)), all })
}

pub(super) fn kernel(_: &Root) -> io::Result<String> {
    let part = |name: &str| registry(&format!("{VERSION}\\{name}"));
    // Updates of a build count from 0, and older systems had none.
    let update = part("UBR").unwrap_or_else(|_| "0".to_owned());
    Ok(format!("10.0.{}.{update}", part("CurrentBuildNumber")?))
}

/// Paths of this system begin with a drive: no other root stands for it.
pub(super) fn place(_: &Root, path: &str) -> PathBuf {
    PathBuf::from(path)
}

pub(super) fn sysctl(_: &Root, _: &str) -> io::Result<String> {
    Err(absent("a parameter of the kernel"))
}

pub(super) fn driver(_: &Root, _: &str) -> io::Result<String> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "drivers of devices are not read on this system: mark the side by registry: or kernel",
    ))
}

/// A number in decimal digits, or a text.
pub(super) fn registry(name: &str) -> io::Result<String> {
    let (hive, rest) = name.split_once('\\').ok_or_else(|| absent(name))?;
    let (key, value) = rest.rsplit_once('\\').ok_or_else(|| absent(name))?;
    let hive: HKEY = match hive {
        "HKLM" | "HKEY_LOCAL_MACHINE" => HKEY_LOCAL_MACHINE,
        "HKCU" | "HKEY_CURRENT_USER" => HKEY_CURRENT_USER,
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "a key begins with HKLM or HKCU")),
    };
    let wide = |text: &str| OsStr::new(text).encode_wide().chain([0]).collect::<Vec<u16>>();
    let (key, value) = (wide(key), wide(value));
    let mut bytes = [0_u8; VALUE_BYTES];
    let (mut kind, mut length) = (0, VALUE_BYTES as u32);
    // SAFETY: both names end in 0, and the place is as long as is said.
    let status = unsafe {
        RegGetValueW(
            hive,
            key.as_ptr(),
            value.as_ptr(),
            RRF_RT_REG_DWORD | RRF_RT_REG_QWORD | RRF_RT_REG_SZ,
            &mut kind,
            bytes.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if status != 0 {
        return Err(io::Error::from_raw_os_error(status as i32));
    }
    let bytes = &bytes[..(length as usize).min(VALUE_BYTES)];
    Ok(match kind {
        REG_DWORD | REG_QWORD => {
            let mut number = [0; 8];
            number[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
            u64::from_le_bytes(number).to_string()
        }
        _ => {
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            String::from_utf16_lossy(&units).trim_end_matches('\0').trim().to_owned()
        }
    })
}
