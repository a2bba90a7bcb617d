//! Volumes and instances, in the form in which `aws ec2 describe-volumes` and `describe-instances` print them.

use std::collections::BTreeMap;

use fathom_rows::demand_tables::{Latest, Run};
use fathom_tools::Refusal;
use serde::{Deserialize, Serialize};

const ANSWER: &str = "volumes or instances of an account";

/// A volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct EbsVolume {
    /// As `vol-0123456789abcdef0`.
    pub volume_id: String,
    /// In GiB.
    pub size: u64,
    /// As `gp3`.
    pub volume_type: String,
    /// I/Os a second: bought, or given with the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<u64>,
    /// MiB a second, of types that sell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<u64>,
    /// As `in-use` or `available`.
    pub state: String,
    /// Whether several instances may have it at once.
    pub multi_attach_enabled: bool,
    /// The instances that have it.
    pub attachments: Vec<Attachment>,
    /// What its owner says of it.
    pub tags: Vec<Tag>,
}

/// A volume at an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Attachment {
    /// As `i-0123456789abcdef0`; absent for what the provider itself attached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
    /// As `attached` or `detached`.
    pub state: String,
}

/// A tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Tag {
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// An instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Ec2Instance {
    /// As `i-0123456789abcdef0`.
    pub instance_id: String,
    /// As `r6i.4xlarge`.
    pub instance_type: String,
    /// What its owner says of it.
    pub tags: Vec<Tag>,
}

/// All of one account in one region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    volumes: BTreeMap<String, EbsVolume>,
    instances: BTreeMap<String, Ec2Instance>,
}

/// What the provider's tool prints: one of both.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Document {
    /// First, so that a file of fathom's own is known again.
    #[serde(rename = "format", default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    volumes: Option<Vec<EbsVolume>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reservations: Option<Vec<Reservation>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Reservation {
    #[serde(default)]
    instances: Vec<Ec2Instance>,
}

/// Whether a file that begins so says what volumes or instances there are.
pub fn is_inventory(start: &[u8]) -> bool {
    let start: Vec<u8> =
        start.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(4096).collect();
    let has = |word: &[u8]| start.windows(word.len()).any(|part| part == word);
    start.first() == Some(&b'{') && (has(b"\"Volumes\":[") || has(b"\"Reservations\":["))
}

impl EbsVolume {
    /// A tag's value.
    pub fn tag(&self, key: &str) -> Option<&str> {
        value_of(&self.tags, key)
    }

    /// The instances that have it now.
    pub fn attached_to(&self) -> impl Iterator<Item = &str> {
        let attached = |attachment: &&Attachment| {
            matches!(attachment.state.as_str(), "" | "attached" | "attaching" | "busy")
        };
        self.attachments.iter().filter(attached).filter_map(|attachment| attachment.instance_id.as_deref())
    }

    /// What it is, as one would order it: `gp3:iops=6000,throughput=250`.
    pub fn words(&self) -> String {
        let iops = self.iops.map(|iops| format!("iops={iops}"));
        let throughput = self.throughput.map(|throughput| format!("throughput={throughput}"));
        let settings: Vec<String> = iops.into_iter().chain(throughput).collect();
        match settings.as_slice() {
            [] => self.volume_type.clone(),
            settings => format!("{}:{}", self.volume_type, settings.join(",")),
        }
    }
}

impl Ec2Instance {
    /// Its name, where it has one.
    pub fn name(&self) -> Option<&str> {
        value_of(&self.tags, "Name").filter(|name| !name.is_empty())
    }
}

fn value_of<'a>(tags: &'a [Tag], key: &str) -> Option<&'a str> {
    tags.iter().find(|tag| tag.key == key).map(|tag| tag.value.as_str())
}

impl Inventory {
    /// Of these volumes and instances; of one that is there twice the later counts.
    pub fn of(volumes: Vec<EbsVolume>, instances: Vec<Ec2Instance>) -> Self {
        let mut inventory = Self::default();
        inventory.put(volumes, instances);
        inventory
    }

