//! Division of a sample among strata.

/// Number of pairs drawn from each stratum, if the sample is large enough, before the rest is divided.
const LEAST: u64 = 2;

/// A stratum to draw from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Population {
    /// Number of pairs.
    pub(super) pairs: u64,
    /// The expected standard deviation of one answer, 0 to 0.5.
    pub(super) spread: f64,
}

/// Divides a sample among strata; returns the number of pairs to draw from each. Each stratum gets [`LEAST`] pairs. The
/// rest is divided in proportion to pairs times spread, which minimizes the error of the estimate for all pairs (Neyman
/// 1934). No stratum gets more pairs than it has. If there are more strata than pairs to draw, the strata with the
/// greatest weights get one each.
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

/// Divides a sample among groups of strata: as many pairs to each group, as far as it has them, and within a group in
/// proportion to the pairs of its strata. Strata of one group are neighbours with one name.
pub(super) fn allocate_equally(strata: &[Population], names: &[&str], sample: u64) -> Vec<u64> {
    let lens: Vec<usize> = names.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
    let mut rest = strata;
    let groups: Vec<&[Population]> = lens.iter().map(|&len| rest.split_off(..len).unwrap_or_default()).collect();
    let of_group = |group: &&[Population]| {
        let pairs = group.iter().map(|stratum| stratum.pairs).sum::<u64>();
        Population { pairs, spread: 1.0 / pairs.max(1) as f64 }
    };
    let samples = allocate(&groups.iter().map(of_group).collect::<Vec<_>>(), sample);
    let divided = groups.iter().zip(samples).flat_map(|(group, sample)| {
        let evenly: Vec<Population> = group.iter().map(|stratum| Population { spread: 1.0, ..*stratum }).collect();
        allocate(&evenly, sample)
    });
    divided.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: u64, spread: f64) -> Population {
        Population { pairs, spread }
    }

    #[test]
    fn groups_get_equal_samples_as_far_as_they_have_pairs() {
        let strata = [of(900, 0.4), of(100, 0.1), of(7, 0.4), of(5000, 0.4)];
        let names = ["distance 1", "distance 1", "distance 2", "distance 3"];
        let drawn = allocate_equally(&strata, &names, 67);
        assert_eq!((drawn[0] + drawn[1], drawn[2], drawn[3]), (30, 7, 30), "{drawn:?}");
        assert!(drawn[0] > 20 && drawn[1] >= 2, "{drawn:?}");
        assert_eq!(allocate_equally(&[], &[], 5), [0; 0]);
    }

    #[test]
    fn a_sample_is_divided_by_weight_and_never_beyond_what_there_is() {
        let strata = [of(1000, 0.1), of(500, 0.4), of(3, 0.5), of(1, 0.1)];
        let drawn = allocate(&strata, 66);
        assert_eq!(drawn.iter().sum::<u64>(), 66);
        // The weights of the large strata are 100 and 200; the small strata get all their pairs, or at least two.
        assert!(drawn[1].abs_diff(2 * drawn[0]) <= 2 && drawn[2] >= 2 && drawn[3] == 1, "{drawn:?}");
        assert_eq!(allocate(&strata, 10_000), [1000, 500, 3, 1]);
        assert_eq!(allocate(&strata, 2), [1, 1, 0, 0], "the heaviest come first");
        assert_eq!(allocate(&strata, 0), [0; 4]);
        assert_eq!(allocate(&[], 5), [0; 0]);
    }
}
