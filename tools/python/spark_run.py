"""Runs the jobs on Spark with two executors, for docs/SCALE.md and the README of the package.

    target/python/spark/bin/python -P tools/python/spark_run.py stores 60000        # in a folder, and in a store of S3
    target/python/spark/bin/python -P tools/python/spark_run.py large 20000000 DIR  # in a folder, with all shuffles

`make test-spark` installs what it needs. Pages are synthetic.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow

sys.path.insert(0, str(Path(__file__).parent / "tests"))

import s3  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import nddb.spark as jobs  # noqa: E402
from nddb.spark.places import Place  # noqa: E402

#: Of ten pages three are edits of an earlier page, as in the crawls of the papers.
ORIGINALS = 7
WORDS = [f"{number * 7919 % 46656:x}{number:x}" for number in range(20_000)]


def text_of(number, words):
    """The text of a page, which is the same each time: an original, or one with up to three other words."""
    block, place = divmod(number, 10)
    is_edit = place >= ORIGINALS
    original = random.Random(number).randrange(block + 1) * 10 + place % ORIGINALS if is_edit else number
    text = random.Random(original).choices(WORDS, k=words)
    if is_edit:
        edits = random.Random(number)
        for _ in range(edits.randrange(4)):
            text[edits.randrange(words)] = edits.choice(WORDS)
    return " ".join(text)


def made(batches, words):
    """Numbers -> pages of them."""
    for batch in batches:
        numbers = batch["id"].to_pylist()
        yield pyarrow.RecordBatch.from_pydict({
            "number": batch["id"],
            "id": [f"page-{number}" for number in numbers],
            "text": [text_of(number, words) for number in numbers],
            "url": [f"https://www.example{number % 100_000}.org/{number}" for number in numbers],
        })


def session(folder, partitions, gigabytes, options):
    """A cluster of two executors of one core each."""
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "SPARK_WORKER_DIR": str(folder)}
    (folder / "events").mkdir()
    settings = {
        "spark.driver.memory": "2g",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{folder}/events",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.executor.memory": f"{gigabytes}g",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "spark.local.dir": str(folder),
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    master = f"local-cluster[2,1,{gigabytes * 1024}]"
    made = SparkSession.builder.master(master).config(map=settings | options).getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def shuffled(folder):
    """Bytes that were shuffled, as (end of a stage in seconds, bytes) from the log of events."""
    for log in (folder / "events").iterdir():
        for event in map(json.loads, log.open()):
            if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                written = event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                yield event["Task Info"]["Finish Time"] / 1000, written


def large(count, root, words):
    """One run on a folder: the time of each step, and what it shuffled."""
    root.mkdir()
    # Shuffles of steps that have ended are removed soon, not after the default of half an hour.
    spark = session(root, max(8, count // 300_000), 3, {"spark.cleaner.periodicGC.interval": "2min"})
    ends = {"": time.time()}
    pages = spark.range(count, numPartitions=max(8, count // 100_000)).mapInArrow(
        lambda batches: made(batches, words), "number long, id string, text string, url string"
    )
    store, work = Place(root / "sketches"), Place(root / "work")
    jobs.sketch(pages, number="number").write.parquet(store.uri)
    ends["sketches"] = time.time()
    documents = spark.read.parquet(store.pattern)
    jobs.clusters(documents, work).write.parquet(f"file://{root}/members")
    ends["members"] = time.time()
    for step in work.children():
        if step.name != "job.json":
            whole = step if step.here.is_file() else step / "_SUCCESS"
            ends[step.name] = whole.here.stat().st_mtime
    ends["inputs read"] = (work / "job.json").here.stat().st_mtime
    members = spark.read.parquet(f"file://{root}/members")
    jobs.lists(documents, members, root / "lists")
    ends["lists"] = time.time()
    print(f"{count} documents, {members.count()} members of {members.select('cluster').distinct().count()} clusters")
    spark.stop()
    ordered = sorted(ends.items(), key=lambda one: one[1])
    bytes_of = Counter()
    for end, written in shuffled(root):
        bytes_of[next((name for name, when in ordered[1:] if end <= when), "lists")] += written
    print(f"{'step':20}{'seconds':>10}{'GB shuffled':>14}{'GB written':>12}")
    for (_, before), (name, end) in zip(ordered, ordered[1:]):
        stored = sum(file.stat().st_size for place in (root, work.here) for file in (place / name).rglob("part-*"))
        print(f"{name:20}{end - before:10.0f}{bytes_of[name] / 1e9:14.2f}{stored / 1e9:12.2f}")
    print(f"{'all':20}{ordered[-1][1] - ordered[0][1]:10.0f}{bytes_of.total() / 1e9:14.2f}")


def one_job(spark, archives, root):
    """From archives to lists: the seconds, the members and the two lists."""
    start = time.time()
    jobs.ingest(spark, [archives], root / "store", crawl="one")
    documents = jobs.documents(spark, root / "store")
    jobs.clusters(documents, root / "work").write.parquet((root / "members").uri)
    members = spark.read.parquet((root / "members").pattern)
    jobs.lists(documents, members, root / "lists")
    seconds = time.time() - start
    lists = [(root / "lists" / name).read() for name in ("keep.txt", "remove.txt")]
    # Files are read in the order of their sizes.
    return seconds, members.drop("archive").orderBy("cluster", "id").toArrow(), lists


def stores(count, rounds, words):
    """The same job on a folder and on a store, in turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spark = session(folder, 4, 2, s3.serve("pages"))
        places = [Place(folder / "disk"), Place("s3a://pages")]
        for part in range(8):
            numbers = range(part * count // 8, (part + 1) * count // 8)
            lines = (json.dumps({"id": f"page-{one}", "text": text_of(one, words)}) + "\n" for one in numbers)
            content = "".join(lines)
            for place in places:
                (place / f"archives/{part}.jsonl").put(lambda new: new.write_text(content))
        for index in range(rounds):
            found = [one_job(spark, place / "archives", place / str(index)) for place in places]
            (disk, *rows), (store, *others) = found
            assert rows == others, "other rows or lists"
            print(f"{count} pages, {rows[0].num_rows} members: {disk:.1f} s on a folder, {store:.1f} s on a store, "
                  f"{store / disk:.2f} of it, the same rows and lists", flush=True)
        spark.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["stores", "large"])
    parser.add_argument("pages", type=int)
    parser.add_argument("folder", nargs="?", type=Path, help="a new folder for a large run")
    parser.add_argument("--words", type=int, default=100, help="words of a page")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.what == "stores":
        stores(given.pages, given.rounds, given.words)
    else:
        large(given.pages, given.folder.absolute(), given.words)


if __name__ == "__main__":
    main()
