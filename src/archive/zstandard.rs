//! Zstd, frame by frame, with the dictionary at the beginning of a `.warc.zst` file.
//!
//! If such files were concatenated, each dictionary holds for the frames up to the next one. A frame that is read by
//! its position names its dictionary by id, and that is searched in the file before it.

use std::io;

use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, get_dict_id_from_frame, get_error_name};

use super::codec::{Begin, Fault, Progress};
use super::entry::Reason;
use super::limits::Limits;
use super::source::{LOOK, Source};

/// The first bytes of a dictionary.
const DICTIONARY_CONTENT: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];
/// Bytes of dictionaries that are read in the middle of a file, in addition to 16 times the bytes before.
const DICTIONARIES_FREE: u64 = 256 << 20;

pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// Returns whether bytes begin a skippable frame: magic 0x184D2A50 to 0x184D2A5F.
pub(super) fn is_skippable(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Returns whether bytes begin a frame with a dictionary as the standard of `.warc.zst` demands it: with its magic
/// number, or compressed.
fn is_dictionary(bytes: &[u8]) -> bool {
    let content = bytes.get(8..12);
    bytes.starts_with(&DICTIONARY_MAGIC) && content.is_some_and(|start| start == DICTIONARY_CONTENT || start == MAGIC)
}

/// Returns the id of a dictionary, 0 if it has none.
fn id_of(dictionary: &[u8]) -> u32 {
    match dictionary {
        [a, b, c, d, rest @ ..] if [*a, *b, *c, *d] == DICTIONARY_CONTENT => {
            rest.first_chunk().map_or(0, |id| u32::from_le_bytes(*id))
        }
        _ => 0,
    }
}

/// Returns the window that a frame asks for, from its header. The window of a frame may be its content.
fn window_of(frame: &[u8]) -> u64 {
    match frame {
        [_, _, _, _, descriptor, window, ..] if descriptor & 0x20 == 0 => {
            let base = 1_u64 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        }
        // The size of the content, in a field of a size that the descriptor tells, after the id of the dictionary.
        [_, _, _, _, descriptor, rest @ ..] if descriptor & 0x20 != 0 => {
            let id = [0, 1, 2, 4][usize::from(descriptor & 3)];
            let (size, more) = [(1, 0), (2, 256), (4, 0), (8, 0)][usize::from(descriptor >> 6)];
            let size = rest.get(id..id + size).unwrap_or_default();
            size.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte)) + more
        }
        _ => 0,
    }
}

/// Names the window that a frame needs, which is larger than the limit.
fn needed(window: u64) -> &'static str {
    match window.next_power_of_two() {
        ..=0x800_0000 => "it needs a zstd window beyond the limit max-window",
        0x1000_0000 => "it needs a zstd window of 256 MiB: load it again with the limit max-window 256M",
        0x2000_0000 => "it needs a zstd window of 512 MiB: load it again with the limit max-window 512M",
        0x4000_0000 => "it needs a zstd window of 1 GiB: load it again with the limit max-window 1G",
        0x8000_0000 => "it needs a zstd window of 2 GiB: load it again with the limit max-window 2G",
        _ => "it needs a zstd window of more than 2 GiB: decompress it with zstd --ultra --long=31",
    }
}

/// Decoder of frames.
pub(super) struct Zstd {
    context: DCtx<'static>,
    trial_context: DCtx<'static>,
    /// Size limit of a dictionary.
    limit: usize,
    /// Size limit of a window.
    window_max: u64,
    /// The window of the frame that is being decoded, and the number of bytes that were decoded of it.
    window: u64,
    decoded: u64,
    /// Id of the dictionary in use, 0 if it has no id; `None` without a dictionary.
    dictionary: Option<u32>,
    /// Ids and offsets of the dictionaries found so far.
    known: Vec<(u32, u64)>,
    /// The offset up to which the file was searched for dictionaries.
    searched: u64,
    /// Bytes of dictionaries read.
    spent: u64,
}

impl Zstd {
    pub(super) fn new(limits: &Limits) -> Zstd {
        let context = || {
            let mut context = DCtx::create();
            // zstd takes memory for the content that it decodes, up to the window, and `decode` counts the content. If
            // zstd refused the parameter, its own limit of 2^27 would hold.
            let _ = context.set_parameter(DParameter::WindowLogMax(Limits::WINDOW_MAX.ilog2()));
            context
        };
        Zstd {
            context: context(),
            trial_context: context(),
            limit: limits.dictionary,
            window_max: limits.zstd_window,
            window: 0,
            decoded: 0,
            dictionary: None,
            known: Vec::new(),
            searched: 0,
            spent: 0,
        }
    }

