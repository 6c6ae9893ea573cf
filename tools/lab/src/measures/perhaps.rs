//! The number of signatures needed per document (Huang et al. 2008, 4, Figure 6).

use fixedbitset::FixedBitSet;
use nddb_dedup::{Collection, Resources, SetSummary, Sets, Signed, in_order};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result};
use nddb_page::sketch::{Signature, signatures};
use nddb_verdict::compare::lcs::Prepared;
use nddb_verdict::methods::Lcs;

use super::sample::TextSample;
use nddb_evaluate::Draw;

/// How many numbers of signatures are tried: 7, 14 and so on to 112, "when we change n from 1 to 16".
pub const SIGNATURE_STEPS: u32 = 16;

/// Recall and cost of perhaps-similar sets, by the number of signatures.
///
/// As in the paper, each selected document is compared with all others of the sample by trustable longest common
/// subsequence, and with the documents of its perhaps-similar sets. In the paper, people decided which pairs are
/// similar, and figures are means over documents. Here the comparison with all others is the truth, and pairs are
/// summed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perhaps {
    /// Number of documents drawn at random, from which the share with a signature is computed.
    pub drawn: u64,
    /// Number of documents that were compared with all others.
    pub selected: u64,
    /// Number of comparisons: all pairs of a selected document and another document.
    pub compared: u64,
    /// Of these, pairs that are similar by trustable longest common subsequence.
    pub similar: u64,
    /// The result for each number of signatures.
    pub steps: Vec<AtSignatures>,
    /// A sample of the pairs that are perhaps similar by all signatures: similar pairs, and pairs that are not similar.
    pub pairs: [Vec<(u32, u32)>; 2],
}

/// The result for a number of signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtSignatures {
    /// Greatest number of signatures of a document.
    pub signatures: u32,
    /// Number of drawn documents that have a signature.
    pub signed: u64,
    /// Number of pairs of a selected document and another document of its sets.
    pub perhaps: u64,
    /// Of these, the number of similar pairs.
    pub similar: u64,
}

impl AtSignatures {
    /// "The ratio between the number of near-duplicates of a selected document detected from its perhaps-similar set by
    /// the TLCS measurement and the total document number of that set"; the document itself is not counted.
    pub fn trustable(&self) -> Option<f64> {
        share(self.similar, self.perhaps)
    }
}

impl Perhaps {
    /// The share of documents that have a signature.
    pub fn signed(&self, step: &AtSignatures) -> Option<f64> {
        share(step.signed, self.drawn)
    }

    /// "The ratio between the number of true near-duplicates of a selected document that can be detected from its
    /// perhaps-similar set and that can be detected directly from the whole original document repository".
    pub fn coverage(&self, step: &AtSignatures) -> Option<f64> {
        share(step.similar, self.similar)
    }
}

