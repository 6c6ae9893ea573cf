//! Parsing and formatting of sizes and counts for people.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

pub(crate) use nddb_jobs::quantity::{bytes, counted, grouped};

/// Reads a size in bytes: `4096`, `512K`, `512M`, `2G`, `1.5G`, in powers of 1,024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let bare = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    let (number, shift) = match bare.chars().last() {
        Some('K') => (&bare[..bare.len() - 1], 10),
        Some('M') => (&bare[..bare.len() - 1], 20),
        Some('G') => (&bare[..bare.len() - 1], 30),
        Some('T') => (&bare[..bare.len() - 1], 40),
        _ => (bare, 0),
    };
    let scaled = number.parse::<f64>().ok().map(|number| number * (1u64 << shift) as f64);
    match scaled {
        Some(bytes) if (1.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err("a size is a number of bytes, optionally followed by K, M, G or T: 512M, 2G".into()),
    }
}

/// Reads a number that must not be 0, for a type that has no 0.
pub(crate) fn at_least_one<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::Zero => "must be at least 1".into(),
        _ => error.to_string(),
    })
}

/// Reads a time: `500ms`, `30s`, `10m`, `2h`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit.trim() {
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    match number.parse::<f64>().ok().zip(seconds).map(|(number, seconds)| number * seconds) {
        Some(seconds) if seconds <= 1e9 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a time is a number followed by ms, s, m or h: 500ms, 30s, 10m".into()),
    }
}

/// Reads a count: `1000`, `8e9`, `10M` (million), `2.5G` or `2.5B` (billion), `1_000`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let plain = text.trim().replace(['_', ','], "");
    let (number, scale) = match plain.chars().last() {
        Some('k' | 'K') => (&plain[..plain.len() - 1], 1e3),
        Some('M') => (&plain[..plain.len() - 1], 1e6),
        Some('G' | 'B') => (&plain[..plain.len() - 1], 1e9),
        _ => (plain.as_str(), 1.0),
    };
    match number.parse::<f64>().map(|number| number * scale) {
        Ok(count) if (0.0..1e18).contains(&count) => Ok(count.round() as u64),
        _ => Err("a count is a number: 1000000, 8e9, 10M".into()),
    }
}

/// Writes a duration: `0.3 s`, `41 s`, `1:02:03`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        let of = |text| time(text).map(|time| time.as_millis()).ok();
        let read = ["500ms", "30s", "1.5 s", "10m", "10min", "2h", "0s"].map(of);
        let wanted = [500, 30_000, 1_500, 600_000, 600_000, 7_200_000, 0].map(Some);
        assert_eq!(read, wanted);
        for text in ["30", "s", "", "-1s", "1e400s", "99999999999h", "3 weeks", "."] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_read_in_powers_of_1024() {
        let cases =
            [("4096", 4096), ("512K", 512 << 10), ("512M", 512 << 20), ("2g", 2 << 30), ("1.5GiB", 3 << 29), ("7B", 7)];
        for (text, bytes) in cases {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "M", "0", "-1", "1X", "1e40", "nan", "inf"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn counts_are_read_as_people_write_them() {
        let cases = [("0", 0), ("8e9", 8_000_000_000), ("10M", 10_000_000), ("2.5G", 2_500_000_000), ("1_000", 1000)];
        for (text, expected) in cases {
            assert_eq!(count(text), Ok(expected), "{text}");
        }
        for bad in ["", "M", "-1", "ten", "nan"] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "document"), "1 document");
        assert_eq!(counted(2000, "query"), "2,000 queries");
        assert_eq!([0, 999, 1024, 3 << 29].map(bytes), ["0 B", "999 B", "1.0 KB", "1.5 GB"]);
        let seconds = |n| duration(Duration::from_millis(n));
        assert_eq!([300, 41_000, 62_000, 3_723_000].map(seconds), ["0.3 s", "41 s", "1:02", "1:02:03"]);
    }
}
