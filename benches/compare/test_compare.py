"""Tests of scoring, groups and synthetic pages: `python3 -m unittest discover -s benches/compare`."""

import itertools
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from groups import group_of
from same_job import blocks
from score import Found, components, decimal, interval, read_json_lines, read_labels, scored

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from plain_text import text_of  # noqa: E402

MADE_PAGES = Path(__file__).resolve().parent.parent / "made_pages.py"


class Scores(unittest.TestCase):
    def test_pairs_and_clusters_are_found_and_counted(self):
        found = Found(["a\tb\n", "c\td\te\n", "b\ta\n"])
        self.assertEqual(len(found), 1 + 3)
        for pair, is_in in ((("b", "a"), True), (("c", "e"), True), (("a", "c"), False), (("x", "y"), False)):
            self.assertEqual(pair in found, is_in, pair)

    def test_of_the_pairs_of_the_command_the_first_two_columns_are_ids(self):
        lines = ["a\tb\tmethod\tprobability", "# group\tof\tthree", "x\ty\tmodel\t0.9", "y\tz\tmodel\t0.6"]
        found = Found(f"{line}\n" for line in lines)
        self.assertEqual((len(found), ("x", "z") in found), (2, False))
        self.assertEqual(found.evidence[frozenset("xy")]["probability"], "0.9")

    def test_scores_are_those_counted_by_hand(self):
        labels = [("a", "b", True, "k"), ("c", "d", True, "k"), ("e", "f", False, "k"), ("a", "f", False, "k")]
        counts, ends = scored(labels, Found(["a\tb", "e\tf"]), [0, 1, 2, 0], 1)
        self.assertEqual((counts.right, counts.missed, counts.false, counts.others), (1, 1, 1, 1))
        self.assertEqual(counts.scores(), (0.5, 0.5, 0.5))
        self.assertEqual(scored(labels, Found(["a\tb", "e\tf"]), [0, 1, 2, 0], 1)[1], ends)
        self.assertTrue(0 <= ends[0] <= 0.5 <= ends[1] <= 1, ends)
        self.assertEqual([decimal(value) for value in (0.9414, 1.0, 0.0, None)], [".941", "1.000", ".000", "-"])

    def test_an_interval_is_wide_for_few_parts_and_none_for_one(self):
        wide, narrow = (interval([(9, 1, 1), (5, 5, 0)] * times, 1) for times in (1, 50))
        self.assertGreater(wide[1] - wide[0], 2 * (narrow[1] - narrow[0]))
        self.assertIsNone(interval([(9, 1, 1)], 1))

    def test_components_are_what_pairs_connect_of_groups(self):
        labels = [("a1", "b1", True, ""), ("b2", "c1", True, ""), ("d1", "d2", False, "")]
        self.assertEqual(components(labels, lambda document: document[0]), [0, 0, 1])
        self.assertEqual(components(labels, lambda document: document), [0, 1, 2])

    def test_undecided_labels_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pairs.tsv"
            path.write_text('id1\tid2\tlabel\tkind\na\tb\t1\tx"y\na\tc\tg\tx\nb\tc\t0\tz\n')
            labels = [label[:4] for label in read_labels(path)]
            self.assertEqual(labels, [("a", "b", True, 'x"y'), ("b", "c", False, "z")])

    def test_groups_are_repositories_and_packages_without_their_versions(self):
        for source, group in {
            "owner/name@1cf83058:doc/a.html": "owner/name",
            "debian:git-doc_1%3a2.39.5-0+deb12u3_all.deb:/usr/share/doc/a": "debian:git-doc",
            "debian:base-files:/usr/share/doc/a": "debian:base-files",
            "misc-web:readability/test/source.html": "misc-web:readability",
        }.items():
            self.assertEqual(group_of(source), group)


