//! In which surroundings the runs of a target were made: read from the start of each record, and from the environment
//! that equal ones share.

use fathom_record::environment_facts::Environment;
use fathom_record::run_record::Tool;

use crate::checked_json::CheckedJson;
use crate::error::{self, StoreError};
use crate::store_file::Store;

/// What a run was made with and in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// Number of its environment; runs with the same number found the machine the same.
    pub environment: i64,
    /// Version of the program; absent where the record does not say it at its start.
    pub version: Option<String>,
}

/// Letters of a record behind which the tool is not looked for.
const START: u32 = 512;

const READING: &str = "reading what surrounded runs";

impl Store {
    /// The surroundings of this program's newest runs on a target, `limit` at most, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn surroundings(&self, target: &str, limit: u32) -> Result<Vec<Surroundings>, StoreError> {
        let sql = "SELECT run.started_at, run.environment, substr(run_header.json, 1, ?3)
                   FROM run JOIN run_header ON run_header.run = run.seq
                   WHERE run.target = ?1 AND run.tool = 'fathom'
                   ORDER BY run.started_at DESC, run.id DESC LIMIT ?2";
        let mut found = self.all(READING, sql, (target, limit, START), |row| {
            let start: String = row.get(2)?;
            Ok(Surroundings {
                started_at: row.get(0)?,
                environment: row.get(1)?,
                version: version_in(&start),
            })
        })?;
        found.reverse();
        Ok(found)
    }

    /// The environment of that number.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn environment(&self, number: i64) -> Result<Environment, StoreError> {
        let damaged =
            |cause: &str| error::corrupt(&self.path, READING, format!("environment {number}: {cause}"));
        let sql = "SELECT json, crc FROM environment WHERE seq = ?1";
        let json = self
            .one(READING, sql, [number], |row| CheckedJson::from_row(row, "json", "crc"))?
            .ok_or_else(|| damaged("it is not there"))?;
        let json = json.verified().map_err(damaged)?;
        fathom_json::read(json).map_err(|error| damaged(&error.to_string()))
    }
}

/// The version of the tool that the start of a record names. No text before it can hold these signs, since a quote
/// within text has a backslash before it.
fn version_in(start: &str) -> Option<String> {
    const KEY: &str = "\"tool\":";
    let rest = &start[start.find(KEY)? + KEY.len()..];
    let tool = serde_json::Deserializer::from_str(rest).into_iter::<Tool>().next()?;
    tool.ok().map(|tool| tool.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_start_of_a_record() {
        let version = |start: &str| version_in(start);
        let start =
            r#"{"format":"fathom.run","id":"a \"tool\": b","tool":{"name":"fathom","version":"0.2.0"},"orig"#;
        assert_eq!(version(start).as_deref(), Some("0.2.0"));
        for odd in ["", "{}", r#"{"tool":{"name":"fathom","ver"#, r#"{"tool":3}"#, r#"{"tool":"#] {
            assert_eq!(version(odd), None, "{odd}");
        }
    }
}
