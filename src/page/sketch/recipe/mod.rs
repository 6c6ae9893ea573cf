//! Recipes: named, versioned choices of the sketches of a page.

use std::fmt;

use nddb_format::document_keys::KeyKinds;
use nddb_format::parts::Parts;
use nddb_format::profile::Profile;
use nddb_format::record::Record;

use crate::sketch::conventions::Convention;
use crate::sketch::explain::{Explainer, Explanation};
use crate::sketch::features::{Features, simhash_of};
use crate::sketch::min_hash::{self, MinHash, min_bytes};
use crate::sketch::parts::{PARTS_WINDOW, PARTS_WINDOW_MAX, parts, word_hashes};
use crate::sketch::profile::profile_of;
use crate::sketch::projection::{Projection, projection};
use crate::sketch::{digest, min_bits, simhash};
use crate::text::{
    Page, SiteRule, Tokens, compared_of, compared_text, host_of, is_garbled, lower_hashes, page_content, tokens,
    visible_text,
};

nddb_format::named! {
    /// How a fingerprint follows from a page. Only fingerprints of one recipe, and so of one kind, can be compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FingerprintKind {
        /// Each bit is the sign of a sum of weighted features (Charikar 2002; Manku et al. 2007, 2).
        Simhash = "simhash",
        /// One bit of each of 64 min-values (Li and Koenig 2010).
        OneBitMinHash = "minhash-1bit",
        /// Made by another program, of which nddb knows no more.
        Given = "given",
    }
}

impl FingerprintKind {
    /// Returns how such a fingerprint is made, for people.
    pub fn help(self) -> &'static str {
        match self {
            Self::Simhash => "signs of sums of weighted features",
            Self::OneBitMinHash => "one bit of each of 64 min-values",
            Self::Given => "made by another program",
        }
    }
}

/// The sketches of a page's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// The fingerprint: for `main`, one bit of each of 64 min-values of the words of its content (Shrivastava and Li
    /// 2014); otherwise a simhash (Manku et al. 2). A database of fewer bits takes the low ones.
    pub fingerprint: u64,
    /// The number of terms (Henzinger 2).
    pub tokens: u64,
    /// The number of distinct terms.
    pub distinct: u32,
    /// Whether the text has characters that stand for others (SPEC 9.3).
    pub garbled: bool,
    /// A digest, XXH3 (128 bits, most significant byte first): pages with equal digests are exact duplicates. For
    /// `main` it covers the whole text with case and punctuation, each word (between white space) followed by one
    /// space, and then the addresses of its images. For other recipes it covers the token sequence (Henzinger 2), 8
    /// bytes a token, little-endian.
    pub digest: [u8; 16],
    /// The min-values of algorithm B (Henzinger 2), if the recipe has them and the page has a term.
    pub min_hash: Option<MinHash>,
    /// The projection of algorithm C (Henzinger 2), if the recipe has it and the page has a term.
    pub projection: Option<Projection>,
    /// The profile that the default verdict compares, if the recipe has it and the content has a term.
    pub profile: Option<Profile>,
    /// The parts of the page, if the recipe has them.
    pub parts: Option<Parts>,
    /// The site of the page's address (Henzinger 1), empty without an address.
    pub site: String,
}

impl Sketch {
    /// Returns the record of a document with this sketch (SPEC 9.3), given its id and its address.
    pub fn record(self, id: &str, url: Option<&str>) -> Record {
        Record {
            id: id.into(),
            url: url.map(str::to_owned),
            site: Some(self.site).filter(|site| !site.is_empty()),
            tokens: Some(self.tokens),
            distinct: Some(self.distinct),
            garbled: self.garbled,
            digest: Some(self.digest),
            supershingles: self.min_hash.as_ref().map(|min_hash| min_hash.supershingles),
            min_bytes: self.min_hash.map(|min_hash| Box::new(min_bytes(&min_hash.values))),
            projection: self.projection,
            profile: self.profile.map(|profile| Box::new(profile.to_bytes())),
            parts: self.parts.map(Box::new),
            ..Record::default()
        }
    }
}

