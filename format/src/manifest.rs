//! The manifest: the one file that names the files of the database (SPEC 8). It is replaced, never edited.

use crate::digest::Digest;
use crate::error::malformed;
use crate::fields::{self, Field, check_crc, check_size, layout};
use crate::fingerprint::check_bits;
use crate::keys;
use crate::postings::NUMBER_END;
use crate::scheme::{K_MAX, LEVELS_MAX, Scheme};
use crate::{FormatError, Result};

/// Magic of a manifest.
pub const MAGIC: &[u8; 8] = b"\x89nddbM\r\n";
/// The greatest size of a manifest that a reader accepts, in bytes.
pub const SIZE_MAX: usize = 64 << 20;

layout! {
    /// The fields before the run entries.
    FIELDS of a file;
    /// Width of a fingerprint, in bits.
    BITS: 1, "bits";
    /// Greatest distance that every run answers.
    K: 1, "k";
    /// Zero.
    RESERVED: 2, "reserved";
    /// Features that a reader must support: bit 0, intervals (SPEC 9.8); bit 1, summaries (SPEC 8.7); bit 2, a set
    /// (SPEC 8.10).
    FEATURES: 8, "features";
    /// Number of the manifest; grows by one with each replacement.
    GENERATION: 8, "generation";
    /// S: every live fingerprint whose document number is below S is in a run.
    COMPLETE: 8, "complete";
    /// The catalog's commit counter when this manifest was written.
    COMMITS: 8, "commits";
    /// The next file number; no number is used twice.
    NEXT_FILE: 8, "next_file";
    /// Identity of the catalog this manifest belongs to.
    CATALOG: 16, "catalog";
    /// The deleted set's file: a file entry, all zero if there is none.
    DELETED: FILE_SIZE, "deleted";
    /// The deleted set's file contains the `deleted` rows of the catalog up to this generation.
    FOLDED: 8, "folded";
    /// Number of runs.
    RUNS: 4, "runs";
    /// Number of times that numbers have left the deleted set: a reader that sees another value reads the catalog
    /// again.
    PURGED: 4, "purged";
    /// Restart interval of all runs of a set. This field and the next three are only in the manifest of a set.
    SET_RESTART: 2, "set_restart";
    /// Number of levels of the scheme of all runs of a set.
    SET_LEVELS: 1, "set_levels";
    /// Groups of each level, zero after the last.
    SET_GROUPS: LEVELS_MAX, "set_groups";
    /// Zero.
    SET_RESERVED: 1, "set_reserved";
}

layout! {
    /// The fields of a file entry.
    FILE_FIELDS;
    /// Number of the file; its name is that number in 8 or more hexadecimal digits.
    FILE_NUMBER: 8, "number";
    /// Length of the file in bytes.
    FILE_LENGTH: 8, "length";
    /// Identity of the file.
    FILE_IDENTITY: 8, "identity";
    /// CRC-32 of all bytes of the file.
    FILE_CHECKSUM: 4, "checksum";
    /// Zero.
    FILE_RESERVED: 4, "reserved";
}
/// Bytes of a file entry.
pub const FILE_SIZE: usize = FILE_RESERVED.end();

