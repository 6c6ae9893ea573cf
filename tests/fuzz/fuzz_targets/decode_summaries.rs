//! Any bytes as a file of summaries, and as a summary: opened, verified, read number by number, written again.
#![no_main]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../../../format/tests/common/restamp.rs"]
mod restamp;

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use nddb_format::fields::{FORMAT, FORMAT_VERSION, READER_MIN};
use nddb_format::summaries::{Summaries, SummariesEncoder, SummariesSurvey, Summary};
use nddb_format::{FormatError, Result};

fn touch(_: Range<u64>) -> Result<()> {
    Ok(())
}

fn read(bytes: &[u8]) {
    let Ok(file) = Summaries::open(bytes) else { return };
    let sound = file.verify().is_ok();
    let (low, high) = (file.header().low, file.header().high);
    let mut found = Vec::new();
    let mut present = Vec::new();
    let mut visit = |number| {
        present.push(number);
        Ok::<_, FormatError>(())
    };
    file.numbers(&touch, &mut visit).expect("nothing fails");
    assert!(!sound || present.len() as u64 == file.header().documents, "verify counts them");
    let mut present = present.into_iter().peekable();
    // There is an entry of 64 bytes for 448 numbers: at most seven numbers for each byte.
    for number in low..high {
        let summary = file.get(number, &touch);
        assert!(summary.is_ok() || !sound, "verify saw number {number}: {summary:?}");
        let place = file.find::<FormatError>(number, &touch);
        let visited = present.next_if_eq(&number).is_some();
        assert_eq!(place != Ok(None), visited, "number {number}");
        if let Ok(Some(range)) = place {
            found.push((number, &file.body()[range.start as usize..range.end as usize]));
        }
    }
    assert_eq!(present.next(), None, "numbers ascend and are in the range");
    for number in [low.wrapping_sub(1), high, u64::MAX] {
        assert_eq!(file.find(number, &touch), Ok(None), "{number} is outside of the range");
    }
    // Entries that are not sound can name the same bytes any number of times.
    let size: usize = found.iter().map(|(_, summary)| summary.len()).sum();
    if found.is_empty() || size > 1 << 20 {
        return;
    }
    let written = written(low, high, &found).expect("numbers ascend");
    let ours = [FORMAT_VERSION, READER_MIN].iter().all(|field| field.get(bytes) == u64::from(FORMAT));
    assert!(!sound || !ours || written == bytes, "there is one way to write it");
    let again = Summaries::open(&written[..]).expect("what is written can be opened");
    let decoded = found.iter().all(|(_, summary)| Summary::decode(summary).is_ok());
    assert_eq!(again.verify().is_ok(), decoded, "what is written is sound if its summaries are");
    for (number, summary) in found {
        let range = again.find::<FormatError>(number, &touch).expect("sound").expect("it has one");
        assert_eq!(&again.body()[range.start as usize..range.end as usize], summary);
    }
}

/// Writes summaries into a file.
fn written(low: u64, high: u64, summaries: &[(u64, &[u8])]) -> Result<Vec<u8>> {
    let mut survey = SummariesSurvey::default();
    summaries.iter().for_each(|(number, summary)| survey.push(*number, summary));
    let mut out = Vec::new();
    let mut encoder = SummariesEncoder::new(survey.header(low, high), &mut out)?;
    for (number, summary) in summaries {
        encoder.push(*number, summary, &mut out)?;
    }
    encoder.finish(&mut out)?;
    Ok(out)
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(summary) = Summary::decode(bytes) {
        let mut written = Vec::new();
        summary.encode_into(&mut written);
        // Address and site can stand there in two ways, of which one is written.
        assert_eq!(Summary::decode(&written), Ok(summary));
    }
    read(bytes);
    let mut bytes = bytes.to_vec();
    restamp::summaries(&mut bytes);
    read(&bytes);
});
