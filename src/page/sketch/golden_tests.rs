//! The pinned numbers of `main/1`, `web/1` and their variants for fixed pages: databases store them, so they never
//! change. If this test fails, the code is wrong, or a library or the language has changed (such as Unicode tables or
//! dictionaries): restore the old behaviour, or make `main/2` and `web/2`.

use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::{LeadingWords, Recipe, SHINGLE_WORDS, Sampling, SignatureRules, shingles, signatures};
use crate::text::{Page, PageKind, canonical_words, folded_text, sentences};

const ENGLISH: &str = "The quick brown fox jumps over the lazy dog near the river bank while the \
    sun sets slowly behind the old stone mill. See https://www.example.org/a-b/c.html?id=5 (or don't).";
const GERMAN: &str = "Die Straße führt über den Fluß, vorbei an Häusern und Gärten; am Ende \
    liegt die alte Mühle, in der früher ÄPFEL gepreßt wurden. Donau\u{ad}dampf\u{ad}schiff.";
const CHINESE: &str = "北京大学是中华人民共和国的一所综合性大学,位于北京市海淀区。\
    学校创办于1898年,初名京师大学堂。";
const JAPANESE: &str = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\
    コンピューターで123回テストしました。";
const THAI: &str = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์ สวัสดีชาวโลก 2024";
const HTML: &str = "<!DOCTYPE html><html><head><title>A &amp; B &eacute;t&#233;</title>\
    <base href='http://cdn.example.net/x/'><style>p { color: red }</style></head><body>\
    <!-- nothing --><h1>Head<b>li</b>ne</h1><p>One<br>two <img src='cat.png'> three \
    <IMG SRC=\"http://www.example.org/pics/dog.png?x=1\">four <img src='data:image/gif;base64,R0lG'>\
    <script>var x = '<p>no</p>';</script><noscript>never</noscript> see http://a.org/b-c?d=1&amp;e=2, \
    five six seven eight nine ten.</p><table><tr><td>11<td>12</table></body></html>";

fn pages() -> Vec<(&'static str, Page<'static>)> {
    let html = Page { url: Some("http://www.example.org/dir/page.html"), ..Page::html(HTML) };
    let latin = Page {
        kind: PageKind::Html,
        charset: None,
        url: None,
        body: b"<meta charset=iso-8859-1><p>Fa\xe7ade &agrave; la fran\xe7aise</p>",
    };
    vec![
        ("english", Page::text(ENGLISH)),
        ("german", Page::text(GERMAN)),
        ("chinese", Page::text(CHINESE)),
        ("japanese", Page::text(JAPANESE)),
        ("thai", Page::text(THAI)),
        ("empty", Page::text("")),
        ("one term", Page::text("Token")),
        ("html", html),
        ("latin 1", latin),
    ]
}

/// Returns the numbers of a page; the min-values are given as the hash of their bytes, little-endian.
fn numbers(recipe: &str, page: &Page<'_>) -> String {
    let recipe = Recipe::from_label(recipe).unwrap_or_default();
    let sketch = recipe.sketch(page);
    let mut out = format!("  tokens {}\n  fingerprint {:016x}\n", sketch.tokens, sketch.fingerprint);
    let _ = writeln!(out, "  digest {:032x}", u128::from_be_bytes(sketch.digest));
    if let Some(found) = &sketch.min_hash {
        let bytes: Vec<u8> = found.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let _ = writeln!(out, "  min-values {:016x}", xxh3_64(&bytes));
        for indexes in found.supershingles.chunks(3) {
            let _ = writeln!(out, "  supershingles {}", hex(indexes));
        }
        let mega = nddb_format::document_keys::megashingles(&found.supershingles);
        let _ = writeln!(out, "  megashingles {}", hex(&[mega[0], mega[14]]));
    }
    if let Some(found) = &sketch.projection {
        for words in found.chunks(3) {
            let _ = writeln!(out, "  projection {}", hex(words));
        }
    }
    if let Some(found) = &sketch.profile {
        let bytes = found.to_bytes();
        let bands = found.bands();
        let _ = writeln!(out, "  profile {:016x}\n  short bands {}", xxh3_64(&bytes), hex(&[bands[0], bands[20]]));
        let words = |words: &LeadingWords| words.kept().iter().map(|word| format!(" {word:06x}")).collect::<String>();
        let _ = writeln!(out, "  title{}\n  headings{}", words(&found.title), words(&found.headings));
        if found.address.total > 0 {
            let _ = writeln!(out, "  address{}", words(&found.address));
        }
        let numbers = &found.numbers;
        let _ = writeln!(out, "  terms {} numbers {} whole {}", found.terms, numbers.total, found.is_whole);
        let _ = writeln!(out, "  of {} in the whole text", found.whole_terms);
        let _ = writeln!(out, "  content {:016x}", found.content);
    }
    out
}

