//! The comparison of a text to be removed with the one that is kept.

use std::ops::Range;

use super::alignment::{Alignment, Texts};
use super::hashed::ByHash;
use super::words::{WordKinds, Words};

/// Greatest number of words between two lost words that belong to one passage.
const GAP: usize = 3;

/// Number of lost places in the content of a lost word of the title from which on the text is about it; a short text is
/// with fewer, one in this number of words.
const OFTEN: usize = 3;
const ABOUT: usize = 200;
/// Greatest number of places where such a word is kept, for each place where it is lost.
const KEPT: usize = 2;

/// What one of two texts has and the other lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Of the whole text.
    pub whole: PartLoss,
    /// Of the content alone, with the title.
    pub content: PartLoss,
    /// The lost words of each kind, in the whole text.
    pub kinds: Kinds,
    /// The lost passages, as indexes of words: runs of lost words.
    pub passages: Vec<Range<usize>>,
}

/// The words of a text or a part of it, and the lost ones among them. Signs count as words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartLoss {
    /// Number of words.
    pub words: usize,
    /// Number of lost words.
    pub lost: usize,
    /// Number of lost words in the passage that loses most. A passage may have up to three words in a row that are not
    /// lost.
    pub passage: usize,
}

/// Numbers of lost words by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Numbers, and numbers with a letter or two.
    pub numbers: usize,
    /// Words that negate.
    pub negations: usize,
    /// Signs that are no typography.
    pub signs: usize,
    /// Capitalised words. If capitals do not mark names in either text, every lost word of the content counts.
    pub names: usize,
    /// Words that the text is about: they are lost in its title and again and again in its content. Each counts once.
    pub subjects: usize,
    /// Words of the title, without numbers.
    pub titles: usize,
}

impl PartLoss {
    /// Returns the share of lost words, 0 to 1.
    pub fn share(&self) -> f64 {
        self.lost as f64 / self.words.max(1) as f64
    }

    fn count(&mut self, is_lost: bool) {
        self.words += 1;
        self.lost += usize::from(is_lost);
    }

    fn add(&mut self, is_lost: bool, run: &mut Run) {
        self.count(is_lost);
        self.passage = self.passage.max(run.next(is_lost));
    }
}

/// The passage that is being counted.
#[derive(Default)]
struct Run {
    lost: usize,
    gap: usize,
}

impl Run {
    /// Returns the number of lost words of the passage up to this word.
    fn next(&mut self, is_lost: bool) -> usize {
        if is_lost {
            (self.lost, self.gap) = (self.lost + 1, 0);
        } else {
            self.gap += 1;
            if self.gap > GAP {
                self.lost = 0;
            }
        }
        self.lost
    }
}

impl Loss {
    fn of(words: &Words, is_lost: &[bool], marks_names: bool) -> Self {
        let (mut loss, mut runs) = (Self::default(), [Run::default(), Run::default()]);
        for (at, (word, &is_lost)) in words.kinds.iter().zip(is_lost).enumerate() {
            loss.whole.add(is_lost, &mut runs[0]);
            if word.counts() {
                loss.content.add(is_lost, &mut runs[1]);
            }
            if !is_lost {
                continue;
            }
            let may_be_name = match marks_names {
                true => word.is(WordKinds::NAME),
                false => word.is(WordKinds::CONTENT) && !word.is(WordKinds::SIGN),
            };
            let kinds = &mut loss.kinds;
            kinds.numbers += usize::from(word.is(WordKinds::NUMBER));
            kinds.negations += usize::from(word.is(WordKinds::NEGATION));
            kinds.signs += usize::from(word.is(WordKinds::SIGN));
            kinds.titles += usize::from(word.is(OF_TITLE));
            kinds.names += usize::from(may_be_name);
            match loss.passages.last_mut() {
                Some(last) if last.end == at => last.end += 1,
                _ => loss.passages.push(at..at + 1),
            }
        }
        loss.kinds.subjects = subjects(words, is_lost, loss.content.words);
        loss
    }

    /// Returns a lower bound of what is lost: how many words of the whole text, whatever their order. It is 0 where the
    /// words can be aligned as quickly.
    fn least(removed: &Words, texts: &Texts<'_>) -> Self {
        let whole = PartLoss { words: removed.len(), lost: texts.least_lost(), passage: 0 };
        Self { whole, ..Self::default() }
    }