/// A named, versioned choice of the sketches of a page: a base, and flags.
///
/// The base `main` is the default. It sketches the terms of a page's content (`text::page_content`) in lower case, so
/// that pages of one site do not become similar because of their navigation. Its sketches are the fingerprint
/// (`sketch::min_bits`), min-values, supershingles, projection, bands, and the profile that the default verdict
/// compares. The number of tokens and the digest are those of the whole page. Without the flag `c`, databases of `main`
/// keep only the keys that the default verdict needs, and with `offline` none. Sites of `main` are registrable domains,
/// by the public suffix list; the sites of the other bases follow Henzinger unless the flag `psl` is set.
///
/// The base `web` sketches all terms of a page (by Henzinger 2): the simhash of Manku et al. 2 over the terms in lower
/// case, weighted by their frequency, min-values and supershingles, and projection. The other bases reproduce the
/// simhash of other tools and have neither min-values nor projection.
///
/// Flags follow the base in the name, in this order: `2grams` or `3grams` ([`Recipe::with_phrases`]), `psl`
/// ([`Recipe::with_registrable_sites`]), `c` ([`Recipe::with_pieces`]) or `offline` ([`Recipe::offline`]), `parts` with
/// or without a number ([`Recipe::with_parts`]): `web-3grams-psl`, `main-c`, `main-parts16`.
///
/// ```
/// use nddb_page::sketch::Recipe;
///
/// let recipe = Recipe::default().with_pieces();
/// assert_eq!(recipe, Recipe::named("main-c"));
/// assert_eq!(recipe.map(|recipe| recipe.label()), Some("main-c/1".into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    kind: FeatureKind,
    site: SiteRule,
    lookups: Lookups,
    /// The window of the parts; 0 without parts.
    window: u8,
}

/// The features of the fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FeatureKind {
    /// Min-values of the terms of the content ([`page_content`](crate::text::page_content)), in lower case, hashed with
    /// XXH3 (64 bits, seed 0): `main`.
    Content,
    /// This many successive terms, in lower case, hashed with XXH3 (64 bits, seed 0): `web`.
    Terms(usize),
    /// The features of another tool.
    Of(Convention),
}

/// By which methods databases find documents online.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lookups {
    /// The default verdict; for `web`, algorithm B.
    Usual,
    /// The algorithms of the papers, too: the flag `c`.
    Papers,
    /// None: the flag `offline`.
    Offline,
}

/// How labels of databases begin whose fingerprints another program makes; its name follows.
const GIVEN: &str = "given/";

/// The version of every recipe.
const VERSION: u32 = 1;

/// Lengths of phrases that are a flag of `web`.
const PHRASES: std::ops::RangeInclusive<usize> = 2..=3;

/// The features of a page's content.
struct Content {
    /// The hashes of the terms of its content, if the sketches are made from these.
    hashes: Option<Vec<u64>>,
    tokens: Tokens,
    profile: Option<Profile>,
    /// The compared text of the page, if it is asked for.
    text: Option<String>,
}

