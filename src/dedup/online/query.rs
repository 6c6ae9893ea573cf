//! The query of a document: from its keys to its matches.

use std::cmp::Reverse;

use nddb_format::Fingerprint;
use nddb_format::document_keys::KeyKinds;
use nddb_format::record::{Print, Record, ShownId};
use nddb_index::{Candidate, Document, Error, Found, Key, Near, Result, Scope, Sharing, Stored, View, Within, fitting};
use nddb_page::text::Page;
use nddb_verdict::{
    Besides, Candidates, Decider, Decision, Derived, DocumentPair, Known, Measures, Method, Overlap, Sketches, Verdict,
    digest_of, is_without_terms,
};

use super::detector::OnlineDetector;
use super::matches::{NearDuplicate, NearDuplicates};
use super::verify::Texts;
use crate::candidates::lookup::keys_of;
use crate::cluster::{MemberVerdict, decide_stored};
use crate::pair::Verified;
use crate::requirements::check_maker;

/// Greatest number of stored documents with the id of the queried one: a committed document, and the staged document
/// that will replace it.
const OWN: usize = 2;

impl OnlineDetector {
    /// Returns the near-duplicates of a document; a stored document is among its own matches.
    ///
    /// # Errors
    /// Errors of [`OnlineDetector::check`]; [`Error::Method`] if the document has none of the sketches of the method;
    /// [`Error::OutOfRange`] for a fingerprint wider than that of the database; damage.
    pub fn ask(&self, view: View<'_>, document: &Document) -> Result<NearDuplicates> {
        self.ask_with(view, document, None)
    }

    /// Like [`OnlineDetector::ask`], for a document whose page is given. The text is taken from the page, not from an
    /// archive.
    ///
    /// # Errors
    /// Errors of [`OnlineDetector::ask`].
    pub fn ask_page(&self, view: View<'_>, document: &Document, page: &Page<'_>) -> Result<NearDuplicates> {
        self.ask_with(view, document, Some(page))
    }

    /// Returns the near-duplicates of a stored document, without the document itself. If a page is given, its text is
    /// that of the document.
    ///
    /// # Errors
    /// Errors of [`OnlineDetector::ask`].
    pub fn ask_stored(&self, view: View<'_>, stored: &Stored, page: Option<&Page<'_>>) -> Result<NearDuplicates> {
        self.check(view)?;
        let fingerprint = fitting(stored.fingerprint, view.settings().bits)?;
        let fingerprint = (!stored.unprinted).then_some(fingerprint);
        let mut found = Query::new(self, Scope::of(view), (&stored.record, fingerprint), page)?.all()?;
        let listed = found.matches.len();
        found.matches.retain(|near_duplicate| near_duplicate.number != stored.number);
        // If there are more identical documents than are listed, the document itself may be among those that are only
        // counted.
        if found.matches.len() < listed || found.count > listed as u64 {
            found.count -= 1;
        }
        Ok(found)
    }

    fn ask_with(&self, view: View<'_>, document: &Document, page: Option<&Page<'_>>) -> Result<NearDuplicates> {
        self.check(view)?;
        check_maker(view, document)?;
        let fingerprint = document.fitted_fingerprint(view.settings().bits)?;
        let fingerprint = (!document.is_unprinted()).then_some(fingerprint);
        Query::new(self, Scope::of(view), (document.record(), fingerprint), page)?.all()
    }

    /// Returns the method that decides about a document: hamming if the document lacks the sketches of the method and
    /// the fallback is on.
    pub fn method_for(&self, document: &Document) -> &dyn Method {
        self.method_of(document.record(), !document.is_unprinted())
    }

    /// Like [`OnlineDetector::method_for`], for a stored document.
    pub fn method_for_stored(&self, stored: &Stored) -> &dyn Method {
        self.method_of(&stored.record, !stored.unprinted)
    }

    fn method_of(&self, record: &Record, has_fingerprint: bool) -> &dyn Method {
        let (sketches, method) = (Sketches::of(record, has_fingerprint), &*self.method);
        let or_hamming = self.decider().or_hamming.filter(|_| !is_without_terms(record.tokens, sketches));
        match or_hamming {
            Some(hamming) if !are_enough(sketches, record, method) => hamming,
            _ => method,
        }
    }
}

