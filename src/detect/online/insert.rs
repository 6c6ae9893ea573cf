//! Check and insert: the verdict and the document as one step.

use super::detector::OnlineDetector;
use super::matches::NearDuplicate;
use super::query::Query;
use crate::Result;
use crate::store::{Document, Outcome, Writer};
use crate::text::Page;

/// What became of a document that was to be inserted only if it is new.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// It is no near-duplicate of any document that it was compared with; it was inserted.
    Inserted {
        /// How.
        outcome: Outcome,
        /// It was compared with all candidates, and not only with the oldest of a key that very many share.
        complete: bool,
    },
    /// It is a near-duplicate; nothing was changed.
    Duplicate {
        /// Of the identical documents the oldest; else the most similar, of several the oldest.
        of: Box<NearDuplicate>,
        /// No candidate was left out that could be more similar.
        complete: bool,
    },
}

impl Writer {
    /// Stages a document unless it is a near-duplicate, by any method that the database keeps an index for, of
    /// something stored or staged under another id: verdict and insertion are one step. A pending batch is not seen.
    ///
    /// # Errors
    /// As [`Writer::insert`] and [`OnlineDetector::ask`]: what cannot be judged is never 'new'.
    pub fn insert_if_new(&mut self, document: Document, online: &OnlineDetector) -> Result<Judgement> {
        self.insert_judged(document, None, online)
    }

    /// The same of a document whose page is at hand, for methods that compare texts besides.
    ///
    /// # Errors
    /// As [`Writer::insert_if_new`].
    pub fn insert_page_if_new(
        &mut self,
        document: Document,
        page: &Page<'_>,
        online: &OnlineDetector,
    ) -> Result<Judgement> {
        self.insert_judged(document, Some(page), online)
    }

    fn insert_judged(
        &mut self,
        document: Document,
        page: Option<&Page<'_>>,
        online: &OnlineDetector,
    ) -> Result<Judgement> {
        online.check(self.view())?;
        let document = document.fitted(self.settings().bits)?;
        let query = Query::new(online, self.scope()?, &document, page)?;
        query.check_known()?;
        let (best, complete) = query.best()?;
        Ok(match best {
            Some(of) => Judgement::Duplicate { of: Box::new(of), complete },
            None => Judgement::Inserted { outcome: self.insert(document)?, complete },
        })
    }
}
