//! The data of the other benches in ascending order, for more fingerprints than memory holds or a disk can sort.
//!
//! The values are in parts with equal topmost bits, and each part is made alone, from the seed. 80% of all draws are
//! uniform: their gaps are drawn. The others are in clusters of 1 to 200 around a random centre, with 0 to 6 bits
//! flipped. Each part has equally many centres, and clusters of the same sizes with the same flipped bits: so the
//! members that fall into a part are found by flipping its own topmost bits. Equal values are stored once.

use super::Random;

/// Approximate number of values of a part.
const PART_LEN: u64 = 2_000_000;

/// Distinct ascending fingerprints, in parts.
pub struct Sorted {
    seed: u64,
    /// Number of topmost bits that are equal in a part.
    top_bits: u32,
    /// Number of clusters around centres in each part.
    centres: u64,
    /// The members of the clusters of each part: index of the centre, flipped bits.
    members: Vec<(u64, u64)>,
    /// Mean gap between the other values.
    gap: f64,
}

impl Sorted {
    /// Prepares at least `len` fingerprints, and hardly more.
    pub fn new(len: u64, seed: u64) -> Self {
        let top_bits = (len / PART_LEN).max(16).next_power_of_two().ilog2();
        // Their number varies with the gaps, like a number of independent events.
        let aim = (len as f64 + 5.0 * (len as f64).sqrt()) / f64::from(top_bits).exp2();
        // A first attempt tells how many members are equal.
        let (_, members) = clusters(aim / 5.0, seed);
        let drawn = aim / (0.8 + members.len() as f64 / aim);
        let (centres, members) = clusters(drawn / 5.0, seed);
        let lone = aim - members.len() as f64 - centres as f64;
        Self { seed, top_bits, centres, members, gap: f64::from(64 - top_bits).exp2() / lone }
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> u64 {
        1 << self.top_bits
    }

    /// Replaces `values` by those of a part, ascending; `scratch` is memory for the clusters.
    pub fn part(&self, part: u64, scratch: &mut Vec<u64>, values: &mut Vec<u64>) {
        let low_bits = 64 - self.top_bits;
        scratch.clear();
        scratch.extend((0..self.centres).map(|index| self.centre(part, index)));
        scratch.extend(self.members.iter().map(|&(index, flips)| self.centre(part ^ flips >> low_bits, index) ^ flips));
        scratch.sort_unstable();
        let mut random = Random(self.seed ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93));
        let (start, width) = (part << low_bits, 1 << low_bits);
        let mut clustered = scratch.iter().copied().peekable();
        values.clear();
        let mut push = |value| {
            if values.last() != Some(&value) {
                values.push(value);
            }
        };
        let mut offset = 0;
        loop {
            // Uniform in (0, 1], so the gap has an exponential distribution.
            let uniform = ((random.next() >> 11) + 1) as f64 / f64::from(53).exp2();
            offset += (-uniform.ln() * self.gap) as u64;
            let value = start | offset.min(width - 1);
            while let Some(member) = clustered.next_if(|&member| member < value) {
                push(member);
            }
            if offset >= width {
                break;
            }
            push(value);
            offset += 1;
        }
        clustered.for_each(push);
    }

    fn centre(&self, part: u64, index: u64) -> u64 {
        let low = Random(self.seed ^ (part << 32 | index).wrapping_mul(0xa076_1d64_78bd_642f)).next();
        part << (64 - self.top_bits) | low >> self.top_bits
    }
}

/// Draws clusters of about `len` members. Returns their number, and the distinct members other than the centres.
fn clusters(len: f64, seed: u64) -> (u64, Vec<(u64, u64)>) {
    let mut random = Random(!seed);
    let (mut centres, mut members, mut drawn) = (0, Vec::new(), 0.0);
    while drawn < len {
        let size = 1 + (0..4).map(|_| random.index(200)).min().unwrap_or(0);
        for _ in 0..size {
            let flips = random.index(7);
            members.push((centres, random.flip(0, flips)));
        }
        drawn += size as f64;
        centres += 1;
    }
    members.retain(|&(_, flips)| flips != 0);
    members.sort_unstable();
    members.dedup();
    (centres, members)
}
