"""Tests of the labelled set of packages: `python3 -m unittest discover -s benches/compare`."""

import contextlib
import io
import json
import random
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import packages  # noqa: E402
from crawl_labels import read_rows  # noqa: E402
from score import read_labels  # noqa: E402

LABELS = Path(__file__).resolve().parent.parent / "labels" / "packages.tsv"


class Paths(unittest.TestCase):
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


class Draws(unittest.TestCase):
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


class Sets(unittest.TestCase):
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
        rows = read_rows(LABELS)
        self.assertEqual(len(rows), 480)
        for row in rows:
            self.assertIn(row["jaccard"], [*packages.RANGES, "identical"])
            self.assertEqual(row["label"], row["first"] if row["first"] == row["second"] else "g")
            self.assertIn(row["id1"].split(":")[1], packages.SUITES)


if __name__ == "__main__":
    unittest.main()
