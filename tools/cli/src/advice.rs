//! What the library advises and doubts, in the words of the command.

use std::path::Path;

use nddb::archive::ArchiveError;
use nddb::{Fault, NextStep, Within};
use nddb_jobs::Advice;
use nddb_jobs::lists::ListDoubt;

/// Says what to do about an error.
pub(crate) fn words(advice: &Advice) -> Option<String> {
    Some(match advice {
        Advice::WriteLists => "run 'nddb cluster -o' again: it writes the file".into(),
        Advice::ListsOfTwoRuns => "its lists are of two runs: run 'nddb cluster -o' again".into(),
        Advice::WriteListsOrMove => {
            "run 'nddb cluster -o' again; if the list was shortened on purpose, move it to another folder".into()
        }
        Advice::ConvertList => "if it is in another encoding, convert it: iconv -f WINDOWS-1252 -t UTF-8 LIST".into(),
        Advice::DoubleBackslash => "write a backslash of an id as two, as the lists of nddb cluster do".into(),
        Advice::CompareIds => "no input has any of them either: 'nddb get' tells how ids are stored, --id-field and \
                               --id-prefix how those of an input are made"
            .into(),
        Advice::ConvertInput => "convert it, and load that: iconv -f UTF-16 -t UTF-8 FILE".into(),
        Advice::Recompress => "recompress it with gzip or zstd".into(),
        Advice::Unpack => "unpack it (unzip FILE 'archive/*'), load the files in archive/, and give these".into(),
        Advice::NameAs(input) => format!("give a name that ends as {} does", input.display()),
        Advice::OmitInput => "nothing was read; fix or omit that input".into(),
        Advice::ListInstead => "leave out --with and --annotate; --removed lists what is removed, and why".into(),
        Advice::Load { database, input } => {
            format!("load it first: nddb load {} {}", database.display(), input.display())
        }
        Advice::RecompressRecords => "compress each record by itself, as 'warcio recompress' does, and load that into \
                                      another database"
            .into(),
        Advice::LeaveOut => "leave it out of --with".into(),
        Advice::WriteParquet => "write it as Parquet first, in Python with \
                                 pyarrow.parquet.write_table(pyarrow.feather.read_table('FILE'), 'FILE.parquet') \
                                 (a stream: pyarrow.ipc.open_stream('FILE').read_all())"
            .into(),
        Advice::CreateWithParts => {
            "'nddb create NEW --parts' makes a database with parts; load its archives into that one".into()
        }
        Advice::GiveFiles => "give the files from which it was loaded instead".into(),
        Advice::NameClusters => "give the folder that 'nddb cluster -o DIR' wrote: --clusters DIR".into(),
        _ => return None,
    })
}

/// Says what to do about an error of a database.
pub(crate) fn next_step(step: &NextStep) -> String {
    match step {
        NextStep::Check(path) => format!("'nddb check {}' lists all damage, and what repairs it", path.display()),
        NextStep::Repair(path) => format!("'nddb rebuild {}' repairs it", path.display()),
        NextStep::Rebuild(path) => {
            format!(
                "'nddb rebuild {0}' rebuilds it from the catalog; 'nddb check {0}' lists all damage",
                path.display()
            )
        }
        NextStep::RebuildManifest(path) => format!(
            "a database without MANIFEST exists: 'nddb rebuild {}' restores it, or says that there is nothing to \
             restore; or choose another path",
            path.display()
        ),
        NextStep::RebuildOrLoad(path) => {
            format!("'nddb rebuild {}' or the next load restores it", path.display())
        }
        NextStep::Create(path) => format!("if the path is right, 'nddb create {}' creates a database", path.display()),
        NextStep::CreateAgain(path) => format!("'nddb create {}' starts again", path.display()),
        NextStep::GiveDatabase => "give the folder of a database; 'nddb create NEW' makes one in a new folder".into(),
        NextStep::Restore => "'nddb backup restore' makes a database from it".into(),
        NextStep::NotASet => {
            "sets work with 'load', 'query', 'stats', 'check', 'rebuild', 'compact', 'merge' and 'backup'".into()
        }
        NextStep::CreateSet => "'nddb create --set' makes one".into(),
        NextStep::DatabaseThere(path) => {
            format!("a database exists there ('nddb stats {}' describes it); choose another path", path.display())
        }
        NextStep::NextBackup(folder) => {
            format!("a backup exists there: 'nddb backup DB {}/' makes the next one beside it", folder.display())
        }
        NextStep::Backup => "'nddb backup DB DIR' makes one in the new folder DIR".into(),
        NextStep::OtherBackup => "use another backup; 'nddb backup verify' lists all damage of this one".into(),
        NextStep::RestoreAndRebuild => "it was so when the backup was made: restore another backup, or this one, and \
                                        run 'nddb rebuild' on the restored database"
            .into(),
        NextStep::WithinK(limit) => format!(
            "'nddb create --k' sets the greatest distance of pairs and clusters, which is {limit} here; a query by \
             distance reaches {} bits",
            Within::MAX.0
        ),
        NextStep::CreateOfK => "'nddb create --k' makes a database of that k: load the documents again".into(),
        NextStep::MergeIntoNew => {
            "'nddb create NEW' and 'nddb merge NEW DB' make a database of its documents, numbered anew".into()
        }
        NextStep::Wait => {
            "wait for that process, or let the command wait ('--lock-wait 30s'); readers need no lock".into()
        }
        NextStep::MapFewer => "this process has mapped as many files as it can: merge runs ('nddb compact'), or raise \
                               the system's limit ('sysctl vm.max_map_count')"
            .into(),
        NextStep::TemporaryFolder => {
            "set TMPDIR to a folder that can be written and has space, or use '--tmp-dir DIR'".into()
        }
        NextStep::Room(what) => format!("{what}, then run the same command again"),
        other => other.to_string(),
    }
}

/// Says what to do about an input that cannot be read.
pub(crate) fn of_input(error: &ArchiveError) -> Option<&'static str> {
    match error {
        ArchiveError::UnknownFormat { .. } => Some("name its format with --format"),
        error if error.lacks_fields() => {
            Some("give --text-field or --html-field (of tables also --text-column, --html-column)")
        }
        _ => None,
    }
}

/// Returns the line of a fault that a check has found.
pub(crate) fn fault(fault: &Fault) -> String {
    let Fault { path, location, what, next, .. } = fault;
    format!("{}: {location}: {what}; {}", path.display(), next_step(next))
}

/// Says what is doubted of a list that is used nevertheless.
pub(crate) fn doubted(list: &Path, doubt: ListDoubt) -> String {
    let list = list.display();
    match doubt {
        ListDoubt::Empty => format!("{list}: the list is empty"),
        ListDoubt::Edited => format!("{list}: it was edited after 'nddb cluster' wrote it, and is used as it is now"),
    }
}
