//! Makes the seeds of the fuzz targets out of the golden databases: their files, and for `decode_record` the
//! keys and values of their catalogs. What no golden database holds (larger segments, deleted sets, records with all
//! parts, summaries) is made of it. Archives and pages are made in `archives`.
//!
//! `cargo run --example fuzz_seeds [CORPUS]`, where CORPUS is `tests/fuzz/corpus` if it is not given.

mod archives;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use nddb::{Fingerprint, FingerprintSet, Reader, View};
use nddb_format::digest::mix;
use nddb_format::manifest::{FileEntry, Manifest};
use nddb_format::record::{
    self, Archive, Counters, Interval, IntervalGroup, Print, Range, RangeState, Reading, Record, SourcePosition,
};
use nddb_format::scheme::Scheme;
use nddb_format::summaries::{SummariesEncoder, SummariesSurvey, Summary};
use nddb_format::{deleted, segment};
use nddb_test_support::Golden;
use roaring::RoaringTreemap;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The folder of seeds of a target.
struct Seeds(PathBuf);

impl Seeds {
    fn of(corpus: &Path, target: &str) -> Result<Self> {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        Ok(fs::write(self.0.join(name), bytes)?)
    }
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = std::env::args_os().nth(1).map_or_else(|| root.join("fuzz/corpus"), PathBuf::from);
    for version in entries(&root.join("data"))?.into_iter().filter(|path| path.is_dir()) {
        for archive in entries(&version)? {
            let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = format!("{}-{}", name(&version), name(&archive));
            let database = Golden::unpacked(&archive);
            files(&corpus, &name, &database)?;
            if FingerprintSet::is_at(&database) {
                continue;
            }
            let reader = Reader::open(&database)?;
            larger_segments(&Seeds::of(&corpus, "decode_segment")?, &name, &database, reader.view())?;
            catalog(&Seeds::of(&corpus, "decode_record")?, &name, reader.view())?;
        }
    }
    filtered_segments(&Seeds::of(&corpus, "decode_segment")?)?;
    summaries(&Seeds::of(&corpus, "decode_summaries")?)?;
    deleted_sets(&Seeds::of(&corpus, "decode_manifest")?)?;
    archives::write(&corpus)?;
    writeln!(stdout(), "seeds in {}", corpus.display())?;
    Ok(())
}

fn entries(of: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(of)?.collect::<std::io::Result<Vec<_>>>()?;
    Ok(entries.iter().map(fs::DirEntry::path).collect())
}

/// The files of a database, by kind.
fn files(corpus: &Path, name: &str, database: &Path) -> Result<()> {
    let manifests = Seeds::of(corpus, "decode_manifest")?;
    let manifest = fs::read(database.join("MANIFEST"))?;
    manifests.write(name, &manifest)?;
    manifests.write(&format!("{name}-summaries"), with_summaries(Manifest::decode(&manifest)?).encode())?;
    for entry in fs::read_dir(database.join("runs"))? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let target = match file.rsplit_once('.') {
            Some((_, "seg")) => "decode_segment",
            Some((_, "post")) => "decode_postings",
            Some((_, "sum")) => "decode_summaries",
            Some((_, "del")) => "decode_manifest",
            _ => return Err(format!("{}: no target reads such a file", path.display()).into()),
        };
        Seeds::of(corpus, target)?.write(&format!("{name}-{file}"), fs::read(path)?)?;
    }
    Ok(())
}

/// The manifest with a file of summaries for every other run.
fn with_summaries(mut manifest: Manifest) -> Manifest {
    for run in manifest.runs.iter_mut().step_by(2) {
        run.summaries = Some(FileEntry { number: manifest.next_file, length: 5000, identity: 7, checksum: 9 });
        manifest.next_file += 1;
    }
    manifest
}

/// Segments of more than four blocks, which are decoded four at a time: the fingerprints of the database, and
/// others near them.
fn larger_segments(seeds: &Seeds, name: &str, database: &Path, view: View<'_>) -> Result<()> {
    let mut fingerprints = BTreeSet::new();
    view.each(&mut |stored| {
        fingerprints.extend([0, 0b1001, 1 << 15, 0x5a5a].map(|flips| stored.fingerprint.0 ^ flips));
        Ok(true)
    })?;
    for (ordinal, run) in Manifest::decode(&fs::read(database.join("MANIFEST"))?)?.runs.iter().enumerate() {
        let table = run.scheme.tables().len() / 2;
        let permute = |&print: &u64| run.scheme.tables()[table].permute(Fingerprint(print)).0;
        let permuted: BTreeSet<u64> = fingerprints.iter().map(permute).collect();
        let permuted: Vec<u64> = permuted.into_iter().collect();
        seeds.write(&format!("{name}-larger-{ordinal}"), segment::encode(&run.scheme, table, &permuted)?)?;
    }
    Ok(())
}

