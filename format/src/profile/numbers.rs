//! The different numbers in a content, sampled.

/// Maximum number of hashes of numbers kept.
pub(super) const NUMBERS: usize = 7;

/// The different numbers in a content, sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Count of different numbers, at most 65,535.
    pub total: u16,
    /// The least of their hashes, ascending, followed by 65,535.
    pub least: [u16; NUMBERS],
}

impl Default for Numbers {
    fn default() -> Self {
        Self { total: 0, least: [u16::MAX; NUMBERS] }
    }
}

impl Numbers {
    /// Keeps the least of the hashes of all numbers.
    pub fn of(hashes: &[u64]) -> Self {
        let mut hashes = hashes.to_vec();
        hashes.sort_unstable();
        hashes.dedup();
        let mut short: Vec<u16> = hashes.iter().map(|hash| *hash as u16).collect();
        short.sort_unstable();
        let mut numbers = Self { total: u16::try_from(hashes.len()).unwrap_or(u16::MAX), ..Self::default() };
        numbers.least.iter_mut().zip(short).for_each(|(slot, hash)| *slot = hash);
        numbers
    }

    /// Returns the hashes without the padding.
    pub fn kept(&self) -> &[u16] {
        &self.least[..usize::from(self.total).min(NUMBERS)]
    }

    /// Returns the resemblance of two sets of numbers, estimated from as many of the least hashes of their union as
    /// both samples cover (Broder 1997). `None` if either set is empty.
    pub fn resemblance(&self, other: &Self) -> Option<f64> {
        let (a, b) = (self.kept(), other.kept());
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let (mut x, mut y, mut union, mut both) = (0, 0, 0u32, 0u32);
        let is_all = |numbers: &Self| usize::from(numbers.total) <= NUMBERS;
        while x < a.len() || y < b.len() {
            if (x == a.len() && !is_all(self)) || (y == b.len() && !is_all(other)) {
                break;
            }
            match (a.get(x), b.get(y)) {
                (Some(p), Some(q)) if p == q => (x, y, both) = (x + 1, y + 1, both + 1),
                (Some(p), Some(q)) if p < q => x += 1,
                (Some(_), None) => x += 1,
                _ => y += 1,
            }
            union += 1;
        }
        Some(f64::from(both) / f64::from(union.max(1)))
    }
}
