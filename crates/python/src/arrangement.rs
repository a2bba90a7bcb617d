//! The order that puts a table's rows together: part by part, volume by volume and by time.

use std::collections::HashMap;

use arrow_array::RecordBatchReader;
use fathom_rows::demand_tables::{Cell, Cells};
use fathom_sizing::fleet_volumes::{hash, is_sampled};
use fathom_tools::Refusal;

use super::Halt;
use super::arrow_columns::{Words, read_moments};
use super::volume_stream::{StreamOptions, TABLE, layout};

/// Rows of a table in another order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// Which row comes when, from 0; those of volumes that the sample leaves out do not come.
    pub rows: Vec<u32>,
    /// Rows of each part, in the order of the parts.
    pub parts: Vec<u32>,
}

/// One volume's rows in the table.
struct Group {
    part: u32,
    name: Box<[u8]>,
    rows: u32,
}

/// Puts rows together: volumes by name, those of a volume by time, rows of one time as they came, and rows without a time
/// first. Into each of `parts` come the volumes whose names' hashes fall there, so that a volume lies in one part whoever
/// divides.
///
/// # Errors
/// When columns are missing or of another kind, the stream fails, or it has 2^32 rows.
pub fn arrange(
    reader: impl RecordBatchReader,
    reading: &StreamOptions<'_>,
    parts: u32,
) -> Result<Arrangement, Halt> {
    let layout = layout(&reader.schema(), &reading.hints)?;
    let (mut groups, mut numbers): (Vec<Group>, HashMap<Box<[u8]>, u32>) = Default::default();
    let (mut group_of, mut times): (Vec<u32>, Vec<i64>) = Default::default();
    let mut moments = Cells::default();
    for batch in reader {
        let batch = batch.map_err(|error| {
            Refusal::caused_by(TABLE, error).at("the stream").or("see what its producer says")
        })?;
        let words = layout.volume.map(|at| Words::of(batch.column(at)));
        let mut names = Vec::new();
        words.iter().for_each(|words| words.list(&mut names));
        names.resize(batch.num_rows(), &[]);
        let mut last: Option<(&[u8], u32)> = None;
        for name in names {
            let number = match last {
                Some((before, number)) if before == name => number,
                _ => number_of(name, parts, &mut groups, &mut numbers),
            };
            last = Some((name, number));
            groups[number as usize].rows += 1;
            group_of.push(number);
        }
        read_moments(&mut moments, batch.column(layout.demand[0]));
        match moments.whole() {
            Some(whole) => times.extend_from_slice(whole),
            None => times.extend((0..moments.len()).map(|row| match moments.get(row) {
                Cell::Value(moment) => moment,
                _ => i64::MIN,
            })),
        }
    }
    if u32::try_from(group_of.len()).is_err() {
        return Err(Refusal::new(TABLE, format!("{} rows are too many at once", group_of.len())).into());
    }
    Ok(in_order(&groups, &group_of, &times, reading.halvings, parts))
}

fn number_of(name: &[u8], parts: u32, groups: &mut Vec<Group>, numbers: &mut HashMap<Box<[u8]>, u32>) -> u32 {
    if let Some(number) = numbers.get(name) {
        return *number;
    }
    let number = groups.len() as u32;
    // The hash's lower bits: its upper ones decide on the sample.
    let part = (hash(name) % u64::from(parts.max(1))) as u32;
    groups.push(Group { part, name: name.into(), rows: 0 });
    numbers.insert(name.into(), number);
    number
}

/// Counts where each volume's rows begin, and puts each row behind those of its volume that came before: no row is
/// compared but with its neighbour in time.
fn in_order(groups: &[Group], group_of: &[u32], times: &[i64], halvings: u32, parts: u32) -> Arrangement {
    let mut by_name: Vec<u32> = (0..groups.len() as u32).collect();
    by_name.retain(|number| is_sampled(hash(&groups[*number as usize].name), halvings));
    by_name.sort_unstable_by_key(|number| {
        let group = &groups[*number as usize];
        (group.part, &group.name)
    });
    let mut arrangement = Arrangement { rows: Vec::new(), parts: vec![0; parts.max(1) as usize] };
    let mut next = vec![u32::MAX; groups.len()];
    let mut so_far = 0;
    for number in &by_name {
        let group = &groups[*number as usize];
        next[*number as usize] = so_far;
        so_far += group.rows;
        arrangement.parts[group.part as usize] += group.rows;
    }
    arrangement.rows.resize(so_far as usize, 0);
    for (row, number) in group_of.iter().enumerate() {
        let place = &mut next[*number as usize];
        if *place != u32::MAX {
            arrangement.rows[*place as usize] = row as u32;
            *place += 1;
        }
    }
    let mut rest = arrangement.rows.as_mut_slice();
    for number in &by_name {
        let (rows, others) = rest.split_at_mut(groups[*number as usize].rows as usize);
        if !rows.is_sorted_by_key(|row| times[*row as usize]) {
            rows.sort_by_key(|row| times[*row as usize]);
        }
        rest = others;
    }
    arrangement
}
