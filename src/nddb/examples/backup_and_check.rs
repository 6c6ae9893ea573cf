//! Backs up a database while it is open, restores the backup, checks the result and makes its runs anew.
//!
//! `cargo run --example backup_and_check`
#![expect(clippy::print_stdout, reason = "an example says what it found")]

use std::num::NonZeroUsize;

use nddb::{
    BackupReport, BackupSummary, CheckOptions, CheckReport, Config, Document, Fault, Fingerprint, LastCheck, Reader,
    RebuildOptions, RebuildWhat, Rebuilt, Result, Retention, Writer, backup, backup_and_keep, check, rebuild, restore,
    restored_from, verify_backup,
};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [path, monday, tuesday, restored] =
        ["crawl.nddb", "monday", "tuesday", "restored.nddb"].map(|name| folder.path().join(name));
    let mut writer = Writer::create(&path, &Config::within(3)?)?;
    writer.insert(Document::bare("first", Fingerprint(1))?)?;
    writer.commit()?;

    let made: BackupSummary = backup(&path, &monday, &mut |_| true)?; // the writer may go on
    println!("{} documents in {} files", made.documents, made.files);
    writer.insert(Document::bare("second", Fingerprint(2))?)?;
    writer.commit()?;
    let keep = NonZeroUsize::MIN;
    let (_, retention): (BackupSummary, Retention) = backup_and_keep(&path, &tuesday, keep, &mut |_| true)?;
    assert_eq!(retention.removed.len(), 1, "that of Monday");
    let compared: BackupReport = verify_backup(&tuesday, &CheckOptions::default(), &mut |_| true)?;
    assert!(compared.is_sound());

    restore(&tuesday, &restored, &mut |_| true)?;
    assert!(restored_from(&restored)?.is_some());
    let report: CheckReport = check(&restored, &CheckOptions::default(), &mut |_| true)?;
    report.record(&restored);
    let faults: &[Fault] = &report.faults;
    faults.iter().for_each(|fault| println!("{fault}"));
    let options = RebuildOptions { what: RebuildWhat::All, ..RebuildOptions::default() };
    let rebuilt: Rebuilt = rebuild(&restored, &options, &mut |_| true)?;
    println!("{} runs made anew, of {} documents", rebuilt.runs, rebuilt.documents);
    let checked: Option<LastCheck> = Reader::open(&restored)?.view().stats()?.checked;
    assert_eq!(checked.map(|check| check.faults), Some(0));
    Ok(())
}