    /// Returns a lower bound of what is lost: the words that the kept text has nowhere.
    pub(super) fn least_without(removed: &Words, has: impl Fn(u64) -> bool) -> Self {
        let mut loss = Self::default();
        for (hash, kinds) in removed.hashes.iter().zip(&removed.kinds) {
            let is_lost = !has(*hash);
            loss.whole.count(is_lost);
            if kinds.counts() {
                loss.content.count(is_lost);
            }
        }
        loss
    }

    /// Adds the bound for the content.
    fn and_of_content(self, removed: &Words, texts: &Texts<'_>) -> Self {
        let is_content = |at: usize| removed.kinds[at].counts();
        let words = (0..removed.len()).filter(|&at| is_content(at)).count();
        Self { content: PartLoss { words, lost: texts.least_lost_of(is_content), passage: 0 }, ..self }
    }
}

/// A word of a title that may say what the text is about.
const OF_TITLE: WordKinds = WordKinds::TITLE.and(WordKinds::SUBJECT);

/// Returns the number of lost words that a text is about, given the number of words of its content.
fn subjects(words: &Words, is_lost: &[bool], content: usize) -> usize {
    let all =
        || words.hashes.iter().zip(&words.kinds).zip(is_lost).map(|((hash, kinds), is_lost)| (hash, kinds, *is_lost));
    let titles = all().filter(|(_, kinds, is_lost)| *is_lost && kinds.is(OF_TITLE));
    // How often each of them is kept in the content, and how often it is lost there. A name of a site is no identifier
    // with underscores, so a word of one counts outside of the content, too.
    let mut places: ByHash<(WordKinds, [usize; 2])> =
        titles.map(|(hash, kinds, _)| (*hash, (*kinds, [0; 2]))).collect();
    if places.is_empty() {
        return 0;
    }
    for (hash, kinds, is_lost) in all().filter(|(_, kinds, _)| !kinds.is(WordKinds::TITLE)) {
        if let Some((of_title, places)) = places.get_mut(hash)
            && (kinds.is(WordKinds::CONTENT) || of_title.is(WordKinds::IDENTIFIER))
        {
            places[usize::from(is_lost)] += 1;
        }
    }
    let is_often = |lost: usize| lost >= OFTEN || lost > 0 && lost * ABOUT >= content;
    places.values().filter(|(_, [kept, lost])| is_often(*lost) && KEPT * lost >= *kept).count()
}

/// The comparison of two texts: what the removed one loses, and what the kept one has besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What the removed text has and the kept one lacks.
    pub lost: Loss,
    /// What the kept text has and the removed one lacks.
    pub added: Loss,
    /// Whether the words of both are equal, in the same order.
    pub is_equal: bool,
    /// Whether either is plain text.
    pub is_text: bool,
    /// Whether both are plain text.
    pub are_texts: bool,
}

impl Comparison {
    /// Compares the text to be removed with the one that is kept.
    pub fn of(removed: &Words, kept: &Words) -> Self {
        Self::of_texts(removed, kept, &Texts::new(&removed.hashes, &kept.hashes))
    }

    /// Like [`Comparison::of`]; `None` if `forbids` does not allow a lower bound of what is lost, which is known in less
    /// time. A content may lose less than its text.
    pub(super) fn unless(removed: &Words, kept: &Words, forbids: impl Fn(&Loss) -> bool) -> Option<Self> {
        let texts = Texts::new(&removed.hashes, &kept.hashes);
        let least = Loss::least(removed, &texts);
        let is_forbidden = !texts.are_equal() && forbids(&least) && forbids(&least.and_of_content(removed, &texts));
        (!is_forbidden).then(|| Self::of_texts(removed, kept, &texts))
    }

    fn of_texts(removed: &Words, kept: &Words, texts: &Texts<'_>) -> Self {
        let is_text = removed.is_text || kept.is_text;
        let are_texts = removed.is_text && kept.is_text;
        let is_equal = texts.are_equal();
        let marks_names = removed.marks_names && kept.marks_names;
        let aligned = match is_equal {
            true => Alignment { removed: vec![false; removed.len()], kept: vec![false; kept.len()] },
            false => texts.align(),
        };
        let lost = Loss::of(removed, &aligned.removed, marks_names);
        let added = Loss::of(kept, &aligned.kept, marks_names);
        Self { lost, added, is_equal, is_text, are_texts }
    }
}

#[cfg(test)]
mod tests {
    use nddb_page::text::{Page, compared_text};

    use super::*;

    fn compared(removed: &str, kept: &str) -> Comparison {
        let [removed, kept] = [removed, kept].map(|text| Words::of(&compared_text(&Page::text(text))));
        Comparison::of(&removed, &kept)
    }

