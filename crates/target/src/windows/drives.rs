//! Asks the drives of this machine what they are. Each is opened without a right to read or to write, and every question is
//! one that changes nothing.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::ptr;

use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, ERROR_IO_PENDING};
use windows_sys::Win32::System::IO::{DeviceIoControl, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_DWORD, RegGetValueW};

use super::drivers::drivers;
use super::handle::SHARED;
use super::volumes::{self, volumes};
use crate::drives::{Answer, Capture, Drive, Driver, Question, SETTINGS, Setting, Volume};
use crate::{Device, Error};

/// Numbers beyond this are not tried; they are given from 0 on, and gaps are few.
const NUMBERS: u32 = 256;
/// Missing ones in a row after which none is expected any more.
const GAP_MAX: u32 = 32;
/// Room for an answer; tables of many partitions are the largest.
const ANSWER_BYTES: usize = 32 << 10;

/// `IOCTL_STORAGE_QUERY_PROPERTY`, by the number of a property.
const QUERY_PROPERTY: u32 = 0x002d_1400;
const GEOMETRY: u32 = 0x0007_00a0;
const LAYOUT: u32 = 0x0007_0050;
const ATTRIBUTES: u32 = 0x0007_00f0;
/// `IOCTL_STORAGE_GET_DEVICE_NUMBER`.
pub const NUMBER: u32 = 0x002d_1080;
const WRITABLE: u32 = 0x0007_0024;
const CLUSTERED: u32 = 0x0007_00f8;
/// `StorageDeviceProtocolSpecificProperty`, for NVMe, a log page.
const PROTOCOL_PROPERTY: u32 = 50;
const PROTOCOL_NVME: u32 = 3;
const LOG_PAGE: u32 = 2;
/// Length of the structure that asks for it, which the data follows, and of the data.
const PROTOCOL_DATA: u32 = 40;
const PAGE_BYTES: u32 = 512;

/// Where the settings are, in their order: key and value below the machine's own settings.
const PLACES: [(&str, &str); 3] = [
    (r"SYSTEM\CurrentControlSet\Services\disk\Enum", "Count"),
    (r"SYSTEM\CurrentControlSet\Services\nvmedisk\Enum", "Count"),
    (r"SYSTEM\CurrentControlSet\Policies\Microsoft\FeatureManagement\Overrides", "1176759950"),
];

/// The drives of this machine as devices.
///
/// # Errors
/// None: a drive that cannot be opened says so in its answers.
pub fn devices() -> Result<Vec<Device>, Error> {
    Ok(capture()?.devices())
}

/// The driver of a drive's class, as `disk` or `nvmedisk`, by the drive's name or serial number, which stays the same when
/// drives are numbered anew.
pub fn class_driver(device: &str) -> Option<String> {
    capture().ok()?.class_driver(device)
}

/// Hardware queues of a drive that take polled I/O and no other, which Windows has none of.
pub const fn polled_queues(_: &str) -> Option<u64> {
    None
}

/// What the drives of this machine answer.
///
/// # Errors
/// None.
pub fn capture() -> Result<Capture, Error> {
    let (mut drives, mut gap) = (Vec::new(), 0);
    let mut named = drivers();
    for number in 0..NUMBERS {
        match drive(number, &mut named) {
            Some(drive) => drives.push(drive),
            None if gap + 1 == GAP_MAX => break,
            None => {
                gap += 1;
                continue;
            }
        }
        gap = 0;
    }
    Ok(captured(drives, volumes()))
}

/// The same, with what a drive answers that is open: by its handle, whatever its name stands for by now.
pub fn around(drive: &File, number: u32) -> Result<Capture, Error> {
    let mut machine = capture()?;
    let by_name = machine.drives.iter().position(|known| known.number == number);
    let drivers = by_name.map(|at| machine.drives.remove(at).drivers).unwrap_or_default();
    machine.drives.push(Drive { number, answers: answers(drive), drivers });
    Ok(machine)
}

/// What is known of the drives that the volume of a root lies on, as `C:\`; nothing where it does not say.
pub fn under(root: &str) -> Vec<Device> {
    let numbers = volumes::drives_under(root);
    if numbers.is_empty() {
        return Vec::new();
    }
    let mut named = drivers();
    let drives = numbers.into_iter().filter_map(|number| drive(number, &mut named)).collect();
    captured(drives, (Vec::new(), false)).devices()
}

