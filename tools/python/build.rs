//! Links the C++ library that RocksDB needs statically, so that a wheel runs where there is none of that age.

#![allow(clippy::disallowed_methods, reason = "it writes into the folder of the build")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap_or_default());
    if let Some(library) = static_library(&compiler) {
        // `-lstdc++` takes the first folder that has a library of the name, shared or static.
        let link = out.join("libstdc++.a");
        let copied = std::fs::copy(library, link);
        if copied.is_ok() {
            println!("cargo:rustc-link-search=native={}", out.display());
        }
    }
}

/// Returns the path of the compiler's static C++ library, if there is one. A compiler of several words, as .ci/wheels
/// sets it, is zig, which links its own library statically.
fn static_library(compiler: &str) -> Option<PathBuf> {
    let output = Command::new(compiler).arg("-print-file-name=libstdc++.a").output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    let path = Path::new(path.trim());
    path.is_absolute().then(|| path.to_owned())
}
