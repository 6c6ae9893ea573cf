//! The digests of pages, by which exact duplicates are found.

use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use crate::sketch::min_hash::bytes_of;

/// Number of tokens, or of bytes of a text, that are hashed at once.
const HASHED: usize = 1 << 12;

/// Returns the XXH3-128 of the bytes of tokens. A long page is hashed part by part, because a copy of all its tokens
/// would take as much memory as the page.
pub(super) fn of_tokens(tokens: &[u64]) -> [u8; 16] {
    if tokens.len() <= HASHED {
        return xxh3_128(bytes_of(tokens).as_flattened()).to_be_bytes();
    }
    let mut hasher = Xxh3Default::new();
    tokens.chunks(HASHED).for_each(|part| hasher.update(bytes_of(part).as_flattened()));
    hasher.digest128().to_be_bytes()
}

/// Number of bytes of a text that are examined together.
const STRIDE: usize = 64;

/// Returns the XXH3-128 of the words of a text, each followed by a space. Words are separated by white space.
pub(super) fn of_text(text: &str) -> [u8; 16] {
    let mut hasher = Xxh3Default::new();
    let (mut words, mut size) = ([0; HASHED + STRIDE], 0);
    let (mut rest, mut after_space) = (text, true);
    while !rest.is_empty() {
        let (part, behind) = rest.split_at(rest.floor_char_boundary(STRIDE));
        rest = behind;
        if let Ok(bytes) = <&[u8; STRIDE]>::try_from(part.as_bytes())
            && is_folded(bytes, after_space)
        {
            words[size..size + STRIDE].copy_from_slice(bytes);
            size += STRIDE;
            after_space = bytes[STRIDE - 1] == b' ';
        } else if part.bytes().fold(false, |any, byte| any | may_begin_space(byte)) {
            for c in part.chars() {
                if c.is_whitespace() {
                    words[size] = b' ';
                    size += usize::from(!after_space);
                } else {
                    size += c.encode_utf8(&mut words[size..]).len();
                }
                after_space = c.is_whitespace();
            }
        } else {
            size += fold(part.as_bytes(), &mut words[size..size + STRIDE], &mut after_space);
        }
        if size > HASHED {
            hasher.update(&words[..size]);
            size = 0;
        }
    }
    hasher.update(&words[..size]);
    if !after_space {
        hasher.update(b" ");
    }
    hasher.digest128().to_be_bytes()
}

/// Returns whether the words of a part of a text have one space after each already, as in most texts.
fn is_folded(part: &[u8; STRIDE], after_space: bool) -> bool {
    // No branch per byte, so that the loop is vectorised.
    let mut before = [b' '; STRIDE];
    before[1..].copy_from_slice(&part[..STRIDE - 1]);
    before[0] = if after_space { b' ' } else { 0 };
    let is_other = |byte: u8| (byte.wrapping_sub(b'\t') < 5) | may_begin_space(byte);
    let pairs = before.iter().zip(part);
    !pairs.fold(false, |any, (&before, &byte)| any | is_other(byte) | ((before == b' ') & (byte == b' ')))
}

/// Copies a part of a text to `out` with one space for each run of ASCII white space, and none at the beginning after
/// a space. Returns the size of what it wrote.
fn fold(part: &[u8], out: &mut [u8], after_space: &mut bool) -> usize {
    // The loops have no branch per byte, so they are vectorised; branches at the ends of words could not be predicted.
    let is_space = |byte: u8| (byte == b' ') | (byte.wrapping_sub(b'\t') < 5);
    let out = &mut out[..part.len()];
    out.iter_mut().zip(part).for_each(|(out, &byte)| *out = if is_space(byte) { b' ' } else { byte });
    let pairs = out.iter().zip(&out[out.len().min(1)..]);
    let has_runs = pairs.fold(false, |any, (&byte, &next)| any | ((byte == b' ') & (next == b' ')));
    let goes_on = *after_space && out.first() == Some(&b' ');
    if !has_runs && !goes_on {
        *after_space = out.last().map_or(*after_space, |&byte| byte == b' ');
        return out.len();
    }
    let mut size = 0;
    for at in 0..out.len() {
        let byte = out[at];
        out[size] = byte;
        size += usize::from((byte != b' ') | !*after_space);
        *after_space = byte == b' ';
    }
    size
}

/// Returns whether a byte may begin white space that is not ASCII (U+0085 and U+00A0; U+1680; U+2000 to U+205F;
/// U+3000). The same bytes begin other characters, too.
fn may_begin_space(byte: u8) -> bool {
    (byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str) -> [u8; 16] {
        let words: String = text.split_whitespace().flat_map(|word| [word, " "]).collect();
        xxh3_128(words.as_bytes()).to_be_bytes()
    }

    #[test]
    fn white_space_is_that_of_the_standard_library() {
        for c in '\0'..=char::MAX {
            let text = format!("é{c}a{c}{c}");
            assert_eq!(of_text(&text), plain(&text), "{c:?}");
        }
    }

    #[test]
    fn long_texts_are_hashed_part_by_part() {
        for (word, count) in [("a ", 5000), ("b\u{a0}\n", 5000), ("é\u{3000}", 4000), ("c", 20_000), ("—", 9000)] {
            let text = word.repeat(count);
            assert_eq!(of_text(&text), plain(&text), "{word:?}");
        }
        let tokens: Vec<u64> = (0..10_000).collect();
        assert_eq!(of_tokens(&tokens), xxh3_128(bytes_of(&tokens).as_flattened()).to_be_bytes());
    }

    proptest! {
        #[test]
        fn a_digest_is_of_words_with_one_space_after_each(
            text in "([a-zé中 ]{0,80}|[a-z]{1,9} |  |[\\n\\t\u{a0}\u{2003}\u{3000}あ—]){0,60}",
        ) {
            prop_assert_eq!(of_text(&text), plain(&text));
        }
    }
}
