//! An axis with labels at given indexes.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

/// A range of numbers, of which these have labels; plotters would choose others.
pub(super) struct Marked {
    range: RangedCoordf64,
    indexes: Vec<f64>,
}

impl Marked {
    pub(super) fn new(range: Range<f64>, indexes: Vec<f64>) -> Self {
        Self { range: range.into(), indexes }
    }
}

impl Ranged for Marked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.indexes.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}
