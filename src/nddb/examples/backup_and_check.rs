//! Backs up a database while it is open, restores the backup and checks the result.
//!
//! `cargo run --example backup_and_check`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use nddb::{CheckOptions, Config, Document, Fingerprint, Result, Writer, backup, check, restore};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [path, saved, restored] = ["crawl.nddb", "backup", "restored.nddb"].map(|name| folder.path().join(name));
    let mut writer = Writer::create(&path, &Config::within(3)?)?;
    writer.insert(Document::bare("first", Fingerprint(1))?)?;
    writer.commit()?;

    backup(&path, &saved, &mut |_| true)?; // the writer may go on
    restore(&saved, &restored, &mut |_| true)?;
    let report = check(&restored, &CheckOptions::default(), &mut |_| true)?;
    for fault in &report.faults {
        println!("{fault}");
    }
    assert!(report.is_sound());
    Ok(())
}
