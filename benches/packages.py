#!/usr/bin/env python3
"""Makes a labelled set of documents of many kinds from Debian packages: pairs judged by reading.

    packages.py collect FOLDER                                      FOLDER/docs.jsonl, all documents
    packages.py draw FOLDER --nddb NDDB --seed 1 > drawn.tsv        pairs to be judged
    packages.py show FOLDER drawn.tsv --seed 1 --from 0 --to 20     pairs for the reader, without scores
    packages.py set FOLDER labels/packages.tsv OUT                  the labelled set

`collect` downloads packages of four Debian suites from the machine's own mirror (apt-get with lists of its own, in
FOLDER; signatures are checked with the machine's keyring), and unpacks them. From each package it takes HTML pages,
manual pages (as man shows them) and plain texts. The choice depends only on hashes of their paths; files that both
suites of a package have come first. An id is package, suite and hash of the path. Addresses are invented: in half of
the packages they name the suite or version. Pages have less than 400 kB, plain texts 120 to 200,000 characters. Suites
change over time: with a newer version of a package, some pages differ and some are missing. Needs apt-get, apt-cache,
dpkg-deb and man.

`draw` takes equal numbers of pairs from each range of Jaccard (of 5-grams of words of the visible texts) and, within a
range, from each kind, with at most 6 pairs per two packages and 2 per document. 10 further pairs have equal texts or
equal sets of 5-grams. Candidates are the pairs that share two of the 24 least hashes of their 5-grams, and the pairs
that nddb finds at any probability. For labels/packages.tsv, the first kind of candidates was different: pairs that
share a band of 128 min-hash values (32 bands of 4, and 64 of 2 if .15 or more of all values are equal) and at least .08
of all values.

`show` prints addresses, titles, headings, numbers of words and an abbreviated word diff of the visible texts. The order
of the pairs depends on the seed. The number of a pair is the number of its row, from 0.

`set` writes OUT/docs.jsonl (the labelled documents), OUT/pairs.tsv (id1, id2, label, kind; without undecided pairs) and
OUT/groups.tsv (id, package), for `nddb eval` and compare/score.py. If documents are missing, their pairs are left out,
a message says so, and the exit status is 1. Standard library only; the same packages give the same output.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
from crawl_labels import Page, read_rows, rendered  # noqa: E402
from debian import options, update  # noqa: E402
from plain_text import text_of  # noqa: E402
from score import Found, read_json_lines  # noqa: E402

SUITES = "bullseye bookworm trixie sid".split()
SHORT = {"u": "bullseye", "b": "bookworm", "t": "trixie", "s": "sid"}
HTML_MOST, TEXT_MOST, LEAST = 400_000, 200_000, 120
# Greatest number of documents per package, suite and form; how many of them must be in all suites of the package;
# number of plain texts of packages that are not about plain texts.
CAP, COMMON, TEXTS = 20, 16, 3
# kind, then package:suites[:site]. Suites by letter: u bullseye, b bookworm, t trixie, s sid.
PACKAGES = {
    "api": """junit4-doc:ut libjsoup-java-doc:ub libxom-java-doc:ub libservlet-api-java-doc:b libjaxen-java-doc:u
        liblog4j1.2-java-doc:ub libjdom1-java-doc:ut libhamcrest-java-doc:u libdom4j-java-doc:u
        libusb-1.0-doc:bs libftdi1-doc:ut libopus-doc:us portaudio19-doc:us libtheora-doc:bt siscone-doc-html:ut
        libnotify-doc:ub libsoup2.4-doc:ub libsoup-3.0-doc:ts libvte-2.91-doc:ut libportal-doc:bt libpanel-doc:bt
        libpeas-doc:bt:peas libpeas-2-doc:t:peas librsvg2-doc:us libwnck-3-dev:us
        python-click-doc:ub python-jinja2-doc:ut python-bottle-doc:ts python-attr-doc:ub python-requests-doc:bt
        python-whoosh-doc:us python-mako-doc:bs python-itsdangerous-doc:ub python-markdown-doc:ub
        python-pygments-doc:ub python-flask-doc:b python-werkzeug-doc:b
        yard-doc:bs libcalendar-ocaml-dev:ub libzarith-ocaml-doc:us libbatteries-ocaml-doc:ub
        libghc-split-doc:us libghc-random-doc:ub libghc-xml-doc:ut libghc-hashable-doc:ut libghc-conduit-doc:ts
        rust-doc:ub awesome-doc:us
        libkf5archive-doc:ub libkf5bookmarks-doc:ub libkf5solid-doc:bt libkf5notifications-doc:ub
        qtserialport5-doc-html:ut:qt qt6-serialport-doc-html:t:qt qtspeech5-doc-html:us qtwebchannel5-doc-html:ub""",
    "prose": """exim4-doc-html:ub leafnode:ub privoxy:bt fetchmail:bt postfix-doc:us autogen-doc:ut
        debian-kernel-handbook:us:kernel-handbook diffutils-doc:ut m4-doc:us docbook-xsl-doc-html:ub sgml-base-doc:us
        ntpsec-doc:bt tcl8.6-doc:us frr-doc:ub haskell98-tutorial:u pelican-doc:bt mkdocs-doc:ub cargo-doc:ub
        docbook-defguide:u docbook-dsssl-doc:b docutils-doc:us gap-polycyclic:us gap-autpgrp:u libmpfr-doc:us
        flex-doc:us elinks-doc:ut avrdude-doc:ub asciidoctor-doc:us nginx-doc:us ncurses-doc:bs xen-doc:bt
        zsh-doc:us""",
    "man": """manpages:us manpages-dev:bs mtools:us sysstat:bs procps:ut bsdextrautils:ut psmisc:us netpbm:bs
        nut-doc:ub""",
    "noneng": """manpages-de:us:manpages-l10n manpages-fr:bs:manpages-l10n manpages-es:ut:manpages-l10n
        manpages-ru:bs:manpages-l10n manpages-pl:bt:manpages-l10n manpages-it:us:manpages-l10n
        manpages-zh:us manpages-ja:ub debian-kernel-handbook-ja:u:kernel-handbook apt-doc:us live-manual-html:ut
        harden-doc:us xsane-common:us brltty:us w3m:us dokuwiki:bs""",
    "site": """ikiwiki:bt crossfire-doc:us phylip:ut lirc-doc:us hplip-doc:us libsane-common:ut
        gpsbabel-doc:ub python-pygame-doc:ub docbook-website:bt
        docbook-slides-demo:u lynx-common:us jedit:b texmaker-data:u icewm-common:us
        dhelp:us crawl-common:us abs-guide:us pysolfc:u sgt-puzzles:us ace-of-penguins:ut lbreakout2-data:u
        libjs-jquery-ui-docs:us libjs-bootstrap5-doc:bt pcp-doc:bt gri-html-doc:us netgen-doc:us exosphere-doc:s
        sphinx-book-theme-doc:t tworld:u fvwm:us lincity:u debian-package-book-en-us:t""",
    "text": """fortunes:us fortunes-de:us fortunes-es:us fortunes-it:us fortunes-ru:u fortunes-cs:u fortunes-pl:u
        fortunes-br:us fortunes-debian-hints:us fortunes-bofh-excuses:u miscfiles:us dict-elements:us
        display-dhammapada:us live-manual-txt:ub angband:ut moria:us nethack-common:ut slashem-common:u
        xscorch:u dopewars:us bsdgames:us gtypist:us frotz:us hwdata:us mc-data:us""",
}
# Families of small packages by one team: name, suites. Only their plain texts and manual pages are taken.
FAMILIES = {
    r"node-[a-z-]+": "ut", r"lib[a-z-]+-perl": "us", r"r-cran-[a-z]+": "bs", r"ruby-[a-z-]+": "ub",
    r"golang-github-[a-z-]+-dev": "bs", r"librust-[a-z-]+-dev": "bs", r"php-[a-z-]+": "us", r"python3-[a-z-]+": "ut",
    r"fonts-[a-z-]+": "us", r"hunspell-[a-z-]+": "us", r"libjs-[a-z-]+": "bs",
}
OF_FAMILY, FAMILY_SIZE = 6, 120_000
# Projects that are in the set wild-dev.
BARRED = re.compile("commons-(lang|codec|io)|openstack|guice|criterion|quiche|errno|kaitai|evdev|gcrypt")
# Plain texts outside usr/share/doc.
MORE_TEXT = re.compile(
    r"^usr/(share/)?(games/)?(share/)?(games/)?fortunes/|/dokuwiki/inc/lang/.*\.txt$"
    r"|/crawl/dat/(descript|database)/.*txt$|/mc/help/|/angband/.*\.txt$|/misc/[a-z]|/nethack/|/miscfiles/"
    r"|/gtypist/.*typ$|/mc/hints/|/display-dhammapada"
)
DOC_NAME = re.compile(
    "(README|NEWS|changelog|copyright|FAQ|HOWTO|INSTALL|TODO|AUTHORS|HISTORY|BUGS|THANKS)", re.IGNORECASE
)
DOC_END = re.compile(r"\.(txt|text|rst|md|asc|adoc|fr|de|es|ja|it|ru|pl|pt|cs|zh_CN)$", re.IGNORECASE)
ENGLISH = set("the of and to is in a for be this with that or it by are on as if".split())
FOREIGN = set(
    "der die das und ist nicht ein eine zu den von mit auf le la les des et est une pour dans du que el los "
    "las una para con por del il di che per non sono della o os um uma não na w z nie się jest že je v och "
    "att det som en de het van és".split()
)
# Constants of `draw`.
EDGES = (0.2, 0.4, 0.6, 0.8, 0.95)
RANGES = ["0-.2", ".2-.4", ".4-.6", ".6-.8", ".8-.95", ".95-1"]
# Chinese, Japanese, Korean and Thai have no spaces: a character is a word.
SIGNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WORD = re.compile(f"[{SIGNS}\u0e00-\u0e7f]|(?:(?![{SIGNS}\u0e00-\u0e7f])\\w)+")
SIGN = re.compile(f"([{SIGNS}])")
LEAST_HASHES, SHARED, BUCKET_MOST, GROUP_MOST = 24, 2, 60, 3_000
PER_GROUP, PER_DOCUMENT, IDENTICAL = 6, 2, 10
# Constant of `show`: words of a document that are compared.
SHOWN_WORDS = 12_000


def digest(text):
    """Returns the hash of a text, as hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


