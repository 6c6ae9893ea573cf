//! The measurements of a report.

use nddb_dedup::{ClusterOptions, Collection, MethodChoice, PairOptions, Resources};
use nddb_index::{Error, Progress, Result, View};
use nddb_verdict::Method;
use nddb_verdict::methods::{self, MinHash};

use super::overview::Overview;
use super::texts::{BySketches, TERM_PAIRS, Texts};
use crate::Draw;
use crate::measures::{self, Graph, Grid, Prints, Sizes};
use crate::removals::{Removals, usual_options};

/// The number of documents whose texts are read by default, and the seed that selects them.
pub const SAMPLE: (usize, u64) = (2000, 1);

/// All measurements of a database.
pub struct Report<'a> {
    /// The database as the user named it.
    pub db: String,
    /// The state of the database that is measured.
    pub view: View<'a>,
    /// Its documents.
    pub collection: Collection,
    /// The documents that clustering would remove.
    pub overview: Overview,
    /// The default method of the database.
    pub default: Box<dyn Method>,
    /// The distribution of fingerprints.
    pub prints: Prints,
    /// The methods that the database can answer.
    pub methods: Vec<Measured>,
    /// Methods that were not run, and why.
    pub refused: Vec<(&'static str, String)>,
    /// B-similarity and C-similarity of the pairs that B finds.
    pub b: Option<Grid>,
    /// B-similarity and C-similarity of the pairs that C finds.
    pub c: Option<Grid>,
    /// The measurements of the texts of a sample.
    pub texts: Texts,
}

/// The measurements of a method.
pub struct Measured {
    /// The method and its thresholds.
    pub options: PairOptions,
    /// The graph of near-duplicates.
    pub graph: Graph,
    /// The sizes of clusters.
    pub sizes: Sizes,
}

impl<'a> Report<'a> {
    /// The name of the default method of the database.
    pub fn default_method(&self) -> &'static str {
        self.default.name()
    }

    /// Measures a database, which the user named `db`. Texts are measured on a sample of at most `sample` documents,
    /// drawn by a seed, and compared on `threads` threads.
    /// The removals are those of a clustering by `clustering`, or by the defaults if there are none.
    ///
    /// # Errors
    /// Errors of [`nddb_dedup::cluster`]; of the database and of temporary files; [`Error::Cancelled`].
    pub fn measure(
        db: String,
        view: View<'a>,
        clustering: Option<&ClusterOptions>,
        resources: &Resources,
        (sample, seed): (usize, u64),
        threads: usize,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let collection = Collection::build(view, resources, watch)?;
        let with_deleted = Collection::with_deleted(view, resources, watch)?;
        let usual = usual_options(view, &with_deleted, resources);
        let default = usual.pairs.method.clone();
        let removals = Removals::find(view, &with_deleted, clustering.cloned().unwrap_or(usual), watch)?;
        let overview = Overview::measure(view, &with_deleted, &removals, watch)?;
        let prints = measures::prints(&collection, view.settings().bits, resources, watch)?;
        let (mut methods, mut refused, mut grids, mut drawn) = (Vec::new(), Vec::new(), [None, None], Vec::new());
        let options = |method: Box<dyn Method>| {
            let choice = MethodChoice::named(view, method);
            PairOptions { resources: resources.clone(), ..PairOptions::chosen(choice) }
        };
        for method in methods::all() {
            let name = method.name();
            if method.needs_text() {
                let why = format!("it reads the texts of all documents: nddb pairs {db} --method {name}");
                refused.push((name, why));
                continue;
            }
            let options = options(method);
            let graph = match measures::graph(view, &collection, &options, watch) {
                Err(Error::Method { why, .. }) => {
                    refused.push((name, why));
                    continue;
                }
                other => other?,
            };
            let sizes = measures::sizes(view, &with_deleted, &ClusterOptions::new(options.clone()), watch)?;
            if let Some(index) = ["b", "c"].iter().position(|&it| it == name) {
                let mut draw = Draw::new(if sample > 0 { TERM_PAIRS } else { 0 }, seed);
                let visit = &mut |a, b| draw.push(a, b);
                grids[index] = Some(measures::similarities(view, &collection, &options, watch, visit)?);
                drawn.push((name, draw));
            }
            methods.push(Measured { options, graph, sizes });
        }
        let [b, c] = grids;
        let options = options(MinHash::default().into());
        let is_removed = |ordinal| {
            let found = with_deleted.find(collection.id(ordinal));
            found.is_some_and(|ordinal| removals.clusters.is_removed(with_deleted.row(ordinal).rank))
        };
        let sketches = BySketches { pairs: &drawn, is_removed: &is_removed };
        let texts = Texts::measure(view, &collection, &options, (sample, seed), sketches, threads, watch)?;
        Ok(Report { db, view, collection, overview, default, prints, methods, refused, b, c, texts })
    }
}
