use proptest::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::*;
use crate::sketch::{Derivation, LeadingWords, plain};
use crate::text::page_content;

fn web() -> Recipe {
    Recipe::named("web").unwrap_or_default()
}

#[test]
fn every_name_is_a_recipe_and_every_label_leads_back() {
    let names: Vec<String> = Recipe::all().iter().map(Recipe::name).collect();
    for (recipe, name) in Recipe::all().into_iter().zip(&names) {
        assert_eq!(Recipe::named(name), Some(recipe));
        assert_eq!(Recipe::from_label(&recipe.label()), Ok(recipe));
    }
    let different: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!((different.len(), names.len()), (31, 31), "{names:?}");
    assert_eq!(
        Recipe::BASES.map(|name| Recipe::named(name).map(|recipe| recipe.name())),
        Recipe::BASES.map(|name| Some(name.into()))
    );
    assert_eq!(Recipe::named(Recipe::BASES[0]), Some(Recipe::default()));
    assert_eq!(Recipe::default().label(), "main/1");
    assert_eq!(web().label(), "web/1");
    assert_eq!(web().to_string(), "web/1");
    assert_eq!(Recipe::named("none"), None);
}

/// The index distinguishes recipes only by their labels (SPEC 9.1).
#[test]
fn a_label_says_which_keys_a_database_keeps() {
    for recipe in Recipe::all().into_iter().filter(Recipe::has_min_hash) {
        assert_eq!(KeyKinds::of_label(&recipe.label()), recipe.keys(), "{recipe}");
    }
}

/// Databases exist with these labels, so their meaning must not change.
#[test]
fn labels_of_databases_keep_their_meaning() {
    for (label, site, pieces, terms) in [
        ("main/1", SiteRule::Registrable, false, None),
        ("main-c/1", SiteRule::Registrable, true, None),
        ("main-offline/1", SiteRule::Registrable, false, None),
        ("web/1", SiteRule::Henzinger, false, Some(1)),
        ("web-psl/1", SiteRule::Registrable, false, Some(1)),
        ("web-2grams/1", SiteRule::Henzinger, false, Some(2)),
        ("web-3grams/1", SiteRule::Henzinger, false, Some(3)),
        ("web-c/1", SiteRule::Henzinger, true, Some(1)),
        ("1e0ng/1", SiteRule::Henzinger, false, None),
        ("seomoz/1", SiteRule::Henzinger, false, None),
        ("text-dedup/1", SiteRule::Henzinger, false, None),
        ("wayback64/1", SiteRule::Henzinger, false, None),
        ("trafilatura/1", SiteRule::Henzinger, false, None),
    ] {
        let recipe = Recipe::from_label(label).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (recipe.label(), recipe.site_rule(), recipe.keys().pieces, recipe.terms()),
            (label.into(), site, pieces, terms)
        );
    }
}

#[test]
fn a_base_takes_the_flags_that_mean_something_to_it() {
    let web = Recipe::named("web").expect("a base");
    let flagged = web.with_phrases(3).and_then(|recipe| recipe.with_registrable_sites().with_pieces());
    assert_eq!(flagged.map(|recipe| recipe.label()), Some("web-3grams-psl-c/1".into()));
    assert_eq!(web.with_phrases(1).or(web.with_phrases(4)), None);
    assert_eq!(Recipe::default().with_phrases(2), None);
    assert_eq!(Recipe::default().with_registrable_sites(), Recipe::default(), "its sites are so already");
    assert_eq!(Recipe::named("seomoz").and_then(Recipe::with_pieces), None);
    assert_eq!(web.offline().or(Recipe::default().with_pieces().and_then(Recipe::offline)), None);
    for name in [
        "main-2grams",
        "1e0ng-c",
        "web-c-psl",
        "web-psl-psl",
        "web-4grams",
        "web-1grams",
        "main-",
        "mainc",
        "-c",
        "web-offline",
    ] {
        assert_eq!(Recipe::named(name), None, "{name}");
    }
    assert_eq!(Recipe::named("main-psl"), None, "a recipe has one label");
    assert!(Recipe::from_label("main-c-psl/1").is_err() && Recipe::from_label("main-psl/1").is_err());
    assert_eq!(Recipe::labels_of(|recipe: &Recipe| recipe.keys().pieces), ["main-c/1", "web-c/1"]);
    assert_eq!(Recipe::labels_of(Recipe::has_profile), ["main/1"]);
}

