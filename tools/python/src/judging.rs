//! How near-duplicates are judged: what callers say, as options of the library.

use nddb::View;
use nddb::detect::options::{GROUP_LIMIT, UnknownWords, Verification};
use nddb::detect::{MethodChoice, OnlineDetector, PairOptions, WordsFrom};
use nddb::sketch::Recipe;
use nddb::verdict::methods::{Hamming, Lcs};
use nddb::verdict::{Level, Method, UnknownLevel, default_of};

use crate::errors::{Fault, Result};
use crate::writer::usual_threads;

/// The options that `query`, `add_if_new`, `pairs` and `clusters` share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judging {
    pub(crate) method: Option<Box<dyn Method>>,
    pub(crate) k: Option<u8>,
    pub(crate) verify: Option<Verification>,
    pub(crate) group_limit: Option<usize>,
    pub(crate) complete: bool,
    pub(crate) min_probability: Option<f64>,
}

/// Takes the name of a method.
pub(crate) fn method(name: &str) -> Result<Box<dyn Method>> {
    name.parse().map_err(|error: nddb::verdict::UnknownMethod| Fault::value(error.to_string()))
}

/// The error that an option of other methods is given.
fn no_option(name: &str, of: &str, method: &dyn Method) -> Fault {
    Fault::value(format!("{name} is an option of {of}, and the method is {method}"))
}

/// Returns a method with a distance, if it compares distances.
pub(crate) fn within(method: Box<dyn Method>, k: u8) -> Box<dyn Method> {
    method.within(k.into()).unwrap_or(method)
}

/// Refuses a probability that is none.
pub(crate) fn check_probability(min_probability: Option<f64>) -> Result<()> {
    match min_probability {
        Some(share) if !(0.0..=1.0).contains(&share) => Err(Fault::value("a probability is 0 to 1")),
        _ => Ok(()),
    }
}

/// Takes the name of a level; without one the default.
pub(crate) fn level(name: Option<&str>) -> Result<Level> {
    let named = name.map(|name| name.parse().map_err(|error: UnknownLevel| Fault::value(error.to_string())));
    Ok(named.transpose()?.unwrap_or_default())
}

/// Takes the name of a source of words; without one the default.
pub(crate) fn words(name: Option<&str>) -> Result<WordsFrom> {
    let named = name.map(|name| name.parse().map_err(|error: UnknownWords| Fault::value(error.to_string())));
    Ok(named.transpose()?.unwrap_or_default())
}

impl Judging {
    /// Takes what callers say.
    pub(crate) fn new(
        method_name: Option<&str>,
        k: Option<u8>,
        verify: Option<&str>,
        group_limit: Option<usize>,
        complete: bool,
        min_probability: Option<f64>,
    ) -> Result<Self> {
        let method = method_name.map(method).transpose()?;
        let verify = match verify {
            None => None,
            Some("lcs") => Some(Lcs::default().into()),
            Some("same-site") => Some(Verification::of_same_site(Lcs::default())),
            Some(other) => {
                return Err(Fault::value(format!("verify is 'lcs', 'same-site' or None, and not '{other}'")));
            }
        };
        check_probability(min_probability)?;
        Ok(Self { method, k, verify, group_limit, complete, min_probability })
    }

    /// For one document.
    pub(crate) fn online(&self, view: View<'_>) -> Result<OnlineDetector> {
        let mut online = OnlineDetector::chosen(self.choice(view)?);
        online.group_limit = self.group_limit.unwrap_or(GROUP_LIMIT);
        online.verify.clone_from(&self.verify);
        online.check(view)?;
        Ok(online)
    }

    /// For all pairs.
    pub(crate) fn pairs(&self, view: View<'_>) -> Result<PairOptions> {
        let mut options = PairOptions::chosen(self.choice(view)?);
        options.group_limit = self.group_limit.unwrap_or(GROUP_LIMIT);
        options.verify.clone_from(&self.verify);
        options.resources.threads = usual_threads();
        nddb::detect::options::check(view, &options)?;
        Ok(options)
    }

    fn choice(&self, view: View<'_>) -> Result<MethodChoice> {
        let mut choice = MethodChoice::of(view, self.method.clone(), self.k.map(u32::from))
            .map_err(|method| no_option("k", "hamming", &*method))?;
        let method = &*choice.method;
        for (given, used, name, of) in [
            (self.complete, method.has_parameter("complete"), "complete", "c and split"),
            (self.min_probability.is_some(), method.has_parameter("probability"), "min_probability", "model"),
        ] {
            if given && !used {
                return Err(no_option(name, of, method));
            }
        }
        set_known(&mut choice.method, self.complete, self.min_probability)?;
        Ok(choice)
    }
}

/// Sets the parameters of callers that a method has.
pub(crate) fn set_known(method: &mut Box<dyn Method>, complete: bool, min_probability: Option<f64>) -> Result<()> {
    let probability = min_probability.map(|share| ("probability", share.to_string()));
    for (name, value) in [("complete", complete.to_string())].into_iter().chain(probability) {
        if method.has_parameter(name) {
            method.set(name, &value).map_err(|error| Fault::value(error.to_string()))?;
        }
    }
    Ok(())
}

/// Returns the options of a method; without one those of the default of the recipe, with hamming for documents of which
/// only the fingerprint is known.
pub(crate) fn pair_options(
    recipe: &Recipe,
    method: Option<&str>,
    k: u8,
    group_limit: Option<usize>,
    complete: bool,
    min_probability: Option<f64>,
) -> Result<PairOptions> {
    let (method, or_hamming) = match method {
        Some(name) => (self::method(name)?, None),
        None => (default_of(Some(recipe)), Some(Hamming::within(k.into()))),
    };
    if method.needs_text() {
        let why = "it compares texts, and sketches are given".into();
        return Err(nddb::Error::Method { method: method.name(), why }.into());
    }
    check_probability(min_probability)?;
    let mut method = within(method, k);
    set_known(&mut method, complete, min_probability)?;
    let group_limit = group_limit.unwrap_or(GROUP_LIMIT);
    Ok(PairOptions { or_hamming, group_limit, ..PairOptions::new(method) })
}
