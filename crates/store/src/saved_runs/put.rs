//! Saves run records: encoded first, then written in one short transaction.

use std::error::Error as StdError;
use std::thread;

use fathom_record::RunRecord;
use rusqlite::{OptionalExtension, Transaction, named_params, params};

use crate::blob::{Kind, encode_intervals, encode_telemetry};
use crate::checked_json::CheckedJson;
use crate::error::{StoreError, StoreErrorKind};
use crate::id_lookup::check_id;
use crate::saved_runs::get::join_record;
use crate::saved_runs::header::Header;
use crate::saved_runs::list::RunRow;
use crate::saved_runs::readback_check::read_back;
use crate::store_file::Store;

/// A run as its rows.
pub(crate) struct PreparedRun {
    row: RunRow,
    header: CheckedJson,
    environment: CheckedJson,
    series: [(Kind, Vec<Vec<u8>>); 2],
}

impl Store {
    /// Saves a run; when this returns, it is on the disk.
    ///
    /// A figure that is no number in an optional field is kept as absent, as in JSON.
    ///
    /// # Errors
    /// When there is a run with that id, when the record could not be read back (a required figure
    /// that is no number, for one), or when the disk fails or is full; then nothing of it is kept.
    pub fn put_run(&self, record: &RunRecord) -> Result<(), StoreError> {
        let prepared = self.prepare_run(record)?;
        self.change(SAVING, |transaction| prepared.insert(transaction).map(drop))
            .map_err(|error| exists(error, &record.id))
    }

    /// Encodes a run, and makes sure that it can be read back.
    pub(crate) fn prepare_run(&self, record: &RunRecord) -> Result<PreparedRun, StoreError> {
        PreparedRun::of(record).map_err(|error| self.bad_record(record, error))
    }

    /// Encodes runs, many of them on all processors.
    pub(crate) fn prepare_runs(&self, records: &[RunRecord]) -> Result<Vec<PreparedRun>, StoreError> {
        let encode = |part: &[RunRecord]| -> Vec<_> { part.iter().map(PreparedRun::of).collect() };
        let parts =
            thread::available_parallelism().map_or(1, usize::from).min(records.len() / WORTH_A_THREAD);
        let encoded = if parts < 2 {
            encode(records)
        } else {
            thread::scope(|scope| {
                let threads: Vec<_> = records
                    .chunks(records.len().div_ceil(parts))
                    .map(|part| scope.spawn(move || encode(part)))
                    .collect();
                threads.into_iter().flat_map(joined).collect()
            })
        };
        let named = encoded.into_iter().zip(records);
        named.map(|(run, record)| run.map_err(|error| self.bad_record(record, error))).collect()
    }

    /// The same error with its place and the run that it is about.
    fn bad_record(&self, record: &RunRecord, mut error: StoreError) -> StoreError {
        error.cause = format!("run {:?}: {}", record.id, error.cause);
        error.at(self.place(SAVING))
    }
}

/// Runs that a thread is started for: encoding one takes tens of microseconds.
const WORTH_A_THREAD: usize = 32;

/// What a thread made; if it panicked, so does this one.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

const SAVING: &str = "saving a run";

/// A record that cannot be saved, before its place is known.
fn refused(cause: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::BadRecord, "", cause)
}

/// The same where another's error says why.
fn refused_for(error: impl StdError + Send + Sync + 'static) -> StoreError {
    refused(error.to_string()).with_source(error)
}

/// Tells which id was taken.
pub(crate) fn exists(mut error: StoreError, id: &str) -> StoreError {
    if error.kind != StoreErrorKind::Exists {
        return error;
    }
    error.cause = format!("there is a run {id} already");
    error
}

impl PreparedRun {
    /// A run's rows, if it reads back from them; or why not, without a place.
    fn of(record: &RunRecord) -> Result<Self, StoreError> {
        check_id(&record.id).map_err(refused)?;
        let header = CheckedJson::of(&Header::of(record)).map_err(refused_for)?;
        let environment = CheckedJson::of(&record.environment).map_err(refused_for)?;
        let whole = join_record(&environment.json, &header.json).map_err(refused)?;
        read_back(whole.as_bytes()).map_err(|error| {
            refused(format!("it would not read back ({})", error.cause)).with_source(error)
        })?;
        let intervals = encode_intervals(&record.intervals).map_err(refused_for)?;
        let telemetry = encode_telemetry(&record.telemetry).map_err(refused_for)?;
        let series = [(Kind::Intervals, intervals), (Kind::Telemetry, telemetry)];
        Ok(Self { row: RunRow::of(record), header, environment, series })
    }

