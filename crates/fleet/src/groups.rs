//! What volumes are added up by, and the sums of each group; in any order, as whole numbers.

use std::collections::BTreeMap;
use std::str::FromStr;

use fathom_demand::account_volumes::{EbsVolume, Inventory};
use fathom_order::InOrder;
use fathom_record::fleet_record::{FleetGroup, FleetGrouping, FleetRow, FleetStatus};
use fathom_rows::demand_tables::Run;
use fathom_tools::Refusal;

/// Groups that are told apart; what people type into tags must not fill the memory.
const MOST: usize = 100_000;
const OTHERS: &str = "(other groups)";

/// What volumes have in common that are added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupKey {
    /// A tag's value, by its key.
    Tag(String),
    /// The instance that has them.
    Instance,
    /// What they are today, e.g. `gp3`.
    Type,
}

impl FromStr for GroupKey {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        match text.split_once(':') {
            Some(("tag", key)) if !key.trim().is_empty() => Ok(Self::Tag(key.trim().to_owned())),
            None if text == "instance" => Ok(Self::Instance),
            None if text == "type" => Ok(Self::Type),
            _ => Err(Refusal::new("what to add up by", format!("{text:?} is not a tag, instance or type"))
                .at("--by")
                .or("type it as tag:team, instance or type")),
        }
    }
}

impl std::fmt::Display for GroupKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tag(key) => write!(f, "tag:{key}"),
            Self::Instance => f.write_str("instance"),
            Self::Type => f.write_str("type"),
        }
    }
}

impl GroupKey {
    /// The group of a volume by its rows, or by what the account says of it.
    pub fn group(&self, run: &Run, inventory: &Inventory) -> String {
        if let Some(volume) = inventory.volume(&run.volume) {
            return self.group_of(volume, inventory);
        }
        let words = match self {
            Self::Type => run.current.words().split(':').next().unwrap_or_default(),
            Self::Tag(_) | Self::Instance => run.group.words(),
        };
        if words.is_empty() { self.absent() } else { words.to_owned() }
    }

    /// The group of a volume of an account.
    pub fn group_of(&self, volume: &EbsVolume, inventory: &Inventory) -> String {
        let words = match self {
            Self::Tag(key) => volume.tag(key).unwrap_or_default().to_owned(),
            Self::Type => volume.volume_type.clone(),
            Self::Instance => {
                let named = |id: &str| match inventory.instance(id).and_then(|instance| instance.name()) {
                    Some(name) => format!("{id} ({name})"),
                    None => id.to_owned(),
                };
                volume.attached_to().map(named).collect::<Vec<_>>().join(" + ")
            }
        };
        if words.is_empty() { self.absent() } else { words }
    }

    fn absent(&self) -> String {
        match self {
            Self::Tag(key) => format!("(no tag {key})"),
            Self::Instance => "(no instance)".to_owned(),
            Self::Type => "(type not known)".to_owned(),
        }
    }
}

/// Sums of each group.
#[derive(Clone, Debug)]
pub struct Groups {
    by: GroupKey,
    sums: BTreeMap<String, Sums>,
    others: Sums,
}

/// Amounts of a month in millionths of the currency's unit.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    volumes: u64,
    sized: u64,
    current: i128,
    waste: i128,
    cheaper: u64,
    more: i128,
    dearer: u64,
}

impl Groups {
    /// No volumes yet.
    pub fn new(by: GroupKey) -> Self {
        Self { by, sums: BTreeMap::new(), others: Sums::default() }
    }

    /// Counts a row in its group.
    pub fn put(&mut self, group: &str, row: &FleetRow) {
        match self.sums.get_mut(group) {
            Some(sums) => sums.put(row),
            None => self.sums.entry(group.to_owned()).or_default().put(row),
        }
        if self.sums.len() > MOST
            && let Some((_, last)) = self.sums.pop_last()
        {
            self.others.merge(&last);
        }
    }

    /// The groups, those that waste most first.
    pub fn record(&self) -> FleetGrouping {
        let others = (self.others.volumes > 0).then(|| self.others.group(OTHERS));
        let mut groups: Vec<FleetGroup> =
            self.sums.iter().map(|(name, sums)| sums.group(name)).chain(others).collect();
        let order = |a: &FleetGroup, b: &FleetGroup| {
            let wastes = b.waste_month.total_cmp(&a.waste_month);
            wastes.then(b.current_month.total_cmp(&a.current_month)).then_with(|| a.group.cmp(&b.group))
        };
        groups.put_in_order_by(order);
        FleetGrouping { by: self.by.to_string(), groups }
    }
}

