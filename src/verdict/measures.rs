//! The measures of a pair by all methods, for output.

use std::sync::LazyLock;

use crate::column::{Bound, Column, SAME_HEADING, Value};
use crate::method::Method;
use crate::methods;
use crate::pair::DocumentPair;

/// Estimated or exact resemblance of the shingle sets of the contents.
const RESEMBLANCE: Column = Column::share("resemblance");
/// Whether the sites are equal.
const SAME_SITE: Column = Column::flag("same_site");

/// The columns of all measures, in the order of output: measures of the methods that compare sketches, of all pairs, of
/// the methods that compare texts, and properties that documents have in common.
pub fn columns() -> &'static [Column] {
    static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
        let (texts, sketches): (Vec<_>, Vec<_>) = methods::all().into_iter().partition(|method| method.needs_text());
        let of = |methods: &[Box<dyn Method>], of_texts| {
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
    pub fn of(pair: &DocumentPair<'_>, chosen: &dyn Method) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_sketches_then_of_texts() {
        let names: Vec<&str> = columns().iter().map(|column| column.name).collect();
        let expected = "distance b_sim c_sim agreement probability resemblance \
                        lcs lcs_containment cosine same_site same_heading";
        assert_eq!(names.join(" "), expected);
    }
}
