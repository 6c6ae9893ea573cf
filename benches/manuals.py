#!/usr/bin/env python3
"""Makes a labelled set from the manuals of Debian packages; a rule gives the labels.

    manuals.py FOLDER [--pairs N] [--sites A,B]

Downloads the packages below, each of two releases of Debian, from the machine's own mirror (apt-get with lists of its
own, in FOLDER), unpacks them, and writes FOLDER/docs.jsonl (id, url, source, html), FOLDER/pairs.tsv,
FOLDER/pairs_grey.tsv (pairs that the rule leaves undecided), FOLDER/groups.tsv (id, site) and FOLDER/sources.tsv
(package, release, version, pages). A pair is labelled by the text of its content elements, with version strings and
digits masked. A selector for the generator of the site finds the content element. The labels:

* 1 `same_page_masked_equal`, `same_page_small_edit`: the same path in both versions, and texts that are equal or have
  an LCS of words >= .98 (2 * lcs / (a + b)); `_layout_changed` if the LCS of the whole pages is < .7.
* 0 `same_site_other_page_hard`: a random page and the most similar (Jaccard of 5-grams of the whole page) of up to 25
  other random pages of its directory, of either version; the LCS of the masked texts is < .8, and titles or file names
  differ. The pair is undecided if one page contains the other: .9 of the shorter text, and the words of its title.
* 0 `same_page_rewritten`: the same path, LCS of the texts < .4 and of the pages < .5, Jaccard of the 5-grams of the
  texts < .4 (the same parts in another order are undecided).
* grey: the other pairs that were examined.

Pages have at least 40 words of main text and less than 400 kB. Pages are drawn by the hashes of their paths, with at
most N pairs (50) of each kind per site. Standard library only; the same packages give the same output.
"""

import argparse
import hashlib
import html.parser
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent))
from debian import options, update  # noqa: E402
from plain_text import INLINE  # noqa: E402

LONGEST_FILE, FEWEST_WORDS, SIBLINGS = 400_000, 40, 25

# For each generator, the selectors of content elements and of the parts left out within them. The first selector that
# matches a page is used.
GENERATORS = {
    "sphinx": (["[role=main]", "div.body"], ["nav", ".headerlink", "div.related", "footer", ".rst-footer-buttons"]),
    "doxygen": (["div.contents"], ["div.ttc"]),
    "javadoc": (["main", "[role=main]", "div.contentContainer"], ["nav", ".subNavList", ".navList", ".skipNav", "footer"]),
    "haddock": (["div#content"], []),
    "docbook": (["body"], ["div.navheader", "div.navfooter", "p#title", ".docnav"]),
    "gtk-doc": (["body"], ["table.navigation", "div.footer"]),
    "gi-docgen": (["section#main", "div.content"], ["div.toc", "footer"]),
    "texinfo-lilypond": (["div#main"], ["table.nav_table", "div#footer"]),
    "texinfo": (["div.container", "body"], ["table.header", "div.header", "div.nav-panel"]),
    "libvirt": (["div#body"], ["nav", ".contents"]),
    "qdoc": (["div.mainContent"], ["div.sidebar"]),
    "swi-prolog": (["body"], ["div.navigate", "div.sec-footer"]),
    "plain": (["body"], []),
    "exim": (["div#chapter", "div#content"], []),
    "nim": (["div#content"], ["div#tocRoot"]),
    "httpd": (["div#page-content"], ["div#quickview", "div.top", "div.toplang", "div.bottomlang", "div#comments_section"]),
    "rustdoc": (["section#main-content", "section#main", "main"], ["nav", ".sidebar", ".search-container", "section#search", ".out-of-band"]),
}

# site: package, generator, (release, folder) of both versions.
SITES = {}


def site(name, package, generator, old, new=None, releases=("bullseye", "trixie")):
    SITES[name] = (package, generator, [(releases[0], old), (releases[1], new or old)])


