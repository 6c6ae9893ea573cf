"""What the second implementations of the papers share: XXH3, SplitMix64, figures of labels, running the commands."""

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

MASK = (1 << 64) - 1
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)  # fmt: skip


def word(data, at, size=8):
    return int.from_bytes(data[at : at + size], "little")


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MASK


def mixed(data, at, secret):
    return fold(word(data, at) ^ word(SECRET, secret), word(data, at + 8) ^ word(SECRET, secret + 8))


def avalanche(h):
    h = (h ^ h >> 37) * 0x165667919E3779F9 & MASK
    return h ^ h >> 32


def old_avalanche(h):
    h = (h ^ h >> 33) * P64[1] & MASK
    h = (h ^ h >> 29) * P64[2] & MASK
    return h ^ h >> 32


def places(size):
    """The offsets of the 16-byte parts of 17 to 128 bytes, from outside inwards, and of their secrets."""
    return [(16 * i, size - 16 * (i + 1), 32 * i) for i in range((size - 1) // 32 + 1)]


def xxh3_64(data):
    """XXH3 (64 bits, seed 0) of at most 128 bytes."""
    size = len(data)
    assert 0 < size <= 128, "that suffices for the features of the papers"
    if size <= 3:
        value = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
        return old_avalanche(value ^ word(SECRET, 0, 4) ^ word(SECRET, 4, 4))
    if size <= 8:
        value = word(data, size - 4, 4) + (word(data, 0, 4) << 32) & MASK
        value ^= word(SECRET, 8) ^ word(SECRET, 16)
        turned = lambda by: (value << by | value >> 64 - by) & MASK
        value = (value ^ turned(49) ^ turned(24)) * 0x9FB21C651E98DF25 & MASK
        value = (value ^ (value >> 35) + size) * 0x9FB21C651E98DF25 & MASK
        return value ^ value >> 28
    if size <= 16:
        low = word(data, 0) ^ word(SECRET, 24) ^ word(SECRET, 32)
        high = word(data, size - 8) ^ word(SECRET, 40) ^ word(SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return avalanche(size + swapped + high + fold(low, high) & MASK)
    total = size * P64[0]
    for front, back, secret in places(size):
        total += mixed(data, front, secret) + mixed(data, back, secret + 16)
    return avalanche(total & MASK)


def xxh3_128(data):
    """XXH3 (128 bits, seed 0) of 17 to 128 bytes, as a number."""
    size = len(data)
    assert 17 <= size <= 128, "that suffices for shingles of five words"
    low, high = size * P64[0] & MASK, 0
    for front, back, secret in reversed(places(size)):
        low = (low + mixed(data, front, secret) & MASK) ^ (word(data, back) + word(data, back + 8) & MASK)
        high = (high + mixed(data, back, secret + 16) & MASK) ^ (word(data, front) + word(data, front + 8) & MASK)
    first = low + high & MASK
    second = low * P64[0] + high * P64[3] + size * P64[1] & MASK
    return (-avalanche(second) & MASK) << 64 | avalanche(first)


def split_mix(seed, index):
    """Number `index` of SplitMix64 with a seed."""
    z = seed + 0x9E3779B97F4A7C15 * (index + 1) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Commands:
    """nddb and nddb-lab in a temporary folder, and random numbers with a seed that is printed."""

    def __init__(self):
        self.nddb, self.lab = sys.argv[1:3]
        self.seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
        print("seed", self.seed)
        self.random = random.Random(self.seed)
        self.exhibits = {}
        self.kept = tempfile.TemporaryDirectory()
        self.folder = Path(self.kept.name)

    def run(self, *args, program=None):
        command = [program or self.nddb, *map(str, args)]
        done = subprocess.run(command, cwd=self.folder, text=True, capture_output=True)
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    def lines(self, *args):
        return [json.loads(line) for line in self.run(*args).splitlines()]

    def told(self, paper, input, name):
        """A table or figure of a paper, measured on a database or a labelled set."""
        if (paper, input) not in self.exhibits:
            told = json.loads(self.run("paper", paper, input, "--json", program=self.lab))
            self.exhibits[paper, input] = {one["name"]: one for one in told["exhibits"]}
        return self.exhibits[paper, input][name]

    def exhibit(self, paper, input, name):
        """The rows of a table or figure of a paper."""
        return self.told(paper, input, name)["rows"]

    def database(self, name, documents, *flags):
        """Makes a database of documents."""
        file = self.folder / f"{name}.jsonl"
        file.write_text(lines_of(documents))
        self.run("create", name, *flags)
        self.run("load", name, file.name)
        return name

    def labelled_set(self, name, documents, labels):
        """Makes a folder of documents and labelled pairs; a label is 1 (correct), 0 (incorrect) or g (undecided)."""
        (self.folder / name).mkdir()
        (self.folder / name / "docs.jsonl").write_text(lines_of(documents))
        rows = "".join(f"{a}\t{b}\t{label}\n" for (a, b), label in labels.items())
        (self.folder / name / "pairs.tsv").write_text("id1\tid2\tlabel\n" + rows)
        return name

    def pairs(self, database, *flags):
        """The pairs of a method, with equal texts expanded; each comes once."""
        found = {}
        for row in self.lines("pairs", database, "--expand", *flags):
            if "group" in row:
                continue
            assert (row["a"], row["b"]) not in found and row["a"] < row["b"], row
            found[row["a"], row["b"]] = row
        return found

    def vocabulary(self, count):
        """Distinct words of 4 to 9 letters."""
        words = set()
        while len(words) < count:
            words.add("".join(self.random.choices("abcdefghijklmnopqrstuvwxyz", k=self.random.randint(4, 9))))
        return sorted(words)


def lines_of(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


def share(part, whole):
    return part / whole if whole else None


class Counts:
    """Labels of the labelled pairs that a method returns, and the figures of Henzinger 3.1 from them."""

    def __init__(self, labels, found):
        self.labels = Counter(labels[pair] for pair in labels if pair in found)
        self.correct = Counter(labels.values())["1"]

    def figures(self):
        """Precision among returned and among decided pairs, recall, F1."""
        right, wrong = self.labels["1"], self.labels["0"]
        of_returned, of_decided = share(right, sum(self.labels.values())), share(right, right + wrong)
        return of_returned, of_decided, share(right, self.correct), share(2 * right, right + wrong + self.correct)

    def shares(self):
        """Correct, incorrect and undecided pairs among the returned ones."""
        return [share(self.labels[label], sum(self.labels.values())) for label in "10g"]


def near(found, expected, what):
    """Compares rows of figures, in which None stands for a figure that is not defined."""
    assert len(found) == len(expected), (what, found, expected)
    for one, other in zip(found, expected):
        assert (one is None) == (other is None), (what, found, expected)
        assert one is None or abs(one - other) < 1e-6, (what, found, expected)


def same(found, expected, what):
    """Compares two sets of pairs, and prints how many there are."""
    found, expected = set(found), set(expected)
    assert expected, f"{what}: the documents of the test have none"
    few = lambda pairs: sorted(pairs)[:3]
    assert found == expected, (what, "too many", few(found - expected), "missing", few(expected - found))
    print(what, len(found))