fn hex(words: &[u64]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:016x}")).collect();
    words.join(" ")
}

#[test]
fn web_1_gives_the_pinned_numbers() {
    let mut found = String::new();
    for (name, page) in pages() {
        let _ = write!(found, "{name}\n{}", numbers("web/1", &page));
    }
    assert!(found == EXPECTED, "found\n{found}");
}

/// A text whose first lines are its name.
const TEMPLATE_TEXT: &str = "Home\n\nOur shop\n\nTwo red foxes\n\nOf the foxes that we have 2 are red: these foxes \
    jump over every dog.\n\nBehind the dog\n";
/// A page that has more text around its content than in it, and the text of this page.
const NEWS: &str = "<!DOCTYPE html><html><head><title>Fox jumps | Example News</title></head><body>\
    <div role=banner><h1>Example News</h1></div><nav><ul><li><a href=/>Home</a><li><a href=/world>World</a>\
    <li><a href=/sport>Sport</a></ul></nav><main><h2>Fox jumps over 2 dogs</h2><p>Posted on 12 March 2024 at 09:15 by \
    <a href=/staff/a.b>A. B.</a></p><p>The quick brown fox (Vulpes vulpes) jumped over the lazy dog again, as \
    北京大学 and the Straße reported; version 1.26.4 ÄÖ٣٤ of the story has 3,000 words.<br><a href=/2>Next page</a></p>\
    <table><tr><td><a href=/x>Foxes</a><td>Foxes that jump are counted every day of the year in <a href=/y>table 7</a>.\
    </table></main><aside>Most read: <b>Dog sleeps</b></aside><footer>&copy; 2024 Example News</footer></body></html>";
const NEWS_TEXT: &str = "Fox jumps | Example News\nHome\nWorld\nSport\nFox jumps over 2 dogs\nThe quick brown fox (Vulpes \
    vulpes) jumped over the lazy dog again, as 北京大学 and the Straße reported; version 1.26.4 ÄÖ٣٤ has 3,000 words.\n\
    北京大学是中华人民共和国的一所综合性大学\nNext page\n\u{a9} 2024 Example News\n";

#[test]
fn main_1_gives_the_pinned_numbers() {
    let mut found = String::new();
    let addressed = |page| Page { url: Some("https://a.example/news/h3-v2/fox.html"), ..page };
    let news = [
        ("news", Page::html(NEWS)),
        ("news text", Page::text(NEWS_TEXT)),
        ("text of a template", Page::text(TEMPLATE_TEXT)),
        ("news at an address", addressed(Page::html(NEWS))),
        ("news text at an address", addressed(Page::text(NEWS_TEXT))),
    ];
    for (name, page) in pages().into_iter().chain(news) {
        let _ = write!(found, "{name}\n{}", numbers("main/1", &page));
    }
    assert!(found == MAIN_EXPECTED, "found\n{found}");
}

/// One word, two texts with all words but one in common, and a text of few words.
#[test]
fn main_1_gives_the_pinned_fingerprints() {
    for (text, fingerprint) in [
        ("fox", 0xb11f_89c2_9d24_1dc1),
        ("the quick brown fox jumps over the lazy dog", 0x9715_09d7_e3a8_74f3),
        ("the quick brown fox jumps over the lazy cat", 0xd51d_4add_e7a8_74f3),
        ("yes no yes yes no no no yes no yes", 0xd075_4cd8_9f7e_46c0),
    ] {
        assert_eq!(Recipe::default().sketch(&Page::text(text)).fingerprint, fingerprint, "{text}");
    }
}

