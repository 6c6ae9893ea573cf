"""The figures of docs/PAPERS.md are those that benches/papers.sh measured."""

import re
import unittest
from collections import defaultdict
from pathlib import Path

BENCHES = Path(__file__).resolve().parent.parent
# papers.tsv rounds to four decimals.
STORED = 0.00006
MARK = re.compile(r"<!-- papers\.tsv: (\w+); (.+) -->")


def measured(lines):
    """The rows of cells by paper, set and name of the table."""
    rows = defaultdict(list)
    for line in lines:
        paper, label, name, *cells = line.rstrip("\n").split("\t")
        rows[paper, label, name].append(cells)
    return rows


def tables(page):
    """Yields the paper, the names, the heading and the rows of each table that has a mark before it."""
    lines = iter(page.splitlines())
    for line in lines:
        if mark := MARK.fullmatch(line):
            table = []
            for row in lines:
                if row.startswith("|"):
                    table.append([cell.strip() for cell in row.strip("|").split("|")])
                elif table:
                    break
            yield mark[1], mark[2].split(", "), table[0], table[2:]


def numbers_of(text):
    """The decimals of a cell, thresholds after "at" and medians, each with its tolerance: half of the last digit."""
    found = re.findall(r"-?\d+\.\d+|(?<= at )\d+|(?<=median )\d+", text)
    return [(float(number), 0.51 * 10 ** -len(number.partition(".")[2]) + STORED) for number in found]


def has(cells, numbers):
    """Whether a row has all of these numbers, each in a cell of its own."""
    left = [float(cell) for cell in cells if re.fullmatch(r"-?[\d.]+", cell)]
    for number, tolerance in numbers:
        found = next((value for value in left if abs(value - number) <= tolerance), None)
        if found is None:
            return False
        left.remove(found)
    return True


def is_named(cells, name):
    """Whether a row has this name; a name may be a number."""
    try:
        return float(cells[0]) == float(name)
    except ValueError:
        return cells[0] == name


def differences(page, lines):
    """Yields a sentence for each cell of the page whose numbers no measured row has."""
    rows = measured(lines)
    for paper, names, heading, body in tables(page):
        labels = {label for of, label, name in rows if of == paper and name in names}
        columns = [at for at, title in enumerate(heading) if title in labels]
        for title in heading[1:]:
            if title not in labels and not title.startswith("paper"):
                yield f"{paper}, {names}: {title} was not measured"
        for row in body:
            for at in columns:
                of = [cells for name in names for cells in rows[paper, heading[at], name]]
                of = [cells for cells in of if is_named(cells, row[0])] or of
                if row[at] and not any(has(cells, numbers_of(row[at])) for cells in of):
                    yield f"{paper}, {names}, {heading[at]}, {row[0]}: {row[at]}"


def bytes_of(page):
    """The bytes a page of the recipes main, main-offline and web, by the table of benches/README.md."""
    row = next(line for line in page.splitlines() if line.startswith("| the same of kafka"))
    return [part.replace(",", "").split() for part in re.sub(r"(\d),(\d)", r"\1\2", row.split("|")[3]).split(";")]


class Papers(unittest.TestCase):
    def test_the_page_has_the_measured_figures(self):
        page = (BENCHES.parent / "docs" / "PAPERS.md").read_text(encoding="utf-8")
        with open(BENCHES / "papers.tsv", encoding="utf-8") as lines:
            self.assertEqual(list(differences(page, lines)), [])
        self.assertGreaterEqual(len(list(tables(page))), 10)

    def test_the_bytes_on_disk_are_the_measured_ones(self):
        with open(BENCHES / "papers.tsv", encoding="utf-8") as lines:
            rows = measured(lines)
        stored = [rows["storage", "kafka", recipe][0] for recipe in ("main", "main-offline", "web")]
        self.assertEqual(bytes_of((BENCHES / "README.md").read_text(encoding="utf-8")), stored)

    def test_a_figure_that_was_not_measured_is_told(self):
        page = "<!-- papers.tsv: manku; Figure 1 -->\n\n| k | one | two |\n|---|---|---|\n"
        page += "| 3 | 0.910, 0.451 | 1.000, 0.5 |\n"
        lines = ["manku\tone\tFigure 1\t3\t0.9101\t0.4508", "manku\ttwo\tFigure 1\t3\t1.0000\t0.6"]
        self.assertEqual(list(differences(page, lines)), ["manku, ['Figure 1'], two, 3: 1.000, 0.5"])
        self.assertEqual(list(differences(page, lines[:1] + [lines[1].replace("0.6", "0.5")])), [])
        self.assertEqual(list(differences(page, lines[:1])), ["manku, ['Figure 1']: two was not measured"])


if __name__ == "__main__":
    unittest.main()
