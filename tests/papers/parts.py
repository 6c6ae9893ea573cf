#!/usr/bin/env python3
"""Passages in common a second time: parts.py NDDB NDDB_LAB [SEED].

The selection of parts by winnowing (Schleimer, Wilkerson, Aiken 2003), and the passages that two texts have in common,
by comparing all of their words: those that the guarantee names are found, at their places, and no others.
"""


from second import Commands, xxh3_64

WORDS, WINDOW, WHOLE, PLACES = 5, 8, 200, 16
# Passages of this many words are found in texts of which a selection is stored; shorter ones perhaps.
FOUND = 2 * WINDOW + 8
LEAST = 20


def parts(words):
    """The low 40 bits of a hash of each five successive words."""
    hashes = [xxh3_64(word.encode()).to_bytes(8, "little") for word in words]
    count = len(words) - WORDS + 1
    return [xxh3_64(b"".join(hashes[at : at + WORDS])) & (1 << 40) - 1 for at in range(count)]


def selected(words):
    """The number of selected parts: of each window the one selected before if it is a least one, else the last least.

    A repeated part is kept at its first 16 places.
    """
    hashes, window = parts(words), WINDOW if len(words) >= WHOLE else 1
    places = []
    for start in range(max(1, len(hashes) - window + 1)):
        within = range(start, min(len(hashes), start + window))
        least = min((hashes[at] for at in within), default=None)
        last = places[-1] if places else -1
        if least is not None and not (last in within and hashes[last] == least):
            places.append(max(at for at in within if hashes[at] == least))
    found = [hashes[at] for at in places]
    return sum(min(PLACES, found.count(hash)) for hash in set(found))


def check_selection(commands, words):
    random = commands.random
    texts = [random.choices(words, k=size) for size in (4, 5, 80, 199, 200, 900)]
    texts += [random.choices(words[:2], k=400), [words[0]] * 300]
    made = [{"id": f"t{at}", "text": " ".join(text)} for at, text in enumerate(texts)]
    name = commands.database("selection", made, f"--parts={WINDOW}")
    for document, text in zip(made, texts):
        stored = commands.lines("get", name, document["id"])[0]["parts"]
        window = WINDOW if len(text) >= WHOLE else 1
        assert stored == {"window": window, "words": len(text), "selected": selected(text)}, stored
    # The density of random text is 2 / (t + 1).
    assert abs(selected(texts[5]) / 900 - 2 / (WINDOW + 1)) < 0.04, selected(texts[5])
    print("selections", len(texts))


def runs(a, b):
    """The longest runs of words that two texts have in common, as places in both: (start, start, words)."""
    at = {word: [place for place, other in enumerate(b) if other == word] for word in set(b)}
    found = []
    for x, word in enumerate(a):
        for y in at.get(word, []):
            if not (x and y and a[x - 1] == b[y - 1]):
                size = 0
                while x + size < len(a) and y + size < len(b) and a[x + size] == b[y + size]:
                    size += 1
                found.append((x, y, size))
    return found


def check_passages(commands, words):
    """A short text asks for all of its parts; of long ones a selection is stored."""
    random, stored, asked = commands.random, {}, {}
    for number in range(12):
        stored[f"t{number:02}"] = random.sample(words, random.choice([150, 400, 700]))
    for number in range(30):
        key = random.choice(list(stored))
        size = random.choice([12, 20, FOUND, 40, 90])
        start = random.randrange(len(stored[key]) - size)
        cut = stored[key][start : start + size]
        before, after = (random.sample([f"{word}q" for word in words], random.choice([0, 60, 300])) for _ in range(2))
        asked[f"q{number:02}"] = before + cut + after
    made = [{"id": key, "text": " ".join(text)} for key, text in stored.items()]
    name = commands.database("passages", made, f"--parts={WINDOW}")
    known, found = 0, 0
    for key, text in asked.items():
        (commands.folder / "asked.txt").write_text(" ".join(text))
        answer = commands.lines("query", name, "--parts", "--min-words", LEAST, "--text", "asked.txt")[0]
        told = {match["id"]: match["passages"] for match in answer["matches"]}
        for other, words_of in stored.items():
            # Runs of which only few words are in common say nothing.
            common = [run for run in runs(text, words_of) if run[2] >= WORDS]
            passages = told.get(other, [])
            for passage in passages:
                inside = lambda run: run[0] <= passage["query"][0] and passage["query"][1] <= run[0] + run[2]
                place = lambda run: run[1] - run[0] == passage["match"][0] - passage["query"][0]
                assert any(inside(run) and place(run) for run in common), (key, other, passage, common)
                assert passage["words"] <= max(run[2] for run in common), (key, other, passage)
                found += 1
            for start, _, size in common:
                least = LEAST if len(words_of) < WHOLE else max(LEAST, FOUND)
                if size >= least:
                    covers = [one for one in passages if one["query"][0] >= start and one["query"][1] <= start + size]
                    assert len(covers) == 1, (key, other, start, size, passages)
                    lost = size - (covers[0]["query"][1] - covers[0]["query"][0])
                    # Ends without a selected part are not known.
                    assert lost <= (2 * (WINDOW - 1) if len(words_of) >= WHOLE else 0), (key, other, size, covers)
                    known += 1
    assert known > 5
    print("passages", found, "of which", known, "are guaranteed")


def check_edits(commands, words):
    """Seeds are extended over a few changed words: a passage with every fifteenth word changed is one passage."""
    random = commands.random
    text = random.sample(words, 300)
    name = commands.database("edits", [{"id": "t", "text": " ".join(text)}], f"--parts={WINDOW}")
    cut = text[100:200]
    changed = [f"{word}q" if at % 15 == 14 else word for at, word in enumerate(cut)]
    (commands.folder / "asked.txt").write_text(" ".join(changed))
    passages = commands.lines("query", name, "--parts", "--text", "asked.txt")[0]["matches"][0]["passages"]
    assert len(passages) == 1 and passages[0]["query"][1] - passages[0]["query"][0] >= 60, passages
    assert passages[0]["match"][0] - passages[0]["query"][0] == 100, passages
    print("one passage over edits")


def main():
    commands = Commands()
    words = commands.vocabulary(900)
    check_selection(commands, words)
    check_passages(commands, words)
    check_edits(commands, words)


if __name__ == "__main__":
    main()
