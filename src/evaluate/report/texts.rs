//! Measurements of the texts of a sample.

use std::collections::HashMap;

use nddb_dedup::{Collection, PairOptions, UnreadTexts};
use nddb_index::{Progress, Result, View};
use nddb_verdict::methods::{Lcs, Shingles};

use super::overview::Share;
use crate::Draw;
use crate::language::language;
use crate::measures::{self, Perhaps, Straining, TermDifferences, TextSample};
use crate::sampled::{Sampled, sampled};
use nddb_jobs::quantity::unread_reasons;

/// Number of pairs of each method whose terms are compared.
pub(super) const TERM_PAIRS: usize = 1000;
/// Number of similar pairs, and of other pairs, that are filtered with each window.
const STRAINED_PAIRS: usize = 200;

/// All measurements of texts.
pub struct Texts {
    /// Greatest number of documents to draw.
    pub sample: usize,
    /// Seed of the draw.
    pub seed: u64,
    /// Number of documents with different texts in the database.
    pub drawn_from: u64,
    /// Number of documents that were drawn and read.
    pub drawn: u64,
    /// Number of these documents and of the near-duplicates added to them.
    pub documents: u64,
    /// Documents of the sample that could not be read.
    pub unread: UnreadTexts,
    /// The documents that have a text which was drawn, by the language of that text; most documents first.
    pub languages: Vec<Share>,
    /// Term differences of the pairs of B and of C, if the database has such pairs.
    pub terms: Vec<(&'static str, TermDifferences)>,
    /// Documents of these pairs that could not be read.
    pub terms_unread: UnreadTexts,
    /// Perhaps-similar sets by the number of signatures.
    pub perhaps: Perhaps,
    /// Filtered sketches by the length of the window.
    pub straining: Straining,
    /// The results of sampled shingles.
    pub sampled: Sampled,
}

/// What sketches say of documents.
pub(super) struct BySketches<'a> {
    /// Samples of the pairs that methods find.
    pub(super) pairs: &'a [(&'static str, Draw)],
    /// Whether clustering would remove a document.
    pub(super) is_removed: &'a dyn Fn(u32) -> bool,
}

impl Texts {
    /// Draws the sample and measures it.
    pub(super) fn measure(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        (sample, seed): (usize, u64),
        BySketches { pairs, is_removed }: BySketches<'_>,
        threads: usize,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let lists: Vec<Vec<(u32, u32)>> = pairs.iter().map(|(_, draw)| draw.pairs()).collect();
        let lists: Vec<&[(u32, u32)]> = lists.iter().map(Vec::as_slice).collect();
        let (terms, terms_unread) = measures::term_differences(view, collection, &lists, options, watch)?;
        let drawn = measures::text_sample(view, collection, options, sample, seed, watch)?;
        let (draw, lcs) = (Draw::new(STRAINED_PAIRS, seed), Lcs::default());
        let perhaps = measures::perhaps(collection, &drawn, (&lcs, &options.resources), &draw, threads, watch)?;
        let straining = measures::straining(&drawn, &perhaps.pairs.concat(), &lcs, threads, watch)?;
        let sampled = sampled(view, collection, drawn.documents(), options, &Shingles::default(), threads, watch)?;
        Ok(Self {
            sample,
            seed,
            drawn_from: drawn.drawn_from,
            drawn: drawn.drawn().len() as u64,
            documents: drawn.documents().len() as u64,
            unread: drawn.unread,
            languages: languages(collection, &drawn, is_removed),
            terms: pairs.iter().map(|(method, _)| *method).zip(terms).collect(),
            terms_unread,
            perhaps,
            straining,
            sampled,
        })
    }

    /// If nothing could be measured: the reason and the next step.
    pub fn lack(&self) -> Option<String> {
        if self.sample == 0 {
            return Some("No texts were read: --sample 0 was asked for.".into());
        }
        if self.drawn_from == 0 {
            let why = "No document has a text: there is none, or all were loaded as fingerprints";
            return Some(format!("{why}. nddb load of their archives makes documents that can be measured."));
        }
        (self.documents == 0).then(|| {
            format!(
                "No text could be read: {}. Texts are read where nddb load found them: the archives have to be there, \
                 unchanged.",
                unread_reasons(&self.unread)
            )
        })
    }
}

/// Counts documents by the languages of the texts that were drawn. A text is drawn once for all its documents.
fn languages(collection: &Collection, sample: &TextSample, is_removed: &dyn Fn(u32) -> bool) -> Vec<Share> {
    let of_text: HashMap<u32, &str> =
        sample.drawn().iter().map(|&drawn| (drawn, language(sample.text(drawn)))).collect();
    let mut counts: HashMap<&str, Share> = HashMap::new();
    for ordinal in 0..collection.len() {
        let Some(&language) = of_text.get(&collection.representative(ordinal)) else { continue };
        let share = counts.entry(language).or_insert_with(|| Share { name: Some(language.into()), ..Share::default() });
        share.documents += 1;
        share.removed += u64::from(is_removed(ordinal));
    }
    let mut shares: Vec<Share> = counts.into_values().collect();
    shares.sort_by(|a, b| b.documents.cmp(&a.documents).then_with(|| a.name.cmp(&b.name)));
    shares
}
