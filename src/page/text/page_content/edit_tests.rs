//! A small edit of a page changes its content by a small part.

use std::collections::HashSet;

use nddb_test_support::{Random, say};

use crate::text::{Page, page_content};

/// The resemblance of the contents of two versions of a page must be at least this share of that of the whole texts, or
/// of that of the contents if the sentence has been added to the content alone.
const SHARE: f64 = 0.9;

const WORDS: [&str; 40] = [
    "river", "mountain", "window", "garden", "paper", "silver", "engine", "market", "winter", "summer", "bridge",
    "station", "letter", "doctor", "village", "music", "colour", "castle", "forest", "island", "teacher", "student",
    "kitchen", "morning", "evening", "weather", "captain", "history", "science", "nature", "driver", "factory",
    "machine", "harbour", "planet", "minute", "dinner", "coffee", "sugar", "butter",
];

/// Maker of pages.
struct Maker(Random);

impl Maker {
    fn words(&mut self, len: usize) -> String {
        (0..len).map(|_| format!("{}{} ", self.0.pick(&WORDS), self.0.below(30))).collect::<String>().trim_end().into()
    }

    fn times(&mut self, least: u64, most: u64, mut make: impl FnMut(&mut Self) -> String) -> String {
        (0..least + self.0.below(most - least)).map(|_| make(self)).collect()
    }

    fn sentence(&mut self) -> String {
        let len = 6 + self.0.index(12);
        format!("The {}.", self.words(len))
    }

    fn paragraph(&mut self) -> String {
        let text = self.times(2, 6, |maker| maker.sentence() + " ");
        format!("<p>{text}</p>\n")
    }

    fn links(&mut self) -> String {
        self.times(5, 25, |maker| format!("<li><a href=/x>{}</a></li>\n", maker.words(2)))
    }

    /// Returns the main part of a page: prose, a table, code, definitions, signatures, a list or comments.
    fn part(&mut self) -> String {
        match self.0.below(8) {
            0 | 1 => self.times(2, 10, Self::paragraph),
            2 => {
                let rows = self.times(5, 40, |maker| {
                    let (name, kind, about) = (maker.words(1), maker.words(1), maker.words(4));
                    format!("<tr><td><code>{name}</code></td><td><a href=/t>{kind}</a></td><td>{about}</td></tr>\n")
                });
                format!("<table>{rows}</table>")
            }
            3 => format!("<pre>{}</pre>", self.times(5, 30, |maker| format!("let {} = {};\n", maker.words(1), maker.words(2)))),
            4 => format!("<dl>{}</dl>", self.times(5, 30, |maker| format!("<dt>{}<dd>{}", maker.words(2), maker.words(7)))),
            5 => self.times(5, 30, |maker| {
                let (of, name, with) = (maker.words(1), maker.words(1), maker.words(2));
                format!("<div class=member><h4>{name}</h4><code>public <a href=/t>{of}</a> {name}(<a href=/u>{with}</a>)</code></div>\n")
            }),
            6 => format!("<ul>{}</ul>", self.times(5, 30, |maker| format!("<li>{}</li>\n", maker.words(6)))),
            _ => self.times(3, 12, |maker| format!("<div class=comment><b>{}</b><p>{}</p></div>\n", maker.words(1), maker.sentence())),
        }
    }

    fn page(&mut self) -> String {
        let mut parts = self.times(1, 4, Self::part);
        if self.0.percent(50) {
            parts = format!("<h1>{}</h1>\n{parts}", self.words(3));
        }
        let (open, close) = *self.0.pick(&[
            ("<main>", "</main>"),
            ("<article class=post>", "</article>"),
            ("<div id=content>", "</div>"),
            ("<div class=sidebar>", "</div>"),
            ("", ""),
        ]);
        let mut html = format!("<title>{}</title><body>\n", self.words(4));
        if self.0.percent(60) {
            html += &format!("<nav><ul>{}</ul></nav>\n", self.links());
        }
        if self.0.percent(30) {
            html += &format!("<div class=header><p>{}</p></div>\n", self.words(8));
        }
        html += &format!("{open}\n{parts}\n{close}\n");
        if self.0.percent(40) {
            html += &format!(
                "<aside class=related>{}</aside>\n",
                self.times(3, 9, |maker| format!(
                    "<div class=card><a href=/r>{}</a> {}</div>\n",
                    maker.words(4),
                    maker.words(9)
                ))
            );
        }
        if self.0.percent(30) {
            html += &format!("<noscript>{}</noscript>\n", self.times(1, 6, Self::paragraph));
        }
        html += &format!("<footer><p>{}</p></footer>", self.words(12));
        html
    }
}

