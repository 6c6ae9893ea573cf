//! Dates, as headers, feeds, tables and programs write them.

/// Names of months and days are recognised by their first letters.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// The zones of RFC 2822, in hours from UTC.
const ZONES: [(&str, i64); 12] = [
    ("z", 0),
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];
/// Bytes of a date that are shown if it is not understood.
const SHOWN: usize = 40;
/// Texts in place of a date that say that there is none.
const NONE: [&str; 6] = ["", "null", "none", "nan", "nat", "n/a"];

/// Returns the seconds since 1970 of a date; `None` if it is not understood.
///
/// Understood are:
///
/// - ISO 8601: `YYYY`, `YYYY-MM` or `YYYY-MM-DD` (also with `/`). A time may follow after `T` or a space; its minutes,
///   seconds and fraction are optional.
/// - 8 to 18 digits of a date without separators, also with a `T` before the time.
/// - A number of seconds since 1970, or of thousandths, millionths or billionths, as for [`of_number`].
/// - RFC 2822 and its relatives, with the month as a word: `Sun, 03 Mar 2024 10:00:00 GMT`,
///   `Sunday, 03-Mar-24 10:00:00 GMT`, `Sun Mar  3 10:00:00 2024`, `March 3, 2024`.
///
/// A zone may follow the time: `Z`, `UTC`, a zone of RFC 2822 or an offset such as `-0800` or `+01:00`; the default is
/// UTC. Dates such as `03/04/2024`, of which nobody knows the month, are not understood.
pub fn parse(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    if text.iter().all(u8::is_ascii_digit) && text.len() > 4 {
        return parse_digits(text).or_else(|| of_number(std::str::from_utf8(text).ok()?.parse().ok()?));
    }
    if text.iter().all(|b| b.is_ascii_digit() || b"+-.eE".contains(b)) {
        let number: Option<f64> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        // 2024.03 may be a month.
        if let Some(number) = number.filter(|number| *number >= SECONDS.start as f64) {
            return of_fraction(number);
        }
    }
    of_iso(text).or_else(|| of_words(std::str::from_utf8(text).ok()?))
}

/// The date of a document, as an input has it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Date {
    /// Seconds since 1970; `None` if there is no date, or if it was not understood.
    pub(super) date: Option<i64>,
    /// The beginning of a date that was not understood.
    pub(super) unread: Option<String>,
}

impl Date {
    #[cfg(feature = "parquet")]
    pub(super) fn known(date: i64) -> Self {
        Self { date: Some(date), unread: None }
    }

    pub(super) fn of_bytes(text: &[u8]) -> Self {
        let date = parse(text);
        let shown = || String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned();
        let is_none = NONE.iter().any(|none| text.trim_ascii().eq_ignore_ascii_case(none.as_bytes()));
        Self { date, unread: (date.is_none() && !is_none).then(shown) }
    }

    pub(super) fn of_number(number: i64) -> Self {
        Self::of(of_number(number), number)
    }

    /// A number with a fraction; the one that is not a number means that there is no date.
    pub(super) fn of_fraction(number: f64) -> Self {
        if number.is_nan() { Self::default() } else { Self::of(of_fraction(number), number) }
    }

    fn of(date: Option<i64>, number: impl std::fmt::Display) -> Self {
        Self { date, unread: date.is_none().then(|| number.to_string()) }
    }

    /// Returns the first date that is understood, else the first that is not.
    pub(super) fn first(dates: impl Iterator<Item = Self>) -> Self {
        let mut first = Self::default();
        for found in dates {
            if found.date.is_some() {
                return found;
            }
            first.unread = first.unread.or(found.unread);
        }
        first
    }
}

