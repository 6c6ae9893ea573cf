//! The kind of difference between two near-duplicates, guessed from their words (Henzinger 2006, 3.1).

use std::collections::HashSet;

use nddb_verdict::compare::lcs::Myers;
use xxhash_rust::xxh3::xxh3_64;

/// Greatest number of words of a text that are compared.
const WORDS_MAX: usize = 6000;
/// Number of words before and after a difference from which its kind is guessed.
const CONTEXT: usize = 4;
/// First character of the scripts of China, Japan and Korea.
const FOREIGN: char = '\u{2e80}';
/// Least number of letters and digits of a session id.
const SESSION_MIN: usize = 16;

nddb_format::named! {
    /// The kind of difference of a pair: the differences that the paper lists for correct pairs, where a combination of
    /// these is correct, too; reasons for undecided pairs; and the rest.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DifferenceKind {
        /// No visible word differs.
        Invisible = "invisible",
        /// All or part of the address.
        Url = "URL only",
        /// A date or a time of day.
        TimeStamp = "time stamp only",
        /// The time that the server took for the page.
        ExecutionTime = "execution time only",
        /// A count of visitors.
        VisitorCount = "visitor count only",
        /// The number of a message.
        MessageId = "message id only",
        /// A session id.
        SessionId = "session id only",
        /// The name of a server.
        ServerName = "server name only",
        /// Several of these.
        Combination = "combination",
        /// Values of a form that a user can erase: undecided.
        Form = "form",
        /// An item that is not the main one: undecided.
        MinorItem = "different minor item",
        /// People cannot judge the pair: undecided.
        CannotEvaluate = "cannot evaluate",
        /// Anything else.
        Rest = "rest",
    }
}

impl DifferenceKind {
    /// The differences of correct pairs, in the order of a table.
    pub const CORRECT: [Self; 10] = [
        Self::Url,
        Self::TimeStamp,
        Self::Combination,
        Self::ExecutionTime,
        Self::VisitorCount,
        Self::MessageId,
        Self::SessionId,
        Self::ServerName,
        Self::Invisible,
        Self::Rest,
    ];
    /// The reasons for undecided pairs, in the order of a table.
    pub const UNDECIDED: [Self; 4] = [Self::CannotEvaluate, Self::Form, Self::MinorItem, Self::Rest];
    /// All kinds, in the order in which people choose from them.
    pub const CHOICES: [Self; 13] = [
        Self::Url,
        Self::TimeStamp,
        Self::Combination,
        Self::ExecutionTime,
        Self::VisitorCount,
        Self::MessageId,
        Self::SessionId,
        Self::ServerName,
        Self::Invisible,
        Self::Form,
        Self::MinorItem,
        Self::CannotEvaluate,
        Self::Rest,
    ];
}

/// The words and the address of a page, from which a difference is guessed.
#[derive(Clone, Copy, Debug)]
pub struct TextWithUrl<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its address.
    pub url: Option<&'a str>,
}

/// Guesses the kind of difference between two pages, from each run of different words and the words around it. People
/// must confirm the guess.
pub fn difference_kind(a: TextWithUrl<'_>, b: TextWithUrl<'_>) -> DifferenceKind {
    let words = [a, b].map(|page| page.text.split_whitespace().take(WORDS_MAX).collect::<Vec<&str>>());
    let hashes = [0, 1].map(|side| words[side].iter().map(|word| xxh3_64(word.as_bytes())).collect::<Vec<u64>>());
    let mut runs = Vec::new();
    Myers::new().runs(&hashes[0], &hashes[1], usize::MAX, &mut runs);
    let addresses: HashSet<String> = [a, b].iter().flat_map(|page| page.url).flat_map(parts).collect();
    let mut kinds = HashSet::new();
    let mut from = [0, 0];
    let ends = runs.iter().map(|run| ([run.a, run.b], run.len)).chain([(hashes.each_ref().map(Vec::len), 0)]);
    for (to, len) in ends {
        if from != to {
            let changed: Vec<&str> =
                [0, 1].into_iter().flat_map(|side| &words[side][from[side]..to[side]]).copied().collect();
            let (start, end) = (from[0].saturating_sub(CONTEXT), (to[0] + CONTEXT).min(words[0].len()));
            let around = words[0][start..from[0]].iter().chain(&words[0][to[0]..end]);
            kinds.insert(kind_of(&changed, &around.map(|word| plain(word)).collect::<Vec<_>>(), &addresses));
        }
        from = [to[0] + len, to[1] + len];
    }
    match kinds.len() {
        0 => DifferenceKind::Invisible,
        1 => kinds.into_iter().next().unwrap_or(DifferenceKind::Rest),
        _ if kinds.contains(&DifferenceKind::Rest) => DifferenceKind::Rest,
        _ => DifferenceKind::Combination,
    }
}