/// Returns the resemblance of the contents and of the whole texts of two pages, by pairs of words.
fn resemblances(a: &str, b: &str) -> (f64, f64) {
    let of = |html: &str| {
        let content = page_content(&Page::html(html));
        [content.hashes(), content.whole_hashes()]
            .map(|words| words.windows(2).map(|pair| [pair[0], pair[1]]).collect::<HashSet<_>>())
    };
    let ([content_a, whole_a], [content_b, whole_b]) = (of(a), of(b));
    let resemblance = |a: &HashSet<[u64; 2]>, b: &HashSet<[u64; 2]>| {
        let common = a.intersection(b).count();
        common as f64 / (a.len() + b.len() - common).max(1) as f64
    };
    (resemblance(&content_a, &content_b), resemblance(&whole_a, &whole_b))
}

/// Returns the places of a page where a sentence may be inserted: the ends of lines and of paragraphs.
fn places(html: &str) -> Vec<usize> {
    let body = html.find("<body").unwrap_or(0);
    let ends = |end: &'static str| html[body..].match_indices(end).map(move |(at, _)| body + at);
    ends("\n").chain(ends("</p>")).chain(ends("</li>")).chain(ends("</td>")).chain(ends("</div>")).collect()
}

/// Returns the edited versions of a page whose contents differ too much, with how much.
fn leaps(html: &str, random: &mut Random, edits: usize) -> Vec<(f64, f64, usize)> {
    let places = places(html);
    let sentence = "Injects the qualifier of a point into the bean that was configured before it.";
    let mut leaps = Vec::new();
    let len = page_content(&Page::html(html)).hashes().len() as f64;
    let added = len / (len + sentence.split(' ').count() as f64 + 2.0);
    if page_content(&Page::html(html)).whole_hashes().len() < 100 || places.is_empty() {
        return leaps;
    }
    for _ in 0..edits {
        let at = *random.pick(&places);
        let (open, close) = *random.pick(&[("<p>", "</p>"), (" ", " "), ("<div>", "</div>")]);
        let edited = format!("{}{open}{sentence}{close}{}", &html[..at], &html[at..]);
        let (content, whole) = resemblances(html, &edited);
        if content < SHARE * whole.min(added) {
            leaps.push((content, whole, at));
        }
    }
    leaps
}

#[test]
fn a_sentence_changes_the_content_as_much_as_the_page() {
    let mut maker = Maker(Random::seeded("a_sentence_changes_the_content_as_much_as_the_page"));
    let mut all = Vec::new();
    for number in 0..300 {
        let html = maker.page();
        let found = leaps(&html, &mut maker.0, 4);
        all.extend(found.into_iter().map(|leap| (number, leap)));
    }
    // A block is content or not as a whole, so a few edits change more.
    assert!(all.len() < 90, "{} leaps of 1,200 edits: {all:.3?}", all.len());
}

/// Of real pages: `NDDB_TEST_PAGES` names a folder of HTML files.
#[test]
fn a_sentence_changes_the_content_of_real_pages_little() {
    let Some(folder) = std::env::var_os("NDDB_TEST_PAGES") else {
        say("skipped: NDDB_TEST_PAGES names no folder of HTML files");
        return;
    };
    let mut random = Random::fixed(7);
    let (mut pages, mut all) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("a folder of HTML files") {
        let body = std::fs::read(entry.expect("an entry").path()).expect("a file");
        let html = String::from_utf8_lossy(&body);
        let found = leaps(&html, &mut random, 4);
        pages += 1;
        all.extend(found);
    }
    say(&format!("{} of {} edits of {pages} pages change the content by a leap: {all:.2?}", all.len(), 4 * pages));
    assert!(pages > 0 && all.len() * 50 <= 4 * pages, "{} of {}", all.len(), 4 * pages);
}
