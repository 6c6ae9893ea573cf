"""`nddb.commands`: each function gives what the command itself does and says, also its errors."""

import asyncio
import json
import os
import pickle
import re
import shutil
import signal
import time
from html import unescape

import hot
import polars
import pytest
from conftest import FOX, pages, write_copies

import nddb
from nddb import commands

DB = "crawl.nddb"


def warc(texts):
    """An archive of pages, in the least form that is read."""
    records = []
    for number, text in enumerate(texts):
        block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}</p>"
        records.append(
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
            f"WARC-Target-URI: http://example.org/{number % 2}\r\nWARC-Date: 2025-01-01T00:00:{number:02}Z\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n{block}\r\n\r\n"
        )
    return "".join(records)


def answered(page):
    """The label file of a page of an audit, if each removal is right."""
    value = lambda text, name: unescape(re.search(f' {name}="(.*?)"', text)[1])
    lines = [value(page, "data-columns")]
    for question in page.split('<section id="p')[1:]:
        first, second, guess, more = (value(question, f"data-{name}") for name in ("id1", "id2", "guess", "more"))
        lines.append("\t".join([first, second, "1", "y", "n", "y", "", "", "", guess, more]))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of inputs and of what is made of them."""
    folder = tmp_path_factory.mktemp("made")
    lines = lambda some: "".join(json.dumps(page) + "\n" for page in some)
    (folder / "pages.jsonl").write_text(lines(pages(200)))
    (folder / "others.jsonl").write_text(lines({**page, "id": "other-" + page["id"]} for page in pages(60, seed=2)))
    (folder / "web.warc").write_text(warc([FOX, FOX, FOX + " and again", FOX]))
    with nddb.Writer(folder / "crawl.nddb", create=nddb.Config()) as writer:
        writer.load(folder / "pages.jsonl")
        writer.load(folder / "others.jsonl", batch="may", pending=True)
        writer.load(folder / "web.warc", batch="june")
        writer.add(17, text="a number is this document's id")
        writer.add("17", text="and of this one it is a text with the same digits")
    with nddb.Writer(folder / "other.nddb", create=nddb.Config()) as writer:
        writer.load(folder / "others.jsonl")
    commands.backup(folder / "other.nddb", folder / "saved")
    commands.cluster(folder / "crawl.nddb", folder / "clusters")
    commands.audit(folder / "crawl.nddb", folder / "audit.html", sample=20)
    (folder / "labels.tsv").write_text(answered((folder / "audit.html").read_text()))
    return folder


@pytest.fixture
def work(made, tmp_path, monkeypatch):
    """A copy of the folder, which is the current one."""
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    return folder


CALLS = {
    'documents(DB, columns=["id", "url"], limit=7)': "export crawl.nddb --columns id,url --limit 7",
    'export(DB, "ids.tsv", format="tsv")': "export crawl.nddb -o ids.tsv --format tsv",
    'show(DB, "page-1", "page-2", text="main")': "show crawl.nddb page-1 page-2 --text main",
    'rm(DB, site="example.org", dry_run=True)': "rm crawl.nddb --site example.org --dry-run",
    'rm(DB, host="host1.example.org")': "rm crawl.nddb --host host1.example.org",
    'rm(DB, batch="june")': "rm crawl.nddb --batch june",
    'rm(DB, "page-1", 17)': r"rm crawl.nddb page-1 \#17",
    "batches(DB)": "batch ls crawl.nddb",
    'commit_batch(DB, "may")': "batch commit crawl.nddb may",
    'cancel_batch(DB, "may", dry_run=True)': "batch cancel crawl.nddb may --dry-run",
    'cancel_batch(DB, "may")': "batch cancel crawl.nddb may",
    "sources(DB)": "sources ls crawl.nddb",
    'merge(DB, "other.nddb")': "merge crawl.nddb other.nddb",
    'against("pages.jsonl", DB, limit=1, group_limit=9)': (
        "against pages.jsonl crawl.nddb --limit 1 --group-limit 9"
    ),
    'cluster(DB, "lists", keep=["longest", "id"], previous="clusters")': (
        "cluster crawl.nddb -o lists --keep longest,id --previous clusters"
    ),
    'filter(DB, "pages.jsonl", output="kept", clusters="clusters", with_=["kept"], annotate=True)': (
        "filter crawl.nddb pages.jsonl -o kept --clusters clusters --with kept --annotate"
    ),
    'revisits(DB, "web.warc", output="short.warc", near=True)': "revisits crawl.nddb web.warc -o short.warc --near",
    'report(DB, "report.html")': "report crawl.nddb -o report.html",
    'audit(DB, "questions.html", sample=9, seed=2)': "audit crawl.nddb -o questions.html --sample 9 --seed 2",
    'score_audit("labels.tsv")': "audit --score labels.tsv",
    "check(DB, sample_recall=5)": "check crawl.nddb --sample-recall 5",
    "rebuild(DB, all=True)": "rebuild crawl.nddb --all",
    "compact(DB, all=True)": "compact crawl.nddb --all",
    'backup(DB, "copy")': "backup crawl.nddb copy",
    'restore_backup("saved", "again.nddb")': "backup restore saved again.nddb",
    'verify_backup("saved")': "backup verify saved",
    'plan("100M", k=2, rate=7.5)': "plan --docs 100M --k 2 --rate 7.5",
    'run("get", DB, "page-3", url="http://example.org/0")': "get crawl.nddb page-3 --url http://example.org/0",
    'stream("query", DB, id=["page-1", "page-2"], why=True)': "query crawl.nddb --id page-1 --id page-2 --why",
    'output("text", "web.warc", whole=True)': "text web.warc --whole",
}


def lasting(row):
    """An answer without the times that it took."""
    return {name: value for name, value in row.items() if name not in ("seconds", "cpu_seconds", "busiest_thread")}


def files(folder):
    """What a call wrote beside databases, whose bytes depend on the time."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not {DB, "copy", "again.nddb"} & set(path.parts))
    return {path.relative_to(folder): path.read_bytes() for path in paths}


