//! SPEC.md agrees with the code: the code has its tables, writes and reads its examples, and has a test for each of its
//! rejections.

mod document_keys;
mod examples;
mod page;
mod rejections;
#[path = "../common/run.rs"]
mod run;
mod tables;
