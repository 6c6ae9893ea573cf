//! SPEC.md is true: its tables are those of the code, its examples are what the code writes and reads,
//! and each of its rejections has a test that breaks the rule.

#[path = "spec/examples.rs"]
mod examples;
#[path = "spec/page.rs"]
mod page;
#[path = "spec/rejections.rs"]
mod rejections;
#[path = "common/run.rs"]
mod run;
#[path = "spec/tables.rs"]
mod tables;
