//! Instance types from what DescribeInstanceTypes answers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::catalogue_csv::{Change, Sheet};

/// Puts each type of the document into the sheet.
///
/// # Errors
/// A document without instance types.
pub fn update(sheet: &mut Sheet, document: &Value, source: &str) -> Result<Vec<Change>, String> {
    let types = document["InstanceTypes"].as_array().filter(|types| !types.is_empty());
    let types = types.ok_or("no `InstanceTypes` in it: it is not what describe-instance-types prints")?;
    let (mut changes, mut named) = (Vec::new(), BTreeSet::new());
    for entry in types {
        let Some(name) = entry["InstanceType"].as_str() else { continue };
        named.insert(name.to_owned());
        let facts = facts(entry);
        let mut cells: Vec<(&str, &str)> = vec![("type", name)];
        // What the API is silent about keeps what is known of it.
        cells.extend(facts.iter().filter(|(_, value)| !value.is_empty()).map(|(k, v)| (*k, v.as_str())));
        // A row whose facts are the same keeps its source: nothing new was learnt.
        if let Some(change) = sheet.put(&cells)? {
            sheet.put(&[("type", name), ("source", source)])?;
            changes.push(change);
        }
    }
    let gone = sheet.rows.iter().filter_map(|row| row.first()).filter(|name| !named.contains(*name));
    changes.extend(gone.map(|name| Change::Gone(name.clone())).collect::<Vec<_>>());
    Ok(changes)
}

fn facts(entry: &Value) -> Vec<(&'static str, String)> {
    let ebs = &entry["EbsInfo"];
    let rates = &ebs["EbsOptimizedInfo"];
    let (network, local) = (&entry["NetworkInfo"]["NetworkCards"], &entry["InstanceStorageInfo"]);
    let disks = local["Disks"].as_array();
    let first_disk = disks.and_then(|disks| disks.first());
    let has_local = entry["InstanceStorageSupported"].as_bool();
    let cards = network.as_array();
    let over_cards =
        |field: &str| cards.and_then(|cards| cards.iter().map(|card| card[field].as_f64()).sum());
    vec![
        ("vcpus", number(entry["VCpuInfo"]["DefaultVCpus"].as_f64())),
        ("memory_gib", number(entry["MemoryInfo"]["SizeInMiB"].as_f64().map(|mib| mib / 1024.0))),
        ("arch", architectures(entry)),
        ("hypervisor", hypervisor(entry)),
        ("ebs_base_mbps", number(rates["BaselineBandwidthInMbps"].as_f64())),
        ("ebs_max_mbps", number(rates["MaximumBandwidthInMbps"].as_f64())),
        ("ebs_base_iops", number(rates["BaselineIops"].as_f64())),
        ("ebs_max_iops", number(rates["MaximumIops"].as_f64())),
        ("ebs_cards", number(ebs["MaximumEbsCards"].as_f64())),
        ("max_attachments", number(ebs["MaximumEbsAttachments"].as_f64())),
        ("net_base_gbps", number(over_cards("BaselineBandwidthInGbps"))),
        ("net_peak_gbps", number(over_cards("PeakBandwidthInGbps"))),
        ("local_disks", number(first_disk.and_then(|disk| disk["Count"].as_f64()).or(none(has_local)))),
        ("local_disk_gb", number(first_disk.and_then(|disk| disk["SizeInGB"].as_f64()).or(none(has_local)))),
        ("local_nvme", local_nvme(has_local, local)),
    ]
}

/// Nothing, where it is known that there is none.
fn none(has_local: Option<bool>) -> Option<f64> {
    (has_local == Some(false)).then_some(0.0)
}

fn local_nvme(has_local: Option<bool>, local: &Value) -> String {
    match (has_local, local["NvmeSupport"].as_str()) {
        (Some(false), _) => "no".to_owned(),
        (Some(true), Some("unsupported")) => "no".to_owned(),
        (Some(true), Some(_)) => "yes".to_owned(),
        _ => String::new(),
    }
}

fn architectures(entry: &Value) -> String {
    let named = entry["ProcessorInfo"]["SupportedArchitectures"].as_array().into_iter().flatten();
    named.filter_map(Value::as_str).collect::<Vec<_>>().join("/")
}

fn hypervisor(entry: &Value) -> String {
    if entry["BareMetal"].as_bool() == Some(true) {
        return "bare-metal".to_owned();
    }
    entry["Hypervisor"].as_str().unwrap_or_default().to_owned()
}

/// A figure without needless digits; empty where there is none.
fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{}", (value * 1e4).round() / 1e4)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HEAD: &str = "type,vcpus,memory_gib,arch,hypervisor,ebs_base_mbps,ebs_max_mbps,ebs_base_iops,\
                        ebs_max_iops,ebs_cards,max_attachments,net_base_gbps,net_peak_gbps,local_disks,\
                        local_disk_gb,local_nvme,local_read_iops_4k,source\n";

    fn document() -> Value {
        let ebs = json!({"BaselineBandwidthInMbps": 2307, "MaximumBandwidthInMbps": 4750,
                         "BaselineIops": 12000, "MaximumIops": 20000});
        json!({"InstanceTypes": [{
            "InstanceType": "i3en.2xlarge", "BareMetal": false, "Hypervisor": "nitro",
            "VCpuInfo": {"DefaultVCpus": 8}, "MemoryInfo": {"SizeInMiB": 65536},
            "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
            "EbsInfo": {"EbsOptimizedInfo": ebs, "MaximumEbsAttachments": 25},
            "NetworkInfo": {"NetworkCards": [{"BaselineBandwidthInGbps": 8.4, "PeakBandwidthInGbps": 25.0}]},
            "InstanceStorageSupported": true,
            "InstanceStorageInfo": {"Disks": [{"Count": 2, "SizeInGB": 2500}], "NvmeSupport": "required"}
        }]})
    }

    #[test]
    fn a_row_keeps_what_the_api_does_not_say_and_takes_the_source_of_what_changed() {
        let known =
            "i3en.2xlarge,8,64,x86_64,nitro,2307,4000,12000,20000,1,25,8.4,25,2,2500,yes,170000,old\n";
        let mut sheet =
            Sheet::parse(&format!("{HEAD}{known}x1.old,1,1,x86_64,xen,,,,,,,,,,,no,,old\n")).unwrap();
        let changes = update(&mut sheet, &document(), "new").unwrap();
        let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["changed  i3en.2xlarge: ebs_max_mbps 4000 -> 4750", "unnamed  x1.old"]);
        let row = known.replace("4000", "4750").replace("old", "new");
        assert_eq!(sheet.rows[0].join(","), row.trim_end());
        let again = update(&mut sheet, &document(), "newer").unwrap();
        assert_eq!(Change::summary(&again), "0 new, 0 changed, 1 no longer named");
        assert_eq!(sheet.rows[0].last().unwrap(), "new", "nothing was learnt from the newer one");
    }

    #[test]
    fn other_documents_are_refused() {
        let mut sheet = Sheet::parse(HEAD).unwrap();
        assert!(update(&mut sheet, &json!({"PriceList": []}), "new").unwrap_err().contains("describe"));
    }
}
