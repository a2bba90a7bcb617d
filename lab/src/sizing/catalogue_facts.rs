//! Limits and prices, as the files in `catalog/` state them: read here a second time, so that a slip of
//! fathom's own reader would show.

use std::collections::HashMap;
use std::path::Path;

/// What prices are counted in is so much smaller than the currency's unit.
pub const UNIT: f64 = 1e12;

/// A price tier: what each unit costs from one amount to another, in 10^-12 of the currency's unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tier {
    /// First unit that is charged, counted from 1.
    pub from: u64,
    /// Last unit of the tier.
    pub to: u64,
    pub pico: u64,
}

/// What an instance does with its volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// 10^6 bits a second.
    pub base_mbps: u64,
    pub most_mbps: u64,
    pub base_iops: u64,
    pub most_iops: u64,
}

/// All that the lab needs of the files.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    facts: HashMap<(String, String), f64>,
    prices: HashMap<(String, String, String), Vec<Tier>>,
    instances: HashMap<String, Instance>,
}

impl Catalogue {
    /// Reads the three files.
    ///
    /// # Errors
    /// Where one is missing, or has a row without sense.
    pub fn read(root: &Path) -> Result<Self, String> {
        let folder = root.join("catalog");
        let mut catalogue = Self::default();
        for row in rows(&folder.join("volumes.csv"))? {
            let historic = row["period"].starts_with("before");
            if let (false, "AWS", Ok(value)) = (historic, row["provider"].as_str(), row["value"].parse()) {
                catalogue.facts.insert((row["type"].clone(), row["attribute"].clone()), value);
            }
        }
        for row in rows(&folder.join("prices.csv"))? {
            if row["provider"] != "AWS" || row["price"].is_empty() || !row["unit"].ends_with("-month") {
                continue;
            }
            let bound = |name: &str, absent| row[name].parse().unwrap_or(absent);
            let tier = Tier {
                from: bound("tier_from", 1),
                to: bound("tier_to", u64::MAX),
                pico: pico(&row["price"])?,
            };
            let key = (row["region"].clone(), row["type"].clone(), row["component"].clone());
            catalogue.prices.entry(key).or_default().push(tier);
        }
        for row in rows(&folder.join("instances.csv"))? {
            let number = |name: &str| row[name].parse::<u64>().ok();
            let limits = (
                number("ebs_base_mbps"),
                number("ebs_max_mbps"),
                number("ebs_base_iops"),
                number("ebs_max_iops"),
            );
            if let (Some(base_mbps), Some(most_mbps), Some(base_iops), Some(most_iops)) = limits {
                let instance = Instance { base_mbps, most_mbps, base_iops, most_iops };
                catalogue.instances.insert(row["type"].clone(), instance);
            }
        }
        Ok(catalogue)
    }

    /// A documented limit of a volume type, in its row's unit.
    pub fn fact(&self, volume: &str, attribute: &str) -> Option<f64> {
        self.facts.get(&(volume.to_owned(), attribute.to_owned())).copied()
    }

    /// What a component of a type costs; nothing where it is not sold there.
    pub fn price(&self, region: &str, volume: &str, component: &str) -> Option<&[Tier]> {
        let key = (region.to_owned(), volume.to_owned(), component.to_owned());
        self.prices.get(&key).map(Vec::as_slice)
    }

    pub fn instance(&self, name: &str) -> Option<Instance> {
        self.instances.get(name).copied()
    }
}

fn rows(path: &Path) -> Result<Vec<HashMap<String, String>>, String> {
    let wrong = |error: csv::Error| format!("{}: {error}", path.display());
    let mut reader = csv::Reader::from_path(path).map_err(wrong)?;
    reader.deserialize_rows().map_err(wrong)
}

/// Rows as maps: the file's own first line names the columns.
trait Maps {
    fn deserialize_rows(&mut self) -> Result<Vec<HashMap<String, String>>, csv::Error>;
}

impl Maps for csv::Reader<std::fs::File> {
    fn deserialize_rows(&mut self) -> Result<Vec<HashMap<String, String>>, csv::Error> {
        let names = self.headers()?.clone();
        let named = |record: csv::StringRecord| {
            names.iter().map(str::to_owned).zip(record.iter().map(str::to_owned)).collect()
        };
        self.records().map(|record| record.map(named)).collect()
    }
}

/// A decimal number in 10^-12, without a float between.
fn pico(text: &str) -> Result<u64, String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part:0<12}");
    let fits = part.len() <= 12;
    digits.parse().ok().filter(|_| fits).ok_or_else(|| format!("`{text}` is not a price"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        Catalogue::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap()
    }

    #[test]
    fn prices_are_read_to_the_last_digit() {
        assert_eq!(pico("0.03185").unwrap(), 31_850_000_000);
        assert_eq!(pico("0.00000005").unwrap(), 50_000);
        assert_eq!(pico("12").unwrap(), 12_000_000_000_000);
        assert!(pico("a dollar").is_err() && pico("0.0000000000001").is_err());
    }

    #[test]
    fn the_files_hold_what_the_lab_needs() {
        let catalogue = catalogue();
        assert_eq!(catalogue.fact("gp3", "max_iops"), Some(80_000.0), "not the one before it was raised");
        assert_eq!(catalogue.fact("st1", "max_throughput"), Some(500.0));
        assert_eq!(catalogue.price("eu-central-1", "io2", "iops").unwrap().len(), 3);
        assert!(catalogue.price("sa-east-1", "io2", "iops").is_none());
        assert_eq!(catalogue.instance("m6i.large").unwrap().base_iops, 3600);
    }
}
