//! Makes the golden databases of the present format: `tests/data/v1`, each an archive of GNU tar.
//!
//! `cargo run --example golden_databases [FOLDER]` replaces those of the folder. Once the format is released it is never made
//! again, or it would show nothing: a new format version gets a folder of its own.

#[allow(dead_code, reason = "the test that compares needs more of it")]
#[path = "../it/support/golden.rs"]
mod golden;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A golden database and what makes it.
type Golden = (&'static str, fn(&Path));

const ALL: [Golden; 8] = [
    ("web", golden::make_web),
    ("narrow", golden::make_narrow),
    ("keys", golden::make_keys),
    ("filtered", golden::make_filtered),
    ("intervals", golden::make_intervals),
    ("summaries", golden::make_summaries),
    ("parts", golden::make_parts),
    ("set", golden::make_set),
];

fn main() -> Result<(), Box<dyn Error>> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/v1");
    let folder = std::env::args_os().nth(1).map_or(default, PathBuf::from);
    fs::create_dir_all(&folder)?;
    let made = tempfile::tempdir()?;
    for (name, make) in ALL {
        let path = made.path().join(name);
        make(&path);
        // A set has no catalog.
        for entry in fs::read_dir(path.join("catalog")).into_iter().flatten() {
            let entry = entry?;
            // No reader needs them.
            if entry.file_name().to_string_lossy().starts_with("LOG")
                || entry.file_name().to_string_lossy().starts_with("OPTIONS")
            {
                fs::remove_file(entry.path())?;
            }
        }
        // The same files give the same archive.
        let alike = ["--format=ustar", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
        let mut tar = Command::new("tar");
        tar.arg("-cf").arg(folder.join(name).with_extension("tar")).args(alike).arg("--mode=u=rwX,go=rX");
        if !tar.arg("-C").arg(&path).arg(".").status()?.success() {
            return Err(format!("tar cannot pack {name}").into());
        }
    }
    Ok(())
}
