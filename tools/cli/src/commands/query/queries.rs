//! The queries given by the user.

use std::path::{Path, PathBuf};

use nddb::detect::document_of_page;
use nddb::text::PageKind;
use nddb::{Federation, Fingerprint};
use nddb_format::fingerprint::low_mask;
use nddb_format::record::Settings;
use nddb_jobs::NamedId;
use nddb_jobs::answers::{PageQuery, Query};

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::{database, inputs};

/// The kind of queries, exactly one of these.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct QueryInputs {
    /// Fingerprints, 16 hex digits each
    #[arg(long, num_args = 1.., value_name = "HEX", value_parser = inputs::hex)]
    pub(super) fp: Vec<Fingerprint>,
    /// Ids of stored documents
    #[arg(long, num_args = 1.., value_name = "ID")]
    pub(super) id: Vec<String>,
    /// Plain text files, - for stdin
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(super) text: Vec<PathBuf>,
    /// HTML pages, - for stdin
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(super) html: Vec<PathBuf>,
    /// A file of fingerprints, eight bytes each, little-endian
    #[arg(long, value_name = "FILE.u64le")]
    pub(super) fp_file: Option<PathBuf>,
    /// All stored documents
    #[arg(long)]
    pub(super) all: bool,
    /// Documents of files and folders, as 'nddb load' reads them, or of another database; they are not stored
    #[arg(long, num_args = 1.., value_name = "FILE", alias = "jsonl")]
    pub(super) docs: Vec<PathBuf>,
}

/// Collects the queries of the user, except for --all.
pub(super) fn collect(
    what: &QueryInputs,
    url: Option<&str>,
    federation: &Federation<'_>,
    global: &Global,
) -> Result<(Vec<Query>, Code)> {
    let mut code = Code::Done;
    let mut prints = what.fp.clone();
    if let Some(path) = &what.fp_file {
        prints.extend(inputs::fingerprints(path)?);
    }
    check_width(&prints, federation.settings().bits)?;
    let mut queries: Vec<Query> = prints.into_iter().map(Query::Print).collect();
    for id in &what.id {
        let found = NamedId::of_argument(id).find(&mut |id| federation.contains(id))?;
        queries.push(match found.map_or(Ok(None), |id| federation.get(&id))? {
            Some((part, stored)) => Query::Stored(part, Box::new(stored)),
            None => {
                global.messages().warn(format!("no document '{id}'"));
                code = Code::Failed;
                Query::Missing(id.clone())
            }
        });
    }
    for (paths, kind) in [(&what.text, PageKind::Text), (&what.html, PageKind::Html)] {
        for path in paths {
            queries.push(page(path, kind, url, federation.settings())?);
        }
    }
    Ok((queries, code))
}

/// Refuses fingerprints that the database cannot hold.
fn check_width(prints: &[Fingerprint], bits: u8) -> Result<()> {
    match prints.iter().enumerate().find(|(_, fingerprint)| fingerprint.0 > low_mask(bits)) {
        Some((index, fingerprint)) => {
            Err(Failure::usage(format!("query {index}: {fingerprint} has more than the database's {bits} bits")))
        }
        None => Ok(()),
    }
}

fn page(path: &Path, kind: PageKind, url: Option<&str>, settings: &Settings) -> Result<Query> {
    let recipe = database::recipe(settings)?;
    let mut file = inputs::page(path, Some(kind))?;
    file.url = url.map(str::to_owned);
    let document = document_of_page("query", &file.page(), &recipe)?;
    Ok(Query::Page(Box::new(PageQuery { path: path.to_owned(), file, document })))
}
