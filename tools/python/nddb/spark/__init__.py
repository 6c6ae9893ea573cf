"""Near-duplicates of crawls that do not fit one machine, on Spark.

The jobs are thin: Spark sorts and joins tables, and each task calls functions of :mod:`nddb.tables` on its partition,
which are the library's own code. What comes out is what one machine gives: the rows of ``Reader.pairs`` and
``Reader.clusters``, ``keep.txt`` and ``remove.txt``, byte for byte, of a database that ``Writer.load`` filled. (The
command ``nddb load`` orders the documents of one load by date and id; here and there it is the *number*.)

::

    from nddb import spark as nddb_spark
    nddb_spark.ingest(spark, ["CC-MAIN-2026-47/"], "store", crawl="2026-47")
    documents = nddb_spark.documents(spark, "store")
    members = nddb_spark.clusters(documents, "work")

Tables
------

==========  ===========================================================================  ===========================
table       columns                                                                      a row is
==========  ===========================================================================  ===========================
sketches    number, id, is_number, url, site, fp, tokens, sketch, recipe, archive;       a page of an archive
            crawl
documents   those, and deleted                                                           a document that lives
properties  number, text, class, keys, fp, lacks, empty                                  what it is joined by
leaders     number, representative, leader, lacks, empty                                 what it is collapsed into
keys        number, key, times                                                           a key that others have too
candidates  older, newer, listed                                                         a pair of leaders, once
near        those, a, b, rule, scores, nearness                                          a near-duplicate pair
ordered     newer, older, nearness, sorted                                               the same, for the pass
joined      number, founder                                                              a leader that joined another
founders    number, founder                                                              a document
members     those of ``Reader.clusters``                                                 a member of a cluster
==========  ===========================================================================  ===========================

Ids are text, those of numbers their digits; ``is_number`` tells the two apart. Numbers, keys and fingerprints are 64
bits, signed; ``text``, ``class`` and ``sketch`` are binary: 16, 16, and some 700 bytes.

The flow of a document
----------------------

1. ``ingest``: one task reads an archive and sketches its pages. The *number* is (archive, index in it), the archives
   counted in the order of the list: it does not depend on tasks, and a task that is tried again makes the same rows.
2. ``documents``: of the documents of one id the last lives; of one that a later crawl found unchanged, the first.
3. It is collapsed twice: documents with the text of an older one (``representative``), then representatives whose
   sketches the method cannot tell from those of an older one (``leader``). Only leaders go on: else hot texts and
   fingerprints, which millions share, would be quadratic.

The flow of a pair
------------------

4. A leader has a row for each of its keys: bands of the method, or for simhash the bits that are equal in one of the
   tables of Manku et al. 2007, 3.1. Keys that nobody shares are dropped. The others are shuffled by key, and a pair is
   found at the first key that both have. Of a key that more than ``group_limit`` leaders have, each is compared with
   the oldest alone.
5. Both sketches are joined to the pair, and ``decide`` gives evidence, rule and nearness.
6. ``clusters``: the pairs, sorted by the newer document and then by the older one, pass once through this process,
   which keeps a bit for each document that joined another. Members of a class choose among the founders that their
   leader is near.
7. Whole clusters come together, and the library chooses what is kept and what is removed.

Databases and fingerprints
--------------------------

``shards`` makes a database of each part of the documents, by a load of their sketches. ``batch_query`` holds a file of
fingerprints against all that databases hold (Manku et al. 2007, 3.3): a task scans a range of 64 MB of the segments of
one table, and what is found is looked up for the documents that live.

Not here: methods that read texts again (``lcs``, ``cosine``, ``shingles``), ``expand``, connected components.
"""

from nddb.spark.clusters import clusters, lists
from nddb.spark.pairs import pairs
from nddb.spark.shards import batch_query, shards
from nddb.spark.store import documents, ingest, sketch
from nddb.steps import Judging

__all__ = ["Judging", "batch_query", "clusters", "documents", "ingest", "lists", "pairs", "shards", "sketch"]