@pytest.mark.parametrize("call", CALLS)
def test_a_function_gives_what_the_command_prints(call, made, work, command):
    answer = eval(call, {**vars(commands), "DB": DB})
    rows = [answer] if isinstance(answer, dict) else answer if isinstance(answer, str) else list(answer)
    there = shutil.copytree(made, work.parent / "there")
    printed = command(*CALLS[call].split(), "--json", cwd=there).decode()
    if isinstance(rows, str):
        assert rows == printed and rows
    else:
        wanted = [json.loads(line) for line in printed.splitlines()]
        if call.startswith(("check", "verify_backup")):
            assert rows[0].pop("faults") == [] and wanted[0].pop("faults") == 0
        assert list(map(lasting, rows)) == list(map(lasting, wanted)) and rows
    assert files(work) == files(there)


def test_all_functions_are_compared_with_the_command():
    assert {call.partition("(")[0] for call in CALLS} | {"move_source"} == set(commands.__all__)


def test_a_moved_archive_is_read_again_where_it_is(tmp_path):
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in pages(20)))
    with nddb.Writer(tmp_path / DB, create=nddb.Config()) as writer:
        writer.load(file)
    os.rename(file, tmp_path / "moved.jsonl")
    assert commands.sources(tmp_path / DB)[0]["state"] == "missing"
    moved = commands.move_source(tmp_path / DB, file, tmp_path / "moved.jsonl")
    assert moved == {"moved": 1, "left": 0, "dry_run": False}
    assert "words only on the left" in commands.show(tmp_path / DB, "page-1", "page-2")


def test_pending_batches_are_listed_committed_and_cancelled(work):
    listed = lambda: {row["batch"]: (row["state"], row["documents"]) for row in commands.batches(DB)}
    assert listed() == {"may": ("pending", 60), "june": ("open", 4)}
    before = len(nddb.open(DB))
    assert commands.commit_batch(DB, "may", dry_run=True)["documents"] == 60
    assert len(nddb.open(DB)) == before
    reader = nddb.open(DB)
    commands.commit_batch(DB, "may")
    assert "other-page-1" not in reader and reader.refresh() and "other-page-1" in reader
    assert len(reader) == before + 60 and listed()["may"] == ("open", 60)
    with pytest.raises(nddb.WrongBatch, match="batch 'may' is not pending"):
        commands.cancel_batch(DB, "may")
    with nddb.Writer(DB) as writer:
        writer.load("others.jsonl", batch="july", pending=True, id_prefix="more-")
    assert commands.cancel_batch(DB, "july")["documents"] == 60
    assert listed()["july"][0] == "cancelled" and len(nddb.open(DB)) == before + 60


def test_numbers_and_texts_are_two_ids(work):
    assert commands.rm(DB, 17, "no such id") == {"deleted": 1, "missing": 1, "dry_run": False}
    with nddb.open(DB) as reader:
        assert reader.get("17")["id"] == "17"
    with nddb.Writer(DB) as writer:
        writer.add("\\#17", text="a text that looks as the mark of a number does")
        writer.add(17, text="a number again")
    assert commands.rm(DB, "\\#17")["deleted"] == 1
    assert 17 in nddb.open(DB) and "\\#17" not in nddb.open(DB)
    with pytest.raises(nddb.Error, match="17"):
        commands.rm(DB, "17")


def damage(path):
    """Changes a byte of a file."""
    path.chmod(0o644)
    changed = bytearray(path.read_bytes())
    changed[1500] ^= 1
    path.write_bytes(changed)


