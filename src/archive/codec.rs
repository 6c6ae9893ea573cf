//! What a decoder of members or frames tells the stream that drives it.

use super::entry::Reason;

/// How the next member begins.
pub(super) enum Begin {
    /// A member begins at this offset of the file; its header is consumed.
    Started(u64),
    End,
    /// Bytes that are no member.
    Garbage,
    Fault(Fault),
}

/// What a step of decoding did.
pub(super) struct Progress {
    pub(super) produced: usize,
    pub(super) ended: bool,
}

/// Why a member cannot be decoded further, and how many bytes the step gave before that.
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

    /// The same fault, behind bytes that were sound.
    pub(super) fn after(self, produced: usize) -> Fault {
        Fault { produced, ..self }
    }
}
