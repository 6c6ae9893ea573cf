//! What is asked for.

use super::name::Method;
use super::rules::Rules;
use super::text_options::TextScope;
use super::text_options::{SetOptions, ShingleOptions};
use crate::compare::lcs::Parameters;
use crate::spill::resources::Resources;

/// Members of a group beyond which it is flagged, unless the caller says otherwise.
pub const GROUP_LIMIT: usize = 1000;

/// How pairs are to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOptions {
    /// By which method.
    pub method: Method,
    /// With which thresholds.
    pub rules: Rules,
    /// All pairs instead of groups and the pairs between them.
    pub expand: bool,
    /// Groups with more members are flagged; candidates with one key beyond it are compared with the
    /// oldest of them only.
    pub group_limit: usize,
    /// Projections are cut in 13 pieces instead of 12: no pair with 12 different bits is missed.
    pub complete: bool,
    /// The pairs of the method are compared by trustable longest common subsequence too, and those that are not near by
    /// it are none. Pairs of which a text cannot be read stay, and their verdict says so.
    pub verify_lcs: bool,
    /// What of a page is its text; what the database's recipe looks at, if it is not said.
    pub part: Option<TextScope>,
    /// How texts are compared by trustable longest common subsequence.
    pub lcs: Parameters,
    /// Perhaps-similar sets, where candidates of the methods lcs and cosine come from.
    pub sets: SetOptions,
    /// Shingles of the method of that name.
    pub shingles: ShingleOptions,
    /// Resources to work in.
    pub resources: Resources,
}

impl PairOptions {
    /// The papers' thresholds and the usual limits.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            rules: Rules::default(),
            expand: false,
            group_limit: GROUP_LIMIT,
            complete: false,
            verify_lcs: false,
            part: None,
            lcs: Parameters::default(),
            sets: SetOptions::default(),
            shingles: ShingleOptions::default(),
            resources: Resources::default(),
        }
    }
}
