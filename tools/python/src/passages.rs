//! Passages in common: of a text with stored documents, as `nddb query --parts` prints them, and of all pairs of
//! documents, as a table.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use nddb::detect::document_of_page;
use nddb::sketch::Recipe;
use nddb::{Federation, View};
use nddb_jobs::answers::{
    Answering, InParts, PASSAGE_COLUMNS, PageFile, PageQuery, PassageOptions, PassageTexts, Query, Texts,
    pairs_in_parts, refuse_without_parts, with_parts,
};
use nddb_jobs::rows::schema;
use serde_json::Value;

use crate::convert::GivenPage;
use crate::errors::{Fault, Result};
use crate::ids::GivenId;
use crate::parts::PinnedParts;
use crate::process::{Pinned, reader};
use crate::stream::Stream;
use crate::tables::RowSender;
use crate::writer::usual_threads;

/// Takes the options of a search.
pub(crate) fn options(min_words: u32, min_containment: f64, verify: bool, why: bool) -> Result<PassageOptions> {
    if !(0.0..=1.0).contains(&min_containment) {
        return Err(Fault::value(format!("min_containment {min_containment} is not a share from 0 to 1")));
    }
    Ok(PassageOptions { min_words, min_containment, reading: PassageTexts { verify, why } })
}

/// Finds the passages that a page or a stored document has in common with the documents of databases: the object that
/// the command prints.
pub(crate) fn find(
    parts: &PinnedParts,
    (page, id): (Option<&GivenPage>, Option<&GivenId>),
    how: PassageOptions,
    limit: Option<usize>,
) -> Result<Value> {
    let federation = parts.federation()?;
    let paths = parts.parts.iter().map(|(path, _)| Path::new(path));
    let databases = with_parts(paths.zip(federation.parts().iter().copied()))?;
    let query = query(&federation, page, id)?;
    let texts = Texts::In(&[]);
    let in_parts = InParts { databases, how, limit, only_matched: false, texts, too_short: AtomicU64::default() };
    let answers = in_parts.answer(&[query])?;
    serde_json::from_slice(&answers.lines).map_err(|error| Fault::value(error.to_string()))
}

fn query(federation: &Federation<'_>, page: Option<&GivenPage>, id: Option<&GivenId>) -> Result<Query> {
    match (page, id) {
        (Some(given), None) => {
            let page = given.page();
            let document = document_of_page("query", &page, &Recipe::from_label(&federation.settings().recipe)?)?;
            let (charset, url) = (page.charset.map(str::to_owned), page.url.map(str::to_owned));
            let file = PageFile { body: page.body.to_vec(), kind: page.kind, charset, url };
            Ok(Query::Page(Box::new(PageQuery { path: "query".into(), file, document })))
        }
        (None, Some(id)) => {
            let found = id.find(|id| federation.get(id))?;
            let (part, stored) = found.ok_or_else(|| Fault::key(id))?;
            Ok(Query::Stored(part, Box::new(stored)))
        }
        _ => Err(Fault::value("one of text, html and id is wanted")),
    }
}

/// Refuses a database without parts.
pub(crate) fn need_parts(path: &Path, view: View<'_>) -> Result<()> {
    Ok(refuse_without_parts(path, view.settings())?)
}

/// The passages of all pairs of documents of a database.
pub(crate) fn pairs(pinned: Pinned, how: PassageOptions) -> Stream {
    Stream::new(schema(&PASSAGE_COLUMNS), move |sink| {
        let view = reader(&pinned)?.view();
        let resources = nddb::Resources { threads: usual_threads(), ..nddb::Resources::default() };
        let mut rows = RowSender::new(sink, &PASSAGE_COLUMNS);
        let mut emit = |answers: &nddb_jobs::answers::Answers| {
            answers.pairs.iter().try_for_each(|pair| pair.rows(&mut |cells| rows.row(cells)))
        };
        pairs_in_parts(view, (how, true), &resources, &mut sink.watch(), &mut emit)?;
        Ok(rows.send()?)
    })
}
