//! Reads run records back, whole or without their series.

use std::ops::Range;

use fathom_record::telemetry::Telemetry;
use fathom_record::{Interval, ReadErrorKind, RunRecord};

use crate::blob::{
    BlobError, Kind, decode_intervals, decode_telemetry, decode_telemetry_of, visit_intervals,
};
use crate::checked_json::CheckedJson;
use crate::error::{self, StoreError, StoreErrorKind};
use crate::id_lookup::Names;
use crate::store_file::Store;

const READING: &str = "reading a run";

impl Store {
    /// The record of the run with this id, as it was saved.
    ///
    /// # Errors
    /// When there is none, or it is damaged or from a newer build.
    pub fn run(&self, id: &str) -> Result<RunRecord, StoreError> {
        let (number, mut record) = self.header(id)?;
        let intervals = self.pieces(number, Kind::Intervals)?;
        let telemetry = self.pieces(number, Kind::Telemetry)?;
        record.intervals = decode_intervals(&intervals).map_err(|error| self.unreadable(id, error))?;
        record.telemetry = decode_telemetry(&telemetry).map_err(|error| self.unreadable(id, error))?;
        Ok(record)
    }

    /// The record of the run with this id, with empty intervals and telemetry: much less to read.
    ///
    /// # Errors
    /// When there is none, or it is damaged or from a newer build.
    pub fn run_without_series(&self, id: &str) -> Result<RunRecord, StoreError> {
        self.header(id).map(|(_, record)| record)
    }

    /// Hands `visit` one interval of the run after the other, in order. Statistics over many long
    /// runs need a few megabytes and milliseconds a run this way, where whole records need ten times
    /// as much of both.
    ///
    /// # Errors
    /// When there is no such run, or its intervals are damaged or from a newer build; `visit` may
    /// have had some of them by then.
    pub fn visit_intervals(&self, id: &str, visit: impl FnMut(Interval)) -> Result<(), StoreError> {
        self.visit_stretch(id, 0..u64::MAX, visit).map(|_| ())
    }

    /// The same of those whose numbers, from 0, are in a stretch; the others are not unpacked. Gives how many the run has.
    ///
    /// # Errors
    /// As [`visit_intervals`](Self::visit_intervals).
    pub fn visit_stretch(
        &self,
        id: &str,
        stretch: Range<u64>,
        visit: impl FnMut(Interval),
    ) -> Result<u64, StoreError> {
        let pieces = self.pieces(self.number_of_run(id)?, Kind::Intervals)?;
        visit_intervals(&pieces, stretch, visit).map_err(|error| self.unreadable(id, error))
    }

    /// What was sampled beside the run: the series of the metrics that are wanted, by their names.
    ///
    /// # Errors
    /// When there is no such run, or its telemetry is damaged or from a newer build.
    pub fn telemetry(&self, id: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Telemetry, StoreError> {
        let pieces = self.pieces(self.number_of_run(id)?, Kind::Telemetry)?;
        decode_telemetry_of(&pieces, is_wanted).map_err(|error| self.unreadable(id, error))
    }

    fn number_of_run(&self, id: &str) -> Result<i64, StoreError> {
        let sql = "SELECT seq FROM run WHERE id = ?1";
        let number = self.one(READING, sql, [id], |row| row.get(0))?;
        number.ok_or_else(|| self.unknown(id, &[Names::Runs]))
    }

    /// A run's number, and its record without series.
    fn header(&self, id: &str) -> Result<(i64, RunRecord), StoreError> {
        let sql = "SELECT run.seq AS seq, run_header.json AS header, run_header.crc AS header_crc,
                       environment.json AS environment, environment.crc AS environment_crc
                   FROM run
                   JOIN run_header ON run_header.run = run.seq
                   JOIN environment ON environment.seq = run.environment
                   WHERE run.id = ?1";
        let found = self.one(READING, sql, [id], |row| {
            let header = CheckedJson::from_row(row, "header", "header_crc")?;
            let environment = CheckedJson::from_row(row, "environment", "environment_crc")?;
            Ok((row.get("seq")?, header, environment))
        })?;
        let Some((number, header, environment)) = found else {
            return Err(self.unknown(id, &[Names::Runs]));
        };
        let damaged = |cause: &str| error::corrupt(&self.path, READING, format!("run {id}: {cause}"));
        let (header, environment) =
            (header.verified().map_err(damaged)?, environment.verified().map_err(damaged)?);
        let joined = join_record(environment, header).map_err(damaged)?;
        let record = fathom_record::parse_run(joined.as_bytes()).map_err(|error| match error.kind {
            ReadErrorKind::Newer => {
                let cause = format!("run {id}: {}", error.cause);
                StoreError::new(StoreErrorKind::Newer, self.place(READING), cause)
                    .with_remedy(error.remedy.clone())
                    .with_source(error)
            }
            _ => damaged(&error.cause).with_source(error),
        })?;
        if record.id != id {
            return Err(damaged("its record has another id"));
        }
        Ok((number, record))
    }

    fn pieces(&self, run: i64, kind: Kind) -> Result<Vec<Vec<u8>>, StoreError> {
        let sql = "SELECT data FROM run_series WHERE run = ?1 AND kind = ?2 ORDER BY piece";
        self.all(READING, sql, (run, kind as u8), |row| row.get(0))
    }

    fn unreadable(&self, id: &str, error: BlobError) -> StoreError {
        let cause = format!("run {id}: {error}");
        let unread = match error {
            BlobError::Damaged(_) | BlobError::Codec(..) => error::corrupt(&self.path, READING, cause),
            BlobError::Newer { .. } => StoreError::new(StoreErrorKind::Newer, self.place(READING), cause)
                .with_remedy("update fathom"),
        };
        unread.with_source(error)
    }
}

/// The text of a record from its environment's and that of the rest.
pub(crate) fn join_record(environment: &str, header: &str) -> Result<String, &'static str> {
    let fields = header.strip_prefix('{').ok_or("its JSON is not an object")?;
    Ok(format!("{{\"environment\":{environment},{fields}"))
}
