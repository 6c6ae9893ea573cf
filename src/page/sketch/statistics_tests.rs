//! Statistical tests that the sketches estimate the quantities that the papers state. The seeds are fixed, so the
//! results never change; nine seeds in ten thousand would miss the bounds.

use std::collections::BTreeSet;

use crate::sketch::min_hash::{MIN_VALUES, MinHash, SHINGLE, min_hash, min_hash_of_shingles};
use crate::sketch::mix::split_mix;
use crate::sketch::projection::{PROJECTION_BITS, projection};
use crate::sketch::shingles::{SHINGLE_WORDS, Sampling, shingles};
use crate::sketch::simhash;
use crate::text::{CanonicalWords, Page, canonical_words};

/// Standard deviations allowed between estimate and expectation.
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

/// Makes two sets of random shingles with `common` of `union` in both, the rest divided evenly.
fn pair(numbers: &mut Numbers, union: usize, common: usize) -> (MinHash, MinHash) {
    let all: Vec<u32> = numbers.take(union).into_iter().map(|number| number as u32).collect();
    let half = common + (union - common) / 2;
    let mut other = all[..common].to_vec();
    other.extend(&all[half..]);
    let of = |shingles: &[u32]| min_hash_of_shingles(shingles.iter().copied()).expect("there are some");
    (of(&all[..half]), of(&other))
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
        // A variance above that of independent draws would blur the supershingles. The bound is for the variance of a
        // sample, by the fourth moment of the binomial distribution.
        let fourth = 3.0 * ideal * ideal + ideal * (1.0 - 6.0 * resemblance * (1.0 - resemblance));
        let error = SIGMAS * ((fourth - ideal * ideal) / f64::from(trials)).sqrt();
        assert!((variance - ideal).abs() < error, "seed {seed}: variance {variance}, ideal {ideal}, {union}");
    }
}

/// Henzinger 2, for whole pages: shingles are made of tokens.
#[test]
fn min_values_of_edited_pages_agree_as_often_as_their_resemblance() {
    for (seed, len, edits) in [(6, 60, 1), (7, 400, 3), (8, 400, 20), (9, 2000, 12)] {
        let mut numbers = Numbers::new(seed);
        let (mut agreed, mut expected, mut variance) = (0, 0.0, 0.0);
        for _ in 0..400 {
            let a = numbers.take(len);
            let mut b = a.clone();
            for edit in numbers.take(edits) {
                b[edit as usize % len] = edit;
            }
            let set = |tokens: &[u64]| tokens.windows(SHINGLE).map(<[u64]>::to_vec).collect::<BTreeSet<_>>();
            let (left, right) = (set(&a), set(&b));
            let resemblance = left.intersection(&right).count() as f64 / left.union(&right).count() as f64;
            let values = |tokens: &[u64]| min_hash(tokens).map(|found| found.values);
            let (Some(left), Some(right)) = (values(&a), values(&b)) else { panic!("seed {seed}: no min-values") };
            agreed += equal(&left, &right);
            expected += MIN_VALUES as f64 * resemblance;
            variance += MIN_VALUES as f64 * resemblance * (1.0 - resemblance);
        }
        let error = SIGMAS * variance.sqrt();
        assert!((agreed as f64 - expected).abs() < error, "seed {seed}: {agreed} agree, expected {expected}");
    }
}

