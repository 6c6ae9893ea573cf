"""Tests of the pages of long templates: `python3 -m unittest discover -s benches/compare`."""

import json
import re
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import template_pages  # noqa: E402
from crawl_labels import read_rows  # noqa: E402

LABELS = Path(__file__).resolve().parent.parent / "labels" / "templates.tsv"


class Pages(unittest.TestCase):
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


class Draws(unittest.TestCase):
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


class Scores(unittest.TestCase):
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


class Labels(unittest.TestCase):
    def test_labels_are_of_the_parts_and_agree_with_the_passes(self):
        rows = read_rows(LABELS)
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