    fn put(&mut self, volumes: Vec<EbsVolume>, instances: Vec<Ec2Instance>) {
        self.volumes.extend(volumes.into_iter().map(|volume| (volume.volume_id.clone(), volume)));
        self.instances.extend(instances.into_iter().map(|instance| (instance.instance_id.clone(), instance)));
    }

    /// Adds what a file of the provider's tool says.
    ///
    /// # Errors
    /// When it is none, or one of its volumes has no id.
    pub fn read(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let remedy = "give what aws ec2 describe-volumes or describe-instances prints as JSON";
        let document: Document =
            fathom_json::read_bytes(text).map_err(|error| Refusal::caused_by(ANSWER, error).or(remedy))?;
        let volumes = document.volumes.unwrap_or_default();
        let instances: Vec<Ec2Instance> =
            document.reservations.unwrap_or_default().into_iter().flat_map(|of| of.instances).collect();
        if volumes.iter().any(|volume| volume.volume_id.is_empty()) {
            return Err(Refusal::new(ANSWER, "a volume has no VolumeId").or(remedy));
        }
        self.put(volumes, instances);
        Ok(())
    }

    /// The volumes as the provider's tool prints them, with a mark of fathom's in front.
    pub fn volumes_document(&self) -> String {
        let volumes = Some(self.volumes.values().cloned().collect());
        written(&Document { format: Some("fathom.account_volumes".to_owned()), volumes, reservations: None })
    }

    /// The instances as the provider's tool prints them, with a mark of fathom's in front.
    pub fn instances_document(&self) -> String {
        let reservations = Some(vec![Reservation { instances: self.instances.values().cloned().collect() }]);
        written(&Document {
            format: Some("fathom.account_instances".to_owned()),
            volumes: None,
            reservations,
        })
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty() && self.instances.is_empty()
    }

    /// The volumes in the order of their ids.
    pub fn volumes(&self) -> impl Iterator<Item = &EbsVolume> {
        self.volumes.values()
    }

    /// How many instances are known.
    pub fn instances(&self) -> usize {
        self.instances.len()
    }

    /// A volume by its id.
    pub fn volume(&self, id: &str) -> Option<&EbsVolume> {
        self.volumes.get(id)
    }

    /// An instance by its id.
    pub fn instance(&self, id: &str) -> Option<&Ec2Instance> {
        self.instances.get(id)
    }

    /// The only instance that has a volume; none where it is attached to none or to several.
    pub fn holder(&self, volume: &str) -> Option<&str> {
        let mut instances = self.volume(volume)?.attached_to();
        instances.next().filter(|_| instances.next().is_none())
    }

