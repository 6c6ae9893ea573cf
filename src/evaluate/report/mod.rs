//! Reports: the documents that clustering would remove, what would be lost, and a page that shows it.

mod expected;
mod measured;
mod overview;
mod page;
mod paths;

pub use expected::Class;
pub use measured::Report;
pub use overview::{ListedRemoval, Lossy, Overview, ShownCluster, Thin};
pub use paths::Share;