def test_damage_is_found_and_repaired(work):
    damage(next((work / DB / "runs").glob("*.seg")))
    found = commands.check(DB)
    assert not found["sound"] and {"file", "place", "what", "repairable"} <= found["faults"][0].keys()
    with pytest.raises(nddb.Corrupt, match="damaged: checksum") as raised:
        commands.compact(DB, all=True)
    assert "nddb rebuild" in raised.value.hint
    assert commands.rebuild(DB)["changed"] and commands.check(DB)["sound"]
    damage(next((work / "saved").rglob("*.seg")))
    assert commands.verify_backup("saved")["faults"]


ERRORS = {
    'check("none.nddb")': (nddb.NotADatabase, "check none.nddb"),
    'verify_backup("clusters")': (nddb.NotABackup, "backup verify clusters"),
    'backup(DB, "saved")': (nddb.AlreadyExists, "backup crawl.nddb saved"),
    'commit_batch(DB, "none")': (nddb.WrongBatch, "batch commit crawl.nddb none"),
    "merge(DB, DB)": (nddb.SameDatabase, "merge crawl.nddb crawl.nddb"),
    'merge(DB, "web.nddb")': (nddb.Mismatch, "merge crawl.nddb web.nddb"),
    'cluster("web.nddb", "lists", method="model")': (
        nddb.UnusableMethod,
        "cluster web.nddb -o lists --method model",
    ),
    'move_source(DB, "none", "nothing")': (nddb.Error, "sources move crawl.nddb none nothing"),
    'plan("many")': (ValueError, "plan --docs many"),
    "check(DB, sample_recal=3)": (ValueError, "check crawl.nddb --sample-recal 3"),
    'filter(DB, "--help", output="-")': (ValueError, "filter crawl.nddb -o - -- --help"),
    'run("none")': (ValueError, "none"),
}


@pytest.mark.parametrize("call", ERRORS)
def test_an_error_has_the_words_of_the_command(call, work, command):
    nddb.Writer("web.nddb", create=nddb.Config(recipe="web")).close()
    kind, line = ERRORS[call]
    with pytest.raises(kind) as raised:
        eval(call, {**vars(commands), "DB": DB})
    assert type(raised.value) is kind
    said = command.refused(*line.split(), cwd=work)
    message = str(raised.value)
    assert message and f"nddb: {message}\n" in said or f"error: {message}\n" in said
    hint = re.search(r"^hint: (.*)|^  tip: (.*)", said, re.MULTILINE)
    assert getattr(raised.value, "hint", None) == (hint and (hint[1] or hint[2]))
    assert getattr(raised.value, "__notes__", []) == ([f"hint: {raised.value.hint}"] if hint else [])


def test_a_writer_of_this_process_keeps_commands_out(work):
    with nddb.Writer(DB), pytest.raises(nddb.Locked, match=str(os.getpid())):
        commands.compact(DB)


def test_the_environment_names_no_database(work, monkeypatch):
    monkeypatch.setenv("NDDB_DB", str(work / "other.nddb"))
    with pytest.raises(nddb.NotADatabase):
        commands.rm("none.nddb", "page-1")
    assert commands.rm(DB, "page-1", dry_run=True)["deleted"] == 1


def test_what_is_left_out_is_a_warning_and_messages_are_logged(work, caplog):
    caplog.set_level("INFO", "nddb")
    (work / "damaged.jsonl").write_text('{"id": "whole", "text": "a text"}\n{"id": "cut')
    with pytest.warns(UserWarning, match="nddb load: 1 unreadable left out"):
        assert commands.run("load", DB, "damaged.jsonl", skipped="skipped.jsonl")[-1]["skipped"] == 1
    commands.cancel_batch(DB, "may", dry_run=True)
    assert "batch cancel: 60 documents would be deleted" in [record.message for record in caplog.records]


