//! The Python package's native part: streams of a fleet's rows, as any engine hands them over, to growths, verdicts and
//! a summary.
//!
//! Thin: what a volume needs and what to buy for it is decided in [`fathom_fleet`], by the functions that the program
//! itself calls, so that the same rows give the same answer to the last byte. Python threads run on while rows are
//! judged. What is said in words of arguments is the program's: `python/fathom` gives them names.

mod arrangement;
mod arrow_columns;
mod arrow_rows;
mod arrow_stream;
mod fleet_question;
mod fleet_terms;
mod volume_stream;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use fathom_fleet::{
    FleetGrowths, Summary, Tally, Verdicts, VolumeDefaults, currency, grown, guarded, judged,
};
use fathom_record::fleet_record::{FleetRecord, FleetRow};
use fathom_rows::demand_tables::{Layout, Run};
use fathom_sizing::fleet_volumes::{History, SizingPolicy, unjudged};
use fathom_sizing::{Catalogue, Market};
use fathom_tools::Refusal;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use arrow_rows::{BATCH, GrowthRow};
use arrow_stream::Stream;
use fleet_question::{OfferSource, Question};
use fleet_terms::Terms;

/// Why a volume was not judged whose rows come a second time behind those of another.
const LIE_APART: &str = "its rows lie apart: sort the table by volume and time";

/// Why a call ends without an answer.
enum Halt {
    /// Something makes no sense.
    Refused(Refusal),
    /// A person or Python itself ended it.
    Raised(PyErr),
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<PyErr> for Halt {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// The package's own exception, with a place, a cause and a remedy.
fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let made = py.import("fathom").and_then(|fathom| {
        let words = (&refusal.place, &refusal.cause, &refusal.remedy);
        fathom.getattr("Refusal")?.call1(words)
    });
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Works while other threads of Python go on; what is refused becomes an exception.
fn apart<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Halt> + Send) -> PyResult<T> {
    py.detach(work).map_err(|halt| match halt {
        Halt::Refused(refusal) => refused(py, &refusal),
        Halt::Raised(error) => error,
    })
}

/// Whether somebody presses Ctrl-C meanwhile.
fn look() -> Result<(), Halt> {
    Python::attach(|py| py.check_signals()).map_err(Halt::from)
}

fn unmade(error: ArrowError) -> Refusal {
    Refusal::caused_by("columns", error)
}

/// Rows that become batches of some length.
struct Batches<T, F> {
    rows: Vec<T>,
    batches: Vec<RecordBatch>,
    make: F,
    failure: Option<ArrowError>,
    /// Whether no batch is made before all rows are there, because one that is there may still change.
    waits: bool,
}

impl<T, F: Fn(&[T]) -> Result<RecordBatch, ArrowError>> Batches<T, F> {
    fn new(make: F, waits: bool) -> Self {
        Self { rows: Vec::new(), batches: Vec::new(), make, failure: None, waits }
    }

