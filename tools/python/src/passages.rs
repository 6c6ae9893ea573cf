//! Passages that a text has in common with stored documents, as dictionaries.

use nddb::sketch::{Recipe, page_words};
use nddb::{PassageLimits, PassageMatch, Passages, Reader};
use nddb_format::parts::Parts;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::convert::GivenPage;
use crate::errors::{Fault, Result};
use crate::ids::{GivenId, id_object};

/// Finds passages in common with a page or a stored document; returns the number of words of the text, too.
pub(crate) fn find(
    reader: &Reader,
    page: Option<&GivenPage>,
    id: Option<&GivenId>,
    min_words: u32,
) -> Result<(u32, Passages)> {
    let view = reader.view();
    let recipe = Recipe::of_any_version(&view.settings().recipe);
    if !recipe.is_some_and(|recipe| recipe.keys().parts) {
        let why = "its documents are stored without parts".to_owned();
        let hint = "make a database with Config(recipe=\"main-parts\"), and load its archives into that one".to_owned();
        return Err(Fault::Mismatch(why, Some(hint)));
    }
    let limits = PassageLimits { min_words, ..PassageLimits::default() };
    let (parts, own) = match (page, id) {
        (Some(page), None) => (page_words(&page.page()).parts(), None),
        (None, Some(id)) => {
            let stored = id.find(|id| view.get(id))?.ok_or_else(|| Fault::key(id))?;
            (stored.record.parts.map_or_else(Parts::default, |parts| *parts), Some(stored.number))
        }
        _ => return Err(Fault::value("one of text, html and id is wanted")),
    };
    Ok((parts.words, view.parts(&parts, own, &limits)?))
}

/// Returns the matches as dictionaries.
pub(crate) fn dictionaries<'py>(py: Python<'py>, words: u32, matches: &[PassageMatch]) -> Result<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for found in matches {
        let one = PyDict::new(py);
        one.set_item("id", id_object(py, &found.id)?)?;
        one.set_item("url", &found.url)?;
        one.set_item("site", &found.site)?;
        one.set_item("words", found.words)?;
        one.set_item("longest", found.longest())?;
        let [of_query, of_match] = found.contained(words);
        one.set_item("query_contained", of_query)?;
        one.set_item("match_contained", of_match)?;
        let passages = PyList::empty(py);
        for passage in &found.passages {
            let of = PyDict::new(py);
            for (name, range) in [("query", &passage.asked), ("match", &passage.stored)] {
                of.set_item(name, PyTuple::new(py, [range.start, range.end])?)?;
            }
            of.set_item("words", passage.words)?;
            of.set_item("longest", passage.longest)?;
            passages.append(of)?;
        }
        one.set_item("passages", passages)?;
        list.append(one)?;
    }
    Ok(list)
}
