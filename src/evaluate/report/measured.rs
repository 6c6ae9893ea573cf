//! What a report is made of.

use nddb_dedup::{ClusterOptions, Collection, Resources};
use nddb_index::{Progress, Result, View};
use nddb_verdict::Method;

use super::overview::Overview;
use crate::removals::{Removals, usual_options};

/// What clustering would remove from a database.
pub struct Report<'a> {
    /// The database as the user named it.
    pub db: String,
    /// The state of the database that is measured.
    pub view: View<'a>,
    /// The documents that clustering would remove.
    pub overview: Overview,
    /// The method of the clustering.
    pub method: Box<dyn Method>,
}

impl<'a> Report<'a> {
    /// Measures a database, which the user named `db`. The removals are those of a clustering by `clustering`, or by
    /// the defaults if there are none.
    ///
    /// # Errors
    /// Errors of [`nddb_dedup::cluster`]; of the database and of temporary files; [`nddb_index::Error::Cancelled`].
    pub fn measure(
        db: String,
        view: View<'a>,
        clustering: Option<&ClusterOptions>,
        resources: &Resources,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let collection = Collection::with_deleted(view, resources, watch)?;
        let options = clustering.cloned().unwrap_or_else(|| usual_options(view, &collection, resources));
        let method = options.pairs.method.clone();
        let removals = Removals::find(view, &collection, options, watch)?;
        let overview = Overview::measure(view, &collection, &removals, watch)?;
        Ok(Report { db, view, overview, method })
    }
}
