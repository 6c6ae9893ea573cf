//! Labelled pairs by the languages of their documents (Manku et al. 2007, 6.C).

use std::collections::{BTreeMap, HashMap};

use nddb_dedup::{Collection, PairOptions, TextScope};
use nddb_evaluate::eval::{Counts, Gold};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_verdict::methods::Hamming;

use super::texts::LabelledTexts;

/// Labelled pairs whose documents are in one language, and all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByLanguage {
    /// Of each language, by its English name: the documents of labelled pairs, and the pairs that simhash finds. A text
    /// whose language is not certain is of the language `unknown`.
    pub of: BTreeMap<&'static str, (u64, Counts)>,
    /// Pairs of documents in different languages.
    pub across: Counts,
    /// Pairs of which a text could not be read.
    pub left_out: u64,
}

/// Counts the labelled pairs within k bits by the languages of their visible texts.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn by_language(
    view: View<'_>,
    collection: &Collection,
    gold: &Gold,
    options: &PairOptions,
    k: u32,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<ByLanguage> {
    let ticker = Ticker::new(watch);
    let (mut languages, mut made) = (HashMap::new(), ByLanguage::default());
    LabelledTexts::new(view, collection, gold, TextScope::Whole, options, &ticker)?.each(&mut |ordinal, text| {
        let language = language(text);
        made.of.entry(language).or_default().0 += 1;
        languages.insert(ordinal, language);
    })?;
    for pair in &gold.pairs {
        let (Some(a), Some(b)) = (languages.get(&pair.a), languages.get(&pair.b)) else {
            made.left_out += 1;
            continue;
        };
        let distance = collection.compared(pair.a, pair.b, Hamming::distance);
        let counts = if a == b { &mut made.of.entry(a).or_default().1 } else { &mut made.across };
        counts.add(pair.label, distance.is_some_and(|distance| distance <= k));
    }
    Ok(made)
}

/// The name of a language that is not certain.
const UNKNOWN: &str = "unknown";

/// Returns the English name of the language of a text, or [`UNKNOWN`].
fn language(text: &str) -> &'static str {
    whatlang::detect(text).filter(whatlang::Info::is_reliable).map_or(UNKNOWN, |info| info.lang().eng_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        let english = "The crawler has read all pages of this site, and nothing on them has changed since last week.";
        let german =
            "Der Rechner hat alle Seiten gelesen, und seit der letzten Woche hat sich darauf nichts geaendert.";
        assert_eq!((language(english), language(german), language("1234 5678")), ("English", "German", UNKNOWN));
    }
}
