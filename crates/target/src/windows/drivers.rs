//! The drivers under each drive, as the system's list of devices has them. Nothing is opened for reading or writing.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::collections::HashMap;
use std::fs::File;
use std::mem::size_of;
use std::os::windows::fs::OpenOptionsExt;
use std::ptr;

use windows_sys::Win32::Devices::DeviceAndDriverInstallation::{
    CM_Get_DevNode_PropertyW, CM_Get_Parent, CR_SUCCESS, DIGCF_DEVICEINTERFACE, DIGCF_PRESENT, HDEVINFO,
    SP_DEVICE_INTERFACE_DATA, SP_DEVICE_INTERFACE_DETAIL_DATA_W, SP_DEVINFO_DATA,
    SetupDiDestroyDeviceInfoList, SetupDiEnumDeviceInterfaces, SetupDiGetClassDevsW,
    SetupDiGetDeviceInterfaceDetailW,
};
use windows_sys::Win32::Devices::Properties::{
    DEVPKEY_Device_Class, DEVPKEY_Device_DriverProvider, DEVPKEY_Device_DriverVersion,
    DEVPKEY_Device_Service, DEVPROP_TYPE_STRING,
};
use windows_sys::Win32::Foundation::DEVPROPKEY;
use windows_sys::core::GUID;

use super::drives::{NUMBER, control};
use super::handle::SHARED;
use crate::drives::Driver;

/// `GUID_DEVINTERFACE_DISK`.
const DISKS: GUID = GUID::from_u128(0x53f5_6307_b6bf_11d0_94f2_00a0_c91e_fb8b);
/// Drives that are looked for, and drivers of one.
const DRIVES_MAX: u32 = 1024;
const DRIVERS_MAX: usize = 2;
/// Longest path of an interface and longest text of a property that are taken, in units of UTF-16.
const TEXT_MAX: usize = 1024;

/// The system's list of the interfaces of disks.
struct Interfaces(HDEVINFO);

impl Drop for Interfaces {
    fn drop(&mut self) {
        // SAFETY: the list was made by the system, and nobody else has it.
        unsafe { SetupDiDestroyDeviceInfoList(self.0) };
    }
}

/// Drivers by the number of the drive, the one of its class first. Drives that the system does not list are left out.
pub fn drivers() -> HashMap<u32, Vec<Driver>> {
    let mut found = HashMap::new();
    // SAFETY: the class is a constant, and the others are not asked for.
    let list = unsafe {
        SetupDiGetClassDevsW(&DISKS, ptr::null(), ptr::null_mut(), DIGCF_DEVICEINTERFACE | DIGCF_PRESENT)
    };
    if list == -1 {
        return found;
    }
    let list = Interfaces(list);
    for at in 0..DRIVES_MAX {
        let mut interface = SP_DEVICE_INTERFACE_DATA {
            cbSize: size_of::<SP_DEVICE_INTERFACE_DATA>() as u32,
            ..Default::default()
        };
        // SAFETY: the list is open, and the place is one such structure that says its length.
        let there = unsafe { SetupDiEnumDeviceInterfaces(list.0, ptr::null(), &DISKS, at, &mut interface) };
        if there == 0 {
            break;
        }
        if let Some((path, node)) = detail(&list, &interface)
            && let Some(number) = number_of(&path)
        {
            found.insert(number, chain(node));
        }
    }
    found
}

/// The path of an interface, and the device that it belongs to.
fn detail(list: &Interfaces, interface: &SP_DEVICE_INTERFACE_DATA) -> Option<(String, u32)> {
    // The length of the structure in whole units, then the path: words of four bytes are aligned for both.
    let mut place = [0u32; TEXT_MAX / 2];
    place[0] = size_of::<SP_DEVICE_INTERFACE_DETAIL_DATA_W>() as u32;
    let mut device = SP_DEVINFO_DATA { cbSize: size_of::<SP_DEVINFO_DATA>() as u32, ..Default::default() };
    // SAFETY: the list is open, the interface is one of it, and both places are as long as is said.
    let done = unsafe {
        SetupDiGetDeviceInterfaceDetailW(
            list.0,
            interface,
            place.as_mut_ptr().cast(),
            size_of_val(&place) as u32,
            ptr::null_mut(),
            &mut device,
        )
    };
    let units = place[1..].iter().flat_map(|word| [*word as u16, (word >> 16) as u16]);
    let path = String::from_utf16_lossy(&units.take_while(|unit| *unit != 0).collect::<Vec<u16>>());
    (done != 0).then_some((path, device.DevInst))
}

/// The number of the drive that an interface opens.
fn number_of(path: &str) -> Option<u32> {
    let drive = File::options().access_mode(0).share_mode(SHARED).open(path).ok()?;
    let answer = control(&drive, NUMBER, &[]).ok()?;
    // The second of what comes.
    Some(u32::from_le_bytes(answer.get(4..8)?.try_into().ok()?))
}

/// The drivers of a device and of what carries it.
fn chain(device: u32) -> Vec<Driver> {
    let mut drivers = Vec::new();
    let mut node = device;
    while drivers.len() < DRIVERS_MAX {
        let Some(service) = property(node, &DEVPKEY_Device_Service) else { break };
        drivers.push(Driver {
            service,
            class: property(node, &DEVPKEY_Device_Class),
            provider: property(node, &DEVPKEY_Device_DriverProvider),
            version: property(node, &DEVPKEY_Device_DriverVersion),
        });
        let mut parent = 0;
        // SAFETY: the place is a number.
        if unsafe { CM_Get_Parent(&mut parent, node, 0) } != CR_SUCCESS {
            break;
        }
        node = parent;
    }
    drivers
}

/// A text that the system has of a device.
fn property(node: u32, key: &DEVPROPKEY) -> Option<String> {
    let mut units = [0u16; TEXT_MAX];
    let (mut kind, mut bytes) = (0, size_of_val(&units) as u32);
    // SAFETY: the key is a constant, and the place is as many bytes as is said.
    let failed =
        unsafe { CM_Get_DevNode_PropertyW(node, key, &mut kind, units.as_mut_ptr().cast(), &mut bytes, 0) };
    if failed != CR_SUCCESS || kind != DEVPROP_TYPE_STRING {
        return None;
    }
    let text = units.iter().copied().take((bytes / 2) as usize).take_while(|unit| *unit != 0);
    Some(String::from_utf16_lossy(&text.collect::<Vec<u16>>())).filter(|text| !text.is_empty())
}