# Packages.


def available(folder, suite):
    """Returns source, version and size by package of a suite; downloads its lists where they are missing."""
    update(folder, suite)
    command = ["apt-cache", *options(folder, suite), "dumpavail"]
    packages = {}
    for part in subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.split("\n\n"):
        of = dict(re.findall(r"^(Package|Source|Version|Size): (\S+)", part, re.M))
        if "Package" in of:
            packages[of["Package"]] = of.get("Source", of["Package"]), of["Version"], int(of.get("Size", 0))
    return packages


def planned(known):
    """Returns (package, kind, suites, site, whether it is of a family) of all packages."""
    plan = []
    for kind, rows in PACKAGES.items():
        for row in rows.split():
            name, letters, *site = row.split(":")
            plan.append((name, kind, [SHORT[letter] for letter in letters], site[0] if site else None, False))
    taken = {row[0] for row in plan}
    for pattern, letters in FAMILIES.items():
        suites = [SHORT[letter] for letter in letters]
        names = [name for name in known[suites[0]] if re.fullmatch(pattern, name) and name not in taken]
        names = [name for name in names if not BARRED.search(name)]
        names = [name for name in names if all(0 < known[s].get(name, (0, 0, 0))[2] < FAMILY_SIZE for s in suites)]
        plan += [(name, "text", suites, None, True) for name in sorted(names, key=digest)[:OF_FAMILY]]
    return plan


