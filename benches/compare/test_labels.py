"""Tests of labels and of the scripts that make them: `python3 -m unittest discover -s benches/compare`."""

import contextlib
import gzip
import io
import json
import math
import random
import re
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import crawl_labels  # noqa: E402
import packages  # noqa: E402
import template_pages  # noqa: E402
from crawl_labels import STRATA, Page, agreement, bins, diff, draw, intervals, measures  # noqa: E402
from crawl_labels import read_pages, read_pairs, read_rows, settled, shares, slope  # noqa: E402
from kafka_labels import labelled  # noqa: E402
from score import read_labels  # noqa: E402

LABELS = Path(__file__).resolve().parent.parent / "labels"


def many(of):
    """Returns the given number of pairs (ids, probability) for each probability."""
    return {(f"a{p}-{n}", f"b{p}-{n}"): p for p, count in of.items() for n in range(count)}


class Draws(unittest.TestCase):
    def test_strata_are_drawn_equally_as_far_as_they_have_pairs(self):
        self.assertEqual(shares([100, 3, 100, 0], 23), [10, 3, 10, 0])
        self.assertEqual(shares([2, 1], 10), [2, 1])

    def test_weights_add_up_to_the_candidates_and_the_seed_decides(self):
        pairs = many({0.01: 50, 0.3: 700, 0.5: 7, 0.99: 40})
        rows = draw(pairs, 40, 1)
        counts = Counter(stratum for *_, stratum, _ in rows)
        self.assertEqual(counts, {STRATA[0]: 11, STRATA[2]: 11, STRATA[3]: 7, STRATA[5]: 11})
        self.assertAlmostEqual(sum(row[3] for row in rows), len(pairs))
        self.assertEqual(rows, draw(pairs, 40, 1))
        self.assertNotEqual(rows, draw(pairs, 40, 2))
        self.assertNotEqual(rows, sorted(rows, key=lambda row: STRATA.index(row[2])))

    def test_groups_are_no_pairs_and_ids_are_ordered(self):
        lines = ["a\tb\tmethod\tprobability", "#identity\t2\tx\tx\ty", "z\ty\tmodel\t0.25", "#hot\t2\tv\tv\tw"]
        self.assertEqual(read_pairs(f"{line}\n" for line in lines), {("y", "z"): 0.25})


class Shown(unittest.TestCase):
    def test_title_headings_and_text_of_a_page_come_from_its_record(self):
        body = "<title>A &amp; B</title><h1>One<br>two</h1><p>caf\xe9 <b>x</b></p><script>no</script>".encode("latin-1")
        record = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n" + body
        head = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/%d\r\nContent-Length: %d\r\n\r\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.warc.gz"
            path.write_bytes(b"".join(gzip.compress(head % (n, len(record)) + record + b"\r\n\r\n") for n in (1, 2)))
            pages = read_pages(path, {"http://a/2"})
        self.assertEqual(list(pages), ["http://a/2"])
        page = pages["http://a/2"]
        self.assertEqual((page.title, page.headings), ("A & B", ["One"]))
        self.assertEqual(page.words, ["#", "One", "two", "caf\xe9", "x"])

    def test_templates_are_text_where_a_page_has_little_other(self):
        template = '<script id="x" type="text/x-handlebars-template"><h2>One</h2><p>two</p></script>'
        text = ["other"] * 50
        for html, words in (
            (template, ["#", "One", "two"]),
            ("<p>other" + template, ["other", "#", "One", "two"]),
            (f"<p>{' '.join(text)}{template}", text),
            ("<script>no", []),
        ):
            self.assertEqual(Page(html).words, words, html)

    def test_a_diff_counts_and_abbreviates(self):
        a = "one two three four five six seven eight nine ten eleven twelve end".split()
        b = ["one", "2", *a[2:], *["more"] * 100]
        only_a, only_b, both, text = diff(a, b)
        self.assertEqual((only_a, only_b, both), (1, 101, 12))
        self.assertIn("one [-two-] {+2+} three four five six ..3.. ten eleven twelve end {+more", text)
        self.assertIn("..60.. more", text)
        self.assertLess(len(text.split()), 70)

    def test_of_many_differences_the_longest_are_shown(self):
        a = [word for n in range(50) for word in (f"x{n}", "same", f"s{n}")]
        b = ["long" if n == 30 else word for n, word in enumerate(a)] + ["tail"] * 5
        b = [f"y{word}" if word.startswith("x") else word for word in b]
        text = diff(a, b)[3]
        self.assertIn("{+tail tail tail tail tail+}", text)
        self.assertIn("[~]", text)
        self.assertRegex(text, r"\(\d+ more\)$")

    def test_nothing_that_is_shown_says_how_likely_a_pair_is(self):
        pages = {address: Page(f"<title>{address}</title><p>some words") for address in ("u", "v")}
        lines = ["== 3", "u", "v", "title: u | v", "words: 0 only in a, 0 only in b, 2 in both", "..2.."]
        self.assertEqual(crawl_labels.rendered(3, ("u", "v"), pages).split("\n"), lines)


