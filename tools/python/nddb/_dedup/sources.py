"""Kinds of tables: each reads its pages and selects its rows.

No package is required: each is used only if a caller passes its tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import compress, repeat
from typing import Any, Protocol

from nddb import _native


class Source(Protocol):
    """A table or a list of texts."""

    columns: list[str] | None
    """Names of the columns; None for texts."""

    def __len__(self) -> int: ...

    def pages(self, columns: dict[str, str]) -> Any:
        """Returns an Arrow table of id (the row number) and the given columns of text, html and url."""

    def values(self, column: str, rows: list[int]) -> list[Any]:
        """The values of a column in these rows."""

    def kept(self, mask: list[bool]) -> Any:
        """The rows for which the mask is true, as a table of the same kind."""

    def table(self, columns: dict[str, list[Any]]) -> Any:
        """A new table of the same kind with these columns."""


def source_of(data: Any) -> Source:
    """Finds out what kind of table this is."""
    kinds = {(cls.__module__.partition(".")[0].lstrip("_"), cls.__name__) for cls in type(data).__mro__}
    makers: list[tuple[str, str, Callable[[Any], Source]]] = [
        ("polars", "DataFrame", Polars),
        ("pandas", "DataFrame", Pandas),
        ("pyarrow", "Table", Arrow),
        ("pyarrow", "RecordBatch", Arrow),
        ("duckdb", "DuckDBPyRelation", DuckDB),
        ("datasets", "Dataset", HuggingFace),
    ]
    for package, name, made in makers:
        if (package, name) in kinds:
            return made(data)
    for package, name, advice in [
        ("polars", "LazyFrame", "collect it first"),
        ("datasets", "IterableDataset", "make it a Dataset, or give the files that it reads"),
        ("datasets", "DatasetDict", "give one split, or datasets.concatenate_datasets of several"),
    ]:
        if (package, name) in kinds:
            raise TypeError(f"a {package}.{name} cannot be cut: {advice}")
    if isinstance(data, bytes | dict) or not isinstance(data, Iterable):
        raise TypeError(
            f"a table, texts or files are wanted, and this is {type(data).__name__}; pyarrow.table takes most tables"
        )
    items = list(data)
    return Rows(items) if items and isinstance(items[0], Mapping) else Texts(items)


def write(table: Any, path: str) -> None:
    """Writes a list as JSON lines, and any other table as Parquet; adds the ending."""
    if isinstance(table, list):
        with open(path + ".jsonl", "w", encoding="utf-8") as file:
            for row in table:
                said = dict(row) if isinstance(row, Mapping) else {"text": row}
                file.write(json.dumps(said, ensure_ascii=False, default=str) + "\n")
    elif hasattr(table, "write_parquet"):
        table.write_parquet(path + ".parquet")
    elif hasattr(table, "to_parquet"):
        table.to_parquet(path + ".parquet")
    else:
        import_module("pyarrow.parquet").write_table(import_module("pyarrow").table(table), path + ".parquet")


def _pages(columns: dict[str, str], values: Callable[[str], list[Any]]) -> Any:
    """Makes pages of Python values; `values` returns the values of a column."""
    read = {role: values(name) for role, name in columns.items()}
    for role, texts in read.items():
        for row, text in enumerate(texts):
            if text is not None and not isinstance(text, str):
                what = f"row {row} of column '{columns[role]}'"
                raise ValueError(f"{what} is {type(text).__name__}, and a text is wanted")
    return _native._pages(zip(*(read.get(role, repeat(None)) for role in ("text", "html", "url"))))


class _List:
    """Rows in a list."""

    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def kept(self, mask: list[bool]) -> list[Any]:
        return list(compress(self._rows, mask))

    def table(self, columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


class Texts(_List):
    """A list of texts."""

    columns: list[str] | None = None

    def __init__(self, texts: list[Any]) -> None:
        super().__init__(texts)
        for row, text in enumerate(texts):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"item {row} is {type(text).__name__}, and a text is wanted: a str or None")

    def pages(self, columns: dict[str, str]) -> Any:
        return _native._pages(zip(self._rows, repeat(None), repeat(None)))

    def values(self, column: str, rows: list[int]) -> list[Any]:
        return [self._rows[row] for row in rows]


class Rows(_List):
    """Dictionaries, such as lines of JSON. A missing key is None."""

    def __init__(self, rows: list[Any]) -> None:
        super().__init__(rows)
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise TypeError(f"item {number} is {type(row).__name__}, and a dictionary is wanted, as item 0 is one")
        self.columns: list[str] | None = list(dict.fromkeys(name for row in rows for name in row))

    def pages(self, columns: dict[str, str]) -> Any:
        return _pages(columns, lambda name: [row.get(name) for row in self._rows])

    def values(self, column: str, rows: list[int]) -> list[Any]:
        return [self._rows[row].get(column) for row in rows]


class Polars:
    """A DataFrame of polars."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns: list[str] | None = list(frame.columns)

    def __len__(self) -> int:
        return int(self._frame.height)

    def pages(self, columns: dict[str, str]) -> Any:
        selected = [self._frame[name].alias(role) for role, name in columns.items()]
        return self._frame.select(selected).with_row_index("id")

    def values(self, column: str, rows: list[int]) -> list[Any]:
        return list(self._frame[column].gather(rows).to_list())

    def kept(self, mask: list[bool]) -> Any:
        return self._frame.filter(mask)

    def table(self, columns: dict[str, list[Any]]) -> Any:
        return import_module("polars").DataFrame(columns)