layout! {
    /// The fields of a run entry before its segments.
    RUN_FIELDS;
    /// Least document number of the run's range.
    RUN_LOW: 8, "low";
    /// One more than the greatest document number of the range.
    RUN_HIGH: 8, "high";
    /// Number of fingerprints.
    RUN_FINGERPRINTS: 8, "fingerprints";
    /// Number of document numbers.
    RUN_DOCUMENTS: 8, "documents";
    /// Digest of the fingerprints.
    RUN_DIGEST: 16, "set_digest";
    /// Restart interval of the scheme.
    RUN_RESTART: 2, "restart";
    /// Number of levels of the scheme.
    RUN_LEVELS: 1, "levels";
    /// Groups of each level, zero after the last.
    RUN_GROUPS: LEVELS_MAX, "groups";
    /// The greatest number of merges that have rewritten a document of the run; of no effect on reading.
    RUN_REWRITES: 1, "rewrites";
    /// The postings file: a file entry. The t segments follow.
    RUN_POSTINGS: FILE_SIZE, "postings";
    /// Number of keys; 0 if the run has no key table.
    RUN_KEYS: 8, "keys";
    /// Number of pairs of a key and a document number.
    RUN_KEY_PAIRS: 8, "key_pairs";
    /// Digest of the keys.
    RUN_KEY_DIGEST: 16, "key_digest";
    /// The key table's postings: a file entry.
    RUN_KEY_POSTINGS: FILE_SIZE, "key_postings";
    /// The key table's segment: a file entry.
    RUN_KEY_SEGMENT: FILE_SIZE, "key_segment";
    /// The summaries: a file entry, all zero if there are none. Only in a manifest with the feature.
    RUN_SUMMARIES: FILE_SIZE, "summaries";
}
/// Bit of the feature "intervals": the catalog may have intervals.
const INTERVALS: u64 = 1;
/// Bit of the feature "summaries": run entries have summaries.
const SUMMARIES: u64 = 1 << 1;
/// Bit of the feature "set": fingerprints without documents.
const SET: u64 = 1 << 2;
/// Size of the fixed part, but for the fields of a set.
const FIXED_SIZE: usize = PURGED.end();
const CHECKSUM_SIZE: usize = 4;

const WHAT: &str = "manifest";

/// A file of the database, as the manifest describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileEntry {
    /// Number of the file.
    pub number: u64,
    /// Length in bytes.
    pub length: u64,
    /// Identity, equal to the one in the header of the file.
    pub identity: u64,
    /// CRC-32 of all its bytes.
    pub checksum: u32,
}

impl FileEntry {
    fn encode(&self) -> [u8; FILE_SIZE] {
        let mut bytes = [0; FILE_SIZE];
        FILE_NUMBER.put(&mut bytes, self.number);
        FILE_LENGTH.put(&mut bytes, self.length);
        FILE_IDENTITY.put(&mut bytes, self.identity);
        FILE_CHECKSUM.put(&mut bytes, u64::from(self.checksum));
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        FILE_RESERVED.expect_zero("manifest file entry", bytes)?;
        Ok(Self {
            number: FILE_NUMBER.get(bytes),
            length: FILE_LENGTH.get(bytes),
            identity: FILE_IDENTITY.get(bytes),
            checksum: FILE_CHECKSUM.get(bytes) as u32,
        })
    }
}

/// A run's key table: one segment of the keys of its documents, and their postings (SPEC 8.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTable {
    /// Number of keys.
    pub keys: u64,
    /// Number of pairs of a key and a document number.
    pub pairs: u64,
    /// Digest of the keys.
    pub set_digest: Digest,
    /// The postings file.
    pub postings: FileEntry,
    /// The segment.
    pub segment: FileEntry,
}

/// A run: t segments of one set of fingerprints, their postings, and perhaps a key table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEntry {
    /// Least document number of the range.
    pub low: u64,
    /// One more than the greatest document number of the range.
    pub high: u64,
    /// Number of fingerprints.
    pub fingerprints: u64,
    /// Number of document numbers.
    pub documents: u64,
    /// Digest of the fingerprints, the same for each segment.
    pub set_digest: Digest,
    /// The greatest number of merges that have rewritten a document of the run.
    pub rewrites: u8,
    /// The scheme of the segments.
    pub scheme: Scheme,
    /// The postings file.
    pub postings: FileEntry,
    /// The segments, in the order of the scheme's tables.
    pub segments: Vec<FileEntry>,
    /// The key table, if any document of the run has a key.
    pub keys: Option<KeyTable>,
    /// The file of summaries, if there is one.
    pub summaries: Option<FileEntry>,
}

