//! A method with its thresholds, as the command line names it.

use nddb::detect::{Method, PairOptions, Resources, Rules, Threshold, Verification};
use nddb::sketch::Recipe;
use serde_json::{Map, Value, json};

use crate::text_options::Verify;

/// Greatest distance that the database of the documents answers: simhash can be run up to it.
pub(super) const K_MAX: u8 = 7;

/// A method with its thresholds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) method: Method,
    pub(super) rules: Rules,
    /// It was named, and not meant by `all`.
    pub(super) by_name: bool,
    /// Which of its pairs are verified by their texts.
    pub(super) verify: Verification,
}

impl Setting {
    fn new(method: Method, by_name: bool) -> Self {
        Self { method, rules: Rules::default(), by_name, verify: Verification::Off }
    }

    /// What the engine is asked for.
    pub(super) fn options(&self, resources: &Resources) -> PairOptions {
        PairOptions { rules: self.rules, expand: true, resources: resources.clone(), ..PairOptions::new(self.method) }
    }

    /// Whether it is what `add` and `query` use in a database of this recipe, unless they are told otherwise.
    pub(super) fn is_default(&self, recipe: &Recipe) -> bool {
        self.method == Method::default_of(Some(recipe)) && self.params() == Self::new(self.method, true).params()
    }

    /// The thresholds by name.
    pub(super) fn params(&self) -> Map<String, Value> {
        let value = |threshold: &Threshold| {
            let value = (threshold.get)(&self.rules);
            if threshold.counts.is_some() { json!(value as u64) } else { json!(value) }
        };
        let thresholds = self.method.thresholds().iter();
        let verify = Verify::name(self.verify).map(|name| ("verify".to_owned(), json!(name)));
        thresholds.map(|threshold| (threshold.name.to_owned(), value(threshold))).chain(verify).collect()
    }

    /// The thresholds as they are given on the command line.
    pub(super) fn told(&self) -> String {
        let params = self.params();
        let told = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        params.iter().map(|(name, value)| format!("{name}={}", told(value))).collect::<Vec<_>>().join("+")
    }
}

/// Reads a list of methods: `all`, or names between commas, each with thresholds after a colon, more of them with plus
/// signs between. A threshold may be a range, `352..380` or `352..380/4`, and stands for all values in it.
pub(super) fn parse(list: &str) -> Result<Vec<Setting>, String> {
    if list == "all" {
        return Ok(Method::ALL.into_iter().map(|method| Setting::new(method, false)).collect());
    }
    let mut settings = Vec::new();
    for item in list.split(',') {
        let (name, thresholds) = item.split_once(':').unwrap_or((item, ""));
        let method: Method = name.parse().map_err(|error| format!("--methods {item}: {error}"))?;
        let mut here = vec![Setting::new(method, true)];
        for threshold in thresholds.split('+').filter(|threshold| !threshold.is_empty()) {
            here = with(&here, threshold).map_err(|why| format!("--methods {item}: {why}"))?;
        }
        for setting in here {
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
    }
    Ok(settings)
}

/// Each setting with each value of a threshold.
fn with(settings: &[Setting], given: &str) -> Result<Vec<Setting>, String> {
    let method = settings[0].method;
    let known = method.thresholds();
    let names = || known.iter().map(|threshold| threshold.name).collect::<Vec<_>>().join(", ");
    let (name, values) =
        given.split_once('=').ok_or_else(|| format!("{given:?} is no threshold (k=3, c=352..380/4)"))?;
    let threshold = known.iter().find(|threshold| threshold.name == name).ok_or_else(|| {
        if known.is_empty() {
            format!("{method} has no thresholds")
        } else {
            format!("{method} has no {name:?}, but {}", names())
        }
    })?;
    let values = values_of(values, threshold.counts)?;
    let with = |setting: &Setting, value: f64| {
        let mut setting = setting.clone();
        (threshold.set)(&mut setting.rules, value);
        setting
    };
    Ok(settings.iter().flat_map(|setting| values.iter().map(move |&value| with(setting, value))).collect())
}

/// The values that a number or a range stands for.
fn values_of(text: &str, counts: Option<(u16, u16)>) -> Result<Vec<f64>, String> {
    let wrong = || {
        let what = if counts.is_some() { "a whole number, or a range as 352..380/4" } else { "a number from 0 to 1" };
        format!("{text:?} is not {what}")
    };
    let Some((least, most)) = counts else {
        let value: f64 = text.parse().map_err(|_| wrong())?;
        return if (0.0..=1.0).contains(&value) { Ok(vec![value]) } else { Err(wrong()) };
    };
    let number = |text: &str| text.parse::<u16>().map_err(|_| wrong());
    let (range, step) = text.split_once('/').unwrap_or((text, "1"));
    let (from, to) = range.split_once("..").unwrap_or((range, range));
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if from > to || step == 0 {
        return Err(wrong());
    }
    if from < least || to > most {
        return Err(format!("{text:?} is not within what there is: {least} to {most}"));
    }
    Ok((from..=to).step_by(step.into()).map(f64::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(list: &str) -> Vec<String> {
        let settings = parse(list).expect(list);
        settings.iter().map(|setting| format!("{} {}", setting.method, setting.told())).collect()
    }

    #[test]
    fn a_list_names_methods_and_thresholds() {
        assert_eq!(told("b,simhash"), ["b b=2", "simhash k=3"]);
        assert_eq!(
            told("simhash:k=0..3,c:c=360..372/6"),
            ["simhash k=0", "simhash k=1", "simhash k=2", "simhash k=3", "c c=360", "c c=366", "c c=372"]
        );
        assert_eq!(told("combined:b=2..3+c=350"), ["combined b=2+c=350", "combined b=3+c=350"]);
        assert_eq!(told("split:same=340+c=370"), ["split b=2+c=370+same=340"]);
        assert_eq!(told("min-hash:agreement=30..36/3").len(), 3);
        assert_eq!(told("lcs:containment=0.5"), ["lcs resemblance=0.28+containment=0.5"]);
        assert_eq!(told("simhash:k=3,simhash"), ["simhash k=3"], "each setting once");
        assert_eq!(parse("all").map(|all| all.len()), Ok(Method::ALL.len()));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (list, word) in [
            ("", "there is no method \"\""),
            ("bee", "there is no method \"bee\""),
            ("simhash:3", "is no threshold"),
            ("simhash:c=3", "has no \"c\", but k"),
            ("identity:k=3", "has no thresholds"),
            ("simhash:k=x", "is not a whole number"),
            ("simhash:k=3..1", "is not a whole number"),
            ("simhash:k=1..3/0", "is not a whole number"),
            ("cosine:cosine=1.5", "is not a number from 0 to 1"),
            ("b:b=9", "is not within what there is: 2 to 6"),
            ("b:b=1", "is not within what there is: 2 to 6"),
            ("simhash:k=8", "is not within what there is: 0 to 7"),
            ("c:c=370..385", "is not within what there is: 0 to 384"),
            ("min-hash:agreement=85", "is not within what there is: 0 to 84"),
        ] {
            let error = parse(list).expect_err(list);
            assert!(error.contains(word), "{list}: {error}");
        }
    }
}
