//! `nddb rm`: deletes documents by id, site, host or batch.

mod places;

use std::ffi::OsString;
use std::path::PathBuf;

use nddb::{ShownId, View, Writer};
use nddb_jobs::NamedId;
use nddb_jobs::lists::{self, UnknownIds};
use serde_json::json;

use self::places::{SiteDocuments, SiteOrHost};
use crate::args::{FromEnvironment, Global, texts};
use crate::failure::{Code, Failure, Result, Told};
use crate::quantity::counted;
use crate::{advice, database, output};

/// Delete documents
///
/// Readers stop seeing them at their next refresh; the next compaction reclaims their space. --dry-run only counts what
/// would be deleted. --site lists the hosts that it deleted. Exit code 1: nothing matched, an id was not found, or is
/// both a number ('\#17') and a text ('\"17').
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb rm [OPTIONS] DB ID...
       nddb rm [OPTIONS] DB --ids-from FILE | --site SITE | --host HOST | --batch NAME",
    after_help = "\
Examples:
  nddb rm crawl.nddb doc-1 doc-2
  nddb rm crawl.nddb --ids-from remove.txt
  nddb rm crawl.nddb --site example.org --dry-run   its hosts and number of documents"
)]
pub(crate) struct Args {
    /// The database, then ids of documents
    #[arg(value_name = "DB ID")]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Delete the documents whose ids are in this file, one per line; - for stdin
    ///
    /// Ids are written as in the lists of nddb cluster. A list of it that was cut short is an error. The file may be
    /// compressed with gzip or zstd.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["site", "host", "batch"])]
    ids_from: Option<PathBuf>,
    /// Delete all documents of this site: for recipe main a registered domain
    #[arg(long, value_name = "SITE", conflicts_with_all = ["host", "batch"])]
    site: Option<String>,
    /// Delete all documents of this one host
    #[arg(long, value_name = "HOST", conflicts_with = "batch")]
    host: Option<String>,
    /// Delete all documents of this batch; later loads read the archives that they came from again
    #[arg(long, value_name = "NAME")]
    batch: Option<String>,
    /// Only count what would be deleted
    #[arg(long)]
    dry_run: bool,
}

/// The documents to delete.
enum DeletionTarget {
    Ids(Vec<NamedId>),
    Place(SiteOrHost),
    Batch(String),
}

/// Documents deleted, and ids that are not stored.
#[derive(Default)]
struct Deleted {
    documents: u64,
    unknown: UnknownIds,
    /// The documents of the site or host, if one was given.
    found: Option<SiteDocuments>,
}

pub(crate) fn run(mut args: Args, global: &Global) -> Result<Code> {
    let needs_ids = args.ids_from.is_none() && args.site.is_none() && args.host.is_none() && args.batch.is_none();
    let (db, ids) = args.environment.split(std::mem::take(&mut args.given), if needs_ids { "ID" } else { "" })?;
    let ids = texts(ids)?;
    if !needs_ids && !ids.is_empty() {
        return Err(Failure::usage("give ids, or one of --ids-from, --site, --host and --batch"));
    }
    let what = match (&args.ids_from, args.site, args.host, args.batch) {
        (Some(path), ..) => {
            if let Some(doubt) = lists::check(path)? {
                global.messages().warn(advice::doubted(path, doubt));
            }
            DeletionTarget::Ids(lists::ids(path)?)
        }
        (_, Some(site), ..) => DeletionTarget::Place(SiteOrHost::site(&site)),
        (_, _, Some(host), _) => DeletionTarget::Place(SiteOrHost::host(&host)),
        (_, _, _, Some(batch)) => DeletionTarget::Batch(batch),
        _ => DeletionTarget::Ids(ids.iter().map(|id| NamedId::of_argument(id)).collect()),
    };
    let deleted = if args.dry_run {
        count(database::read(&db)?.view(), &what)?
    } else {
        let mut writer = database::write(&db, "rm", global)?;
        let deleted = delete(&mut writer, &what)?;
        writer.close()?;
        deleted
    };
    if global.json {
        // Reference of rm: the object of `--json`; with `--site` and `--host` also `hosts`: their numbers of
        // documents
        let mut value = json!({
            "deleted": deleted.documents,
            "missing": deleted.unknown.count(), // ids that are not stored
            "dry_run": args.dry_run,
        });
        if let Some(found) = &deleted.found {
            value["hosts"] = json!(found.hosts);
        }
        output::print_json(&value)?;
    }
    if let Some(told) = deleted.found.as_ref().and_then(SiteDocuments::nothing) {
        return Err(told.into());
    }
    let unknown = &deleted.unknown;
    if let Some(list) = args.ids_from.as_ref().filter(|_| unknown.count() > 0 && deleted.documents == 0) {
        let hint = "'nddb get' tells how ids are stored; they may have been deleted before";
        return Err(Told::new(Code::Failed, unknown.nothing(list)).hint(hint).into());
    }
    let missing = match unknown.count() {
        0 => String::new(),
        count => format!(", {} not stored: {}", counted(count, "id"), unknown.named()),
    };
    let would = if args.dry_run { "would be " } else { "" };
    let of = deleted.found.as_ref().map(SiteDocuments::told).unwrap_or_default();
    global.messages().note(format!("rm: {} {would}deleted{of}{missing}", counted(deleted.documents, "document")));
    Ok(if unknown.count() > 0 { Code::Failed } else { Code::Done })
}

/// Returns the stored ids for the given ones.
fn resolved(view: View<'_>, ids: &[NamedId]) -> Result<Vec<String>> {
    Ok(ids.iter().map(|id| id.resolved(&mut |id| view.contains(id))).collect::<nddb::Result<_>>()?)
}

impl Deleted {
    /// Counts an id, and whether its document is stored.
    fn count(&mut self, id: &str, is_stored: bool) {
        if is_stored {
            self.documents += 1;
        } else {
            self.unknown.add(ShownId(id).as_str());
        }
    }
}

/// Counts what would be deleted.
fn count(view: View<'_>, what: &DeletionTarget) -> Result<Deleted> {
    let mut deleted = Deleted::default();
    match what {
        DeletionTarget::Ids(ids) => {
            for id in &resolved(view, ids)? {
                deleted.count(id, view.contains(id)?);
            }
        }
        DeletionTarget::Place(place) => {
            let found = SiteDocuments::of(view, place)?;
            deleted = Deleted { documents: found.documents(), found: Some(found), ..Deleted::default() };
        }
        DeletionTarget::Batch(name) => {
            let known = view.batches()?.into_iter().find(|(known, _, _)| known == name);
            deleted.documents = match known {
                Some((_, _, documents)) => documents,
                None => return Err(nddb::Error::Batch { name: name.clone(), why: "does not exist" }.into()),
            };
        }
    }
    Ok(deleted)
}

fn delete(writer: &mut Writer, what: &DeletionTarget) -> Result<Deleted> {
    writer.merge_in_background(true);
    let mut deleted = Deleted::default();
    match what {
        DeletionTarget::Ids(ids) => {
            // Ids are resolved before any deletion, because an ambiguous id is an error.
            let ids = resolved(writer.view(), ids)?;
            for group in ids.chunks(10_000) {
                for id in group {
                    deleted.count(id, writer.delete(id)?);
                }
                writer.commit()?;
            }
        }
        DeletionTarget::Place(place) => {
            deleted.found = Some(SiteDocuments::of(writer.view(), place)?);
            deleted.documents = place.delete(writer)?;
        }
        DeletionTarget::Batch(name) => deleted.documents = writer.delete_batch(name)?,
    }
    writer.commit()?;
    Ok(deleted)
}
