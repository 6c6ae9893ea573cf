"""The steps of a search for near-duplicates, for any engine that sorts, joins and maps tables.

Each step is written once, for the interface `nddb.steps.engine.Engine`, which `nddb.spark` and
`nddb.ray` implement, and examples for DuckDB and Daft. The results are the rows of ``Reader.pairs`` and
``Reader.clusters``.

Tables
------

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

The flow of a document
----------------------

1. It has a *number*, which tells its age, and a sketch.
2. It is collapsed twice: documents with the text of an older one (``representative``), then representatives whose
   sketches the method cannot tell from those of an older one (``leader``). Only leaders are compared; otherwise texts
   and fingerprints that millions share would take quadratic time.

The flow of a pair
------------------

3. A leader has a row for each of its keys: bands of the method, or for hamming the bits that are equal in one of the
   tables of Manku et al. 2007, 3.1. Keys of a single leader are dropped. Two leaders with a common key are a candidate
   pair, which is found at their first common key. If more than ``group_limit`` leaders share a key, each of them is
   compared with the oldest alone.
4. Both sketches are joined to the pair, and ``decide`` gives evidence, rule and nearness.
5. For clusters the pairs, sorted by the newer document and then by the older one, pass once through one process, which
   keeps a bit for each document that joined another. The members of a class choose among the founders that are near
   their leader.
6. The members of each cluster are brought together, and the library chooses what is kept and what is removed.
"""

from nddb.steps.clusters import clusters
from nddb.steps.options import Judging
from nddb.steps.pairs import pairs

__all__ = ["Judging", "clusters", "pairs"]
