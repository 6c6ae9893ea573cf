//! The version, with what it was built from and what it runs on.

use std::sync::LazyLock;

/// The version, the commit if the build names it (`NDDB_COMMIT`, as that of a release does), the optional features, and
/// the instructions that inner loops use here.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("NDDB_COMMIT").unwrap_or("local build");
    let cloud = if cfg!(feature = "cloud") { "cloud" } else { "without cloud" };
    let parquet = if cfg!(feature = "parquet") { "parquet" } else { "without parquet" };
    format!("{} ({commit}, {cloud}, {parquet}, {})", env!("CARGO_PKG_VERSION"), nddb_format::cpu::version())
});
