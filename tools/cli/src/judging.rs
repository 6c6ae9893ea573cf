//! Verdicts by a chosen method: its options, and the evidence of a match as JSON.

use nddb::View;
use nddb::detect::{Evidence, GROUP_LIMIT, Method, MethodChoice, NearDuplicate, OnlineDetector};
use serde_json::{Map, Value, json};

use crate::difference_option::DifferenceOption;
use crate::failure::{Failure, Result};
use crate::json::Put;
use crate::model_options::ModelOptions;
use crate::text_options::Verify;

/// How a document is judged.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct JudgingArgs {
    #[arg(long, value_name = "METHOD", help = help())]
    pub(crate) method: Option<Method>,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    difference: DifferenceOption,
    /// Compare the texts of the matches, and omit those whose texts are not near
    ///
    /// Texts are read from where they were loaded. A match whose text cannot be read stays, and its rule says so.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) verify: Option<Verify>,
    #[arg(long, value_name = "N", help = limit_help())]
    group_limit: Option<usize>,
    /// Find every document whose projection differs in 12 bits; three times as many look-ups for c
    #[arg(long)]
    complete: bool,
}

impl JudgingArgs {
    /// What the library is told; `k` is what the user gave.
    pub(crate) fn online(&self, view: View<'_>, k: Option<u8>) -> Result<OnlineDetector> {
        let choice = MethodChoice::of(view, self.method, k.is_some());
        let method = choice.method;
        if k.is_some() && method != Method::Simhash {
            return Err(Failure::usage(format!("-k is the distance of simhash, and the method is {method}")));
        }
        if self.complete && !method.has_pieces() {
            return Err(Failure::usage(format!("--complete is an option of c and split, and the method is {method}")));
        }
        let mut online = OnlineDetector::chosen(view, choice);
        online.rules.within = k.unwrap_or(view.settings().k).into();
        self.model.apply(method, &mut online.rules)?;
        self.difference.apply(&mut online.rules);
        online.complete = self.complete;
        online.group_limit = self.group_limit.unwrap_or(GROUP_LIMIT);
        online.verify = Verify::verification(self.verify);
        online.check(view)?;
        Ok(online)
    }
}

impl JudgingArgs {
    /// The first option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--method", self.method.is_some()),
            ("--verify", self.verify.is_some()),
            ("--group-limit", self.group_limit.is_some()),
            ("--complete", self.complete),
            ("--min-probability or --model", self.model.is_given()),
            ("--max-difference", self.difference.is_given()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }
}

fn limit_help() -> String {
    format!("Maximum documents compared per shared key: the oldest [default: {GROUP_LIMIT}]")
}

/// Lists methods with what each is in brackets.
pub(crate) fn list(methods: impl Iterator<Item = Method>) -> String {
    methods.map(|method| format!("{method} ({})", method.help())).collect::<Vec<_>>().join(", ")
}

fn help() -> String {
    let methods = list(Method::ALL.into_iter().filter(|method| !method.needs_text()));
    format!(
        "Judge by this method: {methods} [default: model in a database of a recipe `main`, else simhash; simhash too \
         where only fingerprints are known]"
    )
}

/// A number that is known of a match; null where it is not known.
#[derive(Clone, Copy)]
pub(crate) enum Score {
    Count(Option<u32>),
    Share(Option<f64>),
    Is(Option<bool>),
}

impl From<Score> for Value {
    fn from(score: Score) -> Self {
        match score {
            Score::Count(count) => count.into(),
            Score::Share(share) => share.into(),
            Score::Is(is) => is.into(),
        }
    }
}

impl Put for Score {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Score::Count(count) => count.put(out),
            Score::Share(share) => share.put(out),
            Score::Is(is) => is.put(out),
        }
    }
}

/// The scores of a match other than its distance, each with its name.
pub(crate) fn scores(evidence: &Evidence, probability: Option<f64>) -> [(&'static str, Score); 9] {
    // Six decimals, as in pair lines.
    let share = |value: Option<f64>| Score::Share(value.map(|value| (value * 1e6).round() / 1e6));
    [
        ("b_sim", Score::Count(evidence.b_similarity)),
        ("c_sim", Score::Count(evidence.c_similarity)),
        ("agreement", Score::Count(evidence.agreement)),
        ("probability", share(probability)),
        ("resemblance", share(evidence.likely_resemblance())),
        ("difference", share(evidence.difference)),
        ("lcs", share(evidence.lcs_resemblance)),
        ("same_site", Score::Is(evidence.same_site)),
        ("same_heading", Score::Is(evidence.same_heading)),
    ]
}

/// Adds what is known of a match besides its distance, and the rule that decided; null where nothing is known.
pub fn add_evidence(object: &mut Map<String, Value>, alike: Option<&NearDuplicate>) {
    let evidence = alike.map_or_else(Evidence::default, |alike| alike.evidence);
    for (name, score) in scores(&evidence, alike.and_then(|alike| alike.probability)) {
        object.insert(name.into(), score.into());
    }
    object.insert("rule".into(), json!(alike.map(NearDuplicate::verdict)));
}
