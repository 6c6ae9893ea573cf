"""Near-duplicates of a table by DuckDB, on one machine.

::

    import duckdb
    import on_duckdb

    pages = duckdb.read_parquet("documents.parquet")
    documents = on_duckdb.sketch(pages, number="number")
    members = on_duckdb.clusters(documents)
    clean = duckdb.sql("SELECT * FROM pages WHERE id NOT IN (SELECT id FROM members WHERE verdict = 'remove')")

The steps are tables of a database in a temporary folder (`TMPDIR`), so the documents may exceed memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import EllipsisType, TracebackType
from typing import Any

import duckdb
import pyarrow

from nddb import steps
from nddb.steps import inputs, schemas
from nddb.steps.batches import Function
from nddb.steps.pages import check_numbers, columns_of, sketched

__all__ = ["clusters", "pairs", "parts", "sketch"]


def sketch(
    pages: Any,
    *,
    number: str,
    recipe: str = "main",
    id: str = "id",
    text: str | EllipsisType | None = ...,
    html: str | EllipsisType | None = ...,
    url: str | EllipsisType | None = ...,
    keep_words: bool = False,
    connection: Any = None,
) -> Any:
    """Sketches the pages of a relation or Arrow table.

    `number` names the column of ages: unique integers, lower for older documents. Ids are unique texts. Rows without an
    id or a page are left out. By default reads the columns `text`, `html` and `url` if present. If you name a page
    column, only that one is read; None disables a column. `keep_words` stores the words of each page in its sketch,
    from which `clusters` computes the loss of each removal; otherwise the loss is estimated. The sketches are held in
    memory, some 900 bytes per page without words. Returns a relation of `connection` [default: DuckDB's own]. Raises
    ValueError if a named column is missing.
    """
    reader = pyarrow.RecordBatchReader.from_stream(pages)
    named = columns_of(reader.schema.names, number, id, text, html, url)
    check_numbers(reader.schema, number)
    given = (batch.select(list(named.values())).rename_columns(list(named)) for batch in reader)
    sketches = sketched(given, recipe, threads=None, keep_words=keep_words)
    made = pyarrow.Table.from_batches(sketches, schemas.arrow(schemas.SKETCHED))
    return duckdb.from_arrow(made, connection=connection)


def pairs(documents: Any, *, connection: Any = None, **judging: Any) -> Any:
    """All near-duplicates among documents that are not deleted, in the order and with the columns of `Reader.pairs`.

    `documents` is a relation or Arrow table returned by `sketch`, with the columns number, id, sketch, deleted and
    archive. The result is a relation of `connection` [default: DuckDB's own]. Other options: as `nddb.steps.Judging`.
    Raises ValueError if a column is missing or the numbers are not unique.
    """
    how = steps.Judging(**judging)
    with _DuckDB() as engine:
        rows = steps.pairs(engine, *engine.documents(documents), how)
        return duckdb.from_arrow(engine.rows(rows, schemas.PAIRS), connection=connection)


def clusters(
    documents: Any,
    *,
    keep: str | Sequence[str] | None = None,
    level: str | None = None,
    connection: Any = None,
    **judging: Any,
) -> Any:
    """The members of all clusters, in the order and with the columns of `Reader.clusters`.

    `keep` and `level`: as `nddb cluster`. Other arguments: as `pairs`.
    """
    how = steps.Judging(**judging)
    with _DuckDB() as engine:
        rows = steps.clusters(engine, *engine.documents(documents), how, keep, level)
        return duckdb.from_arrow(engine.rows(rows, schemas.MEMBERS), connection=connection)


def parts(documents: Any, *, connection: Any = None, **options: Any) -> Any:
    """The passages that documents which are not deleted have in common: in the order and with the first ten columns of
    `Reader.passage_pairs`.

    `documents` is a table returned by `sketch` with `recipe="main-parts"`. Options: as `nddb.steps.parts`.
    """
    with _DuckDB() as engine:
        rows = steps.parts(engine, *engine.documents(documents)[:1], **options)
        return duckdb.from_arrow(engine.rows(rows, schemas.PASSAGES), connection=connection)


class _DuckDB:
    """A database of its own; a table is a query."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nddb-")
        self._connection = duckdb.connect(Path(self._folder.name) / "steps.duckdb")
        self._tables = 0

    def __enter__(self) -> _DuckDB:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._folder.cleanup()

    def documents(self, given: Any) -> tuple[str, int]:
        """Returns the documents as a table of this database, and their number."""
        reader = pyarrow.RecordBatchReader.from_stream(given)
        there = reader.schema.names
        wanted = [name for name in schemas.names(schemas.DOCUMENTS) if name in there]
        table = self._made(reader, ", ".join(wanted))
        return table, inputs.count_of(self, table, there, "on_duckdb.sketch")

    def _made(self, reader: pyarrow.RecordBatchReader, columns: str = "*") -> str:
        """A table of these rows."""
        self._tables += 1
        name = f"step_{self._tables}"
        # A cursor of its own: others are read meanwhile.
        with self._connection.cursor() as cursor:
            cursor.register("made", reader)
            cursor.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM made")
        return f"SELECT * FROM {name}"

    def _through(self, query: str, function: Function, schema: str) -> str:
        with self._connection.cursor() as cursor:
            rows = cursor.sql(query).to_arrow_reader(10_000)
            return self._made(pyarrow.RecordBatchReader.from_batches(schemas.arrow(schema), function(rows)))

    def step(self, name: str, make: Callable[[], str], schema: str) -> str:
        # What functions make is a table anyway, and all else is soon made again.
        return make()

    def select(self, table: str, *columns: str, **renamed: str) -> str:
        named = [*columns, *(f"{old} AS {new}" for new, old in renamed.items())]
        return f"SELECT {', '.join(named)} FROM ({table})"

    def map(self, table: str, function: Function, schema: str) -> str:
        return self._through(table, function, schema)

    def arrange(self, tables: Sequence[str], by: str, order: Sequence[str], function: Function, schema: str) -> str:
        return self._through(f"{_union(tables)} ORDER BY {', '.join([by, *order])}", function, schema)

    def join(self, left: str, right: str, on: str) -> str:
        return f"SELECT * FROM ({left}) JOIN ({right}) USING ({on})"

    def sort(self, tables: Sequence[str], by: Sequence[str], columns: Sequence[str]) -> str:
        quoted = ", ".join(f'"{name}"' for name in columns)
        return f"SELECT {quoted} FROM ({_union(tables)}) ORDER BY {', '.join(by)}"

    def alone(self, name: str, table: str, by: Sequence[str], function: Function, schema: str) -> str:
        return self._through(f"{table} ORDER BY {', '.join(by)}", function, schema)

    def rows(self, table: str, schema: str) -> pyarrow.Table:
        return self._connection.sql(table).to_arrow_table().cast(schemas.arrow(schema))


def _union(tables: Iterable[str]) -> str:
    return " UNION ALL BY NAME ".join(f"({table})" for table in tables)
