//! A persistent on-disk index of document fingerprints, for finding near-duplicates in crawls that never stop growing.
//!
//! It answers "which stored fingerprints are within k bits of this one?" completely, in microseconds, from any number
//! of processes, while one of them writes. On top of it stand loading of archives, a verdict on two pages with its
//! evidence, pairs, clusters and lists of what to keep.
//!
//! # Concepts
//!
//! - A **document** has an id, a **fingerprint** of up to 64 bits, and a **record**: its address, site and sketches.
//!   An id is a text or an integer, and `"17"` and 17 are two ids. Both are strings here: that of an integer is made by
//!   [`number_id`], [`digits_of`] and [`ShownId`] tell the two apart.
//! - A **sketch** is a small summary of a page that can be compared: fingerprint, min-values, projection, profile. A
//!   [`Recipe`](sketch::Recipe) names which sketches are computed and how. A database has one recipe for ever.
//! - A **database** is a folder. One [`Writer`] at a time changes it; any number of [`Reader`]s, in any processes, see
//!   the last commit when they refresh.
//! - A **method** decides whether two documents are near-duplicates. The default is a probability from the profiles of
//!   both. The other methods are those of four papers.
//!
//! # The five types that most programs need
//!
//! | type | for |
//! |---|---|
//! | [`Writer`] | create or open a database, insert, delete, commit, load, compact |
//! | [`Reader`] | open a database for queries; [`SharedReader`] is one for many threads |
//! | [`Document`] | what is stored: [`Document::bare`] with a fingerprint, [`detect::document_of_page`] of a page |
//! | [`detect::OnlineDetector`] | the near-duplicates of one document; insertion if there are none |
//! | [`detect::Collection`] | all documents of a database, for [`detect::pairs`] and [`detect::cluster`] |
//!
//! # Examples
//!
//! Insert and query:
//!
//! ```
//! # #[cfg(feature = "archives")] {
//! use nddb::detect::document_of_page;
//! use nddb::sketch::Recipe;
//! use nddb::text::Page;
//! use nddb::{Config, Outcome, Reader, Within, Writer};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("crawl.nddb");
//! let mut writer = Writer::create(&path, &Config::within(3)?)?;
//! let page = Page::html("<p>The quick brown fox jumps over the lazy dog</p>");
//! let first = document_of_page("first", &page, &Recipe::default())?;
//! let fingerprint = first.fingerprint();
//! assert_eq!(writer.insert(first)?, Outcome::New);
//! writer.commit()?; // durable, and visible to every reader that refreshes
//!
//! let reader = Reader::open(&path)?; // any process, beside the writer
//! let found = reader.probe(fingerprint, Within(3))?;
//! assert_eq!((found[0].id.as_str(), found[0].distance), ("first", 0));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Load archives (WARC, WET, ARC, JSON lines, text, HTML; Parquet and Arrow with the feature `parquet`):
//!
//! ```no_run
//! # #[cfg(feature = "archives")] {
//! use nddb::Writer;
//! use nddb::ingest::Loader;
//!
//! let mut writer = Writer::open("crawl.nddb")?;
//! let report = Loader::new(&mut writer).threads(4).load(&["CC-MAIN-20240101.warc.gz"])?;
//! println!("{} entries read, {} documents stored", report.entries, report.loaded.documents);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Store a page only if it is new:
//!
//! ```
//! # #[cfg(feature = "archives")] {
//! use nddb::detect::{Judgement, OnlineDetector, document_of_page};
//! # use nddb::{Config, Writer, sketch::Recipe, text::Page};
//! # let folder = tempfile::tempdir()?;
//! # let mut writer = Writer::create(folder.path().join("db"), &Config::within(3)?)?;
//! # let page = Page::text("The quick brown fox jumps over the lazy dog");
//! let detector = OnlineDetector::usual(writer.view());
//! let document = document_of_page("second", &page, &Recipe::default())?;
//! match detector.insert_if_new(&mut writer, document)? {
//!     Judgement::Inserted { .. } => println!("new"),
//!     Judgement::Duplicate { of, .. } => println!("a near-duplicate of {}, by {}", of.id, of.rule),
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Pairs, and clusters with the document to keep of each:
//!
//! ```
//! # #[cfg(feature = "archives")] {
//! use nddb::detect::{ClusterOptions, Clusters, Collection, Line, MethodChoice, NearPairs, PairOptions, Resources};
//! # use nddb::{Config, Writer};
//! # let folder = tempfile::tempdir()?;
//! # let writer = Writer::create(folder.path().join("db"), &Config::within(3)?)?;
//! let view = writer.view(); // or that of a reader
//! let options = PairOptions::chosen(MethodChoice::usual(view));
//! let collection = Collection::with_deleted(view, &Resources::default(), &mut |_| true)?;
//! for line in NearPairs::find(view, &collection, &options, None)? {
//!     if let Line::Pair(pair) = line? {
//!         println!("{} and {}: {}", collection.id(pair.a), collection.id(pair.b), pair.rule);
//!     }
//! }
//! let clusters = Clusters::find(view, &collection, &ClusterOptions::new(options), None)?;
//! for found in clusters.iter(&collection)? {
//!     println!("keep {}", collection.id(found.kept));
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Write and merge runs in the background while documents are inserted:
//!
//! ```
//! # use nddb::{Config, Document, Fingerprint, Writer};
//! # let folder = tempfile::tempdir()?;
//! # let mut writer = Writer::create(folder.path().join("db"), &Config::within(3)?)?;
//! writer.merge_in_background(true);
//! writer.insert(Document::bare("page", Fingerprint(7))?)?;
//! writer.commit()?; // also publishes what the background threads have finished
//! writer.close()?; // waits for the last merge
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` of this crate has whole programs.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `catalog` (default) | databases: ids, records, changes. It needs RocksDB, which takes minutes to compile |
//! | `pages` (default) | [`text`], [`sketch`], [`compare`]: HTML, text and Unicode tables |
//! | `archives` (default) | [`archive`], [`ingest`], [`detect`], [`verdict`]: archives, pairs, clusters, verdicts |
//! | `parquet` | Parquet and Arrow files as inputs: some 40 crates more |
//! | `cloud` | objects of S3, Google Cloud, Azure and HTTP servers as inputs: some 70 crates more |
//! | `jobs` | `nddb::jobs`: `dedup`, `filter`, `against` and `export` of files, which documents to remove, rows of outputs |
//! | `evaluate` | `nddb::evaluate`: precision and recall on labelled pairs, reports, audits |
//!
//! Without default features there is the [`StaticIndex`] alone: fingerprints with numbers, built once. It compiles in
//! seconds, without C or C++: of its 28 crates `linux-raw-sys` has the name of a binding, but is Rust.

#![forbid(unsafe_code)]

#[cfg(feature = "archives")]
#[doc(inline)]
pub use nddb_dedup::ingest;
#[cfg(feature = "catalog")]
pub use nddb_index::{
    Answer, BackupReport, BackupSummary, BatchMatch, BatchMatches, BulkLoad, CheckOptions, CheckReport, Compacted,
    CompactionPlan, Document, Fault, Federation, FingerprintSet, LastCheck, Loaded, Neighbor, Outcome, Part,
    PartedAnswer, Passage, PassageLimits, PassageMatch, Passages, Reader, RebuildOptions, RebuildWhat, Rebuilt, Repeat,
    Retention, SetWriter, SharedReader, Stats, Stored, View, WorkFolder, Writer, backup, backup_and_keep, check,
    rebuild, restore, restored_from, verify_backup,
};
pub use nddb_index::{
    Config, Error, Fingerprint, Match, Matches, NextStep, Progress, Resources, Result, Search, StaticIndex,
    StaticIndexBuilder, Verify, Watch, Within, Work, planner, raise_open_files,
};

#[cfg(feature = "evaluate")]
pub use nddb_evaluate as evaluate;

/// Jobs: files in, files out. Copies without near-duplicates or without the documents of lists, documents of one
/// collection that are in others, web archives with revisit records, tables of all documents; which documents to remove,
/// and the fields and rows of all outputs.
#[cfg(feature = "jobs")]
pub mod jobs {
    pub use nddb_jobs::{
        Advice, JobError, Result, against, answers, clusters, dedup, export, fields, filter, opened_documents, output,
        packed, removed, revisits, rows,
    };
}

#[doc(inline)]
pub use nddb_format::record::{ShownId, digits_of, number_id};

/// Archives: the documents in the files of a crawl, and their positions.
#[cfg(feature = "archives")]
pub mod archive {
    pub use nddb_archive::{
        ArchiveError, ArchiveIdentity, ByteRange, Entry, EntryContent, Format, HttpParts, IdFrom, Input, Inputs,
        JsonFields, Limits, Links, Located, Options, OtherKind, PageEntry, Position, Ranges, Reason, ResumePoint,
        Revisited, Selected, Selection, SketchEntry, UnknownFormatName, Utf8Reader, WholeRecord, absolute,
        date_of_number, date_of_text, expand, format_date, identity, path_of, read_page, read_record, repaired_line,
        text_of, trimmed_line,
    };
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub use nddb_archive::{Compression, Response, WarcWriter};
}

/// Comparisons of two texts: trustable longest common subsequence, and the words that differ.
#[cfg(feature = "pages")]
pub mod compare {
    pub use nddb_verdict::compare::lcs;
}

/// Near-duplicate detection: pairs, clusters and the online verdict.
#[cfg(feature = "archives")]
pub mod detect {
    pub use nddb_dedup::{
        Cluster, ClusterOptions, ClusterSummary, Clusters, Collection, ExactPassage, Group, Judgement, Keep, Line,
        MethodChoice, NearDuplicate, NearDuplicates, NearPairs, OnlineDetector, Pair, PairOptions, PairSummary,
        Resources, WordsFrom, cluster, cluster_with_members, document_of_page, document_with_words, exact_passages,
        pairs, stored_words,
    };

    /// What options are made of, beside their defaults.
    pub mod options {
        pub use nddb_dedup::{GROUP_LIMIT, Held, Overrules, TextScope, UnknownKeep, UnknownWords, Verification, check};
    }

    /// What results are made of: members of groups and clusters, losses, and texts that could not be read.
    pub mod outcome {
        pub use nddb_dedup::{
            Descriptions, GroupKind, KnownLoss, Member, MemberDecision, MemberVerdict, PairLoss, PartedNearDuplicates,
            SetSummary, ShingleSummary, UnreadReason, UnreadTexts, Verified, WordSource, is_thin_document,
        };
    }

    /// The steps of detection one by one, for engines that distribute them: keys, candidates, decisions and founders.
    pub mod steps {
        pub use nddb_dedup::{
            Choose, Decided, NearTables, Numbered, Posting, Postings, Printed, Properties, Row, Stars, candidate_keys,
            compared, content_hash, decide_stored, decided, properties, read_page, stored_pair,
        };
    }
}

/// Methods and their evidence: what one needs to choose the parameters of a method, or to write one.
#[cfg(feature = "archives")]
pub mod verdict {
    pub use nddb_verdict::compare::{Edit, TermDifference, content_difference, term_difference, whole_difference};
    pub use nddb_verdict::{
        Besides, Bound, Candidates, CloneMethod, Column, ColumnKind, Comparison, Constants, Decider, Decision,
        DocumentPair, Estimate, Explanation, FEATURE_COUNT, FEATURES, Feature, FeatureValues, GROUPS, Groups, Keys,
        Kinds, Known, Level, Limit, Loss, Measures, Method, OutOfReach, Parameter, ParameterError, ParameterValue,
        PartLoss, Piece, PreparedText, Ratios, Reason, SetOptions, Setting, TextComparer, TextVerdict, UnknownLevel,
        UnknownMethod, UnknownRatio, Value, Verdict, Words, columns, default_of, methods, outside, sentence,
    };
}

/// What the interface shows of the file format: the records of the catalog, schemes, and why bytes are refused.
pub mod format {
    pub use nddb_format::FormatError;
    pub use nddb_format::document_keys::KeyKinds;
    pub use nddb_format::parts::{Part, Parts};
    pub use nddb_format::record::{Archive, Batch, BatchState, Head, Reading, Record, Settings, SourcePosition};
    pub use nddb_format::scheme::Scheme;
}

/// Scans of the files of runs one by one, for engines that distribute many queries.
pub mod scan {
    #[cfg(feature = "catalog")]
    pub use nddb_index::{Resolving, ScanRange};
    pub use nddb_index::{scan_blocks, scan_segment, scan_segments};
}

/// Sketches of pages: fingerprints, min-values, projections and profiles, by named recipes.
#[cfg(feature = "pages")]
pub mod sketch {
    pub use nddb_page::sketch::{
        Derivation, Explanation, Feature, Features, FingerprintKind, Frequencies, LeadingWords, MinHash, Numbers,
        PART_WORDS, PARTS_WINDOW, PARTS_WINDOW_MAX, PageWords, Profile, Projection, Recipe, RecipeError,
        SignatureRules, Sketch, Stemmer, StopWords, WHOLE_WORDS, WeightTable, page_words, placed_words, simhash_of,
    };
}

/// What [`Stats`] is made of.
#[cfg(feature = "catalog")]
pub mod stats {
    pub use nddb_index::{BytesByKind, FileStats, RunStats, SchemeStats};
}

/// The text of pages: their content and its terms, their site.
#[cfg(feature = "pages")]
pub mod text {
    pub use nddb_page::text::{
        BlockKind, Headings, Page, PageKind, SiteRule, TextBlock, Tokens, compared_text, host_of, text_blocks, tokens,
    };
}
