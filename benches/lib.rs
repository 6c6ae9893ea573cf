//! The benchmarks are files of their own; this file makes a package of them.
