"""The exceptions of the package: one class for each kind of error.

Every exception has a ``hint`` on what to do, or None. From Python 3.11 on, tracebacks show it as a note.
"""


class Error(Exception):
    """The base of all exceptions of the package."""

    hint: str | None = None


class IoError(Error, OSError):
    """A system call failed; ``errno`` is the system's."""


class Corrupt(Error):
    """A file of the database is damaged."""


class Missing(Error):
    """A file or folder of the database is missing."""


class BeyondRepair(Error):
    """Damage that a rebuild cannot repair."""


class Inconsistent(Error):
    """Two parts of the database contradict each other."""


class Newer(Error):
    """A newer nddb made the file."""


class Locked(Error):
    """Another process writes to the database; the message names it."""


class Moved(Error):
    """The path no longer leads to the database that was opened there."""


class NotADatabase(Error, FileNotFoundError):
    """There is no database at the path."""


class NotABackup(Error, FileNotFoundError):
    """There is no backup at the path."""


class DamagedBackup(Error):
    """A file of a backup is missing or damaged."""


class AlreadyExists(Error, FileExistsError):
    """The path to create already exists."""


class Mismatch(Error):
    """The database was created with another recipe or other parameters."""


class SameDatabase(Error, ValueError):
    """A database cannot be merged into itself or a copy of itself."""


class UnusableMethod(Error):
    """A method cannot be used on this database; the message says why."""


class OutOfRange(Error, ValueError):
    """A value exceeds the limits of the database."""


class InvalidDocument(Error, ValueError):
    """A document is invalid: its id is empty, too long, or holds a NUL."""


class WrongBatch(Error):
    """The batch is in the wrong state."""


class OverLimit(Error):
    """There is not enough memory or disk space."""


class CatalogError(Error):
    """The catalog failed."""


class Poisoned(Error):
    """An earlier write failed. The state on disk is sound, but this writer refuses further changes."""


class Cancelled(Error):
    """The work was stopped; acknowledged changes are kept."""


class Busy(Error):
    """Writers replaced files faster than they could be opened."""


class ArchiveError(Error):
    """An archive cannot be read."""


class RecipeError(Error, ValueError):
    """A recipe is unknown, or has another version."""