/// Returns the fingerprints of phrases, and the sketches that no database stores but all platforms must agree on:
/// the number of sentences and of signatures, and a hash of all signatures; the same of words and shingles.
fn more_numbers(page: &Page<'_>) -> String {
    let mut out = String::new();
    for name in ["web-2grams", "web-3grams"] {
        let recipe = Recipe::named(name).unwrap_or_default();
        let _ = writeln!(out, "  {recipe} {:016x}", recipe.sketch(page).fingerprint);
    }
    let text = folded_text(page);
    let found = signatures(&text, &SignatureRules::default());
    let bytes: Vec<u8> = found.iter().flat_map(|one| one.value.to_be_bytes()).collect();
    let len = sentences(&text).count();
    let _ = writeln!(out, "  {len} sentences, {} signatures {:016x}", found.len(), xxh3_64(&bytes));
    let words = canonical_words(page);
    let found = shingles(&words, SHINGLE_WORDS, Sampling::ALL);
    let bytes: Vec<u8> = found.hashes().iter().flat_map(|hash| hash.to_be_bytes()).collect();
    let _ = writeln!(out, "  {} words, {} shingles {:016x}", words.len(), found.len(), xxh3_64(&bytes));
    out
}

#[test]
fn phrases_signatures_and_shingles_have_the_pinned_numbers() {
    let mut found = String::new();
    let long: String = (0..60).map(|n| format!("Sentence {n} of a text with as many as that.\n")).collect();
    for (name, page) in pages().into_iter().chain([("long", Page::text(&long))]) {
        let _ = write!(found, "{name}\n{}", more_numbers(&page));
    }
    assert!(found == MORE_EXPECTED, "found\n{found}");
}

const MORE_EXPECTED: &str = "\
english
  web-2grams/1 a591bf00fe289303
  web-3grams/1 ac25203470992cfb
  2 sentences, 29 signatures f05aed6acae9d0f3
  27 words, 23 shingles cbb6a0f613d01805
german
  web-2grams/1 1bf5c66bfa41d7cb
  web-3grams/1 9334c275ea025763
  4 sentences, 52 signatures 1e8fd98aa27c028a
  24 words, 20 shingles 851c9f20a80e89a9
chinese
  web-2grams/1 532ec951323fad3c
  web-3grams/1 818fa67a3dcd5b0e
  1 sentences, 16 signatures 12b349a69ec5b073
  31 words, 27 shingles a79c853c8693d5b1
japanese
  web-2grams/1 7141c810b3047005
  web-3grams/1 7955ba2fd8216060
  2 sentences, 30 signatures 72fb06ab97b5600c
  30 words, 26 shingles 6911f9176feb7f76
thai
  web-2grams/1 af900c4384ad1288
  web-3grams/1 b76541beb314f2c4
  1 sentences, 16 signatures 6b0b59bb0ccbc17e
  17 words, 13 shingles 0f10348bafe6d830
empty
  web-2grams/1 0000000000000000
  web-3grams/1 0000000000000000
  0 sentences, 0 signatures 2d06800538d394c2
  0 words, 0 shingles 2d06800538d394c2
one term
  web-2grams/1 ae23c8ed1a12e619
  web-3grams/1 ae23c8ed1a12e619
  0 sentences, 0 signatures 2d06800538d394c2
  1 words, 1 shingles ff8de264f8d824a7
html
  web-2grams/1 3f1f9d7565227876
  web-3grams/1 c020625958434d5a
  1 sentences, 16 signatures be884329929a9a83
  19 words, 15 shingles 91ca8225626055e7
latin 1
  web-2grams/1 fdb109a2069f0a96
  web-3grams/1 35a1604000584300
  1 sentences, 16 signatures de169c02e7982815
  4 words, 1 shingles 32def3a1c65e1a5f
long
  web-2grams/1 1dfbb525b7b83da0
  web-3grams/1 8575933b30fa986e
  60 sentences, 112 signatures e3e33b496342e81d
  600 words, 302 shingles af1ab984dd39ef4d
";

