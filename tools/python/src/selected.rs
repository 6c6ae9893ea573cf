//! The selection of `Writer.load`: the records of archives that an index names.

use std::path::PathBuf;

use nddb::archive::{Inputs, Selected, Selection};
use serde_json::{Value, json};

use crate::errors::{Fault, Result};

/// Reads the index and finds its archives among the inputs; returns them, and what a load says of the choice.
pub(crate) fn choose(index: &[PathBuf], inputs: Inputs) -> Result<(Inputs, Value)> {
    let Selected { inputs, ranges, unnamed, absent } = Selection::read(index)?.choose(inputs)?;
    if inputs.located.is_empty() {
        return Err(Fault::value(match absent.first() {
            None => "the index has no row: nothing is selected".into(),
            Some((name, _)) => format!("no archive of the index is among the inputs: {name} is not"),
        }));
    }
    let said = json!({
        "archives": inputs.located.len(),
        "records": ranges,
        "archives_absent": absent.len(),
        "records_absent": absent.iter().map(|(_, ranges)| ranges).sum::<u64>(),
        "inputs_unnamed": unnamed,
        "absent": absent.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
    });
    Ok((inputs, said))
}
