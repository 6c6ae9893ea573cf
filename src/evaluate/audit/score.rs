//! Estimates for all removals from the answers of an audit.

use std::collections::BTreeMap;

use super::answers::{Answer, Answered};
use super::stratum::StratumKind;
use crate::difference::DifferenceKind;
use crate::removals::SAME_SITE;

/// The quantile of the normal distribution that leaves 2.5% on each side.
const Z: f64 = 1.959_963_985;

/// The share of right pairs in a set, estimated from the judged pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Number of all pairs that the judged pairs represent.
    pub pairs: u64,
    /// Number of pairs that were judged and decided.
    pub judged: u64,
    /// Of these, the number of right pairs.
    pub right: u64,
    /// The share of right pairs; each judged pair is weighted by the number of pairs that it represents.
    pub share: Option<f64>,
    /// Its 95% interval by Wilson, for a sample of the effective size (Kish 1965): (sum of weights)^2 / sum of squares.
    pub interval: Option<(f64, f64)>,
}

/// The estimates from the answers of an audit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditScore {
    /// Number of removals from which the audit was drawn.
    pub removals: u64,
    /// Removals that were judged.
    pub judged: u64,
    /// Of these, removals without a decided answer.
    pub undecided: u64,
    /// All removals of the strata that have at least one decided pair.
    pub all: Figure,
    /// The share whose two pages have the same text.
    pub near: Figure,
    /// For the same removals with the same weights, the share that the model expects to be right; `None` without
    /// probabilities.
    pub expected: Option<f64>,
    /// The removals divided by rule, score, sites, cluster size and stratum: a heading, and the estimate for each part
    /// by name.
    pub parts: Vec<(&'static str, Vec<(String, Figure)>)>,
    /// For each kind of pair of which no document was removed: the share that could have been removed rightly.
    pub others: Vec<(StratumKind, Figure)>,
    /// Number of pairs that were judged twice, and the number of these with equal answers.
    pub again: (u64, u64),
    /// Number of pairs without lost information by kind of difference: all pairs, and pairs on one site (Henzinger
    /// 2006, Tables 3 and 6).
    pub differences: BTreeMap<DifferenceKind, [u64; 2]>,
    /// Number of undecided pairs by reason, counted in the same way (Tables 4 and 7).
    pub reasons: BTreeMap<DifferenceKind, [u64; 2]>,
    /// Number of pairs whose kind of difference was guessed correctly.
    pub guessed: u64,
}

/// What the answers about a pair decide.
type Decide = fn(&Answered) -> Option<bool>;

