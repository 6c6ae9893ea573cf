//! From pages to text, terms, sentences, words and sketches: each stage alone, and all of them together.
//!
//! `cargo bench --bench sketch` measures generated pages, `-- --warc FILE` the pages of an archive; figures are medians
//! of `--rounds N` (5). They are megabytes of undecoded page bodies per second on one core.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use clap::Args;
use common::{Options, Random, figure, measure, median, say};
use nddb::archive::{self, EntryContent, Input, PageEntry};
use nddb::sketch::{Recipe, SignatureRules};
use nddb::text::PageKind;
use nddb_page::sketch::{
    Features, SHINGLE_WORDS, Sampling, min_bits, min_hash, projection, shingles, signatures, simhash as fingerprint,
    simhash_of,
};
use nddb_page::text::{
    CanonicalWords, Tokens, canonical_words, decode, folded_text, folded_text_with_map, sentences, tokens,
};

/// A page with the inputs of the later stages, so that each can be measured alone.
struct Prepared {
    tokens: Tokens,
    text: String,
    words: CanonicalWords,
}

#[derive(Args)]
struct More {
    /// Archive with the pages to measure [default: generated pages].
    #[arg(long)]
    warc: Option<PathBuf>,
}

fn main() {
    let (options, More { warc }) = Options::read::<More>(2_000, 0);
    let rounds = options.rounds(5);
    let pages = match &warc {
        Some(path) => read(path),
        None => generate(if options.test { 20 } else { options.len }, options.seed),
    };
    let size: usize = pages.iter().map(|page| page.body.len()).sum();
    let markup = pages.iter().filter(|page| page.kind == PageKind::Html).count();
    say(format_args!("{} pages, {markup} of markup, {:.1} MB", pages.len(), size as f64 / 1e6));
    if size == 0 {
        return;
    }
    let bench = |what: &str, goal: &str, mut work: Box<dyn FnMut(usize) + '_>| {
        let speeds: Vec<f64> = (0..rounds)
            .map(|_| {
                let ((), spent) = measure(|| (0..pages.len()).for_each(&mut work));
                size as f64 / 1e6 / spent.cpu.as_secs_f64()
            })
            .collect();
        figure(what, format_args!("{:.0}", median(&speeds)), goal);
    };
    let view = |i: usize| pages[i].page();
    let prepared: Vec<Prepared> = (0..pages.len())
        .map(|i| Prepared { tokens: tokens(&view(i)), text: folded_text(&view(i)), words: canonical_words(&view(i)) })
        .collect();
    let total = |len: fn(&Prepared) -> usize| prepared.iter().map(len).sum::<usize>();
    say(format_args!(
        "{} terms, {} words, {:.1} MB of text",
        total(|one| one.tokens.len()),
        total(|one| one.words.len()),
        total(|one| one.text.len()) as f64 / 1e6
    ));
    let recipe = Recipe::default();
    let rules = SignatureRules::default();
    let signed = |one: &&Prepared| !signatures(&one.text, &rules).is_empty();
    let unsigned = 100.0 * (1.0 - prepared.iter().filter(signed).count() as f64 / pages.len() as f64);
    figure("pages without a sentence signature, %", format_args!("{unsigned:.2}"), "");
    let two = Features { terms: 2, ..Features::default() };
    say("MB of pages a CPU second, from the page:");
    bench("decoding", "", Box::new(|i| _ = black_box(decode(&view(i)))));
    bench("terms", "", Box::new(|i| _ = black_box(tokens(&view(i)))));
    bench("folded text", "", Box::new(|i| _ = black_box(folded_text(&view(i)))));
    bench("folded text and its map", "", Box::new(|i| _ = black_box(folded_text_with_map(&view(i)))));
    bench("canonical words", "", Box::new(|i| _ = black_box(canonical_words(&view(i)))));
    bench(
        "the engine's own sketches",
        if markup > 0 { "80" } else { "" },
        Box::new(|i| _ = black_box(recipe.sketch(&view(i)))),
    );
    let all = |i: usize| {
        let text = folded_text(&view(i));
        black_box((
            recipe.sketch(&view(i)),
            signatures(&text, &rules),
            shingles(&CanonicalWords::of_text(&text), SHINGLE_WORDS, Sampling::ALL),
        ));
    };
    bench("all sketches", if markup > 0 { "60" } else { "" }, Box::new(all));
    say("the same, from what comes before:");
    let one = |i: usize| &prepared[i];
    bench("simhash", "", Box::new(|i| _ = black_box(fingerprint(one(i).tokens.hashes().iter().copied()))));
    bench(
        "simhash, selected features",
        "",
        Box::new(|i| _ = black_box(simhash_of(&one(i).tokens, &Features::default()))),
    );
    bench("simhash, phrases of two terms", "", Box::new(|i| _ = black_box(simhash_of(&one(i).tokens, &two))));
    bench("64 bits of min-values", "", Box::new(|i| _ = black_box(min_bits(one(i).tokens.hashes()))));
    bench("min-values and supershingles", "", Box::new(|i| _ = black_box(min_hash(one(i).tokens.hashes()))));
    bench("projection", "", Box::new(|i| _ = black_box(projection(one(i).tokens.hashes()))));
    bench("sentences", "", Box::new(|i| _ = black_box(sentences(&one(i).text).count())));
    bench("sentence signatures", "", Box::new(|i| _ = black_box(signatures(&one(i).text, &rules))));
    for ratio in [1, 16] {
        let sampling = Sampling::new(ratio, 0).expect("a power of two");
        let what = format!("shingles of {SHINGLE_WORDS} words, 1 in {ratio}");
        bench(&what, "", Box::new(move |i| _ = black_box(shingles(&one(i).words, SHINGLE_WORDS, sampling))));
    }
}

