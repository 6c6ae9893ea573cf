//! A run in memory, and the bytes of its files.

use nddb_format::postings::{PostingsEncoder, PostingsSurvey};
use nddb_format::scheme::Scheme;
use nddb_format::segment::{self, Segment};
use nddb_format::{Fingerprint, FormatError};

/// Fingerprints and their document numbers, of a number range.
pub(crate) struct Run {
    pub(crate) scheme: Scheme,
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) lists: Vec<(u64, Vec<u64>)>,
}

impl Run {
    /// The fingerprints in the order of a table.
    pub(crate) fn permuted(&self, table: usize) -> Vec<u64> {
        let table = &self.scheme.tables()[table];
        let mut sorted: Vec<u64> = self.lists.iter().map(|(print, _)| table.permute(Fingerprint(*print)).0).collect();
        sorted.sort_unstable();
        sorted
    }

    /// The file of a segment.
    pub(crate) fn segment(&self, table: usize) -> Vec<u8> {
        segment::encode(&self.scheme, table, &self.permuted(table)).expect("sorted")
    }

    /// The file of the postings.
    pub(crate) fn postings(&self) -> Vec<u8> {
        let file = self.segment(0);
        let first = Segment::open(&file[..]).expect("a segment");
        let mut ranks = Vec::new();
        let mut rank = 0;
        for block in 0..first.block_len() {
            ranks.push(rank);
            rank += first.block(block).expect("a block").len() as u64;
        }
        let mut survey = PostingsSurvey::default();
        for (print, numbers) in &self.lists {
            survey.begin(*print).expect("ascending");
            numbers.iter().for_each(|&number| survey.number(number));
        }
        let header = survey.header(self.low, self.high, ranks.len() as u64, self.scheme.restart());
        let mut out = Vec::new();
        let mut encoder = PostingsEncoder::new(header, &ranks, &mut out).expect("a header");
        for (_, numbers) in &self.lists {
            encoder.begin().expect("not empty");
            let pushed: Result<(), FormatError> = numbers.iter().try_for_each(|&n| encoder.number(n, &mut out));
            pushed.expect("ascending");
        }
        encoder.finish(&mut out).expect("the same lists");
        out
    }
}
