"""The one call: near-duplicates taken out of tables of every kind, of texts and of files."""

import gzip
import json
import os
import pickle
import random
import shutil
import sys
import warnings
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import FOX, pages

import nddb

ROWS = pages(400, seed=7)


def rows_of(table):
    """The rows of any of the tables, as dictionaries."""
    if isinstance(table, list):
        return table
    for name in ("to_dicts", "to_pylist", "to_list"):
        if hasattr(table, name):
            return getattr(table, name)()
    if hasattr(table, "to_arrow_table"):
        return table.to_arrow_table().to_pylist()
    if hasattr(table, "iloc"):
        rows = table.to_dict("records")
        return [{name: None if value != value else value for name, value in row.items()} for row in rows]
    return list(table)


def made(kind):
    """The pages as a table of a kind; tests of kinds whose package is not installed are left out."""
    table = pyarrow.Table.from_pylist(ROWS)
    if kind == "pandas":
        return pytest.importorskip("pandas").DataFrame(ROWS)
    if kind == "dictionaries":
        return ROWS
    if kind == "datasets":
        return pytest.importorskip("datasets").Dataset.from_list(ROWS)
    return {
        "polars": lambda: polars.DataFrame(ROWS),
        "pyarrow": lambda: table,
        "batch": lambda: table.combine_chunks().to_batches()[0],
        "duckdb": lambda: duckdb.from_arrow(table),
    }[kind]()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What a database of the pages removes, by the three steps: the number of a row, and that of the kept one."""
    path = tmp_path_factory.mktemp("steps") / "steps.nddb"
    with nddb.Writer(path, create=nddb.Config(keep_words=True)) as writer:
        writer.add_batch(pyarrow.Table.from_pylist(ROWS))
    members = [row for row in nddb.open(path).clusters() if row["verdict"] == "remove"]
    number = {row["id"]: index for index, row in enumerate(ROWS)}
    return sorted((number[row["id"]], number[row["kept"]]) for row in members)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "batch", "duckdb", "datasets", "dictionaries"])
def test_every_kind_of_table_keeps_its_rows_their_order_and_its_type(kind, expected):
    data = made(kind)
    before = rows_of(data)
    result = nddb.dedup(data, progress=False)
    assert type(result.kept) is type(data)
    gone = {row for row, _ in expected}
    assert rows_of(result.kept) == [row for index, row in enumerate(ROWS) if index not in gone]
    assert rows_of(data) == before, "the data is not changed"
    assert type(result.removed) is (pyarrow.Table if kind == "batch" else type(data))
    removed = rows_of(result.removed)
    assert [(row["row"], row["kept_row"]) for row in removed] == expected and len(expected) > 80
    for row in removed:
        assert (row["id"], row["kept"]) == (ROWS[row["row"]]["id"], ROWS[row["kept_row"]]["id"])
        assert row["rule"] == "identical" or row["probability"] >= 0.5
        assert 0 <= row["loss"] <= 1
    assert result.documents == 400 and result.same_text + result.near == len(removed) and result.earlier == 0


def test_texts_are_a_list_or_any_iterable(expected):
    texts = [row["text"] for row in ROWS]
    gone = {row for row, _ in expected}
    for data in (texts, tuple(texts), iter(texts), (text for text in texts), polars.Series(texts)):
        result = nddb.dedup(data, progress=False)
        # Addresses, which texts have not, are evidence of their own.
        assert len(result.kept) == 400 - len(result.removed) and isinstance(result.kept, list)
        assert len({row["row"] for row in result.removed} ^ gone) < 20
    losses = ["loss", "lost", "lost_words", "lost_passage", "level"]
    assert {row["level"] for row in result.removed} <= {"same", "strict", "standard"}
    assert list(result.removed[0]) == ["row", "kept_row", "rule", "probability", *losses]
    with_nothing = nddb.dedup([FOX, None, "", FOX, None], progress=False)
    assert with_nothing.kept == [FOX, None, "", None], "there is no evidence about rows without words"
    assert nddb.dedup([], progress=False).kept == []
    for wrong in (["a", 7], 17, {"a": "b"}, b"text", [b"bytes"]):
        with pytest.raises(TypeError):
            nddb.dedup(wrong, progress=False)


def test_columns_have_the_names_that_are_given_or_the_usual_ones(expected):
    renamed = polars.DataFrame(ROWS).rename({"text": "content", "id": "nr"})
    usual = nddb.dedup(renamed, progress=False)
    assert usual.kept.height == 400 - len(expected) and "id" not in usual.removed.columns
    named = nddb.dedup(renamed, id="nr", progress=False)
    assert named.removed["id"].to_list() == [ROWS[row]["id"] for row, _ in expected]
    other = renamed.rename({"content": "body"})
    assert nddb.dedup(other, text="body", progress=False).kept.height == usual.kept.height
    pages = other.with_columns(polars.format("<p>{}</p>", "body").alias("page"))
    assert abs(nddb.dedup(pages, html="page", progress=False).kept.height - usual.kept.height) < 20
    for options, message in [
        ({}, "name it by text="),
        ({"text": "nothing"}, "text='nothing'"),
        ({"text": "body", "id": "x"}, "id='x'"),
    ]:
        with pytest.raises(ValueError, match=message):
            nddb.dedup(other, progress=False, **options)
    with pytest.raises(ValueError, match="texts have no columns"):
        nddb.dedup([FOX], text="text", progress=False)
    with pytest.raises(ValueError, match="column 'text'"):
        nddb.dedup(polars.DataFrame({"text": [1, 2]}), progress=False)
    with pytest.raises(TypeError, match="collect it first"):
        nddb.dedup(renamed.lazy(), progress=False)
    # Equal ids are no matter: rows are told apart by their numbers.
    same = polars.DataFrame({"id": [1, 1, 1], "text": [FOX, "other words that are of no fox at all", FOX]})
    assert nddb.dedup(same, progress=False).removed.select("row", "kept_row", "id", "kept").row(0) == (2, 0, 1, 1)


def test_rules_and_limits_are_those_of_the_command():
    long = FOX + " and some words more at the end"
    urls = ["https://example.org/long/address", "https://example.org/a", None]
    data = polars.DataFrame({"text": [FOX, long, FOX], "url": urls})
    kept = lambda **options: nddb.dedup(data, progress=False, **options).kept["text"].to_list()
    assert kept() == [FOX]
    assert kept(keep="longest") == [long]
    assert kept(keep=["shortest-url"]) == [long]
    assert kept(keep="longest,shortest-url") == [long]
    assert kept(level="same") == [FOX, long] and kept(min_probability=1.0) == [FOX, long]
    wrong = [("keep", "newest"), ("keep", "nothing"), ("min_probability", 2), ("level", "none"), ("output", "x")]
    for name, value in wrong:
        with pytest.raises(ValueError):
            kept(**{name: value})


def test_what_earlier_databases_have_is_removed(tmp_path):
    for name, id, text in [("a", "stored", FOX), ("b", 17, ROWS[0]["text"])]:
        with nddb.Writer(tmp_path / f"{name}.nddb", create=nddb.Config(k=2)) as writer:
            writer.add(id, text=text)
    data = pyarrow.table({"id": ["x", "y", "z"], "text": [FOX + " again", FOX, ROWS[2]["text"]]})
    a, b = str(tmp_path / "a.nddb"), nddb.open(tmp_path / "b.nddb")
    for against in (a, [a], [Path(a), b]):
        result = nddb.dedup(data, against=against, progress=False)
        assert result.kept["id"].to_pylist() == ["z"] and (result.earlier, result.near) == (2, 0)
        assert result.removed.select(["row", "kept_row", "id", "kept", "kept_in"]).to_pylist() == [
            {"row": row, "kept_row": None, "id": id, "kept": "stored", "kept_in": a} for row, id in [(0, "x"), (1, "y")]
        ]
    texts = nddb.dedup([FOX, ROWS[0]["text"], ROWS[2]["text"], ROWS[2]["text"]], against=[a, b], progress=False)
    assert [row["kept"] for row in texts.removed] == ["stored", "17", None] and texts.removed[2]["kept_row"] == 2
    assert len(nddb.open(a)) == 1, "nothing is stored there"
    with pytest.raises(nddb.NotADatabase):
        nddb.dedup([FOX], against=tmp_path / "none.nddb", progress=False)
    with nddb.Writer(tmp_path / "web.nddb", create=nddb.Config(recipe="web")) as writer:
        writer.add("w", text=FOX)
    with pytest.raises(nddb.Mismatch):
        nddb.dedup([FOX], against=[a, tmp_path / "web.nddb"], progress=False)
    of_web = nddb.dedup([FOX], against=tmp_path / "web.nddb", progress=False)
    assert of_web.kept == [], "the recipe is that of the database"


def test_files_are_copied_as_the_command_copies_them(tmp_path, monkeypatch, command):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    lines = [json.dumps(row) + "\n" for row in ROWS]
    (tmp_path / "in").mkdir()
    for name, part in [("one", lines[:200]), ("two", lines[200:])]:
        (tmp_path / "in" / f"{name}.jsonl").write_text("".join(part))
    command("dedup", "in", "-o", "by-command", "--removed", "removed.jsonl")
    wanted = [(tmp_path / "by-command" / f"{name}.jsonl").read_text() for name in ("one", "two")]
    removed = [json.loads(line) for line in (tmp_path / "removed.jsonl").read_text().splitlines()]
    inputs = sorted((tmp_path / "in").iterdir())
    for data in (str(tmp_path / "in"), tmp_path / "in", str(tmp_path / "in" / "*.jsonl"), inputs):
        with nddb.dedup(data, progress=False) as result:
            assert [path.read_text() for path in result.kept] == wanted
            assert result.removed == removed and result.documents == 400
            with monkeypatch.context() as patch:
                patch.setattr("nddb._process.run", None)
                result.report(tmp_path / "report.html")
        assert not any(path.exists() for path in result.kept), "what was temporary has gone"
        page = (tmp_path / "report.html").read_text()
        assert "<html" in page and str(len(removed)) in page
    monkeypatch.chdir(tmp_path)
    result = nddb.dedup(inputs, output="kept/", progress=False)
    result.close()
    result.save("saved")
    assert [(tmp_path / "saved" / "kept" / path.name).read_text() for path in inputs] == wanted
    assert [path.read_text() for path in result.kept] == wanted
    with pytest.raises(FileNotFoundError, match="list of texts"):
        nddb.dedup("no such file", progress=False)
    with pytest.raises(ValueError, match="is an input"):
        nddb.dedup(inputs[0], output=inputs[0], progress=False)
    with pytest.raises(nddb.NotADatabase):
        nddb.dedup(inputs[0], against=tmp_path / "none.nddb", progress=False)
    with pytest.raises(nddb.Error, match='no line has a field "body"'):
        nddb.dedup(inputs[0], text="body", progress=False)
    # All rows of one id are judged.
    (tmp_path / "again.jsonl").write_text(lines[0] + lines[2] + lines[0])
    result = nddb.dedup(tmp_path / "again.jsonl", progress=False)
    assert result.kept[0].read_text() == lines[0] + lines[2]
    # What cannot be read is told.
    (tmp_path / "damaged.jsonl").write_text(lines[0] + "{" + lines[1])
    with pytest.warns(UserWarning, match="1 unreadable"):
        nddb.dedup(tmp_path / "damaged.jsonl", progress=False)


def test_names_of_files_are_read_and_texts_that_look_like_them_are_not(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.chdir(tmp_path)
    names = ["one.jsonl", "two.jsonl.gz"]
    Path("one.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS[:50]))
    Path("two.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS[:90]).encode()))
    for data in (names, tuple(names), iter(names)):
        result = nddb.dedup(data, progress=False)
        assert result.documents == 140 and all(isinstance(path, str) and Path(path).exists() for path in result.kept)
        assert "are read" in caplog.text
        caplog.clear()
    for data in (map(Path, names), [Path(names[0]), names[1]]):
        assert all(isinstance(path, Path) for path in nddb.dedup(data, progress=False).kept)
    for data in ([names[0], FOX], [FOX, names[0]], [Path(names[0]), FOX], [names[0], "none.jsonl"], [names[0], None]):
        with pytest.raises(ValueError, match=r"one.jsonl' is a file.*pathlib.Path.*{'text': item}"):
            nddb.dedup(data, progress=False)
    Path("plain").write_text(FOX)
    caplog.clear()
    frame = polars.DataFrame({"text": names})
    for data in (["plain", "plain"], [{"text": name} for name in names], frame, frame["text"]):
        assert nddb.dedup(data, progress=False).documents == 2 and not caplog.text
    missing = ["a.parquet", "b.parquet"]
    assert nddb.dedup(missing, progress=False).kept == missing and "taken for texts" in caplog.text
    caplog.clear()
    assert nddb.dedup([str(tmp_path)], progress=False).kept == [str(tmp_path)] and "taken for texts" in caplog.text


def test_dictionaries_have_columns():
    rows = [{"id": 1, "text": FOX}, {"url": "https://example.org/", "text": FOX}, {"id": 3, "text": None}]
    result = nddb.dedup(iter(rows), progress=False)
    assert result.kept == [rows[0], rows[2]] and result.kept[0] is rows[0]
    assert result.removed[0]["id"] is None and result.removed[0]["kept"] == 1
    assert nddb.dedup(rows, text="url", progress=False).kept == rows
    with pytest.raises(ValueError, match="text='body'.*the table has: id, text, url"):
        nddb.dedup(rows, text="body", progress=False)
    with pytest.raises(ValueError, match="row 1 of column 'text' is int"):
        nddb.dedup([{"text": FOX}, {"text": 1}], progress=False)
    with pytest.raises(TypeError, match="item 1 is str"):
        nddb.dedup([{"text": FOX}, FOX], progress=False)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "batch", "duckdb", "datasets", "dictionaries"])
def test_results_of_tables_are_pickled_and_saved_and_have_pairs(kind, tmp_path):
    with nddb.dedup(made(kind), progress=False) as result:
        result.save(tmp_path / "saved")
        copy = pickle.loads(pickle.dumps(result))
    assert type(copy.kept) is type(result.kept) and rows_of(copy.kept) == rows_of(result.kept)
    assert rows_of(copy.removed) == rows_of(result.removed) and repr(copy) == repr(result)
    for one in (result, copy):
        pairs = list(one.pairs())
        assert len(pairs) == len(rows_of(result.removed)) > 80
        losses = [pair["loss"] for pair in pairs]
        assert losses == sorted(losses, reverse=True) and losses[0] > 0
        for pair in pairs:
            assert (pair["text"], pair["kept_text"]) == (ROWS[pair["row"]]["text"], ROWS[pair["kept_row"]]["text"])
    with pytest.raises(ValueError, match="closed"):
        copy.report(tmp_path / "report.html")
    copy.close()
    if kind == "dictionaries":
        read = lambda name: [json.loads(line) for line in (tmp_path / "saved" / f"{name}.jsonl").open()]
    else:
        package = pytest.importorskip("pandas") if kind == "pandas" else polars
        read = lambda name: rows_of(package.read_parquet(tmp_path / "saved" / f"{name}.parquet"))
    assert read("kept") == rows_of(result.kept) and read("removed") == rows_of(result.removed)
    with pytest.raises(FileExistsError):
        result.save(tmp_path / "saved")


def test_differences_are_shown_those_that_lose_most_first(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    # The one with most distinct words is kept.
    full = FOX + " beside several other birds"
    texts = [full, full, FOX + " onward", FOX + " and once more"]
    rows = [{"id": f"d{number}", "text": text} for number, text in enumerate(texts)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for data, first, second in [
        (texts, "row 3 is removed, row 0 is kept", "row 2 is removed, row 0 is kept"),
        (polars.DataFrame(rows), "row 3 (d3) is removed, row 0 is kept", "row 2 (d2) is removed, row 0 is kept"),
        ([{"html": f"<p>{text}</p>"} for text in texts], "row 3 is removed, row 0", "row 2 is removed, row 0"),
        (tmp_path / "in.jsonl", "d3 is removed, d0 is kept", "d2 is removed, d0 is kept"),
    ]:
        result = nddb.dedup(data, progress=False)
        result.show(2)
        shown = capsys.readouterr().out
        assert shown.index(first) < shown.index("[-and once more-]") < shown.index(second) < shown.index("[-onward-]")
        assert "of its words lost (" in shown and shown.endswith("... and 1 more\n")
        if not isinstance(data, list) or isinstance(data[0], str):
            compared = [(pair["text"], pair["kept_text"]) for pair in result.pairs()]
            assert compared == [(texts[3], full), (texts[2], full), (full, full)]
    result.save(tmp_path / "saved")
    assert (tmp_path / "saved" / "kept" / "in.jsonl").read_text() == json.dumps(rows[0]) + "\n"
    copy = pickle.loads(pickle.dumps(result))
    assert copy.kept == result.kept and list(copy.pairs())[0]["id"] == "d3"
    result.close()
    assert [pair["text"] for pair in result.pairs()] == [None] * 3
    for use in (result.show, lambda: result.save(tmp_path / "again"), lambda: result.report(tmp_path / "report.html")):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert not (tmp_path / "again").exists() and not (tmp_path / "report.html").exists()
    # Of a document in an earlier database there is no text; ids that come again are those of rows in files.
    with nddb.Writer(tmp_path / "earlier.nddb", create=nddb.Config()) as writer:
        writer.add(7, text=FOX)
    again = tmp_path / "again.jsonl"
    again.write_text("".join(json.dumps({"id": 1, "text": text}) + "\n" for text in (FOX, *[ROWS[0]["text"]] * 2)))
    for data in (again, [json.loads(line)["text"] for line in again.open()]):
        result = nddb.dedup(data, against=tmp_path / "earlier.nddb", progress=False)
        result.show()
        shown = capsys.readouterr().out
        assert f" is removed, 7 in {tmp_path / 'earlier.nddb'} is kept: " in shown and "equal words" in shown
        assert shown.count(" is removed, ") == 2
        result.report(tmp_path / "report.html")
        pickled = pickle.dumps(result)
    shutil.rmtree(tmp_path / "earlier.nddb")
    assert pickle.loads(pickled).kept == result.kept, "no database is needed"
    nddb.dedup([FOX], progress=False).show()
    assert capsys.readouterr().out == "nothing is removed\n"


def test_nothing_is_left_on_disk(tmp_path):
    left = lambda: list(tmp_path.iterdir())
    result = nddb.dedup([FOX, FOX], tmp_dir=tmp_path, progress=False)
    assert left(), "the database is there for a report"
    result.close()
    result.close()
    assert not left() and result.kept == [FOX]
    with pytest.raises(ValueError, match="closed"):
        result.report(tmp_path / "report.html")
    nddb.dedup([FOX, FOX], tmp_dir=tmp_path, progress=False)
    assert not left(), "it goes with the object"
    with pytest.raises(nddb.NotADatabase):
        nddb.dedup([FOX], against=tmp_path / "none.nddb", tmp_dir=tmp_path, progress=False)
    assert not left()
    with nddb.dedup([FOX, FOX], tmp_dir=tmp_path, progress=False) as result:
        result.report(tmp_path / "report.html")
    assert [path.name for path in left()] == ["report.html"]


def test_a_result_is_shown_as_text_and_as_html():
    texts = [FOX, FOX, FOX + " and again"] + [FOX] * 20
    result = nddb.dedup(texts, progress=False)
    told = "1 of 23 documents kept; removed: 21 with the text of a kept one, 1 near to a kept one"
    assert repr(result) == f"<nddb.Deduplicated: {told}>"
    html = result._repr_html_()
    assert told in html and html.count("<tr>") == 11 and "and 12 more" in html
    escaped = nddb.dedup(polars.DataFrame({"id": ["<b>", "&"], "text": [FOX, FOX]}), progress=False)._repr_html_()
    assert "&lt;b&gt;" in escaped and "<b>" not in escaped
    assert nddb.dedup([FOX], progress=False)._repr_html_() == "<p>1 of 1 documents kept; removed: none</p>"


def test_progress_is_shown_by_tqdm_where_it_is_installed(monkeypatch):
    shown = []

    class Bar:
        def __init__(self, desc, total, unit, **options):
            self.n, self.desc = 0, desc

        def update(self, more):
            self.n += more
            shown.append((self.desc, self.n))

        def close(self):
            shown.append((self.desc, "closed"))

    module = type(sys)("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    nddb.dedup([FOX] * 2000)
    assert shown[-1][1] == "closed" and "reading" in {phase for phase, _ in shown}
    shown.clear()
    nddb.dedup([FOX, FOX], progress=False)
    assert not shown
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nddb.dedup([FOX, FOX]).kept == [FOX]


def test_readers_are_closed_by_with_and_close(crawl):
    with nddb.open(crawl) as db:
        pairs = db.pairs()
        rows = iter(pairs)
        next(rows)
    assert len(list(rows)) > 10, "a stream that is being read keeps it open"
    for use in (lambda: len(db), lambda: db.refresh(), lambda: db.get("page-1"), lambda: db.pairs()):
        with pytest.raises(ValueError, match="closed"):
            use()
    db.close()
    with pytest.raises(KeyError), nddb.open(crawl) as db:
        raise KeyError
    with pytest.raises(ValueError, match="closed"):
        len(db)


def test_what_is_near_to_other_databases_is_what_the_command_says(crawl, tmp_path, command):
    for name, part in [("a", ROWS[:50]), ("b", ROWS[50:90])]:
        with nddb.Writer(tmp_path / f"{name}.nddb", create=nddb.Config()) as writer:
            writer.add_batch(pyarrow.Table.from_pylist(part))
    with nddb.Writer(tmp_path / "new.nddb", create=nddb.Config()) as writer:
        writer.add_batch(pyarrow.Table.from_pylist([{**row, "id": f"new-{row['id']}"} for row in ROWS[:200]]))
    paths = [str(tmp_path / "a.nddb"), str(tmp_path / "b.nddb")]
    for options, more in [
        ({}, []),
        ({"limit": 1}, ["--limit", "1"]),
        ({"method": "hamming", "k": 2}, ["--method", "hamming", "-k", "2"]),
    ]:
        rows = pyarrow.table(nddb.open(tmp_path / "new.nddb").against(nddb.Federation(paths), **options)).to_pylist()
        lines = command.lines("against", "new.nddb", *paths, *more)
        expected = [
            (line["query"], match["id"], match["db"], match["rule"], match["probability"])
            for line in lines
            for match in line["matches"]
        ]
        found = [(row["id"], row["near"], row["db"], row["rule"], row["probability"]) for row in rows]
        rounded = [(*row[:4], None if row[4] is None else round(row[4], 6)) for row in found]
        assert rounded == expected and len(expected) > 80
    with nddb.Writer(tmp_path / "web.nddb", create=nddb.Config(recipe="web")) as writer:
        writer.add("w", text=FOX)
    with pytest.raises(nddb.Mismatch):
        nddb.open(tmp_path / "new.nddb").against(nddb.Federation([tmp_path / "web.nddb"]))


def test_an_answer_is_shown_as_html(crawl):
    answer = nddb.open(crawl).query(text=ROWS[0]["text"])
    assert answer._repr_html_().count("<tr>") == len(answer) + 1
    made = nddb.Answer([nddb.NearDuplicate("<id>", "model", {"probability": 0.75, "distance": 1})], "model", 1, True)
    assert "<td>&lt;id&gt;</td>" in made._repr_html_() and "<td>0.750</td>" in made._repr_html_()


def test_texts_within_longer_ones_are_listed_or_removed(tmp_path):
    def words(seed, count):
        chance = random.Random(seed)
        return " ".join("".join(chance.choices("bcdfglmnprst", k=7)) for _ in range(count))

    inner = words(1, 90)
    texts = [inner, f"{words(2, 150)} {inner} {words(3, 150)}", words(4, 90)]
    lines = [json.dumps({"id": id, "text": text}) + "\n" for id, text in enumerate(texts)]
    (tmp_path / "texts.jsonl").write_text("".join(lines))
    for contained, kept, stays in [(None, 3, []), ("keep", 3, [True]), ("remove", 2, [False])]:
        for data in [texts, tmp_path / "texts.jsonl"]:
            result = nddb.dedup(data, contained=contained)
            assert [row["stays"] is True for row in result.removed] == stays
            assert [row["rule"] for row in result.removed] == ["contained"] * len(stays)
            assert all(1 in (row.get("kept_row"), row.get("kept")) for row in result.removed)
            assert (result.contained, result.contained_kept) == (stays.count(False), stays.count(True))
            rows = result.kept if data is texts else "".join(path.read_text() for path in result.kept).splitlines()
            assert len(rows) == kept
    with pytest.raises(ValueError, match="keep or remove"):
        nddb.dedup(texts, contained="drop")
