"""The parts of a search for near-duplicates, as functions of Arrow tables, for engines that sort and join tables.

Each is a pure function that takes a table (any Arrow producer) and options, and returns a ``Stream``. The code is that
of a database. ``nddb.steps`` calls them for any engine, in this order:

==========================  ================================================================================
``Recipe.sketch_batch``     a table of pages -> id, is_number, url, site, fp, tokens, sketch, recipe
``sketch_archive``          the pages of an archive -> the same
``contents``                number, sketch -> number, content: equal where a load would call a document unchanged
``properties``              number, sketch -> number, text, class, keys, fp, lacks, empty
``pairs_by_key``            key, number, keys, sorted by (key, number) -> older, newer, listed
``pairs_by_fingerprint``    key, number, fp, sorted by key -> older, newer
``decide``                  two tables with sketch, row by row -> a, b, near, rule, scores, nearness
``stars``                   newer, older, nearness, sorted by (newer, older) -> number, founder
``choose``                  leader, number, nearness, joined, sorted by (leader, number) -> number, founder
``members``                 whole clusters: number, founder, sketch, deleted, archive -> rows of ``Reader.clusters``
==========================  ================================================================================

Batch queries scan databases in parts:

==========================  ================================================================================
``scan_ranges``             a database -> source, first, blocks: what is scanned of it
``scan``                    one of these, and queries -> query, fp, distance
``resolve``                 a database, and the rows of its scans -> query, fp, distance, id
==========================  ================================================================================

A *number* is a signed 64-bit integer that gives the age of a document: older documents have lower numbers.
"""

from nddb._native import (
    archives,
    choose,
    contents,
    decide,
    default_method,
    members,
    pairs_by_fingerprint,
    pairs_by_key,
    properties,
    resolve,
    scan,
    scan_ranges,
    sketch_archive,
    stars,
)

__all__ = [
    "archives",
    "choose",
    "contents",
    "decide",
    "default_method",
    "members",
    "pairs_by_fingerprint",
    "pairs_by_key",
    "properties",
    "resolve",
    "scan",
    "scan_ranges",
    "sketch_archive",
    "stars",
]