const MAIN_EXPECTED: &str = "\
english
  tokens 34
  fingerprint 059447d7c22cb664
  digest 26dd4505b27f691c423fe2c8c3b30256
  min-values 3f317d7348e51c35
  supershingles 13e5159f3450282f ff3e88bc6246bafc eb34d6877b21fdef
  supershingles 608143cd0e3bc2d3 f359862487699800 f47bc86958ee9b00
  megashingles d4af7868d88eedb8 b35ca9cd9f4f0211
  projection c3f52a494478bddd 20e824e096fab288 07279b0e0cc081ee
  projection 8df60002f4ad5135 bfb8c89985c545c8 cab9da8fa0f31a15
  profile fdc42b6851619fc4
  short bands 88f9987e69f6c0b1 10a8214d9b6e1079
  title
  headings
  terms 34 numbers 0 whole false
  of 34 in the whole text
  content 0f34aa44215d5513
german
  tokens 24
  fingerprint e57942daaf8d8917
  digest 9068e1e5610798a9ba5ee0bced2c793e
  min-values 2ef4abc6261a1d9a
  supershingles f562fa9d3df0528e ac8a122771299f7f 695e13ba439a68c8
  supershingles ca1d9f6cd60eb2a2 84aacc970c9a692f 505df21d37f63b3a
  megashingles 15cc74437ee9e5ed 776e336ae6f7303d
  projection 0e59868af08b091a 20f1daa008b09b60 624a029152a5bcdf
  projection 7ad6778ca6801ff2 1f8c2bda1e308588 e3114d3c2101c4be
  profile 6c1384d316f72583
  short bands 11f1e4b07f69a00d 61a98e2d2e4b0766
  title
  headings
  terms 24 numbers 0 whole false
  of 24 in the whole text
  content 0755dc85ade8c0cf
chinese
  tokens 27
  fingerprint 5c673ec0a1e6130c
  digest ba4798f4ad4969a2875ce5eda1c51a52
  min-values d64804d9e04ba2a4
  supershingles bface51fbec1011a 593bfb63798322c3 64526b1bdc6094a7
  supershingles 404f924bc415c4c2 62d955bbfaeff9b9 023a50f2b87686c3
  megashingles a21a1276f6c3fb3f 933cd28e6b74e2ed
  projection 1671415123365c27 078c02038c190964 667106855674946b
  projection ad2804661a901c01 12fb1904eb433009 71150751c027280a
  profile 8ba9428f29e2910d
  short bands 787ba1f1bc21c9ca 2b5b6b0059ecee8b
  title
  headings
  terms 26 numbers 1 whole false
  of 27 in the whole text
  content 0ef7ff74a2f407a2
japanese
  tokens 26
  fingerprint ef9f6d990cf237ab
  digest 75e10718f1c618eeabdf540ea9fabbfa
  min-values 5640503a1ce8d170
  supershingles 3a2b0c04e34fcd98 7d86f57c0f60cd85 bd4666105c3a5d5f
  supershingles 4b8ab60c9daa0b0e 666279fde5ad29bb c7071bc4953554f1
  megashingles 995b20a1d8f976e3 674ce946393116fa
  projection f582c80da0311fe2 681c47a3c8930447 7376a1dfa2ec7ee9
  projection f52ff164b3d52a63 e0e2ffbbb631d66a 256c83c7014872cf
  profile fab0214b1a713ad9
  short bands e6f526aa1dccf649 0a433c29facea729
  title
  headings
  terms 25 numbers 1 whole false
  of 26 in the whole text
  content ce5cf3d3102a51be
thai
  tokens 17
  fingerprint 6e83827973e6512a
  digest 307b5eb7fba54c4d4460c391014c28a9
  min-values 762295f385350a2b
  supershingles c533ad7dded55d67 20b468234c25e12f 0247999b1e475f91
  supershingles 09aef0edb2d8176c 8a30ba136b5459a4 3ece7017cd5dfc7a
  megashingles acec42a981f599fb 3ff6e60cf6d20cb4
  projection 360005a12ea6231d 5939032673b62894 24ec41f667064385
  projection 98231a3dc1643b13 46c423a44f6f91f8 1c153abc23395912
  profile 5ee728bf93387542
  short bands 70c412b01aac283a e4b51c952fa225d5
  title
  headings
  terms 16 numbers 1 whole true
  of 17 in the whole text
  content b3bc0e853ca31365
empty
  tokens 0
  fingerprint 0000000000000000
  digest 99aa06d3014798d86001c324468d497f
