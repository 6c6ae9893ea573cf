//! The tests are in `it`; this file makes a package of them.
