//! From a document to its matches.

use std::cmp::Reverse;

use nddb_format::Fingerprint;
use nddb_format::record::Record;

use super::evidence::Facts;
use super::{Alike, Alikes, Online};
use crate::detect::evidence::Evidence;
use crate::detect::method::Method;
use crate::detect::rules::Decision;
use crate::sketch::{MIN_VALUES, PIECES, PROJECTION_BITS, Recipe, SUPERSHINGLES};
use crate::store::{Document, Key, Near, Scope, Sharing, Stored, View, Within};
use crate::{Error, Result};

/// Documents of the same id that can stand in the way of another: a committed one, and a staged one of a batch
/// that will replace it.
const OWN: usize = 2;

impl Online {
    /// Finds the near-duplicates of a document; a stored one is among its own.
    ///
    /// # Errors
    /// As [`Online::check`]; [`Error::Method`] if nothing is known of the document that the method compares;
    /// [`Error::OutOfRange`] for a fingerprint wider than the database's; damage.
    pub fn ask(&self, view: View<'_>, document: &Document) -> Result<Alikes> {
        self.check(view)?;
        let document = document.clone().fitted(view.settings().bits)?;
        let asked = Asked::new(self, Scope::of(view), &document)?;
        asked.all()
    }
}

/// A document that is asked for.
pub(super) struct Asked<'a> {
    online: &'a Online,
    scope: Scope<'a>,
    id: &'a str,
    facts: Facts<'a>,
}

impl<'a> Asked<'a> {
    /// A document whose fingerprint fits.
    ///
    /// # Errors
    /// [`Error::Method`] if nothing is known of it that the method compares.
    pub(super) fn new(online: &'a Online, scope: Scope<'a>, document: &'a Document) -> Result<Self> {
        let record = document.record();
        let fingerprint = (!document.is_unprinted()).then(|| document.fingerprint());
        let facts = Facts { fingerprint, record };
        let missing = match online.method {
            Method::Identity => facts.digest().is_none(),
            Method::B => record.supershingles.is_none(),
            Method::C => record.projection.is_none(),
            Method::MinHash => record.min_values.is_none(),
            Method::Combined | Method::Split => record.supershingles.is_none() || record.projection.is_none(),
            _ => false,
        };
        if missing && !facts.is_empty() {
            let id: String = document.id().chars().take(80).collect();
            let why = format!("of document '{id}' only the fingerprint is known; ask by simhash");
            return Err(Error::Method { method: online.method.name(), why });
        }
        Ok(Self { online, scope, id: document.id(), facts })
    }

    /// All near-duplicates.
    fn all(&self) -> Result<Alikes> {
        let most = self.online.group_limit.max(1);
        let near = self.near(most)?;
        let sharing = self.scope.sharing(&mut self.keys(), most)?;
        let mut numbers: Vec<u64> = near.matches.iter().map(|found| found.number).collect();
        numbers.extend_from_slice(&sharing.numbers);
        numbers.sort_unstable();
        numbers.dedup();
        let mut matches = Vec::new();
        for &number in &numbers {
            matches.extend(self.judge(number)?);
        }
        matches.sort_by_key(|alike| self.rank(alike));
        let mut count = matches.len() as u64;
        if near.more > 0 {
            // Identical ones that are as near as those left out are counted with them.
            let listed: Vec<u64> = near.matches.iter().map(|found| found.number).collect();
            let left_out = |alike: &&Alike| {
                let is_near = alike.evidence.distance.is_some_and(|distance| distance <= self.online.rules.within);
                is_near && !listed.contains(&alike.stored.number)
            };
            count = count + near.more - matches.iter().filter(left_out).count() as u64;
        }
        Ok(Alikes { matches, count, complete: sharing.cut == 0 && near.more == 0 })
    }

    /// The first near-duplicate with another id in the order of all, and whether all were compared that could
    /// come before it. Where many documents are the same, most are not looked at.
    pub(super) fn best(&self) -> Result<(Option<Alike>, bool)> {
        if let Some(digest) = self.facts.digest() {
            // The oldest of the identical ones comes first.
            let Sharing { numbers, cut } = self.scope.sharing(&mut [Key::Digest(*digest)], 1 + OWN)?;
            for number in numbers {
                if let Some(alike) = self.judge(number)?.filter(|alike| alike.stored.record.id != self.id) {
                    return Ok((Some(alike), true));
                }
            }
            if self.online.method == Method::Identity {
                return Ok((None, cut == 0));
            }
        }
        if self.online.method == Method::Simhash {
            for found in self.near(1 + OWN)?.matches {
                if let Some(alike) = self.judge(found.number)?.filter(|alike| alike.stored.record.id != self.id) {
                    return Ok((Some(alike), true));
                }
            }
            return Ok((None, true));
        }
        let most = self.online.group_limit.max(1);
        let sharing = self.scope.sharing(&mut self.keys(), most)?;
        let mut best: Option<Alike> = None;
        for number in sharing.numbers {
            let Some(alike) = self.judge(number)?.filter(|alike| alike.stored.record.id != self.id) else { continue };
            if self.score(&alike.evidence) >= self.perfect() {
                // Numbers ascend: nothing behind it comes before it.
                return Ok((Some(alike), true));
            }
            if best.as_ref().is_none_or(|best| self.rank(&alike) < self.rank(best)) {
                best = Some(alike);
            }
        }
        Ok((best, sharing.cut == 0))
    }

