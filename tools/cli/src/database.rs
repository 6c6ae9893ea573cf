//! Opening the database, for reading and for writing.

use std::path::Path;

use nddb::sketch::Recipe;
use nddb::{Reader, Writer};
use nddb_format::record::Settings;

use crate::args::Global;
use crate::failure::{Result, unusable_recipe};
use crate::inputs;

/// Opens a database for reading.
pub(crate) fn read(path: &Path) -> Result<Reader> {
    Ok(Reader::open(path)?)
}

/// Opens a database for writing: `command` is what others are told while it is locked.
pub(crate) fn write(path: &Path, command: &str, global: &Global) -> Result<Writer> {
    let mut writer = Writer::open_as(path, &holder(command))?;
    set_up(&mut writer, global);
    Ok(writer)
}

fn set_up(writer: &mut Writer, global: &Global) {
    writer.set_threads(global.threads());
    if let Some(bytes) = global.memory_limit {
        writer.set_memory_limit(bytes);
    }
}

/// How this process is named to others that find the database locked.
pub(crate) fn holder(command: &str) -> String {
    format!("pid {} on {}: nddb {command}", std::process::id(), inputs::host())
}

/// The recipe of a database.
pub(crate) fn recipe(settings: &Settings) -> Result<Recipe> {
    Recipe::from_label(&settings.recipe).map_err(|error| unusable_recipe(&error))
}