#[test]
fn a_label_of_another_version_is_refused_with_a_reason() {
    let newer = Recipe::from_label("web/2").map_err(|error| error.to_string());
    assert_eq!(newer, Err("recipe web has version 2, newer than this program's 1".into()));
    let older = Recipe::from_label("web/0").map_err(|error| error.to_string());
    assert_eq!(older, Err("recipe web has version 0, older than this program's 1".into()));
    assert_eq!(Recipe::of_any_version("web/9"), Some(web()));
    for name in ["main", "main-c", "main-offline"] {
        let recipe = Recipe::named(name);
        for version in [0, 1, 2, 9] {
            let label = format!("{name}/{version}");
            assert_eq!(Recipe::of_any_version(&label), recipe);
            assert_eq!(Recipe::from_label(&label).ok(), recipe.filter(|_| version == 1), "{label}");
        }
    }
    assert_eq!(Recipe::of_any_version("wob/1").or(Recipe::of_any_version("web")), None);
    let unknown = Recipe::from_label("wob/1").map_err(|error| error.to_string());
    assert!(unknown.is_err_and(|reason| reason.contains("main, web, 1e0ng")));
    for label in ["", "web", "web/", "web/x", "web/-1", "/1", "given", "given/", "given/a b"] {
        assert!(Recipe::from_label(label).is_err_and(|error| !error.takes_fingerprints()), "{label:?}");
    }
    let given = Recipe::from_label("given/photo-2.1").expect_err("no recipe");
    assert!(given.takes_fingerprints() && given.to_string().contains("made by photo-2.1, and nddb cannot"), "{given}");
    assert_eq!(Recipe::label_of_given(&"x".repeat(65)), None);
}

#[test]
fn only_our_own_recipes_have_min_values_and_projection() {
    for recipe in Recipe::all() {
        let name = recipe.name();
        let sketch = recipe.sketch(&Page::text("one two"));
        assert_eq!(recipe.has_min_hash(), name.starts_with("web") || name.starts_with("main"));
        assert_eq!(recipe.has_profile(), name.starts_with("main"));
        assert_eq!(sketch.profile.is_some(), recipe.has_profile());
        assert_eq!(sketch.min_hash.is_some(), recipe.has_min_hash());
        assert_eq!(sketch.projection.is_some(), recipe.has_projection());
        assert_eq!(sketch.tokens, 2);
    }
}

#[test]
fn the_numbers_of_recipes_with_pieces_are_those_of_the_same_without() {
    let page = Page { url: Some("http://news.bbc.co.uk/x"), ..Page::html("<p>The Rhine rises in the Alps <b>and") };
    let kept: Vec<Recipe> = Recipe::all().into_iter().filter(|recipe| recipe.keys().pieces).collect();
    assert_eq!(kept.len(), 9, "main without parts and with few or many; web with and without phrases by both rules");
    for recipe in kept {
        let name = recipe.name();
        assert!(recipe.has_projection(), "{name}");
        let same = Recipe::named(&name.replacen("-c", "", 1)).expect("the same without pieces");
        assert_eq!(recipe.sketch(&page), same.sketch(&page));
    }
}

#[test]
fn offline_leaves_out_the_projection_and_changes_nothing_else() {
    let page = Page::html("<p>The Rhine rises in the Alps, and flows into the North Sea.");
    let (main, offline) = (Recipe::default(), Recipe::named("main-offline").expect("a recipe"));
    let sketch = main.sketch(&page);
    assert!(sketch.projection.is_some());
    assert_eq!(offline.sketch(&page), Sketch { projection: None, ..sketch });
}

