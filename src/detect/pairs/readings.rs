//! What a method reads of texts, before its candidates are found.

use xxhash_rust::xxh3::xxh3_128;

use crate::Result;
use crate::detect::candidates::comparison::{ByCosine, ByLcs, Desk};
use crate::detect::candidates::resemblance::{Overlaps, Resembling, ShingleSets};
use crate::detect::candidates::similar::{Signed, Similar};
use crate::detect::candidates::source::{Source, Verifier, sources};
use crate::detect::collection::Collection;
use crate::detect::method::name::Method;
use crate::detect::method::options::PairOptions;
use crate::detect::method::text_summary::Unread;
use crate::detect::method::text_summary::{SetSummary, ShingleSummary};
use crate::detect::texts::{Kept, Places, keep};
use crate::spill::bits::Bits;
use crate::spill::ticker::Ticker;
use crate::store::View;

/// What was read of texts.
#[derive(Default)]
pub struct Readings {
    places: Option<Places>,
    kept: Option<Kept>,
    shingles: Option<ShingleSets>,
    signed: Option<Signed>,
    /// Documents whose texts were wanted and not read.
    pub(crate) unread: Unread,
    pub(crate) sets: SetSummary,
    pub(crate) resemblance: ShingleSummary,
}

impl Readings {
    /// Reads what a method needs of the texts of all documents that may be in a pair; nothing for most methods.
    pub(crate) fn new(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        ticker: &Ticker<'_>,
    ) -> Result<Self> {
        let mut readings = Self::default();
        if !options.method.needs_text() {
            return Ok(readings);
        }
        let room = &options.room;
        let places = Places::new(view, collection, options.part, room, ticker)?;
        let mut wanted = Bits::new(collection.len());
        for ordinal in 0..collection.len() {
            let stands = options.expand || collection.representative(ordinal) == ordinal;
            if stands && !collection.row(ordinal).is_empty {
                wanted.insert(ordinal);
            }
        }
        if options.method == Method::Shingles {
            let sets = ShingleSets::read(&places, &wanted, &options.shingles, options.rules.resemblance, room, ticker)?;
            readings.unread = sets.unread;
            readings.shingles = Some(sets);
        } else {
            let mut signed = Signed::new(collection.len(), room);
            let kept =
                keep(&places, &wanted, room, ticker, &mut |ordinal, text| signed.push(ordinal, text, &options.sets))?;
            readings.unread = kept.unread;
            (readings.kept, readings.signed) = (Some(kept), Some(signed));
        }
        readings.places = Some(places);
        Ok(readings)
    }

    /// Reads the texts of the documents that pairs of another method are made of.
    pub(crate) fn verify(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        wanted: &Bits,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        let places = match self.places.take() {
            Some(places) => places,
            None => Places::new(view, collection, options.part, &options.room, ticker)?,
        };
        let kept = keep(&places, wanted, &options.room, ticker, &mut |_, _| Ok(()))?;
        self.unread = kept.unread;
        (self.kept, self.places) = (Some(kept), Some(places));
        Ok(())
    }

    /// Reads texts to part hot groups by, before the candidates are found; a method that has kept the texts of all
    /// documents needs no others.
    pub(crate) fn verify_hot(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        wanted: &Bits,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        if self.kept.is_some() { Ok(()) } else { self.verify(view, collection, options, wanted, ticker) }
    }

    /// What a method sees of a document's text: those with the same are one to it.
    pub fn sketch(&self, ordinal: u32) -> Option<u128> {
        let of_text =
            || self.kept.as_ref()?.get(ordinal).filter(|text| !text.is_empty()).map(str::as_bytes).map(xxh3_128);
        self.shingles.as_ref().map_or_else(of_text, |shingles| shingles.sketch(ordinal))
    }

    /// The sources of the method's candidates.
    pub(crate) fn sources(&mut self, options: &PairOptions) -> Vec<Box<dyn Source + '_>> {
        let memory = options.room.memory_limit / 4;
        let Self { kept, shingles, signed, sets, resemblance, .. } = self;
        match (options.method, kept, shingles) {
            (Method::Lcs, Some(kept), _) => {
                let desk = Desk::new(ByLcs::new(options.lcs, &options.rules), kept, None, memory);
                vec![Box::new(Similar { desk, signed: signed.take(), summary: sets })]
            }
            (Method::Cosine, Some(kept), _) => {
                let desk = Desk::new(ByCosine, kept, None, memory);
                vec![Box::new(Similar { desk, signed: signed.take(), summary: sets })]
            }
            (Method::Shingles, _, Some(shingles)) => {
                vec![Box::new(Resembling { sets: shingles, summary: resemblance })]
            }
            _ => sources(options.method, options.complete),
        }
    }

    /// What adds to the evidence of a pair what the method's decision is made of.
    pub(crate) fn decider(&self, options: &PairOptions) -> Option<Box<dyn Verifier + '_>> {
        let memory = options.room.memory_limit / 4;
        match (options.method, &self.kept, &self.shingles) {
            (Method::Lcs, Some(_), _) => self.verifier(options),
            (Method::Cosine, Some(kept), _) => Some(Box::new(Desk::new(ByCosine, kept, self.places.as_ref(), memory))),
            (Method::Shingles, _, Some(shingles)) => Some(Box::new(Overlaps::new(shingles, self.places.as_ref()))),
            _ => None,
        }
    }

    /// What compares texts by trustable longest common subsequence.
    pub(crate) fn verifier(&self, options: &PairOptions) -> Option<Box<dyn Verifier + '_>> {
        let measure = ByLcs::new(options.lcs, &options.rules);
        let desk = Desk::new(measure, self.kept.as_ref()?, self.places.as_ref(), options.room.memory_limit / 4);
        Some(Box::new(desk))
    }
}
