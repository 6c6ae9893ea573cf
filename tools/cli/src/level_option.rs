//! Which document of a cluster is kept, how much of a removed one may be lost, and how that is known: options of all
//! commands that remove.

use nddb::detect::outcome::WordSource;
use nddb::detect::{ClusterOptions, ClusterSummary, Keep, WordsFrom};
use nddb::verdict::Level;

use crate::quantity::counted;
use crate::text_options::unread_warning;

/// The options for what is kept and what is lost.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LevelOption {
    #[arg(long, value_name = "RULES", value_delimiter = ',', default_value = "stored", help = "Which document of a \
        cluster is kept: stored, batch, newest, oldest, longest, shortest-url, id; rules are tried in order",
        long_help = keep_help())]
    keep: Vec<Keep>,
    #[arg(long, value_name = "LEVEL", default_value_t, help = "How much of a removed document may be lost: \
        same (nothing), strict (little, and nothing that changes the sense), standard (a tenth)", long_help = help())]
    level: Level,
    /// Where the words come from by which the loss is known: auto, stored (in the database), archives (read
    /// again where they were loaded from), remote (those in stores and on servers, too), estimate (from sketches)
    ///
    /// By default the texts that the database keeps are taken, else local archives are read again. If none can be read,
    /// the loss is estimated, and every removal counts as unverified.
    #[arg(long, value_name = "FROM", default_value_t)]
    words: WordsFrom,
}

impl LevelOption {
    /// Returns the name of the level.
    pub(crate) fn name(&self) -> &'static str {
        self.level.name()
    }

    /// Returns by what the kept document of a cluster is chosen, most important first.
    pub(crate) fn order(&self) -> Vec<&'static str> {
        Keep::order(&self.keep)
    }

    /// Sets the options of the library.
    pub(crate) fn apply(&self, options: ClusterOptions) -> ClusterOptions {
        ClusterOptions { keep: self.keep.clone(), level: self.level, words: self.words, ..options }
    }
}

fn keep_help() -> String {
    let mut text =
        "Which document of a cluster is kept. Rules are tried in order, and ties go to the lowest id:\n".to_owned();
    for rule in Keep::ALL {
        text += &format!("- {}: {}\n", rule.name(), rule.keeps());
    }
    text + "Whole and sound documents come before truncated and garbled ones, unless the first rule is stored."
}

fn help() -> String {
    let mut text =
        "How much of a removed document may be lost. A near-duplicate of a kept document is removed if\n".to_owned();
    for level in Level::ALL {
        text += &format!("- {level}: {}\n", level.removes());
    }
    text + "Each level removes what the one before it removes. A word is lost if it has no counterpart when both texts \
        are aligned, unless a passage of five words or more with it stands elsewhere in the kept text. Names are \
        capitalised words; where capitals do not mark names (German, Chinese, lower case) every lost word of the \
        content counts as one. If the titles differ in a word that the content repeats, no level removes one document \
        for the other. Of bare fingerprints the distance alone decides."
}

/// Returns warnings about losses that are not known.
pub(crate) fn warnings(summary: &ClusterSummary) -> Vec<String> {
    let estimated = (summary.words == WordSource::Estimate && summary.unverified > 0).then(|| {
        let removals = counted(summary.unverified, "removal");
        format!("{removals} unverified: no text was read, and what is lost is estimated from sketches")
    });
    estimated.into_iter().chain(unread_warning(&summary.unread)).collect()
}
