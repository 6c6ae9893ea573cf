//! Measures of a pair: named numbers, for output and for comparison with thresholds.

use crate::methods;
use crate::pair::DocumentPair;

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

    const fn flag(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Flag, of_texts: false }
    }
}

/// Estimated or exact resemblance of the shingle sets of the contents.
const RESEMBLANCE: Column = Column::share("resemblance");
/// Whether the sites are equal.
const SAME_SITE: Column = Column::flag("same_site");
/// Whether title or first heading agree.
pub(crate) const SAME_HEADING: Column = Column::flag("same_heading");

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

/// The columns of all measures, in the order of output: measures of the methods that compare sketches, of all pairs, of
/// the methods that compare texts, and properties that documents have in common.
pub fn columns() -> &'static [Column] {
    static COLUMNS: std::sync::LazyLock<Vec<Column>> = std::sync::LazyLock::new(|| {
        let (texts, sketches): (Vec<_>, Vec<_>) = methods::all().into_iter().partition(|method| method.needs_text());
        let of = |methods: &[Box<dyn crate::Method>], of_texts| {
            let columns = methods.iter().flat_map(|method| method.columns());
            columns.map(|column| Column { of_texts, ..*column }).collect::<Vec<_>>()
        };
        let mut columns: Vec<Column> = Vec::new();
        let all = [of(&sketches, false), vec![RESEMBLANCE], of(&texts, true), vec![SAME_SITE, SAME_HEADING]];
        for column in all.concat() {
            if columns.iter().all(|known| known.name != column.name) {
                columns.push(column);
            }
        }
        columns
    });
    &COLUMNS
}

/// The measures of a pair, whichever method decided: one for each of [`columns`], `None` if it is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures(Vec<Option<Value>>);

impl Default for Measures {
    /// Returns measures, all unknown.
    fn default() -> Self {
        Self(vec![None; columns().len()])
    }
}

impl Measures {
    /// Returns the measures of a pair that follow from its sketches. Measures of the chosen method use its parameters,
    /// those of other methods the default parameters.
    pub fn of(pair: &DocumentPair<'_>, chosen: &dyn crate::Method) -> Self {
        let mut values = Vec::with_capacity(columns().len());
        let mut bounds = Vec::new();
        for method in methods::defaults().iter().filter(|method| !method.needs_text()) {
            let method = if method.name() == chosen.name() { chosen } else { &**method };
            let columns = method.columns();
            if !columns.is_empty() {
                bounds.clear();
                method.bounds(pair, &mut bounds);
                values.extend(bounds.iter().take(columns.len()).map(|bound| bound.value));
            }
        }
        values.push(pair.resemblance().map(Value::Share));
        values.resize(columns().len() - 2, None);
        values.extend([pair.same_site(), pair.same_heading()].map(|flag| flag.map(Value::Flag)));
        Self(values)
    }

    /// Returns each column with its value.
    pub fn each(&self) -> impl Iterator<Item = (&'static Column, Option<Value>)> + '_ {
        columns().iter().zip(self.0.iter().copied())
    }

    /// Returns the value of a measure by name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.0[columns().iter().position(|column| column.name == name)?]
    }

    /// Returns a measure that is a whole number.
    pub fn count(&self, name: &str) -> Option<u32> {
        match self.get(name)? {
            Value::Count(count) => Some(count),
            Value::Share(_) | Value::Flag(_) => None,
        }
    }

    /// Returns a measure that is a share.
    pub fn share(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Value::Share(share) => Some(share),
            Value::Count(_) | Value::Flag(_) => None,
        }
    }

    /// Returns a measure that is true or false.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Value::Flag(flag) => Some(flag),
            Value::Count(_) | Value::Share(_) => None,
        }
    }

    /// Sets those of these measures that are known from a comparison of texts.
    pub fn add(&mut self, bounds: &[Bound]) {
        for bound in bounds.iter().filter(|bound| bound.value.is_some()) {
            self.set(bound.name, bound.value);
        }
    }

    fn set(&mut self, name: &str, value: Option<Value>) {
        if let Some(index) = columns().iter().position(|column| column.name == name) {
            self.0[index] = value;
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
