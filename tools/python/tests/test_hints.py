"""What the library says of commands and options reaches users of Python in their own words."""

import re
from pathlib import Path

import pytest
from nddb._hints import in_python

import nddb

ROOT = Path(__file__).parents[3]
SOURCES = ["src/index/error.rs", "src/index/disk/dir.rs", "src/index/write/writer/batches.rs", "src/archive/error.rs"]


@pytest.mark.parametrize("source", SOURCES)
def test_nothing_that_the_library_says_names_a_command(source):
    text = re.sub(r"\\\n\s*", "", (ROOT / source).read_text())
    said = [one for one in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text) if re.search(r"'nddb |(?<!\w)--[a-z]", one)]
    assert said, "there is something to check"
    for one in said:
        meant = in_python(re.sub(r"\{\w*\}", "crawl.nddb", one))
        assert not re.search(r"'nddb |--[a-z]", meant), meant


def test_words_become_calls_and_arguments():
    said = "'nddb rebuild /a b/c' rebuilds it; see --max-record and --memory-limit"
    assert in_python(said) == "nddb.commands.rebuild('/a b/c') rebuilds it; see max_record= and memory_limit="
    for untouched in ["a--b/c.jsonl: damaged", "/x/--y.jsonl: damaged", "two -- three", "wait for process 7"]:
        assert in_python(untouched) == untouched


def test_an_exception_has_them(tmp_path):
    nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()).close()
    with pytest.raises(nddb.AlreadyExists) as raised:
        nddb.Writer(tmp_path / "a.nddb", create=nddb.Config())
    described = f"a database exists there (nddb.open({str(tmp_path / 'a.nddb')!r}).stats() describes it)"
    assert raised.value.hint.startswith(described)