    /// Writes all rows; gives the run's number.
    pub(crate) fn insert(&self, transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
        let environment = self.environment_number(transaction)?;
        let run = self.insert_row(transaction, environment)?;
        transaction
            .prepare_cached("INSERT INTO run_header (run, crc, json) VALUES (?1, ?2, ?3)")?
            .execute(params![run, self.header.crc, self.header.json])?;
        self.insert_series(transaction, run)?;
        Ok(run)
    }

    fn insert_series(&self, transaction: &Transaction<'_>, run: i64) -> rusqlite::Result<()> {
        let mut series = transaction
            .prepare_cached("INSERT INTO run_series (run, kind, piece, data) VALUES (?1, ?2, ?3, ?4)")?;
        for (kind, pieces) in &self.series {
            for (number, piece) in pieces.iter().enumerate() {
                series.execute(params![run, *kind as u8, number as i64, piece])?;
            }
        }
        Ok(())
    }

    /// Puts what was added to a run in the place of what was saved of it; tells whether there was one.
    pub(crate) fn replace(&self, transaction: &Transaction<'_>) -> rusqlite::Result<bool> {
        let found = transaction
            .prepare_cached("SELECT seq FROM run WHERE id = ?1")?
            .query_row(params![self.row.id], |row| row.get::<_, i64>(0))
            .optional()?;
        let Some(run) = found else { return Ok(false) };
        let environment = self.environment_number(transaction)?;
        transaction
            .prepare_cached("UPDATE run SET environment = ?2 WHERE seq = ?1")?
            .execute(params![run, environment])?;
        transaction
            .prepare_cached("UPDATE run_header SET crc = ?2, json = ?3 WHERE run = ?1")?
            .execute(params![run, self.header.crc, self.header.json])?;
        transaction.prepare_cached("DELETE FROM run_series WHERE run = ?1")?.execute(params![run])?;
        self.insert_series(transaction, run)?;
        Ok(true)
    }

    /// The number of an equal environment, or of a new one.
    fn environment_number(&self, transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
        let CheckedJson { json, crc } = &self.environment;
        let known = transaction
            .prepare_cached("SELECT seq FROM environment WHERE crc = ?1 AND json = ?2")?
            .query_row(params![crc, json], |row| row.get(0))
            .optional()?;
        if let Some(number) = known {
            return Ok(number);
        }
        transaction
            .prepare_cached("INSERT INTO environment (crc, json) VALUES (?1, ?2)")?
            .insert(params![crc, json])
    }

    fn insert_row(&self, transaction: &Transaction<'_>, environment: i64) -> rusqlite::Result<i64> {
        let row = &self.row;
        // SQLite's integers have a sign; 2^63 ns are 292 years.
        let latency = |ns: Option<u64>| ns.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX));
        transaction
            .prepare_cached(
                "INSERT INTO run (id, started_at, target, device, pattern, jobs, depth,
                     operations_per_s, throughput_bytes_per_s,
                     service_p50_ns, service_p99_ns, response_p50_ns, response_p99_ns,
                     completion_p50_ns, completion_p99_ns, tool, has_io,
                     valid, ending, campaign, step, environment)
                 VALUES (:id, :started_at, :target, :device, :pattern, :jobs, :depth,
                     :operations_per_s, :throughput_bytes_per_s,
                     :service_p50_ns, :service_p99_ns, :response_p50_ns, :response_p99_ns,
                     :completion_p50_ns, :completion_p99_ns, :tool, :has_io,
                     :valid, :ending, :campaign, :step, :environment)",
            )?
            .insert(named_params! {
                ":id": row.id,
                ":started_at": row.started_at,
                ":target": row.target,
                ":device": row.device,
                ":pattern": row.pattern,
                ":jobs": row.jobs,
                ":depth": row.depth,
                ":operations_per_s": row.operations_per_s,
                ":throughput_bytes_per_s": row.throughput_bytes_per_s,
                ":service_p50_ns": latency(row.service_p50_ns),
                ":service_p99_ns": latency(row.service_p99_ns),
                ":response_p50_ns": latency(row.response_p50_ns),
                ":response_p99_ns": latency(row.response_p99_ns),
                ":completion_p50_ns": latency(row.completion_p50_ns),
                ":completion_p99_ns": latency(row.completion_p99_ns),
                ":tool": row.tool,
                ":has_io": row.has_io,
                ":valid": row.valid,
                ":ending": row.ending,
                ":campaign": row.campaign,
                ":step": row.step,
                ":environment": environment,
            })
    }
}
