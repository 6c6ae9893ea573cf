"""What the tests of the jobs share: a cluster of two executors with a store of S3, and a collection of two crawls."""

import os
import sys
from pathlib import Path

import hot
import pyarrow
import pytest
import s3

import nddb

BUCKET = "crawls"
#: The ids of the documents of the collection that are deleted.
GONE = [f"page-{number}" for number in range(0, 300, 11)] + ["nothing"]


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    from pyspark.sql import DataFrame, SparkSession

    if not hasattr(DataFrame, "toArrow"):  # before Spark 4
        DataFrame.toArrow = lambda self: pyarrow.Table.from_batches(self._collect_as_arrow())
    # Executors are processes of their own, with the Python and the package of this one.
    os.environ |= {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_WORKER_DIR": str(tmp_path_factory.mktemp("work")),
    }
    session = (
        SparkSession.builder.config(map=s3.serve(BUCKET) if s3.is_here() else {})
        .master("local-cluster[2,1,2048]")
        .config("spark.executor.memory", "1g")
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.local.dir", str(tmp_path_factory.mktemp("local")))
        .config("spark.ui.enabled", "false")
        # Two thirds of the time of jobs this short would be the second compiler of Java.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.task.maxFailures", "8")
        # As on clusters: paths without a scheme are those of another file system, here of one that is not there.
        .config("spark.hadoop.fs.defaultFS", "hdfs://127.0.0.1:1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def collection(spark, tmp_path_factory):
    """A store of two crawls, and a database that loaded both and from which the same documents were deleted."""
    import nddb.spark as jobs

    folder = tmp_path_factory.mktemp("collection")
    first = hot.write(folder, "first", hot.crawl(1, 300), 3)
    # Some pages come again, some of them as they were.
    second = hot.write(folder, "second", hot.crawl(1, 120)[::2] + hot.crawl(5, 150, 250), 2)
    for paths in (first, second):
        create = nddb.Config(k=3, keep_words=True) if paths is first else None
        with nddb.Writer(folder / "crawl.nddb", create=create) as writer:
            writer.load(paths)
    with nddb.Writer(folder / "crawl.nddb") as writer:
        assert writer.rm(GONE) > 20
    assert nddb.open(folder / "crawl.nddb").stats()["runs"]
    stored = jobs.ingest(spark, first, folder / "store", crawl="01", keep_words=True)
    assert stored == sum(len(path.read_text().splitlines()) for path in first)
    jobs.ingest(spark, second, folder / "store", crawl="1", keep_words=True)
    return folder, jobs.documents(spark, folder / "store", deleted=GONE)


def same(found, expected):
    """Whether two tables have the same columns and rows, in the same order."""
    assert found.schema.names == expected.schema.names
    assert found.cast(expected.schema).to_pylist() == expected.to_pylist()
    return expected.num_rows


def executors(session):
    """The processes of executors, which are children of the driver's."""
    driver = session.sparkContext._gateway.proc.pid
    found = []
    for process in Path("/proc").iterdir():
        try:
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == driver and b"CoarseGrainedExecutorBackend" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except (OSError, ValueError, IndexError):
            continue
    return found