impl Recipe {
    /// The bases, the default first.
    pub const BASES: [&'static str; 7] = ["main", "web", "1e0ng", "seomoz", "text-dedup", "wayback64", "trafilatura"];

    /// Returns a base without flags.
    fn base(name: &str) -> Option<Recipe> {
        let kind = match name {
            "main" => FeatureKind::Content,
            "web" => FeatureKind::Terms(1),
            _ => FeatureKind::Of(Convention::named(name)?),
        };
        let site = if kind == FeatureKind::Content { SiteRule::Registrable } else { SiteRule::Henzinger };
        Some(Recipe { kind, site, lookups: Lookups::Usual, window: 0 })
    }

    /// Returns the recipe of this name: a base, followed by flags, each after a hyphen.
    pub fn named(name: &str) -> Option<Recipe> {
        let mut bases = Self::BASES.iter().filter_map(|&base| Some((base, name.strip_prefix(base)?)));
        let (base, flags) = bases.find(|(_, flags)| flags.is_empty() || flags.starts_with('-'))?;
        let recipe = flags.split('-').skip(1).try_fold(Self::base(base)?, |recipe, flag| match flag {
            "2grams" => recipe.with_phrases(2),
            "3grams" => recipe.with_phrases(3),
            "psl" => Some(recipe.with_registrable_sites()),
            "c" => recipe.with_pieces(),
            "offline" => recipe.offline(),
            "parts" => recipe.with_parts(PARTS_WINDOW),
            _ => recipe.with_parts(flag.strip_prefix("parts")?.parse().ok()?),
        })?;
        // Each recipe has exactly one label, so flags must be in order and occur once.
        (recipe.name() == name).then_some(recipe)
    }

    /// Returns every recipe: each base with all its flags.
    #[cfg(test)]
    pub fn all() -> Vec<Recipe> {
        let mut all = Vec::new();
        for base in Self::BASES.iter().filter_map(|name| Self::base(name)) {
            let phrases: Vec<Recipe> = PHRASES.filter_map(|terms| base.with_phrases(terms)).collect();
            for plain in std::iter::once(base).chain(phrases) {
                let other_sites = plain.with_registrable_sites();
                for recipe in std::iter::once(plain).chain((other_sites != plain).then_some(other_sites)) {
                    let found = std::iter::once(recipe).chain(recipe.with_pieces()).chain(recipe.offline());
                    let parted = |recipe: Recipe| [PARTS_WINDOW, 1].map(|window| recipe.with_parts(window));
                    all.extend(
                        found.flat_map(|recipe| std::iter::once(recipe).chain(parted(recipe).into_iter().flatten())),
                    );
                }
            }
        }
        all
    }

    /// Returns the labels of the recipes for which `fits` holds: for each base, the simplest one.
    pub fn labels_of(fits: impl Fn(&Recipe) -> bool) -> Vec<String> {
        let bases = Self::BASES.iter().filter_map(|name| Self::base(name));
        let simplest = bases.filter_map(|base| std::iter::once(base).chain(base.with_pieces()).find(&fits));
        simplest.map(|recipe| recipe.label()).collect()
    }

    /// Returns the recipe with a simhash of phrases of 2 or 3 terms; `None` unless its base is `web`.
    pub fn with_phrases(self, terms: usize) -> Option<Self> {
        let fits = matches!(self.kind, FeatureKind::Terms(_)) && PHRASES.contains(&terms);
        fits.then_some(Self { kind: FeatureKind::Terms(terms), ..self })
    }

    /// Returns the recipe with the flag `psl`, whose sites are registrable domains by the public suffix list. Returns
    /// `main` unchanged, because its sites are registrable domains anyway.
    pub fn with_registrable_sites(self) -> Self {
        Self { site: SiteRule::Registrable, ..self }
    }

    /// Returns the recipe whose databases also store the keys with which the algorithms of the papers find documents
    /// online: the pieces of projections for algorithm C and, for `main`, the megashingles for algorithm B. `None` if
    /// the recipe has no projections.
    pub fn with_pieces(self) -> Option<Self> {
        self.has_projection().then_some(Self { lookups: Lookups::Papers, ..self })
    }

    /// Returns the recipe whose databases store only what lists of pairs and clusters by the default verdict compare:
    /// no projections, and no keys to find documents by their profiles online. `None` if its base is not `main` or it
    /// has the flag `c`.
    pub fn offline(self) -> Option<Self> {
        let fits = self.has_profile() && self.lookups != Lookups::Papers;
        fits.then_some(Self { lookups: Lookups::Offline, ..self })
    }

    /// Returns the label of a database for the fingerprints of another program, given its name, of 1 to 64 letters,
    /// digits and `. _ + -`. No text can be given to such a database, because nddb cannot make its fingerprint.
    ///
    /// ```
    /// use nddb_page::sketch::{Recipe, RecipeError};
    ///
    /// let label = Recipe::label_of_given("imagehash").unwrap_or_default();
    /// assert_eq!(label, "given/imagehash");
    /// assert!(Recipe::from_label(&label).is_err_and(|error| error.takes_fingerprints()));
    /// ```
    pub fn label_of_given(maker: &str) -> Option<String> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
        ((1..=64).contains(&maker.len()) && maker.bytes().all(is_name)).then(|| format!("{GIVEN}{maker}"))
    }

