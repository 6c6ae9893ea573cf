//! A measure: a named number about a pair, for output and for comparison with a threshold.

/// A measure in the output of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in pair lines.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: ColumnKind,
    /// Whether the measure is known only if texts were compared.
    pub of_texts: bool,
}

/// The kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers.
    Count,
    /// Shares, 0 to 1.
    Share,
    /// Truth values.
    Flag,
}

impl Column {
    /// Returns a column of whole numbers.
    pub const fn count(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Count, of_texts: false }
    }

    /// Returns a column of shares.
    pub const fn share(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Share, of_texts: false }
    }

    pub(crate) const fn flag(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Flag, of_texts: false }
    }
}

/// Whether title or first heading agree.
pub(crate) const SAME_HEADING: Column = Column::flag("same_heading");

/// Whether the words of the contents are equal.
pub(crate) const SAME_CONTENT: &str = "same_content";

/// The value of a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u32),
    /// A share, 0 to 1.
    Share(f64),
    /// A truth value.
    Flag(bool),
}

impl Value {
    /// Returns the value as a number; a truth value is 0 or 1.
    pub fn number(self) -> f64 {
        match self {
            Self::Count(count) => count.into(),
            Self::Share(share) => share,
            Self::Flag(flag) => u32::from(flag).into(),
        }
    }
}

/// A measure of a pair and the threshold that a rule compares it with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Name of the measure.
    pub name: &'static str,
    /// Its value; `None` if unknown.
    pub value: Option<Value>,
    /// The threshold.
    pub limit: Limit,
}

/// A threshold of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// The measure must be at least this.
    AtLeast(Value),
    /// The measure may be at most this.
    AtMost(Value),
    /// The measure must be greater than this.
    Above(Value),
}

impl Limit {
    /// Returns the name of its kind in JSON.
    pub fn kind(self) -> &'static str {
        match self {
            Self::AtLeast(_) => "at_least",
            Self::AtMost(_) => "at_most",
            Self::Above(_) => "above",
        }
    }

    /// Returns the threshold.
    pub fn value(self) -> Value {
        match self {
            Self::AtLeast(value) | Self::AtMost(value) | Self::Above(value) => value,
        }
    }
}

impl Bound {
    /// Returns a lower bound of a whole number.
    pub(crate) fn at_least(name: &'static str, value: Option<u32>, least: u32) -> Self {
        Self { name, value: value.map(Value::Count), limit: Limit::AtLeast(Value::Count(least)) }
    }

    /// Returns a bound that a share must exceed.
    pub(crate) fn above(name: &'static str, value: Option<f64>, least: f64) -> Self {
        Self { name, value: value.map(Value::Share), limit: Limit::Above(Value::Share(least)) }
    }

    /// Returns whether the measure satisfies its threshold; `None` if the measure is unknown.
    pub fn holds(&self) -> Option<bool> {
        let value = self.value?.number();
        Some(match self.limit {
            Limit::AtLeast(least) => value >= least.number(),
            Limit::AtMost(most) => value <= most.number(),
            Limit::Above(least) => value > least.number(),
        })
    }
}
