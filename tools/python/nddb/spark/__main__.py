"""The jobs for spark-submit:

    spark-submit $(python -m nddb.spark path) ingest STORE ARCHIVE... --crawl 2026-47
    spark-submit $(python -m nddb.spark path) pairs STORE pairs.parquet
    spark-submit $(python -m nddb.spark path) clusters STORE clusters

STORE and what is written are folders that all machines see.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    pairs = jobs.add_parser("pairs", help="all near-duplicate pairs, as a folder of Parquet files")
    clusters = jobs.add_parser("clusters", help="clusters/, keep.txt and remove.txt in a folder")
    for one in (pairs, clusters):
        one.add_argument("store")
        one.add_argument("output")
        one.add_argument("--work", help="folder of the steps: kept, and gone on from [default: in the output, removed]")
        one.add_argument("--deleted", help="file with the ids of deleted documents, one a line")
        one.add_argument("--method", help="[default: that of the recipe]")
        one.add_argument("-k", type=int, default=3)
        one.add_argument("--recipe", default="main")
        one.add_argument("--group-limit", type=int, default=1000)
        one.add_argument("--min-probability", type=float)
    clusters.add_argument("--keep", type=lambda rules: rules.split(","), help="rules, as of nddb cluster")
    clusters.add_argument("--remove", choices=["near", "contained", "identical"])
    return made


def run(spark: SparkSession, given: argparse.Namespace) -> None:
    """Runs a job."""
    import nddb.spark as jobs
    from nddb.spark.work import literal

    if given.job == "ingest":
        count = jobs.ingest(
            spark, given.archives, given.store, crawl=given.crawl, recipe=given.recipe, format=given.format
        )
        print(f"{count} documents", file=sys.stderr)
        return
    output = Path(given.output).absolute()
    work = Path(given.work) if given.work else output.with_name(f".{output.name}.work")
    deleted = Path(given.deleted).read_text().splitlines() if given.deleted else []
    documents = jobs.documents(spark, given.store, deleted=deleted)
    judging = {
        "method": given.method,
        "k": given.k,
        "recipe": given.recipe,
        "group_limit": given.group_limit,
        "min_probability": given.min_probability,
    }
    if given.job == "pairs":
        jobs.pairs(documents, work, **judging).write.parquet(str(output))
    else:
        table = str(output / "clusters")
        jobs.clusters(documents, work, keep=given.keep, remove=given.remove, **judging).write.parquet(table)
        jobs.lists(documents, spark.read.parquet(literal(Path(table))), output)
    if not given.work:
        import shutil

        shutil.rmtree(work)


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