    /// Returns the recipe whose databases also store parts of pages, by which passages in common are found: of so many
    /// successive parts, 1 to [`PARTS_WINDOW_MAX`], at least one. `None` for other numbers, or if its base is not
    /// `main`.
    pub fn with_parts(self, window: u8) -> Option<Self> {
        let fits = self.has_profile() && (1..=PARTS_WINDOW_MAX).contains(&window);
        fits.then_some(Self { window, ..self })
    }

    /// Returns the recipe of a label stored in a database.
    ///
    /// # Errors
    /// [`RecipeError::Given`] for a database of fingerprints that another program makes; the others for a database that
    /// this version cannot write.
    pub fn from_label(label: &str) -> Result<Recipe, RecipeError> {
        if let Some(maker) = label.strip_prefix(GIVEN).filter(|maker| Self::label_of_given(maker).is_some()) {
            return Err(RecipeError::Given { maker: maker.to_owned() });
        }
        let malformed = || RecipeError::Malformed { label: label.to_owned() };
        let (name, version) = label.split_once('/').ok_or_else(malformed)?;
        let found: u32 = version.parse().map_err(|_| malformed())?;
        let recipe = Recipe::named(name).ok_or_else(|| RecipeError::Unknown { name: name.to_owned() })?;
        let (name, known) = (recipe.name(), recipe.version());
        match found.cmp(&known) {
            std::cmp::Ordering::Equal => Ok(recipe),
            std::cmp::Ordering::Greater => Err(RecipeError::Newer { name, found, known }),
            std::cmp::Ordering::Less => Err(RecipeError::Older { name, found, known }),
        }
    }

    /// Returns the recipe of a database that is written to, by its label, or the reason why no text can be given
    /// ([`RecipeError::Given`]).
    ///
    /// # Errors
    /// The other errors of [`Recipe::from_label`].
    pub fn of_database(label: &str) -> Result<Result<Recipe, RecipeError>, RecipeError> {
        match Self::from_label(label) {
            Err(error) if !error.takes_fingerprints() => Err(error),
            recipe => Ok(recipe),
        }
    }

    /// Returns the recipe of this program with the name in a label, whatever the version in the label. Versions of a
    /// recipe have the same kinds of sketches and candidate keys, but different values.
    pub fn of_any_version(label: &str) -> Option<Recipe> {
        let (name, _) = label.split_once('/')?;
        Recipe::named(name)
    }

    /// Returns the name: the base and its flags.
    pub fn name(&self) -> String {
        let base = match self.kind {
            FeatureKind::Content => "main",
            FeatureKind::Terms(_) => "web",
            FeatureKind::Of(convention) => convention.name(),
        };
        let phrases = match self.kind {
            FeatureKind::Terms(terms) if terms > 1 => format!("-{terms}grams"),
            _ => String::new(),
        };
        // A property that the base has anyway is not a flag.
        let is_flag = self.site == SiteRule::Registrable && self.kind != FeatureKind::Content;
        let site = if is_flag { "-psl" } else { "" };
        let lookups = match self.lookups {
            Lookups::Usual => "",
            Lookups::Papers => "-c",
            Lookups::Offline => "-offline",
        };
        let parts = match self.window {
            0 => String::new(),
            PARTS_WINDOW => "-parts".to_owned(),
            window => format!("-parts{window}"),
        };
        format!("{base}{phrases}{site}{lookups}{parts}")
    }

    /// Returns the version. Sketches of different versions have different values.
    pub fn version(&self) -> u32 {
        VERSION
    }

    /// Returns the kind of the fingerprints of a database, by the label of its recipe.
    pub fn kind_of_label(label: &str) -> FingerprintKind {
        Self::of_any_version(label).map_or(FingerprintKind::Given, |recipe| recipe.fingerprint_kind())
    }

    /// Returns the kind of its fingerprints.
    pub fn fingerprint_kind(&self) -> FingerprintKind {
        match self.kind {
            FeatureKind::Content => FingerprintKind::OneBitMinHash,
            FeatureKind::Terms(_) | FeatureKind::Of(_) => FingerprintKind::Simhash,
        }
    }

