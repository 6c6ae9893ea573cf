from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from types import EllipsisType
from typing import Any, Literal, Protocol, SupportsIndex, TypedDict, final, overload

from typing_extensions import Self

__all__ = [
    "__version__",
    "Reader",
    "Match",
    "Federation",
    "Writer",
    "Config",
    "Stream",
    "NearDuplicate",
    "Answer",
    "Verdict",
    "open",
    "Recipe",
    "candidate_keys",
    "decide",
    "properties",
    "contents",
    "default_method",
    "pairs_by_key",
    "pairs_by_fingerprint",
    "stars",
    "choose",
    "members",
    "scan_ranges",
    "scan",
    "resolve",
    "sketch_archive",
    "archives",
    "_run_command",
    "_pages",
    "_find_removed",
    "_write_report",
]

__version__: str

type _Path = str | PathLike[str]
type _Fingerprint = int | str
type _Method = Literal[
    "identity", "simhash", "b", "c", "combined", "split", "min-hash", "model", "lcs", "cosine", "shingles"
]

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

type _Table = _ArrowStream | _ArrowArray

class _Told(TypedDict):
    phase: str
    done: int
    total: int | None
    unit: str

@final
class Config:
    def __new__(cls, k: int = 3, *, recipe: str = "main", bits: int = 64, keep_words: bool = False) -> Self: ...
    def __getnewargs_ex__(self) -> tuple[tuple[int], dict[str, Any]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def k(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    @property
    def keep_words(self) -> bool: ...

@final
class Match:
    def __new__(
        cls,
        id: str | int,
        distance: int,
        fingerprint: int,
        url: str | None = None,
        site: str | None = None,
        db: str | None = None,
    ) -> Self: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    @property
    def id(self) -> str | int: ...
    @property
    def distance(self) -> int: ...
    @property
    def fingerprint(self) -> int: ...
    @property
    def url(self) -> str | None: ...
    @property
    def site(self) -> str | None: ...
    @property
    def db(self) -> str | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __le__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...

@final
class NearDuplicate:
    def __new__(
        cls,
        id: str | int,
        rule: str,
        scores: dict[str, Any],
        url: str | None = None,
        site: str | None = None,
        db: str | None = None,
    ) -> Self: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def id(self) -> str | int: ...
    @property
    def url(self) -> str | None: ...
    @property
    def site(self) -> str | None: ...
    @property
    def rule(self) -> str: ...
    @property
    def distance(self) -> int | None: ...
    @property
    def probability(self) -> float | None: ...
    @property
    def scores(self) -> dict[str, Any]: ...
    @property
    def db(self) -> str | None: ...

@final
class Answer:
    def __new__(cls, matches: list[NearDuplicate], method: str, count: int, complete: bool) -> Self: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> NearDuplicate: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[NearDuplicate]: ...
    def __iter__(self) -> Iterator[NearDuplicate]: ...

@final
class Verdict:
    def __new__(
        cls,
        verdict: str,
        complete: bool,
        of: str | int | None = None,
        rule: str | None = None,
        scores: dict[str, Any] | None = None,
    ) -> Self: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def verdict(self) -> Literal["new", "replaced", "unchanged", "duplicate"]: ...
    @property
    def is_duplicate(self) -> bool: ...
    @property
    def of(self) -> str | int | None: ...
    @property
    def rule(self) -> str | None: ...
    @property
    def distance(self) -> int | None: ...
    @property
    def probability(self) -> float | None: ...
    @property
    def scores(self) -> dict[str, Any] | None: ...
    @property
    def complete(self) -> bool: ...

@final
class Stream:
    @property
    def column_names(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...

@final
class Reader:
    @property
    def path(self) -> Any: ...
    @property
    def k(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    def refresh(self) -> bool: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: object, value: object, traceback: object) -> None: ...
    def get(self, id: str | int) -> dict[str, Any] | None: ...
    def stats(self) -> dict[str, Any]: ...
    def probe(self, fingerprint: _Fingerprint, k: int | None = None, *, limit: int | None = None) -> list[Match]: ...
    def query(
        self,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        id: str | int | None = None,
        fingerprint: _Fingerprint | None = None,
        url: str | None = None,
        charset: str | None = None,
        method: _Method | None = None,
        k: int | None = None,
        verify: Literal["lcs", "same-site"] | None = None,
        limit: int | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Answer: ...
    def probe_batch(self, fingerprints: object, k: int | None = None, *, threads: int | None = None) -> Stream: ...
    def against(
        self,
        databases: Federation,
        *,
        method: _Method | None = None,
        k: int | None = None,
        limit: int | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Stream: ...
    def pairs(
        self,
        method: _Method | None = None,
        verify: Literal["lcs", "same-site"] | None = None,
        *,
        k: int | None = None,
        expand: bool = False,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Stream: ...
    def clusters(
        self,
        keep: list[Literal["stored", "batch", "newest", "oldest", "longest", "shortest-url", "id"]] | None = None,
        *,
        level: Literal["same", "strict", "standard"] | None = None,
        words: Literal["auto", "stored", "archives", "remote", "estimate"] | None = None,
        components: bool = False,
        method: _Method | None = None,
        verify: Literal["lcs", "same-site"] | None = None,
        k: int | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Stream: ...
    def why(
        self,
        a: str | int,
        b: str | int,
        method: _Method | None = None,
        *,
        k: int | None = None,
        min_probability: float | None = None,
    ) -> Stream: ...
    def __len__(self) -> int: ...
    def __contains__(self, id: str | int, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def open(path: _Path) -> Reader: ...

@final
class Federation:
    def __new__(cls, databases: Iterable[_Path | Reader]) -> Self: ...
    @property
    def readers(self) -> list[Reader]: ...
    @property
    def k(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    def refresh(self) -> bool: ...
    def get(self, id: str | int) -> dict[str, Any] | None: ...
    def probe(self, fingerprint: _Fingerprint, k: int | None = None, *, limit: int | None = None) -> list[Match]: ...
    def probe_batch(self, fingerprints: object, k: int | None = None, *, threads: int | None = None) -> Stream: ...
    def query(
        self,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        id: str | int | None = None,
        fingerprint: _Fingerprint | None = None,
        url: str | None = None,
        charset: str | None = None,
        method: _Method | None = None,
        k: int | None = None,
        verify: Literal["lcs", "same-site"] | None = None,
        limit: int | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Answer: ...
    def __len__(self) -> int: ...
    def __contains__(self, id: str | int, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Writer:
    def __new__(
        cls,
        path: _Path,
        *,
        create: Config | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
    ) -> Self: ...
    @property
    def path(self) -> Any: ...
    @property
    def recipe(self) -> str: ...
    def add(
        self,
        id: str | int,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        fingerprint: _Fingerprint | None = None,
        url: str | None = None,
        charset: str | None = None,
    ) -> Literal["new", "replaced", "unchanged"]: ...
    def add_if_new(
        self,
        id: str | int,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        fingerprint: _Fingerprint | None = None,
        url: str | None = None,
        charset: str | None = None,
        method: _Method | None = None,
        k: int | None = None,
        verify: Literal["lcs", "same-site"] | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
        level: Literal["same", "strict", "standard"] | None = None,
    ) -> Verdict: ...
    def rm(self, ids: str | int | Iterable[str | int]) -> int: ...
    def load(
        self,
        paths: _Path | Iterable[_Path],
        *,
        format: str = "auto",
        id_field: str | None = None,
        text_field: str | None = None,
        html_field: str | None = None,
        fp_field: str | None = None,
        url_field: str | None = None,
        date_field: str | None = None,
        id_from: Literal["record", "url", "path", "row"] = "record",
        id_prefix: str = "",
        batch: str | None = None,
        pending: bool = False,
        again: bool = False,
        select: _Path | Iterable[_Path] | None = None,
        progress: Callable[[_Told], object] | None = None,
    ) -> dict[str, Any]: ...
    def add_batch(
        self,
        table: _Table,
        *,
        id: str = "id",
        text: str | EllipsisType | None = ...,
        html: str | EllipsisType | None = ...,
        url: str | EllipsisType | None = ...,
        fingerprint: str | None = None,
        date: str | None = None,
        batch: str | None = None,
        progress: Callable[[_Told], object] | None = None,
    ) -> dict[str, int]: ...
    def commit(self) -> None: ...
    def close(self) -> None: ...
    def abandon(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: object, value: object, traceback: object) -> Literal[False]: ...

@final
class Recipe:
    def __new__(cls, label: str = "main") -> Self: ...
    @property
    def label(self) -> str: ...
    def fingerprint(
        self,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        url: str | None = None,
        charset: str | None = None,
    ) -> int: ...
    def sketch(
        self,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        url: str | None = None,
        charset: str | None = None,
    ) -> dict[str, Any]: ...
    def sketch_batch(
        self,
        table: _Table,
        *,
        id: str = "id",
        text: str | EllipsisType | None = ...,
        html: str | EllipsisType | None = ...,
        url: str | EllipsisType | None = ...,
        threads: int | None = None,
        keep_words: bool = False,
    ) -> Stream: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def candidate_keys(
    sketches: _Table, method: _Method = "model", *, k: int = 3, recipe: str = "main", complete: bool = False
) -> Stream: ...
def decide(
    a: _Table,
    b: _Table,
    method: _Method = "model",
    *,
    k: int = 3,
    min_probability: float | None = None,
    or_simhash: bool = False,
) -> Stream: ...
def properties(
    sketches: _Table,
    method: _Method | None = None,
    *,
    k: int = 3,
    recipe: str = "main",
    complete: bool = False,
    groups: int | None = None,
) -> Stream: ...
def contents(sketches: _Table) -> Stream: ...
def default_method(recipe: str = "main") -> str: ...
def pairs_by_key(postings: _Table, *, cut: object | None = None, group_limit: int | None = None) -> Stream: ...
def pairs_by_fingerprint(postings: _Table, *, k: int = 3, groups: int = 4) -> Stream: ...
def stars(pairs: _Table) -> Stream: ...
def choose(rows: _Table) -> Stream: ...
def members(
    documents: _Table,
    method: _Method | None = None,
    *,
    keep: list[Literal["stored", "batch", "newest", "oldest", "longest", "shortest-url", "id"]] | None = None,
    level: Literal["same", "strict", "standard"] | None = None,
    k: int = 3,
    recipe: str = "main",
    group_limit: int | None = None,
    min_probability: float | None = None,
) -> Stream: ...
def scan_ranges(path: _Path) -> Stream: ...
def scan(source: _Path, queries: object, k: int, *, first: int | None = None, blocks: int | None = None) -> Stream: ...
def resolve(path: _Path, rows: _Table) -> Stream: ...
def sketch_archive(
    path: _Path,
    *,
    archive: int = 0,
    recipe: str = "main",
    format: str = "auto",
    id_field: str = "id",
    text_field: str = "text",
    html_field: str = "html",
    fp_field: str = "fp",
    url_field: str = "url",
    id_from: Literal["record", "url", "path", "row"] = "record",
    threads: int | None = None,
    skipped: Callable[[int, str, str], object] | None = None,
    keep_words: bool = False,
) -> Stream: ...
def archives(paths: Iterable[_Path], *, format: str = "auto") -> list[Any]: ...
def _run_command(arguments: list[str]) -> int: ...
def _pages(rows: Iterator[tuple[str | None, str | None, str | None]]) -> Stream: ...
def _find_removed(
    path: _Path,
    keep: list[str],
    *,
    against: Federation | None = None,
    min_probability: float | None = None,
    level: str | None = None,
    threads: int | None = None,
    progress: Callable[[_Told], object] | None = None,
) -> list[tuple[Any, ...]]: ...
def _write_report(
    path: _Path,
    output: _Path,
    name: str,
    keep: list[str],
    *,
    min_probability: float | None = None,
    level: str | None = None,
    threads: int | None = None,
    progress: Callable[[_Told], object] | None = None,
) -> None: ...
