"""The columns of the tables that are made in tasks, as Spark writes them."""

#: A document: what is stored of it, and where it stands.
SKETCHES = (
    "number long, id string, is_number boolean, url string, site string, fp long, tokens long, sketch binary, "
    "recipe string, archive string"
)
CONTENTS = "number long, content binary"
PROPERTIES = (
    "number long, text binary, class binary, keys array<long>, fp long, lacks boolean, empty boolean"
)
BY_KEY = "older long, newer long, listed boolean"
BY_FINGERPRINT = "older long, newer long"
FOUNDERS = "number long, founder long"

#: A range of a database that is scanned, what scans find, and the columns of ``Reader.probe_batch``.
RANGES = "part long, source string, first long, blocks long"
FOUND = "part long, query long, fp long, distance long"
MATCHES = "query long, fp long, distance long, id string"

SCORES = (
    "distance long, b_sim long, c_sim long, agreement long, probability double, resemblance double, difference double"
)
SAME = "same_site boolean, same_heading boolean"
DECIDED = f"a string, b string, near boolean, rule string, {SCORES}, {SAME}, nearness long"

#: The columns of ``Reader.pairs``.
PAIRS = (
    f"a string, b string, group string, flagged boolean, method string, {SCORES}, "
    f"lcs double, lcs_containment double, cosine double, {SAME}, verdict string"
)
#: The columns of ``Reader.clusters``.
MEMBERS = (
    "cluster string, size long, id string, url string, verdict string, kept string, rule string, "
    f"{SCORES}, {SAME}, archive string, offset long, inner long, length long"
)


def names(schema: str) -> list[str]:
    """The names of the columns."""
    return [column.split()[0] for column in schema.split(", ")]
