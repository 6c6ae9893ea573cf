//! Corrects the checksums and identities of damaged files, so that readers reach the bytes after them: for tests and
//! for the fuzz targets.

use nddb_format::block::{self, BLOCK_SIZE};
use nddb_format::fields::Field;
use nddb_format::filter::Filter;
use nddb_format::{digest, pages, postings, segment, summaries};

/// Writes the CRC-32 of all bytes before `field` into it.
pub(crate) fn crc(bytes: &mut [u8], field: Field) {
    let crc = crc32fast::hash(&bytes[..field.offset]);
    field.put(bytes, u64::from(crc));
}

/// A manifest or a deleted set: the file ends with a CRC-32 of all bytes before it.
pub(crate) fn tail(bytes: &mut [u8]) {
    if let Some(offset) = bytes.len().checked_sub(4) {
        crc(bytes, Field { offset, size: 4, name: "checksum" });
    }
}

/// The header of a segment.
pub(crate) fn segment_header(file: &mut [u8]) {
    let header = &mut file[..segment::HEADER_SIZE];
    let identity = digest::identity(&header[..segment::header::IDENTITY.offset]);
    segment::header::IDENTITY.put(header, identity);
    crc(header, segment::header::CHECKSUM);
}

/// The size of the filter by the header of a segment.
fn filter_size(file: &[u8]) -> u64 {
    use segment::header::{BITS, K, PREFIX, PREFIXES};
    let [bits, k, prefix] = [BITS, K, PREFIX].map(|field| field.get(file) as u8);
    Filter::of(bits, k, prefix, PREFIXES.get(file)).map_or(0, |filter| filter.size())
}

/// A segment; its number of blocks is taken from its size.
pub(crate) fn segment(file: &mut [u8]) {
    let filter = filter_size(file.get(..segment::HEADER_SIZE).unwrap_or(&[0; segment::HEADER_SIZE]));
    let beside = (segment::HEADER_SIZE + segment::FOOTER_SIZE) as u64 + filter + pages::checksums_size(filter);
    let Some(rest) = (file.len() as u64).checked_sub(beside).map(|rest| rest as usize) else { return };
    segment_header(file);
    let identity = segment::header::IDENTITY.get(file);
    let blocks = rest / (BLOCK_SIZE + 8);
    for (number, block) in (0..blocks as u64).zip(file[segment::HEADER_SIZE..].chunks_exact_mut(BLOCK_SIZE)) {
        let crc = digest::checksum(identity, number, &block[block::CHECKSUM.end()..]);
        block::CHECKSUM.put(block, u64::from(crc));
    }
    let at = segment::HEADER_SIZE + blocks * BLOCK_SIZE;
    let index = at + filter as usize;
    let mut of_filter = Vec::new();
    let first = pages::page_len(8 * blocks as u64);
    pages::put_checksums(identity, first, &file[at..index], &mut of_filter);
    let footer = file.len() - segment::FOOTER_SIZE;
    let after = footer - of_filter.len();
    file[after..footer].copy_from_slice(&of_filter);
    let checksums = checksums(identity, &mut file[index..footer], 8 * blocks);
    let footer = &mut file[footer..];
    segment::FOOTER_IDENTITY.put(footer, identity);
    segment::INDEX_CHECKSUM.put(footer, u64::from(checksums));
    crc(footer, segment::FOOTER_CHECKSUM);
}

/// The places of the identity and of the checksums in a file of a header, a paged body and a footer.
struct Frame {
    header_size: usize,
    identity: Field,
    checksum: Field,
    footer_size: usize,
    footer_identity: Field,
    pages_checksum: Field,
    footer_checksum: Field,
}

const POSTINGS: Frame = Frame {
    header_size: postings::HEADER_SIZE,
    identity: postings::header::IDENTITY,
    checksum: postings::header::CHECKSUM,
    footer_size: postings::FOOTER_SIZE,
    footer_identity: postings::header::FOOTER_IDENTITY,
    pages_checksum: postings::header::PAGES_CHECKSUM,
    footer_checksum: postings::header::FOOTER_CHECKSUM,
};

const SUMMARIES: Frame = Frame {
    header_size: summaries::HEADER_SIZE,
    identity: summaries::header::IDENTITY,
    checksum: summaries::header::CHECKSUM,
    footer_size: summaries::FOOTER_SIZE,
    footer_identity: summaries::header::FOOTER_IDENTITY,
    pages_checksum: summaries::header::PAGES_CHECKSUM,
    footer_checksum: summaries::header::FOOTER_CHECKSUM,
};

/// A postings file; the size of its body is taken from its size.
pub(crate) fn postings(file: &mut [u8]) {
    framed(file, &POSTINGS);
}

/// A file of summaries; the size of its body is taken from its size.
pub(crate) fn summaries(file: &mut [u8]) {
    framed(file, &SUMMARIES);
}

fn framed(file: &mut [u8], frame: &Frame) {
    let Some(rest) = file.len().checked_sub(frame.header_size + frame.footer_size) else { return };
    let identity = digest::identity(&file[..frame.identity.offset]);
    frame.identity.put(file, identity);
    crc(&mut file[..frame.header_size], frame.checksum);
    // The smallest files have no room for a checksum.
    let body = rest.saturating_sub(4 * rest.div_ceil(pages::PAGE_SIZE + 4));
    let footer = file.len() - frame.footer_size;
    let checksums = checksums(identity, &mut file[frame.header_size..footer], body);
    let footer = &mut file[footer..];
    frame.footer_identity.put(footer, identity);
    frame.pages_checksum.put(footer, u64::from(checksums));
    crc(footer, frame.footer_checksum);
}

/// Writes the checksums of the pages of a region of `size` bytes after the region, as far as there is room. Returns the
/// CRC-32 of these checksums.
fn checksums(identity: u64, bytes: &mut [u8], size: usize) -> u32 {
    let (region, array) = bytes.split_at_mut(size.min(bytes.len()));
    let mut checksums = Vec::new();
    pages::put_checksums(identity, 0, region, &mut checksums);
    let len = checksums.len().min(array.len());
    array[..len].copy_from_slice(&checksums[..len]);
    crc32fast::hash(array)
}
