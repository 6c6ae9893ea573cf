"""The steps of a search for near-duplicates, for any engine that sorts, joins and maps tables.

Each step is written once, for the interface `nddb.steps.engine.Engine`. `nddb.spark` and `nddb.ray` implement it, and
so do examples for DuckDB and Daft. The results are the rows of ``Reader.pairs`` and ``Reader.clusters``.

`nddb.steps.schemas` has the columns of all tables. The tables of *steps* are stored:

==========  ===========================================================================  ===========================
step        columns                                                                      a row is
==========  ===========================================================================  ===========================
documents   number, id, sketch, deleted, archive                                         a document
leaders     number, representative, leader, keys, fp, lacks, empty                       a document and its leader
keys        key, number, above                                                           a key of several leaders
near        older, newer, unlisted, a, b, rule, scores, nearness                         a near-duplicate pair
joined      leader, joined                                                               a leader that joined another
chosen      leader, number, founder                                                      a member of its class
founders    number, founder                                                              a document and its founder
==========  ===========================================================================  ===========================

Numbers, keys and fingerprints are signed 64-bit integers. ``text`` and ``class`` are binary with 16 bytes, ``sketch``
with some 700.

1. A document has a *number*, which tells its age, and a sketch. It is collapsed twice: into the oldest document with
   the same text (``representative``), then into the oldest one whose sketch the method cannot distinguish (``leader``).
   Only leaders are compared.
2. A leader has a row for each of its keys: the bands of the method, or for hamming the prefixes of the tables of Manku
   et al. 2007, 3.1. Two leaders with a common key are a candidate pair. If more than ``group_limit`` leaders share a
   key, each of them is compared only with the oldest.
3. Both sketches are joined to the pair, and ``decide`` gives evidence, rule and nearness.
4. For clusters, one process reads the pairs once, sorted by the newer and then by the older document. Each member of a
   class joins one of the founders near to its leader.
5. The members of each cluster are brought together, and the library chooses which to keep and which to remove.

Passages in common (``Reader.passage_pairs``) have steps of their own: a document has a row for each of its parts; those
in too many texts pair no documents, and go along with the others, because they may extend a passage.
"""

from nddb.steps.clusters import clusters
from nddb.steps.options import Judging
from nddb.steps.pairs import pairs
from nddb.steps.parts import parts

__all__ = ["Judging", "clusters", "pairs", "parts"]