    /// Returns whether sketches are made from the main content of a page.
    pub fn is_of_main_content(&self) -> bool {
        self.kind == FeatureKind::Content
    }

    /// Returns the number of successive terms (of the whole page) in a feature of the simhash; `None` if the recipe has
    /// other features.
    pub fn terms(&self) -> Option<usize> {
        if let FeatureKind::Terms(terms) = self.kind { Some(terms) } else { None }
    }

    /// Returns the label that a database stores of its recipe: `web/1`.
    pub fn label(&self) -> String {
        self.to_string()
    }

    /// Returns whether sketches have the min-values of algorithm B (Henzinger 2).
    pub fn has_min_hash(&self) -> bool {
        !matches!(self.kind, FeatureKind::Of(_))
    }

    /// Returns the kinds of keys by which databases of this recipe find documents. The default verdict, which compares
    /// profiles, does not need megashingles.
    pub fn keys(&self) -> KeyKinds {
        KeyKinds {
            megashingles: self.has_min_hash() && (!self.has_profile() || self.lookups == Lookups::Papers),
            pieces: self.lookups == Lookups::Papers,
            bands: self.has_profile() && self.lookups != Lookups::Offline,
            parts: self.window > 0,
        }
    }

    /// Returns whether sketches have a profile. Documents are found by its bands
    /// ([`Profile::bands`](nddb_format::profile::Profile::bands)).
    pub fn has_profile(&self) -> bool {
        self.kind == FeatureKind::Content
    }

    /// Returns whether sketches have the projection of algorithm C (Henzinger 2).
    pub fn has_projection(&self) -> bool {
        !matches!(self.kind, FeatureKind::Of(_)) && self.lookups != Lookups::Offline
    }

    /// Returns the site of an address by the recipe's rule; `None` if it has no host.
    pub fn site_of(&self, url: &str) -> Option<String> {
        host_of(url).map(|host| self.site.site(&host))
    }

    /// Returns the rule that maps a host name to a site (Henzinger 1).
    pub fn site_rule(&self) -> SiteRule {
        self.site
    }

    /// Returns the sketch of a page.
    pub fn sketch(&self, page: &Page<'_>) -> Sketch {
        self.sketch_of(page, false).0
    }

    /// Returns the sketch of a page and its [`compared_text`](crate::text::compared_text).
    pub fn sketch_with_text(&self, page: &Page<'_>) -> (Sketch, String) {
        let (sketch, text) = self.sketch_of(page, true);
        (sketch, text.unwrap_or_default())
    }

    fn sketch_of(&self, page: &Page<'_>, with_text: bool) -> (Sketch, Option<String>) {
        let host = page.url.and_then(host_of).unwrap_or_default();
        let Content { hashes, tokens, profile, text } = self.content(page, &host, with_text);
        let (min_hash, projection) = match (self.kind, &hashes) {
            (FeatureKind::Of(_), _) => (None, None),
            _ if tokens.is_empty() => (None, None),
            // A content without terms has no projection.
            (FeatureKind::Content, Some(hashes)) if hashes.is_empty() => (None, None),
            (_, hashes) => {
                let hashes = hashes.as_deref().unwrap_or(tokens.hashes());
                (min_hash::min_hash(hashes), self.has_projection().then(|| projection(hashes)))
            }
        };
        let fingerprint = match self.kind {
            FeatureKind::Content => min_bits::fingerprint(&hashes.unwrap_or_default()),
            FeatureKind::Terms(1) => simhash::fingerprint(lower_hashes(&tokens)),
            FeatureKind::Terms(terms) => simhash_of(&tokens, &Features { terms, ..Features::default() }),
            FeatureKind::Of(convention) => {
                let mut tally = simhash::tally([]);
                convention.features(&visible_text(page), |_, hash| tally.add([hash]));
                convention.fingerprint(&mut tally)
            }
        };
        let parts = (self.window > 0).then(|| parts(&word_hashes(&tokens), self.window));
        let sketch = Sketch {
            fingerprint,
            tokens: tokens.len() as u64,
            distinct: distinct(tokens.hashes()),
            garbled: is_garbled(tokens.text()),
            digest: match self.kind {
                FeatureKind::Content => digest::of_text(tokens.text()),
                _ => digest::of_tokens(tokens.hashes()),
            },
            min_hash,
            projection,
            profile,
            parts,
            site: self.site.site(&host),
        };
        (sketch, text)
    }

