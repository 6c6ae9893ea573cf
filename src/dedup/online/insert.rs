//! Insertion of a document if it has no near-duplicate, with verdict and insertion as one step.

use nddb_index::{Document, Outcome, Result, Writer};
use nddb_page::text::Page;

use super::detector::OnlineDetector;
use super::matches::NearDuplicate;
use super::query::{Query, queried};
use crate::requirements::check_maker;

/// Result of inserting a document only if it is new.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// The document was inserted: it is no near-duplicate of any document with which it was compared.
    Inserted {
        /// Outcome of the insertion.
        outcome: Outcome,
        /// Whether all candidates were compared. `false` if only the oldest documents of a key with many postings were.
        complete: bool,
    },
    /// The document is a near-duplicate, and no more would be lost than the level allows; nothing was changed.
    Duplicate {
        /// The best match: the oldest identical document, else the most similar, the oldest among equals.
        of: Box<NearDuplicate>,
        /// Whether all candidates that could be more similar were compared.
        complete: bool,
    },
}

impl OnlineDetector {
    /// Stages a document unless it is a near-duplicate of a document that is stored or staged under another id, and no
    /// more of it would be lost than the level allows. What would be lost is known from the words of both
    /// ([`document_with_words`](crate::document_with_words)), and otherwise estimated. The method may be any for which
    /// the database keeps an index. Verdict and insertion are one step. Documents of a pending batch are not compared.
    ///
    /// # Errors
    /// Errors of [`Writer::insert`] and [`OnlineDetector::ask`]: a document that cannot be judged never counts as new.
    pub fn insert_if_new(&self, writer: &mut Writer, document: Document) -> Result<Judgement> {
        self.insert_judged(writer, document, None)
    }

    /// Like [`OnlineDetector::insert_if_new`], for a document whose page is given. Verification by texts needs the
    /// page.
    ///
    /// # Errors
    /// Errors of [`OnlineDetector::insert_if_new`].
    pub fn insert_page_if_new(&self, writer: &mut Writer, document: Document, page: &Page<'_>) -> Result<Judgement> {
        self.insert_judged(writer, document, Some(page))
    }

    fn insert_judged(&self, writer: &mut Writer, document: Document, page: Option<&Page<'_>>) -> Result<Judgement> {
        self.check(writer.view())?;
        check_maker(writer.view(), &document)?;
        let document = document.fitted(writer.settings().bits)?;
        let query = Query::new(self, writer.scope()?, queried(&document), page)?;
        query.check_known()?;
        let (best, complete) = query.best()?;
        if let Some(of) = best {
            return Ok(Judgement::Duplicate { of: Box::new(of), complete });
        }
        let document = if writer.settings().keeps_words { document } else { document.with_words(None) };
        Ok(Judgement::Inserted { outcome: writer.insert(document)?, complete })
    }
}
