//! How near-duplicates are judged: what callers say, as options of the library.

use nddb::View;
use nddb::detect::{GROUP_LIMIT, Method, MethodChoice, OnlineDetector, PairOptions, Rules, Verification};

use crate::errors::{Fault, Result};

/// The options that `query`, `add_if_new`, `pairs` and `clusters` share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judging {
    pub(crate) method: Option<Method>,
    pub(crate) k: Option<u8>,
    pub(crate) verify: Verification,
    pub(crate) group_limit: Option<usize>,
    pub(crate) complete: bool,
    pub(crate) min_probability: Option<f64>,
    pub(crate) max_difference: Option<f64>,
}

/// Takes the name of a method.
pub(crate) fn method(name: &str) -> Result<Method> {
    name.parse().map_err(|error: nddb::detect::UnknownMethod| Fault::value(error.to_string()))
}

/// Refuses a probability or a share that is none.
pub(crate) fn check_shares(min_probability: Option<f64>, max_difference: Option<f64>) -> Result<()> {
    for (share, why) in [(min_probability, "a probability is 0 to 1"), (max_difference, "a difference is 0 to 1")] {
        if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(Fault::value(why));
        }
    }
    Ok(())
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
        max_difference: Option<f64>,
    ) -> Result<Self> {
        let method = method_name.map(method).transpose()?;
        let verify = match verify {
            None => Verification::Off,
            Some("lcs") => Verification::Lcs,
            Some(other) => return Err(Fault::value(format!("verify is 'lcs' or None, and not '{other}'"))),
        };
        check_shares(min_probability, max_difference)?;
        Ok(Self { method, k, verify, group_limit, complete, min_probability, max_difference })
    }

    /// For one document.
    pub(crate) fn online(&self, view: View<'_>) -> Result<OnlineDetector> {
        let choice = self.choice(view)?;
        let mut online = OnlineDetector::chosen(view, choice);
        self.apply(view, &mut online.rules);
        online.complete = self.complete;
        online.group_limit = self.group_limit.unwrap_or(GROUP_LIMIT);
        online.verify = self.verify;
        online.check(view)?;
        Ok(online)
    }

    /// For all pairs.
    pub(crate) fn pairs(&self, view: View<'_>) -> Result<PairOptions> {
        let choice = self.choice(view)?;
        let mut options = PairOptions::chosen(view, choice);
        self.apply(view, &mut options.rules);
        options.complete = self.complete;
        options.group_limit = self.group_limit.unwrap_or(GROUP_LIMIT);
        options.verify = self.verify;
        nddb::detect::check(view, &options)?;
        Ok(options)
    }

    fn choice(&self, view: View<'_>) -> Result<MethodChoice> {
        let choice = MethodChoice::of(view, self.method, self.k.is_some());
        let method = choice.method;
        for (given, used, name, of) in [
            (self.k.is_some(), method == Method::Simhash, "k", "simhash"),
            (self.complete, method.has_pieces(), "complete", "c and split"),
            (self.min_probability.is_some(), method == Method::Model, "min_probability", "model"),
        ] {
            if given && !used {
                return Err(Fault::value(format!("{name} is an option of {of}, and the method is {method}")));
            }
        }
        Ok(choice)
    }

    fn apply(&self, view: View<'_>, rules: &mut Rules) {
        rules.within = self.k.unwrap_or(view.settings().k).into();
        rules.probability = self.min_probability.unwrap_or(rules.probability);
        rules.max_difference = self.max_difference;
    }
}
