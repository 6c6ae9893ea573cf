//! How much of a removed text may be lost: the one place that says it.

use std::fmt;

use super::comparison::{Comparison, Kinds, Loss, PartLoss};
use super::estimate::Estimate;
use super::words::{DistinctWords, Words};

/// Number of words below which a text is removed only if its words are equal. A content below it does not stand for its
/// text.
const SHORT: usize = 30;

/// Greatest number of words that may be lost in one passage.
const PASSAGE: usize = 30;

/// The same under another title, besides the lost words of the title: pages of one template have much in common, and a
/// headline may be changed.
const RETITLED: usize = 10;

nddb_format::named! {
    /// How much of a near-duplicate may be lost when it is removed. Each level removes what the level before it
    /// removes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// Nothing: the words are equal but for case, spaces and typography.
        Same = "same",
        /// Little, and nothing that changes the sense; nothing more may be in the kept text, either.
        Strict = "strict",
        /// A tenth of the words.
        #[default]
        Standard = "standard",
    }
    unknown UnknownLevel: "level", "levels"
}

/// A kind of words that may not be lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GuardedKind {
    Number,
    Negation,
    Sign,
    Name,
    Subject,
}

/// The rule of a level that allows words to be lost.
struct Rule {
    /// Greatest share of the words that may be lost.
    share: f64,
    /// Whether the words that the kept text has besides count like lost ones. If not, the share is that of the content
    /// or that of the whole text, whichever is smaller.
    both_ways: bool,
    /// Kinds of words that may neither be lost nor added.
    never: &'static [GuardedKind],
    /// The same for plain text; of a page and a plain text, what the removed one has may not be lost.
    never_in_text: &'static [GuardedKind],
}

impl Level {
    fn rule(self) -> Option<Rule> {
        use GuardedKind::{Name, Negation, Number, Sign, Subject};
        match self {
            Level::Same => None,
            Level::Strict => Some(Rule {
                share: 0.05,
                both_ways: true,
                never: &[Number, Negation, Sign, Name, Subject],
                never_in_text: &[],
            }),
            Level::Standard => {
                Some(Rule { share: 0.1, both_ways: false, never: &[Subject], never_in_text: &[Number, Negation] })
            }
        }
    }

    /// Returns whether a near-duplicate may be removed, given the comparison of its text with the one that is kept.
    ///
    /// # Errors
    /// The reason why not.
    pub fn allows(self, compared: &Comparison) -> Result<(), Reason> {
        let Comparison { lost, added, is_equal, is_text, are_texts } = compared;
        if *is_equal {
            return Ok(());
        }
        let Some(Rule { share, both_ways, never, never_in_text }) = self.rule() else { return Err(Reason::Differs) };
        if lost.whole.words < SHORT {
            return Err(Reason::Short);
        }
        let kinds = if *is_text { [never, never_in_text] } else { [never, &[]] };
        for kind in kinds.into_iter().flatten() {
            let [lost, added] = [lost, added].map(|loss| kind.of(&loss.kinds));
            let differs = match kind {
                // A title that says more than another one is no other title, in a plain text.
                GuardedKind::Subject if *is_text => lost > 0 && added > 0,
                // Two pages are about the same thing or not, whichever is removed.
                GuardedKind::Subject => lost + added > 0,
                _ if both_ways || *are_texts => lost + added > 0,
                // What a page has around the text of a plain one is no change of it.
                _ => lost > 0,
            };
            if differs {
                return Err(kind.reason());
            }
        }
        let is_retitled = lost.kinds.titles > 0 && added.kinds.titles > 0;
        within(lost, share, both_ways, is_retitled)?;
        if both_ways { within(added, share, true, is_retitled) } else { Ok(()) }
    }

    /// Compares a near-duplicate with the text that is kept; `None` if it is surely not removed, by a lower bound of what
    /// is lost that takes less time than the comparison.
    pub fn compare(self, removed: &Words, kept: &Words) -> Option<Comparison> {
        Comparison::unless(removed, kept, |least| self.forbids(least))
    }

    /// Returns whether the level surely removes no text that loses at least so much.
    fn forbids(self, least: &Loss) -> bool {
        self.rule().is_none_or(|rule| within(least, rule.share, rule.both_ways, false).is_err())
    }

