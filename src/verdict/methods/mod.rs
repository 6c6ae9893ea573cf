//! The methods, one file each, and the list of them.
//!
//! The online verdict, pairs, clusters, evaluation and help texts take the methods from this list.

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use nddb_page::sketch::{FingerprintKind, Recipe};

use crate::method::Method;

mod b;
mod c;
mod combined;
mod cosine;
mod hamming;
mod identity;
mod lcs;
mod min_hash;
mod model;
mod shingles;
mod split;
#[cfg(test)]
pub(crate) mod testing;

pub use b::b_similarity;
pub use c::c_similarity;
pub use identity::IdentityOf;

/// Declares each method public, and lists all of them in the order of help texts and columns.
macro_rules! methods {
    ($($module:ident::$method:ident,)*) => {
        $(pub use $module::$method;)*

        /// Returns all methods with default parameters. Defaults are the values of the papers, where a paper gives one.
        pub fn all() -> Vec<Box<dyn Method>> {
            vec![$(Box::new($method::default())),*]
        }
    };
}

methods! {
    identity::Identity,
    hamming::Hamming,
    b::B,
    c::C,
    combined::Combined,
    split::Split,
    min_hash::MinHash,
    model::Model,
    lcs::Lcs,
    cosine::Cosine,
    shingles::Shingles,
}

/// Returns the methods of [`all`], made once.
pub(crate) fn defaults() -> &'static [Box<dyn Method>] {
    static DEFAULTS: LazyLock<Vec<Box<dyn Method>>> = LazyLock::new(all);
    &DEFAULTS
}

/// Returns the default method of a recipe: [`Model`] if the recipe keeps an index for it, else [`Hamming`]. The model
/// is the most accurate method on labelled pages, and the baseline for the evaluation of others.
pub fn default_of(recipe: Option<&Recipe>) -> Box<dyn Method> {
    match recipe {
        Some(recipe) if recipe.has_profile() => Model::default().into(),
        _ => Hamming::default().into(),
    }
}

/// Error: no method has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMethod(pub String);

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = defaults().iter().map(|method| method.name()).collect();
        write!(f, "unknown method {:?}; known methods: {}", self.0, names.join(", "))
    }
}

impl Error for UnknownMethod {}

impl FromStr for Box<dyn Method> {
    type Err = UnknownMethod;

    /// Returns the method with this name, with its default parameters; for the name of a kind of fingerprints, hamming
    /// for these alone.
    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        if name == FingerprintKind::Simhash.name() {
            return Ok(Hamming { only: Some(FingerprintKind::Simhash), ..Hamming::default() }.into());
        }
        all().into_iter().find(|method| method.name() == name).ok_or_else(|| UnknownMethod(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::{ParameterError, ParameterValue};

    #[test]
    fn a_method_is_found_by_its_name() {
        for method in all() {
            let found: Box<dyn Method> = method.name().parse().expect("a name");
            assert_eq!(found, method);
        }
        let error = "bee".parse::<Box<dyn Method>>().expect_err("no method").to_string();
        assert!(error.starts_with("unknown method \"bee\"; known methods: identity, hamming, b, c,"), "{error}");
    }

    /// Each parameter can be read back as it is written, and changes its method.
    #[test]
    fn each_parameter_can_be_set() {
        for method in all() {
            let names: Vec<&str> = method.settings().iter().map(|setting| setting.name).collect();
            for setting in method.settings() {
                let mut other = method.clone();
                other.set(setting.name, &setting.value.to_string()).expect("its own value");
                assert_eq!(other, method, "{method} {setting:?}");
                let value = match &setting.value {
                    ParameterValue::Count(count) if *count > 2 => (count - 1).to_string(),
                    ParameterValue::Count(count) => (count + 1).to_string(),
                    ParameterValue::Number(number) => ((number + 1.0) / 2.0).to_string(),
                    ParameterValue::Flag(flag) => (!flag).to_string(),
                    ParameterValue::Text(text) if text == "none" => "1000".into(),
                    ParameterValue::Text(text) if text == "lcs" => "dice".into(),
                    ParameterValue::Text(text) if text == "text" => "content".into(),
                    ParameterValue::Text(_) => "1,2,4,8,16,32,1,1,1,1,2".into(),
                };
                other.set(setting.name, &value).expect(setting.name);
                assert_ne!(other, method, "{method} {setting:?}");
                let changed: Vec<&str> = other
                    .settings()
                    .iter()
                    .zip(method.settings())
                    .filter(|(one, before)| *one != before)
                    .map(|(one, _)| one.name)
                    .collect();
                assert_eq!(changed, [setting.name], "{method}");
                for wrong in ["", "x", "-1", "1.5"] {
                    let is_number = matches!(setting.value, ParameterValue::Number(_));
                    if !is_number || wrong.len() < 2 {
                        let error = other.set(setting.name, wrong);
                        assert!(error.is_err(), "{method} {} {wrong:?}", setting.name);
                    }
                }
            }
            let mut other = method.clone();
            match other.set("bee", "3") {
                Err(ParameterError::Unknown { known, .. }) => assert_eq!(known, names),
                outcome => panic!("{method}: {outcome:?}"),
            }
        }
    }

    #[test]
    fn what_is_out_of_range_is_told() {
        let told = |method: &str, name: &str, value: &str| {
            let mut method: Box<dyn Method> = method.parse().expect("a method");
            method.set(name, value).expect_err("wrong").to_string()
        };
        assert_eq!(told("b", "b", "9"), "b: \"9\" is not in the range 2 to 6");
        assert_eq!(told("lcs", "smallest", "0"), "smallest: \"0\" is less than 1");
        assert_eq!(told("cosine", "cosine", "1.5"), "cosine: \"1.5\" is not a number from 0 to 1");
        assert_eq!(told("combined", "k", "3"), "combined has no parameter \"k\"; it has b, c");
        assert_eq!(told("identity", "k", "3"), "identity has no parameter \"k\"; it has of");
        assert_eq!(told("identity", "of", "title"), "of: \"title\" is not text or content");
        assert_eq!(told("lcs", "denominator", "x"), "denominator: \"x\" is not lcs, ses, tlcs or dice");
        assert_eq!(told("c", "complete", "yes"), "complete: \"yes\" is not true or false");
    }
}
