//! What `nddb.tables` is made of: functions of tables that an engine has sorted and joined, for its tasks. They are
//! pure: the rules are the library's, and nothing is kept between two calls.

mod columns;
pub(crate) mod members;
pub(crate) mod parts;
pub(crate) mod postings;
pub(crate) mod properties;
pub(crate) mod scans;
pub(crate) mod stars;