    /// Returns `false` if surely no level removes a text for passages of another one ([`Level::removes_within`]), whose
    /// words are given: the words that the other one has nowhere are lost.
    pub fn may_remove_within(removed: &Words, kept: &DistinctWords) -> bool {
        let least = Loss::least_without(removed, |hash| kept.has(hash));
        Self::ALL.into_iter().any(|level| !level.forbids(&least)) || least.whole.lost == 0
    }

    /// Returns the least level that removes a near-duplicate, given its comparison with the text that is kept;
    /// `None` if no level does.
    pub fn least(compared: &Comparison) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.allows(compared).is_ok())
    }

    /// Like [`Level::least`], for a near-duplicate whose text cannot be read ([`Level::allows_estimate`]).
    pub fn least_by_estimate(is_identical: bool, estimate: Option<Estimate>) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.allows_estimate(is_identical, estimate).is_ok())
    }

    /// Returns whether a near-duplicate may be removed whose text cannot be read. Only the digests of the texts and an
    /// estimate of the loss are known; `None` if the documents have no profile.
    ///
    /// # Errors
    /// The reason why not.
    pub fn allows_estimate(self, is_identical: bool, estimate: Option<Estimate>) -> Result<(), Reason> {
        match (self.rule().filter(|rule| !rule.both_ways), estimate) {
            _ if is_identical => Ok(()),
            (None, _) => Err(Reason::Differs),
            (Some(_), None) => Ok(()),
            (Some(_), Some(estimate)) if estimate.words < SHORT as u32 => Err(Reason::Short),
            (Some(rule), Some(estimate)) if estimate.most > rule.share => Err(Reason::Share),
            (Some(_), Some(_)) => Ok(()),
        }
    }

    /// Returns what every level asks of a text that stands within another one, as a sentence of help texts: it is
    /// compared with these passages of that one alone ([`Words::passages`]).
    pub fn removes_within(passage: u32) -> String {
        format!(
            "A text stands within a longer one if the level standard would remove it for the passages of {passage} \
             words or more that both have, with a few words changed (of a shorter text, for the whole of it). All else \
             in the longer text does not count as added; all else in the shorter one is lost."
        )
    }

    /// Returns what the level removes, as a clause of help texts and reports.
    pub fn removes(self) -> String {
        let Some(Rule { share, both_ways, never, never_in_text }) = self.rule() else {
            return "its words are those of the kept text, but for case, spaces and typography".into();
        };
        let names = |kinds: &[GuardedKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        let mut rule = format!("at most {:.0}% of its words", 100.0 * share);
        rule += if both_ways { ", and of those of the kept text," } else { " (of its content or its whole text)" };
        rule +=
            &format!(" are missing from the other text, and at most {PASSAGE} of them in one passage ({RETITLED} and");
        rule += " those of the title if that is another one)";
        if both_ways {
            rule = rule.replace("missing from the other text", "not in the other text");
        } else {
            rule = rule.replace("the other text", "the kept text");
        }
        if !never.is_empty() {
            rule += &format!("; none of them is a {}", names(never));
        }
        if !never_in_text.is_empty() {
            rule += &format!("; in plain text no {} differs", names(never_in_text).replace(", ", " or "));
        }
        rule + &format!("; a text below {SHORT} words only if its words are the same")
    }
}

/// Allows a loss that is within the share for the whole text or for the content, or for the whole text alone.
fn within(loss: &Loss, share: f64, whole_alone: bool, is_retitled: bool) -> Result<(), Reason> {
    let content = loss.content().filter(|content| !whole_alone && content.share() <= share);
    if content.is_none() && loss.whole.share() > share {
        return Err(Reason::Share);
    }
    match content.map_or(loss.whole.passage.max(loss.passage()), |content| content.passage) {
        passage if passage > PASSAGE => Err(Reason::Passage),
        passage if is_retitled && passage > RETITLED + loss.kinds.titles => Err(Reason::Subject),
        _ => Ok(()),
    }
}

impl Loss {
    /// Returns the share of lost words: of the content or of the whole text, whichever is smaller.
    pub fn share(&self) -> f64 {
        self.part().share()
    }

    /// Returns the content or the whole text, whichever loses the smaller share. A content of few words does not stand
    /// for its text.
    pub fn part(&self) -> &PartLoss {
        self.content().filter(|content| content.share() < self.whole.share()).unwrap_or(&self.whole)
    }

