use nddb_format::Fingerprint;
use nddb_format::design::designs;
use nddb_format::scheme::K_MAX;
use nddb_test_support::Random;

use super::*;
use crate::runs::planner::{self, Budget};
use crate::within::Within;

const MOST: u32 = Within::MAX.0 as u32;
/// The number of fingerprints of a run: at each, other plans are the cheapest.
const STORED: [u64; 4] = [30, 3_000, 10_000_000, 8_000_000_000];

/// Returns how many entries find a difference and report it.
fn reported(plan: &Plan, scheme: &Scheme, difference: u64) -> usize {
    let finds = |entry: &&Entry| admits(entry, scheme.tables()[entry.table()].permute(Fingerprint(difference)).0);
    plan.entries.iter().filter(finds).filter(|entry| entry.reports(scheme, difference)).count()
}

/// Returns whether an entry reads the value that differs from a query in these bits, in the order of its table.
fn admits(entry: &Entry, difference: u64) -> bool {
    let mask = |group: &LeadingBits| low_mask(group.width as u8) << group.down;
    let within = |group: &LeadingBits| group.errors.contains(&(difference & mask(group)).count_ones());
    let flipped = entry.groups.iter().fold(0, |all, group| all | mask(group));
    entry.groups.iter().all(within) && difference & !flipped & !entry.free == 0
}

/// Returns the plans for these distances and all sizes, with and without filters.
fn plans(scheme: &Scheme, distances: impl IntoIterator<Item = u32>) -> impl Iterator<Item = (u32, u64, Plan)> {
    let of = |within| STORED.into_iter().flat_map(move |stored| [true, false].map(|filter| (within, stored, filter)));
    let plan = |(within, stored, filter)| (within, stored, Plan::new(scheme, within, stored, &|_| filter));
    distances.into_iter().flat_map(of).map(plan)
}

/// Asserts that of the differences within each distance every one is reported by exactly one entry.
fn assert_complete(scheme: &Scheme, distances: impl IntoIterator<Item = u32>, differences: &[u64]) {
    for (within, stored, plan) in plans(scheme, distances) {
        for &difference in differences.iter().filter(|difference| difference.count_ones() <= within) {
            let (bits, k, levels) = (scheme.bits(), scheme.k(), scheme.levels());
            let why = format!("f={bits} k={k} {levels:?}, {stored} stored, within {within}: {difference:x}");
            assert_eq!(reported(&plan, scheme, difference), 1, "{why}");
        }
    }
}

/// The schemes of the paper, those of other k, and those of several levels, cut from few bits.
#[test]
fn every_difference_of_a_small_width_is_reported_by_exactly_one_entry() {
    let schemes: [(u8, &[u8]); 14] = [
        (3, &[4]),
        (3, &[5]),
        (3, &[4, 4]),
        (3, &[6]),
        (3, &[]),
        (1, &[2]),
        (1, &[4]),
        (1, &[3, 2]),
        (2, &[3, 3]),
        (7, &[8]),
        (7, &[9]),
        (7, &[10]),
        (0, &[1]),
        (0, &[3]),
    ];
    for (k, levels) in schemes {
        // Two levels need more bits: of these, a fifth of all differences.
        let (widths, step) = if levels.len() < 2 { ([11, 12], 1) } else { ([16, 15], 5) };
        for bits in widths {
            let scheme = Scheme::new(bits, k, levels, 0).expect("a scheme");
            let differences: Vec<u64> = (0..=low_mask(bits)).step_by(step).collect();
            assert_complete(&scheme, 0..=MOST, &differences);
        }
    }
}

#[test]
fn random_differences_are_reported_by_exactly_one_entry_of_every_scheme_that_is_chosen() {
    let mut random = Random::seeded("differences");
    for (bits, k) in [64, 63, 32].into_iter().flat_map(|bits| (0..=K_MAX).map(move |k| (bits, k))) {
        let chosen = STORED.map(|stored| planner::choose(bits, k, stored, Budget::default()).expect("a scheme"));
        let all = designs(bits, k, 10).into_iter().map(|design| design.scheme(bits, k, 32).expect("a scheme"));
        for scheme in chosen.into_iter().chain(all) {
            let within = random.below(u64::from(MOST) + 1);
            let differences: Vec<u64> = (0..80).map(|at| random.near(0, at % (within + 1), bits)).collect();
            assert_complete(&scheme, [within as u32], &differences);
        }
    }
}

#[test]
fn an_entry_passes_each_of_its_prefixes_once() {
    let scheme = Scheme::new(12, 3, &[5], 0).expect("a scheme");
    for (within, stored, plan) in plans(&scheme, 0..=MOST) {
        for entry in &plan.entries {
            let table = &scheme.tables()[entry.table()];
            let query = table.permute(Fingerprint(0x5a3)).0;
            let mut got = Vec::new();
            entry
                .each(query, &mut |low, high| {
                    assert_eq!(high - low, entry.free);
                    got.push(low);
                    Ok(())
                })
                .expect("no error");
            got.sort_unstable();
            let wanted: Vec<u64> =
                (0..1 << 12).filter(|low| low & entry.free == 0 && admits(entry, low ^ query)).collect();
            assert_eq!(got, wanted, "{stored} within {within}: {entry:?}");
        }
    }
}

/// Within k bits, a plan has the tables of the paper, and no more prefixes than these.
#[test]
fn within_k_bits_a_prefix_of_each_table_is_read() {
    for levels in [&[4][..], &[5], &[6]] {
        let scheme = Scheme::new(64, 3, levels, 32).expect("a scheme");
        for (within, tables) in [(1, usize::from(levels[0]) - 2), (3, scheme.tables().len())] {
            let plan = Plan::new(&scheme, within, 10_000_000, &|_| true);
            assert_eq!(plan.entries.len(), tables, "{levels:?} within {within}: {:?}", plan.entries);
            assert!(plan.entries.iter().all(|entry| entry.groups.is_empty()));
        }
    }
}

#[test]
fn a_plan_costs_no_more_than_a_look_at_everything() {
    for (bits, k) in [(64, 3), (64, 1), (64, 7), (64, 0), (32, 3)] {
        for design in designs(bits, k, 20) {
            let scheme = design.scheme(bits, k, 32).expect("a scheme");
            for (_, stored, plan) in plans(&scheme, [1, 4, 9, MOST]) {
                let whole = cost::FILTER_NS + cost::MISS_NS + cost::STEP_NS * (ENTRIES_BEFORE + stored as f64);
                assert!(plan.nanoseconds <= whole, "{design:?} {stored} {plan:?}");
            }
        }
    }
    // Beyond that, a plan for ten tables is as cheap as the arithmetic says.
    let scheme = Scheme::new(64, 3, &[5], 32).expect("ten tables");
    for (within, most_us) in [(3, 2.5), (8, 350.0), (10, 1_800.0), (12, 4_000.0)] {
        let plan = Plan::new(&scheme, within, 10_000_000, &|_| true);
        assert!(plan.nanoseconds < 1000.0 * most_us, "{within}: {}", plan.nanoseconds);
    }
    let one = Scheme::new(64, 3, &[], 32).expect("one table");
    assert_eq!(
        Plan::new(&one, 9, 1000, &|_| false).entries,
        [Entry { tables: 0..1, groups: Vec::new(), free: u64::MAX }]
    );
}