fn captured(drives: Vec<Drive>, (volumes, volumes_listed): (Vec<Volume>, bool)) -> Capture {
    let settings = SETTINGS.iter().zip(PLACES);
    let settings = settings.map(|(name, place)| Setting { name: (*name).to_owned(), value: setting(place) });
    let settings = settings.collect();
    let format = Capture::FORMAT.to_owned();
    Capture { format, version: Capture::VERSION, settings, drives, volumes, volumes_listed }
}

/// What a drive answers; none where there is no drive of this number.
fn drive(number: u32, named: &mut HashMap<u32, Vec<Driver>>) -> Option<Drive> {
    let opened =
        File::options().access_mode(0).share_mode(SHARED).open(format!(r"\\.\PhysicalDrive{number}"));
    let answers = match opened {
        Ok(drive) => answers(&drive),
        Err(error) if error.raw_os_error() == Some(ERROR_FILE_NOT_FOUND as i32) => return None,
        Err(error) => vec![Answer::of(Question::Descriptor, Err(error.raw_os_error().unwrap_or(0)))],
    };
    Some(Drive { number, answers, drivers: named.remove(&number).unwrap_or_default() })
}

/// All questions.
fn answers(drive: &File) -> Vec<Answer> {
    Question::ALL.iter().map(|question| Answer::of(*question, ask(drive, *question))).collect()
}

/// One question.
pub fn ask(drive: &File, question: Question) -> Result<Vec<u8>, i32> {
    let property = |number: u32| (QUERY_PROPERTY, [number, 0, 0].map(u32::to_le_bytes).concat());
    let page = |number: u32| {
        let ask =
            [PROTOCOL_PROPERTY, 0, PROTOCOL_NVME, LOG_PAGE, number, 0, PROTOCOL_DATA, PAGE_BYTES, 0, 0, 0, 0];
        let mut input = ask.map(u32::to_le_bytes).concat();
        // Drivers want the room of the data in what they are asked with too.
        input.resize(input.len() + PAGE_BYTES as usize, 0);
        (QUERY_PROPERTY, input)
    };
    let (code, input) = match question {
        Question::Descriptor => property(0),
        Question::Adapter => property(1),
        Question::WriteCache => property(4),
        Question::Alignment => property(6),
        Question::SeekPenalty => property(7),
        Question::Trim => property(8),
        Question::NvmeHealth => page(0x02),
        Question::EbsStatistics => page(0xd0),
        Question::Geometry => (GEOMETRY, Vec::new()),
        Question::Layout => (LAYOUT, Vec::new()),
        Question::Attributes => (ATTRIBUTES, Vec::new()),
        Question::Number => (NUMBER, Vec::new()),
        Question::Writable => (WRITABLE, Vec::new()),
        Question::Clustered => (CLUSTERED, Vec::new()),
    };
    control(drive, code, &input).map_err(|error| error.raw_os_error().unwrap_or(0))
}

/// One call that changes nothing, and what came. The handle may be one for overlapped I/O, of which none is in flight.
///
/// # Errors
/// As the system reports them.
pub fn control(drive: &impl AsRawHandle, code: u32, input: &[u8]) -> io::Result<Vec<u8>> {
    // Larger than what is asked with, which some drivers answer into.
    let mut answer = vec![0u8; ANSWER_BYTES];
    let mut record = OVERLAPPED::default();
    let mut came = 0;
    // SAFETY: the handle is open, and the places and the record are as long as is said and stay until the call has ended,
    // which is waited for below.
    let mut done = unsafe {
        DeviceIoControl(
            drive.as_raw_handle(),
            code,
            input.as_ptr().cast(),
            input.len() as u32,
            answer.as_mut_ptr().cast(),
            ANSWER_BYTES as u32,
            &mut came,
            &mut record,
        )
    };
    if done == 0 && io::Error::last_os_error().raw_os_error() == Some(ERROR_IO_PENDING as i32) {
        // SAFETY: the record is that of the call, and nothing else of this handle is in flight.
        done = unsafe { GetOverlappedResult(drive.as_raw_handle(), &record, &mut came, 1) };
    }
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    answer.truncate(came as usize);
    Ok(answer)
}

/// A number among the machine's settings; none where there is none, or it is of another type.
fn setting((key, name): (&str, &str)) -> Option<u32> {
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, name) = (wide(key), wide(name));
    let (mut value, mut room) = (0u32, size_of::<u32>() as u32);
    // SAFETY: both names end in a zero, and the place is as many bytes as is said.
    let failed = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            RRF_RT_REG_DWORD,
            ptr::null_mut(),
            (&raw mut value).cast(),
            &mut room,
        )
    };
    (failed == 0).then_some(value)
}