    /// Returns the number of lost words in the passage that loses most, of the content if that stands for the text.
    pub fn passage(&self) -> usize {
        self.content().unwrap_or(&self.whole).passage
    }

    fn content(&self) -> Option<&PartLoss> {
        Some(&self.content).filter(|content| content.words >= SHORT)
    }
}

impl GuardedKind {
    fn of(self, kinds: &Kinds) -> usize {
        match self {
            GuardedKind::Number => kinds.numbers,
            GuardedKind::Negation => kinds.negations,
            GuardedKind::Sign => kinds.signs,
            GuardedKind::Name => kinds.names,
            GuardedKind::Subject => kinds.subjects,
        }
    }

    fn name(self) -> &'static str {
        match self {
            GuardedKind::Number => "number",
            GuardedKind::Negation => "negation",
            GuardedKind::Sign => "sign",
            GuardedKind::Name => "name",
            GuardedKind::Subject => "word that title and content repeat",
        }
    }

    fn reason(self) -> Reason {
        match self {
            GuardedKind::Number => Reason::Number,
            GuardedKind::Negation => Reason::Negation,
            GuardedKind::Sign => Reason::Sign,
            GuardedKind::Name => Reason::Name,
            GuardedKind::Subject => Reason::Subject,
        }
    }
}

/// Why a near-duplicate is not removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Its words differ, and the level removes equal words only.
    Differs,
    /// Its words differ, and it is too short for any of them to be lost.
    Short,
    /// Too many of its words would be lost.
    Share,
    /// Too many words of one passage would be lost.
    Passage,
    /// A number differs.
    Number,
    /// A negation differs.
    Negation,
    /// A sign differs.
    Sign,
    /// A name differs.
    Name,
    /// It is about something else: a word that its title and content repeat would be lost.
    Subject,
}

impl Reason {
    /// Returns the reason as a name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Differs => "words differ",
            Reason::Short => "short and differs",
            Reason::Share => "loses too much",
            Reason::Passage => "loses a passage",
            Reason::Number => "number differs",
            Reason::Negation => "negation differs",
            Reason::Sign => "sign differs",
            Reason::Name => "name differs",
            Reason::Subject => "subject differs",
        }
    }
}

/// A clause about the document that stays.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Differs => "its words are others",
            Reason::Short => "it is short, and its words are others",
            Reason::Share => "too many of its words would be lost",
            Reason::Passage => "too many words of one passage would be lost",
            Reason::Number => "a number is another one",
            Reason::Negation => "a negation is in only one of the two",
            Reason::Sign => "a sign is another one",
            Reason::Name => "a name is another one",
            Reason::Subject => "it is about something else, by its title",
        })
    }
}

#[cfg(test)]
mod tests {
    use nddb_page::text::{Page, compared_text};
    use nddb_test_support::{Random, say};

    use super::*;

    fn compared(removed: &Page<'_>, kept: &Page<'_>) -> Comparison {
        let [removed, kept] = [removed, kept].map(|page| Words::of(&compared_text(page)));
        Comparison::of(&removed, &kept)
    }

    /// Pages of an application have one frame, and may differ in their titles and descriptions alone.
    #[test]
    fn of_brief_pages_the_title_and_the_description_count() {
        let frame = "You need a current browser to run this, and if you keep seeing this message, please reload the \
                     page or write to our help desk, which answers on all days of the week but the last two.";
        let page = |head: &str| format!("<html><head>{head}</head><body><p>{frame}</p></body></html>");
        let [fox, whale] = ["The red fox jumps over dogs", "Blue whales swim below our ships"];
        let describe = |text: &str| page(&format!("<title>App</title><meta property=og:title content='{text}'>"));
        let title = |text: &str| page(&format!("<title>{text}</title>"));
        for [one, other] in [[describe(fox), describe(whale)], [title(fox), title(whale)]] {
            let compared = compared(&Page::html(&one), &Page::html(&other));
            assert_eq!(Level::Standard.allows(&compared), Err(Reason::Share), "{one}");
        }
    }

    fn texts(removed: &str, kept: &str) -> [Option<Reason>; 3] {
        let compared = compared(&Page::text(removed), &Page::text(kept));
        Level::ALL.map(|level| level.allows(&compared).err())
    }

