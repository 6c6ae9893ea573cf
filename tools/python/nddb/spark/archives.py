"""Archives that tasks read: on disks that all machines can access, or in stores.

The library reads local files only, so a task first copies an archive of a store.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute
from pyarrow.fs import FileType

from nddb import ArchiveError, tables
from nddb.spark.places import Place


def listed(paths: Iterable[str | os.PathLike[str]], format: str) -> list[str]:
    """Absolute paths and URIs of archives, in the order of `paths`; a folder stands for all archives below it.

    Raises what `nddb.tables.archives` raises.
    """
    # A store is asked for each path.
    with ThreadPoolExecutor(32) as pool:
        return [*chain.from_iterable(pool.map(lambda path: _at(Place(path), format), paths))]


def _at(place: Place, format: str) -> list[str]:
    if place.here is not None:
        return [str(path) for path in tables.archives([place.here], format=format)]
    kind = place.type()
    if kind == FileType.NotFound:
        raise ArchiveError(f"opening {place}: there is no such object")
    return _below(place, format) if kind == FileType.Directory else [str(place)]


def _below(place: Place, format: str) -> list[str]:
    """The archives below a folder of a store, chosen by name as on disks.

    Files named `.json` and `.csv` are included only if a format is given, because their content is not read.
    """
    with tempfile.TemporaryDirectory(prefix="nddb-") as folder:
        for path in place.below():
            named = Path(folder) / path
            named.parent.mkdir(parents=True, exist_ok=True)
            named.touch()
        try:
            found = tables.archives([folder], format=format)
        except (ArchiveError, ValueError) as error:
            raise type(error)(str(error).replace(folder, str(place))) from None
        return [f"{place}/{Path(path).relative_to(folder)}" for path in found]


def sketched(path: str, **options: Any) -> Iterator[pyarrow.RecordBatch]:
    """Yields the batches of `nddb.tables.sketch_archive` for an archive.

    For an archive in a store, raises ValueError if ids contain its path, because each local copy has another path.
    """
    place = Place(path)
    with place.fetched() as file:
        for batch in pyarrow.RecordBatchReader.from_stream(tables.sketch_archive(file, **options)):
            if place.here is None and pyarrow.compute.any(pyarrow.compute.starts_with(batch["id"], str(file))).as_py():
                raise ValueError(f"the documents of {place} have no ids of their own: read it with id_from='row'")
            yield batch
