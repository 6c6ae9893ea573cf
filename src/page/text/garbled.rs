//! Texts with characters that stand for others, which are lost or have to be restored (SPEC 9.3).

use crate::text::entities::decode_attribute;

/// Returns whether a text has characters that stand for others: replacement characters, UTF-8 that was read as Latin-1,
/// question marks and boxes in place of letters, or references of HTML that are shown as such.
pub(crate) fn is_garbled(text: &str) -> bool {
    let is_suspect = |word: &&str| word.bytes().any(|byte| !byte.is_ascii() || matches!(byte, b'?' | b'&'));
    text.split_ascii_whitespace().filter(is_suspect).any(|word| is_garbled_word(word) || has_reference(word))
}

fn has_reference(word: &str) -> bool {
    let is_code = |code: &str| !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |name: &str| {
        let reference = format!("&{name};");
        name.bytes().all(|byte| byte.is_ascii_alphanumeric()) && decode_attribute(&reference) != reference
    };
    let mut names = word.split('&').skip(1).filter_map(|reference| Some(reference.split_once(';')?.0));
    names.any(|name| is_name(name) || name.strip_prefix('#').is_some_and(is_code))
}

fn is_garbled_word(word: &str) -> bool {
    let is_address = || word.contains(['/', '=', '&', ':', '.', '@']);
    let mut before = [' '; 2];
    for c in word.chars() {
        let found = match (before, c) {
            (_, '\u{fffd}' | '\u{80}'..='\u{9f}') | ([_, 'â'], '€') | ([_, 'ï'], '¿') => true,
            ([_, 'Â' | 'Ã' | 'Ð' | 'Ñ'], '\u{a0}'..='\u{bf}') => !matches!(c, '«' | '»'),
            ([_, letter], '□' | '‚' | '„' | '\u{e000}'..='\u{f8ff}') => letter.is_lowercase(),
            ([letter, '?'], c) => letter.is_lowercase() && c.is_lowercase() && !is_address(),
            _ => false,
        };
        if found {
            return true;
        }
        before = [before[1], c];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_stand_for_others_are_found() {
        for text in [
            "a caf\u{fffd}",
            "na\u{ef}\u{bf}\u{bd}ve",
            "caf\u{85}",
            "cafÃ© au lait",
            "itâ€™s",
            "5Â°",
            "Ð¿Ñ€Ð¸",
            "d?ja vu",
            "R&amp;D",
            "it&#8217;s",
            "caf&eacute;",
            "caf□ or na\u{e000}ve",
            "d‚j. vu",
        ] {
            assert!(is_garbled(text), "{text}");
        }
        for text in [
            "a café",
            "Really? Yes.",
            "«VOILÀ», «IRMû",
            "read /a?b or x.org?y",
            "ESPAÑA",
            "20 €, 5°",
            "what?No",
            "R&D; a && b &c;",
            "done: □ yes ‚so‘ \u{f101} Home",
        ] {
            assert!(!is_garbled(text), "{text}");
        }
    }
}