/// Guesses why a pair is undecided. It cannot be evaluated if it was not read, or is in a script without spaces, which
/// few judges read; otherwise the kind of difference decides.
pub fn undecided_reason(a: Option<TextWithUrl<'_>>, b: Option<TextWithUrl<'_>>) -> DifferenceKind {
    let (Some(a), Some(b)) = (a, b) else { return DifferenceKind::CannotEvaluate };
    let is_foreign = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphabetic());
        let (all, wide) = letters.fold((0, 0), |(all, wide), c| (all + 1, wide + usize::from(c >= FOREIGN)));
        wide * 2 > all
    };
    if is_foreign(a.text) || is_foreign(b.text) {
        return DifferenceKind::CannotEvaluate;
    }
    match difference_kind(a, b) {
        DifferenceKind::Invisible => DifferenceKind::Form,
        DifferenceKind::Rest => DifferenceKind::MinorItem,
        _ => DifferenceKind::Rest,
    }
}

/// Returns the kind of one run of different words.
fn kind_of(changed: &[&str], around: &[String], addresses: &HashSet<String>) -> DifferenceKind {
    let all = |is: &dyn Fn(&str) -> bool| changed.iter().all(|word| is(word));
    let near = |words: &[&str]| around.iter().any(|word| words.contains(&word.as_str()));
    let is_number = |word: &str| {
        let word = plain(word);
        word.contains(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || ",.".contains(c))
    };
    let is_address = |word: &str| is_address(word) || addresses.contains(&plain(word));
    if all(&is_address) {
        return if near(&["server", "served", "host", "node"]) {
            DifferenceKind::ServerName
        } else {
            DifferenceKind::Url
        };
    }
    if all(&is_session) {
        return DifferenceKind::SessionId;
    }
    if all(&is_number) && near(&["seconds", "second", "secs", "sec", "ms", "queries", "generated", "execution", "took"])
    {
        return DifferenceKind::ExecutionTime;
    }
    if all(&is_number)
        && near(&["visitors", "visitor", "visits", "hits", "views", "viewed", "counter", "online", "guests"])
    {
        return DifferenceKind::VisitorCount;
    }
    if all(&is_number) && near(&["message", "messages", "msg", "id", "post", "ticket"]) {
        return DifferenceKind::MessageId;
    }
    if all(&is_time) && changed.iter().any(|word| is_date(word)) {
        return DifferenceKind::TimeStamp;
    }
    DifferenceKind::Rest
}

/// A word in lower case, without punctuation around it.
fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The parts of an address and its host; a page may show any of them.
fn parts(url: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    let pieces = rest.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').filter(|piece| piece.len() > 2);
    pieces.chain([host, rest, url]).map(plain).collect()
}

fn is_address(word: &str) -> bool {
    let word = plain(word);
    let is_name = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let labels: Vec<&str> = word.split('/').next().unwrap_or_default().split('.').collect();
    let top = labels.last().is_some_and(|top| top.len() > 1 && top.chars().all(|c| c.is_ascii_alphabetic()));
    word.contains("://")
        || word.starts_with("www.")
        || labels.len() > 1 && top && labels.iter().all(|label| is_name(label))
}

fn is_session(word: &str) -> bool {
    let lower = word.to_lowercase();
    let word = plain(&lower);
    let has = |is: fn(&char) -> bool| word.chars().any(|c| is(&c));
    lower.contains("sessid=")
        || lower.contains("sessionid=")
        || lower.contains("sid=")
        || word.len() >= SESSION_MIN
            && word.chars().all(|c| c.is_ascii_alphanumeric())
            && has(char::is_ascii_digit)
            && has(char::is_ascii_alphabetic)
}

/// Names of months and days, by their first three letters, and other parts of a date.
const CALENDAR: [&str; 26] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mon", "tue", "wed", "thu",
    "fri", "sat", "sun", "am", "pm", "utc", "gmt", "cet", "est", "pst",
];

fn is_calendar(word: &str) -> bool {
    let letters: String = plain(word).chars().take(3).collect();
    CALENDAR.contains(&letters.as_str()) && plain(word).chars().all(|c| c.is_ascii_alphabetic())
}

