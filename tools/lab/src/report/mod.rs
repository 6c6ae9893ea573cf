//! Reports: what the papers measure of a database, and the page that shows it with plots.

mod measured;
mod page;
mod text_page;
mod texts;

pub use measured::{Measured, Report};
pub use page::C_RANGES;
pub use texts::Texts;
