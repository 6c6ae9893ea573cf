//! From a document to its matches.

use std::cmp::Reverse;

use nddb_format::Fingerprint;
use nddb_format::record::Record;

use super::detector::OnlineDetector;
use super::evidence::Facts;
use super::matches::{NearDuplicate, NearDuplicates};
use super::verify::Texts;
use crate::detect::method::known::Known;
use crate::detect::method::name::Method;
use crate::detect::method::pair::Verified;
use crate::detect::method::rules::Decision;
use crate::sketch::{MIN_VALUES, PIECES, PROJECTION_BITS, Profile, Recipe, SUPERSHINGLES};
use crate::store::{Document, Key, Near, Scope, Sharing, Stored, View, Within};
use crate::text::Page;
use crate::{Error, Result};

/// Documents of the same id that can stand in the way of another: a committed one, and a staged one of a batch
/// that will replace it.
const OWN: usize = 2;

impl OnlineDetector {
    /// Finds the near-duplicates of a document; a stored one is among its own.
    ///
    /// # Errors
    /// As [`OnlineDetector::check`]; [`Error::Method`] if nothing is known of the document that the method compares;
    /// [`Error::OutOfRange`] for a fingerprint wider than the database's; damage.
    pub fn ask(&self, view: View<'_>, document: &Document) -> Result<NearDuplicates> {
        self.ask_with(view, document, None)
    }

    /// The same of a document whose page is at hand: its text is this page's and is read from no archive.
    ///
    /// # Errors
    /// As [`OnlineDetector::ask`].
    pub fn ask_page(&self, view: View<'_>, document: &Document, page: &Page<'_>) -> Result<NearDuplicates> {
        self.ask_with(view, document, Some(page))
    }

    fn ask_with(&self, view: View<'_>, document: &Document, page: Option<&Page<'_>>) -> Result<NearDuplicates> {
        self.check(view)?;
        let document = document.clone().fitted(view.settings().bits)?;
        Query::new(self, Scope::of(view), &document, page)?.all()
    }

    /// The method that decides about a document: not every one knows enough of each.
    pub fn method_for(&self, document: &Document) -> Method {
        let facts = Facts { fingerprint: None, record: document.record() };
        if self.or_simhash && !facts.are_enough_for(self.method) { Method::Simhash } else { self.method }
    }
}

/// A document that is asked for.
pub(super) struct Query<'a> {
    online: &'a OnlineDetector,
    scope: Scope<'a>,
    id: &'a str,
    facts: Facts<'a>,
    known: Known<&'a str>,
    texts: Option<Texts<'a>>,
}

impl<'a> Query<'a> {
    /// A document whose fingerprint fits.
    ///
    /// # Errors
    /// [`Error::Method`] if nothing is known of it that the method compares.
    pub(super) fn new(
        online: &'a OnlineDetector,
        scope: Scope<'a>,
        document: &'a Document,
        page: Option<&Page<'_>>,
    ) -> Result<Self> {
        let record = document.record();
        let fingerprint = (!document.is_unprinted()).then(|| document.fingerprint());
        let facts = Facts { fingerprint, record };
        if !facts.are_enough_for(online.method) && !online.or_simhash {
            let id: String = document.id().chars().take(80).collect();
            let why = format!("of document '{id}' only the fingerprint is known; ask by simhash");
            return Err(Error::Method { method: online.method.name(), why });
        }
        let texts = online.verify_lcs.then(|| Texts::new(online, scope.view(), document, page)).transpose()?;
        Ok(Self { online, scope, id: document.id(), facts, known: facts.known(), texts })
    }

    /// All near-duplicates.
    fn all(mut self) -> Result<NearDuplicates> {
        let most = self.online.group_limit.max(1);
        let (mut matches, near, cut) = self.found(most)?;
        if self.texts.is_some() {
            let mut kept = Vec::with_capacity(matches.len());
            for alike in matches {
                kept.extend(self.verified(alike)?);
            }
            matches = kept;
        }
        let mut count = matches.len() as u64;
        if near.more > 0 && self.online.method == Method::Simhash && self.texts.is_none() {
            // Identical ones that are as near as those left out are counted with them.
            let listed: Vec<u64> = near.matches.iter().map(|found| found.number).collect();
            let left_out = |alike: &&NearDuplicate| {
                let is_near = alike.evidence.distance.is_some_and(|distance| distance <= self.online.rules.within);
                is_near && !listed.contains(&alike.stored.number)
            };
            count = count + near.more - matches.iter().filter(left_out).count() as u64;
        }
        Ok(NearDuplicates { matches, count, complete: cut == 0 && near.more == 0 })
    }

