//! Any bytes as a postings file: opened, verified, read list by list, written again.
#![no_main]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../../../format/tests/common/restamp.rs"]
mod restamp;

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use nddb_format::fields::{FORMAT, FORMAT_VERSION, READER_MIN};
use nddb_format::postings::{Postings, PostingsEncoder};
use nddb_format::{FormatError, Result};

fn touch(_: Range<u64>) -> Result<()> {
    Ok(())
}

fn read(bytes: &[u8]) {
    let Ok(postings) = Postings::open(bytes) else { return };
    let sound = postings.verify().is_ok();
    for rank in 0..postings.header().fingerprints.min(1000) {
        let guess = postings.guess(rank, &touch).expect("a guess is never refused");
        assert!(guess < postings.header().documents, "a guess is a number's place");
        match postings.list(rank, &touch) {
            Ok(list) => {
                for place in list.take(1000) {
                    assert!(postings.number(place, &touch).is_ok() || !sound, "verify saw number {place}");
                }
            }
            Err(error) => assert!(!sound, "verify saw list {rank}: {error}"),
        }
    }
    let ours = [FORMAT_VERSION, READER_MIN].iter().all(|field| field.get(bytes) == u64::from(FORMAT));
    if sound && ours {
        assert!(written(&postings).expect("what verify saw can be written") == bytes, "there is one way to write it");
    }
}

/// The lists of a sound file, encoded again.
fn written(postings: &Postings<&[u8]>) -> Result<Vec<u8>> {
    let header = postings.header();
    let ranks: Vec<u64> =
        (0..header.blocks).map(|block| postings.first_rank(block, &touch)).collect::<Result<_, FormatError>>()?;
    let mut out = Vec::new();
    let mut encoder = PostingsEncoder::new(header.clone(), &ranks, &mut out)?;
    for rank in 0..header.fingerprints {
        encoder.begin()?;
        for place in postings.list::<FormatError>(rank, &touch)? {
            encoder.number(postings.number(place, &touch)?, &mut out)?;
        }
    }
    encoder.finish(&mut out)?;
    Ok(out)
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut bytes = bytes.to_vec();
    restamp::postings(&mut bytes);
    read(&bytes);
});
