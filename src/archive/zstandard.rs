//! Zstd, frame by frame, with the dictionary at the beginning of a `.warc.zst` file.

use std::io;

use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, get_dict_id_from_frame, get_error_name};

use super::codec::{Begin, Fault, Progress};
use super::limits::Limits;
use super::source::{LOOK, Source};

pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// Returns whether bytes begin a skippable frame: magic 0x184D2A50 to 0x184D2A5F.
pub(super) fn is_skippable(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Decoder of frames.
pub(super) struct Zstd {
    context: DCtx<'static>,
    has_dictionary: bool,
    trial_context: DCtx<'static>,
}

impl Zstd {
    pub(super) fn new(limits: &Limits) -> Zstd {
        let context = || {
            let mut context = DCtx::create();
            // The logarithm is clamped to the range of zstd; if zstd refused it, zstd's own limit of 2^27 would hold.
            let _ = context.set_parameter(DParameter::WindowLogMax(limits.zstd_window_log()));
            context
        };
        Zstd { context: context(), has_dictionary: false, trial_context: context() }
    }

    /// Reads the dictionary in the first frame, if there is one: raw, or itself compressed with zstd.
    pub(super) fn read_dictionary(
        &mut self,
        source: &mut Source,
        limits: &Limits,
    ) -> io::Result<Result<(), &'static str>> {
        source.fill(8)?;
        let head = source.available();
        if head.len() < 8 || head[..4] != DICTIONARY_MAGIC {
            return Ok(Ok(()));
        }
        let len = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        if len > limits.dictionary {
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
        if dictionary.starts_with(&MAGIC) {
            let Some(unpacked) = self.unpack(&dictionary, limits.dictionary) else {
                return Ok(Err("it does not decompress, or is larger than the limit"));
            };
            dictionary = unpacked;
        }
        if self.context.load_dictionary(&dictionary).is_err()
            || self.trial_context.load_dictionary(&dictionary).is_err()
        {
            return Ok(Err("zstd refuses it"));
        }
        self.has_dictionary = true;
        Ok(Ok(()))
    }

    fn unpack(&mut self, packed: &[u8], limit: usize) -> Option<Vec<u8>> {
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
        Ok(wanted.filter(|_| !self.has_dictionary))
    }

    /// Skips to the next frame, over skippable ones.
    pub(super) fn begin(&mut self, source: &mut Source) -> io::Result<Begin> {
        loop {
            if source.fill(LOOK / 2)? == 0 {
                return Ok(Begin::End);
            }
            let available = source.available();
            if available.starts_with(&MAGIC) {
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
            if source.size().is_some_and(|size| end > size) {
                return Ok(Begin::Fault(Fault::cut("skippable zstd frame cut off")));
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
