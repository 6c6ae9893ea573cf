//! The parameters of a new database.

use nddb_format::fingerprint::check_bits;
use nddb_format::scheme::{K_MAX, Scheme};

use crate::{Error, Result};

/// Restart interval of the blocks of new runs. With it, ten million clustered fingerprints take 45.5 bits each, 1.078
/// times the lower bound of any code. (An interval of 32 takes 45.4 bits. With 16, it is 46.3 bits, and a probe decodes
/// half as much. The paper's plain blocks take 44.6 bits, and a probe decodes six times as much.)
pub(crate) const RESTART: u16 = 28;

/// The parameters of a new database; they never change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    pub(crate) bits: u8,
    pub(crate) k: u8,
    pub(crate) levels: Option<Vec<u8>>,
    pub(crate) restart: u16,
    pub(crate) recipe: String,
    pub(crate) keeps_words: bool,
}

impl Config {
    /// Returns the parameters of 64-bit fingerprints and queries within `k` bits, with tables chosen by the planner
    /// for each run, and sketches by the recipe `main`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `k` is above 7.
    pub fn within(k: u8) -> Result<Self> {
        if k > K_MAX {
            return Err(Error::OutOfRange { what: "k", requested: k.into(), limit: K_MAX.into() });
        }
        Ok(Self { bits: 64, k, levels: None, restart: RESTART, recipe: "main/1".into(), keeps_words: false })
    }

    /// Sets the width of fingerprints in bits, 8 to 64.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for another width, or one of at most k bits.
    pub fn bits(mut self, bits: u8) -> Result<Self> {
        if check_bits(bits).is_err() || self.k >= bits {
            return Err(Error::OutOfRange { what: "the width of a fingerprint", requested: bits.into(), limit: 64 });
        }
        self.bits = bits;
        Ok(self)
    }

    /// Sets whether the texts of pages are kept, by which the loss of a removal is known without reading pages again.
    pub fn keep_words(mut self, keep: bool) -> Self {
        self.keeps_words = keep;
        self
    }

    /// Sets the levels of the scheme of all runs (SPEC 4.3), instead of the planner's choice.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if there is no such scheme for these bits and k.
    pub fn levels(mut self, levels: &[u8]) -> Result<Self> {
        if Scheme::new(self.bits, self.k, levels, self.restart).is_err() {
            let requested = levels.first().copied().unwrap_or(0).into();
            return Err(Error::OutOfRange { what: "the number of bit groups", requested, limit: self.bits.into() });
        }
        self.levels = Some(levels.to_vec());
        Ok(self)
    }

    /// Sets the restart interval of the blocks, 0 for the paper's plain layout.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for 1 or more than 4,096.
    pub fn restart(mut self, restart: u16) -> Result<Self> {
        if Scheme::new(self.bits, self.k, &[], restart).is_err() {
            return Err(Error::OutOfRange { what: "the restart interval", requested: restart.into(), limit: 4096 });
        }
        self.restart = restart;
        Ok(self)
    }

    /// Sets the label of the recipe of fingerprints and sketches, such as `main/1`.
    pub fn recipe(mut self, label: &str) -> Self {
        self.recipe = label.into();
        self
    }
}