#[test]
fn the_site_follows_the_rule() {
    let page = Page { url: Some("http://news.bbc.co.uk:80/x"), ..Page::text("") };
    assert_eq!(web().sketch(&page).site, "bbc.co.uk");
    let page = Page { url: Some("http://bbc.co.uk/x"), ..page };
    assert_eq!(web().sketch(&page).site, "co.uk");
    let other = Recipe::named("web-psl").unwrap_or_default();
    assert_eq!(other.site_rule(), SiteRule::Registrable);
    assert_eq!(other.sketch(&page).site, "bbc.co.uk");
    assert_eq!(web().sketch(&Page::text("")).site, "");
    assert_eq!(Recipe::default().sketch(&page).site, "bbc.co.uk");
}

#[test]
fn a_page_without_terms_has_fingerprint_zero() {
    let sketch = web().sketch(&Page::html("<p>---</p>"));
    assert_eq!((sketch.fingerprint, sketch.tokens), (0, 0));
    assert_eq!((sketch.min_hash, sketch.projection), (None, None));
    assert_eq!(sketch.digest, xxh3_128(b"").to_be_bytes());
}

#[test]
fn case_changes_the_digest_and_not_the_fingerprint() {
    let lower = web().sketch(&Page::text("straße άλφας и 中文 thing"));
    let upper = web().sketch(&Page::text("Straße ΆΛΦΑΣ И 中文 THING"));
    assert_eq!(lower.fingerprint, upper.fingerprint);
    assert_ne!(lower.digest, upper.digest);
    assert_ne!(lower.projection, upper.projection);
}

#[test]
fn an_explanation_adds_up() {
    let page = Page::text("the The cat the dog CAT");
    for recipe in Recipe::all() {
        let name = recipe.name();
        let explanation = recipe.explain(&page);
        assert_eq!(explanation.fingerprint, recipe.sketch(&page).fingerprint, "{name}");
        assert_eq!(explanation.tokens, 6);
        let Derivation::Sums(sums) = explanation.derivation else {
            assert!(name.starts_with("main"), "{name}");
            continue;
        };
        for (position, sum) in sums.into_iter().enumerate() {
            let bit = explanation.fingerprint >> position & 1 == 1;
            assert_eq!(bit, sum > 0 || sum == 0 && name.starts_with("trafilatura"), "{name}");
        }
    }
    let explanation = web().explain(&page);
    let features: Vec<_> = explanation.features.iter().map(|one| (&one.text[..], one.weight)).collect();
    assert_eq!(features, [("the", 3), ("cat", 2), ("dog", 1)]);
    assert_eq!(explanation.features[2].hash, xxh3_64(b"dog"));
    assert_eq!(explanation.distinct, 3);
    let Derivation::Sums(sums) = explanation.derivation else { panic!("{explanation:?}") };
    assert!(sums.iter().all(|sum| sum.abs() <= 6 && sum % 2 == 0));
}

#[test]
fn an_explanation_of_main_names_the_words_that_decide() {
    let page = Page::text("The cat, the dog and CAT number 7");
    let recipe = Recipe::default();
    let explanation = recipe.explain(&page);
    let Derivation::Least(deciders) = &explanation.derivation else { panic!("{explanation:?}") };
    assert_eq!((deciders.len(), explanation.tokens, explanation.distinct), (64, 8, 5));
    assert_eq!(explanation.features.iter().map(|feature| feature.weight).sum::<u64>(), 64);
    for feature in &explanation.features {
        assert_eq!(deciders.iter().filter(|&text| *text == feature.text).count() as u64, feature.weight);
    }
    // If a word is removed, only the bits that it decided can change.
    let without = recipe.sketch(&Page::text("The cat, the dog CAT number 7")).fingerprint;
    let turned = without ^ explanation.fingerprint;
    assert_ne!(turned, 0);
    assert!((0..64).all(|bit| turned >> bit & 1 == 0 || deciders[bit] == "and"));
    let few = recipe.explain(&Page::text("Yes no yes yes no no no yes no"));
    assert_eq!(few.distinct, 2);
    assert!(few.features.iter().any(|feature| feature.text == "yes no yes yes no no no yes"), "{few:?}");
    let nothing = recipe.explain(&Page::text(" "));
    assert_eq!((nothing.derivation, nothing.features), (Derivation::Least(Vec::new()), Vec::new()));
}

