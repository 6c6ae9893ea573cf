//! Masking of numbers.

/// Returns the letters with each run of digits as one `0`.
pub(super) fn numbers_masked(letters: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let mut in_number = false;
    letters.filter_map(move |c| {
        let is_digit = c.is_numeric();
        let is_first = !std::mem::replace(&mut in_number, is_digit);
        match is_digit {
            true => is_first.then_some('0'),
            false => Some(c),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_digits_is_one_of_any_script() {
        let masked = |text: &str| numbers_masked(text.chars()).collect::<String>();
        assert_eq!(masked("v10.2 of 2007, \u{663}\u{664}9 x"), "v0.0 of 0, 0 x");
        assert_eq!((masked("7"), masked("")), ("0".into(), String::new()));
    }
}
