"""The steps of a search for near-duplicates, for any engine that sorts, joins and maps tables.

Each step is written once, for the interface `nddb.steps.engine.Engine`, which `nddb.spark` and
`nddb.ray` implement, and examples for DuckDB and Daft. The results are the rows of ``Reader.pairs`` and
``Reader.clusters``.

`nddb.steps.schemas` has the columns of all tables. The tables of *steps* are stored:

==========  ===========================================================================  ===========================
step        columns                                                                      a row is
==========  ===========================================================================  ===========================
documents   number, id, sketch, deleted, archive                                         a document that lives
leaders     number, representative, leader, keys, fp, lacks, empty                       what it is collapsed into
keys        key, number, above                                                           a key that others have too
near        older, newer, unlisted, a, b, rule, scores, nearness                         a near-duplicate pair
joined      leader, joined                                                               a leader that joined another
chosen      leader, number, founder                                                      a member of a class that did
founders    number, founder                                                              a document
==========  ===========================================================================  ===========================

Numbers, keys and fingerprints are 64 bits, signed; ``text``, ``class`` and ``sketch`` are binary: 16, 16, and some 700
bytes.

1. A document has a *number*, which tells its age, and a sketch. It is collapsed twice: documents with the text of an
   older one (``representative``), then those whose sketches the method cannot tell from an older one's (``leader``).
   Only leaders are compared.
2. A leader has a row for each of its keys: bands of the method, or for hamming the bits that are equal in a table of
   Manku et al. 2007, 3.1. Two leaders with a common key are a candidate pair. If more than ``group_limit`` leaders
   share a key, each of them is compared with the oldest alone.
3. Both sketches are joined to the pair, and ``decide`` gives evidence, rule and nearness.
4. For clusters the pairs, sorted by the newer document and then by the older one, pass once through one process. Each
   member of a class joins one of the founders that its leader is near.
5. The members of each cluster are brought together, and the library chooses what is kept and what is removed.

Passages in common (``Reader.passage_pairs``) have steps of their own: a document has a row for each of its parts; those
in too many texts pair no documents, and go along with the others, because they may extend a passage.
"""

from nddb.steps.clusters import clusters
from nddb.steps.options import Judging
from nddb.steps.pairs import pairs
from nddb.steps.parts import parts

__all__ = ["Judging", "clusters", "pairs", "parts"]
