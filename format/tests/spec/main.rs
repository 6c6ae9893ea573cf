//! SPEC.md is true: its tables are those of the code, its examples are what the code writes and reads,
//! and each of its rejections has a test that breaks the rule.

mod examples;
mod page;
mod rejections;
#[path = "../common/run.rs"]
mod run;
mod tables;