DOC = "usr/share/doc/"
site("ant-api", "ant-doc", "javadoc", DOC + "ant/api")
site("ant-manual", "ant-doc", "plain", DOC + "ant/manual")
site("antlr4", "antlr4-doc", "javadoc", DOC + "antlr4/api")
for language in "en fr ja".split():
    site(f"apache2-{language}", "apache2-doc", "httpd", DOC + f"apache2-doc/manual/{language}")
site("beets", "beets-doc", "sphinx", DOC + "beets/html")
site("borgbackup", "borgbackup-doc", "sphinx", DOC + "borgbackup/html")
site("buildbot", "buildbot-doc", "sphinx", DOC + "buildbot/html")
site("cargo", "cargo-doc", "rustdoc", DOC + "cargo/doc", releases=("bullseye", "bookworm"))
for language in "ja ru".split():
    site(f"debian-faq-{language}", f"debian-faq-{language}", "docbook", DOC + f"debian/FAQ/{language}")
site(
    "debian-reference-es",
    "debian-reference-es",
    "docbook",
    "usr/share/debian-reference",
    DOC + "debian-reference-common/docs",
)
site("developers-reference-de", "developers-reference-de", "sphinx", "usr/share/developers-reference/de")
site("exim4", "exim4-doc-html", "exim", DOC + "exim4-doc-html/spec_html")
site("ffmpeg-api", "ffmpeg-doc", "doxygen", DOC + "ffmpeg/api")
site("ffmpeg-manual", "ffmpeg-doc", "texinfo", DOC + "ffmpeg/manual")
site("gettext", "gettext-doc", "plain", DOC + "gettext")
for language in "en ja".split():
    site(f"groonga-{language}", "groonga-doc", "sphinx", DOC + f"groonga-doc/{language}/html")
site("krb5", "krb5-doc", "sphinx", DOC + "krb5-doc")
site("libfastcdr", "libfastcdr-doc", "doxygen", DOC + "libfastcdr-dev/api_reference")
site("libghc-aeson", "libghc-aeson-doc", "haddock", DOC + "libghc-aeson-doc/html")
site("libghc-conduit", "libghc-conduit-doc", "haddock", DOC + "libghc-conduit-doc/html")
site("libglib2.0", "libglib2.0-doc", "gtk-doc", "usr/share/gtk-doc/html", releases=("bullseye", "bookworm"))
site(
    "libgit2-glib",
    "libgit2-glib-1.0-doc",
    "gi-docgen",
    "usr/share/gtk-doc/html/libgit2-glib-1.0",
    releases=("bookworm", "trixie"),
)
site("libh2-java", "libh2-java-doc", "javadoc", DOC + "libh2-java/api", releases=("bullseye", "bookworm"))
site("libjsoup-java", "libjsoup-java-doc", "javadoc", DOC + "libjsoup-java/api", releases=("bullseye", "bookworm"))
site("liblog4cxx", "liblog4cxx-doc", "doxygen", DOC + "liblog4cxx-doc/html")
site("libpam", "libpam-doc", "docbook", DOC + "libpam-doc/html")
site("libpango", "libpango1.0-doc", "gi-docgen", DOC + "libpango1.0-doc/reference", releases=("bookworm", "trixie"))
site("libsoup2.4", "libsoup2.4-doc", "gtk-doc", "usr/share/gtk-doc/html", releases=("bullseye", "bookworm"))
site("libsvn", "libsvn-doc", "doxygen", DOC + "libsvn-dev/html")
site("libvirt", "libvirt-doc", "libvirt", DOC + "libvirt-doc/html")
site("libwayland", "libwayland-doc", "docbook", DOC + "wayland/Wayland/en-US/html")
site("lilypond-fr", "lilypond-doc-html-fr", "texinfo-lilypond", DOC + "lilypond/html/Documentation")
site("nim", "nim-doc", "nim", DOC + "nim/html", releases=("bullseye", "bookworm"))
site("nsis", "nsis-doc", "plain", DOC + "nsis/Docs")
site("php-twig", "php-twig-doc", "sphinx", DOC + "php-twig/manual")
site("postfix", "postfix-doc", "plain", DOC + "postfix/html")
site("qtsensors5", "qtsensors5-doc-html", "qdoc", "usr/share/qt5/doc/qtsensors")
site("scons", "scons-doc", "docbook", DOC + "scons/HTML")
site("swi-prolog", "swi-prolog-doc", "swi-prolog", "usr/share/swi-prolog/doc/Manual")