class Pandas:
    """A DataFrame of pandas."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns: list[str] | None = list(frame.columns)

    def __len__(self) -> int:
        return len(self._frame)

    def pages(self, columns: dict[str, str]) -> Any:
        return _pages(columns, self._texts)

    def _texts(self, name: str) -> list[Any]:
        column = self._frame[name]
        return [None if is_missing else value for value, is_missing in zip(column.tolist(), column.isna().tolist())]

    def values(self, column: str, rows: list[int]) -> list[Any]:
        return list(self._frame[column].iloc[rows].tolist())

    def kept(self, mask: list[bool]) -> Any:
        return self._frame[mask]

    def table(self, columns: dict[str, list[Any]]) -> Any:
        return import_module("pandas").DataFrame(columns)


class Arrow:
    """A Table or a RecordBatch of pyarrow."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns: list[str] | None = list(table.schema.names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def pages(self, columns: dict[str, str]) -> Any:
        pyarrow = import_module("pyarrow")
        ids = pyarrow.array(range(len(self)), pyarrow.int64())
        return pyarrow.table({"id": ids, **{role: self._table.column(name) for role, name in columns.items()}})

    def values(self, column: str, rows: list[int]) -> list[Any]:
        return list(self._table.column(column).take(import_module("pyarrow").array(rows, "int64")).to_pylist())

    def kept(self, mask: list[bool]) -> Any:
        return self._table.filter(import_module("pyarrow").array(mask, "bool"))

    def table(self, columns: dict[str, list[Any]]) -> Any:
        return import_module("pyarrow").table(columns)


class DuckDB(Arrow):
    """A relation of DuckDB. It is read once, because a second read might return the rows in another order."""

    def __init__(self, relation: Any) -> None:
        super().__init__(relation.to_arrow_table())

    def kept(self, mask: list[bool]) -> Any:
        return import_module("duckdb").from_arrow(super().kept(mask))

    def table(self, columns: dict[str, list[Any]]) -> Any:
        return import_module("duckdb").from_arrow(super().table(columns))


class HuggingFace:
    """A Dataset of Hugging Face."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self.columns: list[str] | None = list(dataset.column_names)

    def __len__(self) -> int:
        return len(self._dataset)

    def pages(self, columns: dict[str, str]) -> Any:
        pyarrow = import_module("pyarrow")
        schema = pyarrow.schema([("id", "int64"), *((role, "large_string") for role in columns)])
        selected = self._dataset.select_columns(list(columns.values())).with_format("arrow")

        def batches() -> Iterator[Any]:
            first = 0
            for table in selected.iter(batch_size=1000):
                ids = pyarrow.array(range(first, first + table.num_rows), "int64")
                first += table.num_rows
                read = [table.column(name).combine_chunks().cast("large_string") for name in columns.values()]
                yield pyarrow.record_batch([ids, *read], schema=schema)

        return pyarrow.RecordBatchReader.from_batches(schema, batches())

    def values(self, column: str, rows: list[int]) -> list[Any]:
        return list(self._dataset.select(rows)[column])

    def kept(self, mask: list[bool]) -> Any:
        return self._dataset.select([row for row, is_kept in enumerate(mask) if is_kept])

    def table(self, columns: dict[str, list[Any]]) -> Any:
        return import_module("datasets").Dataset.from_dict(columns)
