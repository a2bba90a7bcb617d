//! Finds runs by conditions on what a list shows, page by page, newest first.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use crate::error::StoreError;
use crate::saved_runs::list::RunRow;
use crate::store_file::Store;

/// A column of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunText {
    /// The target, as the user named it.
    Target,
    /// The lowest device under it.
    Device,
    /// The workload in a few words.
    Pattern,
    /// The tool that measured.
    Tool,
    /// The campaign that the run belongs to.
    Campaign,
    /// The run's id.
    Id,
    /// The words on it, with a space between.
    Tags,
    /// The kernel that it ran on.
    Kernel,
}

/// A column of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunNumber {
    /// Operations per second over all directions.
    OperationsPerS,
    /// Bytes per second over all directions.
    ThroughputBytesPerS,
    /// Median latency in nanoseconds: response, else service, else completion.
    P50Ns,
    /// 99th percentile of the same, in nanoseconds.
    P99Ns,
    /// Jobs.
    Jobs,
    /// Depth of each job.
    Depth,
}

/// How a figure stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Less.
    Below,
    /// Less or the same.
    AtMost,
    /// The same.
    Equal,
    /// The same or more.
    AtLeast,
    /// More.
    Above,
}

/// What a run must meet. A figure that was not measured meets no relation.
#[derive(Clone, Debug, PartialEq)]
pub enum RunCondition {
    /// The column holds the words somewhere, whatever the case of ASCII letters.
    Holds(RunText, String),
    /// Any column of words does.
    HoldsAnywhere(String),
    /// The figure stands so to the value.
    Is(RunNumber, Relation, f64),
    /// It came to its end and no self-check failed, or not so.
    Valid(bool),
    /// It is the baseline of its workload on its target.
    Baseline,
    /// It started then or later: RFC 3339, UTC, or the start of such a moment.
    Since(String),
    /// It started before that.
    Before(String),
}

/// The place of a run in the order of time: its start and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlace {
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// The run's id.
    pub id: String,
}

/// Some of the runs that meet all conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPage {
    /// Newest first.
    pub rows: Vec<RunRow>,
    /// How many meet them in the whole store.
    pub total: u64,
    /// Behind which run the next page begins; absent at the end.
    pub next: Option<RunPlace>,
}

const SEARCHING: &str = "searching runs";

impl Store {
    /// At most `limit` runs that meet all conditions, from behind `after` on.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn search_runs(
        &self,
        conditions: &[RunCondition],
        after: Option<&RunPlace>,
        limit: u32,
    ) -> Result<RunPage, StoreError> {
        let (mut sql, mut values) = (String::new(), Vec::new());
        for condition in conditions {
            sql += " AND ";
            sql += &condition.sql(&mut values);
        }
        let count = format!("SELECT count(*) FROM run WHERE true{sql}");
        let total = self
            .one(SEARCHING, &count, params_from_iter(values.clone()), |row| row.get::<_, i64>(0))?
            .unwrap_or(0);
        if let Some(place) = after {
            sql += " AND (started_at, id) < (?, ?)";
            values.extend([place.started_at.clone().into(), place.id.clone().into()]);
        }
        // One more than asked says whether there is a next page.
        values.push(Value::from(i64::from(limit) + 1));
        let columns = RunRow::COLUMNS;
        let select =
            format!("SELECT {columns} FROM run WHERE true{sql} ORDER BY started_at DESC, id DESC LIMIT ?");
        let mut rows = self.all(SEARCHING, &select, params_from_iter(values), RunRow::read)?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more);
        let next = next.map(|row| RunPlace { started_at: row.started_at.clone(), id: row.id.clone() });
        Ok(RunPage { next, rows, total: u64::try_from(total).unwrap_or(0) })
    }
}

impl RunText {
    const ALL: [Self; 7] =
        [Self::Target, Self::Device, Self::Pattern, Self::Tool, Self::Campaign, Self::Id, Self::Tags];

    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Device => "device",
            Self::Pattern => "pattern",
            Self::Tool => "tool",
            Self::Campaign => "campaign",
            Self::Id => "id",
            Self::Tags => {
                "(SELECT group_concat(word, ' ') FROM label
                  WHERE label.kind = 'run' AND label.object = run.id AND label.void_at IS NULL)"
            }
            Self::Kernel => {
                "(SELECT iif(json_valid(json), json_extract(json, '$.kernel'), NULL) FROM environment
                  WHERE environment.seq = run.environment)"
            }
        }
    }
}

impl RunNumber {
    fn expression(self) -> &'static str {
        match self {
            // Of a record without I/O no rate is known.
            Self::OperationsPerS => "iif(has_io, operations_per_s, NULL)",
            Self::ThroughputBytesPerS => "iif(has_io, throughput_bytes_per_s, NULL)",
            Self::P50Ns => "coalesce(response_p50_ns, service_p50_ns, completion_p50_ns)",
            Self::P99Ns => "coalesce(response_p99_ns, service_p99_ns, completion_p99_ns)",
            Self::Jobs => "jobs",
            Self::Depth => "depth",
        }
    }
}

impl Relation {
    fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Equal => "=",
            Self::AtLeast => ">=",
            Self::Above => ">",
        }
    }
}

impl RunCondition {
    /// The condition in SQL. What people type is a parameter, and none of its signs means anything.
    pub(super) fn sql(&self, values: &mut Vec<Value>) -> String {
        const LIKE: &str = "LIKE ? ESCAPE '\\'";
        match self {
            // Few environments stand for many runs: they are looked through, and not each run's.
            Self::Holds(RunText::Kernel, text) => {
                values.push(Value::from(pattern_of(text)));
                format!(
                    "run.environment IN (SELECT seq FROM environment
                     WHERE iif(json_valid(json), json_extract(json, '$.kernel'), NULL) {LIKE})"
                )
            }
            Self::Holds(field, text) => {
                values.push(Value::from(pattern_of(text)));
                format!("{} {LIKE}", field.column())
            }
            Self::HoldsAnywhere(text) => {
                let each = RunText::ALL.map(|field| {
                    values.push(Value::from(pattern_of(text)));
                    format!("{} {LIKE}", field.column())
                });
                format!("({})", each.join(" OR "))
            }
            Self::Is(field, relation, value) => {
                values.push(Value::from(*value));
                format!("{} {} ?", field.expression(), relation.sign())
            }
            Self::Valid(valid) => if *valid { "valid" } else { "NOT valid" }.to_owned(),
            Self::Baseline => "id IN (SELECT run FROM baseline WHERE void_at IS NULL)".to_owned(),
            Self::Since(moment) => {
                values.push(Value::from(moment.clone()));
                "started_at >= ?".to_owned()
            }
            Self::Before(moment) => {
                values.push(Value::from(moment.clone()));
                "started_at < ?".to_owned()
            }
        }
    }
}

/// What `LIKE` takes for "holds this text".
fn pattern_of(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}
