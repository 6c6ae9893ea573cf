"""Tests of the labels of a manual in many versions: `python3 -m unittest discover -s benches/compare`."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from kafka_labels import labelled  # noqa: E402

SITE = "https://manual.example.org"


class Labels(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
