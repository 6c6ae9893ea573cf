//! Tables of short words, made when the program is compiled.

/// A word of at most sixteen bytes as a number; 0 means no word.
pub(crate) type ShortWord = u128;

/// The longest word, in bytes.
pub(crate) const WORD_MAX: usize = 16;

/// Returns a word as a number: its bytes with ASCII letters in lower case, the first one highest; 0 for a longer word.
#[inline]
pub(crate) const fn short_word(word: &[u8]) -> ShortWord {
    if word.len() > WORD_MAX {
        return 0;
    }
    let (mut number, mut at) = (0, 0);
    while at < word.len() {
        number = number << 8 | word[at].to_ascii_lowercase() as ShortWord;
        at += 1;
    }
    number
}

/// Returns the 64-bit hash of a word; its high bits are mixed best.
#[inline]
pub(crate) const fn hash_of(word: ShortWord) -> u64 {
    (word as u64 ^ (word >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A table of words and a value for each: open addressing, with more slots than words, a power of two.
pub(crate) struct WordTable<V, const SLOTS: usize> {
    words: [ShortWord; SLOTS],
    values: [V; SLOTS],
}

impl<V: Copy, const SLOTS: usize> WordTable<V, SLOTS> {
    /// Returns the table of groups of words; the words of a group are separated by single spaces and share a value.
    /// `none` is the value of all other words.
    pub(crate) const fn new(none: V, groups: &[(V, &str)]) -> Self {
        let mut table = WordTable { words: [0; SLOTS], values: [none; SLOTS] };
        let (mut group, mut count) = (0, 0);
        while group < groups.len() {
            let mut rest = groups[group].1.as_bytes();
            while !rest.is_empty() {
                let mut size = 0;
                while size < rest.len() && rest[size] != b' ' {
                    size += 1;
                }
                let (word, behind) = rest.split_at(size);
                assert!(size > 0 && size <= WORD_MAX);
                let slot = table.slot(short_word(word));
                assert!(table.words[slot] == 0, "a word is there twice");
                (table.words[slot], table.values[slot]) = (short_word(word), groups[group].0);
                count += 1;
                rest = if behind.is_empty() { behind } else { behind.split_at(1).1 };
            }
            group += 1;
        }
        assert!(SLOTS.is_power_of_two() && 2 * count <= SLOTS);
        table
    }

    /// Returns the value of a word.
    #[inline]
    pub(crate) const fn get(&self, word: ShortWord) -> V {
        self.values[self.slot(word)]
    }

    /// Returns the slot of a word, or the empty one where it would be.
    const fn slot(&self, word: ShortWord) -> usize {
        let mut slot = (hash_of(word) >> 32) as usize % SLOTS;
        while self.words[slot] != word && self.words[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_values_of_their_groups() {
        const GROUPS: [(u8, &str); 2] = [(1, "a main sixteen-letters-"), (2, "nav niam")];
        static TABLE: WordTable<u8, 16> = WordTable::new(0, &GROUPS);
        for (value, words) in GROUPS {
            for word in words.split(' ') {
                assert_eq!(TABLE.get(short_word(word.as_bytes())), value, "{word}");
            }
        }
        for word in ["", "b", "mai", "mainn", "\0main"] {
            let expected = u8::from(word == "\0main");
            assert_eq!(TABLE.get(short_word(word.as_bytes())), expected, "{word}");
        }
    }
}
