//! Audits: a sample of the documents that clustering would remove, a page to judge the sample by hand, and the estimate
//! for all removals from the answers.

mod allocation;
mod answers;
mod draw;
mod page;
mod score;
mod stratum;

pub use answers::{Answer, Answered, AnswersError, read_answers};
pub use draw::{Audit, AuditPair, Drawing, Drawn};
pub use score::{AuditScore, Figure, wilson};
pub use stratum::{Stratum, StratumKind};