    /// What the method finds, in the order of matches; what simhash found, and how many documents were left out of keys.
    fn found(&self, most: usize) -> Result<(Vec<NearDuplicate>, Near, usize)> {
        let near = self.near(most)?;
        let sharing = self.scope.sharing(&mut self.keys(), most)?;
        let mut matches = Vec::new();
        for &number in &sharing.numbers {
            matches.extend(self.judge(number, true)?);
        }
        let shares = |number: &u64| sharing.numbers.binary_search(number).is_ok();
        for number in near.matches.iter().map(|found| found.number).filter(|number| !shares(number)) {
            matches.extend(self.judge(number, false)?);
        }
        matches.sort_by_key(|alike| self.rank(alike));
        Ok((matches, near, sharing.cut))
    }

    /// The first near-duplicate with another id in the order of all, and whether all were compared that could
    /// come before it. Where many documents are the same, most are not looked at.
    pub(super) fn best(mut self) -> Result<(Option<NearDuplicate>, bool)> {
        if let Some(digest) = self.facts.digest() {
            // The oldest of the identical ones comes first.
            let Sharing { numbers, cut } = self.scope.sharing(&mut [Key::Digest(*digest)], 1 + OWN)?;
            for number in numbers {
                if let Some(alike) = self.judge(number, true)?.filter(|alike| alike.stored.record.id != self.id) {
                    return Ok((Some(alike), true));
                }
            }
            if self.online.method == Method::Identity {
                return Ok((None, cut == 0));
            }
        }
        if self.texts.is_some() {
            let (matches, near, cut) = self.found(self.online.group_limit.max(1))?;
            let id = self.id;
            for alike in matches.into_iter().filter(|alike| alike.stored.record.id != id) {
                if let Some(alike) = self.verified(alike)? {
                    return Ok((Some(alike), true));
                }
            }
            return Ok((None, cut == 0 && near.more == 0));
        }
        if self.online.method == Method::Simhash {
            return Ok((self.nearest()?, true));
        }
        let most = self.online.group_limit.max(1);
        let sharing = self.scope.sharing(&mut self.keys(), most)?;
        let mut best: Option<NearDuplicate> = None;
        for number in sharing.numbers {
            let judged = self.judge(number, true)?;
            let Some(alike) = judged.filter(|alike| alike.stored.record.id != self.id) else { continue };
            if !self.is_by_simhash(&alike) && self.score(&alike) >= self.perfect() {
                // Numbers ascend: nothing behind it comes before it.
                return Ok((Some(alike), true));
            }
            if best.as_ref().is_none_or(|best| self.rank(&alike) < self.rank(best)) {
                best = Some(alike);
            }
        }
        if best.is_none() && self.online.or_simhash {
            best = self.nearest()?;
        }
        Ok((best, sharing.cut == 0))
    }

    /// The nearest and oldest document with another id by simhash.
    fn nearest(&self) -> Result<Option<NearDuplicate>> {
        let mut most = 1 + OWN;
        loop {
            let near = self.near(most)?;
            for found in &near.matches {
                let judged = self.judge(found.number, self.online.method == Method::Simhash)?;
                if let Some(alike) = judged.filter(|alike| alike.stored.record.id != self.id) {
                    return Ok(Some(alike));
                }
            }
            // All of these are decided by another method.
            if near.more == 0 || most >= self.online.group_limit {
                return Ok(None);
            }
            most = self.online.group_limit;
        }
    }