/// Ye et al. 4.4: a sample's resemblance is that of the whole, and the samples partition the whole.
#[test]
fn samples_of_shingles_resemble_each_other_as_the_pages_do() {
    for (seed, len, edits) in [(41, 300, 3), (42, 300, 30), (43, 2000, 40)] {
        let mut numbers = Numbers::new(seed);
        let page = |words: &[u64]| -> CanonicalWords {
            let text: String = words.iter().map(|word| format!("{word:x} ")).collect();
            canonical_words(&Page::text(&text))
        };
        let (mut found, mut expected, mut variance) = (0, 0.0, 0.0);
        for trial in 0..100u32 {
            let a = numbers.take(len);
            let mut b = a.clone();
            for edit in numbers.take(edits) {
                b[edit as usize % len] = edit;
            }
            let (a, b) = (page(&a), page(&b));
            let compare =
                |sampling| shingles(&a, SHINGLE_WORDS, sampling).overlap(&shingles(&b, SHINGLE_WORDS, sampling));
            let Some(whole) = compare(Sampling::ALL) else { panic!("seed {seed}: no comparison") };
            let parts: Vec<_> = (0..16).filter_map(|r| Sampling::new(16, r)).filter_map(compare).collect();
            assert_eq!(parts.iter().map(|part| part.shared).sum::<usize>(), whole.shared, "seed {seed}");
            assert_eq!(parts.iter().map(|part| part.union).sum::<usize>(), whole.union, "seed {seed}");
            // One remainder per trial, because trials with the same pair of pages would depend on each other.
            let part = parts[trial as usize % 16];
            let resemblance = whole.resemblance();
            found += part.shared;
            expected += part.union as f64 * resemblance;
            variance += part.union as f64 * resemblance * (1.0 - resemblance);
        }
        let error = SIGMAS * variance.sqrt();
        assert!((found as f64 - expected).abs() < error, "seed {seed}: {found} shared, expected {expected}");
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

/// Returns the probability of each number of heads in `tosses` throws of a coin.
fn binomial(tosses: usize) -> Vec<f64> {
    let mut chances = vec![0.5f64.powi(tosses as i32)];
    for heads in 0..tosses {
        chances.push(chances[heads] * (tosses - heads) as f64 / (heads + 1) as f64);
    }
    chances
}

/// Returns the exact probability that the signs of two sums of +1 and -1 differ, with `common` of `len` summands in
/// common. (Charikar's theorem is about normal variables.)
fn chance_of_difference(len: usize, common: usize) -> f64 {
    let own = binomial(len - common);
    let chances = binomial(common).into_iter().enumerate().map(|(heads, chance)| {
        // The sum is above zero if more than half of all summands are +1.
        let needed = (len / 2 + 1).saturating_sub(heads).min(own.len());
        let positive: f64 = own[needed..].iter().sum();
        chance * 2.0 * positive * (1.0 - positive)
    });
    chances.sum()
}

/// Checks the number of differing bits of many pairs against the expectation of each bit.
#[track_caller]
fn assert_distance(seed: u64, what: &str, distance: u32, bits: usize, trials: u32, expected: f64) {
    let draws = bits as f64 * f64::from(trials);
    let found = f64::from(distance) / draws;
    let error = SIGMAS * (expected * (1.0 - expected) / draws).sqrt();
    assert!((found - expected).abs() <= error, "seed {seed}: {what} {found}, expected {expected} +- {error}");
}

fn distances(a: &[u64], b: &[u64]) -> (u32, u32) {
    let projected = projection(a).iter().zip(projection(b)).map(|(a, b)| (a ^ b).count_ones()).sum();
    let hashed = simhash::fingerprint(a.iter().copied()) ^ simhash::fingerprint(b.iter().copied());
    (projected, hashed.count_ones())
}

/// Charikar's theorem, on which Manku 2 and Henzinger 2 rely: two sign bits differ with probability angle / pi. Sums of
/// a few hundred +1 and -1 are not quite normal, so the bits are compared with the exact probability, and the exact
/// probability with the angle.
#[test]
fn distances_follow_the_angle_between_the_token_vectors() {
    for (seed, len, common) in [(21, 301, 300), (22, 301, 270), (23, 1001, 500), (24, 99, 0), (25, 501, 490)] {
        let mut numbers = Numbers::new(seed);
        let trials = 150;
        let (mut projected, mut hashed) = (0, 0);
        for _ in 0..trials {
            let a = numbers.take(len);
            let mut b = a[..common].to_vec();
            b.extend(numbers.take(len - common));
            let (p, h) = distances(&a, &b);
            (projected, hashed) = (projected + p, hashed + h);
        }
        let angle = (common as f64 / len as f64).acos() / std::f64::consts::PI;
        let expected = chance_of_difference(len, common);
        assert!((expected - angle).abs() < 0.004, "chance {expected}, angle / pi {angle}");
        assert_distance(seed, "projection", projected, PROJECTION_BITS, trials, expected);
        assert_distance(seed, "simhash", hashed, 64, trials, expected);
    }
}

/// Returns the probability that the signs of two weighted sums of +1 and -1 differ, by their exact joint
/// distribution; a sum of zero is negative.
fn chance_of_weighted_difference(weights: &[(usize, usize)]) -> f64 {
    let (left, right) = weights.iter().fold((0, 0), |(l, r), &(a, b)| (l + a, r + b));
    // Index: the weight of the +1 summands so far.
    let mut law = vec![vec![0.0; right + 1]; left + 1];
    law[0][0] = 1.0;
    for &(a, b) in weights {
        for x in (0..=left).rev() {
            for y in (0..=right).rev() {
                let plus = if x >= a && y >= b { law[x - a][y - b] } else { 0.0 };
                law[x][y] = (law[x][y] + plus) / 2.0;
            }
        }
    }
    let chances = law.iter().enumerate().flat_map(|(x, row)| {
        row.iter().enumerate().filter(move |&(y, _)| (2 * x > left) != (2 * y > right)).map(|(_, chance)| chance)
    });
    chances.sum()
}

/// Manku 2, Henzinger 2: weights are frequencies, and the angle is that of the frequency vectors.
#[test]
fn distances_follow_the_angle_between_the_frequency_vectors() {
    for (seed, distinct) in [(31, 40), (32, 80)] {
        let mut numbers = Numbers::new(seed);
        // Zipf's law in small: few tokens are frequent, and each page has rare tokens of its own.
        let weights: Vec<(usize, usize)> = (0..distinct)
            .map(|rank| match rank % 5 {
                3 => (1 + 8 / (rank + 1), 0),
                4 => (0, 2),
                _ => (1 + 16 / (rank + 1), 1 + 12 / (rank + 1)),
            })
            .collect();
        let trials = 200;
        let (mut projected, mut hashed) = (0, 0);
        for _ in 0..trials {
            let tokens = numbers.take(distinct);
            let repeat = |count: fn(&(usize, usize)) -> usize| -> Vec<u64> {
                let all = tokens.iter().zip(&weights);
                all.flat_map(|(&token, pair)| std::iter::repeat_n(token, count(pair))).collect()
            };
            let (p, h) = distances(&repeat(|pair| pair.0), &repeat(|pair| pair.1));
            (projected, hashed) = (projected + p, hashed + h);
        }
        let dot = |f: fn(&(usize, usize)) -> usize| weights.iter().map(f).sum::<usize>() as f64;
        let cosine = dot(|w| w.0 * w.1) / (dot(|w| w.0 * w.0) * dot(|w| w.1 * w.1)).sqrt();
        let angle = cosine.acos() / std::f64::consts::PI;
        let expected = chance_of_weighted_difference(&weights);
        assert!((expected - angle).abs() < 0.04, "chance {expected}, angle / pi {angle}");
        assert_distance(seed, "projection", projected, PROJECTION_BITS, trials, expected);
        assert_distance(seed, "simhash", hashed, 64, trials, expected);
    }
}
