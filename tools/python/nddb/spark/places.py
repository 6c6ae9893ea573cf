"""Files and folders that all machines can access: on disks, or in stores that both Hadoop and pyarrow support.

Spark reads and writes tables through Hadoop, Python everything else through ``pyarrow.fs``. Both use the credentials of
the environment and the machine.
"""

from __future__ import annotations

import copy
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
from pyarrow.fs import FileInfo, FileSelector, FileSystem, FileType, LocalFileSystem, copy_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")

#: Schemes of Hadoop that pyarrow names differently.
_OF_ARROW = {"s3a": "s3", "s3n": "s3"}


class Place:
    """A file or folder that all machines can access.

    `path` is a local path, with or without ``file:``, or a URI that both Hadoop and pyarrow know (``s3a:``, ``s3:``,
    ``gs:``, ``abfss:``, ``hdfs:``). Python finds ``dbfs:`` paths of Databricks below ``/dbfs`` and ``/Volumes``. Raises
    ValueError for another URI.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        text = os.fspath(path)
        match = _SCHEME.match(text)
        scheme = match[1].lower() if match else "file"
        below = "/" + text[match.end() :].lstrip("/") if match else text
        if scheme == "file":
            self._path = os.path.abspath(below)
            # Spark takes a path without a scheme for one of its default file system.
            self._text, self.uri = self._path, f"file://{self._path}"
        elif scheme == "dbfs":
            below = os.path.normpath(below)
            self._path = below if below.startswith("/Volumes/") else f"/dbfs{below}"
            self._text = self.uri = f"dbfs:{below}"
        else:
            authority, _, key = text[len(scheme) + 1 :].removeprefix("//").partition("/")
            key = key.strip("/")
            self._text = self.uri = f"{scheme}://{authority}/{key}".rstrip("/")
            self._files, base = _file_system(scheme, authority)
            self._path = f"{base}/{key}".rstrip("/")
            return
        self._files = LocalFileSystem()

    def __str__(self) -> str:
        return self._text

    def __fspath__(self) -> str:
        return self._text

    def __truediv__(self, name: str) -> Place:
        return self._moved(lambda path: f"{path}/{name}")

    def beside(self, name: str) -> Place:
        """The place with another name in the same folder."""
        return self._moved(lambda path: f"{path.rpartition('/')[0]}/{name}")

    def _moved(self, move: Callable[[str], str]) -> Place:
        moved = copy.copy(self)
        moved._text, moved._path, moved.uri = move(self._text), move(self._path), move(self.uri)
        return moved

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self._text.rpartition("/")[2]

    @property
    def pattern(self) -> str:
        """The URI for Spark, with wildcard characters escaped."""
        return re.sub(r"([\\{}\[\]*?^])", r"\\\1", self.uri)

    @property
    def here(self) -> Path | None:
        """The path of the place on this machine, or None if it is in a store."""
        return Path(self._path) if isinstance(self._files, LocalFileSystem) else None

    def type(self) -> FileType:
        """Whether it is a file, a folder (a directory of Arrow), or not found."""
        return self._info().type

    def exists(self) -> bool:
        """Whether a file or folder is there."""
        return bool(self.type() != FileType.NotFound)

    def was_put(self) -> bool:
        """Whether a file made by `put` is complete; in Azure's stores an incomplete file exists, but is empty."""
        return bool(self._info().size)

    def _info(self) -> FileInfo:
        return self._files.get_file_info(self._path)

    def children(self) -> list[Place]:
        """The files and folders in a folder, sorted by name; none if the folder does not exist."""
        found = self._files.get_file_info(FileSelector(self._path, allow_not_found=True))
        return [self / name for name in sorted(one.base_name for one in found)]

    def below(self) -> list[str]:
        """The paths of all files below a folder, relative to it."""
        found = self._files.get_file_info(FileSelector(self._path, recursive=True))
        return [one.path[len(self._path) :].lstrip("/") for one in found if one.type == FileType.File]

    def open(self) -> pyarrow.NativeFile:
        """Opens a file for reading at any offset."""
        return self._files.open_input_file(self._path)

    def read(self) -> bytes:
        """The content of a file."""
        with self.open() as file:
            return bytes(file.read())

    @contextmanager
    def fetched(self) -> Iterator[Path]:
        """A local file of the same name: the file itself, or a copy that is removed afterwards."""
        if self.here is not None:
            yield self.here
            return
        with tempfile.TemporaryDirectory(prefix="nddb-") as folder:
            file = Path(folder) / self.name
            copy_files(self._path, str(file), source_filesystem=self._files, destination_filesystem=LocalFileSystem())
            yield file

    def put(self, write: Callable[[Path], object]) -> None:
        """Makes a file with the content that `write` writes to a local path. No reader ever sees an incomplete file.

        On disks the file is written under a temporary name and renamed when it is durable. An object of a store is
        copied from a finished local file, because closing a stream after an error would store an incomplete object.
        """
        if self.here is not None:
            self.here.parent.mkdir(parents=True, exist_ok=True)
            new = self.here.with_name(f".{self.name}.{uuid.uuid4().hex}")
            try:
                write(new)
                with new.open("rb") as file:
                    os.fsync(file.fileno())
                new.replace(self.here)
            finally:
                new.unlink(missing_ok=True)
            return
        with tempfile.TemporaryDirectory(prefix="nddb-") as folder:
            made = Path(folder) / self.name
            write(made)
            self._copy_from(made)

    def _copy_from(self, made: Path) -> None:
        # HDFS shows a file while it is written, and renames it only to a name that is free.
        is_renamed = self._files.type_name == "hdfs"
        new = self.beside(f".{self.name}.{uuid.uuid4().hex}") if is_renamed else self
        copy_files(str(made), new._path, source_filesystem=LocalFileSystem(), destination_filesystem=self._files)
        if is_renamed:
            if self.exists():
                self._files.delete_file(self._path)
            self._files.move(new._path, self._path)

    def remove(self) -> None:
        """Removes a folder and all that is in it."""
        if self.here is not None:
            shutil.rmtree(self.here)
        else:
            self._files.delete_dir(self._path)


def _file_system(scheme: str, authority: str) -> tuple[FileSystem, str]:
    """Returns the file system of a URI, and the path of its root."""
    try:
        files, base = FileSystem.from_uri(f"{_OF_ARROW.get(scheme, scheme)}://{authority}/")
    except (ValueError, OSError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"{scheme}://{authority}: pyarrow cannot open this file system ({reason}); "
            "mount it on all machines and name the folder it is mounted at, or copy the files to a store of s3a:, gs:, "
            "abfss: or hdfs:"
        ) from error
    return files, base.rstrip("/")


def known(spark: SparkSession, path: str | os.PathLike[str]) -> Place:
    """Returns the place of a path; raises ValueError if Spark cannot open it."""
    from pyspark.errors import AnalysisException

    place = Place(path)
    try:
        # Asks Hadoop for a file, and runs nothing.
        spark.read.format("binaryFile").load((place / "_").pattern).schema
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
    except Exception as error:
        reason = " ".join(str(error).split("\n")[:2])
        raise ValueError(
            f"{place}: Spark cannot open this file system ({reason}); add the jars of its Hadoop connector "
            "(for s3a: hadoop-aws of the version of Spark's Hadoop) and its credentials to Spark"
        ) from error
    return place
