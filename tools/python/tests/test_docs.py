"""What the documentation says is so: examples, stubs, and the lines of Python in both READMEs."""

import ast
import doctest
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from conftest import FOX, pages

import nddb

HERE = Path(__file__).parent.parent


def documented():
    """All public functions and methods, by name."""
    for name in nddb.__all__:
        value = getattr(nddb, name)
        if inspect.ismodule(value):
            yield from ((f"{name}.{member}", getattr(value, member)) for member in value.__all__)
            continue
        if inspect.isclass(value) and issubclass(value, Exception):
            assert value.__doc__, name
            continue
        if not isinstance(value, str):
            yield name, value
        if inspect.isclass(value):
            for member, method in {**vars(value.__base__), **vars(value)}.items():
                if callable(method) and not member.startswith("_"):
                    yield f"{name}.{member}", method


@pytest.fixture
def examples(tmp_path, monkeypatch):
    """Names that examples use, in a folder with a database."""
    monkeypatch.chdir(tmp_path)
    with nddb.Writer("crawl.nddb", create=nddb.Config(k=3)) as writer:
        writer.add("fox-1", text=FOX, url="https://example.org/fox")
        writer.add("fox-2", text=FOX + " and again", url="https://example.org/fox/2")
        writer.add("print-1", fingerprint=0xFF)
        writer.add("print-2", fingerprint=0xFE)
        writer.add("other", text="a text that has nothing in common with any of these")
    nddb.Writer("new.nddb", create=nddb.Config()).close()
    return {"nddb": nddb, "fox": FOX, "open": open}


def load_pages():
    """Loads a file of pages, whose texts are read again there."""
    texts = {"page-1": FOX, "page-2": FOX + " and again", "page-3": "a text that has nothing in common with the others"}
    Path("pages.jsonl").write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items()))
    with nddb.Writer("pages.nddb", create=nddb.Config()) as writer:
        writer.load("pages.jsonl")


@pytest.mark.parametrize("name, value", [pytest.param(*one, id=one[0]) for one in documented()])
def test_the_examples_of_docstrings_run(name, value, examples, tmp_path):
    doc = inspect.getdoc(value)
    assert doc, f"{name} has no docstring"
    if name == "Writer":
        subprocess.run(["rm", "-r", "new.nddb"], check=True)
    if name.startswith("commands."):
        load_pages()
    test = doctest.DocTestParser().get_doctest(doc, examples, name, None, 0)
    made = name in {"Match", "NearDuplicate", "Answer", "Verdict"}
    assert test.examples or made, f"{name} has no example"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


def test_the_stubs_say_what_is_there(tmp_path):
    # Where the package lies, without what else is installed there.
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(path for path in sys.path if path.endswith("site"))}
    # What is used with engines is typed, and the engines are not, or not installed.
    config = tmp_path / "mypy.ini"
    packages = ["pyspark", "pyarrow", "ray", "datatrove"]
    named = ",".join(f"{name}.*" for name in packages)
    config.write_text(f"[mypy]\n[mypy-{named}]\nignore_missing_imports = True\n")
    # Types that are imported for checks alone, modules that say which package is missing, and the function whose
    # overloads take their options from a TypedDict.
    allowed = tmp_path / "allowed"
    types = "nddb\\.spark\\.\\w+\\.(DataFrame|DataFrameWriter|SparkSession)\n"
    allowed.write_text(types + "nddb\\.(ray|datatrove)(\\..*)?\nnddb(\\._dedup)?\\.(dedup|Unpack)\n")
    options = ["--ignore-disjoint-bases", "--mypy-config-file", config, "--allowlist", allowed]
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "nddb", *map(str, options)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_have_the_beginnings_of_the_docstrings():
    stubs = re.sub(r"(?m)^type ", "", (HERE / "nddb" / "_native.pyi").read_text())
    told = 0
    for node in ast.parse(stubs).body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith(("_Arrow", "_Told")):
            continue
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_"):
            continue
        there = getattr(nddb._native, node.name)
        named = [(node, there)]
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and not one.decorator_list]
            named += [(one, getattr(there, one.name)) for one in methods if not one.name.startswith("_")]
        for one, value in named:
            said = ast.get_docstring(one)
            assert said, f"{node.name}: {one.name} has no docstring in the stubs"
            beginning = " ".join(said.split()).rstrip(".")
            assert " ".join(inspect.getdoc(value).split()).startswith(beginning), (one.name, said)
            told += 1
    assert told > 50


def test_types_hold_for_users(tmp_path):
    # Where the package is installed, mypy finds it by itself.
    root = Path(nddb.__file__).parent.parent
    places = [str(HERE / "tests")] + ([str(root)] if root.name != "site-packages" else [])
    modules = ["typed", "nddb.commands", "nddb._process", "nddb._progress"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *(word for module in modules for word in ("-m", module))],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": os.pathsep.join(places)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def blocks(file):
    """The blocks of Python of a page."""
    return re.findall(r"^```python\n(.*?)^```", file.read_text(), re.MULTILINE | re.DOTALL)


def test_the_lines_of_the_readme_print_what_it_shows(tmp_path, monkeypatch, capsys):
    root = HERE.parent.parent
    if not (root / "tools/demo_crawl.awk").exists():
        pytest.skip("not in the repository")
    monkeypatch.chdir(tmp_path)
    make = ["awk", "-v", "pairs=pairs.tsv", "-f", root / "tools/demo_crawl.awk"]
    Path("pages.jsonl").write_bytes(subprocess.run(make, check=True, capture_output=True).stdout)
    (block,) = blocks(root / "README.md")
    exec(compile(block, "README.md", "exec"), {})
    shown = "".join(f"{line}\n" for line in re.findall("# (.*)", block))
    printed = capsys.readouterr().out
    assert shown and doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS), printed


def test_the_examples_of_the_package_readme_run(tmp_path, monkeypatch, table):
    import polars

    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages(100)))
    Path("CC-MAIN.warc.gz").touch()
    numbered = table.append_column("number", [range(len(table))])
    pyarrow.parquet.write_table(numbered, "documents.parquet")
    names = {"documents": polars.from_arrow(table)}
    # The last block is for Spark; its test is there.
    *made, on_duckdb, _ = blocks(HERE / "README.md")
    assert len(made) == 7
    made[1] = made[1].replace('"pages.jsonl", "CC-MAIN.warc.gz"', '"pages.jsonl"')
    for block in made:
        exec(compile(block, "README.md", "exec"), names)
    clean = pyarrow.parquet.read_table("clean.parquet")
    removed = {row["id"] for row in nddb.open("documents.nddb").clusters() if row["verdict"] == "remove"}
    assert len(removed) > 100
    assert set(clean["id"].to_pylist()) == set(table["id"].to_pylist()) - removed
    names = {}
    exec(compile(on_duckdb, "README.md", "exec"), names)
    removed = names["members"].filter("verdict = 'remove'")
    assert len(names["clean"]) == len(table) - len(removed) and len(removed) > 100
