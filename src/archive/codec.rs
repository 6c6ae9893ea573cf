//! The interface between the decoders of members or frames and the stream that drives them.

use super::entry::Reason;

/// The result of beginning the next member.
pub(super) enum Begin {
    /// A member begins at this offset of the file; its header is consumed.
    Started(u64),
    End,
    /// Bytes that belong to no member.
    Garbage,
    Fault(Fault),
}

/// The result of a decoding step.
pub(super) struct Progress {
    pub(super) produced: usize,
    pub(super) ended: bool,
}

/// The reason why a member cannot be decoded further, and the number of bytes that the step had produced before.
pub(super) struct Fault {
    pub(super) reason: Reason,
    pub(super) detail: &'static str,
    pub(super) produced: usize,
}

impl Fault {
    pub(super) fn damage(detail: &'static str) -> Fault {
        Fault { reason: Reason::DamagedMember, detail, produced: 0 }
    }

    pub(super) fn cut(detail: &'static str) -> Fault {
        Fault { reason: Reason::CutOff, detail, produced: 0 }
    }

    /// Returns the same fault, after `produced` sound bytes.
    pub(super) fn after(self, produced: usize) -> Fault {
        Fault { produced, ..self }
    }
}
