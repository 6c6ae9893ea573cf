//! Writes the data and the queries of all benches to files, for figures measured with the command.
//!
//! `cargo bench --bench data -- --len 10M --queries 200K --dir FOLDER` writes `stored.u64le` and `queries.u64le` there;
//! with `--uniform`, all stored fingerprints are uniform.

mod common;

use std::io::{BufWriter, Write};
use std::path::Path;

use clap::Args;
use common::{Options, say};

fn write(path: &Path, values: &[u64]) {
    let mut file = BufWriter::new(std::fs::File::create(path).expect("a new file"));
    values.iter().try_for_each(|value| file.write_all(&value.to_le_bytes())).expect("room for the file");
    file.flush().expect("room for the file");
    say(format_args!("{}: {} fingerprints", path.display(), values.len()));
}

#[derive(Args)]
struct More {
    /// Makes all stored fingerprints uniform.
    #[arg(long)]
    uniform: bool,
}

fn main() {
    let (options, more) = Options::read::<More>(10_000_000, 200_000);
    let temporary = options.folder();
    let folder = options.dir.as_deref().unwrap_or(temporary.path());
    let stored = match more.uniform {
        true => common::uniform(options.len, options.seed),
        false => common::fingerprints(options.len, options.seed),
    };
    write(&folder.join("stored.u64le"), &stored);
    write(&folder.join("queries.u64le"), &common::queries(&stored, options.queries, options.seed));
}
