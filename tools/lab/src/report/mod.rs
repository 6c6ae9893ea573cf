//! Reports: what clustering would remove and how sure that is, what the papers measure of a database, and the page that
//! shows both with plots.

mod measured;
mod overview;
mod overview_page;
mod page;
mod text_page;
mod texts;

pub use measured::{Measured, Report, SAMPLE};
pub use overview::{Overview, Scored, Share, ShownCluster, Thin};
pub use page::C_RANGES;
pub use texts::Texts;
