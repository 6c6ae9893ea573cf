#!/usr/bin/env python3
"""Converts the pages of a labelled set to plain text.

    plain_text.py SET FOLDER [--no-url]

Writes FOLDER/docs.jsonl, with `text` instead of `html`, and a copy of SET/pairs.tsv. SET has `docs.jsonl` or
`docs.jsonl.zst` (read by the command zstd) and `pairs.tsv`. A text is the visible text of a page, including navigation
and footer. It has one line for each block (the text between two tags other than formatting), tabs between the cells of
a row, the lines of `pre` unchanged, and an empty line around headings and paragraphs. It lacks the `title`, scripts,
styles and the addresses of links and images. Plain text documents stay unchanged. `--no-url` also leaves out the
addresses of the documents. Standard library only.
"""

import argparse
import json
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
from score import read_json_lines  # noqa: E402

INLINE = set(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)
# Elements without visible text.
DROPPED = set("head title script style template noscript iframe object svg math textarea select datalist".split())
SPACED = set("p h1 h2 h3 h4 h5 h6 pre blockquote ul ol dl table".split())
CELLS = {"td", "th"}
IN_HEAD = set("title script style template noscript meta link base".split())


class Lines(HTMLParser):
    """The visible text of a page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.lines, self.line, self.dropped, self.pre = [], [], [], 0

    def end_line(self, is_spaced=False):
        text = "".join(self.line)
        self.line.clear()
        text = text.rstrip() if self.pre else re.sub(r"[ \n\r\f\v]+", " ", text).strip()
        if text.strip():
            self.lines.append(text)
        if is_spaced and self.lines and self.lines[-1]:
            self.lines.append("")

    def handle_starttag(self, tag, attributes):
        if self.dropped == ["head"] and tag not in IN_HEAD:
            # The head has no end tag.
            self.dropped.clear()
        if tag in DROPPED:
            self.dropped.append(tag)
        elif tag in CELLS:
            self.line.append("\t")
        elif tag not in INLINE:
            self.end_line(tag in SPACED)
            self.pre += tag == "pre"

    def handle_startendtag(self, tag, attributes):
        if tag not in DROPPED:
            self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag in DROPPED:
            if tag in self.dropped:
                del self.dropped[self.dropped.index(tag) :]
        elif tag not in INLINE and tag not in CELLS:
            self.end_line(tag in SPACED)
            self.pre = max(0, self.pre - (tag == "pre"))

    def handle_data(self, data):
        if self.dropped:
            return
        if not self.pre:
            self.line.append(re.sub(r"\s+", " ", data))
            return
        first, *others = data.split("\n")
        self.line.append(first)
        for other in others:
            self.end_line()
            self.line.append(other)


def text_of(html):
    """Returns the visible text of a page."""
    parser = Lines()
    parser.feed(html)
    parser.close()
    parser.end_line()
    return "\n".join(parser.lines).strip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-url", action="store_true", help="leave out the addresses of documents")
    arguments = parser.parse_args()
    packed = arguments.set / "docs.jsonl.zst"
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with open(arguments.folder / "docs.jsonl", "w", encoding="utf-8") as file:
        for document in read_json_lines(packed if packed.exists() else arguments.set / "docs.jsonl"):
            if (html := document.pop("html", None)) is not None:
                document["text"] = text_of(html)
            if arguments.no_url:
                document.pop("url", None)
            file.write(json.dumps(document, ensure_ascii=False) + "\n")
    shutil.copyfile(arguments.set / "pairs.tsv", arguments.folder / "pairs.tsv")


if __name__ == "__main__":
    main()
