//! Looking up staged documents as if they were committed.

use std::collections::HashMap;

use nddb_format::Fingerprint;

use super::{Group, Writer};
use crate::Result;
use crate::store::catalog::Family;
use crate::store::read::probe::Match;
use crate::store::read::scope::{Key, Scope, Staging};
use crate::store::read::view::{Stored, Within};

/// The staged documents by their keys.
#[derive(Default)]
pub(crate) struct Keys {
    /// Numbers under each key without its number, ascending; abandoned documents included.
    numbers: HashMap<(u8, Vec<u8>), Vec<u64>>,
    /// Number of staged documents in the index.
    indexed: usize,
}

fn name(family: Family) -> u8 {
    family as u8
}

impl Writer {
    /// Returns the committed and the staged documents together.
    pub(crate) fn scope(&mut self) -> Result<Scope<'_>> {
        self.ready()?;
        self.group.index();
        Ok(Scope::with_group(self.view(), &self.group))
    }
}

impl Group {
    /// Updates the keys up to the last staged document, only when they are looked up.
    fn index(&mut self) {
        for staged in &self.documents[self.keys.indexed..] {
            for (family, mut key) in staged.keys.rows(staged.number) {
                key.truncate(key.len() - size_of::<u64>());
                let numbers = self.keys.numbers.entry((name(family), key)).or_default();
                // The same key twice is one row.
                if numbers.last() != Some(&staged.number) {
                    numbers.push(staged.number);
                }
            }
        }
        self.keys.indexed = self.documents.len();
    }

    /// Returns the index of a number among the staged documents, whose numbers are consecutive.
    fn index_of(&self, number: u64) -> Option<usize> {
        let index = usize::try_from(number.checked_sub(self.documents.first()?.number)?).ok()?;
        (index < self.documents.len()).then_some(index)
    }
}

impl Staging for Group {
    fn sharing(&self, key: &Key) -> &[u64] {
        let numbers = self.keys.numbers.get(&(name(key.family()), key.prefix()));
        numbers.map_or(&[], Vec::as_slice)
    }

    fn near(&self, fingerprint: Fingerprint, within: Within, most: usize, matches: &mut Vec<Match>) -> u64 {
        let mut more = 0;
        self.memtable.probe(fingerprint.0, u32::from(within.0), |print, numbers| {
            let distance = (print ^ fingerprint.0).count_ones();
            let mut rest = numbers.iter();
            let kept = rest.by_ref().copied().filter(|&number| self.keeps(number)).take(most);
            matches.extend(kept.map(|number| Match { distance, number, fingerprint: Fingerprint(print) }));
            more += rest.len() as u64;
        });
        more
    }

    fn keeps(&self, number: u64) -> bool {
        self.index_of(number).is_some() && !self.abandoned.contains(&number)
    }

    fn deletes(&self, number: u64) -> bool {
        self.deleted.contains(&number)
    }

    fn deleted_len(&self) -> usize {
        self.deleted.len()
    }

    fn stored(&self, number: u64) -> Option<Stored> {
        let staged = &self.documents[self.index_of(number)?];
        let (fingerprint, unprinted) = (Fingerprint(staged.print.fingerprint), staged.print.unprinted);
        Some(Stored { number, fingerprint, unprinted, record: staged.document.record.clone() })
    }
}
