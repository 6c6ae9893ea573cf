//! Dates of WARC (ISO 8601, full or reduced precision) and ARC (14 digits) headers.

/// Returns the seconds since 1970 of a date; `None` if it is malformed.
///
/// Accepts a date `YYYY`, `YYYY-MM` or `YYYY-MM-DD` (also with `/`). A time may follow after `T` or a space; its
/// minutes, seconds and fraction are optional. A zone may follow the time: `Z`, `UTC` or an offset such as `-0800` or
/// `+01:00`; the default is UTC. Also accepts 8 to 18 digits without separators.
pub fn parse(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    if text.len() >= 8 && text.iter().all(u8::is_ascii_digit) {
        return parse_digits(text);
    }
    let mut rest = text;
    let year = number(&mut rest, 4)?;
    let month = if eat(&mut rest, b"-/") { number(&mut rest, 2)? } else { 1 };
    let day = if eat(&mut rest, b"-/") { number(&mut rest, 2)? } else { 1 };
    let (mut hour, mut minute, mut second) = (0, 0, 0);
    if eat(&mut rest, b"Tt ") {
        hour = number(&mut rest, 2)?;
        if eat(&mut rest, b":") {
            minute = number(&mut rest, 2)?;
        }
        if eat(&mut rest, b":") {
            second = number(&mut rest, 2)?;
        }
        if eat(&mut rest, b".,") {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits == 0 {
                return None;
            }
            rest = &rest[digits..];
        }
    }
    rest = rest.trim_ascii_start();
    let mut shift = 0;
    match rest.first() {
        None => {}
        Some(b'Z' | b'z') => rest = &rest[1..],
        _ if rest.eq_ignore_ascii_case(b"UTC") || rest.eq_ignore_ascii_case(b"GMT") => rest = &[],
        Some(&sign @ (b'+' | b'-')) => {
            rest = &rest[1..];
            let hours = number(&mut rest, 2)?;
            eat(&mut rest, b":");
            let minutes = if rest.is_empty() { 0 } else { number(&mut rest, 2)? };
            shift = (hours * 60 + minutes) * if sign == b'-' { 60 } else { -60 };
        }
        Some(_) => return None,
    }
    if !rest.is_empty() {
        return None;
    }
    Some(seconds(year, month, day, hour, minute, second)? + shift)
}

/// Returns the seconds since 1970 of a date that is written as a number: a year, a date of eight digits, or a date and
/// time of fourteen digits. Any other number counts seconds since 1970, or thousandths, millionths or billionths of a
/// second, depending on its size.
pub fn of_number(number: i64) -> Option<i64> {
    let digits = number.to_string();
    match digits.len() {
        4 => return parse(digits.as_bytes()),
        8 | 14 => {
            if let Some(date) = parse_digits(digits.as_bytes()) {
                return Some(date);
            }
        }
        _ => {}
    }
    // Seconds from the year 1973 to the year 5138; smaller numbers are not times.
    const SECONDS: std::ops::Range<u64> = 100_000_000..100_000_000_000;
    let parts = [1_u32, 1_000, 1_000_000, 1_000_000_000].map(u64::from);
    let parts = parts.into_iter().find(|parts| number.unsigned_abs() / parts < SECONDS.end)?;
    (number.unsigned_abs() >= SECONDS.start).then(|| number.div_euclid(parts as i64))
}

fn parse_digits(text: &[u8]) -> Option<i64> {
    let mut rest = text;
    let (year, month, day) = (number(&mut rest, 4)?, number(&mut rest, 2)?, number(&mut rest, 2)?);
    let mut part = || if rest.is_empty() { Some(0) } else { number(&mut rest, 2) };
    seconds(year, month, day, part()?, part()?, part()?)
}

fn eat(rest: &mut &[u8], any_of: &[u8]) -> bool {
    match rest.first() {
        Some(b) if any_of.contains(b) => {
            *rest = &rest[1..];
            true
        }
        _ => false,
    }
}

fn number(rest: &mut &[u8], digits: usize) -> Option<i64> {
    let (head, tail) = rest.split_at_checked(digits)?;
    *rest = tail;
    head.iter().try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0')))
}

fn seconds(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Counts days in years that begin in March, so that a leap day is the last day of a year.
    let shifted_year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = shifted_year * 365 + shifted_year.div_euclid(4) - shifted_year.div_euclid(100)
        + shifted_year.div_euclid(400)
        + day_of_year
        - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::{of_number, parse};

    #[test]
    fn dates_of_every_precision_are_read() {
        let cases: [(&str, Option<i64>); 20] = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2024-10-21T21:09:03Z", Some(1_729_544_943)),
            ("2024-10-21T21:09:03.123456Z", Some(1_729_544_943)),
            ("2024-10-21T13:09:03-0800", Some(1_729_544_943)),
            ("2024-10-21T22:09:03+01:00", Some(1_729_544_943)),
            ("2024/10/21 21:09:03", Some(1_729_544_943)),
            ("2024-10-21 21:09:03.5 UTC", Some(1_729_544_943)),
            ("2024-10-21 22:09:03 +0100", Some(1_729_544_943)),
            ("2024-10-21 21:09:03 xyz", None),
            ("2000-02-29", Some(951_782_400)),
            ("2016", Some(1_451_606_400)),
            ("2016-11", Some(1_477_958_400)),
            ("20140216050221", Some(1_392_526_941)),
            ("2009-03-65T08:43:19-0800", None),
            ("null", None),
            ("", None),
            ("2024-10-21T21:09:03Zzz", None),
            ("1900-02-29", None),
            ("2024-1", None),
            ("2024-10-21T21:09:03.", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_times_by_their_size() {
        let date = Some(1_729_544_943);
        for number in [1_729_544_943, 1_729_544_943_123, 1_729_544_943_123_456, 1_729_544_943_123_456_789] {
            assert_eq!(of_number(number), date, "{number}");
        }
        assert_eq!(of_number(20_241_021_210_903), date);
        assert_eq!(of_number(20_000_229), Some(951_782_400));
        assert_eq!((of_number(2016), of_number(1_451_606_400)), (Some(1_451_606_400), Some(1_451_606_400)));
        assert_eq!((of_number(5), of_number(-1_500_000_000_000)), (None, Some(-1_500_000_000)));
        assert_eq!(of_number(i64::MIN), Some(i64::MIN.div_euclid(1_000_000_000)));
        assert_eq!(of_number(i64::MAX), Some(i64::MAX / 1_000_000_000));
    }
}
