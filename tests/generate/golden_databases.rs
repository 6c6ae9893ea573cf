//! Makes the golden databases of the present format: how `tests/data/v2` was made, once.
//!
//! `cargo run --example golden_databases FOLDER`. What is in `tests/data` is never made again, or it would show
//! nothing: a new format version gets a folder of its own.

#[allow(dead_code, reason = "the test that compares needs more of it")]
#[path = "../it/support/golden.rs"]
mod golden;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: golden_databases FOLDER")?;
    if folder.exists() {
        return Err(format!("{}: it exists, and golden databases are never made again", folder.display()).into());
    }
    std::fs::create_dir_all(&folder)?;
    golden::make_web(&folder.join("web"));
    golden::make_narrow(&folder.join("narrow"));
    golden::make_keys(&folder.join("keys"));
    golden::make_filtered(&folder.join("filtered"));
    golden::make_intervals(&folder.join("intervals"));
    golden::make_summaries(&folder.join("summaries"));
    Ok(())
}