    fn put(&mut self, row: T) {
        self.rows.push(row);
        if self.rows.len() == BATCH && !self.waits {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for rows in self.rows.chunks(BATCH) {
            match (self.make)(rows) {
                Ok(batch) => self.batches.push(batch),
                Err(error) => self.failure = Some(error),
            }
        }
        self.rows.clear();
    }

    fn finish(mut self) -> Result<Vec<RecordBatch>, Refusal> {
        self.flush();
        self.failure.map_or(Ok(self.batches), |error| Err(unmade(error)))
    }
}

/// How the requirements of a stream's volumes grew, a row each.
#[pyfunction]
fn growths(py: Python<'_>, stream: &Bound<'_, PyAny>, question: &str) -> PyResult<Stream> {
    let reader = arrow_stream::reader(stream)?;
    let batches = apart(py, move || {
        let question = Question::of_text(question)?;
        let (wait_s, late_millionths) = question.lateness()?;
        let catalogue = Catalogue::built_in()
            .map_err(|error| Refusal::new("the catalogue", error.cause.clone()).with_source(error))?;
        // How a requirement grew depends on neither offers nor prices.
        let market = Market::of(&catalogue, question.region());
        let history = History::default();
        let asked = SizingPolicy {
            market: &market,
            wait_s,
            late_millionths,
            margin_thousandths: 1000,
            history: &history,
            stripes: 1,
        };
        let keeps_going = question.keep_going;
        let mut found = Batches::new(arrow_rows::growth_batch, keeps_going);
        let reading = question.reading(question.halvings)?;
        let again = volume_stream::read(reader, &reading, look, |run: Run| {
            let (volume, rows) = (run.volume.clone(), run.rows);
            let grown = match guarded(&volume, || grown(&asked, run)) {
                Err(_) if keeps_going => None,
                outcome => outcome?,
            };
            found.put(GrowthRow { volume, rows, grown });
            Ok(())
        })?;
        for row in found.rows.iter_mut() {
            if let Some(rows) = again.get(&row.volume) {
                row.rows += rows;
                row.grown = None;
            }
        }
        Ok(found.finish()?)
    })?;
    Ok(Stream::new(arrow_rows::growth_schema(), batches))
}

/// A fleet's terms from its growths: the margin for a risk, as text.
#[pyfunction]
fn margin(py: Python<'_>, growths: &Bound<'_, PyAny>, question: &str) -> PyResult<String> {
    let reader = arrow_stream::reader(growths)?;
    apart(py, move || {
        let asked = Question::of_text(question)?.margin()?;
        let mut found = FleetGrowths::default();
        let mut rows = 0;
        for batch in reader {
            let (grown, of) = arrow_rows::growths(&batch.map_err(unmade)?)?;
            grown.iter().for_each(|grown| found.put(grown));
            rows += of;
        }
        Ok(Terms::new(found, rows, asked).text())
    })
}

/// The verdict on each of a stream's volumes, a row each.
#[pyfunction]
fn judge(py: Python<'_>, stream: &Bound<'_, PyAny>, terms: &str, question: &str) -> PyResult<Stream> {
    let reader = arrow_stream::reader(stream)?;
    let batches = apart(py, move || {
        let (question, terms) = (Question::of_text(question)?, Terms::of_text(terms)?);
        let OfferSource { catalogue, market } = question.offered()?;
        let history = terms.history()?;
        let (wait_s, late_millionths) = question.lateness()?;
        let mut known = VolumeDefaults::new(&catalogue, &market);
        known.size_gib = question.size_gib()?;
        (known.current, known.instance) = (question.current.as_deref(), question.instance.as_deref());
        let asked = SizingPolicy {
            market: &market,
            wait_s,
            late_millionths,
            margin_thousandths: terms.margin_thousandths,
            history: &history,
            stripes: question.stripes()?,
        };
        let verdicts = Verdicts { asked, known: &known };
        let keeps_going = question.keep_going;
        let currency = currency(&catalogue, question.region());
        let made = |rows: &[FleetRow]| arrow_rows::verdict_batch(rows, &currency);
        let mut found = Batches::new(made, keeps_going);
        let reading = question.reading(0)?;
        let again = volume_stream::read(reader, &reading, look, |run: Run| {
            let volume = run.volume.clone();
            found.put(judged(&volume, keeps_going, || verdicts.row(run))?);
            Ok(())
        })?;
        for row in found.rows.iter_mut().filter(|row| again.contains_key(&row.volume)) {
            *row = unjudged(&row.volume, LIE_APART);
        }
        Ok(found.finish()?)
    })?;
    Ok(Stream::new(arrow_rows::verdict_schema(), batches))
}

/// What some verdicts add up to.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// The currency of their amounts; absent without verdicts.
    currency: Option<String>,
    tally: Tally,
}

/// What a stream of verdicts adds up to, as text that merges with that of others.
#[pyfunction]
fn tally(py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<String> {
    let reader = arrow_stream::reader(rows)?;
    apart(py, move || {
        let mut part = Part::default();
        for batch in reader {
            let rows: Vec<FleetRow> = arrow_rows::verdicts(&batch.map_err(unmade)?, &mut part.currency)?;
            rows.iter().for_each(|row| part.tally.put(row));
        }
        Ok(serde_json::to_string(&part).map_err(|error| Refusal::caused_by("a tally", error))?)
    })
}

/// The fleet's document, from tallies of its parts in any order.
#[pyfunction]
fn summarise(py: Python<'_>, tallies: Vec<String>, terms: &str, question: &str) -> PyResult<String> {
    apart(py, move || {
        let (question, terms) = (Question::of_text(question)?, Terms::of_text(terms)?);
        let offered = question.offered()?;
        let own = currency(&offered.catalogue, question.region());
        let mut whole = Tally::default();
        for text in &tallies {
            let part = part(text)?;
            if let Some(other) = part.currency.filter(|found| *found != own) {
                let cause =
                    format!("its amounts are in {other}, and prices of {} in {own}", question.region());
                return Err(Refusal::new("a tally", cause)
                    .at("tallies")
                    .or("give the region and the prices that its rows were judged by")
                    .into());
            }
            whole.merge(part.tally);
        }
        let record = record(&question, &terms, &offered, &whole)?;
        Ok(serde_json::to_string(&record).map_err(|error| Refusal::caused_by("a summary", error))?)
    })
}

/// A tally as text says it.
fn part(text: &str) -> Result<Part, Refusal> {
    let refused = |error: serde_json::Error| {
        Refusal::caused_by("a tally", error)
            .at("tallies")
            .or("give what fathom.tally gave, of one version of this package")
    };
    serde_json::from_str(text).map_err(refused)
}

fn record(
    question: &Question,
    terms: &Terms,
    offered: &OfferSource,
    tally: &Tally,
) -> Result<FleetRecord, Refusal> {
    let OfferSource { catalogue, market } = offered;
    let history = terms.history()?;
    let (wait_s, late_millionths) = question.lateness()?;
    let asked = SizingPolicy {
        market,
        wait_s,
        late_millionths,
        margin_thousandths: terms.margin_thousandths,
        history: &history,
        stripes: question.stripes()?,
    };
    let summary = Summary {
        from: &question.sources,
        catalogue,
        region: question.region(),
        asked,
        margin: terms.margin(),
        horizon_s: terms.horizon_s,
        rows: question.rows.unwrap_or(terms.rows),
        today: &question.today,
    };
    Ok(summary.record(tally))
}

/// The order that puts a stream's rows together, as a column of their numbers from 0, and the rows of each of `parts`.
#[pyfunction]
fn arrange(
    py: Python<'_>,
    stream: &Bound<'_, PyAny>,
    question: &str,
    parts: u32,
) -> PyResult<(Stream, Vec<u32>)> {
    let reader = arrow_stream::reader(stream)?;
    let (batch, parts) = apart(py, move || {
        let question = Question::of_text(question)?;
        let found = arrangement::arrange(reader, &question.reading(question.halvings)?, parts)?;
        Ok((arrow_rows::order_batch(found.rows).map_err(unmade)?, found.parts))
    })?;
    Ok((Stream::new(batch.schema(), vec![batch]), parts))
}

/// The column of a table's volumes, and all that are looked at, by their names.
#[pyfunction]
fn columns(py: Python<'_>, names: Vec<String>, question: &str) -> PyResult<(String, Vec<String>)> {
    apart(py, move || {
        let question = Question::of_text(question)?;
        let layout = Layout::find(&names, &question.reading(0)?.hints)?;
        let volume = layout.volume.map(|at| names[at].clone()).unwrap_or_default();
        let others = [layout.volume, layout.size, layout.current, layout.instance];
        let looked_at: Vec<usize> = layout.demand.into_iter().chain(others.into_iter().flatten()).collect();
        let named = names.into_iter().enumerate().filter(|(at, _)| looked_at.contains(at));
        Ok((volume, named.map(|(_, name)| name).collect()))
    })
}

/// A hash of a volume's name, by which volumes are sampled.
#[pyfunction]
fn is_sampled(volume: &str, halvings: u32) -> bool {
    fathom_sizing::fleet_volumes::is_sampled(fathom_sizing::fleet_volumes::hash(volume.as_bytes()), halvings)
}

/// Versions of the package, its catalogue and its documents, and the day of the catalogue's latest price.
#[pyfunction]
fn version() -> (String, String, String, u32) {
    let catalogue = Catalogue::built_in().ok();
    let days =
        catalogue.iter().flat_map(|catalogue| catalogue.prices.rows()).map(|price| price.as_of.clone());
    let day = days.max().unwrap_or_default();
    (env!("CARGO_PKG_VERSION").to_owned(), fleet_terms::catalogue(), day, FleetRecord::VERSION)
}

/// The module.
#[pymodule]
fn _fathom(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(growths, module)?)?;
    module.add_function(wrap_pyfunction!(margin, module)?)?;
    module.add_function(wrap_pyfunction!(judge, module)?)?;
    module.add_function(wrap_pyfunction!(tally, module)?)?;
    module.add_function(wrap_pyfunction!(summarise, module)?)?;
    module.add_function(wrap_pyfunction!(arrange, module)?)?;
    module.add_function(wrap_pyfunction!(columns, module)?)?;
    module.add_function(wrap_pyfunction!(is_sampled, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_class::<Stream>()
}
