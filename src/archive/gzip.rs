//! Gzip, member by member, so that a damaged member is identified by its offset and costs only itself.

use std::io;

use flate2::{Decompress, FlushDecompress, Status};

use super::codec::{Begin, Fault, Progress};
use super::source::{LOOK, Source};

pub(super) const MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

/// Decoder of members. It reads header and checksum itself and uses flate2 only for the deflate stream, so that one
/// state can be reused for every member. A gzip decoder that reads the headers does not allow this.
pub(super) struct Gzip {
    inflate: Decompress,
    checksum: crc32fast::Hasher,
    len: u32,
}

impl Gzip {
    pub(super) fn new() -> Gzip {
        Gzip { inflate: Decompress::new(false), checksum: crc32fast::Hasher::new(), len: 0 }
    }

    fn reset(&mut self) {
        self.inflate.reset(false);
        self.checksum.reset();
        self.len = 0;
    }

    /// Skips a member's header. Zero bytes between members are padding, and are skipped, too.
    pub(super) fn begin(&mut self, source: &mut Source) -> io::Result<Begin> {
        loop {
            if source.fill(LOOK / 2)? == 0 {
                return Ok(Begin::End);
            }
            let zeros = source.available().iter().take_while(|&&b| b == 0).count();
            if zeros == 0 {
                break;
            }
            source.consume(zeros);
        }
        let available = source.available();
        let short = available.len() < LOOK / 2;
        if !(available.starts_with(&MAGIC) || short && MAGIC.starts_with(available)) {
            return Ok(Begin::Garbage);
        }
        match header_len(available) {
            Header::Len(len) => {
                let offset = source.offset();
                source.consume(len);
                self.reset();
                Ok(Begin::Started(offset))
            }
            Header::Incomplete if short => Ok(Begin::Fault(Fault::cut("gzip header cut off"))),
            Header::Incomplete => Ok(Begin::Fault(Fault::damage("gzip header longer than 64 KiB"))),
            Header::Bad => Ok(Begin::Fault(Fault::damage("gzip header with reserved flags"))),
        }
    }

    /// Decodes into `out`; at the member's end verifies its checksum and length.
    pub(super) fn decode(&mut self, source: &mut Source, out: &mut [u8]) -> io::Result<Result<Progress, Fault>> {
        let mut produced = 0;
        loop {
            if source.fill(1)? == 0 {
                return Ok(if produced > 0 {
                    Ok(Progress { produced, ended: false })
                } else {
                    Err(Fault::cut("gzip member cut off"))
                });
            }
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let result = self.inflate.decompress(source.available(), &mut out[produced..], FlushDecompress::None);
            let consumed = (self.inflate.total_in() - before_in) as usize;
            let written = (self.inflate.total_out() - before_out) as usize;
            source.consume(consumed);
            self.checksum.update(&out[produced..produced + written]);
            self.len = self.len.wrapping_add(written as u32);
            produced += written;
            match result {
                Err(_) => return Ok(Err(Fault::damage("gzip member does not decompress").after(produced))),
                Ok(Status::StreamEnd) => break,
                Ok(_) if produced == out.len() => return Ok(Ok(Progress { produced, ended: false })),
                Ok(_) if consumed == 0 && written == 0 => {
                    return Ok(Err(Fault::damage("gzip member does not decompress").after(produced)));
                }
                Ok(_) => {}
            }
        }
        if source.fill(8)? < 8 {
            return Ok(Err(Fault::cut("gzip member cut off before its checksum").after(produced)));
        }
        let trailer = source.available();
        let checksum = u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
        let len = u32::from_le_bytes([trailer[4], trailer[5], trailer[6], trailer[7]]);
        source.consume(8);
        if checksum != self.checksum.clone().finalize() || len != self.len {
            return Ok(Err(Fault::damage("gzip member with a wrong checksum").after(produced)));
        }
        Ok(Ok(Progress { produced, ended: true }))
    }

    /// Decodes the start of a possible member in `bytes`; returns the number of bytes written to `out`.
    pub(super) fn trial(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        let Header::Len(len) = header_len(bytes) else { return None };
        self.reset();
        let result = self.inflate.decompress(&bytes[len..], out, FlushDecompress::None);
        let written = self.inflate.total_out() as usize;
        (result.is_ok() || written == out.len()).then_some(written)
    }
}

enum Header {
    Len(usize),
    Incomplete,
    Bad,
}

/// Returns the size of a member's header (RFC 1952, 2.3).
fn header_len(bytes: &[u8]) -> Header {
    let (Some(&flags), true) = (bytes.get(3), bytes.len() >= 10) else { return Header::Incomplete };
    if !bytes.starts_with(&MAGIC) || flags & 0xe0 != 0 {
        return Header::Bad;
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let Some(&[low, high]) = bytes.get(at..at + 2) else { return Header::Incomplete };
        at += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let Some(len) = memchr::memchr(0, rest) else { return Header::Incomplete };
            at += len + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    if at <= bytes.len() { Header::Len(at) } else { Header::Incomplete }
}
