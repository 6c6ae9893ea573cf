//! Any bytes as a value or a key of the catalog: what is read is written as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nddb_format::record::{
    self, Archive, Batch, Counters, Interval, IntervalGroup, Print, Prints, Range, Record, Settings,
};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = Record::decode(bytes) {
        assert_eq!(record.encode(), bytes);
    }
    if let Ok(print) = Print::decode(bytes) {
        assert_eq!(print.encode(), bytes);
    }
    if let Ok(archive) = Archive::decode(bytes) {
        assert_eq!(archive.encode(), bytes);
    }
    if let Ok(batch) = Batch::decode(bytes) {
        assert_eq!(batch.encode(), bytes);
    }
    if let Ok(range) = Range::decode(bytes) {
        assert_eq!(range.encode(), bytes);
    }
    if let Ok(counters) = Counters::decode(bytes) {
        assert_eq!(counters.encode(), bytes);
    }
    if let Ok(settings) = Settings::decode(bytes) {
        assert_eq!(Settings::decode(&settings.encode()), Ok(settings));
    }
    if let Ok(interval) = Interval::decode(1000, bytes) {
        assert_eq!(interval.encode(), bytes);
        let last = interval.id(interval.high - 1);
        let mut cuts = record::splits(&last).filter(|(prefix, _)| *prefix == interval.prefix);
        assert_eq!(cuts.find_map(|(_, ordinal)| interval.number(ordinal)), Some(interval.high - 1));
    }
    if let Ok(Prints::Group(group)) = Prints::decode(1000, bytes) {
        let fingerprints: Vec<u64> = group.iter().map(|print| print.fingerprint).collect();
        assert_eq!(IntervalGroup::encode(&fingerprints), bytes);
    }
    if let Ok(numbers) = record::decode_stretch(1000, bytes) {
        assert_eq!(record::encode_stretch(&numbers), bytes);
    }
    if let Ok((id, number)) = record::id_of(bytes) {
        assert_eq!(record::id_key(id, number), bytes);
    }
    let _ = (Record::head_of(bytes).is_ok(), record::deleted_of(bytes), record::replaced_of(bytes));
    let _ = (record::interval_low_of(bytes), record::gone_of(bytes), record::load_low_of(bytes));
    let _ = (record::batch_name_of(bytes), record::range_low_of(bytes), record::source_of(bytes));
});
