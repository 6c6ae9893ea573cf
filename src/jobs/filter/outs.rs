//! Where records go.

use std::io::{self, Write};

/// Where the records of an input go.
pub(super) struct Outs<'a> {
    pub(super) kept: &'a mut dyn Write,
    pub(super) removed: Option<&'a mut dyn Write>,
}

impl<'a> Outs<'a> {
    /// Returns outputs for records that are only counted.
    pub(super) fn counting(nowhere: &'a mut io::Sink) -> Self {
        Self { kept: nowhere, removed: None }
    }

    /// Returns the sink of what is kept, or of what is removed.
    pub(super) fn one(&mut self, is_removed: bool) -> Sinks<'_> {
        Sinks { first: one_of(self.kept, &mut self.removed, is_removed), second: None }
    }

    /// Returns the sinks of what records in each output need.
    pub(super) fn both(&mut self) -> Sinks<'_> {
        Sinks { first: Some(&mut *self.kept), second: reborrowed(&mut self.removed) }
    }
}

fn one_of<'a>(
    kept: &'a mut dyn Write,
    removed: &'a mut Option<&mut dyn Write>,
    is_removed: bool,
) -> Option<&'a mut dyn Write> {
    if is_removed { reborrowed(removed) } else { Some(kept) }
}

fn reborrowed<'a>(sink: &'a mut Option<&mut dyn Write>) -> Option<&'a mut dyn Write> {
    match sink {
        Some(sink) => Some(&mut **sink),
        None => None,
    }
}

/// Up to two sinks that get the same bytes.
pub(super) struct Sinks<'a> {
    pub(super) first: Option<&'a mut dyn Write>,
    pub(super) second: Option<&'a mut dyn Write>,
}

impl Write for Sinks<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(first) = &mut self.first {
            first.write_all(bytes)?;
        }
        if let Some(second) = &mut self.second {
            second.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