/// A queried document.
pub(super) struct Query<'a> {
    online: &'a OnlineDetector,
    scope: Scope<'a>,
    record: &'a Record,
    known: Known,
    derived: Derived,
    decider: Decider<'a>,
    /// Maximum distance of fingerprints, in bits; `None` if hamming may not decide.
    within: Option<u32>,
    /// Candidate keys: every near-duplicate shares at least one.
    keys: Vec<Key>,
    texts: Option<Texts<'a>>,
}

impl<'a> Query<'a> {
    /// Returns the query of a document, given its record and its fingerprint. The fingerprint has the width of the
    /// database, and is `None` for a document with fewer than two tokens.
    ///
    /// # Errors
    /// [`Error::Method`] if the document has none of the sketches that the method compares.
    pub(super) fn new(
        online: &'a OnlineDetector,
        scope: Scope<'a>,
        (record, fingerprint): (&'a Record, Option<Fingerprint>),
        page: Option<&Page<'_>>,
    ) -> Result<Self> {
        let decider = online.decider();
        let kinds = KeyKinds::of_label(&scope.view().settings().recipe);
        let (of_method, within) = match online.method.candidates() {
            Candidates::Near(within) => (Vec::new(), Some(within)),
            Candidates::Sharing(keys) => (keys, decider.or_hamming.map(|hamming| hamming.k)),
            _ => (Vec::new(), None),
        };
        let keys = keys_of(record, kinds, &of_method);
        // An empty text has no sketches.
        if keys.is_empty() && within.is_none() && record.tokens != Some(0) {
            return Err(unknown(online, record));
        }
        let texts = Texts::new(online, scope.view(), record, page)?;
        let mut known = Known::of(record, fingerprint);
        if !kinds.megashingles {
            // Summaries lack these sketches; records are compared as if they were summaries.
            (known.supershingles, known.projection) = (None, None);
        }
        Ok(Self { online, scope, record, known, derived: Derived::default(), decider, within, keys, texts })
    }

    /// Rejects a document that lacks a sketch that the method compares, because its near-duplicates might not be found.
    ///
    /// # Errors
    /// [`Error::Method`].
    pub(super) fn check_known(&self) -> Result<()> {
        let sketches = Sketches::of(self.record, self.known.fingerprint.is_some());
        let is_known = are_enough(sketches, self.record, &*self.online.method);
        if is_known || self.decider.or_hamming.is_some() { Ok(()) } else { Err(unknown(self.online, self.record)) }
    }

    /// Returns all near-duplicates.
    pub(super) fn all(mut self) -> Result<NearDuplicates> {
        let most = self.online.group_limit.max(1);
        let (mut matches, near, cut) = self.found(most)?;
        if self.texts.is_some() {
            let mut kept = Vec::with_capacity(matches.len());
            for near_duplicate in matches {
                kept.extend(self.verified(near_duplicate)?);
            }
            matches = kept;
        }
        let mut count = matches.len() as u64;
        let method = &self.online.method;
        let by_distance_alone = method.is_by_distance() && method.besides() == Besides::Nothing;
        if near.more > 0 && by_distance_alone && self.texts.is_none() {
            // Identical documents at the distance of the documents left out are counted with these.
            let listed: Vec<u64> = near.matches.iter().map(|found| found.number).collect();
            let left_out = |near_duplicate: &&NearDuplicate| {
                let distance = near_duplicate.fingerprint.zip(self.known.fingerprint);
                let distance = distance.map(|(a, b)| (a.0 ^ b.0).count_ones());
                distance.zip(self.within).is_some_and(|(distance, within)| distance <= within)
                    && !listed.contains(&near_duplicate.number)
            };
            count = count + near.more - matches.iter().filter(left_out).count() as u64;
        }
        Ok(NearDuplicates { matches, count, complete: cut == 0 && near.more == 0 })
    }

    /// Returns the matches of the method in order, the matches of hamming, and the number of documents left out because
    /// of keys with too many postings.
    fn found(&self, most: usize) -> Result<(Vec<NearDuplicate>, Near, usize)> {
        let near = self.near(most)?;
        let sharing = self.scope.sharing(&mut self.keys.clone(), most)?;
        let mut probed: Vec<(u64, Fingerprint)> =
            near.matches.iter().map(|found| (found.number, found.fingerprint)).collect();
        probed.sort_unstable_by_key(|(number, _)| *number);
        let fingerprint_of = |number| {
            let index = probed.binary_search_by_key(&number, |(number, _)| *number).ok()?;
            Some(probed[index].1)
        };
        let mut alikes = Vec::new();
        self.each_found(&sharing.numbers, |number, found| {
            alikes.extend(self.judge((number, found), true, fingerprint_of(number))?);
            Ok(true)
        })?;
        let rest = probed.iter().filter(|(number, _)| sharing.numbers.binary_search(number).is_err());
        let (rest, prints): (Vec<u64>, Vec<Fingerprint>) = rest.copied().unzip();
        let mut prints = prints.into_iter();
        self.each_found(&rest, |number, found| {
            alikes.extend(self.judge((number, found), false, prints.next())?);
            Ok(true)
        })?;
        alikes.sort_by_cached_key(|alike| self.rank(alike));
        Ok((alikes, near, sharing.cut))
    }

    /// Returns the first match with another id for which the document may be removed, and whether every document that
    /// could precede the match was compared. Among many identical documents, most are not read.
    pub(super) fn best(mut self) -> Result<(Option<NearDuplicate>, bool)> {
        let (best, complete) = self.nearest_of_all()?;
        let Some(best) = best else { return Ok((None, complete)) };
        if self.may_go(&best)? {
            return Ok((Some(best), complete));
        }
        // A document that is less near may lack less.
        let (matches, near, cut) = self.found(self.online.group_limit.max(1))?;
        for alike in matches.into_iter().filter(|alike| alike.number != best.number && alike.id != self.record.id) {
            if let Some(alike) = self.verified(alike)?
                && self.may_go(&alike)?
            {
                return Ok((Some(alike), true));
            }
        }
        Ok((None, cut == 0 && near.more == 0))
    }

    /// Returns whether the document may be removed because of this near-duplicate.
    fn may_go(&self, alike: &NearDuplicate) -> Result<bool> {
        if alike.identical {
            return Ok(true);
        }
        let kept = self.scope.record(alike.number)?.ok_or_else(|| lost(&self.scope, alike.number))?;
        Ok(decide_stored(self.online.level, self.record, &kept, false).verdict == MemberVerdict::Removed)
    }

    /// Returns the first match with another id, and whether every document that could precede the match was compared.
    fn nearest_of_all(&mut self) -> Result<(Option<NearDuplicate>, bool)> {
        if let Some(digest) = digest_of(self.record) {
            // The oldest identical document comes first.
            let digest = Key::Digest(*digest);
            let Sharing { numbers, cut } = self.scope.sharing(&mut [digest], 1 + OWN)?;
            for number in numbers {
                let alike = self.judge((number, self.look_up(number)?), true, None)?;
                if let Some(alike) = alike.filter(|alike| self.is_other(alike)) {
                    return Ok((Some(alike), true));
                }
            }
            if self.online.method.is_identity() {
                return Ok((None, cut == 0));
            }
            if cut == 0 {
                // All documents with this digest were judged.
                self.keys.retain(|key| *key != digest);
            }
        }
        if self.texts.is_some() {
            let (matches, near, cut) = self.found(self.online.group_limit.max(1))?;
            let id = &*self.record.id;
            for near_duplicate in matches.into_iter().filter(|near_duplicate| near_duplicate.id != id) {
                if let Some(near_duplicate) = self.verified(near_duplicate)? {
                    return Ok((Some(near_duplicate), true));
                }
            }
            return Ok((None, cut == 0 && near.more == 0));
        }
        if self.online.method.is_by_distance() {
            return self.nearest();
        }
        let most = self.online.group_limit.max(1);
        let sharing = self.scope.sharing(&mut self.keys.clone(), most)?;
        let mut best: Option<((Reverse<u64>, u64), NearDuplicate)> = None;
        let mut is_perfect = false;
        self.each_found(&sharing.numbers, |number, found| {
            if let Some(alike) = self.judge((number, found), true, None)?.filter(|alike| self.is_other(alike)) {
                let rank = self.rank(&alike);
                // Numbers ascend, so no later document precedes a perfect match.
                is_perfect = rank.0.0 >= self.decider.perfect();
                if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                    best = Some((rank, alike));
                }
            }
            Ok(!is_perfect)
        })?;
        let mut best = best.map(|(_, alike)| alike);
        if best.is_none() && self.decider.or_hamming.is_some() {
            best = self.nearest()?.0;
        }
        Ok((best, is_perfect || sharing.cut == 0))
    }

