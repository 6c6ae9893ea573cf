//! Posting lists of signatures, and the kept lists by representative.

use std::collections::HashMap;

use nddb_index::Result;
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::{Sorted, Sorter};
use nddb_page::sketch::{Signature, signatures};
use nddb_verdict::SetOptions;

use crate::text_summary::SetSummary;

/// Signatures of documents.
pub struct Signed {
    /// Signature (high and low half) and ordinal.
    rows: Sorter<3>,
    /// Number of signatures of each document.
    weights: Vec<u16>,
    /// Documents without a signature.
    unsigned: u64,
}

/// Sort key of a document: weight, then ordinal.
pub(crate) type Key = u64;

/// Lists of documents by representative.
pub(crate) struct Lists {
    /// Representative and member, sorted.
    pub rows: MappedRows<1>,
    pub weights: Vec<u16>,
}

impl Signed {
    /// Returns an empty set of signatures for `len` documents.
    pub fn new(len: u32, resources: &Resources) -> Self {
        let rows = Sorter::new(&resources.folder, resources.memory_limit / 4);
        Self { rows, weights: vec![0; len as usize], unsigned: 0 }
    }

    /// Adds the signatures of the text of a document.
    pub fn push(&mut self, ordinal: u32, text: &str, options: &SetOptions) -> Result<()> {
        self.push_made(ordinal, &signatures(text, &options.signatures))
    }

    /// Adds the signatures of a document.
    pub fn push_made(&mut self, ordinal: u32, signatures: &[Signature]) -> Result<()> {
        self.unsigned += u64::from(signatures.is_empty());
        self.weights[ordinal as usize] = u16::try_from(signatures.len()).unwrap_or(u16::MAX);
        for signature in signatures {
            self.rows.push([(signature.value >> 64) as u64, signature.value as u64, ordinal.into()])?;
        }
        Ok(())
    }

    /// Returns the sorted rows, the weights, and the number of documents without a signature.
    pub fn finish(self) -> (Sorted<3>, Vec<u16>, u64) {
        (self.rows.finish(), self.weights, self.unsigned)
    }
}

/// Returns the sort key of a document.
pub(crate) fn key(weights: &[u16], ordinal: u32) -> Key {
    u64::from(weights[ordinal as usize]) << 32 | u64::from(ordinal)
}

impl Lists {
    /// Returns the list of documents of each signature. `takes` chooses the documents, and a list has at least two of
    /// them; `site` returns the site of a document.
    pub(crate) fn new(
        signed: Signed,
        options: &SetOptions,
        resources: &Resources,
        takes: &dyn Fn(u32) -> bool,
        site: &dyn Fn(u32) -> Option<u32>,
        summary: &mut SetSummary,
    ) -> Result<Self> {
        let (rows, weights, unsigned) = signed.finish();
        summary.unsigned = unsigned;
        let mut lists = Sorter::<1>::new(&resources.folder, resources.memory_limit / 4);
        let (mut value, mut list, mut len): ([u64; 2], Vec<u32>, u64) = ([0; 2], Vec::new(), 0);
        let mut end = |list: &mut Vec<u32>, len: u64| {
            if len > 1 {
                summary.shared += 1;
                if len > options.most || len > options.most_of_site && is_of_one_site(list, site) {
                    summary.dropped += 1;
                } else if let Some(&representative) = list.iter().max_by_key(|&&ordinal| key(&weights, ordinal)) {
                    for &member in list.iter().filter(|&&member| member != representative) {
                        lists.push([u64::from(representative) << 32 | u64::from(member)])?;
                    }
                }
            }
            list.clear();
            Ok(())
        };
        rows.each(&mut |rows| {
            for &[high, low, ordinal] in rows {
                let ordinal = ordinal as u32;
                if !takes(ordinal) {
                    continue;
                }
                if value != [high, low] {
                    end(&mut list, len)?;
                    (value, len) = ([high, low], 0);
                }
                // A document counts once per signature.
                if list.last() != Some(&ordinal) {
                    len += 1;
                    if len <= options.most {
                        list.push(ordinal);
                    }
                }
            }
            Ok(())
        })?;
        end(&mut list, len)?;
        let (mut rows, mut last) = (MappedRowsWriter::<1>::new(&resources.folder)?, None);
        lists.finish().each(&mut |sorted| {
            sorted.iter().filter(|row| last.replace(**row) != Some(**row)).try_for_each(|row| rows.push(row))
        })?;
        Ok(Self { rows: rows.finish()?, weights })
    }
}

/// Returns whether more than half of the documents are on the same site.
fn is_of_one_site(list: &[u32], site: &dyn Fn(u32) -> Option<u32>) -> bool {
    let mut sites: HashMap<u32, usize> = HashMap::new();
    list.iter().filter_map(|&ordinal| site(ordinal)).for_each(|site| *sites.entry(site).or_default() += 1);
    sites.values().any(|&documents| 2 * documents > list.len())
}
