//! Whose machine it is, from the firmware's tables (DMI).

use std::fmt;

use super::Facts;
use crate::Root;

const DMI: &str = "/sys/class/dmi/id";

/// The fields of the firmware's tables that clouds fill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dmi {
    /// Who sells the system.
    pub sys_vendor: String,
    /// What it is called; on EC2 the instance type.
    pub product_name: String,
    /// Who made the firmware.
    pub bios_vendor: String,
    /// Version of the firmware.
    pub bios_version: String,
    /// Who made the board.
    pub board_vendor: String,
    /// Inventory label; several clouds have one of their own.
    pub chassis_asset_tag: String,
}

/// A cloud and, where the firmware says it, the instance type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The cloud.
    pub cloud: &'static str,
    /// The instance type; most clouds give it only through their metadata service.
    pub instance_type: Option<String>,
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.instance_type {
            Some(kind) => write!(f, "{} {kind}", self.cloud),
            None => write!(f, "{} (instance type not in the firmware's tables)", self.cloud),
        }
    }
}

/// Which field gives a cloud away.
#[derive(Clone, Copy)]
enum Field {
    Vendor,
    Product,
    BiosVersion,
    AssetTag,
}

/// Whether the product name is the instance type.
#[derive(Clone, Copy, PartialEq)]
enum Product {
    IsInstanceType,
    IsNot,
}

/// Clouds by the text that starts (in the firmware version: is part of) one field. The first match counts.
/// From cloud-init's `tools/ds-identify` (commit 0066a6bc); EC2, Tencent and OpenStack's vendor from
/// published kernel boot logs (`DMI: Amazon EC2 r5d.xlarge/`, `DMI: Tencent Cloud CVM`).
const CLOUDS: &[(Field, &str, &str, Product)] = &[
    (Field::Vendor, "Amazon EC2", "AWS EC2", Product::IsInstanceType),
    (Field::BiosVersion, "amazon", "AWS EC2", Product::IsNot),
    (Field::Product, "Google Compute Engine", "Google Compute Engine", Product::IsNot),
    (Field::AssetTag, "7783-7084-3265-9085-8269-3286-77", "Azure", Product::IsNot),
    (Field::Vendor, "Alibaba Cloud", "Alibaba Cloud", Product::IsNot),
    (Field::Product, "Alibaba Cloud", "Alibaba Cloud", Product::IsNot),
    (Field::AssetTag, "OracleCloud.com", "Oracle Cloud", Product::IsNot),
    (Field::AssetTag, "HUAWEICLOUD", "Huawei Cloud", Product::IsNot),
    (Field::Vendor, "Tencent Cloud", "Tencent Cloud", Product::IsNot),
    (Field::Vendor, "DigitalOcean", "DigitalOcean", Product::IsNot),
    (Field::Vendor, "Hetzner", "Hetzner Cloud", Product::IsNot),
    (Field::Vendor, "Scaleway", "Scaleway", Product::IsNot),
    (Field::Vendor, "UpCloud", "UpCloud", Product::IsNot),
    (Field::Vendor, "Vultr", "Vultr", Product::IsNot),
    (Field::Vendor, "Linode", "Akamai Linode", Product::IsNot),
    (Field::Vendor, "Akamai", "Akamai Linode", Product::IsNot),
    (Field::Product, "Exoscale", "Exoscale", Product::IsNot),
    (Field::Vendor, "OpenStack Foundation", "OpenStack", Product::IsNot),
    (Field::Product, "OpenStack", "OpenStack", Product::IsNot),
];

/// The cloud that the tables speak of; absent for a machine of one's own.
pub fn classify(dmi: &Dmi) -> Option<Instance> {
    let matches = |field: Field, text: &str| match field {
        Field::Vendor => dmi.sys_vendor.starts_with(text),
        Field::Product => dmi.product_name.starts_with(text),
        Field::BiosVersion => dmi.bios_version.to_ascii_lowercase().contains(text),
        Field::AssetTag => dmi.chassis_asset_tag.starts_with(text),
    };
    let (.., cloud, product) = CLOUDS.iter().find(|(field, text, ..)| matches(*field, text))?;
    let named = *product == Product::IsInstanceType && !dmi.product_name.is_empty();
    Some(Instance { cloud, instance_type: named.then(|| dmi.product_name.clone()) })
}

/// The ids by which Amazon's services know this machine and its network volumes; nothing elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AmazonIds {
    /// As `i-0123456789abcdef0`, which machines of the Nitro system say in their firmware's tables.
    pub instance: Option<String>,
    /// As `vol-0123456789abcdef0`, from the serial numbers of their NVMe controllers (EBS user guide, "Map Amazon EBS
    /// volumes to NVMe device names").
    pub volumes: Vec<String>,
}

/// Those ids, as far as the machine says them.
pub fn amazon_ids(root: &Root) -> AmazonIds {
    let instance = root.text(format!("{DMI}/board_asset_tag")).filter(|tag| tag.starts_with("i-"));
    let mut volumes: Vec<String> =
        root.names("/sys/class/block").iter().filter_map(|name| volume(root, name)).collect();
    volumes.sort();
    volumes.dedup();
    AmazonIds { instance, volumes }
}

