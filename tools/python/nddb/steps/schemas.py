"""The columns of the tables of the steps."""

from __future__ import annotations

import pyarrow

#: A document: what is stored of it, and where it stands.
SKETCHES = (
    "number long, id string, is_number boolean, url string, site string, fp long, tokens long, sketch binary, "
    "recipe string, archive string"
)
#: A page of a table.
SKETCHED = f"{SKETCHES}, deleted boolean"
#: What the steps read of a document.
DOCUMENTS = "number long, id string, sketch binary, deleted boolean, archive string"
NUMBERED = "number long, is_missing boolean"
COUNTS = "documents long, unnumbered long, repeated long"
#: A document with what it is joined by, on its way to its leader.
PROPERTIES = "number long, text binary, class binary, keys array<long>, fp long, lacks boolean, empty boolean"
REPRESENTED = (
    "number long, representative long, class binary, keys array<long>, fp long, lacks boolean, empty boolean"
)
LEADERS = (
    "number long, representative long, leader long, keys array<long>, fp long, lacks boolean, empty boolean"
)
NUMBERS = "number long"
#: What one task says of the documents: whether hamming decides about some, and the oldest empty one.
SUMMARY = "lacks boolean, empty long"

#: A key of a leader, for the keys of sketches and for those of fingerprints.
KEYS = "key long, number long"
SHARED = "key long, number long, above boolean"
POSTINGS = "key long, number long, keys array<long>"
PRINTS = "key long, number long, fp long, wanted boolean"
#: Keys that more leaders have than are compared with each other.
CUT = "key long"
CANDIDATES = "older long, newer long, unlisted boolean"

SCORES = "distance long, b_sim long, c_sim long, agreement long, probability double, resemblance double"
SAME = "same_site boolean, same_heading boolean"
DECIDED = f"a string, b string, near boolean, rule string, {SCORES}, {SAME}, nearness long"
NEAR = f"older long, newer long, unlisted boolean, {DECIDED}"

#: A leader that joined a founder; a founder that a leader is near; a member of a class that waits for a founder.
CHOICES = "leader long, number long, nearness long, joined long, rank long"
CHOSEN = "leader long, number long, founder long"
#: A founder that a document may have: that of the lowest rank is it.
FOUNDERS = "number long, founder long, rank long"
CLUSTERED = "number long, founder long"

#: A row of a group, before the ids of both documents are known; with the order of kinds.
GROUPS = "kind long, founder long, number long"
SIZED = "kind long, founder long, number long, flagged boolean"
#: What either document of a pair loses.
LOSSES = (
    "loss_a double, lost_a string, lost_words_a long, lost_passage_a long, level_a string, "
    "loss_b double, lost_b string, lost_words_b long, lost_passage_b long, level_b string, words string, why string"
)
#: The columns of ``Reader.pairs``.
PAIRS = (
    f"a string, b string, group string, flagged boolean, method string, {SCORES}, "
    f"lcs double, lcs_containment double, cosine double, {SAME}, verdict string, {LOSSES}"
)
KIND = f"kind long, {PAIRS}"
#: The columns of ``Reader.clusters``.
MEMBERS = (
    "cluster string, size long, id string, url string, verdict string, kept string, rule string, "
    f"{SCORES}, {SAME}, loss double, lost string, lost_words long, lost_passage long, level string, archive string, "
    "offset long, inner long, length long"
)
#: With the place of a row among those that one task made.
PLACED = f"{MEMBERS}, made long, place long"

#: A part of a document; one that it has in common with an older document, or that is frequent; a pair to compare.
PART_KEYS = "key long, number long, fp long, at long, short boolean"
COMMON = "newer long, older long, key long, at long, short boolean"
COMPARED = "older long, newer long, frequent array<long>"
#: The columns of ``Reader.passage_pairs`` that need no text.
PASSAGES = (
    "a string, b string, a_contained double, b_contained double, words long, longest long, "
    "a_start long, a_end long, b_start long, b_end long"
)
OF_NUMBERS = f"newer long, older long, {PASSAGES}"

_TYPES = {
    "long": pyarrow.int64(),
    "double": pyarrow.float64(),
    "boolean": pyarrow.bool_(),
    "string": pyarrow.string(),
    "binary": pyarrow.binary(),
    "array<long>": pyarrow.list_(pyarrow.int64()),
}


def names(schema: str) -> list[str]:
    """The names of the columns."""
    return [column.split()[0] for column in schema.split(", ")]


def arrow(schema: str) -> pyarrow.Schema:
    """The columns as Arrow has them."""
    columns = (column.split() for column in schema.split(", "))
    return pyarrow.schema([(name, _TYPES[kind]) for name, kind in columns])
