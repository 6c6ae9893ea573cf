//! The pages of a column, checked against their claims before their values are decoded.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::serialized_reader::SerializedPageReader;

use super::delta;
use super::file::SharedFile;

/// A reader of pages. It refuses a page if decoding it would reserve more memory than its size justifies.
pub(super) struct Pages {
    pub(super) inner: SerializedPageReader<SharedFile>,
    /// Greatest definition level of the column.
    pub(super) levels: i16,
    /// Whether it is in a list, so that repetition levels come first.
    pub(super) is_list: bool,
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.inner.get_next_page()?;
        if page.as_ref().is_some_and(|page| !self.is_plausible(page)) {
            return Err(ParquetError::General("a page has fewer values than it claims".to_owned()));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.inner.at_record_boundary()
    }
}

impl Pages {
    fn is_plausible(&self, page: &Page) -> bool {
        match page {
            Page::DictionaryPage { buf, num_values, .. } => *num_values as usize <= buf.len(),
            Page::DataPage { buf, num_values, encoding, def_level_encoding, .. } => {
                let block = |at: usize| {
                    let len = buf.get(at..)?.first_chunk().map(|len| u32::from_le_bytes(*len))?;
                    Some(u64::from(len).saturating_add(4))
                };
                let levels = match (self.levels, def_level_encoding) {
                    _ if self.is_list => block(0)
                        .and_then(|repeated| Some(repeated.saturating_add(block(usize::try_from(repeated).ok()?)?))),
                    (0, _) => Some(0),
                    (_, Encoding::RLE) => block(0),
                    (levels, _) => Some((u64::from(*num_values) * u64::from(16 - levels.leading_zeros())).div_ceil(8)),
                };
                are_plausible(*encoding, buf, levels, *num_values)
            }
            Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                are_plausible(*encoding, buf, Some(levels), *num_values)
            }
        }
    }
}

/// Returns whether a page has at most as many delta-encoded numbers after the levels as it has values.
fn are_plausible(encoding: Encoding, buf: &Bytes, levels: Option<u64>, values: u32) -> bool {
    let Some(bytes) = levels.and_then(|levels| buf.get(usize::try_from(levels).ok()?..)) else { return false };
    // Some writers write nothing for a page without values.
    if bytes.is_empty() {
        return true;
    }
    match encoding {
        Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => delta::len(bytes, values.into()).is_some(),
        Encoding::DELTA_BYTE_ARRAY => delta::len(bytes, values.into())
            .and_then(|prefixes| delta::len(&bytes[prefixes..], values.into()))
            .is_some(),
        _ => true,
    }
}
