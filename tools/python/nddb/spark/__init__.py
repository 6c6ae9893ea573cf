"""Near-duplicates of crawls that do not fit one machine, on Spark.

Spark sorts and joins tables, and each task calls functions of :mod:`nddb.tables` on its partition. The results equal
those of a database filled by ``Writer.load``. The *number* of a document is its position in the order of loading. By
default the near-duplicate with the lowest number stays. Other rules of ``keep`` rank truncated and garbled documents
last.

::

    from nddb import spark as nddb_spark
    nddb_spark.ingest(spark, ["CC-MAIN-2026-47/"], "store", crawl="2026-47")
    documents = nddb_spark.documents(spark, "store")
    members = nddb_spark.clusters(documents, "work")

1. ``ingest``: one task reads an archive and sketches its pages. The number of a page combines the position of its
   archive in the store with its index in the archive, so a retried task makes the same rows.
2. ``documents`` selects the current document of each id: the last one that was new or changed.
3. ``pairs``, ``clusters`` and ``parts`` run the steps of :mod:`nddb.steps`, each a table in the folder ``work``.
4. ``shards`` distributes the sketches of the documents over databases. ``batch_query`` matches a file of fingerprints
   against databases (Manku et al. 2007, 3.3).

Stores, work folders, archives and outputs are paths or URIs (:mod:`nddb.spark.places`); databases are on disks. The
jobs also run from clients of Spark Connect.

Not supported: methods that read texts again (``lcs``, ``cosine``, ``shingles``), ``expand``, connected components.
"""

from nddb.spark.clusters import clusters, lists
from nddb.spark.pairs import pairs, parts
from nddb.spark.shards import batch_query, shards
from nddb.spark.store import documents, ingest, sketch
from nddb.steps import Judging

__all__ = ["Judging", "batch_query", "clusters", "documents", "ingest", "lists", "pairs", "parts", "shards", "sketch"]