    /// Returns the [`compared_text`](crate::text::compared_text) of a page, and the digest of [`Recipe::sketch`].
    pub fn compared(&self, page: &Page<'_>) -> (String, [u8; 16]) {
        let content = page_content(page);
        let digest = match self.kind {
            FeatureKind::Content => digest::of_text(content.text()),
            _ => digest::of_tokens(tokens(page).hashes()),
        };
        (compared_of(page.kind, &content), digest)
    }

    /// Returns the content of a page and its features, and its compared text if that is asked for.
    fn content(&self, page: &Page<'_>, host: &str, with_text: bool) -> Content {
        match self.kind {
            FeatureKind::Content => {
                let content = page_content(page);
                let hashes = content.hashes();
                let profile = profile_of(&content, &hashes, host, page.url);
                let text = with_text.then(|| compared_of(page.kind, &content));
                Content { hashes: Some(hashes), profile, tokens: content.into_tokens(), text }
            }
            _ => {
                let text = with_text.then(|| compared_text(page));
                Content { hashes: None, profile: None, tokens: tokens(page), text }
            }
        }
    }

    /// Returns the derivation of a page's fingerprint.
    pub fn explain(&self, page: &Page<'_>) -> Explanation {
        let mut explainer = Explainer::default();
        let tokens = match self.kind {
            FeatureKind::Content => {
                let content = page_content(page);
                let (terms, hashes): (Vec<String>, _) = (content.terms().collect(), content.hashes());
                let tokens = content.into_tokens().len() as u64;
                return Explanation::of_content(&terms, &hashes, tokens, min_bits::fingerprint(&hashes));
            }
            FeatureKind::Terms(terms) => {
                let tokens = tokens(page);
                for (text, hash) in (Features { terms, ..Features::default() }).named(&tokens) {
                    explainer.add(&text, hash);
                }
                tokens
            }
            FeatureKind::Of(convention) => {
                convention.features(&visible_text(page), |text, hash| explainer.add(text, hash));
                tokens(page)
            }
        };
        explainer.finish(tokens.len() as u64, self.sketch(page).fingerprint)
    }
}

impl Default for Recipe {
    /// Returns `main`.
    fn default() -> Self {
        Recipe { kind: FeatureKind::Content, site: SiteRule::Registrable, lookups: Lookups::Usual, window: 0 }
    }
}

/// Returns the number of distinct hashes.
fn distinct(hashes: &[u64]) -> u32 {
    let mut hashes = hashes.to_vec();
    hashes.sort_unstable();
    hashes.dedup();
    u32::try_from(hashes.len()).unwrap_or(u32::MAX)
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name(), self.version())
    }
}

/// The reasons why a label names no recipe of this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The fingerprints are made by another program, so no text can be given.
    #[error(
        "the fingerprints of the database are made by {maker}, and nddb cannot make them of a text; give \
         fingerprints, or give the texts to a database of another recipe"
    )]
    Given {
        /// The name of that program.
        maker: String,
    },
    /// The label is not a name, a slash and a number.
    #[error("{label:?} is no recipe label (name/version)")]
    Malformed {
        /// The label.
        label: String,
    },
    /// No recipe has this name.
    #[error("there is no recipe {name:?} (there are {}, and flags of these)", Recipe::BASES.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The label names a newer version of the recipe.
    #[error("recipe {name} has version {found}, newer than this program's {known}")]
    Newer {
        /// The name of the recipe.
        name: String,
        /// The version in the label.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// The label names an older version of the recipe.
    #[error("recipe {name} has version {found}, older than this program's {known}")]
    Older {
        /// The name of the recipe.
        name: String,
        /// The version in the label.
        found: u32,
        /// The version of this program.
        known: u32,
    },
}

impl RecipeError {
    /// Returns whether the database takes fingerprints, though no texts.
    pub fn takes_fingerprints(&self) -> bool {
        matches!(self, Self::Given { .. })
    }
}

#[cfg(test)]
mod tests;
