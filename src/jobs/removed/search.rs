//! The one call: which documents of a database to remove, because of earlier databases or of each other.

use std::collections::HashMap;
use std::path::Path;

use nddb_dedup::{ClusterOptions, ClusterSummary, Collection, OnlineDetector, cluster};
use nddb_index::{Federation, Progress, Reader, Result, View, Writer};

use super::Removed;
use super::clusters::of_clusters;
use super::contained::{Contained, Inner, Within};
use super::earlier::Earlier;

/// A search for the documents of a database that are to be removed.
#[derive(Debug)]
pub struct RemovalSearch<'a> {
    /// The database: a temporary one, from which documents are deleted that are near to earlier ones.
    pub path: &'a Path,
    /// Its documents.
    pub view: View<'a>,
    /// Databases whose documents are kept in any case: what is near to one of these is removed first.
    pub earlier: Option<&'a Federation<'a>>,
    /// How documents are judged, and which one of a cluster is kept.
    pub options: ClusterOptions,
    /// Whether documents are looked for that stand within others, and what becomes of them.
    pub contained: Option<Contained>,
    /// Number of threads.
    pub threads: usize,
    /// Whether the origins of the removed documents are looked up.
    pub has_origins: bool,
}

/// What a search found.
#[derive(Debug)]
pub struct Removals {
    /// The database without the documents that are near to earlier ones.
    pub reader: Reader,
    /// How many these are.
    pub earlier: u64,
    /// What became of the other documents.
    pub clusters: ClusterSummary,
}

impl RemovalSearch<'_> {
    /// Passes on the documents to remove: those that are near to documents of earlier databases, then those that are
    /// near to a document that stays. So each removed document is near to one that is kept, here or there. Last come
    /// those that stand within others, whether they are removed or not; each names one that stays.
    ///
    /// # Errors
    /// As [`cluster`] and [`OnlineDetector::ask_parts`]; whatever `emit` returns; [`nddb_index::Error::Cancelled`] if
    /// `watch` returns `false`.
    pub fn each(
        self,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(&Removed<'_>) -> Result<()>,
    ) -> Result<Removals> {
        let Self { path, view, earlier, mut options, contained, threads, has_origins } = self;
        options.pairs.resources.threads = threads;
        nddb_dedup::check(view, &options.pairs)?;
        let mut near = Vec::new();
        if let Some(stored) = earlier {
            let earlier = Earlier { stored, online: online(&options), threads };
            earlier.removed(options.level, view, watch, &mut |removed| {
                near.push(removed.id.to_owned());
                emit(removed)
            })?;
        }
        if !near.is_empty() {
            let mut writer = Writer::open(path)?;
            for id in &near {
                writer.delete(id)?;
            }
            writer.close()?;
        }
        let reader = Reader::open(path)?;
        let view = reader.view();
        let collection = Collection::with_deleted(view, &options.pairs.resources, watch)?;
        options.pairs.settle(collection.held());
        let made = cluster(view, &collection, &options, watch, &mut |_| Ok(()))?;
        let within = match contained {
            Some(contained) => Within::new(view, &collection, &made, contained, &options)?.find(watch)?,
            None => Vec::new(),
        };
        let gone: HashMap<&str, &Inner> = within.iter().filter(|inner| !inner.stays).map(|at| (&*at.id, at)).collect();
        of_clusters(&collection, &options.pairs, &made, has_origins.then_some(view), &mut |removed| match removed
            .kept
            .and_then(|kept| gone.get(kept))
        {
            Some(inner) => emit(&Removed { id: removed.id, origin: removed.origin, ..inner.removed() }),
            None => emit(removed),
        })?;
        within.iter().try_for_each(|inner| emit(&inner.removed()))?;
        drop(collection);
        Ok(Removals { reader, earlier: near.len() as u64, clusters: made.summary })
    }
}

/// Judges one document as a clustering judges pairs.
fn online(options: &ClusterOptions) -> OnlineDetector {
    let pairs = &options.pairs;
    OnlineDetector {
        method: pairs.method.clone(),
        or_hamming: pairs.or_hamming,
        level: options.level,
        group_limit: pairs.group_limit,
        verify: pairs.verify.clone(),
    }
}
