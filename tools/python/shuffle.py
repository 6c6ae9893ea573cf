"""Measures what Spark itself spends on a row that is shuffled and sorted, for docs/SCALE.md: CPU of the JVM, one core.

    SPARK_LOCAL_IP=127.0.0.1 target/python/spark/bin/python tools/python/shuffle.py
"""

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession, functions

NUMBERS, SKETCHES = 10_000_000, 300_000


def main():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", "8").getOrCreate()
    process = Path(f"/proc/{session.sparkContext._gateway.proc.pid}/stat")

    def spent(frame):
        """CPU seconds of the JVM for all rows of a table."""
        before = ticks()
        frame.write.format("noop").mode("overwrite").save()
        return (ticks() - before) / os.sysconf("SC_CLK_TCK")

    def ticks():
        return sum(map(int, process.read_text().rsplit(")", 1)[1].split()[11:13]))

    key, number = functions.xxhash64("id").alias("key"), functions.col("id").alias("number")
    numbers = session.range(NUMBERS).select(key, number, functions.xxhash64("id", "id").alias("fp"))
    sorted_numbers = numbers.repartition("key").sortWithinPartitions("key", "number")
    through = sorted_numbers.mapInArrow(lambda batches: batches, "key long, number long, fp long")
    text = functions.expr("cast(repeat(cast(uuid() as string), 24) as binary)").alias("sketch")
    sketches = session.range(SKETCHES).select(key, text)
    sorted_sketches = sketches.repartition("key").sortWithinPartitions("key")
    spent(numbers)
    for name, count, base, frame in [
        ("three numbers, shuffled and sorted", NUMBERS, numbers, sorted_numbers),
        ("the same, and through Python", NUMBERS, numbers, through),
        ("a key and 864 bytes, shuffled and sorted", SKETCHES, sketches, sorted_sketches),
    ]:
        print(f"{name:45} {(spent(frame) - spent(base)) / count * 1e6:6.2f} CPU us a row", flush=True)


if __name__ == "__main__":
    main()
