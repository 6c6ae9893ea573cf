//! Commands for sets: fingerprints without documents (`nddb create --set`). Each command hands a set over to its
//! function here, and refuses the options that are of documents by name.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use nddb::archive::Format;
use nddb::{CheckReport, Config, Fingerprint, FingerprintSet, SetWriter};
use nddb_jobs::input;
use nddb_jobs::packed::Packing;
use serde_json::json;

use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, Told};
use crate::messages::Meter;
use crate::output::{self, Output};
use crate::quantity::{bytes, counted, grouped};
use crate::{database, inputs, interrupt};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;
/// Memory of a load without `--memory-limit`.
const MEMORY: u64 = 1 << 30;

/// Returns the number of fingerprints of one table that a load collects for a run.
pub(super) fn run_len(global: &Global) -> u64 {
    global.memory_limit.unwrap_or(MEMORY) / 8
}

/// Refuses the first of these options that was given.
pub(super) fn refuse(given: &[(&str, bool)]) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => {
            let message = format!("{name} is for databases of documents; this is a set of fingerprints");
            Err(Told::new(Code::Usage, message).hint("omit it, or make a database without 'create --set'").into())
        }
        None => Ok(()),
    }
}

/// Makes a set.
pub(super) fn create(db: &Path, config: &Config, global: &Global) -> Result<Code> {
    SetWriter::create(db, config)?;
    let set = FingerprintSet::open(db)?;
    let manifest = set.manifest();
    let scheme = manifest.set.as_ref();
    let levels = scheme.map_or(&[][..], |scheme| scheme.levels());
    if global.json {
        // Reference of create: the object of `--json`, with `--set`
        output::print_json(&json!({
            "path": db.display().to_string(),
            "bits": manifest.bits,
            "k": manifest.k,
            "levels": levels,
            "restart": scheme.map(|scheme| scheme.restart()),
            "set": true,
        }))?;
    }
    let (bits, k, tables) = (manifest.bits, manifest.k, scheme.map_or(0, |scheme| scheme.tables().len()));
    let tables = counted(tables as u64, "table");
    global.messages().note(format!("{}: made, a set, {bits} bits, k = {k}, {tables}", db.display()));
    Ok(Code::Done)
}

/// Opens a set for writing.
fn write(db: &Path, command: &'static str, global: &Global) -> Result<(SetWriter, Meter)> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let holder = database::holder(command);
    let mut writer = SetWriter::open(db, &holder, global.lock_wait.unwrap_or_default())?;
    let meter = global.messages().meter(command);
    writer.resources(global.threads(), global.memory_limit.unwrap_or(MEMORY));
    writer.watch(meter.watch(true));
    Ok((writer, meter))
}

/// Prints what a writer has done.
fn tell(writer: &SetWriter, meter: &Meter, what: &str, number: u64, clock: &Clock, global: &Global) -> Result<Code> {
    let (fingerprints, runs) = writer.len();
    // Reference of load: the object of `--json`, of a set, as of `merge`, `compact` and `rebuild`
    let summary = json!({
        "done": number, // fingerprints read, runs merged, or segments made again
        "fingerprints": fingerprints, // of all runs
        "runs": runs,
        "seconds": clock.seconds(),
        "cpu_seconds": clock.cpu_seconds(),
    });
    global.summary(meter, summary)?;
    let stored = format!("{} in {}", counted(fingerprints, "fingerprint"), counted(runs as u64, "run"));
    meter.finish(&format!("{} {what}; {stored}", grouped(number)));
    Ok(Code::Done)
}

/// Adds the fingerprints of files and of stdin.
pub(super) fn load(db: &Path, given: &[PathBuf], format: Format, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    given.iter().try_for_each(|path| check_name(path, format))?;
    let (mut writer, meter) = write(db, "load", global)?;
    let mut read = 0;
    for path in given {
        read += load_file(path, &mut writer)?;
    }
    writer.flush()?;
    tell(&writer, &meter, "read", read, &clock, global)
}

