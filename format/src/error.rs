//! What can be wrong with bytes: which rule of SPEC.md is broken, and where.

use std::fmt;

/// A `Result` of this crate.
pub type Result<T, E = FormatError> = std::result::Result<T, E>;

/// Which rule of SPEC.md the bytes break, and where in them.
///
/// The format knows the rule and the byte; whoever read the file adds its name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// Fewer bytes than the structure needs.
    Truncated {
        /// The structure.
        what: &'static str,
        /// Bytes it needs.
        need: u64,
        /// Bytes there are.
        have: u64,
    },
    /// The file does not begin with the magic of its kind.
    Magic {
        /// The kind of file that was expected.
        what: &'static str,
        /// The first eight bytes.
        found: [u8; 8],
    },
    /// The file needs a newer reader.
    Version {
        /// The kind of file.
        what: &'static str,
        /// The reader version that the file asks for.
        found: u16,
        /// The newest that this reader knows.
        newest: u16,
    },
    /// Stored and computed checksum differ.
    Checksum {
        /// The structure.
        what: &'static str,
        /// Which one of its kind, counted from 0.
        index: u64,
        /// The checksum in the file.
        stored: u32,
        /// The checksum that its bytes give.
        computed: u32,
    },
    /// A field breaks a rule.
    Malformed {
        /// The structure.
        what: &'static str,
        /// Bytes from the start of the structure.
        offset: u64,
        /// The sentence of SPEC.md.
        rule: &'static str,
    },
    /// Values that must ascend do not.
    OutOfOrder {
        /// The earlier value.
        previous: u64,
        /// The value that should be greater.
        found: u64,
    },
    /// Parameters that no scheme or table can have.
    Scheme {
        /// The rule they break.
        rule: &'static str,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { what, need, have } => {
                write!(f, "{what} is cut off: it needs {need} bytes and has {have}")
            }
            Self::Magic { what, found } => {
                write!(f, "not a {what}: it begins with")?;
                found.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
            }
            Self::Version { what, found, newest } => {
                write!(f, "{what} needs format {found}, this nddb reads up to {newest}: use a newer nddb")
            }
            Self::Checksum { what, index, stored, computed } => {
                write!(f, "checksum of {what} {index} is {stored:#010x}, its bytes say {computed:#010x}")
            }
            Self::Malformed { what, offset, rule } => write!(f, "{what} is malformed at byte {offset}: {rule}"),
            Self::OutOfOrder { previous, found } => {
                write!(f, "{found:016x} stands behind {previous:016x}: fingerprints must ascend")
            }
            Self::Scheme { rule } => write!(f, "no such scheme: {rule}"),
        }
    }
}

impl std::error::Error for FormatError {}

/// Shorthand for the most frequent error.
pub(crate) fn malformed<T>(what: &'static str, offset: usize, rule: &'static str) -> Result<T> {
    Err(FormatError::Malformed { what, offset: offset as u64, rule })
}