class MadePages(unittest.TestCase):
    def test_pages_are_what_their_labels_say_and_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            made = [Path(folder) / name for name in ("a", "b")]
            for path in made:
                sizes = ["--edits", "2", "--revisions", "1", "--products", "3", "--figures", "4", "--references", "3"]
                command = [sys.executable, MADE_PAGES, path, *sizes]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            folders = ("edits", "products", "references", "figures")
            parts = itertools.product(folders, ("docs.jsonl", "pairs.tsv", "groups.tsv"))
            for name in ("/".join(part) for part in parts):
                self.assertEqual(*((path / name).read_bytes() for path in made), name)
            pages = {page["id"]: page for page in read_json_lines(made[0] / "edits" / "docs.jsonl")}
            labels = read_labels(made[0] / "edits" / "pairs.tsv")
            self.assertEqual(sorted(Counter(label[3] for label in labels).values()), [1] * 18 + [2] * 24)
            for a, b, is_near, kind, _ in labels:
                where, rate, site = kind.split("_")
                self.assertEqual(is_near, int(rate) <= 10, kind)
                words = [re.findall(r"[a-z]+", " ".join(re.findall("<p>(.*?)</p>", pages[id]["html"])).lower())
                         for id in (a, b)]
                changed = [place for place, pair in enumerate(zip(*words)) if pair[0] != pair[1]]
                if where == "added":
                    self.assertEqual((len(words[0]), len(words[1])), (200, 200 + 2 * int(rate)))
                    continue
                self.assertEqual((len(words[0]), len(words[1]), len(changed)), (200, 200, 2 * int(rate)))
                if where == "block":
                    self.assertEqual(changed[-1] - changed[0] + 1, len(changed))
                hosts = {pages[id].get("url", "").split("/")[2:3][0] if "url" in pages[id] else None for id in (a, b)}
                self.assertEqual((len(hosts), None in hosts), (2 if site == "other" else 1, site == "bare"))
            products = {page["id"]: page for page in read_json_lines(made[0] / "products" / "docs.jsonl")}
            labels = read_labels(made[0] / "products" / "pairs.tsv")
            self.assertEqual((len(products), len(labels)), (8 * 20 * 3, 8 * 20 * 3))
            self.assertFalse(any(label[2] for label in labels))
            titles = lambda pair: {products[id]["html"].split("<title>")[1].split("<")[0] for id in pair[:2]}
            self.assertTrue(all(len(titles(label)) == 1 for label in labels if "equal_title" in label[3]))
            self.assertEqual(sum(len(titles(label)) == 2 for label in labels), 4 * 10 * 3)
            references = {page["id"]: page for page in read_json_lines(made[0] / "references" / "docs.jsonl")}
            labels = read_labels(made[0] / "references" / "pairs.tsv")
            self.assertEqual((len(references), len(labels)), (4 * 20 * 3 * 2, 4 * 20 * 15))
            for a, b, is_near, kind, _ in labels:
                a, b = references[a]["html"], references[b]["html"]
                names = [re.findall(r"<title>(\w+) ", page)[0].lower() for page in (a, b)]
                self.assertEqual(is_near, names[0] == names[1])
                for name, page in zip(names, (a, b)):
                    self.assertEqual(name in re.findall("<h1>(.*?)</h1>", page)[0].lower(), "named" in kind)
                    words = re.findall(r"\w+", " ".join(re.findall("<p>(.*?)</p>", page)).lower())
                    self.assertGreaterEqual(words.count(name), 3)
            figures = {page["id"]: page for page in read_json_lines(made[0] / "figures" / "docs.jsonl")}
            for a, b, is_near, *_ in read_labels(made[0] / "figures" / "pairs.tsv"):
                numbers = [re.findall(r"<td>(\d+)", figures[id]["html"]) for id in (a, b)]
                others = sum(one != other for one, other in zip(*numbers))
                self.assertEqual(is_near, others <= 3)
                self.assertGreater(others, 0 if is_near else len(numbers[0]) - 2)

    def test_a_text_is_what_a_visitor_sees_of_a_page(self):
        html = """<!doctype html><html><head><title>no</title><script>no</script><body><nav><a href=x>Home</a></nav>
            <h1>The <b>Fox</b></h1><p>It &amp; a
            dog.<br>Two<table><tr><td>a<td>b</table><pre>x = 1
  y</pre>end"""
        self.assertEqual(text_of(html), "Home\n\nThe Fox\n\nIt & a dog.\nTwo\n\na\tb\n\nx = 1\n  y\n\nend\n")
        self.assertEqual(text_of("<meta charset=utf-8><p>no head"), "no head\n")

    def test_the_code_of_both_sides_is_what_the_readme_shows(self):
        code, lines = blocks()
        # Processes of datatrove import the file again, so the code must be guarded by `__name__`.
        self.assertIn('if __name__ == "__main__":', code)
        self.assertIn("save_cluster_id=True", code)
        compile(code, "README.md", "exec")
        self.assertEqual([line.split()[:2] for line in lines], [["nddb", name] for name in (
            "create", "load", "cluster", "filter")])


if __name__ == "__main__":
    unittest.main()