impl RunEntry {
    /// Returns the key table as an entry of its own: a run of keys, with one table.
    ///
    /// # Errors
    /// [`FormatError::Scheme`] if the restart interval of the run is out of range.
    pub fn key_run(&self) -> Result<Option<Self>> {
        let entry = |table: &KeyTable| {
            Ok(Self {
                fingerprints: table.keys,
                documents: table.pairs,
                set_digest: table.set_digest,
                scheme: keys::scheme(self.scheme.restart())?,
                postings: table.postings,
                segments: vec![table.segment],
                keys: None,
                summaries: None,
                ..*self
            })
        };
        self.keys.as_ref().map(entry).transpose()
    }

    /// Returns whether the run has postings: all runs have, but for those of a set.
    pub fn has_postings(&self) -> bool {
        self.postings != FileEntry::default()
    }

    /// Returns the files of the run: postings, segments, those of the key table, summaries.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        let keys = self.keys.iter().flat_map(|table| [&table.postings, &table.segment]);
        Some(&self.postings)
            .filter(|_| self.has_postings())
            .into_iter()
            .chain(&self.segments)
            .chain(keys)
            .chain(&self.summaries)
    }

    /// Returns the bytes of the files of the run.
    pub fn size(&self) -> u64 {
        self.files().map(|file| file.length).sum()
    }
}

/// The state of the runs at one generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Width of a fingerprint, in bits.
    pub bits: u8,
    /// Greatest distance that every run answers.
    pub k: u8,
    /// Number of the manifest.
    pub generation: u64,
    /// S: every live fingerprint whose document number is below S is in a run.
    pub complete: u64,
    /// The catalog's commit counter when this manifest was written.
    pub commits: u64,
    /// The next file number.
    pub next_file: u64,
    /// Identity of the catalog.
    pub catalog: u128,
    /// The deleted set's file, if any.
    pub deleted: Option<FileEntry>,
    /// The deleted set's file contains the `deleted` rows of the catalog up to this generation.
    pub folded: u64,
    /// Number of times that numbers have left the deleted set, because no row and no run has their documents any
    /// more.
    pub purged: u32,
    /// The catalog may have intervals, which a reader must support (SPEC 9.8).
    pub intervals: bool,
    /// The scheme of all runs, of a set: fingerprints without documents (SPEC 8.10).
    pub set: Option<Scheme>,
    /// The runs, in ascending order of their number ranges.
    pub runs: Vec<RunEntry>,
}

impl Manifest {
    /// Returns the manifest of a new, empty database.
    pub fn new(bits: u8, k: u8, catalog: u128) -> Self {
        Self {
            bits,
            k,
            generation: 1,
            complete: 0,
            commits: 0,
            next_file: 1,
            catalog,
            deleted: None,
            folded: 0,
            purged: 0,
            intervals: false,
            set: None,
            runs: Vec::new(),
        }
    }

    /// Returns the size of a run entry before its segments.
    fn run_size(features: u64) -> usize {
        if features & SUMMARIES == 0 { RUN_KEY_SEGMENT.end() } else { RUN_SUMMARIES.end() }
    }

    fn features(&self) -> u64 {
        let has_summaries = self.runs.iter().any(|run| run.summaries.is_some());
        let bits = [(self.intervals, INTERVALS), (has_summaries, SUMMARIES), (self.set.is_some(), SET)];
        bits.into_iter().filter(|(has, _)| *has).map(|(_, bit)| bit).sum()
    }