class Settled(unittest.TestCase):
    def test_a_third_look_decides_where_passes_differ(self):
        rows = [{"id1": str(n)} for n in range(3)]
        passes = ({0: "1", 1: "0", 2: "g"}, {0: "1", 1: "1", 2: "0"})
        self.assertEqual(settled(rows, passes, {})[1], [1, 2])
        out, undecided = settled(rows, passes, {1: "0", 2: "g", 0: "0"})
        self.assertEqual(([row["label"] for row in out], undecided), (["1", "0", "g"], []))

    def test_agreement_is_beyond_chance(self):
        self.assertEqual(agreement("1010", "1010"), (1.0, 1.0))
        equal, kappa = agreement("1100", "1010")
        self.assertEqual((equal, kappa), (0.5, 0.0))


class Scores(unittest.TestCase):
    def test_measures_are_weighted(self):
        pairs = [(0.9, True, 1.0), (0.8, False, 3.0), (0.1, True, 4.0), (0.2, False, 2.0)]
        of = measures(pairs)
        self.assertEqual((of["precision"], of["recall"], of["F1"]), (0.25, 0.2, 2 / 9))
        self.assertAlmostEqual(of["Brier"], (0.01 + 3 * 0.64 + 4 * 0.81 + 2 * 0.04) / 10)
        doubled = [pair[:2] + (1.0,) for pair in pairs for _ in range(int(pair[2]))]
        for name, value in measures(doubled).items():
            self.assertAlmostEqual(value, of[name], msg=name)

    def test_a_slope_is_one_of_true_probabilities_and_a_half_of_bold_ones(self):
        for bold, expected in ((1, 1), (2, 0.5)):
            pairs = []
            for percent in range(5, 100, 10):
                p = 1 / (1 + (percent / (100 - percent)) ** -bold)
                pairs += [(p, True, float(percent)), (p, False, float(100 - percent))]
            self.assertAlmostEqual(slope(pairs), expected, places=2)
        self.assertIsNone(slope([(0.5, True, 1.0)]))
        self.assertIsNone(slope([(0.6, True, 1.0), (0.5, False, 1.0), (0.9, True, 1.0)]))

    def test_bins_have_equal_weight(self):
        pairs = [(0.1, False, 6.0), (0.5, True, 2.0), (0.9, True, 2.0)]
        listed = bins(pairs)
        self.assertEqual(len(listed), 5)
        for (p, near), expected in zip(listed, [(0.1, 0), (0.1, 0), (0.1, 0), (0.5, 1), (0.9, 1)]):
            self.assertTrue(math.isclose(p, expected[0]) and math.isclose(near, expected[1]), listed)

    def test_an_interval_of_draws_holds_the_value_and_is_the_same_each_time(self):
        pairs = [(0.9, n % 4 > 0, 1.0) for n in range(40)] + [(0.1, n % 10 == 0, 5.0) for n in range(40)]
        strata = ["high"] * 40 + ["low"] * 40
        ends = intervals(pairs, strata, range(80), 1)
        self.assertEqual(ends, intervals(pairs, strata, range(80), 1))
        for name, value in measures(pairs).items():
            self.assertTrue(ends[name][0] < value < ends[name][1], (name, value, ends[name]))
        self.assertEqual(intervals(pairs, strata, [0] * 80, 1), {})

    def test_what_no_draw_has_shown_may_be_hidden(self):
        # If none of 40 drawn components has an error, up to 8.8% may be wrong; after one component, any share may be.
        pairs = [(0.9, True, 1.0)] * 40 + [(0.1, False, 10.0)] * 40
        strata = ["high"] * 40 + ["low"] * 40
        ends = intervals(pairs, strata, range(80), 1)
        hidden = 1 - 0.025 ** (1 / 40)
        self.assertAlmostEqual(ends["precision"][0], 1 - hidden)
        self.assertAlmostEqual(ends["recall"][0], 40 / (40 + 400 * hidden))
        self.assertAlmostEqual(ends["F1"][0], 80 / (80 + 400 * hidden))
        self.assertNotIn("slope", ends)
        ends = intervals(pairs, strata, [0] * 40 + list(range(1, 41)), 1)
        self.assertAlmostEqual(ends["precision"][0], 0.025)

    def test_what_is_no_candidate_is_not_found(self):
        rows = [
            {"id1": "a", "id2": "b", "stratum": STRATA[5], "weight": "2", "label": "1"},
            {"id1": "c", "id2": "d", "stratum": STRATA[5], "weight": "2", "label": "1"},
            {"id1": "e", "id2": "f", "stratum": STRATA[0], "weight": "1", "label": "g"},
        ]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            crawl_labels.report(rows, {("a", "b"): 0.99, ("e", "f"): 0.01}, 1, True)
        self.assertIn("| recall | .500 |", out.getvalue())
        self.assertIn("undecided: .200 by weight", out.getvalue())
        self.assertIn("missed\t0.0000\tc\td", out.getvalue())


