//! How many runs have each value of a column of words.

use std::collections::BTreeMap;

use fathom_order::InOrder;
use rusqlite::params_from_iter;

use crate::error::StoreError;
use crate::saved_runs::run_search::{RunCondition, RunText};
use crate::store_file::Store;

/// How many runs have each value of some columns, over all runs that meet some conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFacets {
    /// Runs that meet them.
    pub total: u64,
    /// Those of them that came to their end and failed no self-check.
    pub valid: u64,
    /// Of each column: its values with how many runs have them, the most frequent first. A run has as many tags as were
    /// put on it; where it has no value, it counts nowhere.
    pub columns: Vec<(RunText, Vec<(String, u64)>)>,
}

/// Columns that a run has one value of, or none.
const SINGLE: [RunText; 4] = [RunText::Target, RunText::Pattern, RunText::Device, RunText::Tool];
const COUNTING: &str = "counting runs";

impl Store {
    /// The values of the runs that meet all conditions.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn run_facets(&self, conditions: &[RunCondition]) -> Result<RunFacets, StoreError> {
        let (mut sql, mut values) = (String::new(), Vec::new());
        for condition in conditions {
            sql += " AND ";
            sql += &condition.sql(&mut values);
        }
        let names = SINGLE.map(RunText::column).join(", ");
        let together = format!(
            "SELECT {names}, count(*), sum(valid), environment FROM run WHERE true{sql} GROUP BY {names}, environment"
        );
        let groups = self.all(COUNTING, &together, params_from_iter(values.clone()), |row| {
            let mut words = [None, None, None, None];
            for (at, word) in words.iter_mut().enumerate() {
                *word = row.get::<_, Option<String>>(at)?;
            }
            let count = |at: usize| row.get::<_, i64>(at).map(|count| u64::try_from(count).unwrap_or(0));
            let environment: i64 = row.get(SINGLE.len() + 2)?;
            Ok((words, count(SINGLE.len())?, count(SINGLE.len() + 1)?, environment))
        })?;
        let mut counts: [BTreeMap<String, u64>; SINGLE.len()] = Default::default();
        let (mut total, mut valid) = (0_u64, 0_u64);
        let (kernels, mut on_kernels) = (self.kernels()?, BTreeMap::new());
        for (words, runs, sound, environment) in groups {
            total = total.saturating_add(runs);
            valid = valid.saturating_add(sound);
            let kernel = kernels.get(&environment).cloned().unwrap_or_default();
            *on_kernels.entry(kernel).or_default() += runs;
            for (counts, word) in counts.iter_mut().zip(words) {
                *counts.entry(word.unwrap_or_default()).or_default() += runs;
            }
        }
        let mut columns: Vec<_> = SINGLE.into_iter().zip(counts.map(sorted)).collect();
        let tags = format!(
            "SELECT said.word, count(*) FROM label AS said JOIN run ON run.id = said.object
             WHERE said.kind = 'run' AND said.void_at IS NULL{sql} GROUP BY said.word"
        );
        let tags = self.all(COUNTING, &tags, params_from_iter(values), |row| {
            Ok((row.get::<_, String>(0)?, u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0)))
        })?;
        columns.push((RunText::Tags, sorted(tags.into_iter().collect())));
        columns.push((RunText::Kernel, sorted(on_kernels)));
        Ok(RunFacets { total, valid, columns })
    }

    /// The kernel of each environment that says one.
    fn kernels(&self) -> Result<BTreeMap<i64, String>, StoreError> {
        let sql = "SELECT seq, CAST(json_extract(json, '$.kernel') AS TEXT) FROM environment WHERE json_valid(json)";
        let found = self.all(COUNTING, sql, (), |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?)))?;
        Ok(found.into_iter().filter_map(|(number, kernel)| Some((number, kernel?))).collect())
    }

    /// Another number after every change that another connection makes, and the same as long as none does.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|error| self.failed(COUNTING, error))
    }
}

/// The most frequent first; what is no value is left out.
fn sorted(mut counts: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    counts.remove("");
    let mut sorted: Vec<(String, u64)> = counts.into_iter().collect();
    sorted.put_in_order_by(|(_, one), (_, other)| other.cmp(one));
    sorted
}
