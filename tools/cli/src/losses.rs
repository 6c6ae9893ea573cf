//! The losses of a pair as fields of JSON and cells of TSV.

use nddb::detect::{KnownLoss, PairLoss};
use nddb_jobs::removed::lost;
use serde_json::{Value, json};

/// Names of the fields of a pair: what each of the two loses, the least level that removes it, and where the words come
/// from.
pub(crate) const OF_PAIR: [&str; 7] = ["loss_a", "lost_a", "level_a", "loss_b", "lost_b", "level_b", "words"];
/// The same for a query and its match.
pub(crate) const OF_QUERY: [&str; 7] =
    ["loss_query", "lost_query", "level_query", "loss_match", "lost_match", "level_match", "words"];

/// Returns the values of these fields; null where something is not known or no level removes.
pub(crate) fn values(of: &PairLoss) -> [Value; 7] {
    let [a, b] = [0, 1].map(|side| {
        let loss = of.losses[side].as_ref();
        let share = loss.and_then(KnownLoss::share).map(|share| (share * 1e6).round() / 1e6);
        [json!(share), json!(loss.map(lost)), json!(of.levels[side].map(|level| level.name()))]
    });
    let [c, d, e] = a;
    let [f, g, h] = b;
    [c, d, e, f, g, h, json!(of.words.name())]
}

/// Appends the cells of these fields to a row of TSV, each after a tab; what is null is empty.
pub(crate) fn append_tsv(of: &PairLoss, out: &mut Vec<u8>) {
    for value in values(of) {
        out.push(b'\t');
        match value {
            Value::Null => {}
            Value::String(text) => out.extend_from_slice(text.as_bytes()),
            value => out.extend_from_slice(value.to_string().as_bytes()),
        }
    }
}
