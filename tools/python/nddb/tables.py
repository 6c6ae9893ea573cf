"""The parts of a search for near-duplicates, as functions on Arrow tables, for engines that sort and join tables.

Each is a pure function that takes a table (any Arrow producer) and options, and returns a ``Stream``. They run the same
code as a database. ``nddb.steps`` calls them for any engine, in this order:

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

Passages in common are found by the parts of documents:

==========================  ================================================================================
``part_keys``               number, sketch -> key, number, fp, at, short
``pairs_by_part``           these, sorted by (key, number) -> newer, older, key, at, short
``candidates_by_part``      these, sorted by newer -> older, newer, frequent
``passages_of_pairs``       these, with the sketches of both documents -> newer, older, rows of passages
==========================  ================================================================================

Batch queries scan databases in parts:

==========================  ================================================================================
``scan_ranges``             a database -> source, first, blocks: the ranges to scan
``scan``                    a range, and queries -> query, fp, distance
``resolve``                 a database, and the results of its scans -> query, fp, distance, id
==========================  ================================================================================

A *number* is a signed 64-bit integer that gives the age of a document: older documents have lower numbers.
"""

# The second name tells type checkers that it is public here.
from nddb._native import archives as archives
from nddb._native import candidates_by_part as candidates_by_part
from nddb._native import choose as choose
from nddb._native import contents as contents
from nddb._native import decide as decide
from nddb._native import default_method as default_method
from nddb._native import members as members
from nddb._native import pairs_by_fingerprint as pairs_by_fingerprint
from nddb._native import pairs_by_key as pairs_by_key
from nddb._native import pairs_by_part as pairs_by_part
from nddb._native import part_keys as part_keys
from nddb._native import passages_of_pairs as passages_of_pairs
from nddb._native import properties as properties
from nddb._native import resolve as resolve
from nddb._native import scan as scan
from nddb._native import scan_ranges as scan_ranges
from nddb._native import sketch_archive as sketch_archive
from nddb._native import stars as stars
