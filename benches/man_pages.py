#!/usr/bin/env python3
"""Writes the manual pages of this machine as lines of JSON (id, text), the set *manuals* of docs/PAPERS.md.

    man_pages.py [FOLDER] > manuals.jsonl

Reads all files of FOLDER/man1 to FOLDER/man8 (/usr/share/man) but for links, in the order of their names, and leaves
out the markup: comments, requests, the names of macros and the escapes of roff. Which pages there are depends on the
packages that are installed. Standard library only.
"""

import gzip
import json
import re
import sys
from pathlib import Path

# Macros of man(7) and mdoc(7) whose arguments are text.
TEXT = set("SH SS B I R BI BR IB IR RB RI SM SB IP TP Sh Ss Nm Nd Fl Ar Op Pa Cm Xr It Em Sy Li Dl Ql Dq Sq Ev Va Dv Er".split())
ESCAPES = [
    (re.compile(r"\\\".*"), ""),
    (re.compile(r"\\[fFmM](\[[^]]*\]|\(..|.)"), ""),
    (re.compile(r"\\s[-+]?(\[[^]]*\]|\d)"), ""),
    (re.compile(r"\\\*(\[[^]]*\]|\(..|.)"), ""),
    (re.compile(r"\\\((..)|\\\[([^]]*)\]"), lambda found: NAMED.get(found[1] or found[2], " ")),
    (re.compile(r"\\[-]"), "-"),
    (re.compile(r"\\e"), r"\\"),
    (re.compile(r"\\(.|$)"), ""),
]
NAMED = {"aq": "'", "dq": '"', "lq": '"', "rq": '"', "oq": "'", "cq": "'", "en": "-", "em": "-", "hy": "-", "rs": "\\"}


def unescaped(text):
    for pattern, replacement in ESCAPES:
        text = pattern.sub(replacement, text)
    return text


def text_of(roff):
    """The text of a page, a line for each line of its source that has text."""
    lines = []
    for line in roff.splitlines():
        if line[:1] in (".", "'"):
            name, _, rest = line[1:].lstrip().partition(" ")
            line = rest.replace('"', "") if name in TEXT else ""
        line = unescaped(line).strip()
        if line:
            lines.append(line)
    return "\n".join(lines)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/man")
    for path in sorted(folder.glob("man[1-8]/*")):
        if path.is_symlink():
            continue
        data = path.read_bytes()
        roff = (gzip.decompress(data) if path.suffix == ".gz" else data).decode(errors="replace")
        id = str(path.relative_to(folder))
        print(json.dumps({"id": id.removesuffix(".gz"), "text": text_of(roff)}, ensure_ascii=False))


if __name__ == "__main__":
    main()
