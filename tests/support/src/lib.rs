//! Shared parts of the tests and benches of all crates: random numbers, golden databases, and programs that tests need.

mod golden;
mod random;
mod texts;

use std::process::{Command, Stdio};

pub use golden::{Golden, golden};
pub use random::Random;
pub use texts::texts;

/// Writes a line to stderr, for a test's seed and for what it leaves out.
#[expect(clippy::print_stderr, reason = "a test tells its seed and what it leaves out")]
pub fn say(text: &str) {
    eprintln!("{text}");
}

/// Returns a command that runs python3, or `None` where it is not installed: the test `what` is then left out, with
/// a message.
///
/// # Panics
/// In continuous integration (the variable `CI` is set), where no test may be left out.
pub fn python(what: &str) -> Option<Command> {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Some(Command::new("python3"));
    }
    assert!(std::env::var_os("CI").is_none(), "{what}: python3 does not run, and CI is set");
    say(&format!("{what}: left out, python3 does not run"));
    None
}