class Labels(unittest.TestCase):
    def test_labels_are_whole(self):
        # Labels of packages and of templates are not of strata of probability.
        for path in LABELS.glob("*.tsv"):
            rows = read_rows(path)
            self.assertEqual("stratum" in rows[0], path.stem not in ("packages", "templates"))
            self.assertEqual(len({(row["id1"], row["id2"]) for row in rows}), len(rows))
            for row in rows:
                if "stratum" in row:
                    self.assertTrue(row["id1"] < row["id2"] and row["stratum"] in STRATA, row)
                    self.assertGreaterEqual(float(row["weight"]), 1, row)
                self.assertTrue({row[name] for name in ("first", "second", "label")} <= crawl_labels.VERDICTS, row)
                self.assertTrue(row["first"] != row["second"] or row["label"] == row["first"], row)


SITE = "https://manual.example.org"


class Manuals(unittest.TestCase):
    def test_pairs_are_labelled_by_masked_texts_and_pages(self):
        urls = {
            "1a": f"{SITE}/10/a.html",
            "2a": f"{SITE}/11/a.html",
            "3a": f"{SITE}/12/a.html",
            "4b": f"{SITE}/10/b.html",
            "5a": f"{SITE}/13/a.html",
        }
        # The fifth page has the text of the first.
        texts = {"1a": (1, 1), "2a": (2, 1), "3a": (3, 3), "4b": (4, 4), "5a": (1, 1)}
        truth = {urls[id]: {"text_id": text, "masked_id": masked} for id, (text, masked) in texts.items()}
        pairs = [((a, urls[a]), (b, urls[b])) for a in urls for b in urls if a < b]
        found = {(a, b): label for a, b, label, _ in labelled(pairs + pairs, truth)}
        expected = {("1a", "2a"): "1", ("1a", "3a"): "g", ("2a", "3a"): "g"}
        expected |= {(a, "4b"): "0" for a in ("1a", "2a", "3a")}
        self.assertEqual(found, expected)


PACKAGES = LABELS / "packages.tsv"


class PackagePaths(unittest.TestCase):
    def test_the_order_of_files_does_not_matter_and_shared_ones_come_first(self):
        paths = [f"usr/share/doc/a/{number}.html" for number in range(40)]
        files = {"bullseye": paths[:30], "sid": paths[10:]}
        picks = packages.chosen(files, 8, 6)
        self.assertEqual(picks, packages.chosen({suite: of[::-1] for suite, of in files.items()}, 8, 6))
        self.assertEqual([len(of) for of in picks.values()], [8, 8])
        self.assertEqual(picks["bullseye"][:6], picks["sid"][:6])
        self.assertEqual(picks["sid"][:6], sorted(paths[10:30], key=packages.digest)[:6])

    def test_a_version_in_a_path_is_no_difference(self):
        picks = packages.chosen({"bullseye": ["a-1.2/x.html"], "sid": ["a-1.10.3/x.html", "b.html"]}, 1, 1)
        self.assertEqual(picks, {"bullseye": ["a-1.2/x.html"], "sid": ["a-1.10.3/x.html"]})

    def test_forms_and_few_texts_with_the_licence(self):
        doc = "usr/share/doc/a/"
        forms = {f"{doc}x.html": "html", f"{doc}README.gz": "text", f"{doc}x.png": None, "share/man/man1/a.1.gz": "man"}
        self.assertEqual({path: packages.form_of(path, False) for path in forms}, forms)
        paths = {"sid": [doc + name for name in ("a.txt", "b.txt", "c.txt", "copyright")]}
        picks = packages.picked(paths, "text", "a", "api", False)["sid"]
        self.assertEqual((len(picks), picks[-1]), (3, f"{doc}copyright"))
        self.assertEqual(len(packages.picked(paths, "text", "a", "text", False)["sid"]), 4)


