//! What lies under a virtual machine: from the processor's own words, else from the firmware.

use super::cloud::Dmi;
use super::cpu::has_hypervisor_flag;
use crate::Root;

#[cfg(target_arch = "x86_64")]
mod leaf {
    use std::arch::x86_64::__cpuid;

    /// The 12 bytes of leaf 4000_0000h, where the processor says that a hypervisor is there.
    pub fn signature() -> Option<String> {
        const PRESENT: u32 = 1 << 31;
        if __cpuid(1).ecx & PRESENT == 0 {
            return None;
        }
        let leaf = __cpuid(0x4000_0000);
        let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].into_iter().flat_map(u32::to_le_bytes).collect();
        Some(String::from_utf8_lossy(&bytes).trim_matches(['\0', ' ']).to_owned())
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod leaf {
    /// Other processors have no such leaf.
    pub fn signature() -> Option<String> {
        None
    }
}

pub(super) use leaf::signature;

/// Signatures and firmware vendors, with the name that people know.
const KNOWN: &[(&str, &str)] = &[
    ("KVMKVMKVM", "KVM"),
    ("Microsoft Hv", "Hyper-V"),
    ("VMwareVMware", "VMware"),
    ("XenVMMXenVMM", "Xen"),
    ("TCGTCGTCGTCG", "QEMU without acceleration"),
    ("bhyve bhyve", "bhyve"),
    ("ACRNACRNACRN", "ACRN"),
    ("prl hyperv", "Parallels"),
    ("VMware", "VMware"),
    ("innotek GmbH", "VirtualBox"),
    ("Xen", "Xen"),
    ("QEMU", "QEMU"),
    ("Amazon EC2", "Nitro"),
    ("Google", "KVM (Google)"),
    ("Parallels", "Parallels"),
];

/// The hypervisor's name; absent on bare metal, as far as can be seen.
pub(super) fn name(root: &Root, signature: Option<&str>, dmi: &Dmi) -> Option<String> {
    let known = |text: &str| KNOWN.iter().find(|(start, _)| text.starts_with(start)).map(|(_, name)| *name);
    if let Some(signature) = signature {
        let name = known(signature).map_or_else(|| format!("unknown (`{signature}`)"), str::to_owned);
        return Some(if signature.is_empty() { "present, without a name".to_owned() } else { name });
    }
    if let Some(kind) = root.text("/sys/hypervisor/type") {
        return Some(kind);
    }
    if dmi.sys_vendor == "Microsoft Corporation" && dmi.product_name == "Virtual Machine" {
        return Some("Hyper-V".to_owned());
    }
    // Bare metal of EC2 and Google bears the same vendor as their virtual machines.
    let metal = dmi.product_name.ends_with(".metal") || dmi.product_name.contains(".metal-");
    match known(&dmi.sys_vendor) {
        Some(name) if !metal && (cfg!(not(target_arch = "x86_64")) || has_hypervisor_flag(root)) => {
            Some(name.to_owned())
        }
        _ if has_hypervisor_flag(root) => Some("present, without a name".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_s_word_counts_before_the_firmware_s() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::at(tree.path());
        let dmi = Dmi { sys_vendor: "QEMU".to_owned(), ..Dmi::default() };
        assert_eq!(name(&root, Some("KVMKVMKVM"), &dmi).unwrap(), "KVM");
        assert_eq!(name(&root, Some("Odd"), &dmi).unwrap(), "unknown (`Odd`)");
        std::fs::create_dir_all(tree.path().join("proc")).unwrap();
        std::fs::write(tree.path().join("proc/cpuinfo"), "flags\t: fpu hypervisor sse\n").unwrap();
        assert_eq!(name(&root, None, &dmi).unwrap(), "QEMU");
        assert_eq!(name(&root, None, &Dmi::default()).unwrap(), "present, without a name");
        std::fs::write(tree.path().join("proc/cpuinfo"), "flags\t: fpu sse\n").unwrap();
        assert_eq!(name(&root, None, &Dmi::default()), None);
    }
}
