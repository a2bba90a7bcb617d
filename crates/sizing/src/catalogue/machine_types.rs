//! Machines whose provider limits each type of volume by itself, all volumes of the type together: Google's.
//!
//! Source: Google's tool `gcpdiag`, which keeps the limits of Persistent Disk by machine series and processors; notes of
//! Compute Engine for Hyperdisk Balanced. Reads and writes are limited apart; the smaller of both is taken for their sum.

use super::csv_rows::{self, CatalogueError, Row};

const MIB: u64 = 1 << 20;

/// What a machine lets through to all its volumes of one type together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps {
    /// I/Os a second.
    pub iops: u64,
    /// Bytes a second.
    pub bytes_per_s: u64,
    /// Key of the source.
    pub source: String,
}

/// The limits of machines of one series, with some number of processors or of one name.
#[derive(Clone, Debug)]
struct Machine {
    series: String,
    /// Its whole name; empty where processors tell.
    name: String,
    vcpus_from: u64,
    vcpus_to: u64,
    volume: String,
    caps: Caps,
}

/// All that is known of such machines.
#[derive(Clone, Debug, Default)]
pub struct Machines {
    machines: Vec<Machine>,
}

impl Machines {
    pub(super) fn read(text: &str) -> Result<Self, CatalogueError> {
        Ok(Self { machines: csv_rows::read("machines.csv", text, machine)? })
    }

    /// What a machine lets through to all volumes of a type; absent where nobody says.
    pub fn caps(&self, name: &str, volume: &str) -> Option<&Caps> {
        let parts = parts(name)?;
        let is_it = |machine: &&Machine| {
            machine.volume == volume
                && match machine.name.as_str() {
                    "" => parts.vcpus.is_some_and(|vcpus| {
                        machine.series == parts.series
                            && (machine.vcpus_from..=machine.vcpus_to).contains(&vcpus)
                    }),
                    whole => whole == name,
                }
        };
        self.machines.iter().find(is_it).map(|machine| &machine.caps)
    }

    /// Keys of all sources.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.machines.iter().map(|machine| machine.caps.source.as_str())
    }
}

/// What a name says.
struct Parts<'a> {
    series: &'a str,
    /// Absent where the name does not count them, or where the machine is a special one.
    vcpus: Option<u64>,
}

/// `n2-standard-16`, `c3-standard-22-lssd`, `n2-custom-4-8192`; absent for names of other forms, as other providers have.
fn parts(name: &str) -> Option<Parts<'_>> {
    let mut words = name.split('-');
    let (series, _shape) = (words.next()?, words.next()?);
    let vcpus = words.next().and_then(|count| count.parse().ok());
    let is_custom = name.split('-').nth(1) == Some("custom");
    let is_plain = is_custom || words.all(|word| word == "lssd");
    Some(Parts { series, vcpus: vcpus.filter(|_| is_plain) })
}

fn machine(row: &Row<'_>) -> Result<Machine, CatalogueError> {
    let rate = |column: &str| -> Result<u64, CatalogueError> {
        row.whole(column)?.ok_or_else(|| row.wrong(format!("no {column}")))
    };
    Ok(Machine {
        series: row.required("series")?.to_owned(),
        name: row.text("machine").to_owned(),
        vcpus_from: row.whole("vcpus_from")?.unwrap_or(0),
        vcpus_to: row.whole("vcpus_to")?.unwrap_or(u64::MAX),
        volume: row.required("type")?.to_owned(),
        caps: Caps {
            iops: rate("read_iops")?.min(rate("write_iops")?),
            bytes_per_s: rate("read_mib_s")?.min(rate("write_mib_s")?) * MIB,
            source: row.required("source")?.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    /// As Google's tool and notes have them.
    #[test]
    fn names_tell_series_and_processors() {
        let catalogue = Catalogue::built_in().unwrap();
        let of = |name: &str, volume: &str| {
            catalogue.machines.caps(name, volume).map(|caps| (caps.iops, caps.bytes_per_s / MIB))
        };
        assert_eq!(of("n2-standard-16", "pd-ssd"), Some((25_000, 1200)));
        assert_eq!(of("n2-custom-20-65536", "pd-balanced"), Some((20_000, 1200)));
        assert_eq!(of("n2-highmem-64", "pd-balanced"), Some((80_000, 1200)));
        assert_eq!(of("e2-medium", "pd-balanced"), Some((10_000, 200)));
        assert_eq!(of("e2-standard-2", "pd-standard"), Some((3000, 240)));
        assert_eq!(of("c3-standard-22-lssd", "pd-ssd"), Some((25_000, 800)));
        assert_eq!(of("m3-ultramem-32", "pd-ssd"), Some((40_000, 1200)));
        assert_eq!(of("c4d-standard-96", "hyperdisk-balanced"), Some((160_000, 3125)));
        // A bare machine has other limits, C3 takes no pd-standard, and nobody says what N2 gives to Hyperdisk.
        for (name, volume) in [
            ("c4d-standard-384-metal", "hyperdisk-balanced"),
            ("c3-standard-22", "pd-standard"),
            ("n2-standard-16", "hyperdisk-balanced"),
            ("e2-micro", "pd-balanced"),
            ("r6id.4xlarge", "gp3"),
            ("", "pd-ssd"),
        ] {
            assert_eq!(of(name, volume), None, "{name} {volume}");
        }
    }
}
