"""The jobs for spark-submit:

    spark-submit $(python -m nddb.spark path) ingest STORE ARCHIVE... --crawl 2026-47
    spark-submit $(python -m nddb.spark path) pairs STORE pairs.parquet
    spark-submit $(python -m nddb.spark path) clusters STORE clusters
    spark-submit $(python -m nddb.spark path) parts STORE passages.parquet
    spark-submit $(python -m nddb.spark path) shards STORE shards --shards 300
    spark-submit $(python -m nddb.spark path) batch-query near.parquet Q.u64le shards/*.nddb

STORE and outputs are folders that all machines can access, or URIs of stores (s3a:, gs:, abfss:, hdfs:).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nddb.spark.places import Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="nddb.spark", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    jobs = made.add_subparsers(dest="job", required=True, metavar="JOB")
    jobs.add_parser("path", help="print the path of this file, for spark-submit")
    ingest = jobs.add_parser("ingest", help="sketch the pages of archives, as a crawl of the store")
    ingest.add_argument("store")
    ingest.add_argument("archives", nargs="+", help="archives and folders of them, in their order")
    ingest.add_argument("--crawl", required=True, help="the name of the crawl")
    ingest.add_argument("--recipe", default="main")
    ingest.add_argument("--format", default="auto")
    ingest.add_argument("--keep-words", action="store_true", help="keep the words of pages, as of nddb create")
    pairs = jobs.add_parser("pairs", help="all near-duplicate pairs, as a folder of Parquet files")
    clusters = jobs.add_parser("clusters", help="clusters/, keep.txt and remove.txt in a folder")
    parts = jobs.add_parser("parts", help="passages in common of documents made by main-parts, as Parquet files")
    shards = jobs.add_parser("shards", help="databases of a part of the documents each, in a folder")
    batch = jobs.add_parser("batch-query", help="documents near to fingerprints, as a folder of Parquet files")
    for one in (pairs, clusters, parts, shards):
        one.add_argument("store")
        one.add_argument("output")
        one.add_argument("--deleted", help="file with the ids of deleted documents, one a line")
    shards.add_argument("--shards", type=int, required=True, help="number of databases")
    shards.add_argument("-k", type=int, default=3)
    shards.add_argument("--bits", type=int, default=64)
    shards.add_argument("--recipe", default="main")
    batch.add_argument("output")
    batch.add_argument("queries", help="fingerprints of eight bytes each, least significant first")
    batch.add_argument("databases", nargs="+")
    batch.add_argument("-k", type=int, help="[default: the databases']")
    for one in (pairs, clusters, parts, batch):
        one.add_argument("--work", help="folder of the steps: kept, and gone on from [default: in the output, removed]")
    for one in (pairs, clusters):
        one.add_argument("--method", help="[default: that of the recipe]")
        one.add_argument("-k", type=int, default=3)
        one.add_argument("--recipe", default="main")
        one.add_argument("--group-limit", type=int, default=1000)
        one.add_argument("--min-probability", type=float)
    parts.add_argument("-k", type=int, default=3)
    parts.add_argument("--min-words", type=int, default=20)
    parts.add_argument("--min-containment", type=float, default=0.0)
    clusters.add_argument("--keep", type=lambda rules: rules.split(","), help="rules, as of nddb cluster")
    clusters.add_argument("--level", choices=["same", "strict", "standard"])
    return made


def run(spark: SparkSession, given: argparse.Namespace) -> None:
    """Runs a job."""
    import nddb.spark as jobs

    if given.job == "ingest":
        options = {"recipe": given.recipe, "format": given.format, "keep_words": given.keep_words}
        count = jobs.ingest(spark, given.archives, given.store, crawl=given.crawl, **options)
        print(f"{count} documents", file=sys.stderr)
        return
    output = Place(given.output)
    if given.job != "shards":
        work = Place(given.work) if given.work else output.beside(f".{output.name}.work")
    if given.job == "batch-query":
        jobs.batch_query(spark, given.databases, given.queries, work, k=given.k).write.parquet(output.uri)
    else:
        deleted = Place(given.deleted).read().decode().splitlines() if given.deleted else []
        documents = jobs.documents(spark, given.store, deleted=deleted)
        if given.job == "shards":
            options = {"shards": given.shards, "k": given.k, "bits": given.bits, "recipe": given.recipe}
            jobs.shards(documents, output, **options)
            return
        if given.job == "parts":
            options = {"k": given.k, "min_words": given.min_words, "min_containment": given.min_containment}
            jobs.parts(documents, work, **options).write.parquet(output.uri)
        else:
            _judged(spark, given, documents, work, output)
    if not given.work:
        work.remove()


def _judged(spark: SparkSession, given: argparse.Namespace, documents: DataFrame, work: Place, output: Place) -> None:
    """Writes pairs, or clusters and lists."""
    import nddb.spark as jobs

    judging = {
        "method": given.method,
        "k": given.k,
        "recipe": given.recipe,
        "group_limit": given.group_limit,
        "min_probability": given.min_probability,
    }
    if given.job == "pairs":
        jobs.pairs(documents, work, **judging).write.parquet(output.uri)
    else:
        table = output / "clusters"
        jobs.clusters(documents, work, keep=given.keep, level=given.level, **judging).write.parquet(table.uri)
        jobs.lists(documents, spark.read.parquet(table.pattern), output)


def main() -> None:
    """Runs the job of the command line."""
    given = parser().parse_args()
    if given.job == "path":
        print(Path(__file__).absolute())
        return
    from pyspark.sql import SparkSession

    run(SparkSession.builder.appName(f"nddb {given.job}").getOrCreate(), given)


if __name__ == "__main__":
    main()
