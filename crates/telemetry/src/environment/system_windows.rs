//! What Windows tells of itself by its settings and calls, where others have files.
#![allow(unsafe_code)] // Calls of the system; each use says why it is sound.

use std::ptr;

use fathom_record::environment_facts::{Environment, Fact};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};
use windows_sys::Win32::System::Registry::{
    HKEY_LOCAL_MACHINE, REG_ROUTINE_FLAGS, RRF_RT_REG_DWORD, RRF_RT_REG_SZ, RegGetValueW,
};
use windows_sys::Win32::System::SystemInformation::{
    GetTickCount64, IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64,
};
use windows_sys::Win32::System::Threading::{
    ALL_PROCESSOR_GROUPS, GetActiveProcessorCount, GetActiveProcessorGroupCount, GetCurrentProcess,
    IsWow64Process2,
};

use super::cloud::{self, Dmi};
use crate::memory::installed_bytes;
use crate::preflight;

const VERSION: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
const PROCESSOR: &str = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0";
const NAME: &str = r"SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName";
const POWER: &str = r"SYSTEM\CurrentControlSet\Control\Power\User\PowerSchemes";
const GUARD: &str = r"SYSTEM\CurrentControlSet\Control\DeviceGuard\Scenarios\HypervisorEnforcedCodeIntegrity";
const FIRMWARE: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
const DEFENDER: &str = r"SOFTWARE\Microsoft\Windows Defender\Real-Time Protection";
const DEFENDER_SERVICE: &str = r"SYSTEM\CurrentControlSet\Services\WinDefend";
/// A service that does.
const STARTS_BY_ITSELF: u32 = 2;
/// Longest text that is taken.
const TEXT_MAX: usize = 512;

/// Adds what Windows tells, and judges all of it again.
pub fn complete(environment: &mut Environment) {
    let build = text(VERSION, "CurrentBuildNumber");
    let patch = number(VERSION, "UBR");
    // Releases before Windows 10 have the one text alone.
    let major =
        number(VERSION, "CurrentMajorVersionNumber").zip(number(VERSION, "CurrentMinorVersionNumber"));
    let major =
        major.map(|(major, minor)| format!("{major}.{minor}")).or_else(|| text(VERSION, "CurrentVersion"));
    if let (Some(major), Some(build)) = (major, build) {
        let patch = patch.map_or_else(String::new, |patch| format!(".{patch}"));
        environment.kernel = format!("{major}.{build}{patch}");
    }
    let names = [text(VERSION, "ProductName"), text(VERSION, "DisplayVersion")];
    let names: Vec<String> = names.into_iter().flatten().collect();
    environment.os = if names.is_empty() { "Windows".to_owned() } else { names.join(" ") };
    environment.host = text(NAME, "ComputerName").or(environment.host.take());
    environment.cpu_model = text(PROCESSOR, "ProcessorNameString")
        .map(|name| name.trim().to_owned())
        .or(environment.cpu_model.take());
    // SAFETY: a call without pointers; 0 says that it failed.
    let processors = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) };
    environment.cpus = if processors > 0 { processors } else { environment.cpus };
    environment.memory_bytes = installed_bytes().unwrap_or(environment.memory_bytes);
    if is_wine() {
        environment.virtualization = Some("Wine".to_owned());
        environment.facts.push(fact("system", "emulator", "Wine".to_owned(), "ntdll"));
    }
    if let Some(scheme) = text(POWER, "ActivePowerScheme") {
        environment.facts.push(fact(
            "power",
            "scheme",
            scheme.trim_matches(['{', '}']).to_lowercase(),
            POWER,
        ));
    }
    if let Some(enabled) = number(GUARD, "Enabled") {
        environment.facts.push(fact("system", "memory_integrity", enabled.to_string(), GUARD));
    }
    environment.facts.extend(of_the_machine());
    let amazon = cloud::classify(&firmware());
    environment.instance = amazon.map(|instance| instance.to_string()).or(environment.instance.take());
    environment.preflight = preflight::judge(&environment.facts);
}

