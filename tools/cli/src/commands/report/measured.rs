//! What a report says of a database.

use nddb::View;
use nddb::detect::{Collection, Method, PairOptions};
use nddb_lab::measures::{Graph, Grid, Prints, Sizes};

use super::texts::Texts;

/// All that is measured.
pub(super) struct Report<'a> {
    pub(super) db: String,
    pub(super) view: View<'a>,
    pub(super) collection: Collection,
    pub(super) prints: Prints,
    pub(super) methods: Vec<Measured>,
    /// Methods that were not run, and why.
    pub(super) refused: Vec<(Method, String)>,
    /// Of the pairs that B finds.
    pub(super) b: Option<Grid>,
    /// Of the pairs that C finds.
    pub(super) c: Option<Grid>,
    pub(super) texts: Texts,
}

/// What is measured of a method.
pub(super) struct Measured {
    pub(super) options: PairOptions,
    pub(super) graph: Graph,
    pub(super) sizes: Sizes,
}
