//! A bit for each document.

/// A set of numbers below a bound.
#[derive(Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// None of `len`.
    pub fn new(len: u32) -> Self {
        Self(vec![0; len.div_ceil(64) as usize])
    }

    /// Takes a number.
    pub fn insert(&mut self, number: u32) {
        self.0[(number / 64) as usize] |= 1 << (number % 64);
    }

    /// Whether a number was taken.
    pub fn contains(&self, number: u32) -> bool {
        self.0[(number / 64) as usize] >> (number % 64) & 1 == 1
    }
}
