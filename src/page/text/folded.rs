//! Terms in the form in which they are compared: without differences that a reader does not see or that keyboards make.
//!
//! * Letters are in lower case (by Unicode's language-independent rules).
//! * Letters of Arabic script that keyboards of different languages exchange are equal: Arabic, Persian and Urdu yeh, kaf
//!   and heh, and alef with or without hamza. Vowel marks, tatweel and joiners are left out, which many texts omit.
//!   Arabic-Indic digits of both kinds are equal.
//! * Presentation forms, ligatures and wide letters are the letters that they stand for (Unicode's compatibility
//!   decomposition of U+FB00 to U+FFEF), as in text extracted from PDF.
//! * Minus signs and dashes that are terms are `-`; heavy check marks are the light ones; `≤`, `≥` and `≠` are `<=`, `>=`
//!   and `!=`.

use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use xxhash_rust::xxh3::xxh3_64;

use crate::text::letters::is_joiner;
use crate::text::short::ShortAscii;

const FORM_KC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();

/// Returns a term in the form in which it is compared.
pub fn folded(term: &str) -> String {
    let mut out = String::new();
    push_folded(&mut out, term);
    out
}

/// Appends a term in the form in which it is compared.
pub fn push_folded(out: &mut String, term: &str) {
    if term.is_ascii() {
        let from = out.len();
        out.push_str(term);
        out[from..].make_ascii_lowercase();
    } else if term.contains(is_special) {
        push_special(out, term);
    } else if term.contains('Σ') {
        // Sigma, the only letter whose lower case depends on its place in the word.
        out.push_str(&term.to_lowercase());
    } else {
        out.extend(term.chars().flat_map(char::to_lowercase));
    }
}

/// Returns whether more than the case of a character may change.
fn is_special(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{6ff}' | '\u{200c}' | '\u{200d}' | '\u{2010}'..='\u{2015}' | '\u{2212}'
        | '\u{2260}'..='\u{2265}' | '\u{2714}' | '\u{2718}' | '\u{fb00}'..='\u{ffef}')
}

fn push_special(out: &mut String, term: &str) {
    let has_forms = term.contains(|c| ('\u{fb00}'..='\u{ffef}').contains(&c));
    let lower = if has_forms { FORM_KC.normalize(term).to_lowercase() } else { term.to_lowercase() };
    let is_arabic = lower.contains(is_arabic);
    let from = out.len();
    for c in lower.chars() {
        match c {
            '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}' => {}
            _ if is_joiner(c) && is_arabic => {}
            'ي' | 'ى' => out.push('ی'),
            'ك' | 'ڪ' => out.push('ک'),
            'ہ' | 'ە' => out.push('ه'),
            'ۂ' | 'ۀ' => out.push('ۀ'),
            'أ' | 'إ' | 'ٱ' => out.push('ا'),
            '\u{660}'..='\u{669}' => out.extend(char::from_u32(c as u32 + 0x90)),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            '≤' => out.push_str("<="),
            '≥' => out.push_str(">="),
            '≠' => out.push_str("!="),
            '\u{2714}' => out.push('\u{2713}'),
            '\u{2718}' => out.push('\u{2717}'),
            _ => out.push(c),
        }
    }
    if out.len() == from {
        // The term is nothing but marks.
        out.push_str(term);
    }
}

fn is_arabic(c: char) -> bool {
    ('\u{600}'..='\u{6ff}').contains(&c)
}

/// Hasher of terms in the form in which they are compared: XXH3 (64 bits, seed 0).
#[derive(Debug, Default)]
pub(crate) struct FoldedHasher {
    term: String,
}

impl FoldedHasher {
    /// Returns the hash of the term in `text[from..to]`.
    #[inline]
    pub(crate) fn hash(&mut self, text: &str, from: usize, to: usize) -> u64 {
        match ShortAscii::at(text.as_bytes(), from, to) {
            Some(term) => xxh3_64(&term.lower().0[..to - from]),
            None => self.hash_of_any(&text[from..to]),
        }
    }

    fn hash_of_any(&mut self, term: &str) -> u64 {
        self.term.clear();
        push_folded(&mut self.term, term);
        xxh3_64(self.term.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_keyboards_and_extraction_change_is_equal() {
        for (one, other) in [
            ("ایرانی", "ايراني"),
            ("کتاب", "كتاب"),
            ("على", "علي"),
            ("ہے", "هے"),
            ("می\u{200c}خواهم", "میخواهم"),
            ("كتــاب", "كتاب"),
            ("كِتَابٌ", "كتاب"),
            ("أحمد", "احمد"),
            ("إسلام", "اسلام"),
            ("\u{661}\u{662}", "\u{6f1}\u{6f2}"),
            ("\u{fee1}\u{fefc}", "ملا"),
            ("o\u{fb03}ce", "office"),
            ("ＦＯＸ", "fox"),
            ("ｶﾀｶﾅ", "カタカナ"),
            ("\u{2212}", "-"),
            ("≤", "<="),
            ("\u{2714}", "✓"),
            ("ΣΟΦΟΣ", "σοφος"),
            ("STRASSE", "strasse"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
    }

    #[test]
    fn what_readers_tell_apart_stays_apart() {
        for (one, other) in [("آب", "اب"), ("مدرسة", "مدرسه"), ("بھ", "به"), ("✓", "✗"), ("ക\u{200d}", "ക"), ("٣", "3")]
        {
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
        assert_eq!(folded("\u{640}"), "\u{640}");
    }

    proptest! {
        #[test]
        fn no_term_becomes_empty_and_folding_twice_changes_nothing(term in "[\\PC\u{640}\u{64e}\u{200c}]{1,12}") {
            let once = folded(&term);
            prop_assert!(!once.is_empty());
            if !term.contains('Σ') && term.chars().all(|c| c.is_alphanumeric()) {
                prop_assert_eq!(folded(&once), once);
            }
        }
    }
}
