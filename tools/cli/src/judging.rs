//! Verdicts by a chosen method: its options.

use nddb::View;
use nddb::detect::options::{GROUP_LIMIT, Verification};
use nddb::detect::{MethodChoice, OnlineDetector};
use nddb::verdict::Method;
use nddb::verdict::methods::{self, Hamming};

use crate::failure::{Failure, Result};
use crate::parameters::Parameters;
use crate::text_options::Verify;

/// The options for the judgement of a document.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct JudgingArgs {
    #[arg(long, value_name = "METHOD", help = help())]
    pub(crate) method: Option<Box<dyn Method>>,
    #[command(flatten)]
    parameters: Parameters,
    /// Compare the texts of the matches, and omit those whose texts are not near
    ///
    /// A match whose text cannot be read again stays, and its rule says so. With --parts: passages have their exact
    /// ends, also in code points of the text (of markup: of what 'nddb text --whole' prints), and the share of equal
    /// words; those in the content of neither page are omitted.
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "lcs")]
    pub(crate) verify: Option<Verify>,
    #[arg(long, value_name = "N", help = limit_help())]
    group_limit: Option<usize>,
}

impl JudgingArgs {
    /// Returns the options for the library; `k` is the distance that the user gave.
    pub(crate) fn online(&self, view: View<'_>, k: Option<u8>) -> Result<OnlineDetector> {
        let mut online = OnlineDetector::chosen(chosen(view, self.method.clone(), k)?);
        online.group_limit = self.group_limit.unwrap_or(GROUP_LIMIT);
        online.verify = Verify::verification(self.verify);
        self.parameters.apply(&mut running(&mut online.method, &mut online.or_hamming, &mut online.verify))?;
        online.check(view)?;
        Ok(online)
    }

    /// Returns the first of these options that was given, apart from those that passages have, too.
    pub(crate) fn given_for_methods(&self) -> Option<&'static str> {
        let other = Self { verify: self.verify.filter(|how| *how != Verify::Lcs), ..self.clone() };
        other.given()
    }

    /// Returns the first of these options that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--method", self.method.is_some()),
            ("--verify", self.verify.is_some()),
            ("--group-limit", self.group_limit.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
        .or(self.parameters.given())
    }
}

/// Returns the named method, or else the default of the database; `k` is the given distance of hamming.
pub(crate) fn chosen(view: View<'_>, named: Option<Box<dyn Method>>, k: Option<u8>) -> Result<MethodChoice> {
    MethodChoice::of(view, named, k.map(u32::from))
        .map_err(|method| Failure::usage(format!("-k is the distance of hamming, and the method is {method}")))
}

/// Returns all methods of a verdict, to set their parameters.
pub(crate) fn running<'a>(
    method: &'a mut Box<dyn Method>,
    or_hamming: &'a mut Option<Hamming>,
    verify: &'a mut Option<Verification>,
) -> Vec<&'a mut dyn Method> {
    let mut all: Vec<&mut dyn Method> = vec![&mut **method];
    all.extend(or_hamming.as_mut().map(|hamming| hamming as &mut dyn Method));
    all.extend(verify.as_mut().map(|verification| &mut verification.lcs as &mut dyn Method));
    all
}

fn limit_help() -> String {
    format!("Maximum documents compared per shared key: the oldest [default: {GROUP_LIMIT}]")
}

/// Lists the names of methods.
pub(crate) fn list(methods: &[Box<dyn Method>]) -> String {
    methods.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn help() -> String {
    let (_, sketches): (Vec<_>, Vec<_>) = methods::all().into_iter().partition(|method| method.needs_text());
    let methods = list(&sketches);
    format!(
        "Judge by this method: {methods}; see 'nddb help methods' [default: model in a database of a recipe `main`, \
         else hamming; hamming too where only fingerprints are known]"
    )
}
