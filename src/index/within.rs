//! The distance of a query.

/// The greatest Hamming distance of a query, in bits. Queries beyond the k of a database are complete as well, but cost
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Within(pub u8);

impl Within {
    /// The greatest distance of a query of any database.
    pub const MAX: Self = Self(16);
}