one term
  tokens 1
  fingerprint 9bcae454066ba456
  digest 18e61bb82da8bf07d106b7d52b31512e
  min-values 30c0b2bec03284f3
  supershingles abc2efd35dae415d 7a7846006825cc94 0cc753013419d00a
  supershingles 04fd95fbc41ac318 79f36507db4ed72e 37cf5add603f9fc8
  megashingles ac5839cc4343826a 8ff240dc976e33e3
  projection df0310d4dbb3a545 fc3e138fe2ae6a37 d2dabecb2b3bee04
  projection 224e28d489472e57 48560dfb482c65d9 c9c824b313dd53e6
  profile 5348f649893146a4
  short bands 206081936c28f97c be8414d68b3b68d4
  title
  headings
  terms 1 numbers 0 whole true
  of 1 in the whole text
  content 0fe45fa852d6ede1
html
  tokens 25
  fingerprint 54c1e9e7aa9a8373
  digest 6e01c15ea454ecffd12e5eabd0ee7daf
  min-values 457b9a4e1856cac4
  supershingles b94bc95b94f9d584 dcff785adc859a2c 4948cc3ceaab84d4
  supershingles 34a4a6098ec40e84 423109110c845c8b 7300b1673f991a40
  megashingles 50f81680f7f9b780 e32fbd9ce321869f
  projection d3e821060b0f0282 e581769983e848d2 03a11d81055c310b
  projection e140681804113048 c6865a460c961729 cacc8178341101b4
  profile cb9167463b9b3468
  short bands d7e2b8c9f7b14f5a 771561a06f6c23aa
  title 964e1f 98843f ab8255
  headings 2020d4
  address 05c402
  terms 20 numbers 2 whole true
  of 19 in the whole text
  content 449d16f8c3273cc0
latin 1
  tokens 4
  fingerprint f9f6bbdf581476e8
  digest 170789f4e32316ec199844c7d0af144f
  min-values 1f273287d92774fc
  supershingles 5d10db5f8e5f4fce 1dd46d74f215024f b33ab81b4d296d02
  supershingles eb59d836873bc3dd 033886110b814fd1 898a4d12b66d194e
  megashingles 6f96f88f39d2a282 6ece87d466867465
  projection 161010d0ed4610d7 8942951628e2840e 2e4120e2101c4004
  projection 1047195a8b800405 4808065e0082096c 0e240855a80908f4
  profile b72fc88e3b25a61b
  short bands 966ac8a69ef56689 c072b32aef09458b
  title
  headings
  terms 4 numbers 0 whole true
  of 4 in the whole text
  content 6fc68efa0e11c63b
news
  tokens 79
  fingerprint 6bd34a8416ae393c
  digest adca3d03c303fa4f4e349a2822d32c95
  min-values 9e5f9e7028c876ee
  supershingles d4ac07a4f131fa0b 4a38c5e99539e854 da25949843ebe451
  supershingles ab640a93798f770d 1cb9c86d083a8d8a 1b01155730ab0405
  megashingles 30b5d8fcdac844b6 8b31cab57a4008db
  projection c3bdeecd44e5ace4 d4cc4c8c96bf583e 07a78b2424d5554e
  projection cd641722a4e53004 9fb0f899e5ede5cc c8bfb98d6eebf6f4
  profile 94fc0ff8b6d9584d
  short bands 9326938913a597d1 f7e32977b63c4c4f
  title 8b92cf a1f063 98d98c a631b8
  headings 18d98c 2631b8 0b92cf 21f063 0c5631 5da314 1e32b7
  terms 49 numbers 11 whole false
  of 69 in the whole text
  content 2cb772491ab3d02b
news text
  tokens 56
  fingerprint dcf24f87d72c1926
  digest 852f853dbfc270650c10b56cd2f31ba8
  min-values 747ea6417b160bcb
  supershingles c18e8aeabc7b9797 f7a7730f9587c206 4fc2c1bae1f0c4b3
  supershingles 3b7559023a2faa00 4a02ca6111406c93 37fe269ff5295a12
  megashingles 82773e3f06bb82ef 3e64a5af1ea95d66
  projection 87bdefc946f4b074 d74c4eacbc3f7a36 c7230d042c58446a
  projection ef285426f9f4500c 0726bb90eee5cfcc afbda9ed642f56ac
  profile 26a3ddeae4233b48
  short bands 4731d556a0288e50 f894e1afa7ba79d4
  title 8b92cf a1f063 98d98c a631b8
  headings
  terms 47 numbers 6 whole false
  of 56 in the whole text
  content 1b567eb86503cbe7
