//! What the tests and benches of all crates share: random numbers, and programs that tests need.

mod random;

use std::process::{Command, Stdio};

pub use random::Random;

/// Writes a line to stderr, where a test tells its seed and what it leaves out.
#[expect(clippy::print_stderr, reason = "a test tells its seed and what it leaves out")]
pub fn say(text: &str) {
    eprintln!("{text}");
}

/// Returns a command that runs python3, or `None` where there is none: `what` is then left out, and says so.
///
/// # Panics
/// In continuous integration (the variable `CI` is set), where nothing may be left out.
pub fn python(what: &str) -> Option<Command> {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Some(Command::new("python3"));
    }
    assert!(std::env::var_os("CI").is_none(), "{what}: python3 does not run, and CI is set");
    say(&format!("{what}: left out, python3 does not run"));
    None
}
