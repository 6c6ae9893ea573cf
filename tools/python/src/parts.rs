//! What readers and federations have in common: one database or several that are asked as one.

use std::path::PathBuf;

use nddb::detect::document_of_page;
use nddb::detect::outcome::PartedNearDuplicates;
use nddb::sketch::Recipe;
use nddb::{Document, Federation, Fingerprint, Within};

use crate::convert::GivenPage;
use crate::errors::{Fault, Result, words};
use crate::ids::GivenId;
use crate::judging::Judging;
use crate::process::{Pinned, reader};

/// The databases of a federation in one state of each.
pub(crate) struct PinnedParts {
    pub(crate) parts: Vec<(PathBuf, Pinned)>,
}

impl PinnedParts {
    /// The databases as one.
    pub(crate) fn federation(&self) -> Result<Federation<'_>> {
        let mut joined: Option<Federation<'_>> = None;
        for (path, pinned) in &self.parts {
            let view = reader(pinned)?.view();
            match &mut joined {
                None => joined = Some(Federation::of(view)),
                Some(federation) => federation.join(view).map_err(|error| {
                    Fault::Mismatch(format!("{}: {error}", path.display()), error.next_step().map(|step| words(&step)))
                })?,
            }
        }
        joined.ok_or_else(|| Fault::value("a federation has one database or more"))
    }

    /// How matches name their database: not at all where there is one.
    pub(crate) fn names(&self) -> Vec<String> {
        let parts = self.parts.iter().filter(|_| self.parts.len() > 1);
        parts.map(|(path, _)| path.display().to_string()).collect()
    }
}

/// A query: exactly one of a page, the id of a stored document and a fingerprint.
pub(crate) struct Asked {
    pub(crate) page: Option<GivenPage>,
    pub(crate) id: Option<GivenId>,
    pub(crate) print: Option<Fingerprint>,
}

/// Finds what is like a page, a stored document or a fingerprint: the name of the method, and the matches.
pub(crate) fn ask(
    federation: &Federation<'_>,
    asked: Asked,
    judging: &Judging,
) -> Result<(&'static str, PartedNearDuplicates)> {
    let online = judging.online(federation.parts()[0])?;
    let (document, found) = match asked {
        Asked { page: Some(page), id: None, print: None } => {
            let recipe = Recipe::from_label(&federation.settings().recipe)?;
            let document = document_of_page("query", &page.page(), &recipe)?;
            let found = online.ask_parts(federation, &document, Some(&page.page()))?;
            (document, found)
        }
        Asked { page: None, id: Some(id), print: None } => {
            let (part, stored) = id.find(|id| federation.get(id))?.ok_or_else(|| Fault::key(&id))?;
            let found = online.ask_stored_in(federation, (part, &stored), None)?;
            (Document::from(stored), found)
        }
        Asked { page: None, id: None, print: Some(print) } => {
            let document = Document::bare("query", print)?;
            let found = online.ask_parts(federation, &document, None)?;
            (document, found)
        }
        _ => return Err(Fault::value("one of text, html, id and fingerprint is wanted")),
    };
    Ok((online.method_for(&document).name(), found))
}

/// Refuses a distance that no query reaches, before anything is read.
pub(crate) fn checked_k(k: Option<u8>, usual: u8) -> Result<Within> {
    match Within(k.unwrap_or(usual)) {
        Within(k) if Within(k) > Within::MAX => {
            Err(nddb::Error::OutOfRange { what: "k", requested: k.into(), limit: Within::MAX.0.into() }.into())
        }
        within => Ok(within),
    }
}
