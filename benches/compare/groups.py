#!/usr/bin/env python3
"""Prints the group of each document of a labelled set, for `nddb-lab fit --groups` and `score.py --groups`.

    groups.py docs.jsonl.zst > groups.tsv        lines of id, tab, group

A group is the common origin of documents, taken from the field `source`: a repository without its commit
(`owner/name@commit:path`), a Debian package without its version (`debian:name_version_arch.deb:path`), or the first
folder of a page in another collection (`collection:folder/page`). Documents without the field are left out.
"""

import re
import sys

from score import read_json_lines


def group_of(source):
    if repository := re.match(r"([^@:]+)@", source):
        return repository[1]
    if package := re.match(r"debian:[^_:/]+", source):
        return package[0]
    return source.split("/", 1)[0]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for document in read_json_lines(sys.argv[1]):
        if "source" in document:
            print(document["id"], group_of(document["source"]), sep="\t")


if __name__ == "__main__":
    main()
