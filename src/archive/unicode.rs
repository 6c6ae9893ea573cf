//! Text in UTF-8 or UTF-16, with or without a byte order mark, as UTF-8 without one.

use std::io::{self, Cursor, ErrorKind, Read};

use super::source::{ByteOrigin, Source};

/// Bytes from which the encoding is detected.
const HEAD: usize = 16;
/// Bytes that are decoded at a time.
const PIECE: usize = 64 << 10;

/// The encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8 or a single-byte encoding, after this many bytes of a mark.
    Bytes { mark: usize },
    /// UTF-16, after this many bytes of a mark.
    Utf16 { is_big: bool, mark: usize },
    /// UTF-32, which hardly any program writes.
    Utf32,
}

impl Encoding {
    /// Detects the encoding from the first bytes of a text. Without a mark, it is UTF-16 if the first characters are in
    /// UTF-16 those of Latin-1, the first one of ASCII.
    pub(super) fn of(head: &[u8]) -> Self {
        match head {
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Self::Utf32,
            [0xff, 0xfe, ..] => return Self::Utf16 { is_big: false, mark: 2 },
            [0xfe, 0xff, ..] => return Self::Utf16 { is_big: true, mark: 2 },
            [0xef, 0xbb, 0xbf, ..] => return Self::Bytes { mark: 3 },
            _ => {}
        }
        let (units, _) = head[..head.len().min(8)].as_chunks::<2>();
        let is_utf16 = |is_big: bool| {
            let low = |unit: &[u8; 2]| {
                let [low, high] = if is_big { [unit[1], unit[0]] } else { *unit };
                (high == 0 && low != 0).then_some(low)
            };
            let is_ascii = |low: u8| matches!(low, b'\t' | b'\n' | b'\r' | b' '..=b'~');
            units.len() >= 2 && low(&units[0]).is_some_and(is_ascii) && units.iter().all(|unit| low(unit).is_some())
        };
        match [false, true].into_iter().find(|&is_big| is_utf16(is_big)) {
            Some(is_big) => Self::Utf16 { is_big, mark: 0 },
            None => Self::Bytes { mark: 0 },
        }
    }

    /// Returns whether the text is read as it is, except for its mark.
    pub(super) fn is_bytes(self) -> bool {
        matches!(self, Self::Bytes { .. })
    }
}

/// A text as UTF-8 without a byte order mark. Lone surrogates of UTF-16 become U+FFFD. Text in a single-byte encoding
/// stays what it is.
pub struct Utf8Reader<R> {
    read: io::Chain<Cursor<Vec<u8>>, R>,
    /// Decodes UTF-16; `None` if the bytes are passed on as they are.
    decoder: Option<Utf16>,
}

impl<R: Read> Utf8Reader<R> {
    /// Detects the encoding of a text.
    ///
    /// # Errors
    ///
    /// The text cannot be read, or it is UTF-32. Reading fails at the end of UTF-16 that ends inside a character.
    pub fn new(mut read: R) -> io::Result<Self> {
        let mut head = Vec::new();
        read.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let (mark, decoder) = match Encoding::of(&head) {
            Encoding::Bytes { mark } => (mark, None),
            Encoding::Utf16 { is_big, mark } => (mark, Some(Utf16 { is_big, ..Utf16::default() })),
            Encoding::Utf32 => {
                let why = "it is text in UTF-32: convert it with iconv -f UTF-32 -t UTF-8";
                return Err(io::Error::new(ErrorKind::InvalidData, why));
            }
        };
        head.drain(..mark);
        Ok(Self { read: Cursor::new(head).chain(read), decoder })
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(decoder) = &mut self.decoder else { return self.read.read(out) };
        if decoder.given == decoder.text.len() {
            decoder.fill(&mut self.read)?;
        }
        let len = out.len().min(decoder.text.len() - decoder.given);
        out[..len].copy_from_slice(&decoder.text[decoder.given..][..len]);
        decoder.given += len;
        Ok(len)
    }
}

/// Returns the source of the text of another one in UTF-8. Positions in it count the bytes of UTF-8.
pub(super) fn utf8_source(source: Source) -> io::Result<Source> {
    let size = source.size().unwrap_or(0);
    let counted = super::packed::Counted::new(source);
    let read = counted.counter();
    Ok(Source::unpacked(ByteOrigin::Forward(Box::new(Utf8Reader::new(counted)?)), read, size))
}

/// Decoder of UTF-16.
#[derive(Default)]
struct Utf16 {
    is_big: bool,
    /// Bytes that are not decoded yet: half a unit, or the first half of a character.
    held: Vec<u8>,
    /// Decoded text, of which a part was given.
    text: Vec<u8>,
    given: usize,
}

impl Utf16 {
    /// Decodes the next bytes into `text`, which stays empty at the end.
    fn fill(&mut self, from: &mut impl Read) -> io::Result<()> {
        self.text.clear();
        self.given = 0;
        while self.text.is_empty() {
            let read = from.by_ref().take(PIECE as u64).read_to_end(&mut self.held)?;
            let is_end = read == 0;
            let (units, rest) = self.held.as_chunks::<2>();
            if is_end && !rest.is_empty() {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "the text ends inside a character"));
            }
            let decode =
                |unit: &[u8; 2]| if self.is_big { u16::from_be_bytes(*unit) } else { u16::from_le_bytes(*unit) };
            // The second half of the last character may still come.
            let is_open = !is_end && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(&decode(unit)));
            let whole = units.len() - usize::from(is_open);
            let chars = char::decode_utf16(units[..whole].iter().map(decode));
            let text: String = chars.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
            self.text = text.into_bytes();
            self.held.drain(..2 * whole);
            if is_end {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<String> {
        io::read_to_string(Utf8Reader::new(bytes)?)
    }

    #[test]
    fn texts_of_all_encodings_are_the_same_text() {
        for text in ["one\ntwo\r\n", "ab", "Größe 日本 \u{1f600}\u{1f600}", "\u{feff}", ""] {
            let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
            let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
            let marked = format!("\u{feff}{text}");
            for bytes in [marked.clone().into_bytes(), little(&marked), big(&marked)] {
                assert_eq!(read(&bytes).expect("a text"), text);
            }
        }
        let long = format!("x{}", "\u{1f600}a".repeat(50_000));
        let bytes: Vec<u8> = format!("\u{feff}{long}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&bytes).expect("a text"), long, "a character across two pieces");
        assert_eq!(read(b"i\0d\0,\0x\0").expect("a text"), "id,x");
        assert_eq!(read(b"\0i\0d\0,\0x").expect("a text"), "id,x");
        assert_eq!(read(b"\xff\xfea\0\0\xd8b\0").expect("a text"), "a\u{fffd}b");
        assert_eq!(read(b"plain").expect("a text"), "plain");
    }

    #[test]
    fn what_is_cut_off_or_in_utf32_is_an_error() {
        assert_eq!(read(b"\xff\xfea\0b").expect_err("cut off").kind(), ErrorKind::UnexpectedEof);
        let error = read(b"\xff\xfe\0\0a\0\0\0").expect_err("UTF-32").to_string();
        assert!(error.contains("iconv"), "{error}");
    }
}