/// Texts that a reader can distinguish are not identical, whatever their terms.
#[test]
fn the_digest_of_main_is_of_the_text_as_it_stands() {
    let digest = |text: &str| Recipe::default().sketch(&Page::text(text)).digest;
    let text = "Whoever adds one to two finds that one + two = three.";
    for other in
        ["Whoever adds one to two finds that one - two = three.", &text.to_lowercase(), &text[..text.len() - 1]]
    {
        assert_eq!(
            tokens(&Page::text(&other.to_lowercase())).hashes(),
            tokens(&Page::text(&text.to_lowercase())).hashes()
        );
        assert_ne!(digest(other), digest(text), "{other}");
    }
    let spaced: Vec<&str> = text.split(' ').collect();
    assert_eq!(digest(&format!("\n{}\r\n", spaced.join("\u{a0} \n"))), digest(text));
    let html = Recipe::default().sketch(&Page::html(&format!("<p>{}</p>", spaced.join("</i> <b>"))));
    assert_eq!(html.digest, digest(text));
    let long = spaced.join(" ").repeat(3000);
    let expected = long.split(' ').map(|word| format!("{word} ")).collect::<String>();
    assert_eq!(digest(&long), xxh3_128(expected.as_bytes()).to_be_bytes());
}

#[test]
fn main_is_of_the_content_and_its_digest_of_the_whole_page() {
    let recipe = Recipe::named("main").unwrap_or_default();
    let page = |title: &str, navigation: &str, year: u32| {
        let text = format!(
            "In {year} the quick brown fox jumped over the lazy dog that slept in the sun, then {year} more foxes jumped \
             over {} dogs in all.",
            year + 7
        );
        format!("<title>{title}</title><nav><a href=x>{navigation}</a></nav><h1>The Fox</h1><p>{text}</p>")
    };
    let (one, two) = (page("A", "Home", 1998), page("B", "Start here", 23));
    let (one, two) = (recipe.sketch(&Page::html(&one)), recipe.sketch(&Page::html(&two)));
    assert_eq!((one.fingerprint, &one.min_hash, one.projection), (two.fingerprint, &two.min_hash, two.projection));
    assert_ne!(one.digest, two.digest);
    assert_eq!((one.tokens + 1, one.tokens), (two.tokens, 30));
    let other = page("A", "Home", 1998);
    let web = web().sketch(&Page::html(&other));
    assert_eq!(web.tokens, one.tokens);
    assert_ne!((web.fingerprint, web.min_hash), (one.fingerprint, one.min_hash));
}

proptest! {
    #[test]
    fn a_sketch_is_what_the_definitions_say(text in "([a-cA-Cä-üÄ-ÜΣσ中文ก-ฮ.]{1,4} ?){0,40}") {
        let page = Page::text(&text);
        let sketch = web().sketch(&page);
        let tokens = tokens(&page);
        let lower = tokens.terms().map(|term| xxh3_64(term.to_lowercase().as_bytes()));
        prop_assert_eq!(sketch.fingerprint, plain::fingerprint(lower));
        prop_assert_eq!(sketch.min_hash, plain::min_hash(tokens.hashes()));
        let projection = plain::projection(tokens.hashes());
        prop_assert_eq!(sketch.projection.unwrap_or_default(), projection);
        prop_assert_eq!(web().explain(&page).fingerprint, sketch.fingerprint);
    }
}

