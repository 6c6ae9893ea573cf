//! What commands say while they load files into a database, stored or temporary.

use std::cell::RefCell;

use nddb::archive::{Reason, text_of};
use nddb::ingest::{Event, LoadProgress, LoadReport, Skipped};
use nddb_jobs::answers::Noticed;
use nddb_jobs::opened_documents::FileLoading;

use crate::args::Global;
use crate::failure::{Code, Failure, Result, chain};
use crate::interrupt;
use crate::messages::{Messages, Meter, Tick};
use crate::quantity::{counted, grouped};

/// Returns how far a load is.
pub(crate) fn tick(progress: &LoadProgress) -> Tick {
    let LoadProgress { documents, skipped, bytes_in, size } = *progress;
    Tick {
        phase: "reading",
        done: documents,
        unit: "documents",
        share: (size > 0).then(|| bytes_in as f64 / size as f64),
        bytes: bytes_in,
        skipped,
    }
}

/// Warns of an entry that costs the rest of its file, and that can be read with another option.
pub(crate) fn warn(skipped: &Skipped<'_>, messages: &Messages) {
    if skipped.reason == Reason::WindowLimit {
        messages.warn(format!("{}: {}", text_of(skipped.path), skipped.detail));
    }
}

/// Returns the end of the summary: what is incomplete of the documents that were read.
pub(crate) fn incomplete(report: &LoadReport) -> String {
    let mut text = String::new();
    if report.truncated > 0 {
        text += &format!("; {} incomplete in the input", counted(report.truncated, "page"));
    }
    if report.cut > 0 {
        text += &format!("; {} cut, see --max-record and --memory-limit", counted(report.cut, "document"));
    }
    if let Some((date, path)) = &report.unread_date {
        let dates = counted(report.unread_dates, "date");
        text += &format!("; {dates} not understood, first {date:?} in {}", text_of(path));
    }
    text
}

/// Says what happens while files are loaded into a temporary database.
pub(crate) fn loading(event: Event<'_>, meter: &Meter, messages: &Messages) {
    match event {
        Event::Skipped(what) => {
            warn(&what, messages);
            let (file, offset) = (what.path.display(), what.position.offset);
            let why = format!("{}: {}", what.reason.as_str(), what.detail);
            messages.detail(format!("{file}: skipped at byte {offset}: {why}"));
        }
        Event::Unreadable { error, .. } => messages.warn(format!("skipped: {}", chain(error))),
        Event::Progress(progress) => meter.tick(tick(&progress)),
        _ => {}
    }
}

/// Says what is noticed while files are read and not loaded.
pub(crate) fn noticed(noticed: &Noticed<'_>, messages: &Messages) {
    match noticed {
        Noticed::Skipped(skipped) => warn(skipped, messages),
        Noticed::Unreadable(error) => messages.warn(format!("skipped: {}", chain(*error))),
    }
}

/// Lets a job load files into temporary databases, with the progress of each, and end when the user asks for it. Calls
/// `worse` if documents were skipped.
pub(crate) fn with_files<T>(
    global: &Global,
    worse: &mut dyn FnMut(),
    job: impl FnOnce(&mut FileLoading<'_>) -> Result<T>,
) -> Result<T> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let messages = global.messages();
    let meter = RefCell::new(messages.meter("read"));
    let mut loaded = |report: &LoadReport| {
        meter.replace(messages.meter("read")).finish(&summary(report));
        if code(report) != Code::Done {
            worse();
        }
    };
    let event = &mut |event: Event<'_>| loading(event, &meter.borrow(), &messages);
    job(&mut FileLoading {
        threads: global.threads(),
        memory: global.memory_limit,
        ..FileLoading::new(&global.outputs, event, &mut loaded, &interrupt::asked)
    })
}

/// Returns the outcome of loading the files of a temporary database.
pub(crate) fn summary(report: &LoadReport) -> String {
    let mut text = counted(report.loaded.documents, "document");
    if report.loaded.repeated > 0 {
        text += &format!(", {} not: their ids are repeated", grouped(report.loaded.repeated));
    }
    if report.skipped() > 0 {
        text += &format!(", {} skipped", grouped(report.skipped()));
    }
    text + &incomplete(report)
}

/// Returns the exit code of a command that has loaded files: some may have been skipped, or ids repeated.
pub(crate) fn code(report: &LoadReport) -> Code {
    let is_whole = report.skipped() == 0 && report.loaded.repeated == 0 && report.cut == 0;
    if is_whole { Code::Done } else { Code::SomeSkipped }
}
