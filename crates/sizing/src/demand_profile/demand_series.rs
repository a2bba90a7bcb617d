//! A demand as a record keeps it, and back.

use fathom_record::Fault;
use fathom_record::profile_record::{CountedSeries, DemandSeries};

use crate::demand::{Demand, Flow};
use crate::tick_counts::TickCounts;

/// The demand as data.
pub fn series_of(demand: &Demand) -> DemandSeries {
    DemandSeries {
        tick_s: demand.tick_s,
        reads: demand.read.operations.clone(),
        read_bytes: demand.read.bytes.clone(),
        writes: demand.write.operations.clone(),
        write_bytes: demand.write.bytes.clone(),
        gaps: demand.gaps.iter().map(|gap| (gap.start as u64, gap.end as u64)).collect(),
        counted: demand.counted.as_ref().map(|counted| CountedSeries {
            units_256k: counted.solid_state.clone(),
            units_1m: counted.disk.clone(),
            seeks: counted.seeks,
        }),
    }
}

/// The demand of a record.
///
/// # Errors
/// When its numbers cannot be one.
pub fn demand_of(series: &DemandSeries) -> Result<Demand, Fault> {
    let flow =
        |operations: &[u64], bytes: &[u64]| Flow { operations: operations.to_vec(), bytes: bytes.to_vec() };
    let demand = Demand {
        tick_s: series.tick_s,
        read: flow(&series.reads, &series.read_bytes),
        write: flow(&series.writes, &series.write_bytes),
        gaps: series.gaps.iter().map(|&(start, end)| start as usize..end as usize).collect(),
        counted: series.counted.as_ref().map(|counted| TickCounts {
            solid_state: counted.units_256k.clone(),
            disk: counted.units_1m.clone(),
            seeks: counted.seeks,
        }),
    };
    demand.check()?;
    Ok(demand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demand_survives_its_record_and_a_damaged_record_is_refused() {
        let flow =
            |operations: u64| Flow { operations: vec![operations; 4], bytes: vec![operations * 512; 4] };
        let (read, write) = (flow(1), flow(2));
        let counted = Some(TickCounts::of_equal_sizes(&read, &write));
        let demand = Demand { tick_s: 5, read, write, gaps: std::iter::once(1..3).collect(), counted };
        let mut series = series_of(&demand);
        assert_eq!(demand_of(&series), Ok(demand));
        series.gaps.push((3, 9));
        assert_eq!(demand_of(&series).unwrap_err().cause, "a gap from tick 3 to 9 in 4 ticks");
        series.gaps.pop();
        series.writes.pop();
        assert!(demand_of(&series).is_err());
        series.writes.push(2);
        series.counted.as_mut().unwrap().units_1m.pop();
        assert_eq!(demand_of(&series).unwrap_err().cause, "series of different lengths: 4 and 3 ticks");
    }
}