/// A date of ISO 8601, with or without separators.
fn of_iso(text: &[u8]) -> Option<i64> {
    let mut rest = text;
    let year = number(&mut rest, 4)?;
    let is_compact = rest.len() >= 4 && rest[..4].iter().all(u8::is_ascii_digit);
    let month = if is_compact || eat(&mut rest, b"-/") { number(&mut rest, 2)? } else { 1 };
    let day = if is_compact || eat(&mut rest, b"-/") { number(&mut rest, 2)? } else { 1 };
    let (mut hour, mut minute, mut second) = (0, 0, 0);
    if eat(&mut rest, b"Tt ") {
        hour = number(&mut rest, 2)?;
        if eat(&mut rest, b":") || is_compact && rest.first().is_some_and(u8::is_ascii_digit) {
            minute = number(&mut rest, 2)?;
        }
        if eat(&mut rest, b":") || is_compact && rest.first().is_some_and(u8::is_ascii_digit) {
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
    let rest = std::str::from_utf8(rest.trim_ascii_start()).ok()?;
    let shift = if rest.is_empty() { 0 } else { zone(rest)? };
    Some(seconds(year, month, day, hour, minute, second)? - shift)
}

/// A date with the month as a word, its parts in any order.
fn of_words(text: &str) -> Option<i64> {
    let (mut year, mut month, mut day, mut time, mut shift) = (None, None, None, None, None);
    let mut afternoon = None;
    // A comment in parentheses is the name of the zone.
    let text = text.split('(').next().unwrap_or_default();
    let words = text.split(|c: char| c.is_ascii_whitespace() || c == ',');
    // A hyphen joins the parts of a date, or begins an offset.
    let parts = words.flat_map(|word| word.split(if zone(word).is_some() { '\0' } else { '-' }));
    for part in parts.filter(|part| !part.is_empty()) {
        let lower = part.to_ascii_lowercase();
        let is_number = part.bytes().all(|b| b.is_ascii_digit());
        let place = |names: &[&str]| names.iter().position(|name| lower.starts_with(name));
        if is_number && part.len() == 4 {
            set(&mut year, part.parse().ok()?)?;
        } else if is_number && part.len() <= 2 && day.is_none() {
            day = part.parse().ok();
        } else if is_number && part.len() == 2 {
            let short: i64 = part.parse().ok()?;
            set(&mut year, short + if short < 50 { 2000 } else { 1900 })?;
        } else if part.contains(':') && part.as_bytes()[0].is_ascii_digit() {
            set(&mut time, of_clock(part)?)?;
        } else if let Some(at) = ["am", "pm"].iter().position(|half| *half == lower) {
            set(&mut afternoon, at as i64)?;
        } else if let Some(found) = zone(part) {
            set(&mut shift, found)?;
        } else if let Some(at) = place(&MONTHS) {
            set(&mut month, at as i64 + 1)?;
        } else if place(&DAYS).is_none() {
            return None;
        }
    }
    let (mut hour, minute, second) = time.unwrap_or_default();
    if let Some(half) = afternoon {
        hour = hour % 12 + 12 * half;
    }
    Some(seconds(year?, month?, day?, hour, minute, second)? - shift.unwrap_or(0))
}

/// Sets a part of a date, which may occur once.
fn set<T>(part: &mut Option<T>, value: T) -> Option<()> {
    part.replace(value).is_none().then_some(())
}

/// The hour, minute and second of `10:00` or `10:00:00.5`.
fn of_clock(text: &str) -> Option<(i64, i64, i64)> {
    let mut parts = text.split(':');
    let mut next = |most: usize| {
        let part = parts.next()?;
        let part = part.split('.').next()?;
        (part.len() <= most && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse::<i64>().ok())?
    };
    let (hour, minute) = (next(2)?, next(2)?);
    let second = if text.matches(':').count() > 1 { next(2)? } else { 0 };
    parts.next().is_none().then_some((hour, minute, second))
}

/// The seconds by which a zone is ahead of UTC: a name, an offset, or both (`GMT+0100`).
fn zone(text: &str) -> Option<i64> {
    let begin = text.find(['+', '-']).unwrap_or(text.len());
    let (name, offset) = text.split_at(begin);
    let hours = match name.trim_end() {
        "" => 0,
        name => ZONES.iter().find(|(zone, _)| zone.eq_ignore_ascii_case(name))?.1,
    };
    let mut shift = hours * 3600;
    if let Some(digits) = offset.get(1..) {
        let sign = if offset.starts_with('-') { -1 } else { 1 };
        let mut rest = digits.as_bytes();
        let hours = number(&mut rest, 2)?;
        eat(&mut rest, b":");
        let minutes = if rest.is_empty() { 0 } else { number(&mut rest, 2)? };
        shift += sign * (hours * 60 + minutes) * 60;
        return rest.is_empty().then_some(shift);
    }
    (!name.is_empty()).then_some(shift)
}

/// Seconds from the year 1973 to the year 5138; smaller numbers are not times.
const SECONDS: std::ops::Range<u64> = 100_000_000..100_000_000_000;

/// Returns the seconds since 1970 of a date that is written as a number: a year, a date of eight digits, or a date and
/// time of fourteen digits. Any other number counts seconds since 1970, or thousandths, millionths or billionths of a
/// second, depending on its size.
pub fn of_number(number: i64) -> Option<i64> {
    let digits = number.to_string();
    match digits.len() {
        4 => return of_iso(digits.as_bytes()),
        8 | 14 => {
            if let Some(date) = parse_digits(digits.as_bytes()) {
                return Some(date);
            }
        }
        _ => {}
    }
    let parts = [1_u32, 1_000, 1_000_000, 1_000_000_000].map(u64::from);
    let parts = parts.into_iter().find(|parts| number.unsigned_abs() / parts < SECONDS.end)?;
    (number.unsigned_abs() >= SECONDS.start).then(|| number.div_euclid(parts as i64))
}

/// Returns the seconds since 1970 of a date that is written as a number with a fraction, as for [`of_number`].
fn of_fraction(number: f64) -> Option<i64> {
    // Beyond these bounds, a number is no time in any unit.
    (number.abs() < i64::MAX as f64).then(|| of_number(number.floor() as i64))?
}

/// A date without separators, and a time. Of a number that might count seconds, too, the year decides.
fn parse_digits(text: &[u8]) -> Option<i64> {
    let mut rest = text;
    let (year, month, day) = (number(&mut rest, 4)?, number(&mut rest, 2)?, number(&mut rest, 2)?);
    if ![8, 14].contains(&text.len()) && !(1900..2100).contains(&year) {
        return None;
    }
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

/// Formats seconds since 1970 as a WARC-Date: `2026-11-28T01:10:21Z`.
pub fn format_date(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 0000-03-01, in eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::{of_fraction, of_number, parse};

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
    fn dates_of_feeds_servers_and_programs_are_read() {
        let date = Some(1_709_460_000);
        for text in [
            "Sun, 03 Mar 2024 10:00:00 GMT",
            "Sun, 3 Mar 2024 11:00:00 +0100",
            "3 Mar 2024 05:00 EST",
            "Sunday, 03-Mar-24 10:00:00 GMT",
            "Sun Mar  3 10:00:00 2024",
            "Sun Mar 03 10:00:00 +0000 2024",
            "Sun Mar 03 2024 11:00:00 GMT+0100 (Central European Standard Time)",
            "March 3, 2024 10:00 AM",
            "03-Mar-2024 02:00:00 -0800",
            "2024-03-03T10:00:00.25Z",
            "2024-03-03 05:00:00 EST",
            "20240303T100000Z",
            "20240303100000",
            "202403031000",
            "2024030310",
            "1709460000",
            "1709460000.75",
            "1.70946e9",
            "1709460000123",
            "1709460000123456",
            " 1709460000 ",
        ] {
            assert_eq!(parse(text.as_bytes()), date, "{text}");
        }
        assert_eq!(parse(b"March 3, 2024 10:00 PM"), Some(1_709_503_200));
        assert_eq!(parse(b"3 March 2024"), Some(1_709_424_000));
        for text in [
            "03/04/2024",
            "3.3.2024",
            "yesterday",
            "Mar",
            "Sun Mar",
            "3 Mar 2024 2025",
            "12",
            "2024.03",
            "1e400",
            "3 Mar 2024 10:00:00:00",
            "10:00",
            "31 Feb 2024",
            "Sun, 03 Mar 2024 10:00:00 +1",
            "Marc\u{e9} 3 2024 x",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_times_by_their_size() {
        let fractions = [1_709_460_000.0, 1_709_460_000.9, 1_709_460_000_999.5, 2024.0, f64::NAN, f64::INFINITY, 5.5];
        assert_eq!(
            fractions.map(of_fraction),
            [Some(1_709_460_000), Some(1_709_460_000), Some(1_709_460_000), Some(1_704_067_200), None, None, None]
        );
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
