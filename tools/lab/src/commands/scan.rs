//! `nddb-lab scan`: one task of the batch mode of Manku et al. 2007, on a range of the blocks of one segment.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use nddb::scan::ScanRange;
use nddb::{Fingerprint, Within};
use nddb_cli::frame::{Code, Failure, Global, MatchOutput, Output, Result, inputs};
use nddb_format::block::BLOCK_SIZE;
use nddb_format::segment::{HEADER_SIZE, SegmentHeader};

/// Match query fingerprints against one segment, or a range of its blocks
///
/// Needs no database: an engine that distributes work runs one scan per range. Prints lines of query ordinal (from 0),
/// stored fingerprint and distance, separated by tabs. The Parquet columns are query, fp and distance, with the
/// fingerprint as a signed 64-bit integer. Deletions are not considered; `nddb-lab resolve` applies them.
///
/// --list prints the ranges of a database: lines of segment, first block and number of blocks, separated by tabs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb-lab scan crawl.nddb/runs/00000007.seg --queries Q.u64le
  nddb-lab scan crawl.nddb --list
  nddb-lab scan 00000007.seg --queries Q.u64le --offset 65536 --count 65536
  head -c 1024 00000007.seg > header
  dd if=00000007.seg bs=1024 skip=65537 count=65536 |
    nddb-lab scan - --header header --offset 65536 --queries Q.u64le")]
pub(crate) struct Args {
    /// The segment; with --header only blocks of a segment, - for stdin; with --list the database
    #[arg(value_name = "SEGMENT")]
    segment: PathBuf,
    /// Query fingerprints, eight bytes each, little-endian
    #[arg(long, value_name = "FILE.u64le", required_unless_present = "list")]
    queries: Option<PathBuf>,
    /// List ranges of 64 MB; their scans together search all runs
    #[arg(long, conflicts_with_all = ["queries", "header", "count", "format"])]
    list: bool,
    /// The first 1,024 bytes of the segment, if SEGMENT has only blocks
    #[arg(long, value_name = "FILE")]
    header: Option<PathBuf>,
    /// The first block, with --count; with --header the number of the first block in SEGMENT
    #[arg(long, value_name = "BLOCK", default_value_t = 0)]
    offset: u64,
    /// Number of blocks [default: all]
    #[arg(long, value_name = "BLOCKS")]
    count: Option<u64>,
    #[command(flatten)]
    to: MatchOutput,
    /// Maximum distance, in bits [default: the segment's]
    #[arg(short, long)]
    k: Option<u8>,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let Some(queries) = &args.queries else { return list(args, global) };
    let queries = inputs::fingerprints(queries)?;
    let mut rows = args.to.rows(false, global)?;
    let mut emit =
        |ordinal: u64, stored: Fingerprint, distance: u32| rows.row(&[ordinal.into(), stored.into(), distance.into()]);
    let outcome = match &args.header {
        Some(header) => scan_blocks(args, header, &queries, &mut emit),
        None => scan_segment(args, &queries, &mut emit),
    };
    rows.finish(outcome.map(|_| ()))?;
    Ok(Code::Done)
}

/// Lists the ranges of a database.
fn list(args: &Args, global: &Global) -> Result<Code> {
    let reader = inputs::database(&args.segment)?;
    let mut output = Output::create(&global.output("-o", args.to.output.as_deref())?)?;
    for ScanRange { segment, first, blocks } in reader.view().scan_ranges() {
        output.write(format!("{}\t{first}\t{blocks}\n", segment.display()).as_bytes())?;
    }
    output.finish()?;
    Ok(Code::Done)
}

type Emit<'a> = &'a mut dyn FnMut(u64, Fingerprint, u32) -> nddb::Result<()>;

fn scan_segment(args: &Args, queries: &[Fingerprint], emit: Emit<'_>) -> Result<u64> {
    let blocks = match (args.offset, args.count) {
        _ if args.segment.as_os_str() == "-" => {
            return Err(Failure::usage("blocks on stdin need their segment's header: give --header FILE"));
        }
        (0, None) => None,
        (_, None) => return Err(Failure::usage("--offset says where to begin: say with --count how far to go")),
        (offset, Some(count)) => Some((offset, count)),
    };
    let header = read_header(&args.segment)?;
    let within = within(args, &header)?;
    nddb::scan::scan_segment(&args.segment, blocks, queries, within, emit).map_err(|error| named(error, &args.segment))
}

fn scan_blocks(args: &Args, header: &Path, queries: &[Fingerprint], emit: Emit<'_>) -> Result<u64> {
    let bytes = read_header(header)?;
    let within = within(args, &bytes)?;
    let source = inputs::open(&args.segment)?;
    let size = args.count.map_or(u64::MAX, |count| count.saturating_mul(BLOCK_SIZE as u64));
    nddb::scan::scan_blocks(&bytes, args.offset, &mut source.take(size), queries, within, emit)
        .map_err(|error| named(error, &args.segment))
}

/// Reads the header that a file begins with.
fn read_header(path: &Path) -> Result<Vec<u8>> {
    let reading = |error: io::Error| Failure::reading(path, &error);
    let mut bytes = Vec::new();
    inputs::open(path)?.take(HEADER_SIZE as u64).read_to_end(&mut bytes).map_err(reading)?;
    SegmentHeader::decode(&bytes).map_err(|error| Failure::format(path, &error))?;
    Ok(bytes)
}

fn within(args: &Args, header: &[u8]) -> Result<Within> {
    let k = SegmentHeader::decode(header).map_err(|error| Failure::format(&args.segment, &error))?.k;
    Ok(Within(args.k.unwrap_or(k)))
}

/// Returns an error about this file, without the hint to check the database, because the file may belong to none.
fn named(error: nddb::Error, path: &Path) -> Failure {
    match error {
        nddb::Error::Corrupt { source, .. } => Failure::format(path, &source),
        other => other.into(),
    }
}
