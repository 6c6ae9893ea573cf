"""What a user writes, with all types known: for ``mypy --strict`` and ``pyright``."""
# pyright: strict

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
from typing_extensions import assert_type

import nddb
from nddb import commands


def fill(path: Path) -> int:
    with nddb.Writer(path, create=nddb.Config(k=3, recipe="main")) as writer:
        answer: str = writer.add("a", text="the quick brown fox", url="https://example.org/")
        verdict: nddb.Verdict = writer.add_if_new("b", text=b"the quick brown fox", method="model")
        counts: dict[str, Any] = writer.load([path / "pages.jsonl"], batch="may", pending=True)
        print(answer, verdict.of, verdict.is_duplicate, counts)
        return writer.rm(["a", 17])


def ask(path: Path) -> list[str | int]:
    with nddb.open(path) as reader:
        ids: list[str | int] = [match.id for match in reader.probe(0xFF, k=2)]
        answer: nddb.Answer = reader.query(text="the quick brown fox", limit=3)
        near: nddb.NearDuplicate = answer[0]
        scores: dict[str, Any] = near.scores
        stream: nddb.Stream = reader.clusters(["longest", "id"], level="strict")
        rows: Iterator[dict[str, Any]] = iter(stream)
        found = nddb.Federation([reader, path]).query(id="a")
        print(scores, next(rows), len(found), reader.stats(), len(reader), "a" in reader)
        return ids


def upkeep(path: Path) -> str:
    try:
        for batch in commands.batches(path):
            if batch["state"] == "pending":
                commands.commit_batch(path, batch["batch"], dry_run=True)
        commands.rm(path, site="example.org", dry_run=True)
        commands.backup(path, path / "backup", keep=7, progress=False)
        answer: dict[str, Any] = commands.check(path, sample_recall=1000, threads=2)
        ids = [document["id"] for document in commands.documents(path, columns=["id", "url"])]
        near = list(commands.against(["a text"], path, limit=3))
        print(answer["sound"], ids, near, commands.run("get", path, "a", url=["https://example.org/"]))
        return commands.show(path, "a", 17, text="main")
    except nddb.Locked as error:
        return error.hint or str(error)


async def wait(path: Path) -> dict[str, Any]:
    checked = await asyncio.to_thread(commands.check, path, sample_recall=10)
    answer: nddb.Answer = await asyncio.to_thread(nddb.open(path).query, text="the quick brown fox")
    print(len(answer))
    return checked


def remove(folder: Path, frame: polars.DataFrame, texts: list[str], rows: list[dict[str, str]]) -> int:
    recipe = nddb.Recipe("main")
    with nddb.dedup(texts, keep="longest") as result:
        assert_type(result.kept, list[str])
        for pair in result.pairs():
            print(pair["text"], pair["kept_text"])
        result.show(3)
    assert_type(nddb.dedup(frame, text="body", against=folder / "a.nddb").kept, polars.DataFrame)
    assert_type(nddb.dedup(rows, level="strict").kept, list[dict[str, str]])
    assert_type(nddb.dedup(iter(["a text", None])).kept, list[str | None])
    for files in (nddb.dedup(str(folder)), nddb.dedup(folder), nddb.dedup(folder.glob("*.jsonl")), nddb.dedup([folder])):
        assert_type(files.kept, list[Path])
        files.report(folder / "report.html")
        files.save(folder / "kept")
    kept: nddb.Deduplicated[list[str]] = nddb.dedup(sorted(texts), output=folder / "kept", progress=False)
    return len(kept.kept) + recipe.fingerprint(text="a text")