/// A division of removals: its heading, and the function that names the part of an answer.
type RemovalDivision = (&'static str, fn(&Answered) -> String);

const PARTS: [RemovalDivision; 5] = [
    ("rule", |it| it.rule.clone()),
    ("score", |it| it.score.clone()),
    ("sites", |it| it.sites.clone()),
    ("documents in the cluster", |it| it.cluster.clone()),
    ("stratum", stratum),
];

fn stratum(it: &Answered) -> String {
    format!("{}, {}, {}, {}", it.rule, it.score, it.sites, it.cluster)
}

impl AuditScore {
    /// Computes the estimates from the answers of one audit.
    pub fn of(answers: &[Answered]) -> Self {
        let of_kind = |kind: StratumKind| answers.iter().filter(|it| it.kind == kind).collect::<Vec<_>>();
        let removed = of_kind(StratumKind::Removed);
        let weights = weights(&removed, Answered::is_right);
        let near = self::weights(&removed, Answered::is_near);
        let mut score = Self {
            removals: answers.first().map_or(0, |it| it.removals),
            judged: removed.len() as u64,
            undecided: removed.iter().filter(|it| it.is_right().is_none()).count() as u64,
            all: figure(&removed, &weights, Answered::is_right),
            near: figure(&removed, &near, Answered::is_near),
            ..Self::default()
        };
        let (mut sum, mut of) = (0.0, 0.0);
        for it in removed.iter().filter(|it| it.is_right().is_some()) {
            if let Some(probability) = it.probability {
                let weight = weights[&stratum(it)];
                (sum, of) = (sum + weight * probability, of + weight);
            }
        }
        score.expected = (of > 0.0).then(|| sum / of);
        for (title, name) in PARTS {
            let mut parts: BTreeMap<String, Vec<&Answered>> = BTreeMap::new();
            removed.iter().for_each(|it| parts.entry(name(it)).or_default().push(it));
            let figures =
                parts.into_iter().map(|(name, part)| (name, figure(&part, &weights, Answered::is_right))).collect();
            score.parts.push((title, figures));
        }
        for kind in [StratumKind::Stays, StratumKind::Rejected] {
            let of = of_kind(kind);
            if !of.is_empty() {
                let weights = self::weights(&of, Answered::is_right);
                score.others.push((kind, figure(&of, &weights, Answered::is_right)));
            }
        }
        for it in answers {
            let counts = match it.lost {
                Answer::No => &mut score.differences,
                Answer::Unknown => &mut score.reasons,
                Answer::Yes => continue,
            };
            let [all, same_site] = counts.entry(it.differs).or_default();
            *all += 1;
            *same_site += u64::from(it.sites == SAME_SITE);
            score.guessed += u64::from(it.differs == it.guess);
        }
        for is_alike in answers.iter().filter_map(Answered::is_alike) {
            score.again = (score.again.0 + 1, score.again.1 + u64::from(is_alike));
        }
        score
    }
}

/// Returns, by stratum, the number of pairs that each decided pair represents: the inverse of the probability that a
/// pair was drawn and decided.
fn weights(answers: &[&Answered], decide: Decide) -> BTreeMap<String, f64> {
    let mut decided: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for it in answers.iter().filter(|it| decide(it).is_some()) {
        let entry = decided.entry(stratum(it)).or_default();
        *entry = (it.pairs, entry.1 + 1);
    }
    decided.into_iter().map(|(name, (pairs, count))| (name, pairs as f64 / count as f64)).collect()
}

fn figure(answers: &[&Answered], weights: &BTreeMap<String, f64>, decide: Decide) -> Figure {
    let mut figure = Figure::default();
    let (mut sum, mut squares, mut right) = (0.0, 0.0, 0.0);
    for it in answers {
        let Some(is_right) = decide(it) else { continue };
        let weight = weights.get(&stratum(it)).copied().unwrap_or_default();
        sum += weight;
        squares += weight * weight;
        right += if is_right { weight } else { 0.0 };
        figure.judged += 1;
        figure.right += u64::from(is_right);
    }
    figure.pairs = sum.round() as u64;
    if sum > 0.0 {
        let share = right / sum;
        figure.share = Some(share);
        figure.interval = wilson(share, sum * sum / squares);
    }
    figure
}

/// Returns the 95% interval of a share found in a sample of this size (Wilson 1927). The size need not be whole: a
/// weighted sample has an effective size. `None` for an empty sample.
pub fn wilson(share: f64, sample: f64) -> Option<(f64, f64)> {
    if sample <= 0.0 {
        return None;
    }
    let z2 = Z * Z;
    let middle = share + z2 / (2.0 * sample);
    let half = Z * (share * (1.0 - share) / sample + z2 / (4.0 * sample * sample)).sqrt();
    let whole = 1.0 + z2 / sample;
    Some((((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(score: &str, pairs: u64, lost: Answer) -> Answered {
        Answered {
            kind: StratumKind::Removed,
            rule: "model".into(),
            score: score.into(),
            sites: "same site".into(),
            cluster: "2".into(),
            pairs,
            removals: 1000,
            probability: Some(0.9),
            same: Answer::Yes,
            lost,
            good: Answer::Yes,
            again: None,
            differs: DifferenceKind::Url,
            guess: DifferenceKind::Url,
        }
    }

    #[test]
    fn differences_are_counted_by_what_people_answered() {
        let of = |lost: Answer, sites: &str, differs: DifferenceKind| Answered {
            sites: sites.into(),
            differs,
            ..answered("sure", 10, lost)
        };
        let score = AuditScore::of(&[
            of(Answer::No, SAME_SITE, DifferenceKind::Url),
            of(Answer::No, "different sites", DifferenceKind::Url),
            of(Answer::No, SAME_SITE, DifferenceKind::TimeStamp),
            of(Answer::Unknown, "different sites", DifferenceKind::Form),
            of(Answer::Yes, SAME_SITE, DifferenceKind::Rest),
        ]);
        let differences = [(DifferenceKind::Url, [2, 1]), (DifferenceKind::TimeStamp, [1, 1])];
        assert_eq!(score.differences, differences.into());
        assert_eq!((score.reasons, score.guessed), ([(DifferenceKind::Form, [1, 0])].into(), 2));
    }

    #[test]
    fn judged_pairs_stand_for_those_of_their_stratum() {
        // 9 of 900 sure pairs were judged, all of them right, and 10 of 100 doubtful pairs, half of them right.
        let mut answers: Vec<Answered> = (0..9).map(|_| answered("sure", 900, Answer::No)).collect();
        answers.extend((0..5).map(|_| answered("doubtful", 100, Answer::No)));
        answers.extend((0..5).map(|_| answered("doubtful", 100, Answer::Yes)));
        answers.push(answered("sure", 900, Answer::Unknown));
        let score = AuditScore::of(&answers);
        assert_eq!((score.removals, score.judged, score.undecided), (1000, 20, 1));
        assert_eq!((score.all.pairs, score.all.judged, score.all.right), (1000, 19, 14));
        // Without weights, the share would be 14 of 19.
        assert!((score.all.share.expect("a share") - 0.95).abs() < 1e-12, "{score:?}");
        // 9 pairs of weight 100 and 10 of weight 10: 10^6 / 91,000.
        assert_eq!(score.all.interval, wilson(score.all.share.unwrap_or_default(), 1e6 / 91_000.0));
        assert!((score.expected.expect("probabilities") - 0.9).abs() < 1e-12);
        // All have the same text, also the one of which nobody can tell what is lost.
        assert_eq!((score.near.pairs, score.near.judged, score.near.share), (1000, 20, Some(1.0)));
        let (title, parts) = &score.parts[1];
        assert_eq!((*title, parts.len(), parts[0].0.as_str()), ("score", 2, "doubtful"));
        assert_eq!((parts[0].1.pairs, parts[0].1.share, parts[0].1.interval), (100, Some(0.5), wilson(0.5, 10.0)));
        assert_eq!(parts[1].1.interval, wilson(1.0, 9.0));
    }

    #[test]
    fn pairs_that_stay_and_second_answers_are_figures_of_their_own() {
        let stays = Answered { kind: StratumKind::Rejected, ..answered("low", 50, Answer::No) };
        let same = Answered { again: Some([Answer::Yes; 3]), ..answered("sure", 10, Answer::Yes) };
        let other = Answered { again: Some([Answer::Yes, Answer::No, Answer::Yes]), ..same.clone() };
        let score = AuditScore::of(&[stays, same, other]);
        assert_eq!(score.again, (2, 1));
        assert_eq!((score.judged, score.undecided, score.all.judged, score.all.share), (2, 1, 1, Some(0.0)));
        assert_eq!(
            (score.others.len(), score.others[0].0, score.others[0].1.share),
            (1, StratumKind::Rejected, Some(1.0))
        );
        assert_eq!(AuditScore::of(&[]), AuditScore { parts: AuditScore::of(&[]).parts, ..AuditScore::default() });
    }

    /// Compares with the published values of Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    #[test]
    fn intervals_are_those_of_the_tables() {
        for (found, of, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let (from, to) = wilson(found / of, of).expect("a sample");
            assert!((from - low).abs() < 5e-5 && (to - high).abs() < 5e-5, "{found} of {of}: {from} {to}");
        }
        assert_eq!(wilson(0.5, 0.0), None);
        let (from, to) = wilson(1.0, 3.5).expect("a sample");
        assert!(from > 0.4 && to == 1.0, "{from} {to}");
    }
}
