//! Reports: the documents that clustering would remove and what would be lost, the measurements of the papers on a
//! database, and a page that shows both with plots.

mod measured;
mod overview;
mod overview_page;
mod page;
mod text_page;
mod texts;

pub use measured::{Measured, Report, SAMPLE};
pub use overview::{Lossy, Overview, Share, ShownCluster, Thin};
pub use page::C_RANGES;
pub use texts::Texts;
