//! The fields of what is written and shown: of a document, of a match, of a pair, of a member of a cluster, of a
//! database. Each is defined once, for lines of JSON, TSV, Parquet and the objects of other languages.

mod described;
mod document;
mod losses;
mod matches;
mod measures;
mod members;
mod pair_lines;
mod pair_rows;
mod stats;

pub(crate) use self::described::write_header;
pub use self::described::{Described, DescribedField, WaitingLines, WantedDocuments, pair_header};
pub(crate) use self::document::Names;
pub use self::document::{DocumentField, document};
pub(crate) use self::losses::append_tsv;
pub(crate) use self::losses::lost;
pub use self::losses::{Field, LossValues, OF_PAIR, OF_QUERY, OF_REMOVED, PairLossValues, sentence};
pub use self::matches::{WriteMatch, answer, match_columns, write_db, write_match};
pub use self::measures::{MeasureValue, add_evidence, scores, stored_cells, stored_columns};
pub use self::members::{MemberSource, cluster_line, member_columns, member_rows, member_rows_of, want_members};
pub use self::pair_lines::{IdList, LineFormat, PairLines};
pub use self::pair_rows::{pair_columns, pair_rows};
pub use self::stats::{seconds, stats, work};
