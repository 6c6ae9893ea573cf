//! A loss in words.

use nddb_dedup::KnownLoss;

use crate::quantity::counted;

/// Returns what is lost, as text: `12 words: 1 number, 2 names`, `none`, or `estimated`.
pub fn lost(loss: &KnownLoss) -> String {
    match loss {
        KnownLoss::Estimate(_) => "estimated".to_owned(),
        KnownLoss::Loss(loss) if loss.whole.lost == 0 => "none".to_owned(),
        KnownLoss::Loss(loss) => {
            let kinds = [
                (loss.kinds.numbers, "number"),
                (loss.kinds.negations, "negation"),
                (loss.kinds.signs, "sign"),
                (loss.kinds.names, "name"),
                (loss.kinds.subjects, "subject"),
            ];
            let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
            let kinds: Vec<String> = kinds.map(|(count, kind)| counted(count as u64, kind)).collect();
            let words = counted(loss.whole.lost as u64, "word");
            if kinds.is_empty() { words } else { format!("{words}: {}", kinds.join(", ")) }
        }
    }
}
