//! The founders of stars, from rows that an engine has sorted. Memory holds one bit for each document that joined
//! another.

use std::collections::HashMap;

use crate::cluster::stars::{Choice, Founders, Joining};

/// Bits per page of the set.
const PAGE: u64 = 1 << 15;

/// A set of document numbers: one bit per number, in pages that exist only where a bit is set.
#[derive(Clone, Debug, Default)]
struct Numbers(HashMap<u64, Box<[u64]>>);

impl Numbers {
    fn insert(&mut self, number: u64) {
        let page = self.0.entry(number / PAGE).or_insert_with(|| vec![0; (PAGE / 64) as usize].into());
        page[(number % PAGE / 64) as usize] |= 1 << (number % 64);
    }

    fn contains(&self, number: u64) -> bool {
        let page = self.0.get(&(number / PAGE));
        page.is_some_and(|page| page[(number % PAGE / 64) as usize] >> (number % 64) & 1 == 1)
    }
}

/// One ordered pass over all pairs of leaders, which finds those that join a founder.
#[derive(Debug, Default)]
pub struct Stars {
    joining: Joining,
    joined: Joined,
}

#[derive(Debug, Default)]
struct Joined {
    numbers: Numbers,
    last: Option<(u64, u64)>,
}

impl Founders for Joined {
    fn is_founder(&self, number: u64) -> bool {
        !self.numbers.contains(number)
    }

    fn join(&mut self, newer: u64, founder: u64) {
        self.numbers.insert(newer);
        self.last = Some((newer, founder));
    }
}

impl Stars {
    /// Takes the next pair; pairs are sorted by the newer document, then by the older one. If this completes the pairs
    /// of a document that joins a founder, returns that document and its founder.
    pub fn push(&mut self, newer: u64, older: u64, nearness: u64) -> Option<(u64, u64)> {
        self.joining.pair(&mut self.joined, newer, older, nearness);
        self.joined.last.take()
    }

    /// Ends the pairs. Returns the last document and its founder if it joins one.
    pub fn end(&mut self) -> Option<(u64, u64)> {
        self.joining.end(&mut self.joined);
        self.joined.last.take()
    }
}

/// Chooses the founders of the members of classes whose leader joined a founder. The input is rows of members and of
/// founders near the leader, sorted by leader, then by number.
#[derive(Debug, Default)]
pub struct Choose {
    leader: Option<u64>,
    choice: Choice,
}

impl Choose {
    /// Takes a founder that is near the leader.
    pub fn founder(&mut self, leader: u64, founder: u64, nearness: u64) {
        self.begin(leader);
        self.choice.offer(founder, nearness);
    }

    /// Takes a member; returns the founder that it joins, given that of the leader.
    pub fn member(&mut self, leader: u64, joined: u64) -> u64 {
        self.begin(leader);
        self.choice.founder().unwrap_or(joined)
    }

    fn begin(&mut self, leader: u64) {
        if self.leader.replace(leader) != Some(leader) {
            self.choice = Choice::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_joins_the_best_founder_and_never_one_that_joined_itself() {
        let mut stars = Stars::default();
        let far = 1 << 40;
        let rows = [(2, 1, 5), (3, 1, 4), (3, 2, 9), (far, 1, 3), (far, 4, 3), (far + 1, 4, 7), (far + 1, far, 9)];
        let mut joined: Vec<(u64, u64)> =
            rows.into_iter().filter_map(|(newer, older, nearness)| stars.push(newer, older, nearness)).collect();
        joined.extend(stars.end());
        // 3 is nearer to 2, but 2 is no founder. Among equally near founders, the older one is joined.
        assert_eq!(joined, [(2, 1), (3, 1), (far, 1), (far + 1, 4)]);
    }

    #[test]
    fn a_member_chooses_among_the_founders_that_are_older() {
        let mut choose = Choose::default();
        choose.founder(10, 3, 5);
        assert_eq!(choose.member(10, 3), 3);
        choose.founder(10, 12, 9);
        choose.founder(10, 13, 9);
        assert_eq!(choose.member(10, 3), 12);
        assert_eq!(choose.member(20, 7), 7, "another leader");
    }
}
