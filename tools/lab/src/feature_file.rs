//! A choice of features by name, and the file that keeps it with the document frequencies of the features (Manku et
//! al. 2007, 2).
//!
//! The first line has the choice and the number of documents; every other line has a feature, a tab, and the number of
//! documents that have the feature. With `\t` for a tab:
//!
//! ```text
//! # nddb features 1\tterms=1\tcase=folded\tstop-words=a,the\tstems=english\tdocuments=1200
//! crawler\t75
//! ```

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Write};

use nddb::sketch::{Features, Frequencies, Stemmer, StopWords, WeightTable};
use nddb::text::Tokens;

/// How the first line of a file begins.
const MARK: &str = "# nddb features 1";

/// A choice of features.
#[derive(Debug)]
pub struct ChosenFeatures {
    terms: usize,
    fold_case: bool,
    words: Vec<String>,
    language: Option<String>,
    stop_words: Option<StopWords>,
    stemmer: Option<Stemmer>,
    weights: Option<WeightTable>,
}

impl ChosenFeatures {
    /// Makes the choice: the number of terms in a feature, 1 to 5; whether upper and lower case are equal; words that
    /// are left out; the language of stems, by its English name.
    ///
    /// # Errors
    /// [`FeatureError`] if there are no stems of the language.
    pub fn new(
        terms: usize,
        fold_case: bool,
        words: Vec<String>,
        language: Option<String>,
    ) -> Result<Self, FeatureError> {
        let stemmer = match &language {
            Some(name) => Some(Stemmer::of(name).ok_or_else(|| FeatureError::Language(name.clone()))?),
            None => None,
        };
        let stop_words = (!words.is_empty()).then(|| StopWords::new(words.iter().map(String::as_str)));
        Ok(Self { terms, fold_case, words, language, stop_words, stemmer, weights: None })
    }

    /// Returns the features.
    pub fn features(&self) -> Features<'_> {
        Features {
            terms: self.terms,
            fold_case: self.fold_case,
            stop_words: self.stop_words.as_ref(),
            stemmer: self.stemmer.as_ref(),
            weights: self.weights.as_ref(),
            ..Features::default()
        }
    }

    /// Reads a file: the choice, with weights by inverse document frequency.
    ///
    /// # Errors
    /// [`FeatureError`] for an unreadable file, or a line that [`CountedFeatures::write`] does not write.
    pub fn read(file: impl BufRead) -> Result<Self, FeatureError> {
        let mut lines = file.lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        let (mut chosen, documents) = Self::of_head(&first).ok_or(FeatureError::Line(1))??;
        let mut frequencies = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let line = line?;
            let row = line.rsplit_once('\t').and_then(|(feature, of)| Some((feature, of.parse::<u64>().ok()?)));
            let (feature, of) = row.ok_or(FeatureError::Line(number))?;
            frequencies.push((chosen.features().hash_of(feature.split(' ')), of));
        }
        chosen.weights = Some(Frequencies::new(documents, frequencies).inverse());
        Ok(chosen)
    }

    /// Reads the first line of a file: the choice and the number of documents.
    fn of_head(line: &str) -> Option<Result<(Self, u64), FeatureError>> {
        let cells: Vec<&str> = line.strip_prefix(MARK)?.split('\t').collect();
        let &["", terms, case, words, stems, documents] = cells.as_slice() else { return None };
        let terms = terms.strip_prefix("terms=")?.parse().ok()?;
        let fold_case = match case.strip_prefix("case=")? {
            "folded" => true,
            "kept" => false,
            _ => return None,
        };
        let list = |text: &str| text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let words = list(words.strip_prefix("stop-words=")?);
        let language = Some(stems.strip_prefix("stems=")?.to_owned()).filter(|name| !name.is_empty());
        let documents = documents.strip_prefix("documents=")?.parse().ok()?;
        Some(Self::new(terms, fold_case, words, language).map(|chosen| (chosen, documents)))
    }

    fn head(&self, documents: u64) -> String {
        let case = if self.fold_case { "folded" } else { "kept" };
        let (terms, words, stems) = (self.terms, self.words.join(","), self.language.as_deref().unwrap_or_default());
        format!("{MARK}\tterms={terms}\tcase={case}\tstop-words={words}\tstems={stems}\tdocuments={documents}")
    }
}

/// Features of documents, counted.
#[derive(Debug)]
pub struct CountedFeatures {
    chosen: ChosenFeatures,
    documents: u64,
    /// The terms of each feature where it was met first, and the number of documents that have it, by its hash.
    of: HashMap<u64, (String, u64)>,
}

impl CountedFeatures {
    /// Begins to count.
    pub fn new(chosen: ChosenFeatures) -> Self {
        Self { chosen, documents: 0, of: HashMap::new() }
    }

