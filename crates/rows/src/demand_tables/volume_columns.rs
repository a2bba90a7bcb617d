//! Which column of a fleet's table means what: the volume, its demand, and what is known of it.

use fathom_tools::{Fault, Refusal};

use crate::{Columns, Hints, Values, column, divided_otherwise};

/// Columns of a fleet's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The volume's name; a table of one volume may have none.
    pub volume: Option<usize>,
    /// Time, reads, writes, read bytes, write bytes.
    pub demand: [usize; 5],
    /// Its size, where there is such a column.
    pub size: Option<usize>,
    /// Whether the size is in bytes instead of GiB.
    pub size_in_bytes: bool,
    /// What it is today, where there is such a column.
    pub current: Option<usize>,
    /// Its instance's type, where there is such a column.
    pub instance: Option<usize>,
    /// What it is added up with, where that was asked for and there is such a column.
    pub group: Option<usize>,
    /// What the values are.
    pub values: Values,
}

const VOLUME: [&str; 6] = ["volume", "volume_id", "volumeid", "device", "disk", "id"];
const SIZE: [&str; 4] = ["size_gib", "size_bytes", "size_gb", "size"];
const CURRENT: [&str; 3] = ["current", "offer", "volume_offer"];
const INSTANCE: [&str; 3] = ["instance_type", "instancetype", "instance"];
const OWN: [&str; 5] = ["volume", "size", "current", "instance", BY];
/// What volumes are added up by: `by=tag:team` or `by=instance`, where there is such a column.
const BY: &str = "by";

impl Layout {
    /// Finds the columns by usual names, or as the user mapped them: `volume=id,time=ts,reads=r,...`.
    ///
    /// # Errors
    /// When a column that is needed is missing, or values are not known to be rates or counts; with what to type.
    pub fn find(header: &[String], hints: &Hints<'_>) -> Result<Self, Refusal> {
        let layout = Self::of_one(header, hints)?;
        match layout.volume {
            Some(_) => Ok(layout),
            None => Err(refused(header, "no column names the volume".to_owned())),
        }
    }

    /// As [`Layout::find`], of a table that may hold one volume alone.
    ///
    /// # Errors
    /// As there.
    pub fn of_one(header: &[String], hints: &Hints<'_>) -> Result<Self, Refusal> {
        if let Some(refusal) = divided_otherwise(header) {
            return Err(refusal);
        }
        let parts = || hints.columns.split(',').map(str::trim).filter(|part| !part.is_empty());
        let is_own = |part: &&str| part.split_once('=').is_some_and(|(key, _)| OWN.contains(&key.trim()));
        let mapped = |meaning: &str| {
            let pair = parts().filter_map(|part| part.split_once('=')).find(|(key, _)| key.trim() == meaning);
            pair.map(|(_, name)| name.trim())
        };
        let place = |meaning: &str, usual: &[&str]| {
            let several = |fault: Fault| refused(header, fault.cause);
            match mapped(meaning) {
                Some(wanted) => column(header, &[wanted])
                    .map_err(several)?
                    .map(Some)
                    .ok_or_else(|| refused(header, format!("no column {wanted} for {meaning}"))),
                None => column(header, usual).map_err(several),
            }
        };
        let rest: Vec<&str> = parts().filter(|part| !is_own(part)).collect();
        let demand =
            Columns::find(header, &rest.join(",")).map_err(|refusal| refused(header, refusal.cause))?;
        let Some(values) = hints.values.or(demand.told) else {
            let cause = "its column names do not say whether values are rates or counts";
            return Err(Refusal::new("a fleet's table", cause)
                .at("the header")
                .or("say --values per-second, or --values per-row"));
        };
        let size = place("size", &SIZE)?;
        let groups = mapped(BY).map(group_columns).unwrap_or_default();
        let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
        let group = column(header, &groups).map_err(|fault| refused(header, fault.cause))?;
        Ok(Self {
            volume: place("volume", &VOLUME)?,
            demand: demand.at,
            size,
            size_in_bytes: size.is_some_and(|at| header[at].to_ascii_lowercase().contains("bytes")),
            current: place("current", &CURRENT)?,
            instance: place("instance", &INSTANCE)?,
            group,
            values,
        })
    }

    /// A size cell's value in GiB.
    pub fn gib(&self, value: f64) -> f64 {
        if self.size_in_bytes { value / (1u64 << 30) as f64 } else { value }
    }
}

/// Usual names of the column that holds what volumes are added up by.
fn group_columns(by: &str) -> Vec<String> {
    match by.split_once(':') {
        Some(("tag", key)) => [format!("tag:{key}"), format!("tag_{key}"), key.to_owned()].to_vec(),
        _ => [format!("{by}_id"), format!("{by}id"), "host".to_owned()].to_vec(),
    }
}

fn refused(header: &[String], cause: String) -> Refusal {
    Refusal::new("a fleet's table", cause).at("the header").or(format!(
        "name the columns, e.g. --columns volume=...,time=...,reads=...,writes=...,read_bytes=...,write_bytes=...; it has {}",
        header.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &str, columns: &str) -> Result<Layout, Refusal> {
        let header: Vec<String> = header.split(',').map(str::to_owned).collect();
        Layout::find(&header, &Hints { columns, ..Hints::default() })
    }

    #[test]
    fn columns_are_known_by_usual_names_or_as_mapped() {
        let usual = find(
            "volume_id,time,read_iops,write_iops,read_bytes_per_s,write_bytes_per_s,size_gib,current,instance_type",
            "",
        )
        .unwrap();
        assert_eq!((usual.volume, usual.demand, usual.size), (Some(0), [1, 2, 3, 4, 5], Some(6)));
        assert_eq!((usual.current, usual.instance, usual.values), (Some(7), Some(8), Values::PerSecond));
        let own = find("a,ts,VolumeReadOps,VolumeWriteOps,VolumeReadBytes,VolumeWriteBytes", "volume=a");
        assert_eq!((own.as_ref().unwrap().volume, own.unwrap().values), (Some(0), Values::PerRow));
        let grouped = |columns| {
            find("volume,ts,read_iops,write_iops,rbytes,wbytes,Team,instance_id", columns).unwrap().group
        };
        assert_eq!((grouped(""), grouped("by=tag:team"), grouped("by=instance")), (None, Some(6), Some(7)));
        assert_eq!(grouped("by=tag:owner"), None);
        assert!(find("x,ts,read_iops,write_iops,rbytes,wbytes", "").unwrap_err().remedy.contains("volume="));
        assert!(
            find("volume,ts,read_iops,write_iops,rbytes,wbytes", "size=much")
                .unwrap_err()
                .cause
                .contains("much")
        );
    }
}
