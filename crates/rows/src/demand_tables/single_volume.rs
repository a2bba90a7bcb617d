//! The demand of one volume, from Parquet files of one or many.

use std::cell::RefCell;
use std::fs::File;

use fathom_tools::Refusal;

use super::{Groups, Interest, Run, RunSink};
use crate::{DemandReport, Hints, Values};

const TABLE: &str = "a Parquet table";
/// Names of other volumes that are listed.
const LISTED: usize = 8;

/// Reads the rows of the volume that is meant, of files with their names; the only one where none is named.
///
/// # Errors
/// When a file cannot be read, the volume is not in them, or several are and none is named.
pub fn of_parquet(files: &[(String, File)], hints: &Hints<'_>) -> Result<DemandReport, Refusal> {
    let mut only = VolumeFilter { asked: hints.device, rows: Run::default(), others: RefCell::default() };
    let mut values = None;
    let mut named = false;
    for (name, file) in files {
        let placed = |refusal: Refusal| placed(refusal, name, files.len());
        let groups = Groups::open_one(file, hints).map_err(placed)?;
        named |= groups.layout.volume.is_some();
        if values.replace(groups.layout.values).is_some_and(|before| before != groups.layout.values) {
            return Err(placed(
                Refusal::new(TABLE, "its values are rates where those of another file are counts")
                    .or("give files of one kind at a time"),
            ));
        }
        for group in 0..groups.count() {
            let unread = |error: std::io::Error| placed(Refusal::caused_by(TABLE, error));
            groups.read(file.try_clone().map_err(unread)?, group, &mut only).map_err(unread)?;
        }
    }
    let device = only.device(named)?;
    let first = only.rows.intervals.iter().map(|interval| interval.end_ns).min();
    let mut seen = only.rows.demand(values.unwrap_or(Values::PerRow))?;
    seen.source = "parquet";
    let start = first.map(|end| end.div_euclid(1_000_000_000) - i64::from(seen.demand.tick_s));
    // Times that count from zero are no dates.
    seen.start_unix_s = start.filter(|start| *start > 100_000_000);
    seen.device = device;
    Ok(seen)
}

/// The refusal with the file's name, where there are several.
fn placed(mut refusal: Refusal, name: &str, files: usize) -> Refusal {
    if files > 1 {
        refusal.place = match refusal.place.as_str() {
            "" => name.to_owned(),
            place => format!("{name}, {place}"),
        };
    }
    refusal
}

/// Takes one volume's rows.
struct VolumeFilter<'a> {
    asked: Option<&'a str>,
    rows: Run,
    /// The first names that were seen, in their order; of a table that names none, one empty name.
    others: RefCell<Vec<String>>,
}

impl VolumeFilter<'_> {
    /// The volume's name, where the tables name it.
    fn device(&self, named: bool) -> Result<Option<String>, Refusal> {
        let known = self.others.borrow();
        let list = known.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if known.len() > LISTED { ", and more" } else { "" };
        match (self.asked, known.as_slice()) {
            (Some(_), _) if !named => Err(Refusal::new(TABLE, "no column names the volume")
                .or("leave --device out, or name the column: --columns volume=...")),
            (_, []) => Err(Refusal::new(TABLE, "it holds no rows")),
            (Some(asked), _) if self.rows.rows == 0 => {
                Err(Refusal::new(TABLE, format!("no volume {asked} is in it"))
                    .or(format!("name one with --device: {list}{more}")))
            }
            (None, [_, _, ..]) => Err(Refusal::new(TABLE, "several volumes are in it")
                .or(format!("name one with --device: {list}{more}; or judge each: fathom size --fleet"))),
            (None, [only]) => Ok(Some(only.clone()).filter(|name| !name.is_empty())),
            (Some(asked), _) => Ok(Some(asked.to_owned())),
        }
    }
}

impl RunSink for VolumeFilter<'_> {
    fn interest(&self, volume: &[u8]) -> Interest {
        let mut known = self.others.borrow_mut();
        let name = String::from_utf8_lossy(volume);
        if known.len() <= LISTED && !known.iter().any(|known| *known == name) {
            known.push(name.into_owned());
        }
        let meant = match self.asked {
            Some(asked) => asked.as_bytes() == volume,
            None => known.first().is_some_and(|first| first.as_bytes() == volume),
        };
        if meant { Interest::Rows } else { Interest::Name }
    }

    fn take(&mut self, run: Run) {
        let meant = match self.asked {
            Some(asked) => asked == run.volume,
            None => self.others.get_mut().first() == Some(&run.volume),
        };
        if meant {
            self.rows.append(run);
        }
    }
}