# Source listings, searches, and indexes.
NO_PAGES = re.compile(
    r"(^|/)(search|class-use|src|_modules|_sources|_static)/"
    r"|(^|/)(genindex|py-modindex|search|index-all|allclasses|overview-tree|package-tree|help-doc|print|toc|doc-index)"
    r"(-[\w%.]*)?\.html$|(_source|_8h_source|-frame)\.html$"
)


# Packages.


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def fetch(folder, release, packages):
    """Downloads and unpacks the packages that are not there yet; returns their versions."""
    update(folder, release)
    debs = folder / "deb" / release
    debs.mkdir(parents=True, exist_ok=True)
    versions = {}
    for package in packages:
        if not list(debs.glob(f"{package}_*.deb")):
            run("apt-get", "-qq", *options(folder, release), "download", package, cwd=debs)
        [deb] = debs.glob(f"{package}_*.deb")
        unpacked = folder / "unpacked" / release / package
        if not unpacked.exists():
            unpacked.mkdir(parents=True)
            run("dpkg-deb", "-x", str(deb), str(unpacked))
        versions[package] = run("dpkg-deb", "-f", str(deb), "Version").strip()
    return versions


# Pages.

VOID = set("area base br col embed hr img input link meta param source track wbr".split())
HIDDEN = set("head title script style template noscript iframe object svg textarea select".split())