    fn words(range: std::ops::Range<usize>) -> String {
        const LETTERS: &[u8] = b"bcdfghklmnprstvwz";
        let letter = |at: usize| char::from(LETTERS[at % LETTERS.len()]);
        let word = |at: usize| format!("{}o{}a{}", letter(at), letter(at / 17), letter(at / 289));
        range.map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_levels_differ_in_what_may_be_lost() {
        use Reason::{Differs, Name, Negation, Number, Passage, Share, Short, Sign};
        let text = words(0..400) + " Peter";
        let with = |more: &str| format!("{text} {more}");
        for (removed, kept, expected) in [
            (with(""), text.to_uppercase(), [None, None, None]),
            (with("ending"), text.clone(), [Some(Differs), None, None]),
            (text.clone(), with("ending"), [Some(Differs), None, None]),
            (with("17"), with("71"), [Some(Differs), Some(Number), Some(Number)]),
            (with("is not so"), with("is so"), [Some(Differs), Some(Negation), Some(Negation)]),
            (with("is so"), with("is not so"), [Some(Differs), Some(Negation), Some(Negation)]),
            (with("and Paul"), with("and Anna"), [Some(Differs), Some(Name), None]),
            (with("a < b"), with("a <= b"), [Some(Differs), Some(Sign), None]),
            (with(&words(500..529)), text.clone(), [Some(Differs), Some(Share), None]),
            (with(&words(500..535)), text.clone(), [Some(Differs), Some(Share), Some(Passage)]),
            (text.clone(), with(&words(500..800)), [Some(Differs), Some(Share), None]),
            (with(&words(500..560)), text.clone(), [Some(Differs), Some(Share), Some(Share)]),
            (words(0..29), words(1..29), [Some(Differs), Some(Short), Some(Short)]),
            (words(0..29), words(0..29).to_uppercase() + ".", [None, None, None]),
        ] {
            assert_eq!(texts(&removed, &kept), expected, "{removed} / {kept}");
        }
    }

    /// In markup the smaller of the two shares counts, and numbers may differ.
    #[test]
    fn a_frame_may_be_lost() {
        let links = |from: usize| {
            let link = |at: usize| format!("<li><a href=/{at}>{}</a>", words(at..at + 1));
            (from..from + 30).map(link).collect::<String>()
        };
        let sentence =
            |at: usize| format!("The {}, which is here, and {}. ", words(at..at + 9), words(at + 9..at + 18));
        let article = (0..10).map(|at| sentence(20 * at)).collect::<String>();
        let page =
            |from: usize, day: u32| format!("<nav>{}</nav><article><p>{article}</p></article>On {day}.", links(from));
        let (a, b) = (page(1000, 1), page(2000, 2));
        let compared = compared(&Page::html(&a), &Page::html(&b));
        assert!(compared.lost.whole.share() > 0.1, "{compared:?}");
        assert_eq!(Level::ALL.map(|level| level.allows(&compared).is_ok()), [false, false, true]);
    }

    /// Two pages of one manual that differ in what they are about, and little else.
    #[test]
    fn a_page_about_something_else_stays() {
        let template = words(0..900);
        let page = |name: &str| {
            let lines = template.split(' ').collect::<Vec<_>>();
            let lines = lines.chunks(150).map(|words| format!("<p>{name} {}.", words.join(" ")));
            format!("<title>{name} - Manual</title><h1>{name}</h1>{}", lines.collect::<String>())
        };
        let of = |removed: &str, kept: &str| {
            let compared = compared(&Page::html(&page(removed)), &Page::html(&page(kept)));
            Level::ALL.map(|level| level.allows(&compared).err())
        };
        use Reason::{Differs, Name, Subject};
        assert_eq!(of("UseFirst", "UseLast"), [Some(Differs), Some(Name), Some(Subject)]);
        assert_eq!(of("use_first", "use_last"), [Some(Differs), Some(Subject), Some(Subject)]);
        // What the kept page is about besides, too.
        assert_eq!(of("use", "use_last"), [Some(Differs), Some(Subject), Some(Subject)]);
        assert_eq!(of("use_last", "USE last"), [None; 3]);
        let text = |title: &str| format!("{title}\n\nThis is the {title}. {}", words(0..120));
        let differs = [Some(Differs), Some(Subject), Some(Subject)];
        assert_eq!(texts(&text("copyto"), &text("movefrom")), differs);
        assert_eq!(texts(&text("tool"), &text("tool copyto")), [Some(Differs), None, None]);
    }

    /// Two lists of chapters below the same menu: their titles differ, and a passage does. A headline alone may differ.
    #[test]
    fn under_another_title_no_passage_is_lost() {
        use Reason::{Differs, Name, Subject};
        let of = |removed: &str, kept: &str| {
            let compared = compared(&Page::html(removed), &Page::html(kept));
            Level::ALL.map(|level| level.allows(&compared).err())
        };
        let menu =
            (0..300).map(|at| format!("<li><a href=/{at}>{}</a>", words(2 * at..2 * at + 2))).collect::<String>();
        let page = |title: &str, list: &str| {
            format!("<title>Manual of Peter: {title}</title>{menu}<h1>{title}</h1><ul><li>{list}</ul>{menu}")
        };
        let [a, b] = ["first tools", "second steps"];
        assert_eq!(
            of(&page(a, &words(700..712)), &page(b, &words(720..732))),
            [Some(Differs), Some(Subject), Some(Subject)]
        );
        assert_eq!(of(&page(a, &words(700..712)), &page(a, &words(720..732))), [Some(Differs), None, None]);
        assert_eq!(of(&page(a, &words(700..704)), &page(b, &words(720..724))), [Some(Differs), None, None]);
        // What is added only is lost nowhere; strict counts both ways.
        assert_eq!(of(&page(a, ""), &page(b, &words(720..732))), [Some(Differs), Some(Subject), None]);
        let long = [words(800..814), words(820..834)];
        assert_eq!(of(&page(&long[0], ""), &page(&long[1], "")), [Some(Differs), None, None]);
        assert_eq!(of(&page("Paul", ""), &page("Anna", "")), [Some(Differs), Some(Name), None]);
    }

    /// A passage of the content counts even if the page has other text within it.
    #[test]
    fn a_passage_of_the_content_is_not_lost_between_other_text() {
        let part = |from: usize| PartLoss { words: 1000, lost: 40, passage: from };
        let lost = Loss { whole: PartLoss { words: 3000, ..part(20) }, content: part(35), ..Loss::default() };
        let compared = |lost: &Loss| Comparison { lost: lost.clone(), ..Comparison::default() };
        assert_eq!(Level::Standard.allows(&compared(&lost)), Err(Reason::Passage));
        assert_eq!(Level::Strict.allows(&compared(&lost)), Err(Reason::Passage));
        assert_eq!((lost.passage(), lost.part()), (35, &lost.whole));
        // Where the content decides, a frame of its own is no passage.
        let framed =
            Loss { whole: PartLoss { words: 1100, lost: 90, passage: 50 }, content: part(20), ..Loss::default() };
        assert_eq!((Level::Standard.allows(&compared(&framed)), framed.passage()), (Ok(()), 20));
        let few = Loss { content: PartLoss { words: 29, lost: 0, passage: 0 }, ..framed };
        assert_eq!((Level::Standard.allows(&compared(&few)), few.passage()), (Err(Reason::Passage), 50));
    }

    /// A page and its text as another program extracts it: numbers around the article are no change of it.
    #[test]
    fn the_text_of_a_page_is_removed_for_the_page_and_no_text_with_other_numbers() {
        let article = words(0..300);
        let page =
            |more: &str| format!("<nav>1 of 20</nav><article><p>{article} {more}.</p></article><p>Page 7, 3 comments");
        for (text, levels) in [("costs 17", [false, false, true]), ("costs 71", [false, false, false])] {
            let compared = compared(&Page::text(&format!("{article} {text}.")), &Page::html(&page("costs 17")));
            assert_eq!(Level::ALL.map(|level| level.allows(&compared).is_ok()), levels, "{text}");
        }
    }

    #[test]
    fn what_a_level_removes_the_next_one_removes() {
        let seed = 11;
        let mut removed = [0; 3];
        let mut random = Random(seed);
        for _ in 0..3000 {
            let len = 20 + random.index(300);
            let mut text: Vec<String> = words(0..len).split(' ').map(str::to_owned).collect();
            // One name, so that capitals mark names.
            text[5] = "Peter".into();
            let kept = text.join(" ");
            for _ in 0..random.index(1 + len / 15) {
                let at = random.index(text.len());
                match random.below(6) {
                    0 => drop(text.remove(at)),
                    1 => text[at] = "not".into(),
                    2 => text[at] = "17".into(),
                    3 => text[at] = "Paul".into(),
                    4 => text[at] = text[at].to_uppercase(),
                    _ => text[at] = words(1000 + at..1001 + at),
                }
            }
            let (removed_page, text) = (random.percent(50), text.join(" "));
            let page = |text| if removed_page { Page::html(text) } else { Page::text(text) };
            let compared = compared(&page(&text), &page(&kept));
            let allowed = Level::ALL.map(|level| level.allows(&compared).is_ok());
            assert!(allowed.is_sorted(), "seed {seed}: {allowed:?}, {text} / {kept}");
            allowed.iter().zip(&mut removed).for_each(|(&is, count)| *count += u32::from(is));
        }
        say(&format!("removed of 3000: {removed:?}, seed {seed}"));
        assert!(removed[0] > 50 && removed[0] < removed[1] && removed[1] < removed[2], "{removed:?}, seed {seed}");
    }

    /// What surely is not removed is not removed, whatever texts these are. The words of the texts here repeat, so the
    /// bound knows few of those that lose too much, but some at each level.
    #[test]
    fn the_bound_forbids_nothing_that_is_allowed() {
        let (seed, mut random) = (5, Random(5));
        let (mut forbidden, mut known) = ([0; 3], [0; 3]);
        for _ in 0..600 {
            let kinds = 40 + random.index(600);
            let len = 300 + random.index(500);
            let word = |at: usize| words(at..at + 1);
            let text: Vec<String> = (0..len).map(|_| word(random.index(kinds))).collect();
            let mut other = text.clone();
            for _ in 0..random.index(len / 3) {
                let [at, to] = [0; 2].map(|_| random.index(len));
                match random.below(3) {
                    0 => other.swap(at, to),
                    1 => other[at] = word(random.index(kinds)),
                    _ => other[at] = word(1000 + at),
                }
            }
            let page = |words: &[String]| {
                let lines = words.chunks(40).enumerate().map(|(at, words)| match at % 3 {
                    0 => format!("<nav><a href=/{at}>{}</a></nav>", words.join(" ")),
                    _ => format!("<p>{}.</p>", words.join(" ")),
                });
                Words::of(&compared_text(&Page::html(&lines.collect::<String>())))
            };
            let [removed, kept] = [page(&text), page(&other)];
            for (at, level) in Level::ALL.into_iter().enumerate() {
                let (found, expected) = (level.compare(&removed, &kept), Comparison::of(&removed, &kept));
                let (is_known, is_forbidden) = (found.is_none(), level.allows(&expected).is_err());
                assert!(is_known || found == Some(expected), "seed {seed}: {level}");
                assert!(is_forbidden || !is_known, "seed {seed}: {level}, {text:?} / {other:?}");
                forbidden[at] += u32::from(is_forbidden);
                known[at] += u32::from(is_known);
            }
        }
        say(&format!("forbidden {forbidden:?}, known by the bound {known:?}, seed {seed}"));
        assert!(known.iter().all(|known| *known > 30), "{known:?} of {forbidden:?}");
    }

    #[test]
    fn without_texts_the_estimate_decides() {
        let estimate = |most, words| Some(Estimate { most, words });
        for (is_identical, estimate, expected) in [
            (true, estimate(0.5, 3), [true, true, true]),
            (false, estimate(0.08, 100), [false, false, true]),
            (false, estimate(0.08, 29), [false, false, false]),
            (false, estimate(0.12, 100), [false, false, false]),
            (false, None, [false, false, true]),
        ] {
            let allowed = Level::ALL.map(|level| level.allows_estimate(is_identical, estimate).is_ok());
            assert_eq!(allowed, expected, "{is_identical}, {estimate:?}");
        }
    }

    #[test]
    fn levels_are_named_and_described() {
        for level in Level::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert!("loose".parse::<Level>().is_err_and(|error| error.to_string().contains("same, strict, standard")));
        assert!(Level::Standard.removes().starts_with("at most 10% of its words"));
        assert!(Level::Strict.removes().contains("number, negation, sign, name"));
    }
}
