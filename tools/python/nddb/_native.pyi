from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from types import EllipsisType
from typing import Any, Literal, Protocol, SupportsIndex, TypedDict, final, overload

from typing_extensions import Self

from nddb._passages import Passages

__all__ = [
    "__version__",
    "_Databases",
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
    "part_keys",
    "pairs_by_part",
    "candidates_by_part",
    "passages_of_pairs",
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
    "_texts",
    "_write_report",
]

__version__: str

type _Path = str | PathLike[str]
type _Fingerprint = int | str
type _Method = Literal[
    "identity", "hamming", "b", "c", "combined", "split", "min-hash", "model", "lcs", "cosine", "shingles"
]

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

type _Keep = Literal["stored", "batch", "newest", "oldest", "longest", "shortest-url", "id"]
type _Level = Literal["same", "strict", "standard"]
type _Verify = Literal["lcs", "same-site"]
type _IdFrom = Literal["record", "url", "path", "row"]
type _Progress = Callable[[_Told], object] | None
type _Table = _ArrowStream | _ArrowArray

class _Told(TypedDict):
    phase: str
    done: int
    total: int | None
    unit: str

@final
class Config:
    """The settings of a database, which are fixed when it is created."""
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
    """A stored document within the distance of a query: id, distance, fingerprint, url, site, and in a Federation of
    several databases db (the path of its database)."""
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
    """A stored near-duplicate: id, url, site, rule (what decided), distance, probability, scores, and in a Federation
    of several databases db (the path of its database)."""
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
    """The near-duplicates of a document: a sequence of NearDuplicate, identical ones first, then by similarity."""
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
    """The result of `Writer.add_if_new`."""
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
    """A table that is computed while it is read, in the background and without the GIL."""
    @property
    def column_names(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...

class _Databases:
    """The base of `Reader` and `Federation`: one database, or several queried as one."""
    @property
    def k(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    def refresh(self) -> bool:
        """Switches to the newest state of each database; returns whether anything has changed."""
    def probe(self, fingerprint: _Fingerprint, k: int | None = None, *, limit: int | None = None) -> list[Match]:
        """Finds every document within `k` bits of a fingerprint: a list of Match, sorted by distance and id."""
    def nearest(self, fingerprint: _Fingerprint, n: int, k: int = 16) -> list[Match]:
        """Finds the `n` documents nearest to a fingerprint within `k` bits: a list of Match, sorted by distance and
        id."""
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
        verify: _Verify | None = None,
        limit: int | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Answer:
        """Finds the near-duplicates of a page or of a stored document: an Answer, a sequence of NearDuplicate."""
    def probe_batch(self, fingerprints: object, k: int | None = None, *, threads: int | None = None) -> Stream:
        """Finds, for each fingerprint, every document within `k` bits: a Stream with the columns query, fp, distance,
        id."""
    def passages(
        self,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        id: str | int | None = None,
        url: str | None = None,
        charset: str | None = None,
        min_words: int = 20,
        min_containment: float = 0.0,
        verify: bool = False,
        why: bool = False,
        limit: int | None = None,
    ) -> Passages:
        """Finds the documents that have passages in common with a text, in databases made with `--parts` (the recipe
        `main-parts`): a list of dictionaries, those with the most words in common first."""
    def __len__(self) -> int: ...
    def __contains__(self, id: str | int, /) -> bool: ...

@final
class Reader(_Databases):
    """A database open for reading: what `nddb.open` returns."""
    @property
    def path(self) -> Any: ...
    def close(self) -> None:
        """Closes the database; so does the end of a `with` block."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: object, value: object, traceback: object) -> None: ...
    def get(self, id: str | int) -> dict[str, Any] | None:
        """Returns the document with an id, as a dictionary with the keys of `nddb get`, or None."""
    def stats(self) -> dict[str, Any]:
        """Returns counts of documents, runs and bytes, as a dictionary with the keys of `nddb stats --json`."""
    def passage_pairs(
        self, *, min_words: int = 20, min_containment: float = 0.0, verify: bool = False, why: bool = False
    ) -> Stream:
        """Returns the passages that all pairs of documents have in common, as a Stream with the columns of `nddb pairs
        --parts --format parquet`."""
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
    ) -> Stream:
        """Finds near-duplicates in other databases for all documents, as `nddb against` does: a Stream with the columns
        id, near (the id of the other document), db, rule, and the scores of `clusters`."""
    def pairs(
        self,
        method: _Method | None = None,
        verify: _Verify | None = None,
        *,
        k: int | None = None,
        expand: bool = False,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Stream:
        """Returns all near-duplicate pairs and groups of equal documents, as a Stream with the columns of `nddb pairs
        --format parquet`."""
    def clusters(
        self,
        keep: str | list[_Keep] | None = None,
        *,
        level: _Level | None = None,
        words: Literal["auto", "stored", "archives", "remote", "estimate"] | None = None,
        components: bool = False,
        method: _Method | None = None,
        verify: _Verify | None = None,
        k: int | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
    ) -> Stream:
        """Returns the members of all clusters, as a Stream with the columns of `clusters.parquet`: `verdict` is keep or
        remove."""
    def why(
        self,
        a: str | int,
        b: str | int,
        method: _Method | None = None,
        *,
        k: int | None = None,
        min_probability: float | None = None,
    ) -> Stream:
        """Explains why two stored documents are near-duplicates or not: a Stream with rows for the verdict, the bounds
        of the method, and the evidence of the model."""
    def __reduce__(self) -> tuple[Any, ...]: ...

def open(path: _Path) -> Reader:
    """Opens a database for reading."""

@final
class Federation(_Databases):
    """Several databases, queried as one."""
    def __new__(cls, databases: Iterable[_Path | Reader]) -> Self: ...
    @property
    def readers(self) -> list[Reader]: ...
    def get(self, id: str | int) -> dict[str, Any] | None:
        """Returns what `Reader.get` returns, with the path of the document's database as `db`."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Writer:
    """A database open for writing, exclusively by this process."""
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
    ) -> Literal["new", "replaced", "unchanged"]:
        """Stages a document; returns new, replaced or unchanged."""
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
        verify: _Verify | None = None,
        group_limit: int | None = None,
        complete: bool = False,
        min_probability: float | None = None,
        level: _Level | None = None,
    ) -> Verdict:
        """Stages a document unless it is a near-duplicate of a stored or staged one; returns a Verdict."""
    def rm(self, ids: str | int | Iterable[str | int]) -> int:
        """Stages the deletion of documents, by one id or several; returns the number of documents found."""
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
        id_from: _IdFrom = "record",
        id_prefix: str = "",
        batch: str | None = None,
        pending: bool = False,
        again: bool = False,
        select: _Path | Iterable[_Path] | None = None,
        progress: _Progress = None,
    ) -> dict[str, Any]:
        """Loads files and folders in bulk; returns a dictionary with the keys of `nddb load --json`."""
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
        progress: _Progress = None,
    ) -> dict[str, int]:
        """Stages the documents of a table; returns counts of documents, replaced, unchanged, repeated, unprinted and
        skipped."""
    def commit(self) -> None:
        """Makes staged changes durable, and visible to every reader that refreshes."""
    def close(self) -> None:
        """Commits and closes; so does the end of a `with` block."""
    def abandon(self) -> None:
        """Drops staged changes and closes; so does an exception in a `with` block."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: object, value: object, traceback: object) -> Literal[False]: ...

@final
class Recipe:
    """Computes fingerprints and sketches of pages."""
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
    ) -> int:
        """Returns the fingerprint of a page (`text` or `html`, str or bytes) as an integer."""
    def sketch(
        self,
        *,
        text: str | bytes | None = None,
        html: str | bytes | None = None,
        url: str | None = None,
        charset: str | None = None,
    ) -> dict[str, Any]:
        """Returns everything that is stored of a page, as a dictionary."""
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
    ) -> Stream:
        """Sketches the pages of a table: a Stream with the columns id, is_number, url, site, fp, tokens, sketch,
        recipe."""
    def __reduce__(self) -> tuple[Any, ...]: ...

def candidate_keys(
    sketches: _Table, method: _Method = "model", *, k: int = 3, recipe: str = "main", complete: bool = False
) -> Stream:
    """Returns the keys that find candidate pairs: a Stream with the columns id and key."""
def decide(
    a: _Table,
    b: _Table,
    method: _Method = "model",
    *,
    k: int = 3,
    min_probability: float | None = None,
    or_hamming: bool = False,
    losses: bool = False,
) -> Stream:
    """Decides pairs of documents, row by row, from two tables with the column `sketch`."""
def properties(
    sketches: _Table,
    method: _Method | None = None,
    *,
    k: int = 3,
    recipe: str = "main",
    complete: bool = False,
    groups: int | None = None,
) -> Stream:
    """Returns the values that documents are joined by, from a table with the columns number and sketch."""
def contents(sketches: _Table) -> Stream:
    """Returns digests that recognise unchanged documents, row by row, from a table with the columns number and
    sketch."""
def default_method(recipe: str = "main") -> str:
    """Returns the name of the default method of a recipe."""
def pairs_by_key(postings: _Table, *, cut: object | None = None, group_limit: int | None = None) -> Stream:
    """Finds candidate pairs in rows of (key, number, keys), sorted by key and number: a Stream of older, newer,
    listed."""
def pairs_by_fingerprint(postings: _Table, *, k: int = 3, groups: int = 4) -> Stream:
    """Finds pairs within k bits in rows of (key, number, fp), sorted by key: a Stream of older, newer, each pair
    once."""
def part_keys(sketches: _Table) -> Stream:
    """Returns the parts of documents: a Stream of key, number, fp, at, short with a row for each part of each row of a
    table with the columns number and sketch."""
def pairs_by_part(postings: _Table, *, k: int = 3) -> Stream:
    """Finds parts in common, in rows of `part_keys` sorted by key, then by number: a Stream of newer, older, key, at,
    short."""
def candidates_by_part(common: _Table, *, min_words: int = 20) -> Stream:
    """Finds the pairs to compare in rows of `pairs_by_part` sorted by newer: a Stream of older, newer, frequent."""
def passages_of_pairs(pairs: _Table, *, min_words: int = 20, min_containment: float = 0.0) -> Stream:
    """Finds the passages of pairs: a Stream of newer, older, and the first ten columns of `Reader.passage_pairs`."""
def stars(pairs: _Table) -> Stream:
    """Assigns leaders of classes to founders, in one pass over all pairs of leaders: a Stream of number, founder."""
def choose(rows: _Table) -> Stream:
    """Assigns documents to founders, for classes whose leader joined a founder: a Stream of number, founder."""
def members(
    documents: _Table,
    method: _Method | None = None,
    *,
    keep: list[_Keep] | None = None,
    level: _Level | None = None,
    k: int = 3,
    recipe: str = "main",
    group_limit: int | None = None,
    min_probability: float | None = None,
) -> Stream:
    """Makes the rows of `clusters` from complete clusters: a Stream sorted by the ids of founders, then by ids."""
def scan_ranges(path: _Path) -> Stream:
    """Divides a database into parts for `scan`: a Stream of source, first, blocks."""
def scan(source: _Path, queries: object, k: int, *, first: int | None = None, blocks: int | None = None) -> Stream:
    """Matches queries against one of the parts that `scan_ranges` lists: a Stream of query, fp, distance."""
def resolve(path: _Path, rows: _Table) -> Stream:
    """Resolves matches of `scan` to documents: a Stream of query, fp, distance, id, as from `Reader.probe_batch`."""
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
    id_from: _IdFrom = "record",
    threads: int | None = None,
    skipped: Callable[[int, str, str], object] | None = None,
    keep_words: bool = False,
) -> Stream:
    """Sketches the pages of an archive in their order: a Stream with the columns of `Recipe.sketch_batch`."""
def archives(paths: Iterable[_Path], *, format: str = "auto") -> list[Any]:
    """Lists the archives of paths, in the order in which they are loaded."""
def _run_command(arguments: list[str]) -> int: ...
def _pages(rows: Iterator[tuple[str | None, str | None, str | None]]) -> Stream: ...
def _find_removed(
    path: _Path,
    keep: list[str],
    *,
    against: Federation | None = None,
    contained: str | None = None,
    min_probability: float | None = None,
    level: str | None = None,
    threads: int | None = None,
    progress: _Progress = None,
) -> list[tuple[Any, ...]]: ...
def _texts(path: _Path, ids: list[str | int | None]) -> list[str | None]: ...
def _write_report(
    path: _Path,
    output: _Path,
    name: str,
    keep: list[str],
    *,
    min_probability: float | None = None,
    level: str | None = None,
    threads: int | None = None,
    progress: _Progress = None,
) -> None: ...
