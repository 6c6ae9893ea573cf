//! Commands that were renamed.

use clap::error::{ContextKind, ContextValue};

/// Former names of commands of `nddb`, with the new command lines.
const RENAMED: [(&str, &str); 12] = [
    ("batch-query", "nddb query DB --fp-file FILE --format tsv"),
    ("completions", "nddb generate completions"),
    ("lab", "nddb-lab"),
    ("ls", "nddb export --format tsv"),
    ("man", "nddb generate man"),
    ("reshape", "nddb compact --tables"),
    ("resolve", "nddb-lab resolve"),
    ("restore", "nddb backup restore"),
    ("scan", "nddb-lab scan"),
    ("segment", "nddb-lab segment"),
    ("tune", "nddb-lab tune"),
    ("verify-backup", "nddb backup verify"),
];

/// Returns a message with the new name, if the unknown command of this error is a former name.
pub(crate) fn message(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let (_, now) = RENAMED.iter().find(|(former, _)| former == name)?;
    Some(format!("`nddb {name}` is `{now}`"))
}
