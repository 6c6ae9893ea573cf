//! UTF-8 that is damaged in places.

/// Returns whether bytes are UTF-8 except for a few bytes, which may be from another character set or half a character
/// at a cut.
///
/// A continuation byte has one of 64 of the 256 values, and occurs only within a character. In other character sets,
/// few letters look like continuation bytes in such places by chance.
pub(super) fn is_damaged(bytes: &[u8]) -> bool {
    let (mut continuing, mut malformed) = (0, 0);
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        continuing += chunk.valid().bytes().filter(|&byte| byte & 0xc0 == 0x80).count();
        let is_cut = chunks.peek().is_none() && is_beginning(chunk.invalid());
        malformed += usize::from(!chunk.invalid().is_empty() && !is_cut);
    }
    continuing > 0 && continuing >= 2 * malformed
}

/// Returns whether the bytes are the beginning of a character.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253};

    use super::*;

    #[test]
    fn a_few_stray_bytes_leave_it_what_it_is() {
        for text in ["naïve café", "“quoted”", "Все счастливые семьи", "日本語", "x’y"] {
            let bytes = text.as_bytes();
            assert!(is_damaged(bytes), "{text}");
            let first = text.char_indices().find(|(_, c)| !c.is_ascii());
            let whole = first.map_or(0, |(at, c)| at + c.len_utf8());
            for at in whole..bytes.len() {
                assert!(is_damaged(&bytes[..at]), "{text} cut at {at}");
            }
            let stray = [bytes, b" caf\xe9 "].concat();
            assert!(is_damaged(&stray), "{text}");
        }
    }

    #[test]
    fn texts_in_other_character_sets_are_not() {
        for (encoding, text) in [
            (WINDOWS_1252, "Straße, Fluß und „MENÜ“"),
            (WINDOWS_1252, "café"),
            (WINDOWS_1251, "Её ёлка и Ёж"),
            (KOI8_R, "Все счастливые семьи похожи"),
            (WINDOWS_1253, "Όλες οι ευτυχισμένες"),
            (GB18030, "吾十有五而志于学"),
            (BIG5, "國立臺灣大學"),
            (SHIFT_JIS, "吾輩は猫である。"),
            (EUC_JP, "吾輩は猫である。"),
            (EUC_KR, "모든 행복한 가정은"),
        ] {
            assert!(!is_damaged(&encoding.encode(text).0), "{} {text}", encoding.name());
        }
    }
}
