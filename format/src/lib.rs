//! The file format of nddb: pure functions and values over bytes.
//!
//! SPEC.md in the repository is normative; every module here keeps the encoder of one structure beside
//! its decoder. A file is a value over `AsRef<[u8]>`: a memory map, a `Vec<u8>` or a slice of a test.
//!
//! This crate owns: [fingerprint]s and their [permutation]s, the [scheme]s of Manku, Jain and Das Sarma
//! (WWW 2007), the [huffman] code, the [block], the [segment], the [postings], the [manifest], the
//! [summaries] of documents, the [deleted] set, the [record]s of the catalog and the list of a [backup].
//!
//! It must never import a file system, a clock, a network, threads or randomness, and contains no `unsafe` but for the
//! one call of [cpu]. No input makes it panic, loop without end, or allocate more than a small multiple of the input.
//!
//! ```
//! use nddb_format::scheme::Scheme;
//! use nddb_format::segment::{Segment, encode};
//!
//! let scheme = Scheme::new(64, 3, &[5], 32)?; // ten tables
//! let mut sorted: Vec<u64> = (1..=1000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
//! sorted.sort_unstable();
//! let file = encode(&scheme, 0, &sorted)?;
//! let segment = Segment::open(&file[..])?;
//! assert_eq!(segment.header().count, 1000);
//! # Ok::<(), nddb_format::FormatError>(())
//! ```
#![deny(unsafe_code)]

pub mod backup;
pub mod bits;
pub mod block;
pub mod cpu;
pub mod deleted;
pub mod design;
pub mod digest;
pub mod document_keys;
mod error;
pub mod fields;
pub mod filter;
pub mod fingerprint;
pub mod huffman;
pub mod keys;
mod macros;
pub mod manifest;
mod paged_file;
pub mod pages;
pub mod parts;
pub mod permutation;
pub mod postings;
pub mod profile;
pub mod record;
pub mod scheme;
pub mod segment;
pub mod summaries;

pub use error::{FormatError, Result};
pub use fingerprint::{Fingerprint, Permuted};
pub use paged_file::PagedFile;
