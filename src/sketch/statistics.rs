//! Whether the sketches estimate what the papers say they estimate. The seeds are fixed, so these
//! tests pass or fail for good; the bounds are those that nine seeds in ten thousand would miss.

use crate::sketch::min_hash::{MIN_VALUES, MinHash, of_shingles};
use crate::sketch::mix::split_mix;
use crate::sketch::projection::{PROJECTION_BITS, projection};
use crate::sketch::simhash;

/// Standard deviations allowed.
const SIGMAS: f64 = 3.3;

/// A stream of pseudo-random numbers.
struct Numbers {
    seed: u64,
    next: u64,
}

impl Numbers {
    fn new(seed: u64) -> Self {
        Numbers { seed, next: 0 }
    }

    fn take(&mut self, len: usize) -> Vec<u64> {
        (0..len)
            .map(|_| {
                self.next += 1;
                split_mix(self.seed, self.next)
            })
            .collect()
    }
}

/// Makes two sets of random shingles with `common` of `union` in both, the rest shared out evenly.
fn pair(numbers: &mut Numbers, union: usize, common: usize) -> (MinHash, MinHash) {
    let all: Vec<u32> = numbers.take(union).into_iter().map(|number| number as u32).collect();
    let half = common + (union - common) / 2;
    let mut other = all[..common].to_vec();
    other.extend(&all[half..]);
    (of_shingles(&all[..half]), of_shingles(&other))
}

fn equal<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    left.iter().zip(right).filter(|(a, b)| a == b).count()
}

#[test]
fn min_values_agree_as_often_as_the_resemblance_and_independently() {
    for (seed, union, common) in [(1, 20, 10), (2, 100, 80), (3, 100, 95), (4, 400, 120), (5, 1000, 970)] {
        let mut numbers = Numbers::new(seed);
        let trials = 1500;
        let counts: Vec<f64> = (0..trials)
            .map(|_| {
                let (a, b) = pair(&mut numbers, union, common);
                equal(&a.values, &b.values) as f64
            })
            .collect();
        let draws = MIN_VALUES as f64;
        let resemblance = common as f64 / union as f64;
        let mean = counts.iter().sum::<f64>() / f64::from(trials);
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / f64::from(trials - 1);
        let ideal = draws * resemblance * (1.0 - resemblance);
        let error = SIGMAS * (ideal / f64::from(trials)).sqrt();
        assert!(
            (mean - draws * resemblance).abs() < error,
            "seed {seed}: mean {mean}, resemblance {resemblance} of {union}"
        );
        // A variance above that of independent draws would blur the supershingles.
        let ratio = variance / ideal;
        assert!((0.85..1.15).contains(&ratio), "seed {seed}: variance {ratio} of ideal, {union}");
    }
}

/// Henzinger 2: two pages are B-similar if at least two of six supershingles agree.
#[test]
fn the_chance_of_b_similarity_is_that_of_the_paper() {
    for (seed, resemblance, published) in
        [(11, 0.80, 0.026), (12, 0.85, 0.120), (13, 0.90, 0.415), (14, 0.95, 0.879), (15, 0.97, 0.978)]
    {
        let mut numbers = Numbers::new(seed);
        let (trials, union) = (3000, 400);
        let common = (resemblance * f64::from(union)) as usize;
        let similar = (0..trials)
            .filter(|_| {
                let (a, b) = pair(&mut numbers, union as usize, common);
                equal(&a.supershingles, &b.supershingles) >= 2
            })
            .count();
        let found = similar as f64 / f64::from(trials);
        let error = SIGMAS * (published * (1.0 - published) / f64::from(trials)).sqrt();
        assert!(
            (found - published).abs() < error + 0.0005,
            "seed {seed}: P({resemblance}) = {found}, published {published}"
        );
    }
}

/// Charikar's theorem, on which Manku 2 and Henzinger 2 stand: two sign bits differ with
/// probability angle / pi.
#[test]
fn distances_follow_the_angle_between_the_token_vectors() {
    for (seed, len, common) in [(21, 301, 300), (22, 301, 270), (23, 1001, 500), (24, 99, 0)] {
        let mut numbers = Numbers::new(seed);
        let trials = 150;
        let (mut projected, mut hashed) = (0, 0);
        for _ in 0..trials {
            let a = numbers.take(len);
            let mut b = a[..common].to_vec();
            b.extend(numbers.take(len - common));
            let (pa, pb) = (projection(&a), projection(&b));
            projected += pa.iter().zip(&pb).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
            hashed += (simhash::fingerprint(a) ^ simhash::fingerprint(b)).count_ones();
        }
        let cosine = common as f64 / len as f64;
        let expected = cosine.acos() / std::f64::consts::PI;
        for (what, distance, bits) in [("projection", projected, PROJECTION_BITS as f64), ("simhash", hashed, 64.0)] {
            let draws = bits * f64::from(trials);
            let found = f64::from(distance) / draws;
            let error = SIGMAS * (expected * (1.0 - expected) / draws).sqrt();
            assert!((found - expected).abs() < error + 0.002, "seed {seed}: {what} {found}, angle / pi {expected}");
        }
    }
}