    /// The ids of all volumes, those of one instance beside each other.
    pub fn by_instance(&self) -> Vec<&str> {
        let mut ids: Vec<(Option<&str>, &str)> =
            self.volumes.keys().map(|id| (self.holder(id), id.as_str())).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// Says of a volume what its rows do not: size, what it is today, the type of its instance. What lies behind several
    /// instances is limited by none of them alone.
    pub fn put_facts(&self, run: &mut Run) {
        let Some(volume) = self.volume(&run.volume) else { return };
        if run.size_gib.get().is_none() && run.wrong_sizes == 0 {
            run.size_gib = Latest::of(i64::MIN, volume.size as f64);
        }
        if run.current.get().is_none() {
            run.current = Latest::of(i64::MIN, volume.words());
        }
        if volume.attached_to().nth(1).is_some() {
            run.notes.push(
                "It is attached to several instances: the limits of none of them were taken into account."
                    .to_owned(),
            );
        } else if run.instance.get().is_none()
            && let Some(instance) = self.holder(&run.volume).and_then(|id| self.instance(id))
        {
            run.instance = Latest::of(i64::MIN, instance.instance_type.clone());
        }
    }
}

fn written(document: &Document) -> String {
    // Strings, numbers and lists alone: nothing that JSON cannot hold.
    fathom_json::text(document).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = r#"{"Volumes":[
        {"AvailabilityZone":"eu-central-1a","Attachments":[{"InstanceId":"i-2","State":"attached","Device":"/dev/sdb"}],
         "CreateTime":"2026-01-01T00:00:00Z","Encrypted":false,"Size":500,"SnapshotId":"","State":"in-use","VolumeId":"vol-b",
         "Iops":6000,"Throughput":250,"VolumeType":"gp3","MultiAttachEnabled":false,"Tags":[{"Key":"team","Value":"data"}]},
        {"Attachments":[{"InstanceId":"i-1","State":"attached"},{"InstanceId":"i-2","State":"attached"}],"Size":100,
         "State":"in-use","VolumeId":"vol-a","Iops":1000,"VolumeType":"io2","MultiAttachEnabled":true},
        {"Attachments":[{"InstanceId":"i-1","State":"detached"}],"Size":8,"State":"available","VolumeId":"vol-c","VolumeType":"standard"}]}"#;
    const INSTANCES: &str = r#"{"Reservations":[{"Groups":[],"Instances":[{"InstanceId":"i-1","InstanceType":"m5.large","State":{"Name":"running"}}]},
        {"Instances":[{"InstanceId":"i-2","InstanceType":"r6i.4xlarge","Tags":[{"Key":"Name","Value":"db"}]}]}]}"#;

    fn inventory() -> Inventory {
        let mut inventory = Inventory::default();
        for text in [PRINTED, INSTANCES] {
            assert!(is_inventory(text.as_bytes()));
            inventory.read(text.as_bytes()).unwrap();
        }
        inventory
    }

    #[test]
    fn what_the_tool_prints_is_read_and_written_alike() {
        let inventory = inventory();
        assert_eq!(inventory.by_instance(), ["vol-a", "vol-c", "vol-b"]);
        assert_eq!((inventory.holder("vol-a"), inventory.holder("vol-b")), (None, Some("i-2")));
        assert_eq!(inventory.volume("vol-b").unwrap().tag("team"), Some("data"));
        assert_eq!(inventory.instance("i-2").unwrap().name(), Some("db"));
        let mut again = Inventory::default();
        again.read(inventory.volumes_document().as_bytes()).unwrap();
        again.read(inventory.instances_document().as_bytes()).unwrap();
        assert_eq!(again, inventory);
        assert!(
            inventory.volumes_document().starts_with("{\"format\":\"fathom.account_volumes\",\"Volumes\":[")
        );
        for wrong in ["{\"Volumes\":[{}]}", "{\"Volumes\":7}", "volume,time", ""] {
            assert!(Inventory::default().read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(!is_inventory(b"{\"MetricDataResults\":[]}"));
    }

    #[test]
    fn facts_fill_what_rows_leave_open() {
        let inventory = inventory();
        let filled = |volume: &str| {
            let mut run = Run { volume: volume.to_owned(), ..Run::default() };
            inventory.put_facts(&mut run);
            run
        };
        let run = filled("vol-b");
        assert_eq!((run.size_gib.get(), run.current.words()), (Some(&500.0), "gp3:iops=6000,throughput=250"));
        assert_eq!(run.instance.words(), "r6i.4xlarge");
        let shared = filled("vol-a");
        assert_eq!(shared.instance.words(), "");
        assert!(shared.notes[0].contains("several instances"), "{:?}", shared.notes);
        assert_eq!(filled("vol-c").current.words(), "standard");
        assert_eq!(filled("vol-z"), Run { volume: "vol-z".to_owned(), ..Run::default() });
        let mut told = Run { volume: "vol-b".to_owned(), size_gib: Latest::of(7, 9.0), ..Run::default() };
        inventory.put_facts(&mut told);
        assert_eq!(told.size_gib.get(), Some(&9.0));
    }
}