    /// What is near its fingerprint, by simhash.
    fn near(&self, most: usize) -> Result<Near> {
        match self.facts.fingerprint {
            Some(fingerprint) if self.online.method == Method::Simhash => {
                let within = Within(u8::try_from(self.online.rules.within).unwrap_or(u8::MAX));
                self.scope.near(fingerprint, within, most)
            }
            _ => Ok(Near::default()),
        }
    }

    /// The keys that near-duplicates share: one of the method's, or the digest, since what is identical is a
    /// near-duplicate by every method.
    fn keys(&self) -> Vec<Key> {
        let (method, record) = (self.online.method, self.facts.record);
        let mut keys: Vec<Key> = self.facts.digest().copied().map(Key::Digest).into_iter().collect();
        if matches!(method, Method::B | Method::Combined | Method::Split) {
            keys.extend(record.supershingles.iter().flat_map(Recipe::megashingles).map(Key::Megashingle));
        }
        if method == Method::MinHash {
            keys.extend(record.min_values.iter().flat_map(|values| Recipe::bands(values)).map(Key::Megashingle));
        }
        if matches!(method, Method::C | Method::Split) {
            keys.extend(pieces(record, self.online.complete));
        }
        keys
    }

    /// Decides about one candidate.
    fn judge(&self, number: u64) -> Result<Option<Alike>> {
        let Some(stored) = self.scope.stored(number)? else {
            let what = format!("a key or a run leads to document {number}, and it has no record");
            return Err(Error::Inconsistent { path: self.scope.view().dir.catalog(), what });
        };
        let evidence = self.facts.evidence(&Facts { fingerprint: print(&stored), record: &stored.record });
        Ok(match self.online.rules.decide(self.online.method, &evidence) {
            Decision::Near(rule) => Some(Alike { stored, evidence, rule }),
            _ => None,
        })
    }

    /// Where a match stands among all: the least comes first.
    fn rank(&self, alike: &Alike) -> (bool, Reverse<u32>, u64) {
        // Identical ones are equally good, whatever else is known of them.
        let score = if alike.evidence.identical { 0 } else { self.score(&alike.evidence) };
        (!alike.evidence.identical, Reverse(score), alike.stored.number)
    }

    /// How similar two documents are by the method: more is nearer.
    fn score(&self, evidence: &Evidence) -> u32 {
        match self.online.method {
            Method::Simhash => evidence.distance.map_or(0, |distance| u64::BITS.saturating_sub(distance)),
            Method::B => evidence.b_similarity.unwrap_or(0),
            Method::MinHash => evidence.agreement.unwrap_or(0),
            _ => evidence.c_similarity.unwrap_or(0),
        }
    }

    /// The greatest score.
    fn perfect(&self) -> u32 {
        match self.online.method {
            Method::Simhash => u64::BITS,
            Method::B => SUPERSHINGLES as u32,
            Method::MinHash => MIN_VALUES as u32,
            _ => PROJECTION_BITS as u32,
        }
    }
}

fn print(stored: &Stored) -> Option<Fingerprint> {
    (!stored.unprinted).then_some(stored.fingerprint)
}

/// The pieces of a projection by their places. Of 12 different bits each can be in another of the 12 pieces; then
/// there is just one in the first, so that it is among the 32 that differ from it in one bit (13
/// pieces for this, of which the catalog holds none).
fn pieces(record: &Record, complete: bool) -> Vec<Key> {
    let Some(projection) = &record.projection else { return Vec::new() };
    let pieces: [[u8; 4]; PIECES] = Recipe::pieces(projection);
    let mut keys: Vec<Key> = (0u8..).zip(pieces).map(|(place, bytes)| Key::Piece(place, bytes)).collect();
    if complete {
        let first = u32::from_le_bytes(pieces[0]);
        keys.extend((0..u32::BITS).map(|bit| Key::Piece(0, (first ^ 1 << bit).to_le_bytes())));
    }
    keys
}