def download(folder, plan, known):
    """Downloads missing packages, and names those that a suite does not have."""
    for suite in SUITES:
        at = folder / "debs" / suite
        at.mkdir(parents=True, exist_ok=True)
        wanted = [name for name, _, suites, *_ in plan if suite in suites]
        if lacking := [name for name in wanted if name not in known[suite]]:
            print("not in", suite, *lacking, file=sys.stderr)
        wanted = [name for name in wanted if name in known[suite] and not list(at.glob(f"{name}_*.deb"))]
        for start in range(0, len(wanted), 20):
            command = ["apt-get", *options(folder, suite), "-qq", "download", *wanted[start : start + 20]]
            subprocess.run(command, cwd=at, check=False)


def unpack_help(path):
    """Writes the pages of a compressed Qt help file into a folder beside it."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
        query = "SELECT Name, Data FROM FileNameTable JOIN FileDataTable ON FileId = Id"
        for name, data in base.execute(query):
            if name.endswith((".html", ".htm")) and ".." not in name and not name.startswith("/"):
                file = path.with_suffix("") / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(zlib.decompress(data[4:]))


def unpacked(folder, suite, name, deb):
    """Returns the folder of the files of a package, unpacked where it is missing."""
    tree = folder / "trees" / suite / name
    if not tree.exists():
        tree.mkdir(parents=True)
        subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
        for help_file in sorted(tree.rglob("*.qch")):
            unpack_help(help_file)
    return tree


# Documents.


def form_of(path, is_family):
    """Returns html, man, text or nothing."""
    name = path.rsplit("/", 1)[-1]
    bare = name[:-3] if name.endswith(".gz") else name
    if re.search(r"\.[xs]?html?(\.[a-z]{2}(-[a-z]{2})?)?$", bare, re.I):
        return None if is_family else "html"
    if "/man/" in path and re.search(r"\.[1-9n][a-z]*$", bare):
        return "man"
    if path.startswith("usr/share/doc/"):
        if DOC_END.search(bare):
            return "text"
        if DOC_NAME.match(bare):
            return None if re.search(r"\.(pdf|ps|png|gif|jpg|css|js|xml|svg|sgml|tex)$", bare) else "text"
        return None
    if MORE_TEXT.search(path) and not re.search(r"\.(dat|u8|db|png|gif|cache)$", bare):
        return "text"
    return None


def key(path):
    """Returns a path without versions."""
    return re.sub(r"\d+(\.\d+)+", "V", path)


def chosen(files_of_suite, cap, common):
    """Returns paths by suite, in the order of hashes, with the paths that all suites have first."""
    if not cap:
        return {suite: [] for suite in files_of_suite}
    keys = {}
    for suite, paths in files_of_suite.items():
        counts = Counter(map(key, paths))
        keys[suite] = {key(path) if counts[key(path)] == 1 else path: path for path in paths}
    shared = sorted(set.intersection(*map(set, keys.values())), key=digest)[:common]
    out = {}
    for suite, of in keys.items():
        others = sorted(set(of) - set(shared), key=digest)
        out[suite] = [of[one] for one in (shared + others)[:cap]]
    return out


def picked(of_suite, form, name, kind, is_family):
    """Returns the chosen ones of all paths of a form, by suite."""
    if form == "html":
        return chosen(of_suite, CAP, COMMON)
    if form == "man" and (kind in ("man", "noneng") or name in ("tcl8.6-doc", "ncurses-doc")):
        return chosen(of_suite, CAP, COMMON)
    if form == "text" and (
        kind == "text" and not is_family or name in ("dokuwiki", "crawl-common", "brltty", "ikiwiki")
    ):
        return chosen(of_suite, 18, 16)
    # Only few texts of packages of other kinds: the licence and some others.
    rest = {suite: [path for path in paths if not path.endswith("/copyright")] for suite, paths in of_suite.items()}
    picks = chosen(rest, TEXTS - 1, TEXTS - 1)
    for suite, paths in of_suite.items():
        picks[suite] += [path for path in paths if path.endswith("/copyright")]
    return picks


def files_of(folder, plan, known):
    """Yields the chosen files: (file, package, kind, suite, name of the .deb, path, form, site)."""
    for name, kind, suites, site, is_family in plan:
        debs = {suite: deb for suite in suites for deb in (folder / "debs" / suite).glob(f"{name}_*.deb")}
        if not debs:
            continue
        files = defaultdict(lambda: {suite: [] for suite in debs})
        trees = {suite: unpacked(folder, suite, name, deb) for suite, deb in debs.items()}
        for suite, tree in trees.items():
            for file in sorted(tree.rglob("*")):
                if not file.is_symlink() and file.is_file():
                    path = str(file.relative_to(tree))
                    if form := form_of(path, is_family):
                        files[form][suite].append(path)
        site = site or known[next(iter(debs))][name][0]
        for form, of_suite in sorted(files.items()):
            for suite, paths in picked(of_suite, form, name, kind, is_family).items():
                for path in paths:
                    yield trees[suite] / path, name, kind, suite, debs[suite].name, path, form, site


def decoded(data, path, is_html):
    """Decodes a document by the character set that it declares, or by the usual one of its language."""
    named = re.search(rb"charset=[\"']?([\w-]+)", data[:4096], re.I) if is_html else None
    guesses = [named[1].decode()] if named else []
    if "ja" in path or ".jp" in path:
        guesses += ["utf-8", "euc-jp"]
    elif "zh" in path:
        guesses += ["utf-8", "gb18030"]
    elif "ru" in path.split("/")[-1]:
        guesses += ["utf-8", "koi8-r"]
    for guess in [*guesses, "utf-8", "latin-1"]:
        try:
            return data.decode(guess)
        except (LookupError, UnicodeDecodeError):
            pass


def manual_page(path, data):
    """Returns a manual page as text."""
    if data.startswith(b".so ") or b"\n.so " in data[:300]:
        return ""
    language = re.search(r"man/([a-z]{2}(?:_[A-Z]{2})?)[./]", str(path))
    environment = {
        "PATH": "/usr/bin:/bin", "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": "",
        "GROFF_NO_SGR": "1", "MANPAGER": "cat",
    }
    command = ["man", "-E", "UTF-8", "--no-hyphenation", "--no-justification", "-l"]
    if language:
        command += ["-L", language[1]]
    try:
        out = subprocess.run([*command, str(path)], capture_output=True, env=environment, timeout=60).stdout
    except subprocess.TimeoutExpired:
        return ""
    text = out.decode("utf-8", "replace")
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(".\x08", "", text))


def is_english(text, is_html):
    """Whether enough words are frequent English words, or the text is too short or too formal to tell."""
    if is_html:
        text = re.sub(r"(?is)<(script|style|head).*?</\1>|<[^>]*>|&\w+;", " ", text)
    letters = [of for of in text if of.isalpha()]
    if sum(of > "\u0250" for of in letters) > 0.25 * len(letters):
        return False
    words = re.findall(r"[^\W\d_]+", text.lower())
    foreign = sum(of in FOREIGN for of in words)
    return len(words) < 30 or foreign <= 0.04 * len(words) or sum(of in ENGLISH for of in words) > foreign


def kind_of(kind, form, text):
    """Returns the kind of a document of a package of a kind."""
    if not is_english(text, form == "html"):
        return "noneng"
    if form != "html":
        return form
    return "prose" if kind in ("noneng", "man", "text") else kind


def address_of(name, suite, deb, path, site):
    """Returns the address of a document. For half of the packages it contains the suite or the version."""
    address = re.sub(r"^usr/(share/)?(doc/)?", "", path).removesuffix(".gz")
    if int(digest(name)[:2], 16) % 2 == 1:
        version = re.sub(r"%3a", "-", re.sub(r"[^\w.%-]", "-", deb.split("_")[1]))
        address = f"{suite if int(digest(name)[2:4], 16) % 2 else version}/{address}"
    return f"https://{site}.test/{address}"


def document_of(row):
    """Returns the document of a file, or nothing if it is too short, too long or no text."""
    file, name, kind, suite, deb, path, form, site = row
    data = file.read_bytes()
    if path.endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except OSError:
            return None
    if len(data) > (HTML_MOST if form == "html" else 5 * TEXT_MOST) or b"\0" in data[:2000]:
        return None
    text = manual_page(file, data) if form == "man" else decoded(data, path, form == "html")
    text = text.replace("\r\n", "\n")
    if form != "html" and not LEAST <= len(text) <= TEXT_MOST:
        return None
    return {
        "id": f"{name}:{suite}:{digest(path)[:8]}",
        "url": address_of(name, suite, deb, path, site),
        "source": f"debian:{deb}:{path}",
        "kind_hint": kind_of(kind, form, text),
        "html" if form == "html" else "text": text,
    }


def collect(folder):
    """Writes docs.jsonl and prints counts."""
    known = {suite: available(folder, suite) for suite in SUITES}
    plan = planned(known)
    download(folder, plan, known)
    counts, written = defaultdict(Counter), set()
    with ThreadPoolExecutor(2) as pool, open(folder / "docs.jsonl", "w", encoding="utf-8") as file:
        for document in pool.map(document_of, files_of(folder, plan, known)):
            if document and document["id"] not in written:
                written.add(document["id"])
                file.write(json.dumps(document, ensure_ascii=False) + "\n")
                counts[package_of(document["id"])][document["kind_hint"]] += 1
    for name, of in sorted(counts.items()):
        print(name, *(f"{kind}:{number}" for kind, number in sorted(of.items())), sep="\t")
    total = sum(counts.values(), Counter())
    print("packages", len(counts), "documents", total.total(), dict(sorted(total.items())))


# Pairs.


def package_of(document):
    """Returns the package of an id."""
    return document.split(":")[0]


def hashes_of(text):
    """Returns the hashes of the 5-grams of a text, in order; a text of fewer than five words has one."""
    words = WORD.findall(text.lower())
    parts = {" ".join(words[at : at + 5]) for at in range(max(1, len(words) - 4))} if words else ()
    number = lambda part: int.from_bytes(hashlib.blake2b(part.encode(), digest_size=8).digest(), "big")
    return array("Q", sorted({number(part) for part in parts}))


class Corpus:
    """The data about all documents that `draw` needs."""

    def __init__(self, documents):
        self.ids, self.kinds, self.hashes, self.texts = [], [], [], []
        for document in documents:
            text = text_of(document["html"]) if "html" in document else document["text"]
            self.ids.append(document["id"])
            self.kinds.append(document["kind_hint"])
            self.hashes.append(hashes_of(text))
            self.texts.append(digest(" ".join(text.split())))
        self.set_of = lru_cache(256)(lambda number: frozenset(self.hashes[number]))

    def similar(self, chance):
        """Returns pairs that share some of their least hashes, of a sample if very many documents have a hash."""
        buckets, shared = defaultdict(list), Counter()
        for number, hashes in enumerate(self.hashes):
            for one in hashes[:LEAST_HASHES]:
                buckets[one].append(number)
        for bucket in buckets.values():
            if len(bucket) > BUCKET_MOST:
                bucket = sorted(chance.sample(bucket, BUCKET_MOST))
            shared.update(combinations(bucket, 2))
        size = lambda pair: min(len(self.hashes[number]) for number in pair)
        return {pair for pair, count in shared.items() if count >= min(SHARED, size(pair))}

    def stratum(self, a, b):
        """Returns the range of Jaccard and the kind of a pair."""
        both = len(self.set_of(a) & self.set_of(b))
        union = len(self.hashes[a]) + len(self.hashes[b]) - both
        jaccard = both / union if union else 1.0
        is_equal = self.texts[a] == self.texts[b] or jaccard == 1.0
        kinds = {self.kinds[a], self.kinds[b]}
        kind = kinds.pop() if len(kinds) == 1 else "noneng" if "noneng" in kinds else "mixed"
        return "identical" if is_equal else RANGES[bisect_right(EDGES, jaccard)], kind


def of_nddb(nddb, folder):
    """Returns the pairs of ids that nddb finds at any probability."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        base, out = Path(work) / "all.nddb", Path(work) / "pairs.tsv"
        subprocess.run([nddb, "create", base], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([nddb, "load", base, folder / "docs.jsonl", "-q"], check=True, stdout=subprocess.DEVNULL)
        command = [nddb, "pairs", base, "--set", "probability=0", "--expand", "--format", "tsv", "-o", out]
        subprocess.run(command, check=True)
        with open(out, encoding="utf-8") as lines:
            return [tuple(pair) for pair in Found(lines).pairs if len(pair) == 2]


def strata_of(corpus, candidates, chance):
    """Returns pairs (a, b, packages) by stratum. If two packages have very many pairs, a sample of these is used."""
    groups, strata = defaultdict(list), defaultdict(list)
    for pair in sorted(candidates):
        groups[tuple(sorted(package_of(corpus.ids[number]) for number in pair))].append(pair)
    for group, pairs in sorted(groups.items()):
        for pair in sorted(chance.sample(pairs, min(len(pairs), GROUP_MOST))):
            strata[corpus.stratum(*pair)].append((*pair, group))
    return strata


class Draw:
    """Draws pairs from strata, from packages in turn, within the limits per packages and per document."""

    def __init__(self, strata, chance):
        self.queues, self.drawn = {}, defaultdict(list)
        self.per_group, self.per_document = Counter(), Counter()
        for stratum, rows in sorted(strata.items()):
            by_group, turns = defaultdict(list), []
            for row in rows:
                by_group[row[2]].append(row)
            for _, of in sorted(by_group.items()):
                chance.shuffle(of)
                turns += [(turn, chance.random(), row) for turn, row in enumerate(of)]
            self.queues[stratum] = [row for *_, row in sorted(turns, reverse=True)]

    def take(self, stratum):
        """Draws one pair of a stratum; returns whether there was one."""
        while self.queues[stratum]:
            a, b, group = row = self.queues[stratum].pop()
            if self.per_group[group] < PER_GROUP and max(self.per_document[a], self.per_document[b]) < PER_DOCUMENT:
                self.per_group[group] += 1
                self.per_document.update((a, b))
                self.drawn[stratum].append(row)
                return True
        return False

    def take_of_range(self, name, count):
        """Draws pairs of a range, equal numbers of each kind as far as it has them; returns how many."""
        done, open_strata = 0, sorted(stratum for stratum in self.queues if stratum[0] == name)
        while done < count and open_strata:
            least = min(open_strata, key=lambda stratum: len(self.drawn[stratum]))
            if self.take(least):
                done += 1
            else:
                open_strata.remove(least)
        return done


def drawn_of(strata, count, chance):
    """Returns rows (a, b, kind, range) in an order that does not reveal the stratum."""
    draw = Draw(strata, chance)
    left = count - draw.take_of_range("identical", min(IDENTICAL, count))
    # Rare ranges come first, so that common ranges do not use up their documents. Pairs that one range lacks are drawn
    # from the others.
    rarity = lambda name: sum(len(rows) for stratum, rows in strata.items() if stratum[0] == name)
    for others, name in zip(range(len(RANGES), 0, -1), sorted(RANGES, key=rarity)):
        left -= draw.take_of_range(name, -(-left // others))
    rows = [(*row[:2], kind, name) for (name, kind), of in sorted(draw.drawn.items()) for row in of]
    chance.shuffle(rows)
    return rows


def draw_pairs(folder, nddb, count, seed):
    """Prints drawn pairs: id1, id2, kind, range of Jaccard."""
    chance, corpus = random.Random(seed), Corpus(read_json_lines(folder / "docs.jsonl"))
    at = {document: number for number, document in enumerate(corpus.ids)}
    candidates = corpus.similar(chance)
    candidates |= {tuple(sorted((at[a], at[b]))) for a, b in of_nddb(nddb, folder)}
    rows = drawn_of(strata_of(corpus, candidates, chance), count, chance)
    print(f"{len(candidates)} candidates, {len(rows)} pairs", file=sys.stderr)
    print("id1", "id2", "kind", "jaccard", sep="\t")
    for a, b, kind, name in rows:
        sides = [corpus.ids[a], corpus.ids[b]]
        chance.shuffle(sides)
        print(*sides, kind, name, sep="\t")


# Labels.


class Text:
    """A plain text: no title, no headings."""

    def __init__(self, text):
        self.title, self.headings, self.words = "(plain text)", [], text.split()


def page_of(document):
    """Returns title, headings and the first words of a document."""
    page = Page(document["html"]) if "html" in document else Text(document["text"])
    page.words = [part for word in page.words for part in SIGN.sub(r" \1 ", word).split()]
    if len(page.words) > SHOWN_WORDS:
        page.title += f" (only the first {SHOWN_WORDS} of {len(page.words)} words are compared)"
        page.words = page.words[:SHOWN_WORDS]
    return page


def show(folder, labels, seed, first, to):
    """Prints pairs to be judged, and names the pairs with missing documents."""
    rows = read_rows(labels)
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    order = order[first:to]
    wanted = {rows[number][side] for number in order for side in ("id1", "id2")}
    pages, addresses = {}, {}
    for document in read_json_lines(folder / "docs.jsonl"):
        if document["id"] in wanted:
            pages[document["id"]], addresses[document["id"]] = page_of(document), document["url"]
    for number in order:
        ids = rows[number]["id1"], rows[number]["id2"]
        if missing := [document for document in ids if document not in pages]:
            print(f"{number}: not in docs.jsonl:", *missing, file=sys.stderr)
            continue
        head, _, _, rest = rendered(number, ids, pages).split("\n", 3)
        print(head, *(addresses[document] for document in ids), rest, sep="\n", end="\n\n")


def make_set(folder, labels, out):
    """Writes the labelled set; returns a message about missing documents, or nothing."""
    rows = read_rows(labels)
    wanted, found = {row[side] for row in rows for side in ("id1", "id2")}, []
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "docs.jsonl", "w", encoding="utf-8") as file:
        for document in read_json_lines(folder / "docs.jsonl"):
            if document["id"] in wanted:
                found.append(document["id"])
                file.write(json.dumps(document, ensure_ascii=False) + "\n")
    missing = wanted.difference(found)
    decided = [row for row in rows if row["label"] != "g"]
    kept = [row for row in decided if not {row["id1"], row["id2"]} & missing]
    with open(out / "pairs.tsv", "w", encoding="utf-8") as file:
        for row in [dict(zip(columns := ("id1", "id2", "label", "kind"), columns)), *kept]:
            print(row["id1"], row["id2"], row["label"], row["kind"], sep="\t", file=file)
    with open(out / "groups.tsv", "w", encoding="utf-8") as file:
        file.writelines(f"{document}\t{package_of(document)}\n" for document in found)
    print(f"{out}: {len(found)} documents, {len(kept)} pairs")
    if missing:
        parts = f"{len(missing)} of {len(wanted)} documents of the labels", f"{len(decided) - len(kept)} pairs"
        return f"{parts[0]} are missing, with {parts[1]} of {len(decided)}: {', '.join(sorted(missing)[:3])} .."
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    about = {"collect": "write docs.jsonl", "draw": "draw pairs", "show": "print pairs", "set": "write a labelled set"}
    step = {name: steps.add_parser(name, help=text) for name, text in about.items()}
    for of in step.values():
        of.add_argument("folder", type=Path)
    step["draw"].add_argument("--nddb", default="nddb", help="the program")
    step["draw"].add_argument("--count", type=int, default=480)
    step["draw"].add_argument("--seed", type=int, default=1)
    step["show"].add_argument("labels", type=Path)
    step["show"].add_argument("--seed", type=int, default=1, help="decides the order")
    step["show"].add_argument("--from", dest="first", type=int, default=0)
    step["show"].add_argument("--to", type=int)
    step["set"].add_argument("labels", type=Path)
    step["set"].add_argument("out", type=Path)
    arguments = parser.parse_args()
    if arguments.step == "collect":
        collect(arguments.folder)
    elif arguments.step == "draw":
        draw_pairs(arguments.folder, arguments.nddb, arguments.count, arguments.seed)
    elif arguments.step == "show":
        show(arguments.folder, arguments.labels, arguments.seed, arguments.first, arguments.to)
    else:
        sys.exit(make_set(arguments.folder, arguments.labels, arguments.out))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        pass
