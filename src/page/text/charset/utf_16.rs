//! UTF-16 without a byte order mark.
//!
//! One byte of a UTF-16 character identifies its block, and most characters of a text are from few blocks. The position
//! of this byte shows the byte order.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// Number of bytes that are examined.
const REACH: usize = 2048;

/// Returns the byte order of a text in UTF-16 that is mostly from the blocks of alphabets (U+0000 to U+1FFF, which
/// include ASCII): half of the bytes at even or at odd positions are below 0x20, as in no other text.
pub(super) fn of_letters(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = &bytes[..bytes.len().min(REACH)];
    // Most texts have no such byte at all. No branch per byte, so that the loop is vectorised.
    if !bytes.iter().fold(false, |any, &byte| any | is_rare(byte)) {
        return None;
    }
    let (units, _) = bytes.as_chunks::<2>();
    let (mut low, mut rare) = ([0; 2], [0; 2]);
    for unit in units {
        for (parity, &byte) in unit.iter().enumerate() {
            low[parity] += usize::from(byte < 0x20);
            rare[parity] += usize::from(is_rare(byte));
        }
    }
    let has_blocks = |high: usize| {
        2 * low[high] > units.len() && 16 * rare[high] >= units.len() && low[high] > low[1 - high] && units.len() > 1
    };
    [UTF_16BE, UTF_16LE].into_iter().zip(0..).find(|&(_, high)| has_blocks(high)).map(|(encoding, _)| encoding)
}

/// Returns whether a byte is below 0x20 and no line end or tabulator: in a list of single letters, every second byte may
/// be one of these.
fn is_rare(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
}

/// Returns the byte order of a text in UTF-16 of Han, Kana or Hangul, which is neither ASCII nor UTF-8.
///
/// Nearly all characters must be from these blocks, and some must be punctuation or ASCII. Otherwise bytes in Shift JIS
/// would pass as Han characters, and bytes in GBK as Korean syllables.
pub(super) fn of_ideographs(bytes: &[u8]) -> Option<&'static Encoding> {
    let (units, _) = bytes[..bytes.len().min(REACH)].as_chunks::<2>();
    let fits = |read: fn([u8; 2]) -> u16| {
        let units = units.iter().map(|&unit| read(unit));
        let (mut han, mut hangul, mut marks, mut ascii) = (0, 0, 0, 0);
        for unit in units.clone() {
            match unit {
                0x3400..=0x4dbf | 0x4e00..=0x9fff => han += 1,
                0xac00..=0xd7a3 => hangul += 1,
                0x3000..=0x30ff | 0xff00..=0xffef | 0x2010..=0x2026 => marks += 1,
                0x0009 | 0x000a | 0x000d | 0x0020..=0x007e => ascii += 1,
                _ => {}
            }
        }
        // In UTF-16, ASCII has zero bytes, which no other character set has.
        let hangul = if ascii > 0 { hangul } else { 0 };
        let len = units.len();
        len > 1
            && 16 * (len - (han + hangul + marks + ascii)) <= len
            && 64 * (marks + ascii) >= len
            && marks + ascii > 0
    };
    match (fits(u16::from_be_bytes), fits(u16::from_le_bytes)) {
        (true, false) => Some(UTF_16BE),
        (false, true) => Some(UTF_16LE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    fn found(bytes: &[u8]) -> Option<&'static Encoding> {
        of_letters(bytes).or_else(|| of_ideographs(bytes))
    }

    fn both(text: &str) -> [(Vec<u8>, &'static Encoding); 2] {
        [
            (text.encode_utf16().flat_map(u16::to_be_bytes).collect(), UTF_16BE),
            (text.encode_utf16().flat_map(u16::to_le_bytes).collect(), UTF_16LE),
        ]
    }

    /// Texts in many scripts, with spaces and without.
    const TEXTS: [&str; 13] = [
        "The old mill stands by the river.",
        "hi!",
        "Château d’eau – où l’été s’achève",
        "Все счастливые семьи похожи друг на друга",
        "Όλες οι ευτυχισμένες οικογένειες",
        "كل العائلات السعيدة تتشابه",
        "सुखी परिवार सब एक जैसे होते हैं",
        "ครอบครัวที่มีความสุขทุกครอบครัวเหมือนกัน",
        "ყველა ბედნიერი ოჯახი ერთმანეთს ჰგავს",
        "幸福的家庭都是相似的,不幸的家庭各有各的不幸。",
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
        "모든 행복한 가정은 서로 닮았다\n",
        "<!DOCTYPE html><html lang=zh><p>幸福的家庭都是相似的</p>",
    ];

    #[test]
    fn both_byte_orders_are_recognised_in_many_scripts() {
        for text in TEXTS {
            for (bytes, encoding) in both(text) {
                assert_eq!(found(&bytes), Some(encoding), "{text}");
                assert_eq!(found(&bytes[..bytes.len() - 1]), Some(encoding), "{text} cut");
            }
        }
    }

    #[test]
    fn other_character_sets_are_not_taken_for_it() {
        for text in TEXTS {
            assert_eq!(found(text.as_bytes()), None, "{text}");
        }
        for (encoding, text) in [
            (WINDOWS_1252, "Château d’eau – où l’été s’achève"),
            (WINDOWS_1251, "Все счастливые семьи похожи друг на друга"),
            (KOI8_R, "Все счастливые семьи похожи друг на друга"),
            (GB18030, "幸福的家庭都是相似的,不幸的家庭各有各的不幸。2004年"),
            (GB18030, "幸福的家庭都是相似的"),
            (BIG5, "國立臺灣大學校總區"),
            (SHIFT_JIS, "吾輩は猫である。名前はまだ無い。"),
            (SHIFT_JIS, "幸福家庭相似不幸家庭各不幸"),
            (EUC_JP, "吾輩は猫である。名前はまだ無い。"),
            (EUC_KR, "모든 행복한 가정은 서로 닮았다"),
        ] {
            for at in 0..2 {
                assert_eq!(found(&encoding.encode(text).0[at..]), None, "{} {text}", encoding.name());
            }
        }
        let lists =
            ["a\nb\nc\nd\n", "\t\t\t\n\t\t\t\n", "A\tB\tC\tD\t", "x\u{8}xy\u{8}y", "a\0b", "Bush hid the facts"];
        for text in lists {
            assert_eq!(found(text.as_bytes()), None, "{text:?}");
        }
    }
}