    #[test]
    fn the_loss_has_a_share_a_passage_and_kinds() {
        let text = "The mill by the river belongs to Anna Miller, who pays 120 coins for it, and it is not for sale.";
        let other = "The mill by the river belongs to Peter Miller, who pays 90 coins for it, and it is for sale.";
        let found = compared(text, other);
        assert_eq!(found.lost.whole, PartLoss { words: 21, lost: 3, passage: 2 });
        assert_eq!(found.lost.kinds, Kinds { numbers: 1, negations: 1, names: 1, ..Kinds::default() });
        assert_eq!(found.lost.passages, [7..8, 11..12, 18..19]);
        assert_eq!((found.added.whole.lost, found.added.kinds.numbers), (2, 1));
        assert!(found.is_text && !found.is_equal);
        assert!(compared(text, &text.to_uppercase()).is_equal);
    }

    #[test]
    fn a_passage_bridges_short_gaps() {
        let words = |range: Range<u32>| range.map(|word| format!("word{word}x")).collect::<Vec<_>>().join(" ");
        let text = words(0..200);
        let kept = [words(0..50), words(60..63), words(70..120), words(124..200)].join(" ");
        assert_eq!(compared(&text, &kept).lost.whole, PartLoss { words: 200, lost: 21, passage: 17 });
        let moved = [words(100..200), words(0..100)].join(" ");
        assert_eq!(compared(&text, &moved).lost.whole.lost, 0);
        assert!(!compared(&text, &moved).is_equal);
    }

    /// A page about another class of one manual differs in a few words; these are what it is about.
    #[test]
    fn the_words_that_a_text_is_about_stand_in_its_title_and_again() {
        let words: Vec<String> = (0..600).map(|word| format!("word{}x", word * 7919 % 9973)).collect();
        let page = |title: &str, heading: &str, often: usize| {
            let lines = words.chunks(600 / often).map(|words| format!("+{heading} {}\n", words.join(" ")));
            Words::of(&format!("m\n#{title} 2.1 - Manual\n{}", lines.collect::<String>()))
        };
        let subjects = |a: &Words, b: &Words| {
            let compared = Comparison::of(a, b);
            [compared.lost.kinds.subjects, compared.added.kinds.subjects]
        };
        let first = page("UseFirst", "UseFirst", 6);
        assert_eq!(subjects(&first, &page("useLast", "useLast", 6)), [1, 1]);
        assert_eq!(subjects(&page("use_1_5", "use_1_5", 6), &page("use_2_0", "use_2_0", 6)), [2, 2]);
        // A headline alone, a name that stays, and another release are something else.
        assert_eq!(subjects(&page("UseFirst", "UseFirst", 1), &page("UseLast", "UseLast", 1)), [0, 0]);
        assert_eq!(subjects(&page("Use 1.5", "Use 1.5", 6), &page("Use 2.0", "Use 2.0", 6)), [0, 0]);
        assert_eq!(subjects(&first, &page("Manual of UseFirst", "UseFirst", 6)), [0, 0]);
        assert_eq!(subjects(&first, &page("UseLast", "UseFirst", 6)), [0, 0]);
        // An identifier in the title counts where the menu has it, and the name of a site does not.
        let menu = |title: &str, item: &str| {
            let items = (0..4).map(|number| format!("-{item}_part{number}x\n")).collect::<String>();
            Words::of(&format!("m\n#{title} - Manual\n{items}+{}", words.join(" ")))
        };
        assert_eq!(subjects(&menu("use_first", "use_first"), &menu("use_last", "use_last")), [1, 1]);
        assert_eq!(subjects(&menu("first", "first"), &menu("last", "last")), [0, 0]);
        let text = |name: &str| {
            let text = format!("{name} - copies files\n\n{name} [{}]\nSee {name} below.", words[..80].join(" "));
            Words::of(&compared_text(&Page::text(&text)))
        };
        assert_eq!(subjects(&text("copyto"), &text("movefrom")), [1, 1]);
    }

    #[test]
    fn without_capitals_each_lost_word_may_be_a_name() {
        let text = "the winner of the long race was peter brown, who came from a small town.";
        let found = compared(text, &text.replace("peter", "susan"));
        assert_eq!((found.lost.kinds.names, found.added.kinds.names), (1, 1));
        let text = text.replace("peter", "Peter");
        assert_eq!(compared(&text, &text.replace("small", "big")).lost.kinds.names, 0);
        assert_eq!(compared(&text, &text.replace("Peter", "Susan")).lost.kinds.names, 1);
    }
}