/// Whether a word may be part of a time stamp.
fn is_time(word: &str) -> bool {
    let plain = plain(word);
    is_calendar(word)
        || ["at", "on", "th", "st", "nd", "rd"].contains(&plain.as_str())
        || plain.contains(|c: char| c.is_ascii_digit())
            && plain.chars().all(|c| c.is_ascii_digit() || ":-/.,+tz".contains(c) || "ampsthndrd".contains(c))
}

/// Whether a word makes the numbers around it a time stamp: the name of a month or day, a time of day, a date, a year.
/// Numbers with dots are versions, unless there are three and one of them is a year.
fn is_date(word: &str) -> bool {
    let word = plain(word);
    let is_year = |part: &str| {
        part.len() == 4 && (part.starts_with("19") || part.starts_with("20")) && part.parse::<u32>().is_ok()
    };
    let are_numbers =
        |parts: &[&str]| parts.len() > 1 && parts.iter().all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    let dotted: Vec<&str> = word.split('.').collect();
    let parts: Vec<&str> = word.split([':', '-', '/']).collect();
    is_calendar(&word)
        || is_year(&word)
        || are_numbers(&parts)
        || are_numbers(&dotted) && dotted.len() == 3 && dotted.iter().any(|part| is_year(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(a: &str, b: &str) -> DifferenceKind {
        let text = |changed: &str| format!("welcome to our pages {changed} and much else that is the same for all");
        let (a, b) = (text(a), text(b));
        let told = |text| TextWithUrl { text, url: Some("http://www.shop.example/offers/blue-lamp.html") };
        assert_eq!(difference_kind(told(&a), told(&b)), difference_kind(told(&b), told(&a)));
        difference_kind(told(&a), told(&b))
    }

    #[test]
    fn a_difference_is_guessed_by_what_it_looks_like_and_what_stands_around() {
        use DifferenceKind::*;
        for (a, b, expected) in [
            ("same", "same", Invisible),
            ("www.one.example", "www.two.example", Url),
            ("parked.com is for sale", "other-name.org is for sale", Url),
            ("see offers", "see lamp", Rest),
            ("Tue, 12 May 2004 10:15:02 GMT", "Wed, 13 May 2004 11:20:59 GMT", TimeStamp),
            ("2004-05-12", "2004-05-13", TimeStamp),
            ("12.5.2004", "13.5.2004", TimeStamp),
            ("manual 1.25.0", "manual 1.26.0", Rest),
            ("page generated in 0.25 seconds", "page generated in 0.31 seconds", ExecutionTime),
            ("you are visitor 1,024 of this", "you are visitor 1,031 of this", VisitorCount),
            ("message 4711", "message 4712", MessageId),
            ("PHPSESSID=0a1b2c3d", "PHPSESSID=9f8e7d6c", SessionId),
            ("key a1b2c3d4e5f6a7b8c9 ok", "key 99b2c3d4e5f6a7b8c9 ok", SessionId),
            ("served by alpha.farm.example now", "served by beta.farm.example now", ServerName),
            ("visitor 12 on 2004-05-12", "visitor 13 on 2004-05-13", Combination),
            ("visitor 12 buys a lamp", "visitor 13 buys a chair", Rest),
            ("costs 12 only", "costs 13 only", Rest),
        ] {
            assert_eq!(kind(a, b), expected, "{a} / {b}");
        }
    }

    #[test]
    fn a_reason_is_guessed_by_script_and_difference() {
        let told = |text| Some(TextWithUrl { text, url: None });
        assert_eq!(undecided_reason(told("a b"), None), DifferenceKind::CannotEvaluate);
        assert_eq!(undecided_reason(told("\u{6f22}\u{5b57} a"), told("a b")), DifferenceKind::CannotEvaluate);
        assert_eq!(undecided_reason(told("a b"), told("a b")), DifferenceKind::Form);
        assert_eq!(undecided_reason(told("a box"), told("a list")), DifferenceKind::MinorItem);
        assert_eq!(undecided_reason(told("on 2004-05-12"), told("on 2004-05-13")), DifferenceKind::Rest);
    }

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        for kind in DifferenceKind::ALL {
            assert_eq!(DifferenceKind::named(kind.name()), Some(kind));
        }
        assert_eq!(DifferenceKind::named("nothing"), None);
        assert_eq!(DifferenceKind::Url.to_string(), "URL only");
    }
}
