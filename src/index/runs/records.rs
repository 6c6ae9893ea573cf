//! The records of a run's documents in the catalog, from which its key table and its summaries can be made.

use std::path::Path;

use nddb_format::document_keys::KeyKinds;
use nddb_format::record::Record;

use super::summaries::SummarySink;
use crate::catalog::Catalog;
use crate::keys::{keys_of, summary_of};
use crate::spill::progress::Ticker;
use crate::spill::sort::{Sorted, Sorter};
use crate::{Error, Result};

/// Number of records between two progress reports.
const ROWS: u64 = 1 << 16;

/// The records of the documents of a run, from which its key table can be made.
pub(crate) struct Records<'a, 't> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) kinds: KeyKinds,
    /// The numbers of the run.
    pub(crate) range: (u64, u64),
    /// Returns whether a document, if it is printed, belongs to the run.
    pub(crate) keeps: &'a dyn Fn(u64) -> bool,
    /// Reports the records read.
    pub(crate) ticker: &'a Ticker<'t>,
}

impl Records<'_, '_> {
    /// Calls `visit` with each stored key and the number of its document, each once for a document.
    pub(crate) fn each_key(&self, visit: &mut dyn FnMut(u64, u64) -> Result<()>) -> Result<()> {
        self.each(&mut |number, _, record| {
            let mut keys: Vec<u64> = keys_of(record, self.kinds).stored().collect();
            keys.sort_unstable();
            keys.dedup();
            keys.into_iter().try_for_each(|key| visit(key, number))
        })
    }

    /// Calls `visit` with the encoded summary of each document that has a record of its own, and its number.
    pub(crate) fn each_summary(&self, visit: &mut SummarySink<'_>) -> Result<()> {
        let mut summary = Vec::new();
        self.each(&mut |number, fingerprint, record| {
            if self.catalog.is_of_interval(number) {
                return Ok(());
            }
            summary.clear();
            summary_of(fingerprint, record, self.kinds).encode_into(&mut summary);
            visit(number, &summary)
        })
    }

    /// Calls `visit` with each document: its number, fingerprint and record.
    fn each(&self, visit: &mut dyn FnMut(u64, u64, &Record) -> Result<()>) -> Result<()> {
        let (mut low, high) = self.range;
        while low < high {
            let mut prints = Vec::new();
            self.catalog.prints(low, &mut |number, print| {
                let goes_on = number < high && prints.len() < ROWS as usize;
                if goes_on {
                    prints.push((number, print));
                }
                Ok(goes_on)
            })?;
            let Some(&(last, _)) = prints.last() else { break };
            let mut printed = prints.into_iter().peekable();
            self.catalog.all_records(low, &mut |number, value| {
                if number > last {
                    return Ok(false);
                }
                while printed.next_if(|(before, _)| *before < number).is_some() {}
                let print = printed.next_if(|(with, print)| *with == number && !print.unprinted);
                if let Some((_, print)) = print.filter(|_| (self.keeps)(number)) {
                    let record = Record::decode(value).map_err(Error::format(self.catalog.path()))?;
                    visit(number, print.fingerprint, &record)?;
                }
                Ok(true)
            })?;
            self.ticker.add(ROWS)?;
            low = last + 1;
        }
        Ok(())
    }

    /// Returns the \[key, number\] pairs, sorted, and their number; `folder` is for temporary files.
    pub(crate) fn sorted_keys(&self, folder: &Path, memory_limit: u64) -> Result<(Sorted<2>, u64)> {
        let mut sorter = Sorter::new(folder, memory_limit);
        let mut pairs = 0;
        self.each_key(&mut |key, number| {
            pairs += 1;
            sorter.push([key, number])
        })?;
        Ok((sorter.finish(), pairs))
    }
}
