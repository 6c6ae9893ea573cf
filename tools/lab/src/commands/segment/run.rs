//! A segment: one table's order of one run.

use nddb_cli::frame::Output;
use nddb_format::block::RESTARTS;
use nddb_format::filter::FilterKind;
use nddb_format::segment::Segment;
use nddb_format::{FormatError, Permuted};
use serde_json::{Map, Value, json};

use super::file::{self, List, WriteError, extend, start};
use nddb_jobs::quantity::{bytes, counted, grouped};

/// An opened segment.
pub(super) struct DecodedRun<'a>(Segment<&'a [u8]>);

impl<'a> DecodedRun<'a> {
    /// Opens it and checks every rule.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let segment = Segment::open(bytes)?;
        segment.verify()?;
        Ok(Self(segment))
    }
}

impl file::DecodedFile for DecodedRun<'_> {
    fn head(&self) -> Map<String, Value> {
        let header = self.0.header();
        let groups: Vec<[u8; 2]> = header.table.groups().iter().map(|group| [group.low, group.width]).collect();
        let mut head = start("segment", self.0.data());
        let fields = json!({
            "bits": header.table.bits(),
            "k": header.k,
            "table": header.ordinal,
            "prefix": header.table.prefix(),
            "groups": groups,
            "block_size": nddb_format::block::BLOCK_SIZE,
            "restart": header.restart,
            "count": header.count,
            "digest": format!("{:032x}", header.digest.0),
            "code_lengths": header.lengths[..usize::from(header.table.bits())],
            "identity": format!("{:016x}", header.identity),
        });
        extend(&mut head, fields);
        if header.prefixes > 0 {
            head.insert("prefixes".into(), header.prefixes.into());
        }
        head
    }

    fn write_long_parts(&self, output: &mut Output) -> Result<(), WriteError> {
        let segment = &self.0;
        let mut blocks = List::begin(output, "blocks")?;
        for number in 0..segment.block_len() {
            let block = segment.block(number)?;
            blocks.push(&format!(
                r#"{{"count":{},"restarts":{},"first":"{:016x}","key":"{:016x}"}}"#,
                block.len(),
                RESTARTS.get(segment.block_bytes(number)),
                block.first(),
                segment.key(number).0
            ))?;
        }
        blocks.end()?;
        let mut prints = List::begin(output, "fingerprints")?;
        let mut values = Vec::new();
        for number in 0..segment.block_len() {
            values.clear();
            segment.block(number)?.decode(&mut values)?;
            for &value in &values {
                prints.push(&format!("\"{}\"", segment.header().table.unpermute(Permuted(value))))?;
            }
        }
        prints.end()?;
        Ok(())
    }

    fn summary(&self) -> Vec<(&'static str, String)> {
        let (size, header) = (self.0.data().len() as u64, self.0.header());
        let each = size as f64 * 8.0 / header.count as f64;
        let mut lines = vec![
            ("blocks", counted(self.0.block_len(), "block")),
            ("size", format!("{}, {each:.2} bits a fingerprint", bytes(size))),
        ];
        if let Some(filter) = self.0.filter() {
            let kind = if filter.kind() == FilterKind::Bitmap { "bitmap" } else { "Bloom filter" };
            let prefixes = grouped(header.prefixes);
            lines.push(("filter", format!("{kind} of {prefixes} prefixes, {}", bytes(filter.size()))));
        }
        lines
    }
}
