//! The maximum difference of two near-duplicates.

/// The option for the maximum difference, in addition to the method.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DifferenceOption {
    /// Omit near-duplicates that differ in more than this share of the words of the longer text: 10% or 0.1
    ///
    /// The share is estimated from the stored sketches, with an error of about 0.04 at 0.1. It is exact with --verify,
    /// which reads the texts again and compares their words. Without suitable sketches the method alone decides.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_difference: Option<f64>,
}

impl DifferenceOption {
    /// Whether the option was given.
    pub(crate) fn is_given(&self) -> bool {
        self.max_difference.is_some()
    }

    /// Returns the maximum share that may differ, if the option was given.
    pub(crate) fn most(&self) -> Option<f64> {
        self.max_difference
    }
}

/// Reads a share: a fraction or a percentage.
fn share(text: &str) -> Result<f64, String> {
    let (number, of) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let value: f64 = number.trim_end().parse().map_err(|_| "a share is written as 10% or 0.1".to_owned())?;
    let share = value / of;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share is 0 to 1, or 0% to 100%".into()) }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_share_is_of_one_or_of_a_hundred() {
        for (text, expected) in [("10%", 0.1), ("0.1", 0.1), ("100%", 1.0), ("0", 0.0), ("2.5 %", 0.025)] {
            assert_eq!(share(text), Ok(expected), "{text}");
        }
        for text in ["10", "-1%", "101%", "NaN", "", "%", "a tenth"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