    /// Counts a document.
    pub fn add(&mut self, tokens: &Tokens) {
        self.documents += 1;
        let mut features = self.chosen.features().named(tokens);
        features.sort_by_key(|&(_, hash)| hash);
        features.dedup_by_key(|&mut (_, hash)| hash);
        for (text, hash) in features {
            self.of.entry(hash).or_insert((text, 0)).1 += 1;
        }
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Writes the file, the most frequent features first. Features of a single document are left out: without a line a
    /// feature has the same weight. Returns the number of features that are written.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<u64> {
        let mut rows: Vec<&(String, u64)> = self.of.values().filter(|(_, documents)| *documents > 1).collect();
        rows.sort_by(|(a, in_a), (b, in_b)| in_b.cmp(in_a).then_with(|| a.cmp(b)));
        writeln!(out, "{}", self.chosen.head(self.documents))?;
        for (text, documents) in &rows {
            writeln!(out, "{text}\t{documents}")?;
        }
        Ok(rows.len() as u64)
    }
}

/// Why there is no such choice of features.
#[derive(Debug)]
pub enum FeatureError {
    /// There are no stems of this language.
    Language(String),
    /// A line of the file, from 1, is none of a features file.
    Line(u64),
    /// The file cannot be read.
    Io(io::Error),
}

impl fmt::Display for FeatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Language(name) => {
                let known = Stemmer::languages().collect::<Vec<_>>().join(", ");
                write!(f, "there are no stems of {name:?}; the languages are {known}")
            }
            Self::Line(1) => write!(f, "line 1 does not begin a file of nddb-lab frequencies ({MARK})"),
            Self::Line(number) => write!(f, "line {number} is not a feature, a tab and a number of documents"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FeatureError {}

impl From<io::Error> for FeatureError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(test)]
mod tests {
    use nddb::sketch::simhash_of;
    use nddb::text::{Page, tokens};

    use super::*;

    const TEXTS: [&str; 5] =
        ["The crawlers crawl", "A crawler crawls pages", "Pages of the index", "crawl the Index", "three zebras graze"];

    /// Counted, written and read, features have the weights that counting their hashes gives.
    #[test]
    fn a_file_has_the_weights_of_the_documents() {
        let words = || ["a", "of", "the"].map(str::to_owned).to_vec();
        for (terms, fold_case, words, language) in [
            (1, true, Vec::new(), None),
            (1, true, words(), Some("english".to_owned())),
            (2, false, words(), None),
            (3, true, Vec::new(), Some("english".to_owned())),
        ] {
            let chosen = || ChosenFeatures::new(terms, fold_case, words.clone(), language.clone()).expect("known");
            let (mut counted, mut expected) = (CountedFeatures::new(chosen()), Frequencies::default());
            for text in TEXTS {
                let tokens = tokens(&Page::text(text));
                counted.add(&tokens);
                expected.add(chosen().features().hashes(&tokens));
            }
            let mut file = Vec::new();
            let rows = counted.write(&mut file).expect("written");
            assert!(rows < counted.of.len() as u64, "features of one document are left out");
            let read = ChosenFeatures::read(file.as_slice()).expect("read");
            let (plain, table) = (chosen(), expected.inverse());
            for text in TEXTS.into_iter().chain(["another crawl of pages"]) {
                let (tokens, plain) = (tokens(&Page::text(text)), plain.features());
                for hash in plain.hashes(&tokens) {
                    assert_eq!(read.weights.as_ref().map(|weights| weights.weight(hash)), Some(table.weight(hash)));
                }
                let features = Features { weights: Some(&table), ..plain };
                assert_eq!(simhash_of(&tokens, &read.features()), simhash_of(&tokens, &features), "{text}");
            }
        }
    }

    #[test]
    fn other_files_are_refused_with_the_line() {
        let head = "# nddb features 1\tterms=1\tcase=folded\tstop-words=\tstems=\tdocuments=3\n";
        assert!(ChosenFeatures::read(format!("{head}crawler\t2\n").as_bytes()).is_ok());
        for (file, line) in [
            (String::new(), 1),
            ("crawler\t2\n".into(), 1),
            (head.replace("folded", "lower"), 1),
            (format!("{head}crawler\t2\ncrawler\n"), 3),
            (format!("{head}crawler\ttwo\n"), 2),
        ] {
            let error = ChosenFeatures::read(file.as_bytes()).expect_err("refused");
            assert!(matches!(error, FeatureError::Line(found) if found == line), "{file:?}: {error}");
        }
        let unknown = ChosenFeatures::read(head.replace("stems=", "stems=klingon").as_bytes()).expect_err("refused");
        assert!(unknown.to_string().contains("klingon") && unknown.to_string().contains("english"));
    }
}
