//! Audits: a sample of what clustering would remove, a page to judge it by hand, and what the answers say of all
//! removals.

mod allocation;
mod answers;
mod draw;
mod page;
mod score;
mod stratum;
mod wilson;

pub use answers::{Answer, Answered, AnswersError, read_answers};
pub use draw::{Audit, AuditPair, Drawn};
pub use score::{AuditScore, Figure};
pub use stratum::{Kind, Stratum};
pub use wilson::wilson;
