//! Lines on stderr: errors, warnings and notes, each in one piece.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

use clap::ValueEnum;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use nddb_jobs::json::safe;
use nddb_remote::without_credentials;
use serde_json::Value;

use crate::failure::{Code, Told};
use crate::terminal;

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Style {
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

/// The messages that the user wants.
#[derive(Clone, Copy, Debug)]
pub struct Messages {
    pub(super) style: Style,
    pub(super) quiet: bool,
    verbose: bool,
}

/// Whether a progress line is on the terminal: it must be erased before any other output.
static LIVE: Mutex<bool> = Mutex::new(false);

impl Messages {
    /// Resolves `auto` by looking at stderr.
    pub fn new(style: Style, quiet: bool, verbose: bool) -> Self {
        let style = match style {
            Style::Auto if !io::stderr().is_terminal() => Style::Plain,
            style => style,
        };
        Self { style: if quiet { Style::Off } else { style }, quiet, verbose }
    }

    /// Prints a warning; the work continues.
    pub fn warn(&self, text: impl Display) {
        line(&format!("nddb: {text}"));
    }

    /// Prints a note, unless `-q` is given.
    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            line(&format!("nddb: {text}"));
        }
    }

    /// Prints a hint, unless `-q` is given.
    pub fn hint(&self, text: &str) {
        if !self.quiet {
            line(&format!("hint: {text}"));
        }
    }

    /// Prints a detail if `-v` is given.
    pub fn detail(&self, text: impl Display) {
        if self.verbose {
            line(&format!("nddb: {text}"));
        }
    }

    /// Writes a line of JSON that an option asked for (`query --stats`).
    pub fn json(&self, value: &Value) {
        line(&value.to_string());
    }
}

/// Writes an error, `nddb: what: why`, and its hint.
pub(crate) fn report(told: &Told) {
    line(&format!("nddb: {}", told.message));
    if let Some(hint) = &told.hint {
        line(&format!("hint: {hint}"));
    }
}

/// Writes the text of clap: help to stdout, errors to stderr. Clap uses colours only on a terminal and without
/// NO_COLOR.
pub(crate) fn usage(mut error: clap::Error) -> Code {
    if error.kind() == ErrorKind::MissingRequiredArgument && is_database_missing(&error) {
        let tip = "the environment variable NDDB_DB may name the database instead: export NDDB_DB=crawl.nddb";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    let plain = error.render().to_string();
    if error.use_stderr() && is_unsafe(&plain) {
        line(plain.trim_end());
    } else {
        // If even this cannot be written, the error is ignored.
        let _ = error.print();
    }
    if error.use_stderr() { Code::Usage } else { Code::Done }
}

/// Whether the command line lacks a database.
fn is_database_missing(error: &clap::Error) -> bool {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return false };
    missing.iter().any(|name| name.starts_with("<DB"))
}

/// Whether a message has something that must not be printed as it is: control characters, or credentials.
fn is_unsafe(text: &str) -> bool {
    safe(text) != text || without_credentials(text) != text
}

/// Writes a whole line with one call, without control characters and credentials. An error is ignored, because stderr
/// is the only place for messages.
pub(super) fn line(text: &str) {
    let text = without_credentials(text);
    let text = safe(&text);
    let mut live = LIVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let wipe = if std::mem::take(&mut *live) { "\r\x1b[K" } else { "" };
    let _ = io::stderr().lock().write_all(format!("{wipe}{text}\n").as_bytes());
}

/// Erases the line of progress, before something else is written to the terminal.
pub(crate) fn wipe() {
    let mut live = LIVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if std::mem::take(&mut *live) {
        let _ = io::stderr().lock().write_all(b"\r\x1b[K");
    }
}

/// Writes a line that the next message overwrites, cut to the width of the terminal: what wraps cannot be overwritten.
pub(super) fn live_line(text: &str) {
    let width = terminal::width(io::stderr()).map_or(usize::MAX, |width| width.saturating_sub(1));
    let text: String = text.chars().take(width).collect();
    let mut live = LIVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    *live = true;
    let _ = io::stderr().lock().write_all(format!("\r\x1b[K{text}").as_bytes());
}
