//! What is asked for.

use super::method::Method;
use super::room::Room;
use super::rules::Rules;

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
    /// Room to work in.
    pub room: Room,
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
            room: Room::default(),
        }
    }
}
