//! Merging sorted streams: a tournament tree of their heads (Knuth, The Art of Computer Programming 3, 5.4.1), in which
//! the next of k streams costs log2 k comparisons.

use crate::Result;

/// A stream of ascending items.
pub(crate) trait Ascending {
    /// The items, which are compared.
    type Item: Ord + Copy;

    /// Returns the current item, `None` at the end.
    fn head(&self) -> Option<Self::Item>;

    /// Advances to the next item.
    fn advance(&mut self) -> Result<()>;
}

/// A merge of streams. Equal items come in the order of their streams.
pub(crate) struct Merged<S> {
    streams: Vec<S>,
    /// The winning stream of each inner node; the root is 1, the leaves follow the inner nodes.
    winners: Vec<u32>,
}

impl<S: Ascending> Merged<S> {
    /// Merges streams.
    pub(crate) fn new(streams: Vec<S>) -> Self {
        let len = streams.len();
        let mut merged = Self { streams, winners: vec![0; len] };
        (1..len).rev().for_each(|node| merged.play(node));
        merged
    }

    /// Returns the stream of a node: a leaf's, or the winner of an inner node.
    fn stream_at(&self, node: usize) -> u32 {
        if node < self.streams.len() { self.winners[node] } else { (node - self.streams.len()) as u32 }
    }

    #[inline]
    fn play(&mut self, node: usize) {
        let (left, right) = (self.stream_at(2 * node), self.stream_at(2 * node + 1));
        let key = |stream: u32| (self.streams[stream as usize].head(), stream);
        self.winners[node] = match (key(left), key(right)) {
            ((None, _), _) => right,
            (_, (None, _)) => left,
            ((Some(a), _), (Some(b), _)) => {
                if (a, left) <= (b, right) {
                    left
                } else {
                    right
                }
            }
        };
    }

    /// Returns the stream with the least item; `None` if all streams have ended.
    #[inline]
    pub(crate) fn least(&self) -> Option<(usize, &S)> {
        let stream = if self.streams.len() > 1 { self.winners[1] as usize } else { 0 };
        self.streams.get(stream).filter(|it| it.head().is_some()).map(|it| (stream, it))
    }

    /// Returns the least item.
    #[inline]
    pub(crate) fn head(&self) -> Option<S::Item> {
        self.least().and_then(|(_, stream)| stream.head())
    }

    /// Removes and returns the least item.
    #[inline]
    pub(crate) fn pop(&mut self) -> Result<Option<S::Item>> {
        let Some((stream, least)) = self.least() else { return Ok(None) };
        let item = least.head();
        self.streams[stream].advance()?;
        let mut node = (stream + self.streams.len()) / 2;
        while node > 0 {
            self.play(node);
            node /= 2;
        }
        Ok(item)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Stretch(Vec<(u64, usize)>, usize);

    impl Ascending for Stretch {
        type Item = (u64, usize);

        fn head(&self) -> Option<(u64, usize)> {
            self.0.get(self.1).copied()
        }

        fn advance(&mut self) -> Result<()> {
            self.1 += 1;
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn streams_merge_as_all_their_items_sort(
            streams in prop::collection::vec(prop::collection::vec(0u64..40, 0..20), 0..20),
        ) {
            let mut want: Vec<(u64, usize)> = Vec::new();
            let streams: Vec<Stretch> = (0..).zip(streams).map(|(number, mut items)| {
                items.sort_unstable();
                want.extend(items.iter().map(|&item| (item, number)));
                Stretch(items.into_iter().map(|item| (item, number)).collect(), 0)
            }).collect();
            want.sort_unstable();
            let mut merged = Merged::new(streams);
            let mut got = Vec::new();
            while let Some(head) = merged.head() {
                prop_assert_eq!(merged.least().map(|(number, _)| number), Some(head.1));
                prop_assert_eq!(merged.pop().expect("taken"), Some(head));
                got.push(head);
            }
            prop_assert_eq!(got, want);
        }
    }

    /// Counts the accesses to its head.
    struct Counted<'a>(std::ops::Range<u64>, &'a std::cell::Cell<u64>);

    impl Ascending for Counted<'_> {
        type Item = u64;

        fn head(&self) -> Option<u64> {
            self.1.set(self.1.get() + 1);
            (!self.0.is_empty()).then_some(self.0.start)
        }

        fn advance(&mut self) -> Result<()> {
            self.0.start += 1;
            Ok(())
        }
    }

    #[test]
    fn the_next_of_a_thousand_streams_is_found_without_looking_at_them_all() {
        let looks = std::cell::Cell::new(0);
        let mut merged = Merged::new((0..1024).map(|_| Counted(0..8, &looks)).collect());
        let mut rows = 0;
        while merged.pop().expect("taken").is_some() {
            rows += 1;
        }
        assert_eq!(rows, 8 * 1024);
        assert!(looks.get() < 32 * rows, "{} looks for {rows} rows", looks.get());
    }
}