/// How it runs programs, and since when.
fn of_the_machine() -> Vec<Fact> {
    let mut facts = vec![fact("process", "built_for", std::env::consts::ARCH.to_owned(), "this program")];
    if let Some(native) = native() {
        facts.push(fact("process", "native", native.to_owned(), "IsWow64Process2"));
    }
    // SAFETY: both take nothing.
    let (up_ms, groups) = unsafe { (GetTickCount64(), GetActiveProcessorGroupCount()) };
    facts.push(fact("system", "up_s", (up_ms / 1000).to_string(), "GetTickCount64"));
    facts.push(fact("system", "processor_groups", groups.to_string(), "GetActiveProcessorGroupCount"));
    // Where another scanner is at work, its service does not start with the machine.
    let starts = number(DEFENDER_SERVICE, "Start") == Some(STARTS_BY_ITSELF);
    if starts && number(DEFENDER, "DisableRealtimeMonitoring") != Some(1) {
        facts.push(fact("scanner", "real_time", "Defender".to_owned(), DEFENDER_SERVICE));
    }
    let known = firmware();
    let fields = [
        ("sys_vendor", known.sys_vendor),
        ("product_name", known.product_name),
        ("bios_vendor", known.bios_vendor),
        ("bios_version", known.bios_version),
        ("board_vendor", known.board_vendor),
    ];
    let filled = fields.into_iter().filter(|(_, value)| !value.is_empty());
    facts.extend(filled.map(|(name, value)| fact("firmware", name, value, FIRMWARE)));
    facts
}

/// What the firmware's tables say of the machine.
fn firmware() -> Dmi {
    let field = |name| text(FIRMWARE, name).unwrap_or_default();
    Dmi {
        sys_vendor: field("SystemManufacturer"),
        product_name: field("SystemProductName"),
        bios_vendor: field("BIOSVendor"),
        bios_version: field("BIOSVersion"),
        board_vendor: field("BaseBoardManufacturer"),
        chassis_asset_tag: String::new(),
    }
}

/// The processor that the system itself runs on.
fn native() -> Option<&'static str> {
    let (mut ours, mut native) = (0, 0);
    // SAFETY: the process is this one, and both places are numbers.
    let done = unsafe { IsWow64Process2(GetCurrentProcess(), &mut ours, &mut native) };
    match native {
        IMAGE_FILE_MACHINE_AMD64 if done != 0 => Some("x86_64"),
        IMAGE_FILE_MACHINE_ARM64 if done != 0 => Some("aarch64"),
        _ => None,
    }
}

fn fact(group: &str, name: &str, value: String, source: &str) -> Fact {
    let [group, name, source] = [group, name, source].map(str::to_owned);
    Fact { group, label: String::new(), name, value, source }
}

/// Whether the system is Wine: it alone has this call.
fn is_wine() -> bool {
    // SAFETY: both names end in a zero; the library is loaded in every program, and what is found is not called.
    unsafe {
        let library = GetModuleHandleA(c"ntdll.dll".as_ptr().cast());
        !library.is_null() && GetProcAddress(library, c"wine_get_version".as_ptr().cast()).is_some()
    }
}

/// A number among the machine's settings.
fn number(key: &str, name: &str) -> Option<u32> {
    let mut bytes = [0; 4];
    let taken = setting((key, name), RRF_RT_REG_DWORD, &mut bytes)?;
    (taken == bytes.len()).then(|| u32::from_le_bytes(bytes))
}

/// A text among them.
fn text(key: &str, name: &str) -> Option<String> {
    let mut bytes = [0; 2 * TEXT_MAX];
    let taken = setting((key, name), RRF_RT_REG_SZ, &mut bytes)?;
    let units = bytes[..taken].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    Some(String::from_utf16_lossy(&units)).filter(|text| !text.is_empty())
}

/// How many bytes a setting of this type has; none where there is none, or it is of another type or longer.
fn setting((key, name): (&str, &str), kind: REG_ROUTINE_FLAGS, bytes: &mut [u8]) -> Option<usize> {
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, name) = (wide(key), wide(name));
    let mut length = u32::try_from(bytes.len()).ok()?;
    let place = bytes.as_mut_ptr().cast();
    // SAFETY: both names end in a zero, and the place is as many bytes as is said.
    let failed = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            kind,
            ptr::null_mut(),
            place,
            &mut length,
        )
    };
    (failed == 0).then_some(length as usize).filter(|length| *length <= bytes.len())
}
