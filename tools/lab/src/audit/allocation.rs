//! How many pairs are drawn from each stratum.

/// Pairs that are drawn from each stratum before the rest is divided, if there is room.
const LEAST: u64 = 2;

/// A stratum to draw from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Population {
    /// How many pairs there are.
    pub(super) pairs: u64,
    /// The standard deviation that is expected of one answer, 0 to 0.5.
    pub(super) spread: f64,
}

/// Divides a sample: each stratum gets some, and the rest goes where it makes the figure for all pairs most certain, in
/// proportion to pairs times spread (Neyman 1934). No stratum gets more than it has. Of more strata than the sample has
/// pairs, the heaviest get one each.
pub(super) fn allocate(strata: &[Population], sample: u64) -> Vec<u64> {
    let mut drawn = vec![0; strata.len()];
    let weight = |index: usize| strata[index].pairs as f64 * strata[index].spread;
    let mut left = sample;
    let mut order: Vec<usize> = (0..strata.len()).collect();
    order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
    for _ in 0..LEAST {
        for &index in &order {
            if left > 0 && drawn[index] < strata[index].pairs {
                drawn[index] += 1;
                left -= 1;
            }
        }
    }
    while left > 0 {
        let room = (0..strata.len()).filter(|&index| drawn[index] < strata[index].pairs);
        let next = |index: usize| weight(index) / (drawn[index] + 1) as f64;
        let Some(index) = room.max_by(|&a, &b| next(a).total_cmp(&next(b)).then(b.cmp(&a))) else { break };
        drawn[index] += 1;
        left -= 1;
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: u64, spread: f64) -> Population {
        Population { pairs, spread }
    }

    #[test]
    fn a_sample_is_divided_by_weight_and_never_beyond_what_there_is() {
        let strata = [of(1000, 0.1), of(500, 0.4), of(3, 0.5), of(1, 0.1)];
        let drawn = allocate(&strata, 66);
        assert_eq!(drawn.iter().sum::<u64>(), 66);
        // 100 to 200, and the small ones get what they have, or two.
        assert!(drawn[1].abs_diff(2 * drawn[0]) <= 2 && drawn[2] >= 2 && drawn[3] == 1, "{drawn:?}");
        assert_eq!(allocate(&strata, 10_000), [1000, 500, 3, 1]);
        assert_eq!(allocate(&strata, 2), [1, 1, 0, 0], "the heaviest come first");
        assert_eq!(allocate(&strata, 0), [0; 4]);
        assert_eq!(allocate(&[], 5), [0; 0]);
    }
}