proptest! {
    #[test]
    fn a_profile_is_what_the_definitions_say(text in "([a-cA-C0-9ä-ü中文.]{1,9}[ \n]?){0,60}") {
        let page = Page::text(&text);
        let sketch = Recipe::default().sketch(&page);
        let content = page_content(&page);
        let hashes: Vec<u64> = content.terms().map(|term| xxh3_64(term.as_bytes())).collect();
        prop_assert_eq!(sketch.fingerprint, plain::min_bits(&hashes));
        prop_assert_eq!(sketch.min_hash, plain::min_hash(&hashes));
        prop_assert_eq!(sketch.projection, (!hashes.is_empty()).then(|| plain::projection(&hashes)));
        let words: String = text.split_whitespace().map(|word| format!("{word} ")).collect();
        let digest = xxh3_128(words.as_bytes()).to_be_bytes();
        prop_assert_eq!((sketch.tokens, sketch.digest), (content.tokens().len() as u64, digest));
        prop_assert_eq!(sketch.profile.is_some(), !hashes.is_empty());
        let Some(profile) = sketch.profile else { return Ok(()) };
        let (values, class) = min_hash::plain_separating(&hashes, 2, 4).expect("terms");
        prop_assert_eq!((profile.short, profile.classes[0]), (values.map(|value| value as u8), class));
        prop_assert_eq!(profile.terms as usize, hashes.len());
        let numbers: std::collections::BTreeSet<&str> = content.numbers().collect();
        prop_assert_eq!(usize::from(profile.numbers.total), numbers.len());
        let mut least: Vec<u16> = numbers.iter().map(|number| xxh3_64(number.as_bytes()) as u16).collect();
        least.sort_unstable();
        prop_assert_eq!(profile.numbers.kept(), &least[..least.len().min(7)]);
        let indexes: Vec<u32> = (0..content.tokens().len() as u32).collect();
        let all = content.lower(&indexes).map(|term| xxh3_64(term.as_bytes()).to_le_bytes());
        let all: Vec<[u8; 8]> = all.collect();
        prop_assert_eq!(profile.content, xxh3_64(all.as_flattened()));
    }
}

#[test]
fn words_of_titles_and_headings_are_compared_as_people_compare_them() {
    let profile = |title: &str, heading: &str| {
        let text = "The fox and the dog live in the forest, as Ohm says. ".repeat(4);
        let page = format!("<title>{title}</title><body><h1>{heading}</h1><p>{text}</p>");
        Recipe::default().sketch(&Page::html(&page)).profile.expect("a profile")
    };
    let one = profile("Foxes &amp; Dogs - Example", "The fox");
    let two = profile("fox / dog | example", "the Fox");
    assert_eq!(one.headings, two.headings);
    let words = |words: &LeadingWords| words.plain().collect::<Vec<_>>();
    assert_eq!(words(&two.title).len(), 3);
    // "Dogs" and "dog" are equal; "foxes" and "fox" are not, for they differ by more than one letter.
    assert_eq!(words(&one.title)[1..], words(&two.title)[1..]);
    // The name of the site is not in the content.
    assert_eq!(two.title.own().collect::<Vec<_>>(), words(&two.title)[..2]);
    let numbered = profile("Release 2.1 of the v3", "x");
    assert_eq!((words(&numbered.title).len(), numbered.title.kept().len()), (3, 6));
}

#[test]
fn the_kind_of_fingerprints_follows_from_the_label() {
    for (label, name) in [
        ("main/1", "minhash-1bit"),
        ("main-c/7", "minhash-1bit"),
        ("web/1", "simhash"),
        ("web-3grams-psl/1", "simhash"),
        ("1e0ng/1", "simhash"),
        ("imagehash/1", "given"),
        ("given/imagehash", "given"),
        ("", "given"),
    ] {
        assert_eq!(Recipe::kind_of_label(label).to_string(), name, "{label}");
    }
}