/// Segments with a bitmap and with a Bloom filter.
fn filtered_segments(seeds: &Seeds) -> Result<()> {
    for (name, bits, k, levels) in [("bitmap", 26, 1, &[2][..]), ("bloom", 64, 3, &[5]), ("keys", 40, 0, &[])] {
        let scheme = Scheme::new(bits, k, levels, 32)?;
        let values: BTreeSet<u64> = (0..1500).map(|value| mix(value) >> (64 - bits)).collect();
        let values: Vec<u64> = values.into_iter().collect();
        seeds.write(&format!("filter-{name}"), segment::encode(&scheme, 0, &values)?)?;
    }
    Ok(())
}

/// Summaries with each of their parts alone, with all of them and with none, alone and in files: of a few numbers, of
/// several pages, and with whole entries of the directory without a summary.
fn summaries(seeds: &Seeds) -> Result<()> {
    let full = summarized();
    let bare = Summary { fingerprint: full.fingerprint, id: full.id, ..Summary::default() };
    let kinds = [
        bare.clone(),
        Summary { url: full.url, ..bare.clone() },
        Summary { site: full.site, ..bare.clone() },
        Summary { url: Some(full.id), ..bare.clone() },
        Summary { is_without_terms: true, ..bare.clone() },
        Summary { digest: full.digest, ..bare.clone() },
        Summary { min_bytes: full.min_bytes, ..bare.clone() },
        Summary { supershingles: full.supershingles, ..bare.clone() },
        Summary { projection: full.projection, ..bare.clone() },
        Summary { profile: full.profile, ..bare },
        full,
    ];
    let mut encoded = Vec::new();
    for (kind, summary) in kinds.iter().enumerate() {
        let mut bytes = Vec::new();
        summary.encode_into(&mut bytes);
        seeds.write(&format!("summary-{kind}"), &bytes)?;
        encoded.push(bytes);
    }
    let mut all = encoded.iter().cycle();
    for (name, low, high, numbers) in [
        ("one", 0, 1, vec![0]),
        ("few", 1000, 1020, vec![1000, 1001, 1013, 1019]),
        ("wide", 1000, 3000, vec![1000, 1447, 1448, 2500, 2999]),
        ("gaps", 1 << 33, (1 << 33) + 100, vec![(1 << 33) + 3, (1 << 33) + 50, (1 << 33) + 70]),
        ("pages", 7, 100, (7..100).collect()),
    ] {
        let rows: Vec<(u64, &Vec<u8>)> = numbers.into_iter().zip(&mut all).collect();
        let mut survey = SummariesSurvey::default();
        rows.iter().for_each(|(number, summary)| survey.push(*number, summary));
        let mut out = Vec::new();
        let mut encoder = SummariesEncoder::new(survey.header(low, high), &mut out)?;
        for (number, summary) in rows {
            encoder.push(number, summary, &mut out)?;
        }
        encoder.finish(&mut out)?;
        seeds.write(&format!("file-{name}"), out)?;
    }
    Ok(())
}

