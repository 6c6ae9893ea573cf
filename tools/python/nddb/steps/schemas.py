"""The columns of the tables of the steps."""

from __future__ import annotations

import pyarrow

#: A stored document, with the path of its archive.
SKETCHES = (
    "number long, id string, is_number boolean, url string, site string, fp long, tokens long, sketch binary, "
    "recipe string, archive string"
)
#: A page of a table.
SKETCHED = f"{SKETCHES}, deleted boolean"
#: The columns of a document that the steps read.
DOCUMENTS = "number long, id string, sketch binary, deleted boolean, archive string"
NUMBERED = "number long, is_missing boolean"
COUNTS = "documents long, unnumbered long, repeated long"
#: A document with the values it is joined by, before its leader is known.
PROPERTIES = "number long, text binary, class binary, keys array<long>, fp long, lacks boolean, empty boolean"
REPRESENTED = (
    "number long, representative long, class binary, keys array<long>, fp long, lacks boolean, empty boolean"
)
LEADERS = (
    "number long, representative long, leader long, keys array<long>, fp long, lacks boolean, empty boolean"
)
NUMBERS = "number long"
#: A task's summary: whether hamming decides about any document, and the oldest empty document.
SUMMARY = "lacks boolean, empty long"

#: A key of a leader, from its sketch or its fingerprint.
KEYS = "key long, number long"
SHARED = "key long, number long, above boolean"
POSTINGS = "key long, number long, keys array<long>"
PRINTS = "key long, number long, fp long, wanted boolean"
#: A key that more than `group_limit` leaders have.
CUT = "key long"
CANDIDATES = "older long, newer long, unlisted boolean"

SCORES = "distance long, b_sim long, c_sim long, agreement long, probability double, resemblance double"
SAME = "same_site boolean, same_heading boolean"
DECIDED = f"a string, b string, near boolean, rule string, {SCORES}, {SAME}, nearness long"
NEAR = f"older long, newer long, unlisted boolean, {DECIDED}"

#: One of three: a leader that joined a founder, a founder near to a leader, a member of a class without a founder.
CHOICES = "leader long, number long, nearness long, joined long, rank long"
CHOSEN = "leader long, number long, founder long"
#: A possible founder of a document; the one with the lowest rank is taken.
FOUNDERS = "number long, founder long, rank long"
CLUSTERED = "number long, founder long"

#: A row of a group, before the ids of both documents are known; `kind` orders the groups.
GROUPS = "kind long, founder long, number long"
SIZED = "kind long, founder long, number long, flagged boolean"
#: The loss of either document of a pair.
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
#: With the position of a row: the batch (`made`) and the index in it (`place`).
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
    """The columns as an Arrow schema."""
    columns = (column.split() for column in schema.split(", "))
    return pyarrow.schema([(name, _TYPES[kind]) for name, kind in columns])
