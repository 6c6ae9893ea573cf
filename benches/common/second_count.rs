//! Counts matches in a way that shares nothing with batch queries.

/// A query and a stored fingerprint within the distance.
pub type Match = (u64, u64);

/// Some queries, by their four words of 16 bits: a match within 3 bits has one of them in common with the query.
pub struct Sample {
    k: u32,
    /// Ascending.
    queries: Vec<u64>,
    /// For each word, the queries by its value.
    words: Vec<Vec<Vec<u64>>>,
    /// For each word a bitmap of its values that occur, small enough for the cache.
    occurs: Vec<Vec<u64>>,
    /// The number of matches is compared with that of a nested loop.
    plain: bool,
}

impl Sample {
    /// Prepares queries; with `plain`, a nested loop checks each count.
    pub fn new(mut queries: Vec<u64>, k: u32, plain: bool) -> Self {
        queries.sort_unstable();
        queries.dedup();
        let mut words = vec![vec![Vec::new(); 1 << 16]; 4];
        let mut occurs = vec![vec![0; 1 << 10]; 4];
        for &query in &queries {
            for word in 0..4 {
                let value = Self::word(query, word);
                words[word][value].push(query);
                occurs[word][value / 64] |= 1 << (value % 64);
            }
        }
        Self { k, queries, words, occurs, plain }
    }

    fn word(value: u64, word: usize) -> usize {
        (value >> (16 * word)) as usize & 0xffff
    }

    /// Returns the number of distinct queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Returns whether this is one of the queries.
    pub fn has(&self, query: u64) -> bool {
        self.queries.binary_search(&query).is_ok()
    }

    /// Adds the matches of some stored fingerprints.
    pub fn count(&self, values: &[u64], matches: &mut Vec<Match>) {
        let before = matches.len();
        for &value in values {
            for word in 0..4 {
                let common = Self::word(value, word);
                if self.occurs[word][common / 64] >> (common % 64) & 1 == 0 {
                    continue;
                }
                for &query in &self.words[word][common] {
                    let difference = query ^ value;
                    // By the first word that they have in common.
                    if difference.count_ones() <= self.k && (0..word).all(|word| Self::word(difference, word) != 0) {
                        matches.push((query, value));
                    }
                }
            }
        }
        if self.plain {
            let near = |value: u64| self.queries.iter().filter(move |&query| (query ^ value).count_ones() <= self.k);
            let all = values.iter().map(|&value| near(value).count()).sum::<usize>();
            assert_eq!(matches.len() - before, all, "as many as each with each");
        }
    }
}
