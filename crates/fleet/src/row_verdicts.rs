//! One volume's rows to its row of the verdicts.

use fathom_record::fleet_record::FleetRow;
use fathom_rows::Values;
use fathom_rows::demand_tables::Run;
use fathom_sizing::fleet_volumes::{SizingPolicy, VolumeFacts, row, unjudged, verdict};

use super::offers::current;
use super::volume_defaults::VolumeDefaults;

/// Judges volumes.
#[derive(Clone, Copy, Debug)]
pub struct Verdicts<'a> {
    /// What is asked.
    pub asked: SizingPolicy<'a>,
    /// What is known.
    pub known: &'a VolumeDefaults<'a>,
}

impl Verdicts<'_> {
    /// The row of a volume whose rows are these; one that cannot be judged says why.
    pub fn row(&self, mut run: Run) -> FleetRow {
        let judged = self.judged(&mut run);
        judged.unwrap_or_else(|reason| unjudged(&run.volume, &reason))
    }

    fn judged(&self, run: &mut Run) -> Result<FleetRow, String> {
        if run.volume.is_empty() {
            return Err("its rows name no volume".to_owned());
        }
        let seen = run.demand(Values::PerRow).map_err(|refusal| refusal.cause)?;
        let mut notes = seen.notes;
        notes.extend(changes(run));
        let known = self.known;
        let size_gib = size_in_table(run, &mut notes)?.or(known.size_gib);
        let named = Some(run.instance.words()).filter(|words| !words.is_empty()).or(known.instance);
        let behind = named.and_then(|name| known.market.behind(name));
        let market = behind.as_ref().unwrap_or(known.market);
        let words = Some(run.current.words()).filter(|words| !words.is_empty()).or(known.current);
        // Where nobody else knows the size, the words of what it is today may.
        let offer = words.map(|words| current(market, size_gib.unwrap_or(0), words));
        let offer = offer.transpose().map_err(|refusal| format!("what it is today: {}", refusal.cause))?;
        let size_gib = size_gib
            .or(offer.as_ref().map(|offer| offer.each.size_gib))
            .ok_or("its size is not known: give a column size (GiB), or --size for all")?;
        // A machine that limits each type by itself is in the market already.
        let instance = if behind.is_some() { None } else { known.limits(named)? };
        let asked = SizingPolicy { market, ..self.asked };
        let volume = VolumeFacts { demand: &seen.demand, size_gib, current: offer.as_ref(), instance };
        Ok(FleetRow { notes, ..row(&run.volume, &volume, &verdict(&asked, &volume)) })
    }
}

/// What changed while the volume was watched: its latest row was taken.
fn changes(run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    if let (true, Some(gib)) = (run.size_gib.has_changed(), run.size_gib.get()) {
        notes.push(format!("Its size changed while it was watched: the latest, {gib} GiB, was taken."));
    }
    if run.current.has_changed() {
        notes.push(format!(
            "Its type or settings changed while it was watched: the latest, {}, were taken, and what it did before may show other limits.",
            run.current.words()
        ));
    }
    if run.instance.has_changed() {
        notes.push(format!(
            "Its instance changed while it was watched: the latest, {}, was taken.",
            run.instance.words()
        ));
    }
    notes
}

/// A size from here on is one in another unit: all disks of a data centre are smaller.
const ABSURD_GIB: f64 = 1e9;
/// The largest volume of the provider (EBS user guide, "Amazon EBS volume types": io2 and gp3).
const LARGEST_VOLUME_GIB: u64 = 64 << 10;

/// The size that the table says, where it says one.
fn size_in_table(run: &Run, notes: &mut Vec<String>) -> Result<Option<u64>, String> {
    let gib = match run.size_gib.get() {
        Some(gib) => *gib,
        None if run.wrong_sizes > 0 => {
            return Err(
                "its size is not a number: give the size as a number of GiB, or of bytes in a column size_bytes"
                    .to_owned(),
            );
        }
        None => return Ok(None),
    };
    if !(gib > 0.0 && gib < ABSURD_GIB) {
        return Err(format!(
            "a size that no volume has: {gib} GiB, where bytes are to lie in a column size_bytes"
        ));
    }
    if run.wrong_sizes > 0 {
        notes.push(format!(
            "{} rows have a size that is not a number; that of the latest other row was taken.",
            run.wrong_sizes
        ));
    }
    let gib = gib.ceil() as u64;
    if gib > LARGEST_VOLUME_GIB {
        notes.push(format!(
            "Its size of {gib} GiB is more than any one volume has: see that the column is in GiB."
        ));
    }
    Ok(Some(gib))
}
