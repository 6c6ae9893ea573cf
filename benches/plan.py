#!/usr/bin/env python3
"""Measures the constants of `nddb plan`: the disk space, memory and time per document, by recipe.

    plan.py NDDB [--edits 400] [--recipes bare,ordinals,main,main-c,main-offline,main-parts,web,web-c,1e0ng] [--folder FOLDER]

NDDB is the program, from a release build. Pages are the `edits` of `made_pages.py` (200 synthetic words each, each page
with a near copy), in random order, because neighbouring copies would compress too well. They are loaded into a new
database in two parts: a quarter of them, then the others. The runs are then merged into one. Bytes of the catalog are
the slope between the two parts, minus the bytes of ids, addresses and sites, because a user can give the lengths of
these. An id is stored twice (row and record), address and site once (record); half of the bytes of each are counted
(compression), and none for `ordinals`. `base_kb` is the fixed size of a database.

Columns: documents; bytes per document of `id`, `url` and `site`; per document, bytes of the `catalog` (the slope, minus
id + .5 (url + site)) and of the `summary` (minus id + url), `keys` (pairs in the key table), `distinct` keys, and bytes
of the `key_table`; CPU microseconds per document of the second load (`load_us`) and of the merge (`merge_us`);
`writer_mb`, the greatest anonymous memory while loading; `verdict_us`, CPU microseconds per query of the default
verdict (`query --all`, minus one query); `reader_mb`, the greatest anonymous memory meanwhile. The last columns are for
queries of random stored documents by one process, with no part of the database in the page cache, on the disk of the
temporary folder; per query, `cold_ms` (wall clock), `cold_faults` (in mapped files) and `cold_kb` (read from the disk).
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

RECIPES = "bare,ordinals,main,main-c,main-offline,main-parts,web,web-c,1e0ng"
# Bare fingerprints: with ids that are not consecutive, and with consecutive ids.
BARE = {"bare": lambda place: f"{7919 * place:020}", "ordinals": str}
COLD = 41


class Run:
    """A finished process: output, CPU seconds, wall seconds, greatest anonymous memory, major faults, bytes read."""

    def __init__(self, command):
        start, self.anonymous, ended = time.monotonic(), 0, threading.Event()
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        watch = threading.Thread(target=self.watch, args=(process.pid, ended))
        watch.start()
        self.output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - start
        ended.set()
        watch.join()
        if process.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit code {process.returncode}")
        self.cpu, self.faults, self.read = used.ru_utime + used.ru_stime, used.ru_majflt, used.ru_inblock * 512

    def watch(self, pid, ended):
        while not ended.wait(0.01):
            try:
                lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            except OSError:
                return
            sizes = [int(line.split()[1]) for line in lines if line.startswith("RssAnon")]
            self.anonymous = max([self.anonymous, *sizes])


def forget(folder):
    """Drops files from the page cache."""
    for path in folder.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def stats_of(nddb, database):
    return json.loads(subprocess.check_output([nddb, "stats", database, "--json"]))


def measure(nddb, recipe, documents, folder):
    database = folder / f"{recipe}.nddb"
    chosen = ["--recipe", recipe] if recipe not in BARE else []
    subprocess.run([nddb, "create", database, *chosen], check=True, stderr=subprocess.DEVNULL)
    if recipe in BARE:
        prints = range(50 * len(documents))
        documents = [{"id": BARE[recipe](place), "fp": f"{random.getrandbits(64):016x}"} for place in prints]
    cut, catalogs = len(documents) // 4, []
    for place, part in enumerate((documents[:cut], documents[cut:])):
        source = folder / f"{recipe}-{place}.jsonl"
        source.write_text("".join(json.dumps(document) + "\n" for document in part))
        loaded = Run([nddb, "load", database, source])
        stats = stats_of(nddb, database)
        catalogs.append((stats["documents"], stats["bytes"]["catalog"]))
    merged = Run([nddb, "compact", database, "--all"])
    stats = stats_of(nddb, database)
    (few, less), (count, more) = catalogs
    slope = (more - less) / (count - few)
    lab = nddb.with_name("nddb-lab")
    manifest = json.loads(subprocess.check_output([lab, "segment", database / "MANIFEST", "--json"]))
    keys = [run["keys"] for run in manifest["runs"] if run.get("keys")]
    records = subprocess.check_output([nddb, "export", database, "--columns", "id,url,site", "-q"])
    records = [json.loads(line) for line in records.splitlines()]
    mean = {name: sum(len((record[name] or "").encode()) for record in records) / count for name in records[0]}
    ids = [record["id"] for record in random.sample(records, min(COLD, len(records)))]
    # Nothing else is looked up in such a database.
    method = ["--method", "hamming"] if recipe.endswith("-offline") else []
    everything = Run([nddb, "query", database, *method, "--all", "--limit", "1"])
    forget(database)
    cold_one = Run([nddb, "query", database, *method, "--id", ids[0]])
    forget(database)
    cold = Run([nddb, "query", database, *method, "--id", *ids])
    one = Run([nddb, "query", database, *method, "--id", ids[0]])
    each = lambda of: (of(cold) - of(cold_one)) / (len(ids) - 1)
    return {
        "recipe": recipe,
        "documents": count,
        **{name: round(size, 1) for name, size in mean.items()},
        "catalog": round(slope - (0 if recipe == "ordinals" else mean["id"] + (mean["url"] + mean["site"]) / 2)),
        "summary": round(stats["bytes"]["summaries"] / count - mean["id"] - mean["url"]) if recipe != "ordinals" else 0,
        "keys": round(sum(run["pairs"] for run in keys) / count, 2),
        "distinct": round(sum(run["keys"] for run in keys) / count, 2),
        "key_table": round(stats["bytes"]["keys"] / count, 1),
        "base_kb": round((more - slope * count) / 1024),
        "load_us": round(loaded.cpu / (count - few) * 1e6, 1),
        "merge_us": round(merged.cpu / count * 1e6, 1),
        "writer_mb": round(loaded.anonymous / 1024),
        "verdict_us": round((everything.cpu - one.cpu) / count * 1e6, 1),
        "reader_mb": round(everything.anonymous / 1024),
        "cold_ms": round(each(lambda run: run.wall) * 1000, 2),
        "cold_faults": round(each(lambda run: run.faults), 1),
        "cold_kb": round(each(lambda run: run.read) / 1024),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nddb", type=Path)
    parser.add_argument("--edits", type=int, default=400, help="pairs of each of 24 kinds of made pages")
    parser.add_argument("--recipes", default=RECIPES)
    parser.add_argument("--folder", type=Path, help="where databases are made [default: a temporary folder]")
    arguments = parser.parse_args()
    nddb = arguments.nddb.resolve()
    random.seed(2007)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        made = Path(folder) / "made"
        options = ["--edits", arguments.edits, "--revisions", 0, "--products", 1, "--figures", 1]
        script = Path(__file__).with_name("made_pages.py")
        subprocess.run([sys.executable, script, made, *map(str, options)], check=True, stdout=subprocess.DEVNULL)
        documents = [json.loads(line) for line in open(made / "edits" / "docs.jsonl", encoding="utf-8")]
        random.shuffle(documents)
        for place, recipe in enumerate(arguments.recipes.split(",")):
            row = measure(nddb, recipe, documents, Path(folder))
            lines = ["\t".join(row)] if place == 0 else []
            lines.append("\t".join(map(str, row.values())))
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
