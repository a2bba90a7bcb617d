//! Streams of Arrow batches over Python's capsules, by the Arrow PyCapsule interface: nobody copies a column.
#![allow(unsafe_code, reason = "a capsule holds a C structure by its address")]

use std::ffi::CStr;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::SchemaRef;
use fathom_tools::Refusal;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::refused;

const NAME: &CStr = c"arrow_array_stream";

/// The stream that an object hands out; it is read once.
///
/// # Errors
/// When it hands out none.
pub fn reader(object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let not_a_stream = |cause: String| {
        let remedy = "give a table or reader of pyarrow, Polars, DuckDB or pandas 2.2 and later, or anything else with __arrow_c_stream__";
        refused(object.py(), &Refusal::new("a stream of Arrow columns", cause).at("the stream").or(remedy))
    };
    if !object.hasattr("__arrow_c_stream__")? {
        let name = object.get_type().name()?;
        return Err(not_a_stream(format!("a {name} has no method __arrow_c_stream__")));
    }
    let handed = object.call_method0("__arrow_c_stream__")?;
    let capsule = handed.cast::<PyCapsule>().map_err(|error| not_a_stream(error.to_string()))?;
    let pointer = capsule.pointer_checked(Some(NAME))?;
    // SAFETY: a capsule of this name holds a valid ArrowArrayStream (its name was just compared), which is moved out and
    // marked as released, so that the capsule's own end does nothing.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    RecordBatchStreamReader::try_new(stream).map_err(|error| not_a_stream(error.to_string()))
}

/// Batches that any reader of Arrow streams takes, as often as it asks.
#[pyclass(frozen, module = "fathom")]
#[derive(Debug)]
pub struct Stream {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Stream {
    /// Of batches with these columns.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }
}

#[pymethods]
impl Stream {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Columns have one form alone: whoever asks for another converts them.
        drop(requested_schema);
        let batches: Vec<_> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), NAME)
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}
