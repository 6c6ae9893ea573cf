//! The expected answers of a database, by brute force.

use std::collections::BTreeMap;

use nddb::{Answer, Fingerprint, Matches, Neighbor, Search, View, Within};

/// The live documents of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Truth {
    /// By id: the fingerprint, `None` for one of fewer than two tokens.
    pub(crate) documents: BTreeMap<String, Option<u64>>,
}

impl Truth {
    /// Returns all documents within `within` bits of `query`: (distance, id, fingerprint), ascending.
    pub(crate) fn near(&self, query: u64, within: u8) -> Vec<(u32, &str, u64)> {
        let mut found = Vec::new();
        for (id, print) in self.documents.iter().filter_map(|(id, print)| Some((id, (*print)?))) {
            let distance = (print ^ query).count_ones();
            if distance <= within.into() {
                found.push((distance, id.as_str(), print));
            }
        }
        found.sort_unstable();
        found
    }

    /// Asserts that a view answers every query correctly at these distances, with and without limits.
    pub(crate) fn assert_answers(
        &self,
        view: &View<'_>,
        queries: &[u64],
        distances: impl IntoIterator<Item = u8>,
        limits: &[usize],
        why: &str,
    ) {
        let queries: Vec<Fingerprint> = queries.iter().map(|&query| Fingerprint(query)).collect();
        for within in distances.into_iter().map(Within) {
            let all = view.probe(&queries, within).unwrap_or_else(|error| panic!("{why}: {error:?}"));
            let found = view.find(&queries, within).unwrap_or_else(|error| panic!("{why}: {error:?}"));
            for ((query, probed), found) in queries.iter().zip(&all).zip(&found) {
                self.assert_answer(*query, within, probed, found, why);
            }
            for &limit in limits {
                let probed =
                    view.probe(&queries, Search::within(within).limit(limit)).expect("it was answered without a limit");
                let answers =
                    view.find(&queries, Search::within(within).limit(limit)).expect("it was answered without a limit");
                for index in 0..queries.len() {
                    let all = &all[index];
                    let kept = limit.min(all.matches.len());
                    let (query, why) = (queries[index], format!("{why}, {within:?}, limit {limit}"));
                    assert_eq!(probed[index].count, all.count, "{query} {why}");
                    assert_eq!(probed[index].matches, all.matches[..kept], "{query} {why}");
                    let numbers: Vec<u64> = all.matches[..kept].iter().map(|found| found.number).collect();
                    let mut wanted: Vec<Neighbor> =
                        found[index].matches.iter().filter(|found| numbers.contains(&found.number)).cloned().collect();
                    wanted.sort_by(|a, b| (a.distance, &a.id).cmp(&(b.distance, &b.id)));
                    assert_eq!((answers[index].count, &answers[index].matches), (all.count, &wanted), "{query} {why}");
                }
            }
        }
    }

    fn assert_answer(&self, query: Fingerprint, within: Within, probed: &Matches, answer: &Answer, why: &str) {
        let why = format!("{query} within {} bits: {why}", within.0);
        let wanted = self.near(query.0, within.0);
        let got: Vec<(u32, &str, u64)> =
            answer.matches.iter().map(|found| (found.distance, found.id.as_str(), found.fingerprint.0)).collect();
        assert_eq!(got, wanted, "{why}");
        assert_eq!(
            (answer.fingerprint, answer.count, probed.count),
            (query, wanted.len() as u64, wanted.len() as u64),
            "{why}"
        );
        let mut numbers: Vec<(u32, u64, Fingerprint)> =
            answer.matches.iter().map(|found| (found.distance, found.number, found.fingerprint)).collect();
        numbers.sort_unstable();
        let probed: Vec<(u32, u64, Fingerprint)> =
            probed.matches.iter().map(|found| (found.distance, found.number, found.fingerprint)).collect();
        assert_eq!(probed, numbers, "{why}");
    }

    /// Asserts that each of these ids leads to its document, or to none.
    pub(crate) fn assert_ids<'a>(&self, view: &View<'_>, ids: impl Iterator<Item = &'a str>, why: &str) {
        for id in ids {
            let stored = view.get(id).unwrap_or_else(|error| panic!("{why}: {id}: {error:?}"));
            let got = stored.map(|stored| {
                assert_eq!(stored.record.id, id, "{why}");
                (!stored.unprinted).then_some(stored.fingerprint.0)
            });
            assert_eq!(got.as_ref(), self.documents.get(id), "{why}: {id}");
        }
    }
}
