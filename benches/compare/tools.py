#!/usr/bin/env python3
"""Runs one tool on texts; `compare.py` starts it in the environment of the tool.

    tools.py TOOL TEXTS.jsonl OUTPUT FOLDER

TEXTS are JSON lines of `id` and `text` (`extract`: `id` and `html` or `text`). OUTPUT gets lines of ids separated by
tabs; all documents of a line are near-duplicates of each other (`extract`: JSON lines of `id` and `text`). FOLDER is
for files that a tool writes. Prints the processor time of the imports and the number of empty texts, as JSON.

Settings are those of the introductory example in the documentation of each tool; choices that it leaves open are:

- datasketch: MinHash with 128 permutations over the words of a text, or over its runs of 5 words; MinHashLSH with each
  threshold of THRESHOLDS (0.9 is the default, 0.5 that of the example); each answer of the index is a pair. Empty texts
  are left out.
- rensa: the RMinHashDeduplicator of the README over words, each threshold (0.8 is that of the README), 128
  permutations, seed 42, with LSH, documents in their order. A rejected document joins the cluster of the first kept document that it duplicates.
- text-dedup: `python -m text_dedup.minhash` with its defaults: 5 words, 250 permutations, threshold 0.7; its clusters.
- datatrove: the three steps of min-hash with MinhashConfig() and English words: 5 words, 14 buckets of 8; its clusters.
- extract: trafilatura.extract(html); plain texts stay unchanged.
"""

import json
import os
import sys
import time
from collections import defaultdict
from functools import partial
from pathlib import Path


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(line) + "\n" for line in lines)


# A tool is shown at its best setting, so each is tried.
THRESHOLDS = [0.5, 0.7, 0.8, 0.9]


def shingles(words, length):
    """Runs of words; a text of fewer words is one run."""
    if length == 1:
        return set(words)
    return {" ".join(words[at : at + length]) for at in range(max(len(words) - length + 1, 1))}


def datasketch(threshold, length):
    from datasketch import MinHash, MinHashLSH

    yield
    texts, output, _ = yield
    index, pairs = MinHashLSH(threshold=threshold, num_perm=128), []
    for number, text in enumerate(texts):
        words = text["text"].split()
        if not words:
            continue
        sketch = MinHash(num_perm=128)
        for shingle in shingles(words, length):
            sketch.update(shingle.encode())
        pairs += [(texts[other]["id"], text["id"]) for other in sorted(index.query(sketch))]
        index.insert(number, sketch)
    write(output, pairs)


def rensa(threshold):
    from rensa import RMinHash, RMinHashDeduplicator

    yield
    texts, output, _ = yield
    kept, clusters = RMinHashDeduplicator(threshold=threshold, num_perm=128, use_lsh=True, seed=42), {}
    for text in texts:
        words = text["text"].split()
        if not words:
            continue
        (sketch,) = RMinHash.from_token_sets([words], num_perm=128, seed=42)
        if kept.add(text["id"], sketch):
            clusters[text["id"]] = [text["id"]]
        else:
            near = set(kept.get_duplicates(sketch))
            clusters[next(id for id in clusters if id in near)].append(text["id"])
    write(output, (of for of in clusters.values() if len(of) > 1))


def text_dedup():
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    from text_dedup import minhash

    yield
    texts, output, folder = yield
    # All texts are in one column, in their order, because its clusters name documents by their number.
    with open(folder / "texts.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text["text"]}) + "\n" for text in texts)
    given = {"path": "json", "data_files": folder / "texts.jsonl", "split": "train", "cache_dir": folder / "cache"}
    given |= {"output": folder / "kept", "column": "text"}
    arguments = [part for name, value in given.items() for part in (f"--{name}", str(value))]
    minhash.main(args=arguments, standalone_mode=False)
    clusters = defaultdict(list)
    for number, text in enumerate(texts):
        if number in minhash.uf.parent:
            clusters[minhash.uf.find(number)].append(text["id"])
    write(output, (of for of in clusters.values() if len(of) > 1))


def datatrove():
    import struct

    from datatrove.data import Document
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.utils.logging import logger

    import spacy  # the words of English

    logger.remove()
    yield
    texts, output, folder = yield
    signatures, buckets, found = (str(folder / name) for name in ("signatures", "buckets", "found"))
    documents = [Document(text=text["text"], id=text["id"]) for text in texts]
    MinhashDedupSignature(signatures).run(iter(documents), 0, 1)
    for bucket in range(MinhashConfig().num_buckets):
        MinhashDedupBuckets(signatures, buckets).run(None, bucket, MinhashConfig().num_buckets)
    MinhashDedupCluster(buckets, found, save_cluster_id=True).run(None, 0, 1)
    clusters = defaultdict(list)
    path = Path(found) / "000000.clusters"
    for document, cluster in struct.iter_unpack("<2I", path.read_bytes() if path.exists() else b""):
        clusters[cluster].append(texts[document]["id"])
    write(output, clusters.values())


def extract():
    import trafilatura

    yield
    documents, output, _ = yield
    with open(output, "w", encoding="utf-8") as file:
        for document in documents:
            text = trafilatura.extract(document["html"]) if "html" in document else document["text"]
            file.write(json.dumps({"id": document["id"], "text": text or ""}) + "\n")


TOOLS = {
    **{f"datasketch-{length}-{at}": partial(datasketch, at, length) for length in (1, 5) for at in THRESHOLDS},
    **{f"rensa-{at}": partial(rensa, at) for at in THRESHOLDS},
    "text-dedup": text_dedup,
    "datatrove": datatrove,
    "extract": extract,
}


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in TOOLS:
        sys.exit(__doc__)
    _, name, texts, output, folder = sys.argv
    # Modules of the tools must not be confused with the files in this folder.
    sys.path = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]
    tool = TOOLS[name]()
    next(tool)
    imports = time.process_time()
    documents = read(texts)
    next(tool)
    try:
        tool.send((documents, output, Path(folder)))
    except StopIteration:
        pass
    empty = sum(not document["text"].strip() for document in (read(output) if name == "extract" else documents))
    print(json.dumps({"imports": imports, "empty": empty}))


if __name__ == "__main__":
    main()
