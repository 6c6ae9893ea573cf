//! Parameters of methods: named values with their ranges.

use std::error::Error;
use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A parameter of a method, to be read or set.
#[derive(Debug)]
pub struct Parameter<'a> {
    /// Name, as in the paper.
    pub name: &'static str,
    /// A description in a few words.
    pub help: &'static str,
    /// Whether it is a threshold of the decision rule, which evaluations always name.
    pub is_threshold: bool,
    field: Field<'a>,
}

/// A parameter of a method with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Name of the parameter.
    pub name: &'static str,
    /// A description in a few words.
    pub help: &'static str,
    /// Whether it is a threshold of the decision rule.
    pub is_threshold: bool,
    /// Its value.
    pub value: ParameterValue,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// A whole number.
    Count(u64),
    /// A share, 0 to 1, or any other number.
    Number(f64),
    /// A switch.
    Flag(bool),
    /// A word or a list.
    Text(String),
}

impl Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// The field of a method that holds a parameter, and its range.
#[derive(Debug)]
enum Field<'a> {
    Count(&'a mut dyn Count, RangeInclusive<u64>),
    Share(&'a mut f64),
    Number(&'a mut f64),
    Flag(&'a mut bool),
    Limit(&'a mut Option<u64>),
    Text(&'a mut dyn Text),
}

/// A field that holds a whole number.
trait Count: fmt::Debug {
    fn get(&self) -> u64;
    fn set(&mut self, value: u64);
}

impl Count for u32 {
    fn get(&self) -> u64 {
        (*self).into()
    }

    fn set(&mut self, value: u64) {
        *self = u32::try_from(value).unwrap_or(u32::MAX);
    }
}

impl Count for u64 {
    fn get(&self) -> u64 {
        *self
    }

    fn set(&mut self, value: u64) {
        *self = value;
    }
}

impl Count for usize {
    fn get(&self) -> u64 {
        *self as u64
    }

    fn set(&mut self, value: u64) {
        *self = usize::try_from(value).unwrap_or(usize::MAX);
    }
}

/// A field that is written as a word or a list.
trait Text: fmt::Debug {
    fn get(&self) -> String;
    fn set(&mut self, text: &str) -> Result<(), String>;
}

impl<T: fmt::Debug + Display + FromStr<Err: Display>> Text for T {
    fn get(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        *self = text.parse().map_err(|error: T::Err| error.to_string())?;
        Ok(())
    }
}

#[expect(private_bounds, reason = "only the types of fields here are parameters")]
impl<'a> Parameter<'a> {
    fn new(name: &'static str, help: &'static str, field: Field<'a>) -> Self {
        Self { name, help, is_threshold: false, field }
    }

    /// Returns a parameter that is a whole number of this range.
    pub fn count(name: &'static str, help: &'static str, at: &'a mut impl Count, range: RangeInclusive<u64>) -> Self {
        Self::new(name, help, Field::Count(at, range))
    }

    /// Returns a parameter that is a share, 0 to 1.
    pub fn share(name: &'static str, help: &'static str, at: &'a mut f64) -> Self {
        Self::new(name, help, Field::Share(at))
    }

    /// Returns a parameter that is any number.
    pub fn number(name: &'static str, help: &'static str, at: &'a mut f64) -> Self {
        Self::new(name, help, Field::Number(at))
    }

    /// Returns a parameter that is true or false.
    pub fn flag(name: &'static str, help: &'static str, at: &'a mut bool) -> Self {
        Self::new(name, help, Field::Flag(at))
    }

    /// Returns a parameter that is a whole number of at least 1, or `none`.
    pub fn limit(name: &'static str, help: &'static str, at: &'a mut Option<u64>) -> Self {
        Self::new(name, help, Field::Limit(at))
    }

    /// Returns a parameter that is a word or a list.
    pub fn text(name: &'static str, help: &'static str, at: &'a mut impl Text) -> Self {
        Self::new(name, help, Field::Text(at))
    }

    /// Returns this parameter as a threshold of the decision rule.
    #[must_use]
    pub fn threshold(self) -> Self {
        Self { is_threshold: true, ..self }
    }

    /// Returns the range of a parameter that is a count.
    pub fn counts(&self) -> Option<RangeInclusive<u64>> {
        match &self.field {
            Field::Count(_, range) => Some(range.clone()),
            _ => None,
        }
    }

    /// Returns the parameter with its value.
    pub fn setting(&self) -> Setting {
        let value = match &self.field {
            Field::Count(at, _) => ParameterValue::Count(at.get()),
            Field::Share(at) | Field::Number(at) => ParameterValue::Number(**at),
            Field::Flag(at) => ParameterValue::Flag(**at),
            Field::Limit(at) => at.map_or_else(|| ParameterValue::Text("none".into()), ParameterValue::Count),
            Field::Text(at) => ParameterValue::Text(at.get()),
        };
        Setting { name: self.name, help: self.help, is_threshold: self.is_threshold, value }
    }

    /// Sets the value, as it is written on the command line.
    ///
    /// # Errors
    /// [`ParameterError::Value`], and the value is unchanged.
    pub fn set(&mut self, text: &str) -> Result<(), ParameterError> {
        let name = self.name;
        let wrong = |why: String| ParameterError::Value { name, text: text.into(), why };
        let expected = |what: &str| wrong(format!("is not {what}"));
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        match &mut self.field {
            Field::Count(at, range) => {
                let value = text.parse().map_err(|_| expected("a whole number"))?;
                if !range.contains(&value) {
                    return Err(wrong(outside(range)));
                }
                at.set(value);
            }
            Field::Share(at) => {
                let share = number(text).filter(|share| (0.0..=1.0).contains(share));
                **at = share.ok_or_else(|| expected("a number from 0 to 1"))?;
            }
            Field::Number(at) => **at = number(text).ok_or_else(|| expected("a number"))?,
            Field::Flag(at) => **at = text.parse().map_err(|_| expected("true or false"))?,
            Field::Limit(at) => {
                let limit = text.parse().ok().filter(|limit| *limit > 0);
                **at = match (text, limit) {
                    ("none", _) => None,
                    (_, Some(limit)) => Some(limit),
                    _ => return Err(expected("none, or a whole number of at least 1")),
                };
            }
            Field::Text(at) => at.set(text).map_err(|why| ParameterError::Text { name, why })?,
        }
        Ok(())
    }
}

/// Returns the reason why a count outside its range is refused.
pub fn outside(range: &RangeInclusive<u64>) -> String {
    match *range.end() {
        u64::MAX => format!("is less than {}", range.start()),
        end => format!("is not in the range {} to {end}", range.start()),
    }
}

/// Error: the method does not have the parameter, or the parameter does not accept the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// The method has no parameter of this name.
    Unknown {
        /// Name of the method.
        method: &'static str,
        /// The name.
        name: String,
        /// Names of the parameters of the method.
        known: Vec<&'static str>,
    },
    /// The parameter does not accept this value.
    Value {
        /// Name of the parameter.
        name: &'static str,
        /// The value as written.
        text: String,
        /// Reason for the refusal.
        why: String,
    },
    /// The parameter does not accept this word or list.
    Text {
        /// Name of the parameter.
        name: &'static str,
        /// Reason for the refusal.
        why: String,
    },
}

impl Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { method, known, .. } if known.is_empty() => write!(f, "{method} has no parameters"),
            Self::Unknown { method, name, known } => {
                write!(f, "{method} has no parameter {name:?}; it has {}", known.join(", "))
            }
            Self::Value { name, text, why } => write!(f, "{name}: {text:?} {why}"),
            Self::Text { name, why } => write!(f, "{name}: {why}"),
        }
    }
}

impl Error for ParameterError {}