def test_a_table_is_compared_with_databases_in_one_call(work):
    rows = [*pages(30), {"id": "none", "text": "nothing that was seen before", "url": None}]
    (work / "asked.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    expected = [lasting(row) for row in commands.stream("against", "asked.jsonl", DB)]
    numbers = {row["id"]: number for number, row in enumerate(rows)}
    table = polars.DataFrame(rows).rename({"text": "body"})
    found = list(commands.against(table, DB, text="body", tmp_dir=work / "saved"))
    wanted = [(numbers[row["query"]], row["matches"]) for row in expected]
    assert [(row["row"], row["matches"]) for row in found] == wanted
    assert len(found) > 10 and not list((work / "saved").glob("nddb-*"))
    found = commands.against([row["text"] for row in rows], "other.nddb", DB, limit=1)
    assert {(row["row"], row["matches"][0]["db"]) for row in found} <= {(number, DB) for number in range(30)}
    with pytest.raises(ValueError, match="no column is named text"):
        next(commands.against(table, DB))


def test_passages_of_a_table_are_found_in_documents(work):
    with nddb.Writer("parts.nddb", create=nddb.Config(recipe="main-parts", keep_words=True)) as writer:
        writer.add_batch(polars.DataFrame(pages(8)))
    longest = max(pages(8), key=lambda page: len(page["text"]))
    passage = " ".join(longest["text"].split()[:45])
    asked = ["nothing of this was seen before", f"it begins in another way {passage} and it ends so"]
    [row] = commands.against(asked, "parts.nddb", parts=True, tmp_dir=work / "saved")
    places = [place for match in row["matches"] for place in match["passages"]]
    assert row["row"] == 1 and places, row
    assert all(5 <= place["query"][0] < place["query"][1] <= 50 for place in places), row
    assert longest["id"] in [match["id"] for match in row["matches"]]
    [row] = commands.run("query", "parts.nddb", id=longest["id"], parts=True)
    assert (row["query"], row["words"]) == (longest["id"], len(longest["text"].split()))
    with pytest.raises(nddb.Mismatch, match="without parts"):
        next(commands.against(asked, DB, parts=True))
    [row] = commands.against(asked, "parts.nddb", parts=True, verify=True, why=True, min_words=30)
    [found] = [match for match in row["matches"] if match["id"] == longest["id"]]
    [place] = found["passages"]
    assert (place["query"], place["equal"], place["match_text"]) == ([5, 50], 1, passage)
    assert not list(commands.against(asked, "parts.nddb", parts=True, min_containment=0.95))


def test_a_reader_finds_the_passages_that_the_command_prints(work):
    pages = hot.quoting(6, 150)
    (work / "quoting.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    with nddb.Writer("quoting.nddb", create=nddb.Config(recipe="main-parts")) as writer:
        writer.load("quoting.jsonl")
    db = nddb.open("quoting.nddb")
    for options in ({}, {"min_words": 12, "min_containment": 0.2}, {"verify": True}, {"why": True, "min_words": 30}):
        rows = list(db.passage_pairs(**options))
        printed = [
            (line["a"], line["b"], one["words"], one["a"], one["b"], one.get("equal"), one.get("a_text"))
            for line in commands.stream("pairs", "quoting.nddb", parts=True, **options) for one in line["passages"]
        ]
        assert len(rows) > 50 and printed == [
            (row["a"], row["b"], row["words"], [row["a_start"], row["a_end"]], [row["b_start"], row["b_end"]],
             row["equal"], row["a_text"])
            for row in rows
        ], options
        for page in pages[:5]:
            [line] = commands.run("query", "quoting.nddb", id=page["id"], parts=True, **options)
            found = db.passages(id=page["id"], **options)
            assert (found, found.words, found.frequent) == (line["matches"], line["words"], line["frequent"])
            assert (found.total, found.complete) == (line["count"], line["complete"])
    assert pickle.loads(pickle.dumps(found)).frequent == found.frequent
    with pytest.raises(nddb.Mismatch, match="without parts"):
        nddb.open(DB).passage_pairs()
    for wrong in ({"min_containment": 2}, {"min_containment": float("nan")}):
        with pytest.raises(ValueError, match="share"):
            db.passages(text=pages[0]["text"], **wrong)


def is_alone():
    """Whether this process has no child."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def test_a_stream_ends_its_process_with_it(work):
    rows = commands.documents(DB)
    assert is_alone(), "nothing runs before the first row"
    assert next(rows)["id"] == "page-0" and not is_alone()
    rows.close()
    assert is_alone()
    for _ in commands.documents(DB, limit=3):
        break
    assert is_alone()


def test_calls_wait_in_threads(work):
    async def several():
        return await asyncio.gather(*[asyncio.to_thread(commands.check, DB, sample_recall=1) for _ in range(3)])

    assert [answer["sound"] for answer in asyncio.run(several())] == [True] * 3


LOAD = """
import sys, threading
from nddb import commands
commands.run("create", "a.nddb")
threading.Timer(1, print, ["loading"], {"flush": True}).start()
try:
    commands.run("load", "a.nddb", sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_an_interrupt_ends_the_command_where_it_can_go_on(tmp_path, script):
    file = tmp_path / "pages.jsonl"
    write_copies(file, 100)
    process = script(LOAD, file)
    assert process.stdout.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, errors = process.communicate(timeout=120)
    assert (out, process.returncode) == ("interrupted\n", 0), errors
    assert time.monotonic() - begun < 60
    # The writer has ended, and no other one stands in the way.
    assert commands.check(tmp_path / "a.nddb")["sound"]
    commands.run("load", tmp_path / "a.nddb", file)
    assert len(nddb.open(tmp_path / "a.nddb")) == 200_000
