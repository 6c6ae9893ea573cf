//! Options of the methods that compare texts, for all commands that run them.

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use nddb::detect::options::{TextScope, Verification};
use nddb::detect::outcome::UnreadTexts;
use nddb::detect::{PairOptions, PairSummary};
use nddb::verdict::{Method, methods::Lcs};
use nddb_jobs::quantity::unread_reasons;
use serde_json::{Value, json};

use crate::described::listed;
use crate::failure::{Code, Failure, Result};
use crate::quantity::counted;

/// How texts are compared.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Options of methods that compare texts")]
pub(crate) struct TextOptions {
    /// Compare the texts of the matches, and omit those whose texts are not near
    ///
    /// A pair stays if one of its texts cannot be read again, and its verdict says so.
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "lcs")]
    verify: Option<Verify>,
    /// Which text of a page is compared: all of it, or its main content [default: that of the recipe]
    #[arg(long = "text", value_parser = text_part(), value_name = "PART")]
    part: Option<TextScope>,
}

/// Reads which part of a page is compared.
pub fn text_part() -> impl TypedValueParser<Value = TextScope> {
    listed(&TextScope::ALL, |part| match part {
        TextScope::Whole => (part.name(), "The whole text, as it is compared"),
        TextScope::Main => (part.name(), "Without navigation and other noise, in lower case, numbers as 0"),
    })
}

/// The method that verifies the pairs of another method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verify {
    /// All pairs, by trustable longest common subsequence
    Lcs,
    /// Pairs of one site; pairs of different or unknown sites stay
    SameSite,
}

impl Verify {
    /// Returns the verification for the library.
    pub(crate) fn verification(verify: Option<Self>) -> Option<Verification> {
        verify.map(|how| Verification { lcs: Lcs::default(), same_site: how == Self::SameSite })
    }
}

impl TextOptions {
    /// Whether pairs are to be verified by their texts.
    pub(crate) fn verifies(&self) -> bool {
        self.verify.is_some()
    }

    /// Returns a given option that passages do not have.
    pub(crate) fn given_for_methods(&self) -> Option<&'static str> {
        let same_site = (self.verify == Some(Verify::SameSite)).then_some("--verify same-site");
        same_site.or(self.part.map(|_| "--text"))
    }

    /// Sets the options of the library. Options that have no effect on any of the methods are an error.
    pub(crate) fn apply(&self, methods: &[&dyn Method], options: &mut PairOptions) -> Result<()> {
        let texts = methods.iter().any(|method| method.needs_text()) || self.verify.is_some();
        if self.part.is_some() && !texts {
            let of = "methods that compare texts, and --verify";
            return Err(Failure::usage(format!("--text is an option of {of}, which is not run")));
        }
        options.verify = Verify::verification(self.verify);
        options.part = self.part;
        Ok(())
    }
}

/// Returns warnings about texts that could not be read, and about pairs that were not compared.
pub(crate) fn warnings(summary: &PairSummary) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(unread_warning(&summary.unread));
    if summary.unverified_members > 0 {
        let members = counted(summary.unverified_members, "member");
        warnings.push(format!("{members} of hot groups not verified, as the group lines say"));
    }
    if summary.unverified > 0 {
        warnings.push(format!("{} not verified, as their verdicts say", counted(summary.unverified, "pair")));
    }
    if summary.sets.limited > 0 {
        let sets = counted(summary.sets.limited, "perhaps-similar set");
        warnings.push(format!("{sets} not compared to the end: --set comparisons=N sets the limit"));
    }
    warnings
}

/// Returns a warning with the number of texts that could not be read and a hint, if there are any.
pub fn unread_warning(unread: &UnreadTexts) -> Option<String> {
    let next = next_steps(unread).join("; ");
    (unread.total() > 0).then(|| format!("texts that could not be read: {}; {next}", unread_reasons(unread)))
}

/// Returns hints about texts that could not be read.
fn next_steps(unread: &UnreadTexts) -> Vec<&'static str> {
    let steps = [
        (unread.without_source, "remove ('nddb rm') what came as a stream or as fingerprints, and load it from files"),
        (unread.moved, "put the archives back to where they were loaded from, or load them again from where they are"),
        (
            unread.refused,
            "let NDDB_HTTP_CREDENTIALS name a list of signed addresses, or set the variables of the store",
        ),
        (unread.changed, "remove ('nddb rm') the documents of changed archives, and load these again"),
        (unread.damaged, "get the damaged archives anew"),
    ];
    steps.into_iter().filter(|(count, _)| *count > 0).map(|(_, step)| step).collect()
}

/// Returns the exit code of a command that reads texts: texts that could not be read count as skipped.
pub(crate) fn code(summary: &PairSummary) -> Code {
    if summary.unread.total() > 0 { Code::SomeSkipped } else { Code::Done }
}

/// Returns the number of texts that could not be read, by the reason.
pub fn unread_value(unread: &UnreadTexts) -> Value {
    json!({
        "without_source": unread.without_source,
        "moved": unread.moved,
        "refused": unread.refused,
        "changed": unread.changed,
        "damaged": unread.damaged,
    })
}

/// Returns the part of the summary about texts.
pub(crate) fn value(options: &PairOptions, summary: &PairSummary) -> Value {
    let (unread, sets, shingles) = (&summary.unread, &summary.sets, &summary.shingles);
    // Reference of pairs: `texts`
    json!({
        "verify": options.verify.as_ref().map(Verification::name),
        "unread": unread_value(unread), // documents whose texts could not be read, by reason
        "unverified": summary.unverified, // pairs that could not be verified
        "unverified_members": summary.unverified_members, // of hot groups
        "rejected": summary.rejected, // pairs whose texts are not near
        "unsigned": sets.unsigned, // documents without a signature
        "signatures_shared": sets.shared,
        "signatures_dropped": sets.dropped,
        "sets": sets.sets,
        "largest_set": sets.largest,
        "compared": sets.compared,
        "limited": sets.limited, // sets not fully compared
        "shingles": shingles.shingles,
        "shingles_sampled": shingles.sampled,
        "unsampled": shingles.unsampled, // documents without a shingle in their sample
        "shingles_stopped": shingles.stopped,
    })
}
