//! Where records go.

use std::io::{self, Write};

use super::duplicates::Duplicates;
use super::related::Decided;
use crate::inputs::Packing;

/// Where the records of an input go.
pub(super) struct Outs<'a> {
    pub(super) kept: &'a mut dyn Write,
    pub(super) removed: Option<&'a mut dyn Write>,
    pub(super) duplicates: Option<&'a mut Duplicates>,
}

impl<'a> Outs<'a> {
    /// Returns outputs for records that are only counted.
    pub(super) fn counting(nowhere: &'a mut io::Sink) -> Self {
        Self { kept: nowhere, removed: None, duplicates: None }
    }

    /// Returns the sink of what is kept, or of what is removed.
    pub(super) fn one(&mut self, is_removed: bool) -> Sinks<'_> {
        Sinks { first: one_of(self.kept, &mut self.removed, is_removed), second: None }
    }

    /// Returns the sinks of what records in each output need.
    pub(super) fn both(&mut self) -> Sinks<'_> {
        Sinks { first: Some(&mut *self.kept), second: reborrowed(&mut self.removed) }
    }

    /// Returns the sinks of a record, which is compressed by `packing`.
    pub(super) fn of_record(&mut self, decided: &Decided, packing: Packing) -> Sinks<'_> {
        let Decided { is_removed, page, .. } = decided;
        let second: Option<&mut dyn Write> = match (&mut self.duplicates, page) {
            (Some(duplicates), Some(page)) => match duplicates.begin(page, *is_removed, packing) {
                true => Some(&mut **duplicates),
                false => None,
            },
            _ => None,
        };
        Sinks { first: one_of(self.kept, &mut self.removed, *is_removed), second }
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

impl Sinks<'_> {
    /// Returns these sinks with another first one.
    pub(super) fn with<'a>(&'a mut self, first: &'a mut dyn Write) -> Sinks<'a> {
        Sinks { first: Some(first), second: reborrowed(&mut self.second) }
    }
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