class Tree(html.parser.HTMLParser):
    """Elements as [tag, attributes, children]."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = ["", {}, []]
        self.stack, self.title = [self.root], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        element = [tag, {name: value or "" for name, value in attributes}, []]
        self.stack[-1][2].append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID and tag in ("script", "a", "p", "div", "span"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        for depth in range(len(self.stack) - 1, 0, -1):
            if self.stack[depth][0] == tag:
                del self.stack[depth:]
                return

    def handle_data(self, data):
        self.stack[-1][2].append(data)
        if self.stack[-1][0] == "title" and not self.title:
            self.title = " ".join(data.split())


def matches(element, selector):
    tag, attributes, _ = element
    if selector.startswith("["):
        name, value = selector[1:-1].split("=")
        return attributes.get(name) == value
    wanted, kind, value = re.fullmatch(r"([\w-]*)([.#]?)([\w-]*)", selector).groups()
    return (
        (not wanted or tag == wanted)
        and (kind != "#" or attributes.get("id") == value)
        and (kind != "." or value in attributes.get("class", "").split())
    )


def find(element, selector):
    """Returns the outermost elements of a selector, in order."""
    found, waiting = [], [element]
    while waiting:
        current = waiting.pop()
        if current is not element and matches(current, selector):
            found.append(current)
            continue
        waiting += [child for child in reversed(current[2]) if not isinstance(child, str)]
    return found


def visible(element, dropped):
    """Returns the text of an element without the parts that the selectors drop."""
    parts, waiting = [], [element]
    while waiting:
        current = waiting.pop()
        if isinstance(current, str):
            parts.append(current)
        elif current[0] in HIDDEN or any(matches(current, selector) for selector in dropped):
            continue
        else:
            space = "" if current[0] in INLINE else " "
            waiting += [space, *reversed(current[2]), space]
    return "".join(parts)


# A word, or a sign of Chinese, Japanese or Korean.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
VERSION = re.compile(r"\b[vV]?\d+(?:\.\d+)+(?:[-~+][\w.~+-]*\w)?")


def words(text):
    return WORD.findall(text.lower())


def masked(text):
    return words(re.sub(r"\d+", "0", VERSION.sub("V", text)))


def decoded(data):
    declared = re.search(rb"charset=[\"']?([\w-]+)", data[:2000])
    try:
        return data.decode(declared[1].decode() if declared else "utf-8", "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


class PageOf:
    def __init__(self, site, version, path, data, generator):
        self.site, self.version, self.path = site, version, path
        self.html = decoded(data)
        tree = Tree(self.html)
        self.title = tree.title
        contents, dropped = GENERATORS[generator]
        self.main, self.selector = None, None
        for selector in contents:
            if found := find(tree.root, selector):
                self.main = [word for element in found for word in masked(visible(element, dropped))]
                self.selector = selector
                break
        self.words = words(visible(tree.root, []))
        self.id = f"{site}:{hash_of(version, path)[:12]}"


def hash_of(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def lcs(a, b):
    """Returns the length of the longest common subsequence of words, with one bit for each word of a."""
    places = defaultdict(int)
    for place, word in enumerate(a):
        places[word] |= 1 << place
    every = (1 << len(a)) - 1
    row = every
    for word in b:
        held = row & places.get(word, 0)
        row = ((row + held) | (row - held)) & every
    return len(a) - row.bit_count()


def lcs_ratio(a, b):
    return 2 * lcs(a, b) / (len(a) + len(b))


def shingles(words):
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def is_within(one, other, common):
    short, long = sorted((one, other), key=lambda page: (len(page.main), page.id))
    named = set(masked(short.title)) - set(masked(long.title))
    return common >= 0.9 * len(short.main) and named <= set(long.main)


def jaccard(a, b):
    return len(a & b) / max(1, len(a | b))


# Pairs.


def pages_of(folder, name, versions):
    package, generator, sides = SITES[name]
    pages = {}
    for side, (release, root) in enumerate(sides):
        base = folder / "unpacked" / release / package / root
        for file in sorted(base.rglob("*.htm*")):
            path = re.sub(r"\.htm$", ".html", str(file.relative_to(base)))
            if file.is_symlink() or not file.is_file() or not path.endswith(".html") or NO_PAGES.search(path):
                continue
            if file.stat().st_size < LONGEST_FILE:
                pages[side, path] = file
    return pages


class SiteOf:
    """The pages of a site, each read when it is first needed."""

    def __init__(self, folder, name, versions):
        self.name, self.versions = name, versions
        self.generator = SITES[name][1]
        self.files, self.read = pages_of(folder, name, versions), {}
        self.missing = Counter()

    def page(self, side, path):
        """Returns a page, or nothing if it has too few words."""
        if (side, path) not in self.read:
            page = PageOf(self.name, self.versions[side], path, self.files[side, path].read_bytes(), self.generator)
            if page.main is None:
                self.missing[side] += 1
            self.read[side, path] = page if page.main and len(page.main) >= FEWEST_WORDS else None
        return self.read[side, path]


def pairs_of(site, most):
    """Yields (page, page, label, kind, main_lcs_masked, page_lcs) of a site; the label of undecided pairs is g."""
    order = lambda path: hash_of(site.name, path)  # noqa: E731
    paths = sorted({path for _, path in site.files}, key=order)
    near = 0
    for path in paths:
        if near == most:
            break
        if not all((side, path) in site.files for side in (0, 1)):
            continue
        one, other = site.page(0, path), site.page(1, path)
        if not one or not other:
            continue
        main, page = lcs_ratio(one.main, other.main), lcs_ratio(one.words, other.words)
        if main >= 0.98:
            near += 1
            kind = "same_page_masked_equal" if one.main == other.main else "same_page_small_edit"
            yield one, other, "1", kind + ("_layout_changed" if page < 0.7 else ""), main, page
        elif main < 0.4 and page < 0.5 and jaccard(shingles(one.main), shingles(other.main)) < 0.4:
            yield one, other, "0", "same_page_rewritten", main, page
        else:
            yield one, other, "g", "same_page", main, page
    folders = defaultdict(list)
    for side, path in sorted(site.files):
        folders[path.rpartition("/")[0]].append((side, path))
    done, hard = set(), 0
    for path in paths:
        if hard == most:
            break
        side = int(order(path)[-1], 16) % 2
        if (side, path) not in site.files:
            side = 1 - side
        one = site.page(side, path)
        if not one:
            continue
        others = [key for key in folders[path.rpartition("/")[0]] if key[1] != path]
        others.sort(key=lambda key: hash_of(site.name, path, str(key[0]), key[1]))
        others = [page for key in others[:SIBLINGS] if (page := site.page(*key))]
        if not others:
            continue
        of_one = shingles(one.words)
        other = max(others, key=lambda page: (jaccard(of_one, shingles(page.words)), page.id))
        names = {page.path.rpartition("/")[2] for page in (one, other)}
        if frozenset((one.id, other.id)) in done or (one.title == other.title and len(names) == 1):
            continue
        done.add(frozenset((one.id, other.id)))
        common = lcs(one.main, other.main)
        main, page = 2 * common / (len(one.main) + len(other.main)), lcs_ratio(one.words, other.words)
        if main < 0.8 and not is_within(one, other, common):
            hard += 1
            yield one, other, "0", "same_site_other_page_hard", main, page
        else:
            yield one, other, "g", "other_page", main, page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=50, metavar="N", help="pairs of a kind and a site")
    parser.add_argument("--sites", default=",".join(SITES), help="only these")
    arguments = parser.parse_args()
    names, folder = arguments.sites.split(","), arguments.folder

    wanted = defaultdict(set)
    for name in names:
        package, _, sides = SITES[name]
        for release, _ in sides:
            wanted[release].add(package)
    versions = {release: fetch(folder, release, sorted(packages)) for release, packages in wanted.items()}

    columns = "id1 id2 label kind site main_lcs_masked page_lcs\n".replace(" ", "\t")
    with (
        open(folder / "docs.jsonl", "w") as docs,
        open(folder / "pairs.tsv", "w") as pairs,
        open(folder / "pairs_grey.tsv", "w") as grey,
        open(folder / "groups.tsv", "w") as groups,
        open(folder / "sources.tsv", "w") as sources,
    ):
        pairs.write(columns)
        grey.write(columns)
        sources.write("site\tpackage\trelease\tversion\tpages\n")
        for name in names:
            package, _, sides = SITES[name]
            of_sides = [versions[release][package] for release, _ in sides]
            site = SiteOf(folder, name, of_sides)
            for side, (release, _) in enumerate(sides):
                pages = sum(key[0] == side for key in site.files)
                sources.write(f"{name}\t{package}\t{release}\t{of_sides[side]}\t{pages}\n")
            # For one package in three, both versions have the same address.
            same_url = list(SITES).index(name) % 3 == 0
            used, kinds = {}, Counter()
            for one, other, label, kind, of_main, of_page in pairs_of(site, arguments.pairs):
                if label == "g":
                    kinds["grey"] += 1
                else:
                    kinds[kind] += 1
                    used[one.id], used[other.id] = one, other
                line = [one.id, other.id, label, kind, name, f"{of_main:.4f}", f"{of_page:.4f}"]
                (grey if label == "g" else pairs).write("\t".join(line) + "\n")
            for page in used.values():
                version = "" if same_url else quote(page.version.partition(":")[2] or page.version) + "/"
                url = f"https://{name}.test/{version}{quote(page.path)}"
                source = f"{package} {page.version} {page.path}"
                docs.write(json.dumps({"id": page.id, "url": url, "source": source, "html": page.html}) + "\n")
                groups.write(f"{page.id}\t{name}\n")
            selectors = Counter(page.selector for page in site.read.values() if page)
            print(name, dict(kinds), len(used), "pages", dict(selectors), "without content:", sum(site.missing.values()))


if __name__ == "__main__":
    main()