class PackageDraws(unittest.TestCase):
    def test_similar_texts_are_candidates_and_their_stratum_is_their_jaccard(self):
        words = [f"w{number}" for number in range(60)]
        texts = {"a:sid:1": words, "a:sid:2": words[:50] + ["new"] * 10, "b:sid:3": words[::-1], "c:sid:4": words}
        corpus = packages.Corpus({"id": id, "kind_hint": id[0], "text": " ".join(of)} for id, of in texts.items())
        self.assertEqual(corpus.similar(random.Random(1)), {(0, 1), (0, 3), (1, 3)})
        self.assertEqual(corpus.stratum(0, 3), ("identical", "mixed"))
        self.assertEqual(corpus.stratum(0, 1), (".6-.8", "a"))

    def test_ranges_and_kinds_are_drawn_equally_and_no_document_often(self):
        strata = {
            (name, kind): [(f"{name}{kind}{n}", f"{name}{kind}{n + 1}", (kind, str(n))) for n in range(30)]
            for name in packages.RANGES
            for kind in ("api", "man")
        }
        rows = packages.drawn_of(strata, 60, random.Random(1))
        self.assertEqual(Counter(row[2:] for row in rows), {(kind, name): 5 for name, kind in strata})
        self.assertLessEqual(max(Counter(of for row in rows for of in row[:2]).values()), packages.PER_DOCUMENT)
        self.assertEqual(rows, packages.drawn_of(strata, 60, random.Random(1)))
        one_group = {(".2-.4", "api"): [(n, n + 100, ("a", "b")) for n in range(30)]}
        self.assertEqual(len(packages.drawn_of(one_group, 60, random.Random(1))), packages.PER_GROUP)


class PackageSets(unittest.TestCase):
    def test_pairs_of_missing_documents_are_left_out_and_said(self):
        with tempfile.TemporaryDirectory() as name:
            folder, labels = Path(name), Path(name) / "labels.tsv"
            documents = [{"id": f"{of}:sid:{of}", "text": of} for of in "abcz"]
            (folder / "docs.jsonl").write_text("".join(json.dumps(of) + "\n" for of in documents))
            rows = [("a", "b", "1"), ("a", "c", "g"), ("b", "c", "0"), ("a", "lost", "1")]
            lines = ["id1\tid2\tkind\tlabel"] + [f"{a}:sid:{a}\t{b}:sid:{b}\tapi\t{label}" for a, b, label in rows]
            labels.write_text("\n".join(lines) + "\n")
            with contextlib.redirect_stdout(io.StringIO()):
                said = packages.make_set(folder, labels, folder / "out")
                labels.write_text("\n".join(lines[:-1]) + "\n")
                self.assertIsNone(packages.make_set(folder, labels, folder / "whole"))
            self.assertIn("1 of 4 documents of the labels are missing, with 1 pairs of 3: lost:sid:lost", said)
            for out in (folder / "out", folder / "whole"):
                near = [label[2:4] for label in read_labels(out / "pairs.tsv")]
                self.assertEqual(near, [(True, "api"), (False, "api")])
                self.assertEqual((out / "groups.tsv").read_text(), "a:sid:a\ta\nb:sid:b\tb\nc:sid:c\tc\n")

    def test_labels_name_packages_of_the_plan(self):
        rows = read_rows(PACKAGES)
        self.assertEqual(len(rows), 480)
        for row in rows:
            self.assertIn(row["jaccard"], [*packages.RANGES, "identical"])
            self.assertEqual(row["label"], row["first"] if row["first"] == row["second"] else "g")
            self.assertIn(row["id1"].split(":")[1], packages.SUITES)


TEMPLATES = LABELS / "templates.tsv"


class TemplatePages(unittest.TestCase):
    def test_most_pages_of_a_folder_and_the_same_of_two_suites(self):
        paths = {
            "bullseye": [f"doc/lib/a-1.2/{number}.html" for number in range(20)] + ["doc/other/x.html"],
            "bookworm": [f"doc/lib/a-1.10.1/{number}.html" for number in range(20)] + ["doc/new/y.html"],
        }
        picks = template_pages.picked(paths, {"/lib/a-[^/]*/": 5, "/(other|new)/": 3})
        names = {suite: [path.split("/")[-1] for path in of if "/lib/" in path] for suite, of in picks.items()}
        self.assertEqual([len(of) for of in picks.values()], [6, 6])
        self.assertEqual(names["bullseye"], names["bookworm"])
        self.assertIn("doc/new/y.html", picks["bookworm"])

    def test_two_suites_are_two_sites_or_one(self):
        document = lambda is_one: template_pages.document_of("a", "sid", is_one, "usr/share/doc/a/x.html", b"<p>x")
        self.assertEqual(document(False)["url"], "http://a-sid.example/a/x.html")
        self.assertEqual(document(True)["url"], "http://a.example/sid/a/x.html")
        self.assertEqual(document(True)["id"], document(False)["id"])