text of a template
  tokens 24
  fingerprint 73f55e86d6ba3cbb
  digest 32e10fb40cf833b3c32fe5797b738de9
  min-values 24d56866214eacf4
  supershingles e3488c8482dc0cae 2b7d7cf9c846c212 6669cabdc961358a
  supershingles 65db16c7fb3f1246 e33637bee84a85df 60525bd81be5f4cc
  megashingles ed5c03134e9935e2 e760748f8aae8f4b
  projection c36d1f9cc688e554 51cb04989fbf7a5a c6349b6a8e77c0aa
  projection 7c6413089c775e36 adb8c159edc9688a ee9eebaff3cba758
  profile b1f75a76a18175f6
  short bands 232ec6a0aeb8cd46 d2f6c45db8198e0d
  title ad061a
  headings
  terms 23 numbers 1 whole false
  of 24 in the whole text
  content 856e90dfb8160c28
news at an address
  tokens 79
  fingerprint 6bd34a8416ae393c
  digest adca3d03c303fa4f4e349a2822d32c95
  min-values 9e5f9e7028c876ee
  supershingles d4ac07a4f131fa0b 4a38c5e99539e854 da25949843ebe451
  supershingles ab640a93798f770d 1cb9c86d083a8d8a 1b01155730ab0405
  megashingles 30b5d8fcdac844b6 8b31cab57a4008db
  projection c3bdeecd44e5ace4 d4cc4c8c96bf583e 07a78b2424d5554e
  projection cd641722a4e53004 9fb0f899e5ede5cc c8bfb98d6eebf6f4
  profile 7824b797bd85d127
  short bands 9326938913a597d1 f7e32977b63c4c4f
  title 8b92cf a1f063 98d98c a631b8
  headings 18d98c 2631b8 0b92cf 21f063 0c5631 5da314 1e32b7
  address 8b92cf
  terms 49 numbers 11 whole false
  of 69 in the whole text
  content 2cb772491ab3d02b
news text at an address
  tokens 56
  fingerprint dcf24f87d72c1926
  digest 852f853dbfc270650c10b56cd2f31ba8
  min-values 747ea6417b160bcb
  supershingles c18e8aeabc7b9797 f7a7730f9587c206 4fc2c1bae1f0c4b3
  supershingles 3b7559023a2faa00 4a02ca6111406c93 37fe269ff5295a12
  megashingles 82773e3f06bb82ef 3e64a5af1ea95d66
  projection 87bdefc946f4b074 d74c4eacbc3f7a36 c7230d042c58446a
  projection ef285426f9f4500c 0726bb90eee5cfcc afbda9ed642f56ac
  profile b3bd76d324a87428
  short bands 4731d556a0288e50 f894e1afa7ba79d4
  title 8b92cf a1f063 98d98c a631b8
  headings
  address 8b92cf
  terms 47 numbers 6 whole false
  of 56 in the whole text
  content 1b567eb86503cbe7
";

const EXPECTED: &str = "\
english
  tokens 34
  fingerprint cb02820310f8bd4b
  digest 03c40d1e94b96631fa13246562638eb3
  min-values 6e06a4bc3ab13406
  supershingles a8e2278bf6c20c22 dd25c7e0423c7eae 716f4ca1b2209036
  supershingles ccf496ea9c3c86ea 5e8605131f74bada bd3a650d7466b76f
  megashingles 53f6ebc2e774977b 07c1adb93bb6213c
  projection 83f52a0954fdbddd 20e820e096faa288 0767990a04c081ec
  projection 9de60006f4ad1115 b7f8889985c545c8 cab9d88ee2f31a01
german
  tokens 24
  fingerprint 4f0f7f02b5853d2c
  digest 532ea7c1627d977fbbdbc566ad6fa3ec
  min-values 06c718b41e7d1fdf
  supershingles 31d0ca337ca714c7 1809e4085d241064 2f98102ec2df0602
  supershingles 7ed11cbd2af7419c 5121419fd5f1a48a e7d117e715fec7b4
  megashingles f408718da53588cb 5879f9a7b2e5f2ca
  projection 4c7ca0225d878f9a 80dce02096901720 524a27298e28b517
  projection 125277ac20111ef3 7f8ea2ca10f4a188 811d477ca3011932