/// Refuses a file that is not named as one of fingerprints.
fn check_name(path: &Path, format: Format) -> Result<()> {
    let name = path.to_string_lossy();
    let plain = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    let is_named = name == "-" || plain.ends_with(".u64le") || plain.ends_with(".u64");
    if !matches!(format, Format::Auto | Format::U64le) || format == Format::Auto && !is_named {
        let message = format!("{name}: a set takes files of fingerprints, eight bytes each, little-endian: FILE.u64le");
        let hint =
            "name the file .u64le, .u64le.gz or .u64le.zst, or give --format u64le; 'nddb fp' makes fingerprints";
        return Err(Told::new(Code::Usage, message).hint(hint).into());
    }
    Ok(())
}

/// Adds the fingerprints of a file. Returns their number.
fn load_file(path: &Path, writer: &mut SetWriter) -> Result<u64> {
    let failed = |error| Failure::reading(path, &error);
    let file: Box<dyn Read + Send> = if path.as_os_str() == "-" { Box::new(io::stdin()) } else { input::open(path)? };
    let mut file = Packing::of_name(path).unpack(file).map_err(failed)?;
    let (mut read, mut piece) = (0, Vec::with_capacity(PIECE));
    loop {
        piece.clear();
        file.by_ref().take(PIECE as u64).read_to_end(&mut piece).map_err(failed)?;
        let (words, rest) = piece.as_chunks::<8>();
        for word in words {
            writer.push(Fingerprint(u64::from_le_bytes(*word)))?;
        }
        read += words.len() as u64;
        if !rest.is_empty() {
            // What is whole is stored, as if the file ended there.
            writer.flush()?;
            return Err(inputs::cut_off(path, rest));
        }
        if interrupt::asked() {
            return Err(nddb::Error::Cancelled.into());
        }
        if words.is_empty() {
            return Ok(read);
        }
    }
}

/// Adds the fingerprints of another set.
pub(super) fn merge(db: &Path, source: &Path, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (mut writer, meter) = write(db, "merge", global)?;
    let added = writer.merge(source)?;
    tell(&writer, &meter, "read", added, &clock, global)
}

/// Merges all runs into one.
pub(super) fn compact(db: &Path, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (mut writer, meter) = write(db, "compact", global)?;
    let (_, before) = writer.len();
    writer.compact()?;
    let merged = if before > 1 { before as u64 } else { 0 };
    tell(&writer, &meter, "merged", merged, &clock, global)
}

/// Makes damaged tables again.
pub(super) fn rebuild(db: &Path, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (mut writer, meter) = write(db, "rebuild", global)?;
    let segments = writer.rebuild()?;
    tell(&writer, &meter, "made again", segments, &clock, global)
}

/// Prints what a set contains.
pub(super) fn stats(db: &Path, mut output: Output, as_json: bool) -> Result<Code> {
    let set = FingerprintSet::open(db)?;
    let manifest = set.manifest();
    let size: u64 = manifest.files().map(|file| file.length).sum();
    let tables = manifest.set.as_ref().map_or(0, |scheme| scheme.tables().len());
    let bits = size as f64 * 8.0 / set.len().max(1) as f64;
    let runs = manifest.runs.len();
    if as_json {
        // Reference of stats: the object of `--json`, of a set
        output.json(&json!({
            "fingerprints": set.len(), // one that is in several runs is counted in each
            "bits": manifest.bits,
            "k": manifest.k,
            "tables": tables,
            "runs": runs,
            "bytes": size,
            "bits_per_fingerprint": bits, // in all tables
            "generation": manifest.generation,
        }))?;
    } else {
        let tables = counted(tables as u64, "table");
        let lines = [
            ("set", format!("{} bits, k = {}, {tables}", manifest.bits, manifest.k)),
            ("fingerprints", format!("{} in {}", grouped(set.len()), counted(runs as u64, "run"))),
            ("on disk", format!("{}, {bits:.2} bits each", bytes(size))),
        ];
        lines.iter().try_for_each(|(name, text)| output.line(&format!("{name:<14} {text}")))?;
    }
    output.finish()?;
    Ok(Code::Done)
}

/// Checks a set.
pub(super) fn check(db: &Path, meter: &Meter, global: &Global) -> Result<CheckReport> {
    Ok(FingerprintSet::check(db, global.threads(), &mut *meter.watch(true))?)
}