class TemplateDraws(unittest.TestCase):
    def test_each_method_has_its_share_of_one_order_and_equal_texts_are_left_out(self):
        both = {(f"a{number}", f"b{number}") for number in range(40)}
        found = {"b": both, "c": both | {(f"c{number}", f"d{number}") for number in range(40)} | {("a1", "a2")}}
        rows = template_pages.drawn_of(found, {("a0", "a1")}, 20, 1)
        methods = Counter(name for *_, of in rows for name in of)
        self.assertEqual(methods, {"b": 20, "c": 20})
        self.assertGreater(sum(of == "bc" for *_, of in rows), 5)
        self.assertFalse([row for row in rows if "a1" in row])
        self.assertEqual(rows, template_pages.drawn_of(found, {("a0", "a1")}, 20, 1))
        self.assertNotEqual(rows, template_pages.drawn_of(found, {("a0", "a1")}, 20, 2))

    def test_all_pairs_are_taken_where_there_are_few(self):
        self.assertEqual(len(template_pages.drawn_of({"b": {("a", "b")}, "c": {("a", "c")}}, set(), 20, 1)), 2)


class TemplateScores(unittest.TestCase):
    def test_the_threshold_keeps_correct_pairs_and_leaves_out_others(self):
        pairs = [(380, "1")] * 8 + [(360, "1")] * 2 + [(370, "0")] * 10 + [(375, "g")] * 4
        self.assertEqual(template_pages.measured(pairs, 355), (24, 10 / 24, 1.0))
        self.assertEqual(template_pages.measured(pairs, 371), (12, 8 / 12, 0.8))
        # .8 of the correct pairs is enough: 376 leaves out all others.
        self.assertEqual(template_pages.chosen_threshold(pairs), 376)
        self.assertEqual(template_pages.measured(pairs, 384), (0, 0.0, 0.0))


    def test_numbers_of_a_menu_hide_another_main_item(self):
        menu = "".join(f"<li>1.2 name{number}" for number in range(40))
        pages = [f"<ul>{menu}</ul><p>{item} {item} {item}" for item in ("alpha", "beta")]
        bits = lambda has_numbers: template_pages.expected_bits(
            *(template_pages.frequencies(page, has_numbers) for page in pages)
        )
        self.assertEqual(template_pages.frequencies(pages[0], True)["2"], 40)
        self.assertNotIn("2", template_pages.frequencies(pages[0], False))
        self.assertGreater(bits(True), 372)
        self.assertLess(bits(False), 330)
        same = template_pages.frequencies(pages[0], True)
        self.assertAlmostEqual(template_pages.expected_bits(same, same), 384, places=3)


class TemplateLabels(unittest.TestCase):
    def test_labels_are_of_the_parts_and_agree_with_the_passes(self):
        rows = read_rows(TEMPLATES)
        self.assertEqual([sum(name in row["drawn"] for row in rows) for name in "bc"], [150, 150])
        for row in rows:
            for document in (row["id1"], row["id2"]):
                suite, package, path = document.split(":", 2)
                parts = [
                    folders
                    for name, letters, folders in template_pages.PARTS
                    if name == package and suite in [template_pages.SUITES.get(letter) for letter in letters]
                ]
                self.assertTrue(any(re.search(folder, path) for folders in parts for folder in folders), document)
            if row["first"] == row["second"]:
                self.assertEqual(row["label"], row["first"])

    def test_missing_pages_are_named(self):
        with tempfile.TemporaryDirectory() as name:
            folder, labels = Path(name), Path(name) / "labels.tsv"
            labels.write_text("id1\tid2\tlabel\nx\ty\t1\nx\tz\t0\n")
            write = lambda ids: (folder / "docs.jsonl").write_text("".join(json.dumps({"id": id}) + "\n" for id in ids))
            write("xy")
            self.assertEqual(template_pages.missing(folder, labels), "1 of 3 pages of the labels are missing: z ..")
            write("xyz")
            self.assertIsNone(template_pages.missing(folder, labels))


if __name__ == "__main__":
    unittest.main()
