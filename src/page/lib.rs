//! From the bytes of a page to its content, its terms and its sketches.
//!
//! [`text`] reads a page: its encoding, its HTML or plain text, its content, its terms and names. From these,
//! [`sketch`] computes the values that a database stores, by a named and versioned [`Recipe`](sketch::Recipe). This
//! crate does not depend on files, databases or verdicts.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

pub mod sketch;
pub mod text;
