//! A method with its parameters, and its form on the command line.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use nddb::detect::{PairOptions, Resources};
use nddb::sketch::Recipe;
use nddb::verdict::{Level, Method, default_of, methods, outside};
use serde_json::{Map, Value, json};

use crate::parameters;

/// Greatest distance of queries of the temporary database, and so of hamming.
pub(super) const K_MAX: u8 = 7;

/// Maximum number of values of a range.
const VALUES_MAX: u64 = 10_000;

/// A method with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) method: Box<dyn Method>,
    /// Whether the user named the method, instead of `all`.
    pub(super) by_name: bool,
    /// Name of the method that verifies its pairs by their texts.
    pub(super) verify: Option<&'static str>,
    /// Which of its pairs count as found: those of which this level removes either document; `None`: all.
    pub(super) level: Option<Level>,
}

/// Name of the parameter that is the level.
const LEVEL: &str = "level";

impl Setting {
    fn new(method: Box<dyn Method>, by_name: bool) -> Self {
        let level = (method == default_of(Some(&Recipe::default()))).then(Level::default);
        Self { method, by_name, verify: None, level }
    }

    /// Returns the options for the engine.
    pub(super) fn options(&self, resources: &Resources) -> PairOptions {
        PairOptions { expand: true, resources: resources.clone(), ..PairOptions::new(self.method.clone()) }
    }

    /// Whether this setting is what `cluster` and `dedup` do by default in a database of this recipe.
    pub(super) fn is_default(&self, recipe: &Recipe) -> bool {
        self.method == default_of(Some(recipe)) && self.verify.is_none() && self.level == Some(Level::default())
    }

    /// Returns the thresholds by name, and the other parameters that differ from their defaults.
    pub(super) fn params(&self) -> Map<String, Value> {
        let changed = parameters::changed(&*self.method);
        let named = self.method.settings().into_iter();
        let named = named.filter(|setting| setting.is_threshold || changed.contains_key(setting.name));
        let verify = self.verify.map(|name| ("verify".to_owned(), json!(name)));
        let level = self.level.map(|level| (LEVEL.to_owned(), json!(level.name())));
        let named = named.map(|setting| (setting.name.to_owned(), parameters::json(&setting.value)));
        named.chain(level).chain(verify).collect()
    }

    /// Returns the same parameters in the form of the command line.
    pub(super) fn told(&self) -> String {
        let params = self.params();
        let told = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        params.iter().map(|(name, value)| format!("{name}={}", told(value))).collect::<Vec<_>>().join("+")
    }
}

