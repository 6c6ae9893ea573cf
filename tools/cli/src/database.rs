//! Opening the database, for reading and for writing.

use std::path::Path;

use nddb::sketch::{Recipe, RecipeError};
use nddb::{Reader, Writer};
use nddb_format::record::Settings;

use crate::args::Global;
use crate::failure::{Result, unusable_recipe};
use crate::inputs;

/// Opens a database for reading.
pub fn read(path: &Path) -> Result<Reader> {
    Ok(Reader::open(path)?)
}

/// Opens a database for writing; other processes see `command` in their message while it is locked.
pub(crate) fn write(path: &Path, command: &str, global: &Global) -> Result<Writer> {
    let mut writer = Writer::open_within(path, &holder(command), global.lock_wait.unwrap_or_default())?;
    set_up(&mut writer, global);
    Ok(writer)
}

/// Gives a writer the threads and the memory of the command.
pub(crate) fn set_up(writer: &mut Writer, global: &Global) {
    writer.set_threads(global.threads());
    if let Some(bytes) = global.memory_limit {
        writer.set_memory_limit(bytes);
    }
}

/// Returns the description of this process for others that find the database locked.
pub(crate) fn holder(command: &str) -> String {
    format!("pid {} on {}: nddb {command}", std::process::id(), inputs::host())
}

/// Returns the recipe of a database, or the reason why it takes only fingerprints.
pub(crate) fn recipe_for_writing(settings: &Settings) -> Result<Result<Recipe, RecipeError>> {
    Recipe::of_database(&settings.recipe).map_err(|error| unusable_recipe(&error))
}

/// Returns the recipe of a database of which texts are asked.
pub(crate) fn recipe(settings: &Settings) -> Result<Recipe> {
    Recipe::from_label(&settings.recipe).map_err(|error| unusable_recipe(&error))
}
