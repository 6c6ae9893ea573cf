//! Links the C++ library that RocksDB needs statically, so that a wheel runs where there is none of that age, and has
//! relocations packed where the C library of the wheel's tag can unpack them.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    if unpacks_relocations() {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,pack-relative-relocs");
    }
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

/// Returns whether this machine's C library, which the wheel's tag is of, unpacks relative relocations: glibc 2.36.
fn unpacks_relocations() -> bool {
    let version = || {
        let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (major, minor) = text.trim().rsplit(' ').next()?.split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    version().is_some_and(|version| version >= (2, 36))
}

/// Returns the path of the compiler's static C++ library, if there is one.
fn static_library(compiler: &str) -> Option<PathBuf> {
    let output = Command::new(compiler).arg("-print-file-name=libstdc++.a").output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    let path = Path::new(path.trim());
    path.is_absolute().then(|| path.to_owned())
}