impl Sums {
    fn put(&mut self, row: &FleetRow) {
        let micros = |amount: f64| (amount * 1e6).round() as i128;
        self.volumes += 1;
        self.sized += u64::from(row.status != FleetStatus::NotJudged);
        self.current += row.current_month.map_or(0, micros);
        let saves = row.saves_month.map_or(0, micros);
        self.cheaper += u64::from(saves > 0);
        self.waste += saves.max(0);
        self.dearer += u64::from(saves < 0);
        self.more += (-saves).max(0);
    }

    fn merge(&mut self, other: &Self) {
        self.volumes += other.volumes;
        self.sized += other.sized;
        self.current += other.current;
        self.waste += other.waste;
        self.cheaper += other.cheaper;
        self.more += other.more;
        self.dearer += other.dearer;
    }

    fn group(&self, name: &str) -> FleetGroup {
        let amount = |micros: i128| micros as f64 / 1e6;
        FleetGroup {
            group: name.to_owned(),
            volumes: self.volumes,
            sized: self.sized,
            current_month: amount(self.current),
            waste_month: amount(self.waste),
            cheaper: self.cheaper,
            more_month: amount(self.more),
            dearer: self.dearer,
        }
    }
}

#[cfg(test)]
mod tests {
    use fathom_rows::demand_tables::Latest;
    use fathom_sizing::fleet_volumes::unjudged;

    use super::*;

    #[test]
    fn groups_add_up_in_any_order_and_those_that_waste_most_come_first() {
        let row = |number: i32| FleetRow {
            status: FleetStatus::Sized,
            current_month: Some(100.0),
            saves_month: Some(f64::from(number % 7) - 2.0),
            ..unjudged(&format!("v{number}"), "")
        };
        let sum = |order: &mut dyn Iterator<Item = i32>| {
            let mut groups = Groups::new(GroupKey::Type);
            order.for_each(|number| groups.put(["a", "b", "c"][number as usize % 3], &row(number)));
            groups.record()
        };
        let forward = sum(&mut (0..700));
        assert_eq!(forward, sum(&mut (0..700).rev()));
        let of = |count: &dyn Fn(&FleetGroup) -> f64| forward.groups.iter().map(count).sum::<f64>();
        assert_eq!((of(&|group| group.volumes as f64), of(&|group| group.current_month)), (700.0, 70_000.0));
        assert_eq!((of(&|group| group.waste_month), of(&|group| group.more_month)), (1000.0, 300.0));
        assert!(forward.groups.windows(2).all(|pair| pair[0].waste_month >= pair[1].waste_month));
    }

    #[test]
    fn a_volume_s_group_is_the_account_s_word_or_its_rows() {
        for text in ["tag:", "tags:team", "Type", "", "instance:i-1"] {
            assert!(text.parse::<GroupKey>().unwrap_err().remedy.contains("tag:team"), "{text}");
        }
        let by = |text: &str| text.parse::<GroupKey>().unwrap();
        let mut inventory = Inventory::default();
        inventory
            .read(br#"{"Volumes":[{"VolumeId":"vol-1","VolumeType":"gp2","Size":8,"Tags":[{"Key":"team","Value":"data"}],
                "Attachments":[{"InstanceId":"i-1"},{"InstanceId":"i-2"}]},{"VolumeId":"vol-2","VolumeType":"io2"}],
                "Reservations":[{"Instances":[{"InstanceId":"i-2","Tags":[{"Key":"Name","Value":"db"}]}]}]}"#)
            .unwrap();
        let run = |volume: &str| Run { volume: volume.to_owned(), ..Run::default() };
        let group = |text: &str, run: &Run| by(text).group(run, &inventory);
        assert_eq!(group("tag:team", &run("vol-1")), "data");
        assert_eq!(group("tag:team", &run("vol-2")), "(no tag team)");
        assert_eq!(group("instance", &run("vol-1")), "i-1 + i-2 (db)");
        assert_eq!(
            (group("instance", &run("vol-2")), group("type", &run("vol-2"))),
            ("(no instance)".to_owned(), "io2".to_owned())
        );
        let mut table = run("x");
        assert_eq!(group("type", &table), "(type not known)");
        table.current = Latest::of(0, "gp3:iops=4000".to_owned());
        table.group = Latest::of(0, "ops".to_owned());
        assert_eq!((group("type", &table), group("tag:team", &table)), ("gp3".to_owned(), "ops".to_owned()));
    }
}
