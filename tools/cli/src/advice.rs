//! What jobs of the library advise and doubt, in the words of the command.

use std::path::Path;

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
        Advice::NameClusters => "give the folder that 'nddb cluster -o DIR' wrote: --clusters DIR".into(),
        _ => return None,
    })
}

/// Says what is doubted of a list that is used nevertheless.
pub(crate) fn doubted(list: &Path, doubt: ListDoubt) -> String {
    let list = list.display();
    match doubt {
        ListDoubt::Empty => format!("{list}: the list is empty"),
        ListDoubt::Edited => format!("{list}: it was edited after 'nddb cluster' wrote it, and is used as it is now"),
    }
}
