//! Parameters of the methods that a command runs: `--set`, and files of them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use nddb::verdict::{FEATURES, Method, ParameterValue};
use serde_json::{Map, Value};

use crate::failure::{Failure, Result};
use crate::inputs;

/// Parameters of the methods that run; all others have their defaults.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Parameters {
    /// Set a parameter of the methods that run: b=3 of each that has it, lcs.slope=0.2 of one; see 'nddb help methods'
    #[arg(long = "set", value_name = "NAME=VALUE")]
    assignments: Vec<Assignment>,
    /// Read the constants of the model from this file, written by `nddb-lab fit --output`
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

/// A value for a parameter of one method, or of all methods that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Assignment {
    method: Option<String>,
    name: String,
    value: String,
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (place, value) = text.split_once('=').ok_or("a parameter is set as b=3, or as lcs.slope=0.2")?;
        let (method, name) = match place.split_once('.') {
            Some((method, name)) => (Some(method.to_owned()), name),
            None => (None, place),
        };
        Ok(Self { method, name: name.to_owned(), value: value.to_owned() })
    }
}

impl Assignment {
    fn is_of(&self, method: &dyn Method) -> bool {
        self.method.as_ref().is_none_or(|name| name == method.name())
    }

    /// Sets the parameter in all methods that have it; it is an error if none has it.
    fn apply(&self, methods: &mut [&mut dyn Method]) -> Result<()> {
        let mut unknown = Vec::new();
        let mut is_set = false;
        for method in methods.iter_mut().filter(|method| self.is_of(&***method)) {
            let has_it = method.has_parameter(&self.name);
            match method.set(&self.name, &self.value) {
                Ok(()) => is_set = true,
                Err(error) if has_it => return Err(self.failure(&error.to_string())),
                Err(error) => unknown.push(error.to_string()),
            }
        }
        if is_set {
            return Ok(());
        }
        unknown.dedup();
        Err(self.failure(&match &self.method {
            Some(method) if unknown.is_empty() => format!("the method {method} is not run"),
            _ => unknown.join("; "),
        }))
    }

    fn failure(&self, why: &str) -> Failure {
        let Self { method, name, value } = self;
        let place = method.as_ref().map_or_else(String::new, |method| format!("{method}."));
        Failure::usage(format!("--set {place}{name}={value}: {why}"))
    }
}

impl Parameters {
    /// Returns the option that was given, if any.
    pub fn given(&self) -> Option<&'static str> {
        let set = (!self.assignments.is_empty()).then_some("--set");
        set.or(self.model.as_ref().map(|_| "--model"))
    }

    /// Sets the parameters of all methods that run. A parameter that none of them has and a value out of range are
    /// errors.
    pub fn apply(&self, methods: &mut [&mut dyn Method]) -> Result<()> {
        if let Some(path) = &self.model {
            let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
            let named = methods.iter_mut().filter(|method| method.has_parameter(CONSTANT)).collect::<Vec<_>>();
            if named.is_empty() {
                return Err(Failure::usage(format!(
                    "--model applies to the method model, not to {}",
                    names.join(", ")
                )));
            }
            let constants = read(path)?;
            for method in named {
                for (name, value) in &constants {
                    method.set(name, value).map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
                }
            }
        }
        for (index, assignment) in self.assignments.iter().enumerate() {
            let is_same = |other: &Assignment| (&other.method, &other.name) == (&assignment.method, &assignment.name);
            if self.assignments[..index].iter().any(is_same) {
                return Err(assignment.failure("it is set twice"));
            }
            assignment.apply(methods)?;
        }
        Ok(())
    }

    /// Sets the parameters that a method has.
    pub fn apply_known(&self, method: &mut dyn Method) -> Result<()> {
        let of = |assignment: &&Assignment| assignment.is_of(method) && method.has_parameter(&assignment.name);
        let known: Vec<&Assignment> = self.assignments.iter().filter(of).collect();
        known.into_iter().try_for_each(|assignment| assignment.apply(&mut [&mut *method]))
    }
}

/// Name of the only parameter of the model that is no weight.
const CONSTANT: &str = "constant";