    /// Encodes the manifest.
    pub fn encode(&self) -> Vec<u8> {
        let features = self.features();
        let mut bytes = vec![0; FIXED_SIZE];
        fields::put_start(&mut bytes, MAGIC);
        FEATURES.put(&mut bytes, features);
        BITS.put(&mut bytes, u64::from(self.bits));
        K.put(&mut bytes, u64::from(self.k));
        GENERATION.put(&mut bytes, self.generation);
        COMPLETE.put(&mut bytes, self.complete);
        COMMITS.put(&mut bytes, self.commits);
        NEXT_FILE.put(&mut bytes, self.next_file);
        CATALOG.put_wide(&mut bytes, self.catalog);
        bytes[DELETED.offset..DELETED.end()].copy_from_slice(&self.deleted.unwrap_or_default().encode());
        FOLDED.put(&mut bytes, self.folded);
        RUNS.put(&mut bytes, self.runs.len() as u64);
        PURGED.put(&mut bytes, self.purged.into());
        if let Some(scheme) = &self.set {
            bytes.resize(SET_RESERVED.end(), 0);
            SET_RESTART.put(&mut bytes, u64::from(scheme.restart()));
            SET_LEVELS.put(&mut bytes, scheme.levels().len() as u64);
            bytes[SET_GROUPS.offset..][..scheme.levels().len()].copy_from_slice(scheme.levels());
        }
        for run in &self.runs {
            let mut entry = vec![0; Self::run_size(features)];
            RUN_LOW.put(&mut entry, run.low);
            RUN_HIGH.put(&mut entry, run.high);
            RUN_FINGERPRINTS.put(&mut entry, run.fingerprints);
            RUN_DOCUMENTS.put(&mut entry, run.documents);
            RUN_DIGEST.put_wide(&mut entry, run.set_digest.0);
            RUN_RESTART.put(&mut entry, u64::from(run.scheme.restart()));
            RUN_LEVELS.put(&mut entry, run.scheme.levels().len() as u64);
            RUN_REWRITES.put(&mut entry, run.rewrites.into());
            entry[RUN_GROUPS.offset..][..run.scheme.levels().len()].copy_from_slice(run.scheme.levels());
            entry[RUN_POSTINGS.offset..RUN_POSTINGS.end()].copy_from_slice(&run.postings.encode());
            if let Some(table) = run.keys {
                RUN_KEYS.put(&mut entry, table.keys);
                RUN_KEY_PAIRS.put(&mut entry, table.pairs);
                RUN_KEY_DIGEST.put_wide(&mut entry, table.set_digest.0);
                entry[RUN_KEY_POSTINGS.offset..RUN_KEY_POSTINGS.end()].copy_from_slice(&table.postings.encode());
                entry[RUN_KEY_SEGMENT.offset..RUN_KEY_SEGMENT.end()].copy_from_slice(&table.segment.encode());
            }
            if let Some(summaries) = run.summaries {
                entry[RUN_SUMMARIES.offset..].copy_from_slice(&summaries.encode());
            }
            bytes.extend_from_slice(&entry);
            run.segments.iter().for_each(|file| bytes.extend_from_slice(&file.encode()));
        }
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Decodes a manifest.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        fields::check_start("manifest", bytes, MAGIC, FIXED_SIZE + CHECKSUM_SIZE)?;
        if bytes.len() > SIZE_MAX {
            return malformed(WHAT, SIZE_MAX, "a manifest has at most 64 MiB");
        }
        let body = bytes.len() - CHECKSUM_SIZE;
        check_crc(WHAT, bytes, Field { offset: body, size: CHECKSUM_SIZE, name: "checksum" })?;
        RESERVED.expect_zero(WHAT, bytes)?;
        let features = FEATURES.get(bytes);
        if features & !(INTERVALS | SUMMARIES | SET) != 0 {
            return Err(FormatError::Version {
                what: "manifest with features",
                found: u16::MAX,
                newest: fields::FORMAT,
            });
        }
        let (bits, k) = (BITS.get(bytes) as u8, K.get(bytes) as u8);
        check_bits(bits)?;
        if k > K_MAX || k >= bits {
            return malformed(WHAT, K.offset, "k is at most 7 and less than bits");
        }
        let deleted = FileEntry::decode(DELETED.bytes(bytes))?;
        let mut manifest = Self {
            bits,
            k,
            generation: GENERATION.get(bytes),
            complete: COMPLETE.get(bytes),
            commits: COMMITS.get(bytes),
            next_file: NEXT_FILE.get(bytes),
            catalog: CATALOG.get_wide(bytes),
            deleted: (deleted != FileEntry::default()).then_some(deleted),
            folded: FOLDED.get(bytes),
            purged: PURGED.get(bytes) as u32,
            intervals: features & INTERVALS != 0,
            set: None,
            runs: Vec::new(),
        };
        let mut at = FIXED_SIZE;
        if features & SET != 0 {
            at = SET_RESERVED.end();
            check_size(WHAT, bytes, at + CHECKSUM_SIZE)?;
            SET_RESERVED.expect_zero(WHAT, bytes)?;
            if features != SET || manifest.deleted.is_some() {
                return malformed(WHAT, FEATURES.offset, "a set has no documents, and so no other features");
            }
            let levels = levels(SET_LEVELS.get(bytes), SET_GROUPS.bytes(bytes), SET_LEVELS.offset)?;
            manifest.set = Some(Scheme::new(bits, k, levels, SET_RESTART.get(bytes) as u16)?);
        }
        for _ in 0..RUNS.get(bytes) {
            let run = manifest.decode_run(&bytes[..body], Self::run_size(features), &mut at)?;
            manifest.runs.push(run);
        }
        if at != body {
            return malformed(WHAT, at, "nothing stands between the last run and the checksum");
        }
        if manifest.features() != features {
            return malformed(WHAT, FEATURES.offset, "a manifest has the bit of summaries if a run has them");
        }
        manifest.check_files()?;
        Ok(manifest)
    }

