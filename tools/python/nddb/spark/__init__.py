"""Near-duplicates of crawls that do not fit one machine, on Spark.

Spark sorts and joins tables, and each task calls functions of :mod:`nddb.tables` on its partition. The results equal
those of a database that ``Writer.load`` filled: the rows of ``Reader.pairs`` and ``Reader.clusters``, and ``keep.txt``
and ``remove.txt`` byte for byte. The *number* of a document is its place in the order of loads: crawls as they were
ingested, of a crawl the archives as they were listed, of an archive its pages. Of near-duplicates the one with the
lowest number stays, unless ``keep`` has other rules; before these, whole and sound documents come first. (After the
command ``nddb load``, these come first of each load.)

::

    from nddb import spark as nddb_spark
    nddb_spark.ingest(spark, ["CC-MAIN-2026-47/"], "store", crawl="2026-47")
    documents = nddb_spark.documents(spark, "store")
    members = nddb_spark.clusters(documents, "work")

The flow of a document
----------------------

1. ``ingest``: one task reads an archive and sketches its pages: number, id, is_number, url, site, fp, tokens, sketch,
   recipe, archive. The number consists of the position of the archive among all archives of the store and the index of
   the page in the archive, so it does not depend on tasks, and a retried task makes the same rows. Ids are text; an
   integer id has its digits, and ``is_number`` is true.
2. ``documents``: of the documents with one id, the last is current, or the first if a later crawl found it unchanged.
3. ``pairs`` and ``clusters``: the steps of :mod:`nddb.steps`, each a table in the folder ``work``. The sorted pairs of
   a clustering pass once through this process.

Databases and fingerprints
--------------------------

``shards`` loads the sketches of each part of the documents into a database of its own. ``batch_query`` matches a file
of fingerprints against databases (Manku et al. 2007, 3.3): a task scans a range of 64 MB of the segments of one table,
and the matches are resolved to current documents.

Places
------

Stores, work folders, archives and outputs are paths or URIs (:mod:`nddb.spark.places`); databases are on disks. The
jobs use neither ``SparkContext`` nor the JVM, so they also run from clients of Spark Connect.

Not supported: methods that read texts again (``lcs``, ``cosine``, ``shingles``), ``expand``, connected components.
"""

from nddb.spark.clusters import clusters, lists
from nddb.spark.pairs import pairs
from nddb.spark.shards import batch_query, shards
from nddb.spark.store import documents, ingest, sketch
from nddb.steps import Judging

__all__ = ["Judging", "batch_query", "clusters", "documents", "ingest", "lists", "pairs", "shards", "sketch"]
