//! Lines on stderr: errors, warnings and notes, each in one piece.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

use clap::ValueEnum;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::Value;

use crate::failure::{Code, Told};
use crate::renamed;

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Style {
    /// One line that changes on a terminal, `plain` elsewhere
    #[default]
    Auto,
    /// A line every ten seconds
    Plain,
    /// A JSON object every second
    Json,
    /// Nothing
    Off,
}

/// What of all this the user wants to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Messages {
    pub(super) style: Style,
    pub(super) quiet: bool,
    verbose: bool,
}

/// Whether a progress line stands on the terminal, to be wiped before anything else is written.
static LIVE: Mutex<bool> = Mutex::new(false);

impl Messages {
    /// Resolves `auto` by looking at stderr.
    pub(crate) fn new(style: Style, quiet: bool, verbose: bool) -> Self {
        let style = match style {
            Style::Auto if !io::stderr().is_terminal() => Style::Plain,
            style => style,
        };
        Self { style: if quiet { Style::Off } else { style }, quiet, verbose }
    }

    /// Says what the user should know although the work goes on.
    pub(crate) fn warn(&self, text: impl Display) {
        line(&format!("nddb: {text}"));
    }

    /// Says what is good to know; not with `-q`.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            line(&format!("nddb: {text}"));
        }
    }

    /// Says what can be done; not with `-q`.
    pub(crate) fn hint(&self, text: &str) {
        if !self.quiet {
            line(&format!("hint: {text}"));
        }
    }

    /// Says what only the curious want to know, with `-v`.
    pub(crate) fn detail(&self, text: impl Display) {
        if self.verbose {
            line(&format!("nddb: {text}"));
        }
    }

    /// Writes a line of JSON that was asked for (`query --stats`).
    pub(crate) fn json(&self, value: &Value) {
        line(&value.to_string());
    }
}

/// Writes an error: `nddb: what: why`, then what can be done.
pub(crate) fn report(told: &Told) {
    line(&format!("nddb: {}", told.message));
    if let Some(hint) = &told.hint {
        line(&format!("hint: {hint}"));
    }
}

/// Writes what clap has to say: help to stdout, errors to stderr. Clap leaves colours out unless it is a terminal, and
/// where NO_COLOR is set.
pub(crate) fn usage(mut error: clap::Error) -> Code {
    if let Some(message) = renamed::message(&error) {
        line(&format!("nddb: {message}"));
        return Code::Usage;
    }
    if error.kind() == ErrorKind::MissingRequiredArgument && is_database_missing(&error) {
        let tip = "the environment variable NDDB_DB may name the database instead: export NDDB_DB=crawl.nddb";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    // Nothing is left to be done if even this cannot be written.
    let _ = error.print();
    if error.use_stderr() { Code::Usage } else { Code::Done }
}

/// Whether a database is what the command line lacks.
fn is_database_missing(error: &clap::Error) -> bool {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return false };
    missing.iter().any(|name| name.starts_with("<DB"))
}

/// Writes a whole line, in one piece. If stderr is gone nobody can be told.
pub(super) fn line(text: &str) {
    let mut live = LIVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let wipe = if std::mem::take(&mut *live) { "\r\x1b[K" } else { "" };
    let _ = io::stderr().lock().write_all(format!("{wipe}{text}\n").as_bytes());
}

/// Writes the line that the next message replaces.
pub(super) fn live_line(text: &str) {
    let mut live = LIVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    *live = true;
    let _ = io::stderr().lock().write_all(format!("\r\x1b[K{text}").as_bytes());
}
