//! The members of whole clusters.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use nddb::detect::steps::Numbered;
use nddb::detect::{ClusterOptions, Clusters, Collection, Keep};
use nddb_jobs::fields::{MemberSource, member_columns, member_rows_of};
use nddb_jobs::rows::schema;
use pyo3::prelude::*;

use super::columns::{Flags, Numbers, table};
use crate::arrow::{Bytes, optional};
use crate::config::named;
use crate::errors::{Fault, Result};
use crate::judging::pair_options;
use crate::recipe::Tables;
use crate::sketches::documents;
use crate::stream::Stream;
use crate::tables::RowSender;

/// Makes the rows of `clusters` from complete clusters: a Stream sorted by the ids of founders, then by ids.
///
/// `documents` has the columns number, founder, sketch and, if known, deleted and archive (the path). The founder of a
/// founder is itself. Other options: as `Reader.clusters`.
#[pyfunction]
#[pyo3(signature = (
    documents, method=None, *, keep=None, level=None, k=3, recipe="main", group_limit=None, min_probability=None
))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn members(
    documents: &Bound<'_, PyAny>,
    method: Option<&str>,
    keep: Option<Vec<String>>,
    level: Option<&str>,
    k: u8,
    recipe: &str,
    group_limit: Option<usize>,
    min_probability: Option<f64>,
) -> Result<Stream> {
    let (recipe, tables) = (named(recipe)?, Tables::new(documents)?);
    let pairs = pair_options(&recipe, method, k, group_limit, false, min_probability)?;
    let mut options = ClusterOptions::new(pairs);
    if let Some(keep) = keep {
        let rules = keep.iter().map(|name| name.parse::<Keep>().map_err(|error| Fault::value(error.to_string())));
        options.keep = rules.collect::<Result<_>>()?;
    }
    options.level = crate::judging::level(level)?;
    Ok(Stream::new(schema(&member_columns()), move |sink| {
        let mut given = Given::default();
        for array in tables.take()? {
            given.read(array.map_err(|error| Fault::value(error.to_string()))?)?;
        }
        let Given { mut documents, mut founders, mut archives } = given;
        founders.sort_unstable();
        archives.sort_unstable();
        let collection = Collection::of(&mut documents, Some(&recipe), &options.pairs.resources)?;
        let ordinal = |number: u64| {
            let found = documents.binary_search_by_key(&number, |one| one.number);
            found
                .map(|ordinal| ordinal as u32)
                .map_err(|_| Fault::value(format!("founder {number} is not in the table")))
        };
        let founder: Vec<u32> = founders.iter().map(|&(_, founder)| ordinal(founder)).collect::<Result<_>>()?;
        let texts: Vec<Option<&str>> = documents.iter().map(|one| one.document.record().words.as_deref()).collect();
        let clusters = Clusters::given(&collection, founder, &texts, &options)?;
        let mut stands = |member: u32| {
            let one = &documents[member as usize];
            let archive = archives.binary_search_by_key(&one.number, |(number, _)| *number);
            let record = one.document.record();
            Ok(MemberSource {
                url: record.url.clone(),
                // A bare fingerprint stands nowhere.
                archive: archive.ok().filter(|_| record.source.is_some()).map(|index| archives[index].1.clone()),
                source: record.source,
            })
        };
        let mut rows = RowSender::new(sink, &member_columns());
        member_rows_of(&collection, &options.pairs, &clusters, &mut stands, &mut |cells| rows.row(cells))?;
        Ok(rows.send()?)
    }))
}

/// The columns of the table.
#[derive(Default)]
struct Given {
    documents: Vec<Numbered>,
    /// Number and founder of each document.
    founders: Vec<(u64, u64)>,
    /// Number and archive of each document that has one.
    archives: Vec<(u64, String)>,
}

impl Given {
    fn read(&mut self, array: ArrayRef) -> Result<()> {
        let given = table(Ok(array))?;
        let (numbers, founders) = (Numbers::new(&given, "number")?, Numbers::new(&given, "founder")?);
        let deleted = optional(&given, Some("deleted")).map(|column| Flags::new("deleted", column)).transpose()?;
        let archives = optional(&given, Some("archive")).map(|column| Bytes::new("archive", column)).transpose()?;
        let rows = documents(Box::new(std::iter::once(Ok(Arc::new(given.clone()) as ArrayRef))));
        for (row, document) in rows.enumerate() {
            let number = numbers.get(row)?;
            let deleted = deleted.as_ref().is_some_and(|deleted| deleted.get(row));
            self.documents.push(Numbered { number, deleted, document: document? });
            self.founders.push((number, founders.get(row)?));
            let archive = archives.as_ref().and_then(|archives| archives.text(row));
            self.archives.extend(archive.map(|path| (number, path.to_owned())));
        }
        debug_assert_eq!(self.documents.len(), self.founders.len(), "{} rows", given.len());
        Ok(())
    }
}
