//! Calibration of predicted probabilities.

pub mod logistic;

use std::collections::BTreeMap;

use nddb_format::digest::mix;

use logistic::Standardized;

/// Number of draws of the bootstrap.
const DRAWS: usize = 400;

/// Number of bins, which have equal counts.
const BINS: usize = 5;

/// A bin of pairs with similar probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Number of pairs.
    pub pairs: usize,
    /// The mean of their probabilities.
    pub predicted: f64,
    /// The share of near-duplicates among them.
    pub observed: f64,
}

/// The agreement of predicted probabilities with labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Five bins of equal count, by probability.
    pub bins: Vec<Bin>,
    /// The mean square of the difference between probability and label (Brier 1950).
    pub brier: f64,
    /// The slope of a logistic regression of the labels on the log-odds (Cox 1958): below 1 if the model is too sure.
    /// `None` if all labels are equal, or if a threshold of the probability separates all near-duplicates from all
    /// others.
    pub slope: Option<f64>,
}

/// Compares probabilities with labels.
pub fn calibration(pairs: &[(f64, bool)]) -> Calibration {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let bins = (0..BINS).map(|bin| &sorted[bin * sorted.len() / BINS..(bin + 1) * sorted.len() / BINS]);
    let bins = bins.filter(|bin| !bin.is_empty()).map(|bin| {
        let mean = |of: &dyn Fn(&(f64, bool)) -> f64| bin.iter().map(of).sum::<f64>() / bin.len() as f64;
        Bin { pairs: bin.len(), predicted: mean(&|pair| pair.0), observed: mean(&|pair| f64::from(u8::from(pair.1))) }
    });
    let brier = pairs.iter().map(|(p, is_near)| (p - f64::from(u8::from(*is_near))).powi(2)).sum::<f64>();
    Calibration { bins: bins.collect(), brier: brier / pairs.len().max(1) as f64, slope: slope(pairs) }
}

/// Returns the 90% bootstrap interval of the slope, by drawing components of pairs with replacement; `None` if too many
/// draws have no slope.
pub fn slope_interval(pairs: &[(f64, bool)], components: &[usize], seed: u64) -> Option<[f64; 2]> {
    let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    components.iter().enumerate().for_each(|(index, component)| of.entry(*component).or_default().push(index));
    let of: Vec<Vec<usize>> = of.into_values().collect();
    let mut slopes: Vec<f64> = (0..DRAWS)
        .filter_map(|draw| {
            let drawn = (0..of.len()).flat_map(|index| {
                let number = mix(seed ^ mix((draw * of.len() + index) as u64));
                of[(number % of.len() as u64) as usize].iter().map(|pair| pairs[*pair])
            });
            slope(&drawn.collect::<Vec<_>>())
        })
        .collect();
    if slopes.len() < DRAWS / 2 {
        return None;
    }
    slopes.sort_by(f64::total_cmp);
    Some([slopes[slopes.len() / 20], slopes[slopes.len() - 1 - slopes.len() / 20]])
}

fn slope(pairs: &[(f64, bool)]) -> Option<f64> {
    let of = |label: bool| pairs.iter().filter(move |pair| pair.1 == label).map(|pair| pair.0);
    let (least_near, greatest_other) = (of(true).fold(1.0, f64::min), of(false).fold(0.0, f64::max));
    // If a threshold separates all near-duplicates from all others, or if there are none of either, the likelihood has
    // no maximum at a finite slope.
    if of(true).next().is_none() || of(false).next().is_none() || least_near > greatest_other {
        return None;
    }
    let log_odds = |p: f64| {
        let p = p.clamp(1e-6, 1.0 - 1e-6);
        (p / (1.0 - p)).ln()
    };
    let rows: Vec<[f64; 2]> = pairs.iter().map(|pair| [1.0, log_odds(pair.0)]).collect();
    let labels: Vec<bool> = pairs.iter().map(|pair| pair.1).collect();
    let even = vec![1.0; pairs.len()];
    let [_, slope] = Standardized::of(&rows, &even, [true; 2]).fit(&labels, &even, 1e-9, [0.0; 2]).plain;
    Some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_probabilities_are_calibrated_and_bold_ones_are_not() {
        // Of every hundred pairs with a probability, the corresponding number are near-duplicates.
        let pairs = |bold: f64| -> Vec<(f64, bool)> {
            let of = |percent: usize| {
                let odds = (percent as f64 / (100 - percent) as f64).ln() * bold;
                (0..100).map(move |number| (1.0 / (1.0 + (-odds).exp()), number < percent))
            };
            (5..100).step_by(10).flat_map(of).collect()
        };
        let good = calibration(&pairs(1.0));
        assert_eq!(good.bins.iter().map(|bin| bin.pairs).sum::<usize>(), 1000);
        assert!(good.bins.iter().all(|bin| (bin.predicted - bin.observed).abs() < 0.01), "{good:?}");
        assert!(good.slope.is_some_and(|slope| (slope - 1.0).abs() < 0.01), "{good:?}");
        let bold = calibration(&pairs(2.0));
        assert!(bold.slope.is_some_and(|slope| (slope - 0.5).abs() < 0.01) && bold.brier > good.brier, "{bold:?}");
        let components: Vec<usize> = (0..1000).map(|index| index % 50).collect();
        let interval = slope_interval(&pairs(1.0), &components, 1);
        assert!(interval.is_some_and(|[low, high]| low < 1.0 && high > 1.0 && high - low < 0.5), "{interval:?}");
        assert_eq!(calibration(&[(0.5, true)]).slope, None);
        let parted = [(0.1, false), (0.3, false), (0.4, true), (0.9, true)];
        assert_eq!(calibration(&parted).slope, None);
        assert!(calibration(&[parted.as_slice(), &[(0.5, false)]].concat()).slope.is_some());
        assert_eq!(calibration(&[]).bins, []);
    }
}
