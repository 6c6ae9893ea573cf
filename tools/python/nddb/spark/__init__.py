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

The flow of a document
----------------------

1. ``ingest``: one task reads an archive and sketches its pages: number, id, is_number, url, site, fp, tokens, sketch,
   recipe, archive. The *number* is (archive, index in it), the archives counted in the order of the list: it does not
   depend on tasks, and a task that is tried again makes the same rows. Ids are text, those of numbers their digits;
   ``is_number`` tells the two apart.
2. ``documents``: of the documents of one id the last lives; of one that a later crawl found unchanged, the first.
3. ``pairs`` and ``clusters``: the steps of :mod:`nddb.steps`, each a table in the folder ``work``. The pairs of a
   clustering pass once through this process, in their order.

Databases and fingerprints
--------------------------

``shards`` makes a database of each part of the documents, by a load of their sketches. ``batch_query`` holds a file of
fingerprints against all that databases hold (Manku et al. 2007, 3.3): a task scans a range of 64 MB of the segments of
one table, and what is found is looked up for the documents that live.

Places
------

Stores, work folders, archives and outputs are paths or URIs (:mod:`nddb.spark.places`); databases are on disks. Nothing
here uses a ``SparkContext`` or the virtual machine of Java, so the jobs run from clients of Spark Connect, too.

Not here: methods that read texts again (``lcs``, ``cosine``, ``shingles``), ``expand``, connected components.
"""

from nddb.spark.clusters import clusters, lists
from nddb.spark.pairs import pairs
from nddb.spark.shards import batch_query, shards
from nddb.spark.store import documents, ingest, sketch
from nddb.steps import Judging

__all__ = ["Judging", "batch_query", "clusters", "documents", "ingest", "lists", "pairs", "shards", "sketch"]
