//! Check that the processor has the instructions that nddb is compiled for.
//!
//! Without this check, an older processor would stop at the first such instruction with SIGILL and no message. The
//! feature detection of the standard library does not help, because it assumes the features that the compiler was
//! given. So the operating system is queried.

use crate::failure::{Code, Told};

/// Features that the build may require, by the names of the operating system.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
const WANTED: &[(&str, bool)] = &[
    ("avx2", cfg!(target_feature = "avx2")),
    ("bmi1", cfg!(target_feature = "bmi1")),
    ("bmi2", cfg!(target_feature = "bmi2")),
    ("fma", cfg!(target_feature = "fma")),
    ("abm", cfg!(target_feature = "lzcnt")),
    ("movbe", cfg!(target_feature = "movbe")),
    ("popcnt", cfg!(target_feature = "popcnt")),
    ("pclmulqdq", cfg!(target_feature = "pclmulqdq")),
];

/// Returns the first feature that the build needs and the processor does not have.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) fn missing() -> Option<&'static str> {
    use std::io::Read;

    let mut text = String::new();
    // The entry of the first processor is in the first few kilobytes; on a large machine all entries take a megabyte.
    std::fs::File::open("/proc/cpuinfo").ok()?.take(8 << 10).read_to_string(&mut text).ok()?;
    missing_in(&text)
}

/// Returns the first feature that the build needs and the processor does not have.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub(crate) fn missing() -> Option<&'static str> {
    None
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn missing_in(cpuinfo: &str) -> Option<&'static str> {
    let flags = cpuinfo.lines().find_map(|line| line.strip_prefix("flags")?.split_once(':'))?.1;
    let has = |name: &str| flags.split(' ').any(|flag| flag == name);
    WANTED.iter().find(|(name, needed)| *needed && !has(name)).map(|(name, _)| *name)
}

/// Returns the error with the missing feature and a hint.
pub(crate) fn failure(missing: &str) -> Told {
    let message = format!("this nddb is compiled for processors with {missing}, and this one has none");
    let hint = "build it on this machine: in .cargo/config.toml set target-cpu=native";
    Told::new(Code::Failed, message).hint(hint)
}

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_processor_without_a_needed_feature_is_noticed() {
        let all: Vec<&str> = WANTED.iter().map(|(name, _)| *name).collect();
        assert_eq!(missing_in(&format!("processor\t: 0\nflags\t\t: fpu {} sse\n", all.join(" "))), None);
        let expected = WANTED.iter().find(|(_, needed)| *needed).map(|(name, _)| *name);
        assert_eq!(missing_in("processor\t: 0\nflags\t\t: fpu sse sse2\n"), expected);
        assert_eq!(missing_in("no such line"), None);
    }

    #[test]
    fn the_processor_that_runs_the_tests_has_all() {
        assert_eq!(missing(), None);
    }
}