/// Returns the pages of an archive.
fn read(path: &Path) -> Vec<PageEntry> {
    let mut input = Input::open(path, &archive::Options::default()).expect("an archive");
    let mut pages = Vec::new();
    while let Some(entry) = input.next().expect("readable") {
        if let EntryContent::Page(page) = entry.content {
            pages.push(page);
        }
    }
    pages
}

/// Generates pages of about 40 KB with scripts, navigation and paragraphs of sentences. A quarter of a page is visible
/// text, more than in most crawls; few words are frequent; one page in eight is written without spaces.
fn generate(len: usize, seed: u64) -> Vec<PageEntry> {
    let mut random = Random(seed);
    let words: Vec<String> = (0..20_000).map(|_| word(&mut random)).collect();
    (0..len).map(|number| made_page(number, &words, &mut random)).collect()
}

fn word(random: &mut Random) -> String {
    let letters = 1 + random.index(5) + random.index(5);
    (0..letters).map(|_| char::from(b'a' + random.index(26) as u8)).collect()
}

fn made_page(number: usize, words: &[String], random: &mut Random) -> PageEntry {
    let unspaced = number % 8 == 7;
    let mut body = String::from(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>A page</title><style>\
         body { margin: 0 } .c { color: #333 }</style>",
    );
    body.push_str("<script>");
    for line in 0..220 {
        body.push_str(&format!("window.set('key{line}', function (a, b) {{ return a < b ? {line} : -1; }});\n"));
    }
    body.push_str("</script></head><body><ul class=\"navigation\">");
    for item in 0..60 {
        let label = &words[item % 100];
        body.push_str(&format!(
            "<li class=\"item\"><a href=\"/section/{item}/index.html\" title=\"{label}\">{label}</a></li>\n"
        ));
    }
    body.push_str("</ul>");
    for paragraph in 0..10 + random.index(30) {
        body.push_str(&format!(
            "<div class=\"wrapper wrapper-text\"><p class=\"text\" id=\"p{paragraph}\" \
             data-reference=\"{number}-{paragraph}\">"
        ));
        for _ in 0..3 + random.index(4) {
            for position in 0..5 + random.index(15) {
                if unspaced {
                    let c = char::from_u32(0x4e00 + random.index(3000) as u32).unwrap_or('x');
                    body.push(c);
                    continue;
                }
                // The product of two uniform numbers favours the first words.
                let rank = random.index(words.len()) * random.index(words.len()) / words.len();
                let word = &words[rank];
                match random.index(40) {
                    0 => body.push_str(&format!("<b>{word}</b>")),
                    1 => body.push_str(&format!("<a href=\"/wiki/{word}\">{word}</a>")),
                    2 => body.push_str(&format!("{word} &amp; so on")),
                    _ if position == 0 => body.push_str(&word.to_uppercase()),
                    _ => body.push_str(word),
                }
                body.push(' ');
            }
            body.push_str(if unspaced { "。" } else { ". " });
        }
        body.push_str("</p></div>\n");
    }
    body.push_str("</body></html>");
    PageEntry {
        id: number.to_string(),
        url: Some(format!("https://site{}.example/{number}", number % 7)),
        date: None,
        unread_date: None,
        kind: PageKind::Html,
        charset: Some("utf-8".to_owned()),
        body: body.into_bytes(),
        truncated: false,
        is_cut: false,
    }
}
