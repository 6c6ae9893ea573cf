use proptest::prelude::*;

use super::*;
use crate::text::{Page, main_content};

fn headings(html: &str) -> Headings {
    main_content(&Page::html(html)).headings()
}

/// The hash of some terms, as a title.
fn title(terms: &str) -> u64 {
    headings(&format!("<title>{terms}</title>")).title
}

#[test]
fn the_first_title_and_the_first_heading_of_the_content_count() {
    let page = "<title> </title><title>Shop</title><title>no</title><svg><title>no</title></svg>\
        <header><h1>Logo</h1></header><h2> -- </h2><h2>The <b>red</b> <a href=x>shoe</a></h2><h1>no</h1>";
    assert_eq!(headings(page), Headings { title: title("shop"), heading: title("the red shoe") });
    // Of several blocks in a heading, the first with a term.
    assert_eq!(headings("<h1><div>--</div><div>Shoe</div><div>no</div></h1>").heading, title("shoe"));
    assert_eq!(headings("<h1>Shoe<button>no</button></h1>").heading, title("shoe"));
    // A heading left open ends with its block.
    assert_eq!(headings("<div><h1>Shoe</div><p>no").heading, title("shoe"));
    assert_eq!(headings("<div><h1>Shoe<p>no</div>").heading, title("shoe"));
}

#[test]
fn a_heading_around_the_content_counts_if_there_is_no_other() {
    assert_eq!(headings("<header><h1>Shoe</h1></header><h3>no</h3><p>no").heading, title("shoe"));
    assert_eq!(headings("<nav><h2>Menu</h2></nav><header><h1>no</h1></header>").heading, title("menu"));
}

#[test]
fn a_heading_that_is_all_link_comes_second() {
    let page = "<h1><a href=/>The <b>Shop</b></a></h1><h2>Of <a href=x>Foo</a></h2>";
    assert_eq!(headings(page).heading, title("of foo"));
    assert_eq!(headings("<h1><a href=/>The Shop</a></h1><h2><a href=x>no</a></h2>").heading, title("the shop"));
    assert_eq!(headings("<h1><a name=x>Foo</a></h1>").heading, title("foo"), "an anchor is no link");
}

#[test]
fn pages_without_headings_and_plain_text_have_none() {
    for html in ["", "words <b>words</b>", "<h3>words</h3>", "<title></title><h1>--</h1>", "<h1><img src=a.png></h1>"] {
        assert_eq!(headings(html), Headings::default(), "{html}");
    }
    assert_eq!(main_content(&Page::text("<title>words</title>")).headings(), Headings::default());
}

#[test]
fn order_repetition_case_and_digits_make_no_difference() {
    assert_eq!(title("Terms of Use - Example 2.0"), title("EXAMPLE 17: terms of use, use"));
    assert_ne!(title("terms of use"), title("terms of sale"));
    assert_ne!(title("terms"), title("terms of"));
    assert_ne!(title("12"), 0, "a title of digits is one");
}

#[test]
fn either_may_agree() {
    let of = |title, heading| Headings { title, heading };
    for (a, b, expected) in [
        (of(1, 2), of(1, 3), Some(true)),
        (of(1, 2), of(3, 2), Some(true)),
        (of(1, 2), of(3, 4), Some(false)),
        (of(1, 2), of(2, 1), Some(false)),
        (of(1, 0), of(2, 3), Some(false)),
        (of(1, 0), of(0, 1), None),
        (of(0, 0), of(0, 0), None),
        (of(0, 0), of(1, 1), None),
    ] {
        assert_eq!(a.agree(&b), expected, "{a:?} {b:?}");
        assert_eq!(b.agree(&a), expected, "{b:?} {a:?}");
    }
}

proptest! {
    /// A title is the set of its terms, whatever stands around it.
    #[test]
    fn a_title_is_the_set_of_its_terms(
        terms in prop::collection::vec("[a-e]{1,2}", 1..6),
        other in prop::collection::vec("[a-e]{1,2}", 1..6),
        rest in "[a-z<> /]{0,60}",
    ) {
        let found = headings(&format!("<title>{}</title>{rest}", terms.join(" "))).title;
        let set = |terms: &[String]| terms.iter().cloned().collect::<BTreeSet<String>>();
        prop_assert_eq!(found == title(&other.join(" ")), set(&terms) == set(&other));
    }
}
