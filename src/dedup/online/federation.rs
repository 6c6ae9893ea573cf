//! The near-duplicates of a document in several databases.

use nddb_index::{Document, Federation, Part, Result, Stored};
use nddb_page::text::Page;

use super::detector::OnlineDetector;
use super::matches::{NearDuplicate, NearDuplicates};
use super::page::read_page;

/// The near-duplicates of one document in the parts of a federation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartedNearDuplicates {
    /// Matches in the order of [`NearDuplicates::matches`]; among equally similar ones, those of earlier parts come
    /// first.
    pub matches: Vec<Part<NearDuplicate>>,
    /// Like [`NearDuplicates::count`], over all parts.
    pub count: u64,
    /// Whether every part returned all its near-duplicates. The group limit applies to each part separately.
    pub complete: bool,
}

impl OnlineDetector {
    /// Returns the near-duplicates of a document in all parts. If a page is given, its text is that of the document.
    ///
    /// # Errors
    /// Errors of [`OnlineDetector::ask`].
    pub fn ask_parts(
        &self,
        federation: &Federation<'_>,
        document: &Document,
        page: Option<&Page<'_>>,
    ) -> Result<PartedNearDuplicates> {
        let answers = federation.parts().iter().map(|&part| match page {
            Some(page) => self.ask_page(part, document, page),
            None => self.ask(part, document),
        });
        Ok(self.joined(answers.collect::<Result<_>>()?))
    }

    /// Returns the near-duplicates of a document that is stored in one of the parts, without the document itself. If a
    /// page is given, its text is that of the document.
    ///
    /// # Errors
    /// Errors of [`OnlineDetector::ask`].
    pub fn ask_stored_in(
        &self,
        federation: &Federation<'_>,
        (own, stored): (usize, &Stored),
        page: Option<&Page<'_>>,
    ) -> Result<PartedNearDuplicates> {
        if let [part] = federation.parts() {
            return Ok(self.joined(vec![self.ask_stored(*part, stored, page)?]));
        }
        // Other parts have another number for its archive, or do not know the archive.
        let document = Document::from(stored.clone()).without_source();
        let is_read = page.is_none() && self.verify.is_some();
        let read =
            is_read.then(|| read_page(federation.parts()[own], &stored.record)).transpose()?.and_then(Result::ok);
        let page = page.copied().or_else(|| read.as_ref().map(|entry| entry.page()));
        let answers = federation.parts().iter().enumerate().map(|(index, &part)| match &page {
            page if index == own => self.ask_stored(part, stored, page.as_ref()),
            Some(page) => self.ask_page(part, &document, page),
            None => self.ask(part, &document),
        });
        Ok(self.joined(answers.collect::<Result<_>>()?))
    }

    fn joined(&self, answers: Vec<NearDuplicates>) -> PartedNearDuplicates {
        let several = answers.len() > 1;
        let mut all = PartedNearDuplicates { complete: true, ..PartedNearDuplicates::default() };
        for (index, NearDuplicates { matches, count, complete }) in answers.into_iter().enumerate() {
            all.matches.extend(matches.into_iter().map(|found| (index, found)));
            all.count += count;
            all.complete &= complete;
        }
        if several {
            // The sort is stable, so the matches of a part stay in the order of their age.
            all.matches.sort_by_key(|(_, found)| std::cmp::Reverse(found.score));
        }
        all
    }
}
