"""nddb: a persistent index of document fingerprints that finds near-duplicates.

``nddb.dedup`` removes near-duplicates from tables, texts and files in one call. ``nddb.open`` opens a database for
reading, ``nddb.Writer`` creates and fills one. Tables are exchanged through the Arrow PyCapsule interface.
``nddb.commands`` has everything else that the command ``nddb`` does: batches, backups, checks, reports, copies of
files.

===============  ===================================================================================
one call         ``dedup`` ``Deduplicated``
a database       ``open`` ``Reader`` ``Writer`` ``Config`` ``Federation`` and the module ``commands``
answers          ``Match`` ``NearDuplicate`` ``Answer`` ``Verdict`` ``Stream``
single pages     ``Recipe`` ``candidate_keys`` ``decide`` and the module ``tables``
errors           ``Error``, and a subclass for each kind of error
===============  ===================================================================================
"""

from nddb import commands
from nddb._dedup import Deduplicated, dedup
from nddb._errors import *  # noqa: F403
from nddb._native import (
    Answer,
    Config,
    Federation,
    Match,
    NearDuplicate,
    Reader,
    Recipe,
    Stream,
    Verdict,
    Writer,
    __version__,
    candidate_keys,
    decide,
    open,
)

__all__ = [
    "AlreadyExists",
    "Answer",
    "ArchiveError",
    "BeyondRepair",
    "Busy",
    "Cancelled",
    "CatalogError",
    "Config",
    "Corrupt",
    "DamagedBackup",
    "Deduplicated",
    "Error",
    "Federation",
    "Inconsistent",
    "InvalidDocument",
    "IoError",
    "Locked",
    "Match",
    "Mismatch",
    "Missing",
    "Moved",
    "NearDuplicate",
    "Newer",
    "NotABackup",
    "NotADatabase",
    "OutOfRange",
    "OverLimit",
    "Poisoned",
    "Reader",
    "Recipe",
    "RecipeError",
    "SameDatabase",
    "Stream",
    "UnusableMethod",
    "Verdict",
    "Writer",
    "WrongBatch",
    "__version__",
    "candidate_keys",
    "commands",
    "decide",
    "dedup",
    "open",
]
