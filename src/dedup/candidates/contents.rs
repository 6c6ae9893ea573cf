//! The digests of contents as candidate keys.

use super::keyed::KeyMaker;
use crate::collection::Collection;
use crate::collection::row::Row;

/// The digest of the content as the only key: two pages share it exactly if the words of their contents are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contents;

impl KeyMaker for Contents {
    type Sketch = u64;

    fn sketch(self, collection: &Collection, ordinal: u32) -> u64 {
        collection.profile(ordinal).content
    }

    fn is_known(self, row: &Row) -> bool {
        row.has_profile
    }

    fn indexes(self) -> u8 {
        1
    }

    fn parts(self, sketch: &u64, out: &mut Vec<u64>) {
        out.clear();
        out.push(*sketch);
    }

    fn possible(self, repeats: &dyn Fn(usize) -> bool) -> u32 {
        u32::from(repeats(0))
    }

    fn keys(self, sketch: &u64, mask: u32, mut key: impl FnMut(u8, u64)) {
        if mask != 0 {
            key(0, *sketch);
        }
    }

    fn shared(self, a: &u64, b: &u64) -> u32 {
        u32::from(a == b)
    }

    fn passes(self, _: &u64, _: &u64) -> bool {
        true
    }
}
