//! The rules of the source tree. Each returns its violations, one line for each.

use super::graph::{circle, imports};
use super::paths::{Crate, Target, tokens};
use super::source::Source;

/// A crate of the workspace: the folder of its sources, and the workspace crates it must not import.
const CRATES: [(&str, &[&str]); 5] = [
    ("format/src/", &["nddb", "nddb_lab", "nddb_cli", "pyo3"]),
    ("src/", &["nddb_lab", "nddb_cli", "pyo3"]),
    ("tools/lab/src/", &["nddb_cli", "pyo3"]),
    ("tools/cli/src/", &["pyo3"]),
    ("tools/python/src/", &["nddb_lab"]),
];

/// The modules that each module of `src` may import; a module that is not listed may import all.
const FLOORS: [(&str, &[&str]); 13] = [
    ("error", &[]),
    ("parallel", &[]),
    ("prefetch", &[]),
    ("config", &["error"]),
    ("text", &["error", "config"]),
    ("sketch", &["error", "config", "text"]),
    ("compare", &["text"]),
    ("archive", &["text"]),
    ("spill", &["error", "prefetch"]),
    ("store", &["error", "config", "text", "sketch", "prefetch", "spill"]),
    ("internals", &["text", "sketch", "compare", "archive", "spill", "detect", "parallel"]),
    ("ingest", &["error", "config", "text", "sketch", "archive", "spill", "store", "parallel"]),
    ("detect", &["error", "config", "text", "sketch", "compare", "archive", "prefetch", "spill", "store"]),
];

/// An interface that only one module may use.
struct Keeper {
    /// The folders where the rule holds.
    within: &'static [&'static str],
    /// The prefixes of paths that the rule is about.
    paths: &'static [&'static str],
    /// The files, or prefixes of their paths, that may use them.
    keepers: &'static [&'static str],
}

const KEEPERS: [Keeper; 13] = [
    Keeper {
        within: &["src/"],
        paths: &["std::fs"],
        keepers: &["src/store/disk", "src/spill/temp_file.rs", "src/archive/open.rs"],
    },
    Keeper { within: &["src/"], paths: &["memmap2", "libc"], keepers: &["src/store/disk", "src/spill/temp_file.rs"] },
    Keeper { within: &["src/"], paths: &["rocksdb"], keepers: &["src/store/catalog"] },
    // The folder for a reader's scratch files, named in a message.
    Keeper { within: &["src/"], paths: &["std::env"], keepers: &["src/store/catalog/open.rs"] },
    Keeper {
        within: &["src/"],
        paths: &["std::net::TcpStream", "std::net::TcpListener", "std::net::UdpSocket"],
        keepers: &[],
    },
    Keeper {
        within: &["src/text/", "src/sketch/"],
        paths: &["std::io", "std::time", "std::thread", "std::process", "tempfile"],
        keepers: &[],
    },
    Keeper {
        within: &["format/src/"],
        paths: &["std::fs", "std::io", "std::net", "std::time", "std::thread", "std::env", "std::process", "std::os"],
        keepers: &[],
    },
    Keeper { within: &["tools/"], paths: &["rocksdb", "memmap2"], keepers: &[] },
    Keeper { within: &["tools/"], paths: &["plotters"], keepers: &["tools/lab/src/plot/"] },
    Keeper { within: &["tools/lab/src/"], paths: &["std::fs", "tempfile", "std::env"], keepers: &[] },
    Keeper { within: &["tools/python/src/"], paths: &["std::fs", "tempfile", "std::env", "std::io"], keepers: &[] },
    // The C data interface: the rest takes arrays.
    Keeper {
        within: &["tools/python/src/"],
        paths: &["arrow_array::ffi", "arrow_array::ffi_stream"],
        keepers: &["tools/python/src/arrow/capsules.rs"],
    },
    Keeper {
        within: &["tools/cli/src/"],
        paths: &["std::fs", "tempfile"],
        keepers: &[
            "tools/cli/src/inputs.rs",
            "tools/cli/src/output.rs",
            "tools/cli/src/cpu.rs",
            "tools/cli/src/args.rs",
        ],
    },
];

/// Words that only these files may contain: `unsafe`, and disk access without `std::fs`.
const WORDS: [(&[&str], &[&str]); 2] = [
    (
        &["unsafe"],
        &[
            "src/store/disk",
            "src/spill/temp_file.rs",
            "src/prefetch.rs",
            // What other libraries made: pointers in capsules, and memory of arrays.
            "tools/python/src/arrow/capsules.rs",
            "tools/python/src/arrow/numbers.rs",
        ],
    ),
    (
        &["metadata", "symlink_metadata", "read_dir", "canonicalize", "read_link", "try_exists"],
        &[
            "src/store/disk",
            "src/spill/temp_file.rs",
            "src/archive/open.rs",
            // The metadata of Parquet files.
            "src/archive/table/",
            "tools/cli/src/commands/filter/tables/",
            "tools/cli/src/inputs.rs",
        ],
    ),
];

/// Number of lines from which on a file is too long.
pub(super) const LINES_WANTED: usize = 600;
const LINES_MAX: usize = 900;