/// A summary with all parts, and a profile with three words in its title, none in its headings and two numbers.
fn summarized() -> Summary<'static> {
    let mut profile: [u8; record::PROFILE] = std::array::from_fn(|i| i as u8);
    profile[84..130].fill(0);
    profile[84..94].copy_from_slice(&[3, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
    profile[130..176].fill(0);
    profile[176..192].fill(0xff);
    profile[176..182].copy_from_slice(&[2, 0, 5, 5, 6, 6]);
    Summary {
        fingerprint: 0x0123_4567_89ab_cdef,
        id: "urn:é",
        url: Some("http://example.org/a/page"),
        site: Some("example.org"),
        is_without_terms: true,
        digest: Some([7; 16]),
        min_bytes: Some(std::array::from_fn(|i| i as u8)),
        supershingles: Some([1, 2, 3, 4, 5, 6]),
        projection: Some([u64::MAX; 6]),
        profile: Some(profile),
        tokens: Some(700),
    }
}

/// Keys and values of a catalog: of the documents one for each set of parts that records have.
fn catalog(seeds: &Seeds, name: &str, view: View<'_>) -> Result<()> {
    let mut kinds = BTreeMap::new();
    view.each(&mut |stored| {
        kinds.entry(stored.record.encode()[1..3].to_vec()).or_insert(stored);
        Ok(true)
    })?;
    for (kind, stored) in kinds.into_values().enumerate() {
        let (number, fingerprint) = (stored.number, stored.fingerprint.0);
        let values = |name: &str, record: &Record| seeds.write(&format!("{name}-record-{kind}"), record.encode());
        values(name, &stored.record)?;
        let source = Some(SourcePosition { archive: 1, offset: 1 << 33, inner: 70, length: 4000 });
        values(&format!("{name}-more"), &Record { source, truncated: true, ..stored.record.clone() })?;
        let print = Print { fingerprint, unprinted: stored.unprinted };
        seeds.write(&format!("{name}-print-{kind}"), print.encode())?;
        seeds.write(&format!("{name}-id-{kind}"), record::id_key(&stored.record.id, number))?;
        let keys: [(&str, Vec<u8>); 7] = [
            ("number", record::number_key(number).into()),
            ("deleted", record::deleted_key(view.generation(), number)),
            ("replaced", record::replaced_key(1, number)),
            ("range", record::range_key(number)),
            ("interval-key", record::interval_key(number)),
            ("gone", record::gone_key(number)),
            ("stretch", record::encode_stretch(&(1000..1000 + number + 2))),
        ];
        for (key, bytes) in keys {
            seeds.write(&format!("{name}-{key}-{kind}"), bytes)?;
        }
    }
    seeds.write(&format!("{name}-settings"), view.settings().encode())?;
    for (batch, value, _) in view.batches()? {
        seeds.write(&format!("{name}-batch-{batch}"), value.encode())?;
        seeds.write(&format!("{name}-batch-key-{batch}"), record::batch_key(&batch))?;
    }
    let high = view.complete_to();
    let range = Range { high, state: RangeState::Loading, batch: 2 };
    seeds.write(&format!("{name}-range"), range.encode())?;
    let counters = Counters { next_number: high, commits: 9, live: high, next_archive: 2, next_batch: 3 };
    seeds.write(&format!("{name}-counters"), counters.encode())?;
    let interval = Interval { low: 1000, high: 5600, ordinal: 95, batch: 1, prefix: "d".into() };
    seeds.write(&format!("{name}-interval"), interval.encode())?;
    seeds.write(&format!("{name}-group"), IntervalGroup::encode(&[high, 1, u64::MAX]))?;
    seeds.write(&format!("{name}-source"), record::source_key(1))?;
    let fields = ["id", "text", "html", "fp", "url"].map(str::to_owned);
    let reading = Reading { limit: 1 << 20, format: "jsonl".into(), fields };
    for (kind, reading) in [None, Some(reading)].into_iter().enumerate() {
        let archive = Archive::unread("crawl/a.warc.gz".into(), 1 << 30, [7; 16], 1 << 60, reading);
        seeds.write(&format!("{name}-archive-{kind}"), archive.encode())?;
    }
    Ok(())
}

/// Sets of each kind of container that roaring knows: array, bitmap, run; and one of several.
fn deleted_sets(seeds: &Seeds) -> Result<()> {
    let sparse: RoaringTreemap = (0..50).map(|number| number * 1000).collect();
    let dense: RoaringTreemap = (0..20_000).map(|number| number * 3).collect();
    let mut range = RoaringTreemap::new();
    range.insert_range(100..5000);
    let mut several: RoaringTreemap = [1, 1 << 17, 1 << 33, (1 << 40) - 1].into_iter().collect();
    several.insert_range(1 << 20..(1 << 20) + 70_000);
    for (name, mut set) in [("array", sparse), ("bitmap", dense), ("range", range), ("several", several)] {
        seeds.write(&format!("deleted-{name}"), deleted::encode(&set))?;
        // With run containers where they are shorter.
        set.optimize();
        seeds.write(&format!("deleted-{name}-optimized"), deleted::encode(&set))?;
    }
    Ok(())
}
