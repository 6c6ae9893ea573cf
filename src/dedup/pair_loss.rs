//! What either document of a near pair loses if it is removed and the other one kept.

use nddb_verdict::{Comparison, DocumentPair, Level, Loss, Overlap, Words};

use crate::cluster::KnownLoss;
use crate::collection::Collection;
use crate::words::{Compared, DocumentWords, WordSource};

/// What either of two near-duplicates loses if it is removed and the other one kept.
#[derive(Clone, Debug, PartialEq)]
pub struct PairLoss {
    /// Where the words come from by which the losses are known.
    pub words: WordSource,
    /// The loss of the first document and that of the second; `None` if the words of either cannot be read.
    pub losses: [Option<KnownLoss>; 2],
    /// The least level that removes the first document, and the second; `None` if no level does.
    pub levels: [Option<Level>; 2],
}

impl PairLoss {
    /// Returns the losses of two compared texts ([`nddb_page::text::compared_text`]).
    pub fn of_texts(words: WordSource, a: &str, b: &str) -> Self {
        Self::of_words(words, &Words::of(a), &Words::of(b))
    }

    /// Returns the losses of two texts, given their words.
    pub fn of_words(from: WordSource, a: &Words, b: &Words) -> Self {
        Self::exactly(from, Comparison::of(a, b))
    }

    /// Returns the losses of two documents of a collection; `identical` tells whether their digests are equal.
    pub(crate) fn of_documents(
        words: &DocumentWords,
        collection: &Collection,
        [a, b]: [u32; 2],
        identical: bool,
    ) -> Self {
        match words.compare(collection, [a, b], identical, None) {
            Compared::Exactly(compared) => Self::exactly(words.source(), compared),
            Compared::Estimated => {
                collection.compared(a, b, |pair| Self::estimated(Overlap::of(pair.a, pair.b), identical))
            }
            Compared::TooMuch | Compared::Unread => {
                Self { words: words.source(), losses: [None, None], levels: [None, None] }
            }
        }
    }

    /// Returns the losses of two documents by their stored words, or an estimate unless both have them.
    pub fn of_stored(pair: &DocumentPair<'_>, [a, b]: [Option<&str>; 2]) -> Self {
        match a.zip(b) {
            Some((a, b)) if !pair.identical() => Self::of_texts(WordSource::Stored, a, b),
            Some(_) => Self { words: WordSource::Stored, ..Self::estimated(None, true) },
            None => Self::estimated(Overlap::of(pair.a, pair.b), pair.identical()),
        }
    }

    /// Returns the losses of two documents of which only sketches are known, given what these have in common;
    /// `identical` tells whether their digests are equal.
    pub(crate) fn estimated(overlap: Option<Overlap>, identical: bool) -> Self {
        if identical {
            return Self::exactly(WordSource::Estimate, Comparison { is_equal: true, ..Comparison::default() });
        }
        let estimates = overlap.map_or([None; 2], |overlap| overlap.estimates().map(Some));
        let losses = estimates.map(|estimate| Some(KnownLoss::Estimate(estimate.map(|estimate| estimate.most))));
        let levels = estimates.map(|estimate| Level::least_by_estimate(false, estimate));
        Self { words: WordSource::Estimate, losses, levels }
    }

    fn exactly(words: WordSource, compared: Comparison) -> Self {
        let reversed = Comparison { lost: compared.added.clone(), added: compared.lost.clone(), ..compared };
        let levels = [&compared, &reversed].map(Level::least);
        let known = |loss: Loss| Some(KnownLoss::Loss(Box::new(Loss { passages: Vec::new(), ..loss })));
        Self { words, losses: [compared.lost, reversed.lost].map(known), levels }
    }
}

#[cfg(test)]
mod tests {
    use nddb_page::text::{Page, compared_text};

    use super::*;

    #[test]
    fn each_document_has_its_loss_and_its_level() {
        let words: Vec<String> = (0..100).map(|word| format!("word{}", word * 7919 % 9973)).collect();
        let long = words.join(" ");
        let of = |text: &str| compared_text(&Page::text(text));
        let share = |pair: &PairLoss| pair.losses.clone().map(|loss| loss.and_then(|loss| loss.share()));
        let same = PairLoss::of_texts(WordSource::Stored, &of(&long), &of(&long.to_uppercase()));
        assert_eq!((share(&same), same.levels), ([Some(0.0); 2], [Some(Level::Same); 2]));
        // The shorter one loses nothing; the longer one a fifth.
        let pair = PairLoss::of_texts(WordSource::Stored, &of(&words[..80].join(" ")), &of(&long));
        assert_eq!((share(&pair), pair.levels), ([Some(0.0), Some(0.2)], [Some(Level::Standard), None]));
        let unknown = PairLoss::estimated(None, false);
        assert_eq!((share(&unknown), unknown.levels), ([None; 2], [Some(Level::Standard); 2]));
    }
}