chinese
  tokens 27
  fingerprint 49e4a535b31e4aae
  digest 22a7b79d3ffa0c88a32179d51fc46256
  min-values ffedbc46ab2d820e
  supershingles 1ec50480d249d358 5c66d3abf3e1df3c ec2b6608d865cebf
  supershingles 4d8a0b71882c8c56 dba4099f40175c5a 056ac6cc42d24884
  megashingles 1147d1c71d8ec601 382a792858297d21
  projection 16f14151eb367c67 cfce02338c590964 66f107855e7ed46b
  projection ad289c661b903e01 12fb1904ef73b00d 71550759c027280a
japanese
  tokens 26
  fingerprint 064a2a6988285a39
  digest 962a9c31a38f2d57319cf77c9f7967b4
  min-values e4d18628ea8c9aac
  supershingles 2e94a352856b6a3a 66057c194fa51bed d5e87660c2a4614f
  supershingles 4d5fc59df40d1ec2 16a2c3bad1a3d9e9 81cff5cbb10eb8bc
  megashingles 913b4547dccfc3c0 34382fd08f61b88e
  projection b182c80da0311fe2 601c47a3c8930406 7276a15da2ec7ca9
  projection b42ff164b1d42863 a0e0efba3631d66a 256c82c7014032cf
thai
  tokens 17
  fingerprint eb00eb7e891fe05f
  digest cf26a520f5a393bb1ad5710e227f5ecb
  min-values c1aaac3fc03609bd
  supershingles c533ad7dded55d67 5428885d7b788274 0247999b1e475f91
  supershingles 973f2b23251d7c7d 3d625b58d8c28bab ed193aa3992d8399
  megashingles afac4db6ecd70a49 6995cbf511265703
  projection 36400fa1aea6233d 7939132673b6a894 24ec51f7e7064b85
  projection 98a77abdc1e5bb53 d7c423a44f6f91fa 1c153afc33b95912
empty
  tokens 0
  fingerprint 0000000000000000
  digest 99aa06d3014798d86001c324468d497f
one term
  tokens 1
  fingerprint ae23c8ed1a12e619
  digest 940e61ae501c8d6bfc1a6957b1c286e0
  min-values 47855a984ab77fe3
  supershingles 10bec6cfd6f53a52 b48dad742062bdfe a7fdd65b305f9b7b
  supershingles deaa018d477175eb 1a829593fe08f3ed d4a2571c7a1bade4
  megashingles b3952a63e76f8e78 82c5f81eff2de726
  projection 730b11c3b0985264 16cd158aa474f6c3 60f2af90a9059881
  projection 14bf5c888fe35dac ddc60c10d4c1afd8 cef7eb68e9cd039f
html
  tokens 24
  fingerprint 6147225e33920864
  digest bc7ae0374477b22f44e8c72c9b4bb48f
  min-values 4ba32038b98cefa9
  supershingles efc58daec8190962 6cc866877a5f2180 c4ed5b2ba5c0ef88
  supershingles 9ef845755bb0bbf2 43e2a959960119d7 6f55578e980e24f6
  megashingles 5407f1391145de8c 5aaf2393a8aef55d
  projection d00ba114c90f82c2 f891868d016c4940 03ad1d90647a3b83
  projection 2b802e1904132108 622692400e171720 a188a17034f950b4
latin 1
  tokens 4
  fingerprint 830ea2832440a952
  digest 17d78f7c59f495caaaa3238658f44e16
  min-values 9c6e98382fb3fc3e
  supershingles 5f2186d0b872aa54 a180665854e3f6f2 fd70f3ac3c1d5be5
  supershingles 8c5cc223ebb7b9aa 839b15b902f77b04 d69029dd40a223ac
  megashingles 0687912bfb3d5a26 063717edf589e3b5
  projection 141850d4fd5418d6 894b85162066a606 266902c401090044
  projection 1046195c9b806c01 0869045e2023084c 0c232961a80906f4
";
