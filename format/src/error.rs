//! Format errors: which rule of SPEC.md the bytes break, and where.

use std::fmt;

/// A `Result` of this crate.
pub type Result<T, E = FormatError> = std::result::Result<T, E>;

/// A rule of SPEC.md that bytes break, and the offset where they break it.
///
/// This crate knows the rule and the offset; the reader of the file adds the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// There are fewer bytes than the structure needs.
    Truncated {
        /// The structure.
        what: &'static str,
        /// Number of bytes that the structure needs.
        need: u64,
        /// Number of bytes there are.
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
        /// The `reader_min` of the file.
        found: u16,
        /// The newest version that this reader supports.
        newest: u16,
    },
    /// The stored checksum differs from the computed one.
    Checksum {
        /// The structure.
        what: &'static str,
        /// Ordinal of the structure among those of its kind, from 0.
        index: u64,
        /// The checksum in the file.
        stored: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// A field breaks a rule.
    Malformed {
        /// The structure.
        what: &'static str,
        /// Offset from the start of the structure, in bytes.
        offset: u64,
        /// The rule, as a sentence of SPEC.md.
        rule: &'static str,
    },
    /// Two values that must ascend do not.
    OutOfOrder {
        /// The earlier value.
        previous: u64,
        /// The later value, which must be greater.
        found: u64,
    },
    /// The parameters are impossible for a scheme or table.
    Scheme {
        /// The rule that they break.
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
                write!(f, "{found:016x} stands after {previous:016x}: fingerprints must ascend")
            }
            Self::Scheme { rule } => write!(f, "no such scheme: {rule}"),
        }
    }
}

impl std::error::Error for FormatError {}

/// Returns a [`FormatError::Malformed`]: the most frequent error.
pub(crate) fn malformed<T>(what: &'static str, offset: usize, rule: &'static str) -> Result<T> {
    Err(FormatError::Malformed { what, offset: offset as u64, rule })
}