    /// Returns whether these are the bytes of the manifest of a set, which may be damaged.
    pub fn is_of_set(bytes: &[u8]) -> bool {
        bytes.len() > FIXED_SIZE && bytes.starts_with(MAGIC) && FEATURES.get(bytes) & SET != 0
    }

    fn decode_run(&self, bytes: &[u8], run_size: usize, at: &mut usize) -> Result<RunEntry> {
        let start = *at;
        check_size(WHAT, bytes, start + run_size)?;
        let entry = &bytes[start..start + run_size];
        let levels = levels(RUN_LEVELS.get(entry), RUN_GROUPS.bytes(entry), start + RUN_LEVELS.offset)?;
        let scheme = Scheme::new(self.bits, self.k, levels, RUN_RESTART.get(entry) as u16)?;
        let (low, high) = (RUN_LOW.get(entry), RUN_HIGH.get(entry));
        let follows = self.runs.last().is_none_or(|before| before.high <= low);
        if !follows || low >= high || high > self.complete || high > NUMBER_END {
            return malformed(WHAT, start, "runs ascend, do not overlap and end at 'complete' at most");
        }
        let (fingerprints, documents) = (RUN_FINGERPRINTS.get(entry), RUN_DOCUMENTS.get(entry));
        if fingerprints == 0 || documents < fingerprints || documents > high - low {
            return malformed(
                WHAT,
                start + RUN_DOCUMENTS.offset,
                "each fingerprint has a document, each document a number of the range",
            );
        }
        let tables = scheme.tables().len();
        let end = start + run_size + tables * FILE_SIZE;
        check_size(WHAT, bytes, end)?;
        let segments =
            bytes[start + run_size..end].chunks_exact(FILE_SIZE).map(FileEntry::decode).collect::<Result<_>>()?;
        let keys = decode_keys(entry, start, documents)?;
        let summaries = entry.get(RUN_SUMMARIES.offset..).filter(|bytes| bytes.len() == FILE_SIZE);
        let summaries = summaries.map(FileEntry::decode).transpose()?.filter(|file| *file != FileEntry::default());
        let postings = FileEntry::decode(RUN_POSTINGS.bytes(entry))?;
        let is_bare = postings == FileEntry::default() && keys.is_none() && documents == fingerprints;
        if self.set.as_ref().is_some_and(|set| !is_bare || *set != scheme || documents != high - low) {
            return malformed(
                WHAT,
                start,
                "a run of a set has its scheme, an ordinal for each fingerprint, only segments",
            );
        }
        if self.set.is_none() && postings == FileEntry::default() {
            return malformed(WHAT, start + RUN_POSTINGS.offset, "a run has postings");
        }
        *at = end;
        Ok(RunEntry {
            low,
            high,
            fingerprints,
            documents,
            set_digest: Digest(RUN_DIGEST.get_wide(entry)),
            rewrites: RUN_REWRITES.get(entry) as u8,
            scheme,
            postings,
            segments,
            keys,
            summaries,
        })
    }