/// Number of documents that a thread compares at a time.
const CHUNK: usize = 32;

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Measures perhaps-similar sets of a sample. `draw` chooses which pairs of each kind are returned.
///
/// # Errors
/// Errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn perhaps(
    collection: &Collection,
    sample: &TextSample,
    (lcs, resources): (&Lcs, &Resources),
    draw: &Draw,
    threads: usize,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Perhaps> {
    let ticker = Ticker::new(watch);
    let documents = sample.documents();
    let index = |ordinal: &u32| documents.binary_search(ordinal).ok();
    let selected: Vec<usize> = sample.selected().iter().filter_map(index).collect();
    let mut drawn = FixedBitSet::with_capacity(documents.len());
    sample.drawn().iter().filter_map(index).for_each(|index| drawn.insert(index));
    let signed: Vec<Vec<Signature>> =
        documents.iter().map(|&ordinal| signatures(sample.text(ordinal), &lcs.sets.signatures)).collect();
    ticker.start("perhaps-similar sets", Some(SIGNATURE_STEPS.into()), "numbers of signatures")?;
    let (mut steps, mut together) = (Vec::new(), Vec::new());
    for rotations in 1..=SIGNATURE_STEPS {
        let groups = lcs.sets.signatures.groups;
        let count = rotations * groups;
        let first = |all: &[Signature]| all.partition_point(|signature| signature.group < count);
        let has = |(index, all): (usize, &Vec<Signature>)| drawn.contains(index) && first(all) > 0;
        let signed_documents = signed.iter().enumerate().filter(|document| has(*document)).count() as u64;
        steps.push(AtSignatures { signatures: count, signed: signed_documents, ..AtSignatures::default() });
        let mut rows = Signed::new(documents.len() as u32, resources);
        for (index, all) in (0..).zip(&signed) {
            rows.push_made(index, &all[..first(all)])?;
        }
        together.push(sets(collection, documents, rows, (lcs, resources), &selected)?);
        ticker.add(1)?;
    }
    let mut made = Perhaps {
        drawn: sample.drawn().len() as u64,
        selected: selected.len() as u64,
        compared: 0,
        similar: 0,
        steps,
        pairs: [Vec::new(), Vec::new()],
    };
    let mut draws = [draw.clone(), draw.clone()];
    let prepare = |index: usize| Prepared::new(sample.text(documents[index]), &lcs.comparison);
    let prepared: Vec<Prepared> = selected.iter().map(|&index| prepare(index)).collect();
    ticker.start("compare texts", Some(documents.len() as u64), "documents")?;
    let mut starts = (0..documents.len()).step_by(CHUNK);
    // For each document of a chunk, whether it is similar to each selected one.
    let compare = |start: usize| {
        let mut comparer = lcs.comparer();
        let chunk = start..(start + CHUNK).min(documents.len());
        let similar = chunk.map(|other| {
            let ready = prepare(other);
            let mut is_similar = |(number, &index): (usize, &usize)| {
                index != other && comparer.verdict(&prepared[number], &ready).exceeds(&lcs.thresholds)
            };
            (other, selected.iter().enumerate().map(&mut is_similar).collect::<Vec<bool>>())
        });
        similar.collect::<Vec<_>>()
    };
    let mut count = |other: usize, similar: &[bool]| {
        for (number, &index) in selected.iter().enumerate().filter(|(_, index)| **index != other) {
            let similar = similar[number];
            made.compared += 1;
            made.similar += u64::from(similar);
            for (step, together) in made.steps.iter_mut().zip(&together) {
                let perhaps = together[number].contains(other);
                step.perhaps += u64::from(perhaps);
                step.similar += u64::from(perhaps && similar);
            }
            // Two selected documents are compared twice; the pair is offered to the draw once.
            let again = other < index && selected.binary_search(&other).is_ok();
            if !again && together.last().is_some_and(|all| all[number].contains(other)) {
                draws[usize::from(!similar)].push(documents[index], documents[other]);
            }
        }
    };
    in_order(
        threads,
        || starts.next(),
        compare,
        |chunk| {
            chunk.iter().for_each(|(other, similar)| count(*other, similar));
            ticker.add(chunk.len() as u64)
        },
    )?;
    made.pairs = draws.map(|draw| draw.pairs());
    Ok(made)
}

/// Returns, for each selected document, the documents that are in a set with it.
fn sets(
    collection: &Collection,
    documents: &[u32],
    signed: Signed,
    (lcs, resources): (&Lcs, &Resources),
    selected: &[usize],
) -> Result<Vec<FixedBitSet>> {
    let site = |index: u32| collection.row(documents[index as usize]).site;
    let sets = Sets::new(signed, &lcs.sets, resources, &|_| true, &site, &mut SetSummary::default())?;
    let mut together: Vec<FixedBitSet> = selected.iter().map(|_| FixedBitSet::with_capacity(documents.len())).collect();
    sets.each(&mut |set| {
        for member in set {
            if let Ok(number) = selected.binary_search(&(*member as usize)) {
                set.iter().for_each(|&other| together[number].insert(other as usize));
            }
        }
        Ok(())
    })?;
    Ok(together)
}