/// The volume behind a block device.
fn volume(root: &Root, device: &str) -> Option<String> {
    let own = |name: &str| root.text(format!("/sys/class/block/{device}/device/{name}"));
    own("model").filter(|model| model == "Amazon Elastic Block Store")?;
    let serial = own("serial")?;
    Some(format!("vol-{}", serial.strip_prefix("vol")?.trim_start_matches('-')))
}

pub(super) fn read_dmi(root: &Root) -> Dmi {
    let field = |name: &str| root.text(format!("{DMI}/{name}")).unwrap_or_default();
    Dmi {
        sys_vendor: field("sys_vendor"),
        product_name: field("product_name"),
        bios_vendor: field("bios_vendor"),
        bios_version: field("bios_version"),
        board_vendor: field("board_vendor"),
        chassis_asset_tag: field("chassis_asset_tag"),
    }
}

/// The asset tag of a machine of one's own is its owner's inventory and stays out of the record.
pub(super) fn describe(facts: &mut Facts<'_>, dmi: &Dmi) {
    let fields = [
        ("sys_vendor", &dmi.sys_vendor),
        ("product_name", &dmi.product_name),
        ("bios_vendor", &dmi.bios_vendor),
        ("bios_version", &dmi.bios_version),
        ("board_vendor", &dmi.board_vendor),
    ];
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        facts.add(("firmware", ""), name, value, &format!("{DMI}/{name}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_of_amazon_says_its_own_id_and_those_of_its_network_volumes() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("sys/class/dmi/id/board_asset_tag", "i-0123\n");
        put("sys/class/block/nvme0n1/device/model", "Amazon Elastic Block Store              \n");
        put("sys/class/block/nvme0n1/device/serial", "vol0abc\n");
        put("sys/class/block/nvme1n1/device/model", "Amazon EC2 NVMe Instance Storage\n");
        put("sys/class/block/nvme1n1/device/serial", "AWS6AAA\n");
        let found = amazon_ids(&Root::at(folder.path()));
        assert_eq!(
            (found.instance.as_deref(), found.volumes.as_slice()),
            (Some("i-0123"), &["vol-0abc".to_owned()][..])
        );
        let other = tempfile::tempdir().unwrap();
        assert_eq!(amazon_ids(&Root::at(other.path())), AmazonIds::default());
    }

    /// Vendor, product, BIOS version, asset tag, and what the record should say.
    const MACHINES: &[(&str, &str, &str, &str, Option<&str>)] = &[
        ("Amazon EC2", "i4i.2xlarge", "1.0", "Amazon EC2", Some("AWS EC2 i4i.2xlarge")),
        ("Amazon EC2", "i3.metal", "1.0", "", Some("AWS EC2 i3.metal")),
        ("Xen", "HVM domU", "4.11.amazon", "", Some("AWS EC2 (instance type not in the firmware's tables)")),
        ("Xen", "HVM domU", "4.13.0", "", None),
        (
            "Google",
            "Google Compute Engine",
            "Google",
            "",
            Some("Google Compute Engine (instance type not in the firmware's tables)"),
        ),
        (
            "Microsoft Corporation",
            "Virtual Machine",
            "090008",
            "7783-7084-3265-9085-8269-3286-77",
            Some("Azure (instance type not in the firmware's tables)"),
        ),
        ("Microsoft Corporation", "Virtual Machine", "090008", "1234-5678", None),
        (
            "Alibaba Cloud",
            "Alibaba Cloud ECS",
            "rel-1",
            "",
            Some("Alibaba Cloud (instance type not in the firmware's tables)"),
        ),
        (
            "QEMU",
            "Standard PC (i440FX + PIIX, 1996)",
            "1",
            "OracleCloud.com",
            Some("Oracle Cloud (instance type not in the firmware's tables)"),
        ),
        (
            "DigitalOcean",
            "Droplet",
            "2017",
            "",
            Some("DigitalOcean (instance type not in the firmware's tables)"),
        ),
        (
            "Tencent Cloud",
            "CVM",
            "seabios",
            "",
            Some("Tencent Cloud (instance type not in the firmware's tables)"),
        ),
        ("RDO", "OpenStack Compute", "", "", Some("OpenStack (instance type not in the firmware's tables)")),
        ("QEMU", "Standard PC (Q35 + ICH9, 2009)", "1.16", "", None),
        ("Dell Inc.", "PowerEdge R650", "1.5", "", None),
        ("", "", "", "", None),
    ];

    #[test]
    fn machines_are_told_apart() {
        for (vendor, product, bios, tag, expected) in MACHINES {
            let dmi = Dmi {
                sys_vendor: (*vendor).to_owned(),
                product_name: (*product).to_owned(),
                bios_version: (*bios).to_owned(),
                chassis_asset_tag: (*tag).to_owned(),
                ..Dmi::default()
            };
            assert_eq!(
                classify(&dmi).map(|instance| instance.to_string()).as_deref(),
                *expected,
                "{vendor} {product}"
            );
        }
    }
}
