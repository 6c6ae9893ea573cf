"""Schemas of the tables that only Spark's tasks make, in Spark's notation."""

from nddb.steps.schemas import SKETCHES, names

__all__ = ["CONTENTS", "FOUND", "MATCHES", "RANGES", "SKETCHES", "names"]

CONTENTS = "number long, content binary"
#: A range of a database to scan, a match of a scan, and the columns of ``Reader.probe_batch``.
RANGES = "part long, source string, first long, blocks long"
FOUND = "part long, query long, fp long, distance long"
MATCHES = "query long, fp long, distance long, id string"