    /// Returns every file that the manifest names.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.deleted.iter().chain(self.runs.iter().flat_map(RunEntry::files))
    }

    fn check_files(&self) -> Result<()> {
        let mut numbers: Vec<u64> = self.files().map(|file| file.number).collect();
        numbers.sort_unstable();
        let distinct = numbers.windows(2).all(|pair| pair[0] != pair[1]);
        if !distinct || numbers.first() == Some(&0) || numbers.last().is_some_and(|&last| last >= self.next_file) {
            return malformed(WHAT, NEXT_FILE.offset, "file numbers are distinct, above 0 and below next_file");
        }
        Ok(())
    }
}

/// Returns the levels of a scheme, of which there are `len`.
fn levels(len: u64, groups: &[u8], offset: usize) -> Result<&[u8]> {
    match groups.split_at_checked(len as usize) {
        Some((levels, rest)) if rest.iter().all(|&byte| byte == 0) => Ok(levels),
        _ => malformed(WHAT, offset, "a scheme has at most 4 levels, zeros after them"),
    }
}

/// Decodes the key table of a run entry that begins at `start` and has this number of documents.
fn decode_keys(entry: &[u8], start: usize, documents: u64) -> Result<Option<KeyTable>> {
    if RUN_KEYS.get(entry) == 0 {
        if entry[RUN_KEYS.offset..RUN_KEY_SEGMENT.end()].iter().any(|&byte| byte != 0) {
            return malformed(WHAT, start + RUN_KEYS.offset, "without keys the fields of the key table are zero");
        }
        return Ok(None);
    }
    let (keys, pairs) = (RUN_KEYS.get(entry), RUN_KEY_PAIRS.get(entry));
    let most = documents.saturating_mul(keys);
    if keys > 1 << keys::KEY_BITS || pairs < keys || pairs > most {
        return malformed(WHAT, start + RUN_KEYS.offset, "each key has a document, and each pair is there once");
    }
    Ok(Some(KeyTable {
        keys,
        pairs,
        set_digest: Digest(RUN_KEY_DIGEST.get_wide(entry)),
        postings: FileEntry::decode(RUN_KEY_POSTINGS.bytes(entry))?,
        segment: FileEntry::decode(RUN_KEY_SEGMENT.bytes(entry))?,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(runs: u64) -> Manifest {
        let mut next_file = 2;
        let mut file = |length| {
            next_file += 1;
            FileEntry { number: next_file, length, identity: !length, checksum: length as u32 ^ 77 }
        };
        let runs = (0..runs)
            .map(|run| {
                let scheme = Scheme::new(64, 3, if run == 1 { &[4, 4] } else { &[5] }, 32).expect("a scheme");
                RunEntry {
                    low: run * 1000,
                    high: run * 1000 + 900,
                    fingerprints: 800,
                    documents: 850,
                    set_digest: Digest(1 << 100 | u128::from(run)),
                    rewrites: 3 + run as u8,
                    postings: file(4000),
                    segments: scheme.tables().iter().map(|_| file(50_000)).collect(),
                    scheme,
                    keys: (run != 2).then(|| KeyTable {
                        keys: 1700,
                        pairs: 1900,
                        set_digest: Digest(1 << 90 | u128::from(run)),
                        postings: file(6000),
                        segment: file(9000),
                    }),
                    summaries: (run == 1).then(|| file(70_000)),
                }
            })
            .collect();
        let deleted = Some(FileEntry { number: 1, length: 20, identity: 0, checksum: 5 });
        Manifest {
            generation: 7,
            complete: 5000,
            commits: 40,
            next_file: 1000,
            deleted,
            folded: 3,
            purged: 9,
            runs,
            ..Manifest::new(64, 3, 1 << 90)
        }
    }

    /// The manifest of a set with this number of runs.
    fn set(runs: u64) -> Manifest {
        let scheme = Scheme::new(64, 3, &[5], 32).expect("a scheme");
        let mut manifest = Manifest { deleted: None, set: Some(scheme.clone()), ..sample(0) };
        for mut run in sample(runs).runs {
            let next_file = manifest.next_file;
            run.segments = vec![run.postings; scheme.tables().len()];
            (0..).zip(&mut run.segments).for_each(|(table, file)| file.number = next_file + table);
            manifest.next_file += scheme.tables().len() as u64;
            let high = run.low + run.fingerprints;
            let (documents, scheme, postings) = (run.fingerprints, scheme.clone(), FileEntry::default());
            manifest.runs.push(RunEntry { high, documents, scheme, postings, keys: None, summaries: None, ..run });
        }
        manifest
    }

    #[test]
    fn a_manifest_reads_as_it_was_written() {
        let with_intervals = Manifest { intervals: true, ..sample(1) };
        let all =
            [Manifest::new(64, 3, 5), Manifest::new(8, 7, 0), sample(1), sample(3), with_intervals, set(0), set(3)];
        for manifest in all {
            assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest));
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_found() {
        let mut bytes = sample(2).encode();
        for length in 0..bytes.len() {
            assert!(Manifest::decode(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Manifest::decode(&bytes).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn rules_between_fields_are_checked() {
        let bad = |change: fn(&mut Manifest)| {
            let mut manifest = sample(3);
            change(&mut manifest);
            Manifest::decode(&manifest.encode()).expect_err("a broken rule")
        };
        bad(|manifest| manifest.runs.swap(0, 1));
        bad(|manifest| manifest.runs[0].high = 1001);
        bad(|manifest| manifest.complete = 2899);
        bad(|manifest| manifest.runs[1].documents = 901);
        bad(|manifest| manifest.runs[1].fingerprints = 0);
        bad(|manifest| manifest.next_file = 10);
        bad(|manifest| manifest.runs[0].postings.number = 1);
        bad(|manifest| manifest.runs[0].keys.iter_mut().for_each(|table| table.pairs = table.keys - 1));
        bad(|manifest| manifest.runs[0].keys.iter_mut().for_each(|table| table.keys = 0));
        bad(|manifest| manifest.runs[0].keys.iter_mut().for_each(|table| table.segment = table.postings));
        bad(|manifest| manifest.runs[1].summaries = Some(manifest.runs[1].postings));
        bad(|manifest| manifest.k = 8);
        let mut bytes = sample(1).encode();
        FEATURES.put(&mut bytes, SUMMARIES);
        let body = bytes.len() - CHECKSUM_SIZE;
        let checksum = crc32fast::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(&checksum.to_le_bytes());
        assert!(Manifest::decode(&bytes).is_err());
    }

    #[test]
    fn a_newer_manifest_is_refused_by_name() {
        let mut bytes = sample(1).encode();
        fields::READER_MIN.put(&mut bytes, 9);
        assert_eq!(Manifest::decode(&bytes), Err(FormatError::Version { what: "manifest", found: 9, newest: 1 }));
    }

    proptest! {
        #[test]
        fn random_bytes_with_a_valid_checksum_never_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let mut bytes = sample(2).encode();
            let body = bytes.len() - 4;
            for (offset, value) in changes {
                bytes[offset.index(body)] = value;
            }
            let checksum = crc32fast::hash(&bytes[..body]);
            bytes[body..].copy_from_slice(&checksum.to_le_bytes());
            if let Ok(manifest) = Manifest::decode(&bytes) {
                prop_assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest));
            }
        }
    }
}