/// Modules import from lower floors, and crates from lower crates.
pub(super) fn climbs(sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for (folder, above) in CRATES {
        for (source, _, target) in Crate::read(sources, folder).uses() {
            if let Target::Outside(path) = target
                && above.contains(&path[0].as_str())
            {
                broken.push(format!("{source}: uses {}, a crate above it", path.join("::")));
            }
        }
    }
    for (source, from, target) in Crate::read(sources, "src/").uses() {
        let (Some(from), Target::Inside(to)) = (from.first(), target) else { continue };
        let Some((_, allowed)) = FLOORS.iter().find(|(name, _)| name == from) else {
            broken.push(format!("{source}: '{from}' stands on no floor"));
            continue;
        };
        let to = to.first().map_or("lib", String::as_str);
        if to != from && !allowed.contains(&to) {
            broken.push(format!("{source}: '{from}' imports from '{to}'"));
        }
    }
    broken.dedup();
    broken
}

/// No two modules import each other, directly or indirectly, nor a module and its descendants.
pub(super) fn circles(sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for (folder, _) in CRATES {
        for (module, edges) in imports(&Crate::read(sources, folder)) {
            let group = format!("{} {}", folder.trim_end_matches('/'), module.join("::")).trim_end().to_owned();
            if let Some(circle) = circle(&edges) {
                let steps: Vec<String> =
                    circle.windows(2).map(|step| format!("{} ({})", step[1], edges[&step[0]][&step[1]])).collect();
                broken.push(format!("{group}: {} imports {}", circle[0], steps.join(", which imports ")));
            }
        }
    }
    broken
}

/// A module with children is the `mod.rs` of its folder, not a file beside it.
pub(super) fn layout(sources: &[Source]) -> Vec<String> {
    let has_folder = |path: &str| sources.iter().any(|other| other.is_under(&format!("{path}/")));
    let beside = sources.iter().filter(|source| source.path.strip_suffix(".rs").is_some_and(has_folder));
    beside.map(|source| format!("{}: stands beside a folder of its name", source.path)).collect()
}

/// An interface with one keeper is used nowhere else.
pub(super) fn keepers(sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for (folder, _) in CRATES {
        for (source, _, target) in Crate::read(sources, folder).uses() {
            let Target::Outside(path) = target else { continue };
            let path = path.join("::");
            for rule in &KEEPERS {
                let named = |prefix: &&str| path == **prefix || path.starts_with(&format!("{prefix}::"));
                let is_in = |index: &&str| source.starts_with(index);
                if rule.within.iter().any(is_in) && rule.paths.iter().any(named) && !rule.keepers.iter().any(is_in) {
                    broken.push(format!("{source}: uses {path}"));
                }
            }
        }
    }
    for source in sources.iter().filter(|source| CRATES.iter().any(|(folder, _)| source.is_under(folder))) {
        for (words, files) in WORDS {
            if !files.iter().any(|file| source.is_under(file)) {
                let found = tokens(&source.live).into_iter().filter(|token| words.contains(&token.as_str()));
                broken.extend(found.map(|word| format!("{}: says '{word}'", source.path)));
            }
        }
    }
    broken.dedup();
    broken
}

/// The format forbids `unsafe`; the library prints nothing.
pub(super) fn quiet(sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    let forbids =
        |source: &&Source| source.path == "format/src/lib.rs" && source.code.contains("#![forbid(unsafe_code)]");
    if sources.iter().find(forbids).is_none() {
        broken.push("format/src/lib.rs: does not forbid unsafe code".into());
    }
    for source in sources.iter().filter(|source| source.is_under("src/") || source.is_under("format/src/")) {
        let tokens = tokens(&source.live);
        for (word, bang) in tokens.iter().zip(tokens.iter().skip(1)) {
            if ["println", "eprintln", "print", "eprint", "dbg"].contains(&word.as_str()) && bang == "!" {
                broken.push(format!("{}: prints with {word}!", source.path));
            }
        }
    }
    broken
}

/// Every file but a module's tests begins with a module doc, and is short enough to be read.
pub(super) fn pages(sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for source in sources {
        if !source.text.starts_with("//!") && !source.path.ends_with("/tests.rs") {
            broken.push(format!("{}: does not begin with what it is", source.path));
        }
        let lines = source.text.lines().count();
        if lines > LINES_MAX {
            broken.push(format!("{}: has {lines} lines", source.path));
        }
    }
    broken
}

/// Tests assert, run, and fail for a reason; there are no to-do marks.
pub(super) fn tests(sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for source in sources {
        for (line, code) in source.test_lines() {
            let code = code.trim_start();
            if code.starts_with("matches!(") {
                broken.push(format!("{}:{line}: a matches! that asserts nothing", source.path));
            }
        }
        for (at, code) in source.code.lines().enumerate() {
            let squeezed: String = code.split_whitespace().collect();
            for attribute in ["#[ignore", "#[should_panic"] {
                if squeezed.contains(attribute) {
                    broken.push(format!("{}:{}: {attribute}]", source.path, at + 1));
                }
            }
            let tokens = tokens(code);
            for (word, bang) in tokens.iter().zip(tokens.iter().skip(1)) {
                if ["todo", "unimplemented"].contains(&word.as_str()) && bang == "!" {
                    broken.push(format!("{}:{}: {word}!", source.path, at + 1));
                }
            }
        }
    }
    broken
}

/// No file names a folder of a particular machine.
pub(super) fn machine_paths(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let parts: [&[&str]; 3] = [&["/wo", "rk/"], &["/ro", "ot/"], &["/tmp/", "target"]];
    let patterns = parts.map(|parts| parts.concat());
    let mut broken = Vec::new();
    for (path, bytes) in files {
        for pattern in &patterns {
            if bytes.windows(pattern.len()).any(|window| window == pattern.as_bytes()) {
                broken.push(format!("{path}: names {pattern}"));
            }
        }
    }
    broken
}
