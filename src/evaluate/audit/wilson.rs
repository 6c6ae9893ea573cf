//! Wilson's interval of a share.

/// The quantile of the normal distribution that leaves 2.5% on each side.
const Z: f64 = 1.959_963_985;

/// Returns the 95% interval of a share found in a sample of this size (Wilson 1927). The size need not be whole: a
/// weighted sample has an effective size. `None` for an empty sample.
pub fn wilson(share: f64, sample: f64) -> Option<(f64, f64)> {
    if sample <= 0.0 {
        return None;
    }
    let z2 = Z * Z;
    let middle = share + z2 / (2.0 * sample);
    let half = Z * (share * (1.0 - share) / sample + z2 / (4.0 * sample * sample)).sqrt();
    let whole = 1.0 + z2 / sample;
    Some((((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the published values of Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    #[test]
    fn intervals_are_those_of_the_tables() {
        for (found, of, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let (from, to) = wilson(found / of, of).expect("a sample");
            assert!((from - low).abs() < 5e-5 && (to - high).abs() < 5e-5, "{found} of {of}: {from} {to}");
        }
        assert_eq!(wilson(0.5, 0.0), None);
        let (from, to) = wilson(1.0, 3.5).expect("a sample");
        assert!(from > 0.4 && to == 1.0, "{from} {to}");
    }
}