    /// What is near its fingerprint, where simhash may decide.
    fn near(&self, most: usize) -> Result<Near> {
        match self.facts.fingerprint {
            Some(fingerprint) if self.online.method == Method::Simhash || self.online.or_simhash => {
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
        if matches!(method, Method::MinHash | Method::Model) && record.profile.is_some() {
            let profile = record.profile.as_deref().map(Profile::from_bytes);
            keys.extend(profile.iter().flat_map(Profile::bands).map(Key::Megashingle));
        } else if method == Method::MinHash {
            keys.extend(record.min_values.iter().flat_map(|values| Recipe::bands(values)).map(Key::Megashingle));
        }
        if matches!(method, Method::C | Method::Split) {
            keys.extend(pieces(record, self.online.complete));
        }
        keys
    }

    /// Decides about one candidate, one that shares a key or not: of those that are near by simhash alone, nothing
    /// else may be known.
    fn judge(&self, number: u64, shares: bool) -> Result<Option<NearDuplicate>> {
        let Some(stored) = self.scope.stored(number)? else {
            let what = format!("a key or a run leads to document {number}, and it has no record");
            return Err(Error::Inconsistent { path: self.scope.view().dir.catalog(), what });
        };
        let other = Facts { fingerprint: print(&stored), record: &stored.record };
        let evidence = self.known.evidence(&other.known());
        let (rules, method) = (&self.online.rules, self.online.method);
        let decision = match rules.decide(method, &evidence) {
            Decision::Unknown if self.online.or_simhash => rules.decide(Method::Simhash, &evidence),
            Decision::Near(_) if !shares && method != Method::Simhash => Decision::Apart,
            decision => decision,
        };
        Ok(match decision {
            Decision::Near(rule) => {
                let probability = rules.probability_of(&evidence);
                Some(NearDuplicate { stored, evidence, probability, rule, verified: None })
            }
            _ => None,
        })
    }

    /// A match, if the texts say so too or cannot be read. Equal texts are decided before.
    fn verified(&mut self, mut alike: NearDuplicate) -> Result<Option<NearDuplicate>> {
        if let Some(texts) = &mut self.texts
            && !alike.evidence.identical
        {
            alike.verified = Verified::of(texts.compare(&alike.stored.record, &mut alike.evidence)?);
            if alike.verified.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(alike))
    }

    /// Where a match stands among all: the least comes first.
    fn rank(&self, alike: &NearDuplicate) -> (bool, bool, Reverse<u32>, u64) {
        let number = alike.stored.number;
        if alike.evidence.identical {
            // Equally good, whatever else is known of them.
            return (false, false, Reverse(0), number);
        }
        // What simhash says instead of the method comes after what the method says.
        (true, self.is_by_simhash(alike), Reverse(self.score(alike)), number)
    }

    /// Whether simhash decided, instead of the method or as it.
    fn is_by_simhash(&self, alike: &NearDuplicate) -> bool {
        let OnlineDetector { method, rules, .. } = self.online;
        *method == Method::Simhash || rules.decide(*method, &alike.evidence) == Decision::Unknown
    }

    /// How similar two documents are by what decided about them: more is nearer.
    fn score(&self, alike: &NearDuplicate) -> u32 {
        let evidence = &alike.evidence;
        let score = match self.online.method {
            _ if self.is_by_simhash(alike) => evidence.distance.map(|distance| u64::BITS.saturating_sub(distance)),
            Method::B => evidence.b_similarity,
            Method::MinHash => evidence.agreement,
            Method::Model => self.online.rules.probability_of(evidence).map(in_steps),
            _ => evidence.c_similarity,
        };
        score.unwrap_or(0)
    }

    /// The greatest score.
    fn perfect(&self) -> u32 {
        match self.online.method {
            Method::Simhash => u64::BITS,
            Method::B => SUPERSHINGLES as u32,
            Method::MinHash => MIN_VALUES as u32,
            // What is identical comes first, and no other is sure.
            Method::Model => u32::MAX,
            _ => PROJECTION_BITS as u32,
        }
    }
}

/// A probability in steps far below what it is exact to.
fn in_steps(probability: f64) -> u32 {
    (probability * f64::from(1u32 << 30)) as u32
}

fn print(stored: &Stored) -> Option<Fingerprint> {
    (!stored.unprinted).then_some(stored.fingerprint)
}

/// The pieces of a projection by their indexes. Of 12 different bits each can be in another of the 12 pieces; then
/// there is just one in the first, so that it is among the 32 that differ from it in one bit (13
/// pieces for this, of which the catalog holds none).
fn pieces(record: &Record, complete: bool) -> Vec<Key> {
    let Some(projection) = &record.projection else { return Vec::new() };
    let pieces: [[u8; 4]; PIECES] = Recipe::pieces(projection);
    let mut keys: Vec<Key> = (0u8..).zip(pieces).map(|(index, bytes)| Key::Piece(index, bytes)).collect();
    if complete {
        let first = u32::from_le_bytes(pieces[0]);
        keys.extend((0..u32::BITS).map(|bit| Key::Piece(0, (first ^ 1 << bit).to_le_bytes())));
    }
    keys
}