    /// Reads the dictionary in the frame that begins here, if there is one: raw, or itself compressed with zstd. Uses it
    /// from here on.
    pub(super) fn read_dictionary(&mut self, source: &mut Source) -> io::Result<Result<(), &'static str>> {
        source.fill(8)?;
        let at = source.offset();
        if !source.available().starts_with(&DICTIONARY_MAGIC) {
            return Ok(Ok(()));
        }
        let dictionary = match self.dictionary_here(source)? {
            Ok(dictionary) => dictionary,
            Err(rule) => return Ok(Err(rule)),
        };
        if at > 0 && !dictionary.starts_with(&DICTIONARY_CONTENT) {
            return Ok(Err("it has no magic number"));
        }
        for context in [&mut self.context, &mut self.trial_context] {
            if context.reset(ResetDirective::SessionOnly).is_err() || context.load_dictionary(&dictionary).is_err() {
                return Ok(Err("zstd refuses it"));
            }
        }
        let id = id_of(&dictionary);
        self.dictionary = Some(id);
        self.know(id, at);
        Ok(Ok(()))
    }

    /// Reads the bytes of the dictionary in the frame that begins here.
    fn dictionary_here(&mut self, source: &mut Source) -> io::Result<Result<Vec<u8>, &'static str>> {
        source.fill(8)?;
        let Some(&[a, b, c, d]) = source.available().get(4..8) else { return Ok(Err("the file ends inside it")) };
        let len = u32::from_le_bytes([a, b, c, d]) as usize;
        if len > self.limit {
            return Ok(Err("it is larger than the limit"));
        }
        source.consume(8);
        let mut dictionary = Vec::new();
        while dictionary.len() < len {
            let have = source.fill(1)?;
            if have == 0 {
                return Ok(Err("the file ends inside it"));
            }
            let step = have.min(len - dictionary.len());
            dictionary.extend_from_slice(&source.available()[..step]);
            source.consume(step);
        }
        self.spent += len as u64;
        if dictionary.starts_with(&MAGIC) {
            let unpacked = self.unpack(&dictionary, self.limit);
            self.spent += unpacked.as_ref().map_or(self.limit, Vec::len) as u64;
            let Some(unpacked) = unpacked else {
                return Ok(Err("it does not decompress, or is larger than the limit"));
            };
            dictionary = unpacked;
        }
        Ok(Ok(dictionary))
    }

    fn know(&mut self, id: u32, at: u64) {
        if id != 0 && self.known.iter().all(|known| *known != (id, at)) {
            self.known.push((id, at));
        }
    }

    /// Returns whether another dictionary may be read at this offset of the file: hostile files have many.
    fn may_read(&self, offset: u64) -> bool {
        self.spent <= DICTIONARIES_FREE.saturating_add(offset.saturating_mul(16))
    }

    /// Uses the dictionary of this id, if one is before the frame that begins here; stays here.
    fn use_dictionary(&mut self, source: &mut Source, id: u32) -> io::Result<()> {
        let here = source.offset();
        if source.size().is_none() {
            return Ok(());
        }
        if self.known.iter().all(|(known, _)| *known != id) {
            self.search(source, here)?;
        }
        let last = self.known.iter().rev().find(|(known, at)| *known == id && *at < here);
        if let Some(&(_, at)) = last.filter(|_| self.may_read(here)) {
            source.seek(at)?;
            // If it cannot be used, the frame cannot be decoded.
            let _ = self.read_dictionary(source)?;
        }
        source.seek(here)?;
        Ok(())
    }

    /// Searches the part of the file before an offset that was not searched yet for dictionaries.
    fn search(&mut self, source: &mut Source, end: u64) -> io::Result<()> {
        source.seek(self.searched.min(end))?;
        while source.offset() < end {
            let have = source.fill(LOOK)?;
            match memchr::memmem::find(source.available(), &DICTIONARY_MAGIC) {
                Some(at) => {
                    source.consume(at);
                    let found = source.offset();
                    source.fill(12)?;
                    if found < end && is_dictionary(source.available()) && self.may_read(end) {
                        if let Ok(dictionary) = self.dictionary_here(source)? {
                            self.know(id_of(&dictionary), found);
                        }
                        source.seek(found)?;
                    }
                    source.consume(1);
                }
                None if have < DICTIONARY_MAGIC.len() => break,
                None => source.consume(have - (DICTIONARY_MAGIC.len() - 1)),
            }
        }
        self.searched = self.searched.max(end);
        Ok(())
    }

    fn unpack(&mut self, packed: &[u8], limit: usize) -> Option<Vec<u8>> {
        self.context.reset(ResetDirective::SessionOnly).ok()?;
        let mut input = InBuffer::around(packed);
        let mut unpacked = Vec::new();
        let mut chunk = vec![0; 64 << 10];
        loop {
            let before = input.pos;
            let mut output = OutBuffer::around(&mut chunk[..]);
            let hint = self.context.decompress_stream(&mut output, &mut input).ok()?;
            let produced = output.pos();
            unpacked.extend_from_slice(&chunk[..produced]);
            if unpacked.len() > limit {
                return None;
            }
            if hint == 0 {
                return Some(unpacked);
            }
            if produced == 0 && input.pos == before {
                return None;
            }
        }
    }

    /// Returns the id of the dictionary that the next frame needs and the file lacks.
    pub(super) fn missing_dictionary(&self, source: &mut Source) -> io::Result<Option<u32>> {
        source.fill(32)?;
        let wanted = get_dict_id_from_frame(source.available()).map(|id| id.get());
        Ok(wanted.filter(|_| self.dictionary.is_none()))
    }

    /// Skips to the next frame, over skippable ones.
    pub(super) fn begin(&mut self, source: &mut Source) -> io::Result<Begin> {
        loop {
            if source.fill(LOOK / 2)? == 0 {
                return Ok(Begin::End);
            }
            let available = source.available();
            if available.starts_with(&MAGIC) {
                let wanted = get_dict_id_from_frame(available).map(|id| id.get());
                (self.window, self.decoded) = (window_of(available), 0);
                if let Some(id) = wanted.filter(|id| self.dictionary != Some(*id)) {
                    self.use_dictionary(source, id)?;
                }
                if self.context.reset(ResetDirective::SessionOnly).is_err() {
                    return Ok(Begin::Fault(Fault::damage("zstd cannot start a frame")));
                }
                return Ok(Begin::Started(source.offset()));
            }
            if !is_skippable(available) {
                let cut = available.len() < 4 && MAGIC.starts_with(available);
                return Ok(if cut { Begin::Fault(Fault::cut("zstd frame cut off")) } else { Begin::Garbage });
            }
            let Some(&[a, b, c, d]) = available.get(4..8) else {
                return Ok(Begin::Fault(Fault::cut("skippable zstd frame cut off")));
            };
            let end = source.offset() + 8 + u64::from(u32::from_le_bytes([a, b, c, d]));
            // What follows would be lost with a frame that ends nowhere.
            source.fill(LOOK)?;
            if source.end().is_some_and(|last| end > last) {
                return Ok(Begin::Fault(Fault::cut("skippable zstd frame cut off")));
            }
            if is_dictionary(source.available()) && self.may_read(source.offset()) {
                // A frame that looks like a dictionary and is none is skipped.
                let _ = self.read_dictionary(source)?;
            }
            if !source.seek(end)? || source.offset() < end {
                return Ok(Begin::Fault(Fault::cut("skippable zstd frame cut off")));
            }
        }
    }

    /// Decodes into `out`.
    pub(super) fn decode(&mut self, source: &mut Source, out: &mut [u8]) -> io::Result<Result<Progress, Fault>> {
        let mut produced = 0;
        loop {
            // With the whole input consumed, zstd may still hold output back.
            let have = source.fill(1)?;
            let mut input = InBuffer::around(source.available());
            let mut output = OutBuffer::around(&mut out[produced..]);
            let result = self.context.decompress_stream(&mut output, &mut input);
            let (consumed, written) = (input.pos, output.pos());
            source.consume(consumed);
            produced += written;
            self.decoded += written as u64;
            if self.window > self.window_max && self.decoded > self.window_max {
                let fault = Fault { reason: Reason::WindowLimit, detail: needed(self.window), produced };
                return Ok(Err(fault));
            }
            match result {
                Err(code) => return Ok(Err(Fault::damage(get_error_name(code)).after(produced))),
                Ok(0) => return Ok(Ok(Progress { produced, ended: true })),
                Ok(_) if produced == out.len() => return Ok(Ok(Progress { produced, ended: false })),
                Ok(_) if consumed == 0 && written == 0 => {
                    if produced > 0 && have == 0 {
                        return Ok(Ok(Progress { produced, ended: false }));
                    }
                    let fault = if have == 0 {
                        Fault::cut("zstd frame cut off")
                    } else {
                        Fault::damage("zstd frame does not decompress")
                    };
                    return Ok(Err(fault.after(produced)));
                }
                Ok(_) => {}
            }
        }
    }

    /// Decodes the start of a possible frame in `bytes`; returns the number of bytes written to `out`.
    pub(super) fn trial(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        self.trial_context.reset(ResetDirective::SessionOnly).ok()?;
        let mut input = InBuffer::around(bytes);
        let mut filled = 0;
        while filled < out.len() {
            let before = (input.pos, filled);
            let mut output = OutBuffer::around(&mut out[filled..]);
            let hint = self.trial_context.decompress_stream(&mut output, &mut input).ok()?;
            filled += output.pos();
            if hint == 0 || before == (input.pos, filled) {
                break;
            }
        }
        Some(filled)
    }
}