    /// Returns the nearest, then oldest, document with another id by hamming, and whether every document that could
    /// precede it was compared.
    fn nearest(&self) -> Result<(Option<NearDuplicate>, bool)> {
        let mut most = 1 + OWN;
        loop {
            let near = self.near(most)?;
            for found in &near.matches {
                let candidate = (found.number, self.look_up(found.number)?);
                let alike = self.judge(candidate, self.online.method.is_by_distance(), Some(found.fingerprint))?;
                if let Some(alike) = alike.filter(|alike| self.is_other(alike)) {
                    return Ok((Some(alike), true));
                }
            }
            // All documents read so far are decided by another method, or too short or too long.
            if near.more == 0 || most >= self.online.group_limit {
                return Ok((None, near.more == 0));
            }
            most = self.online.group_limit;
        }
    }

    /// Returns the documents whose fingerprints are within k bits, if hamming may decide.
    fn near(&self, most: usize) -> Result<Near> {
        match (self.known.fingerprint, self.within) {
            (Some(fingerprint), Some(within)) => {
                self.scope.near(fingerprint, Within(u8::try_from(within).unwrap_or(u8::MAX)), most)
            }
            _ => Ok(Near::default()),
        }
    }

    /// Passes the documents with these numbers, ascending, to `visit` until it returns `false`. While one document is
    /// compared, the next is fetched.
    fn each_found(&self, numbers: &[u64], mut visit: impl FnMut(u64, Found<'a>) -> Result<bool>) -> Result<()> {
        self.scope.read(numbers)?;
        let mut fetched: Option<(u64, Found<'a>)> = None;
        for number in numbers.iter().copied().map(Some).chain([None]) {
            let next = number.map(|number| Ok::<_, Error>((number, self.look_up(number)?))).transpose()?;
            if let Some((number, found)) = std::mem::replace(&mut fetched, next)
                && !visit(number, found)?
            {
                break;
            }
        }
        Ok(())
    }

    fn look_up(&self, number: u64) -> Result<Found<'a>> {
        self.scope.found(number)?.ok_or_else(|| lost(&self.scope, number))
    }

    /// Returns a candidate if it is a near-duplicate. `shares` tells whether the candidate shares a key (`false`: it
    /// was found by hamming alone); `probed` is its fingerprint if a probe has found it.
    fn judge(
        &self,
        (number, found): (u64, Found<'a>),
        shares: bool,
        probed: Option<Fingerprint>,
    ) -> Result<Option<NearDuplicate>> {
        let candidate = self.scope.candidate(&found)?;
        // Made where it is used: it is large, and there are many candidates.
        let mut known = match &candidate {
            Candidate::Summary(summary) => Known::of_summary(summary),
            Candidate::Record(record, _) => Known::of(record, None),
        };
        let (print, id, url, site) = match &candidate {
            Candidate::Summary(summary) => {
                let print = Print { fingerprint: summary.fingerprint, unprinted: false };
                (Some(print), summary.id, summary.url, summary.site)
            }
            Candidate::Record(record, print) => {
                let probed = probed.map(|fingerprint| Print { fingerprint: fingerprint.0, unprinted: false });
                (print.or(probed), &*record.id, record.url.as_deref(), record.site.as_deref())
            }
        };
        let same_site = self.record.site.as_deref().zip(site).map(|(own, other)| own == other);
        // Many candidates are not near. This is decided without the fingerprint, which might need another look-up.
        known.fingerprint = None;
        let pair = self.pair(&known, same_site);
        let (first, features) = (self.decider.judge(&pair), pair.computed_features());
        if first.decision == Decision::Apart {
            return Ok(None);
        }
        let is_by_method = first.decision != Decision::Unknown && !self.online.method.is_by_distance();
        if is_by_method && !shares {
            return Ok(None);
        }
        let print = match print {
            Some(print) => print,
            None => self.scope.print(number, &found)?.ok_or_else(|| lost(&self.scope, number))?,
        };
        let fingerprint = (!print.unprinted).then_some(Fingerprint(print.fingerprint));
        known.fingerprint = fingerprint;
        let pair = self.pair(&known, same_site).with_features(features);
        // The fingerprint does not change what the method has decided without it.
        let Verdict { decision, score } = if is_by_method { first } else { self.decider.judge(&pair) };
        let Decision::Near(rule) = decision else { return Ok(None) };
        let (identical, measures) = (pair.identical(), Measures::of(&pair, &*self.online.method));
        let (id, url, site) = (id.to_owned(), url.map(str::to_owned), site.map(str::to_owned));
        let (verified, both) = (None, Overlap::of(&self.known, &known));
        Ok(Some(NearDuplicate { number, id, url, site, fingerprint, identical, measures, score, rule, verified, both }))
    }

    fn pair<'p>(&'p self, other: &'p Known, same_site: Option<bool>) -> DocumentPair<'p> {
        DocumentPair::new(&self.known, other, same_site).keeping(&self.derived)
    }

    /// Returns whether a document has another id.
    fn is_other(&self, near_duplicate: &NearDuplicate) -> bool {
        near_duplicate.id != self.record.id
    }

    /// Returns the match unless the comparison of texts rejects it. An unreadable text does not reject a match. Equal
    /// texts are decided earlier.
    fn verified(&mut self, mut near_duplicate: NearDuplicate) -> Result<Option<NearDuplicate>> {
        let same_site = near_duplicate.measures.flag("same_site");
        if let Some(texts) = &mut self.texts
            && !near_duplicate.identical
            && self.online.verifier().is_some_and(|verification| verification.concerns(same_site))
        {
            let number = near_duplicate.number;
            let record = self.scope.record(number)?.ok_or_else(|| lost(&self.scope, number))?;
            let found = texts.compare(&record)?;
            near_duplicate.verified = Verified::of(found.decision());
            near_duplicate.measures.add(&found.bounds);
            if near_duplicate.verified.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(near_duplicate))
    }

    /// Returns the sort key of a match; the least comes first.
    fn rank(&self, near_duplicate: &NearDuplicate) -> (Reverse<u64>, u64) {
        (Reverse(near_duplicate.score), near_duplicate.number)
    }
}

fn lost(scope: &Scope<'_>, number: u64) -> Error {
    let what = format!("a key or a run leads to document {number}, which has no record");
    Error::Inconsistent { path: scope.view().catalog_path(), what }
}

/// Returns the record and the fingerprint of a document whose fingerprint has the width of the database.
pub(super) fn queried(document: &Document) -> (&Record, Option<Fingerprint>) {
    (document.record(), (!document.is_unprinted()).then_some(document.fingerprint()))
}

/// Returns whether a document has the sketches that the method compares; true for an empty text, which has none.
fn are_enough(sketches: Sketches, record: &Record, method: &dyn Method) -> bool {
    sketches.suffice_for(method.compares()) || record.tokens == Some(0)
}

fn unknown(online: &OnlineDetector, record: &Record) -> Error {
    let id: String = record.id.chars().take(80).collect();
    let why = format!("of document '{}' only the fingerprint is known; ask by hamming", ShownId(&id));
    Error::Method { method: online.method.name(), why }
}
