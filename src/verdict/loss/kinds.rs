//! Words that negate, and signs that say something.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::hashed::{HashBits, HashedWords};

/// Words that negate, in lower case. English words that end in "n't" negate, too.
const NEGATIONS: [&str; 151] = [
    "aldrig",
    "aucun",
    "aucune",
    "bez",
    "brez",
    "bukan",
    "cannot",
    "chẳng",
    "değil",
    "disabled",
    "ei",
    "eivät",
    "ekki",
    "except",
    "false",
    "fără",
    "geen",
    "hiçbir",
    "ikke",
    "inga",
    "ingen",
    "inget",
    "inte",
    "jamais",
    "kein",
    "keine",
    "keinem",
    "keinen",
    "keiner",
    "keines",
    "không",
    "mai",
    "ne",
    "neither",
    "nem",
    "nenhum",
    "nenhuma",
    "nessun",
    "nessuna",
    "nessuno",
    "never",
    "ni",
    "nicht",
    "nichts",
    "niciodată",
    "niciun",
    "nie",
    "niemals",
    "niemand",
    "niet",
    "nije",
    "nikad",
    "nikdy",
    "nincs",
    "ninguna",
    "ninguno",
    "ningún",
    "no",
    "nobody",
    "non",
    "none",
    "nooit",
    "nor",
    "not",
    "nothing",
    "nu",
    "nunca",
    "não",
    "off",
    "ohne",
    "pas",
    "rien",
    "sans",
    "sem",
    "senza",
    "sin",
    "tanpa",
    "tidak",
    "uden",
    "unless",
    "utan",
    "weder",
    "without",
    "yok",
    "zonder",
    "δεν",
    "μη",
    "χωρίς",
    "без",
    "не",
    "нема",
    "немає",
    "нет",
    "ни",
    "никогда",
    "няма",
    "ніколи",
    "אין",
    "לא",
    "ללא",
    "بدون",
    "غير",
    "لا",
    "لم",
    "لن",
    "ليس",
    "نه",
    "نہیں",
    "न",
    "नहीं",
    "बिना",
    "मत",
    "อย่า",
    "ไม่",
    "☐",
    "☒",
    "⬜",
    "✖",
    "✗",
    "✘",
    "❌",
    "ず",
    "ない",
    "なし",
    "ぬ",
    "ません",
    "不",
    "不会",
    "不可",
    "不得",
    "不是",
    "不會",
    "不能",
    "勿",
    "无",
    "未",
    "沒",
    "沒有",
    "没",
    "没有",
    "無",
    "莫",
    "非",
    "아니",
    "안",
    "않",
    "않는",
    "않다",
    "없",
    "없는",
    "없다",
];

static NEGATING: LazyLock<HashedWords> =
    LazyLock::new(|| NEGATIONS.iter().map(|word| xxh3_64(word.as_bytes())).collect());

/// A bit of each of these, so that most words are not looked up.
static NEGATING_BITS: LazyLock<HashBits> = LazyLock::new(|| NEGATING.iter().collect());

/// Returns whether a word or signs as they are compared negate, given their hash, too. A cross is a negated tick, an
/// empty box one that is not ticked, and a relation may be struck out.
pub(super) fn is_negation(word: &str, hash: u64) -> bool {
    is_listed_negation(hash) || word.ends_with("n't") || word.contains("!=") || word.contains(STRUCK_OUT)
}

/// Relations that are struck out, and the sign of negation.
const STRUCK_OUT: [char; 20] =
    ['¬', '∄', '∉', '∌', '∤', '∦', '≁', '≄', '≇', '≉', '≢', '≮', '≯', '≰', '≱', '⊄', '⊅', '⊈', '⊬', '⊭'];

/// Returns whether a word without an apostrophe negates, given its hash.
pub(super) fn is_listed_negation(hash: u64) -> bool {
    NEGATING_BITS.may_have(hash) && NEGATING.contains(&hash)
}

/// Returns whether a character says something: it is no letter, no space and no typography. Typography is quotation
/// marks, brackets, punctuation of sentences, dashes, bullets and decoration.
pub(super) fn is_sign(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => is_ascii_sign(c as u8),
        // Inverted and low quotation marks, soft hyphens, middle dots, ordinal and copyright marks.
        '\u{80}'..='\u{ff}' => matches!(c, '¢' | '£' | '¤' | '¥' | '¬' | '°' | '±' | '×' | '÷' | '§'),
        '\u{2e5}'..='\u{2e9}' => true,
        // Marks above the base line, and combining marks, belong to words.
        '\u{2b0}'..='\u{36f}' => false,
        // General punctuation: dashes, quotation marks, bullets, spaces; per mille is a sign.
        '\u{2000}'..='\u{206f}' => matches!(c, '‰' | '‱'),
        // Letterlike symbols: trade marks.
        '\u{2117}' | '\u{2120}' | '\u{2122}' => false,
        // Box drawing: rules and borders.
        '\u{2500}'..='\u{257f}' => false,
        '\u{20a0}'..='\u{20cf}' | '\u{2100}'..='\u{214f}' | '\u{2190}'..='\u{2bff}' => true,
        '\u{1f000}'..='\u{1faff}' => true,
        _ => false,
    }
}

/// The same for a byte of ASCII.
pub(super) const fn is_ascii_sign(byte: u8) -> bool {
    matches!(byte, b'#' | b'$' | b'%' | b'&' | b'*' | b'+' | b'<' | b'=' | b'>' | b'@' | b'\\' | b'^')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negations_are_found_in_their_list() {
        let is_negation = |word: &str| is_negation(word, xxh3_64(word.as_bytes()));
        for word in ["not", "don't", "cannot", "nicht", "без", "不", "✗", "☐", "¬", "!=", "∉"] {
            assert!(is_negation(word), "{word}");
        }
        for word in ["note", "knot", "ton", "✓", ""] {
            assert!(!is_negation(word), "{word}");
        }
    }

    #[test]
    fn signs_are_no_typography() {
        for c in "+<=>#%&€✓✗→≤§■▲˥🇩".chars() {
            assert!(is_sign(c), "{c}");
        }
        for c in ".,;:!?'\"()[]{}-–—•·…“”«»©®™│\u{a0}".chars() {
            assert!(!is_sign(c), "{c}");
        }
    }
}