/// Reads the constants of a model: an object with `constant`, and `weights` by the names of all features.
fn read(path: &Path) -> Result<Vec<(&'static str, String)>> {
    let failure = |why: String| Failure::failed(format!("{}: {why}", path.display()));
    let value: Value =
        serde_json::from_slice(&inputs::read(path)?).map_err(|error| failure(format!("not JSON: {error}")))?;
    let number = |value: &Value, name: &'static str| {
        let number = value.as_f64().filter(|number| number.is_finite());
        number.map(|number| (name, number.to_string())).ok_or_else(|| failure(format!("no number {name}")))
    };
    let weights = FEATURES.iter().map(|of| number(&value["weights"][of.name], of.name));
    std::iter::once(number(&value[CONSTANT], CONSTANT)).chain(weights).collect()
}

/// Returns the value of a parameter as JSON.
pub(crate) fn json(value: &ParameterValue) -> Value {
    match value {
        ParameterValue::Count(count) => (*count).into(),
        ParameterValue::Number(number) => (*number).into(),
        ParameterValue::Flag(flag) => (*flag).into(),
        ParameterValue::Text(text) => text.as_str().into(),
    }
}

/// Returns the value of a parameter of a method, if the method has the parameter.
pub(crate) fn value_of(method: &dyn Method, name: &str) -> Option<Value> {
    method.settings().iter().find(|setting| setting.name == name).map(|setting| json(&setting.value))
}

/// Returns the parameters of a method that differ from their defaults.
pub(crate) fn changed(method: &dyn Method) -> Map<String, Value> {
    let default: Option<Box<dyn Method>> = method.name().parse().ok();
    let defaults = default.map(|method| method.settings()).unwrap_or_default();
    let settings = method.settings().into_iter().filter(|setting| !defaults.contains(setting));
    settings.map(|setting| (setting.name.to_owned(), json(&setting.value))).collect()
}

/// Returns the command-line options for the parameters of a method that differ from their defaults, each after a space.
pub fn options(method: &dyn Method) -> String {
    let told = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    changed(method).iter().map(|(name, value)| format!(" --set {name}={}", told(value))).collect()
}

#[cfg(test)]
mod tests {
    use nddb::verdict::methods::{B, Combined, Hamming, Lcs};

    use super::*;

    /// Sets these parameters, which are separated by spaces.
    fn set(text: &str, methods: &mut [&mut dyn Method]) -> std::result::Result<(), String> {
        let assignments = text.split(' ').map(Assignment::from_str).collect::<std::result::Result<_, _>>()?;
        let parameters = Parameters { assignments, model: None };
        parameters.apply(methods).map_err(|failure| match failure {
            Failure::Told(told) => told.message,
            Failure::Pipe => panic!("nothing is written"),
        })
    }

    #[test]
    fn a_parameter_is_set_of_each_method_that_has_it_or_of_one() {
        let (mut b, mut combined, mut lcs) = (B::default(), Combined::default(), Lcs::default());
        assert_eq!(set("b=3", &mut [&mut b, &mut combined, &mut lcs]), Ok(()));
        assert_eq!((b.b, combined.b), (3, 3));
        assert_eq!(set("combined.b=4", &mut [&mut b, &mut combined, &mut lcs]), Ok(()));
        assert_eq!((b.b, combined.b), (3, 4));
        assert_eq!(set("lcs.denominator=dice", &mut [&mut lcs]), Ok(()));
        assert_eq!(value_of(&lcs, "denominator"), Some("dice".into()));
    }

    #[test]
    fn what_no_method_has_is_refused_with_what_there_is() {
        for (text, word) in [
            ("b", "a parameter is set as b=3"),
            ("x=3", "--set x=3: b has no parameter \"x\"; it has b; hamming has no parameter \"x\"; it has k"),
            ("b=9", "--set b=9: b: \"9\" is not in the range 2 to 6"),
            ("lcs.slope=0.2", "--set lcs.slope=0.2: the method lcs is not run"),
            ("b.k=3", "--set b.k=3: b has no parameter \"k\"; it has b"),
            ("k=3 k=5", "--set k=5: it is set twice"),
        ] {
            let told = set(text, &mut [&mut B::default(), &mut Hamming::default()]).expect_err(text);
            assert!(told.contains(word), "{text}: {told}");
        }
    }
}
