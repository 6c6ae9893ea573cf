//! An empty library: cargo needs it to make a package of the benches.
