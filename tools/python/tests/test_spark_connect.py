"""The jobs from a client of Spark Connect, which has neither a context of Spark nor a virtual machine of Java."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import hot
import pyarrow
import pyarrow.parquet
import pytest
from cluster import same

import nddb

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: make test-spark")
if not list(Path(pyspark.__file__).parent.glob("jars/spark-connect_*.jar")):
    pytest.skip("PySpark has a server of Spark Connect from 4.0 on", allow_module_level=True)
if shutil.which("java") is None:
    pytest.skip("there is no Java: apt-get install openjdk-17-jre-headless", allow_module_level=True)

#: The client: the session of the other tests is one of the classic kind, of which a process has either or.
CLIENT = """
import sys
from pathlib import Path
import pyarrow.parquet
from pyspark.sql import SparkSession
import nddb.spark as jobs

folder = Path(sys.argv[1])
options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2",
           "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
spark = SparkSession.builder.config(map=options).remote("local[2]").getOrCreate()
assert not hasattr(spark, "_jvm")
jobs.ingest(spark, sorted(folder.glob("*.jsonl")), folder / "store", crawl="one", keep_words=True)
documents = jobs.documents(spark, folder / "store", deleted=["page-7"])
jobs.clusters(documents, folder / "work").write.parquet(f"file://{folder}/members")
members = spark.read.parquet(f"file://{folder}/members")
pyarrow.parquet.write_table(members.toArrow(), folder / "members.parquet")
jobs.lists(documents, members, folder)
queries = pyarrow.parquet.read_table(folder / "queries.parquet")["fp"].to_numpy()
found = jobs.batch_query(spark, folder / "pages.nddb", queries, folder / "queried").toArrow()
pyarrow.parquet.write_table(found, folder / "found.parquet")
"""


def test_a_client_of_spark_connect_gets_the_rows_of_one_machine(tmp_path):
    archives = hot.write(tmp_path, "pages", hot.crawl(6, 120), 2)
    with nddb.Writer(tmp_path / "pages.nddb", create=nddb.Config(k=3)) as writer:
        writer.load(archives)
    with nddb.Writer(tmp_path / "pages.nddb") as writer:
        writer.rm("page-7")
    db = nddb.open(tmp_path / "pages.nddb")
    members = pyarrow.table(db.clusters())
    prints = [db.get(id)["fp"] for id in members["id"].to_pylist()]
    queries = pyarrow.array([int(one, 16) for one in prints if one], pyarrow.uint64())
    pyarrow.parquet.write_table(pyarrow.table({"fp": queries}), tmp_path / "queries.parquet")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, tmp_path], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert same(pyarrow.parquet.read_table(tmp_path / "members.parquet"), members) > 30
    removed = sorted(row["id"] for row in members.to_pylist() if row["verdict"] == "remove")
    assert (tmp_path / "remove.txt").read_text().splitlines() == removed
    assert same(pyarrow.parquet.read_table(tmp_path / "found.parquet"), pyarrow.table(db.probe_batch(queries))) > 30
