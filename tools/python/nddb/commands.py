"""The command ``nddb`` as functions: maintenance, lists, reports, filtered copies of files.

Each call runs the command in a process of its own, and returns its JSON: a dictionary, or a dictionary for each row. A
call that writes fails while a ``Writer`` of the database is open; open readers see its changes after ``refresh``.

Options are those of ``nddb COMMAND --help``: ``--sample-recall 1000`` is ``sample_recall=1000``, a flag is ``True``, a
repeated option is a list, and ``--with`` is ``with_``. All functions take ``threads``, ``memory_limit``, ``tmp_dir``
and ``lock_wait``; ``progress=False`` turns off the bars of tqdm.

A failure raises the exception of its kind, with the command's message and hint; a wrong option raises ValueError. If
input was skipped, there is a warning. The logger ``nddb`` gets all messages.

=============  =====================================================================================
documents      ``documents`` ``export`` ``show`` ``rm`` ``merge`` ``sources`` ``move_source``
batches        ``batches`` ``commit_batch`` ``cancel_batch``
duplicates     ``against`` ``cluster`` ``filter`` ``revisits`` ``report`` ``audit`` ``score_audit``
upkeep         ``check`` ``rebuild`` ``compact`` ``backup`` ``restore_backup`` ``verify_backup`` ``plan``
all commands   ``run`` ``stream`` ``output``
=============  =====================================================================================
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

from nddb import _process
from nddb._dedup.options import config_like
from nddb._dedup.sources import source_of
from nddb._dedup.tables import named_columns, store
from nddb._native import Config, Federation
from nddb._process import Argument, Option, Path, id_argument

__all__ = [
    "against",
    "audit",
    "backup",
    "batches",
    "cancel_batch",
    "check",
    "cluster",
    "commit_batch",
    "compact",
    "documents",
    "export",
    "filter",
    "merge",
    "move_source",
    "output",
    "plan",
    "rebuild",
    "report",
    "restore_backup",
    "revisits",
    "rm",
    "run",
    "score_audit",
    "show",
    "sources",
    "stream",
    "verify_backup",
]

Row = dict[str, Any]
Rows = Generator[Row, None, None]


def run(command: str, *arguments: Argument, **options: Option) -> list[Row]:
    """Runs any command, and returns what it prints as JSON: a dictionary per line, a summary last.

    Pass a command of two words as one text: ``"backup verify"``.

    >>> [row["id"] for row in nddb.commands.run("get", "crawl.nddb", "fox-1", "fox-2")]
    ['fox-1', 'fox-2']
    """
    return _process.run(command, arguments, options)


def stream(command: str, *arguments: Argument, **options: Option) -> Rows:
    """Runs any command, and yields its rows while it prints them, so they are not held in memory.

    The command starts when the first row is read, and is stopped when the generator is closed or garbage-collected.

    >>> for row in nddb.commands.stream("query", "crawl.nddb", id="fox-1"):
    ...     print(row["matches"][0]["id"])
    fox-2
    """
    with closing(_process.Process(command, arguments, options).lines()) as lines:
        yield from map(json.loads, lines)


def output(command: str, *arguments: Argument, **options: Option) -> str:
    """Runs any command, and returns what it prints as text.

    >>> nddb.commands.output("stats", "crawl.nddb", format="prometheus").splitlines()[0]
    '# HELP nddb_documents Documents that are visible.'
    """
    return "".join(_process.Process(command, arguments, options).lines())


def documents(database: Path, **options: Option) -> Rows:
    """The stored documents in the order of loading, as a stream (``nddb export``).

    ``columns`` selects fields: id, url, fp, site, batch, date, tokens, truncated, number, archive, offset, inner,
    length. ``limit`` is the maximum number of documents.

    >>> for document in nddb.commands.documents("crawl.nddb", columns=["id", "url"], limit=1):
    ...     print(document)
    {'id': 'fox-1', 'url': 'https://example.org/fox'}
    """
    return stream("export", database, **options)


def export(database: Path, output: Path, **options: Option) -> Row:
    """Writes the stored documents to a file. ``format`` is jsonl, tsv, csv or parquet; ``columns``: as in `documents`.

    >>> nddb.commands.export("crawl.nddb", "documents.parquet", format="parquet", columns=["id", "fp"])["documents"]
    5
    """
    return _summary("export", [database], {"output": output, **options})


def show(database: Path, a: str | int, b: str | int, **options: Option) -> str:
    """Shows two documents side by side, as text with the differing words marked.

    The texts are read from the files they were loaded from. ``html="page.html"`` writes a page instead, ``text="main"``
    compares the main contents.

    >>> print(nddb.commands.show("pages.nddb", "page-1", "page-2"))
    page-1 ... page-2
    ...
    All words of the shorter text are in the longer one... 0 words only on the left, 2 words only on the right.
    """
    return output("show", database, id_argument(a), id_argument(b), **options)


def rm(database: Path, *ids: str | int, **options: Option) -> Row:
    """Deletes documents by ids, by a file of ids (``ids_from``), or by ``site``, ``host`` or ``batch``.

    ``dry_run=True`` only counts them. ``missing`` is the number of ids that are not stored. In an open writer, use
    ``Writer.rm``.

    >>> nddb.commands.rm("crawl.nddb", site="example.org", dry_run=True)
    {'deleted': 2, 'missing': 0, 'dry_run': True, 'hosts': {'example.org': 2}}
    >>> nddb.commands.rm("crawl.nddb", "other", "unknown")
    {'deleted': 1, 'missing': 1, 'dry_run': False}
    """
    return _summary("rm", [database, *map(id_argument, ids)], options, findings=[1])


def batches(database: Path, **options: Option) -> list[Row]:
    """The batches, each with its name, ``state`` (open, pending or cancelled) and number of documents.

    >>> with nddb.Writer("crawl.nddb") as writer:
    ...     loaded = writer.load("pages.jsonl", batch="may", pending=True)
    >>> nddb.commands.batches("crawl.nddb")
    [{'batch': 'may', 'number': 1, 'state': 'pending', 'documents': 3}]
    """
    return run("batch ls", database, **options)


def commit_batch(database: Path, name: str, **options: Option) -> Row:
    """Makes the documents of a pending batch visible, and deletes those that they replace.

    Raises ``WrongBatch`` if there is no such batch or it is not pending. ``dry_run=True`` only counts the documents.

    >>> with nddb.Writer("crawl.nddb") as writer:
    ...     loaded = writer.load("pages.jsonl", batch="may", pending=True)
    >>> nddb.commands.commit_batch("crawl.nddb", "may")
    {'batch': 'may', 'documents': 3, 'dry_run': False}
    """
    return _summary("batch commit", [database, name], options)


def cancel_batch(database: Path, name: str, **options: Option) -> Row:
    """Deletes the documents of a pending batch. Raises ``WrongBatch`` if there is no such batch.

    >>> with nddb.Writer("crawl.nddb") as writer:
    ...     loaded = writer.load("pages.jsonl", batch="may", pending=True)
    >>> nddb.commands.cancel_batch("crawl.nddb", "may", dry_run=True)
    {'batch': 'may', 'documents': 3, 'dry_run': True}
    """
    return _summary("batch cancel", [database, name], options)


def sources(database: Path, **options: Option) -> list[Row]:
    """The archives that documents were loaded from, with size, documents and ``state``.

    The state is found, missing, changed, or partial (not yet loaded to its end).

    >>> [(row["documents"], row["state"]) for row in nddb.commands.sources("pages.nddb")]
    [(3, 'found')]
    """
    return run("sources ls", database, **options)


def move_source(database: Path, old: Path, new: Path, **options: Option) -> Row:
    """Records that a file, or all files of a folder, were moved, so that texts are read from the new place.

    >>> import os
    >>> os.rename("pages.jsonl", "moved.jsonl")
    >>> nddb.commands.move_source("pages.nddb", "pages.jsonl", "moved.jsonl")["moved"]
    1
    """
    return _summary("sources move", [database, old, new], options)


def merge(database: Path, source: Path, **options: Option) -> Row:
    """Adds all documents of another database with the same recipe, and counts them.

    >>> nddb.commands.merge("new.nddb", "crawl.nddb")
    {'documents': 5, 'replaced': 0, 'unchanged': 0}
    """
    return _summary("merge", [database, source], options)


def against(
    documents: Any,
    *databases: Path,
    text: str | None = None,
    html: str | None = None,
    url: str | None = None,
    **options: Option,
) -> Rows:
    """Finds which documents of a table, list, file or other database are near-duplicates of stored ones.

    ``documents`` is a table, a list of texts, or the path of a database, file or folder; columns are named as in
    ``nddb.dedup``. Each result is for one document. ``row`` is its row in the table, from 0; for a file or database,
    ``query`` is its id. ``matches`` lists its near-duplicates, the nearest first. Nothing is stored. ``parts`` finds
    passages in common instead, in databases of the recipe ``main-parts``.

    >>> for row in nddb.commands.against(["a text that nobody has seen before", fox], "crawl.nddb", limit=1):
    ...     print(row["row"], row["count"], row["matches"][0]["id"])
    1 2 fox-1
    """
    if isinstance(documents, str | os.PathLike):
        yield from stream("against", documents, *databases, **options)
        return
    source = source_of(documents)
    named = named_columns(source.columns, {"text": text, "html": html, "url": url})
    # Rows are told apart by their numbers.
    named.pop("id", None)
    given = options.get("tmp_dir")
    with tempfile.TemporaryDirectory(prefix="nddb-against-", dir=None if given is None else str(given)) as folder:
        path = os.path.join(folder, "documents.nddb")
        # All parts of the texts that are asked for are kept, and their words, which cannot be read again.
        whole = Config(recipe="main-parts1", keep_words=True)
        config = whole if options.get("parts") else config_like(Federation(databases))
        store(source, named, path, config)
        with closing(stream("against", path, *databases, **options)) as rows:
            for row in rows:
                yield {"row": row.pop("query"), **row}


def cluster(database: Path, output: Path, **options: Option) -> Row:
    """Clusters near-duplicates, and writes what to keep and what to remove into a folder.

    ``never_remove`` and ``always_remove`` are files that list documents, hosts and URLs that are always kept or
    removed. ``Reader.clusters`` gives the clusters as a table.

    >>> nddb.commands.cluster("crawl.nddb", "clusters", keep=["longest", "id"])["removed"]
    2
    >>> open("clusters/remove.txt").read().split()
    ['fox-1', 'print-2']
    """
    return _summary("cluster", [database], {"output": output, **options})


def filter(database: Path, *inputs: Path, output: Path, **options: Option) -> Row:
    """Copies input files (archives, JSON lines, Parquet) without the documents that a clustering removes.

    ``clusters`` is the folder written by `cluster`. ``removed`` is a file for the list of removed documents, with the
    reasons.

    >>> clustered = nddb.commands.cluster("pages.nddb", "clusters")
    >>> nddb.commands.filter("pages.nddb", "pages.jsonl", clusters="clusters", output="kept.jsonl")["kept"]
    2
    """
    return _summary("filter", [database, *inputs], {"output": output, **options})


def revisits(database: Path, *inputs: Path, output: Path, **options: Option) -> Row:
    """Copies web archives, and replaces pages that repeat earlier ones with revisit records.

    >>> nddb.commands.revisits("pages.nddb", "pages.jsonl", output="revisits")
    Traceback (most recent call last):
    ValueError: pages.jsonl: jsonl has no revisit records: WARC has
    """
    return _summary("revisits", [database, *inputs], {"output": output, **options})


def report(database: Path, output: Path, **options: Option) -> Row:
    """Writes an HTML page about the removals of `cluster`; returns its numbers.

    >>> nddb.commands.report("crawl.nddb", "report.html")["removals"]["removed"]
    2
    """
    return _summary("report", [database], {"output": output, **options})


def audit(database: Path, output: Path, **options: Option) -> Row:
    """Writes an HTML page on which you judge a sample of the removals; `score_audit` reads your answers.

    >>> nddb.commands.audit("pages.nddb", "audit.html", sample=10)["removals"]
    1
    """
    return _summary("audit", [database], {"output": output, **options})


def score_audit(labels: Path, **options: Option) -> Row:
    """Estimates the share of correct removals from your answers on the page of `audit`.

    >>> nddb.commands.score_audit("labels.tsv")
    Traceback (most recent call last):
    nddb.Error: labels.tsv: cannot be read: No such file or directory (os error 2)
    """
    return _summary("audit", [], {"score": labels, **options})


def check(database: Path, **options: Option) -> Row:
    """Checks every checksum, order, count and digest, and the catalog against the runs.

    The result has ``sound`` (a bool) and ``faults`` (a list); damage raises no exception. ``sample_recall`` is a number
    of queries whose answers are compared with those of a full scan.

    >>> answer = nddb.commands.check("crawl.nddb", sample_recall=3)
    >>> answer["sound"], answer["faults"], answer["documents"]
    (True, [], 5)
    """
    return _checked("check", database, options)


def rebuild(database: Path, **options: Option) -> Row:
    """Rebuilds damaged or missing files from the catalog. Raises ``Corrupt`` if the catalog itself is damaged.

    >>> nddb.commands.rebuild("crawl.nddb")["changed"]
    False
    """
    return _summary("rebuild", [database], options)


def compact(database: Path, **options: Option) -> Row:
    """Merges runs and reclaims the space of deleted documents. Options: ``all``, ``dry_run``, ``tables``.

    >>> nddb.commands.compact("crawl.nddb", all=True)["merges"]
    0
    """
    return _summary("compact", [database], options)


def backup(database: Path, folder: Path, **options: Option) -> Row:
    """Backs up a database into a new folder, even during writes. ``keep=7`` removes all but the newest seven.

    Raises ``AlreadyExists`` if the path exists.

    >>> nddb.commands.backup("crawl.nddb", "backup")["documents"]
    5
    """
    return _summary("backup", [database, folder], options)


def restore_backup(folder: Path, database: Path, **options: Option) -> Row:
    """Makes a new database from a backup.

    >>> made = nddb.commands.backup("crawl.nddb", "backup")
    >>> nddb.commands.restore_backup("backup", "again.nddb")["documents"]
    5
    """
    return _summary("backup restore", [folder, database], options)


def verify_backup(folder: Path, **options: Option) -> Row:
    """Verifies the checksum of every file of a backup, then the database in it. Returns the same as `check`.

    >>> made = nddb.commands.backup("crawl.nddb", "backup")
    >>> nddb.commands.verify_backup("backup")["sound"]
    True
    """
    return _checked("backup verify", folder, options)


def plan(docs: float | str, **options: Option) -> Row:
    """Estimates disk, memory and time for a number of documents.

    >>> [total["recipe"] for total in nddb.commands.plan("8e9", k=3)["totals"]][:3]
    ['bare', 'ordinals', 'main']
    """
    return _summary("plan", [], {"docs": docs, **options})


def _summary(
    command: str, arguments: Sequence[Argument], options: Mapping[str, Option], findings: Sequence[int] = ()
) -> Row:
    return dict(_process.run(command, arguments, options, findings)[-1])


def _checked(command: str, path: Path, options: Mapping[str, Option]) -> Row:
    """Runs a command that prints faults, and a summary that counts them."""
    *faults, summary = _process.run(command, [path], options, findings=[13])
    return {**summary, "faults": faults}
