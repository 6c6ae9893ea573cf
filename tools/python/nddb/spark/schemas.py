"""The columns of the tables that are made in tasks of Spark alone, as Spark writes them."""

from nddb.steps.schemas import SKETCHES, names

__all__ = ["CONTENTS", "FOUND", "MATCHES", "RANGES", "SKETCHES", "names"]

CONTENTS = "number long, content binary"
#: A range of a database that is scanned, what scans find, and the columns of ``Reader.probe_batch``.
RANGES = "part long, source string, first long, blocks long"
FOUND = "part long, query long, fp long, distance long"
MATCHES = "query long, fp long, distance long, id string"
