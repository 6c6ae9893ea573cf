//! The class `Stream`: a table that is computed while it is read.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use nddb::Progress;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::arrow::{dictionary, exported_schema, exported_stream};
use crate::errors::{Fault, Result};
use crate::interruptible::LOOK;
use crate::process::Owned;

/// Batches that wait for their reader.
const WAITING: usize = 4;

/// A table that is computed while it is read, in the background and without the GIL.
///
/// It is an Arrow producer for `pyarrow.table`, `polars.DataFrame` and DuckDB's `FROM`. Iterating over it yields
/// dictionaries. It is computed again for each consumer, and stops early on ^C or when the consumer closes it.
///
/// >>> import pyarrow
/// >>> pyarrow.table(nddb.open("crawl.nddb").pairs()).num_rows
/// 2
#[pyclass(frozen, module = "nddb")]
pub(crate) struct Stream {
    schema: SchemaRef,
    produce: Arc<Produce>,
}

/// The computation of the table; called by a thread that is not Python's.
type Produce = dyn Fn(&Sink) -> Result<()> + Send + Sync;

/// Where batches go while a table is computed.
pub(crate) struct Sink {
    stop: Arc<AtomicBool>,
    batches: SyncSender<Result<RecordBatch>>,
}

impl Sink {
    /// Passes a batch on; an error if nobody reads any more.
    pub(crate) fn send(&self, batch: Result<RecordBatch, ArrowError>) -> nddb::Result<()> {
        let batch = batch.map_err(|error| Fault::value(error.to_string()));
        self.batches.send(batch).map_err(|_| nddb::Error::Cancelled)
    }

    /// Whether nobody reads any more.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns a callback for the library, which says whether to go on.
    pub(crate) fn watch(&self) -> impl FnMut(&Progress) -> bool + Send + use<> {
        let stop = self.stop.clone();
        move |_| !stop.load(Ordering::Relaxed)
    }
}

impl Stream {
    /// A table with these columns.
    pub(crate) fn new(schema: SchemaRef, produce: impl Fn(&Sink) -> Result<()> + Send + Sync + 'static) -> Self {
        Self { schema, produce: Arc::new(produce) }
    }

    fn read(&self) -> Reading {
        Reading { schema: self.schema.clone(), state: ReadingState::Unstarted(self.produce.clone()) }
    }
}

#[pymethods]
impl Stream {
    /// The table as a capsule of the Arrow C stream interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyCapsule>> {
        // A producer may ignore what is requested, and this one has no other types.
        let _ = requested_schema;
        exported_stream(py, Box::new(self.read()))
    }

    /// Names and types of the columns as a capsule of the Arrow C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyCapsule>> {
        exported_schema(py, &self.schema)
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __iter__(&self) -> Rows {
        Rows { reading: self.read(), batch: None, row: 0 }
    }

    fn __repr__(&self) -> String {
        format!("<nddb.Stream of {}>", self.column_names().join(", "))
    }
}

/// The rows of a table.
#[pyclass(module = "nddb")]
pub(crate) struct Rows {
    reading: Reading,
    batch: Option<RecordBatch>,
    row: usize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> Result<Option<Bound<'py, PyDict>>> {
        loop {
            if let Some(batch) = self.batch.as_ref().filter(|batch| self.row < batch.num_rows()) {
                self.row += 1;
                return Ok(Some(dictionary(py, batch, self.row - 1)?));
            }
            match self.reading.next_batch() {
                Some(batch) => (self.batch, self.row) = (Some(batch?), 0),
                None => return Ok(None),
            }
        }
    }
}

/// One reading of a table, which begins with the first batch.
struct Reading {
    schema: SchemaRef,
    state: ReadingState,
}

enum ReadingState {
    Unstarted(Arc<Produce>),
    Running(Owned<Running>),
    Ended,
}

struct Running {
    /// Only one thread reads, which Python does not know.
    batches: Mutex<Receiver<Result<RecordBatch>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(produce: Arc<Produce>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, batches) = sync_channel(WAITING);
        let sink = Sink { stop: stop.clone(), batches: sender };
        let thread = std::thread::spawn(move || {
            let outcome = produce(&sink);
            // Nobody is told of an error who has gone.
            if let Err(fault) = outcome {
                let _ = sink.batches.send(Err(fault));
            }
        });
        Self { batches: Mutex::new(batches), stop, thread: Some(thread) }
    }

    /// Waits for a batch without the GIL; `None` at the end.
    fn wait(&self) -> Option<Result<RecordBatch>> {
        let hear = || self.batches.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
        loop {
            let heard = Python::try_attach(|py| {
                let heard = py.detach(hear);
                py.check_signals().map(|()| heard)
            });
            match heard.unwrap_or_else(|| Ok(hear())) {
                Ok(Ok(batch)) => return Some(batch),
                Ok(Err(RecvTimeoutError::Timeout)) => {}
                Ok(Err(RecvTimeoutError::Disconnected)) => return None,
                Err(raised) => return Some(Err(raised.into())),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // A producer that waits to send finds that nobody reads.
        self.batches = Mutex::new(sync_channel(0).1);
        if let Some(thread) = self.thread.take() {
            // It may wait for the GIL, where it reads what Python makes. Its panic has been reported on stderr.
            let _ = Python::try_attach(|py| py.detach(|| thread.join()));
        }
    }
}

impl Reading {
    /// The next batch.
    fn next_batch(&mut self) -> Option<Result<RecordBatch>> {
        if let ReadingState::Unstarted(produce) = &self.state {
            self.state = ReadingState::Running(Owned::new(Running::start(produce.clone())));
        }
        let ReadingState::Running(running) = &mut self.state else { return None };
        let Some(running) = running.get_mut() else { return Some(Err(Fault::value("it is read by another process"))) };
        let mut taken = running.wait();
        if taken.is_none() && running.thread.take().is_some_and(|thread| thread.join().is_err()) {
            taken = Some(Err(Fault::value("the computation of the table failed; stderr says why")));
        }
        if !matches!(taken, Some(Ok(_))) {
            self.state = ReadingState::Ended;
        }
        taken
    }
}

impl Iterator for Reading {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.next_batch()?.map_err(|fault| {
            let error = PyErr::from(fault);
            let message = Python::try_attach(|py| {
                let message = error.to_string();
                // The interface carries a message only: Python is to raise a KeyboardInterrupt itself.
                if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
                    let _ = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
                }
                message
            });
            ArrowError::ComputeError(message.unwrap_or_default())
        }))
    }
}

impl RecordBatchReader for Reading {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