/// Reads a list of methods: `all`, or names separated by commas. Each name may have parameters after a colon, separated
/// by plus signs. `level=` names the level that must remove either document of a pair, or `none`. The value of an
/// integer parameter may be a range, `352..380` or `352..380/4`, for all values in the range; that of a share, too,
/// with its step: `0.1..0.9/0.1`.
pub(super) fn parse(list: &str) -> Result<Vec<Setting>, String> {
    if list == "all" {
        return Ok(methods::all().into_iter().map(|method| Setting::new(method, false)).collect());
    }
    let mut settings = Vec::new();
    for item in list.split(',') {
        let (name, parameters) = item.split_once(':').unwrap_or((item, ""));
        let method: Box<dyn Method> = name.parse().map_err(|error| format!("--methods {item}: {error}"))?;
        let mut here = vec![Setting::new(method, true)];
        let mut given = HashSet::new();
        for parameter in parameters.split('+').filter(|parameter| !parameter.is_empty()) {
            let name = parameter.split('=').next().unwrap_or_default();
            if !given.insert(name) {
                let other = format!("for several values, {name}=1..3 or an item for each, with commas between");
                return Err(format!("--methods {item}: {name} is given twice; {other}"));
            }
            here = match parameter.split_once('=') {
                Some((LEVEL, "none")) => at_level(here, None),
                Some((LEVEL, level)) => at_level(here, Some(level.parse().map_err(|error| format!("{error}"))?)),
                _ => with(&here, parameter).map_err(|why| format!("--methods {item}: {why}"))?,
            };
        }
        for setting in here {
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
    }
    Ok(settings)
}

fn at_level(settings: Vec<Setting>, level: Option<Level>) -> Vec<Setting> {
    settings.into_iter().map(|setting| Setting { level, ..setting }).collect()
}

/// Returns each setting with each value of a parameter.
fn with(settings: &[Setting], given: &str) -> Result<Vec<Setting>, String> {
    let (name, values) =
        given.split_once('=').ok_or_else(|| format!("{given:?} is no parameter (k=3, c=352..380/4)"))?;
    let counts = settings[0].method.counts(name).map_err(|error| error.to_string())?;
    let values = match counts {
        Some(range) => counted(values, &range)?,
        None if values.contains("..") => shares(values)?,
        None => vec![values.to_owned()],
    };
    let with = |setting: &Setting, value: &str| {
        let mut setting = setting.clone();
        setting.method.set(name, value).map_err(|error| error.to_string())?;
        Ok(setting)
    };
    settings.iter().flat_map(|setting| values.iter().map(move |value| with(setting, value))).collect()
}

/// Returns the values of an integer or a range.
fn counted(text: &str, range: &RangeInclusive<u64>) -> Result<Vec<String>, String> {
    let wrong = || format!("{text:?} is not a whole number, or a range as 352..380/4");
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let (values, step) = text.split_once('/').unwrap_or((text, "1"));
    let (from, to) = values.split_once("..").unwrap_or((values, values));
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if from > to || step == 0 {
        return Err(wrong());
    }
    if !range.contains(&from) || !range.contains(&to) {
        return Err(format!("{text:?} {}", outside(range)));
    }
    if (to - from) / step >= VALUES_MAX {
        return Err(format!("{text:?} is more than {VALUES_MAX} values"));
    }
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    Ok((from..=to).step_by(step).map(|value| value.to_string()).collect())
}

/// Returns the shares of a range, `0.1..0.9/0.1`.
fn shares(text: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{text:?} is not a range as 0.1..0.9/0.1");
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(wrong);
    let (values, step) = text.split_once('/').ok_or_else(wrong)?;
    let (from, to) = values.split_once("..").ok_or_else(wrong)?;
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if from > to || step <= 0.0 {
        return Err(wrong());
    }
    // The end belongs to the range even if the sum of its steps is a little more.
    let steps = ((to - from) / step + 1e-9).floor();
    if steps >= VALUES_MAX as f64 {
        return Err(format!("{text:?} is more than {VALUES_MAX} values"));
    }
    let value = |index: u64| (from + step * index as f64).min(to);
    Ok((0..=steps as u64).map(|index| format!("{:.9}", value(index))).map(trimmed).collect())
}

/// Returns a number without zeros at its end.
fn trimmed(number: String) -> String {
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(list: &str) -> Vec<String> {
        let settings = parse(list).expect(list);
        settings.iter().map(|setting| format!("{} {}", setting.method, setting.told())).collect()
    }

    #[test]
    fn a_list_names_methods_and_parameters() {
        assert_eq!(told("b,hamming"), ["b b=2", "hamming k=3"]);
        assert_eq!(
            told("hamming:k=0..3,c:c=360..372/6"),
            ["hamming k=0", "hamming k=1", "hamming k=2", "hamming k=3", "c c=360", "c c=366", "c c=372"]
        );
        assert_eq!(told("combined:b=2..3+c=350"), ["combined b=2+c=350", "combined b=3+c=350"]);
        assert_eq!(told("split:same=340+c=370"), ["split b=2+c=370+same=340"]);
        assert_eq!(told("min-hash:agreement=30..36/3").len(), 3);
        assert_eq!(told("lcs:containment=0.5"), ["lcs resemblance=0.28+containment=0.5"]);
        assert_eq!(told("hamming:k=3,hamming"), ["hamming k=3"], "each setting once");
        assert_eq!(told("cosine:smallest=3"), ["cosine cosine=0.95+smallest=3"], "and what is not a default");
        assert_eq!(told("shingles:words=4..5").len(), 2);
        let want = ["model probability=0.7", "model probability=0.8", "model probability=0.9"];
        assert_eq!(told("model:probability=0.7..0.9/0.1+level=none"), want);
        let levels = ["model probability=0.5+level=standard", "model probability=0.5", "b b=2+level=same"];
        assert_eq!(told("model,model:level=none,b:level=same"), levels);
        for wrong in ["0.7..0.9", "0.9..0.7/0.1", "0.1..0.9/0", "0.1../0.1", "0..1/0.00001", "0..nan/0.1"] {
            assert!(parse(&format!("model:probability={wrong}")).is_err(), "{wrong}");
        }
        assert_eq!(parse("all").map(|all| all.len()), Ok(methods::all().len()));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (list, word) in [
            ("", "unknown method \"\""),
            ("bee", "unknown method \"bee\""),
            ("hamming:3", "is no parameter"),
            ("hamming:c=3", "has no parameter \"c\"; it has k"),
            ("identity:k=3", "has no parameter \"k\"; it has of"),
            ("hamming:k=x", "is not a whole number"),
            ("model:level=half", "unknown level \"half\""),
            ("hamming:k=3..1", "is not a whole number"),
            ("hamming:k=1..3/0", "is not a whole number"),
            ("b,hamming:k=3+k=5", "--methods hamming:k=3+k=5: k is given twice; for several values, k=1..3"),
            ("cosine:cosine=1.5", "is not a number from 0 to 1"),
            ("b:b=9", "is not in the range 2 to 6"),
            ("b:b=1", "is not in the range 2 to 6"),
            ("hamming:k=8", "is not in the range 0 to 7"),
            ("c:c=370..385", "is not in the range 0 to 384"),
            ("lcs:denominator=x", "is not lcs, ses, tlcs or dice"),
            ("lcs:min-gap=0..20000", "is more than 10000 values"),
            ("min-hash:agreement=85", "is not in the range 0 to 84"),
        ] {
            let error = parse(list).expect_err(list);
            assert!(error.contains(word), "{list}: {error}");
        }
    }
}
