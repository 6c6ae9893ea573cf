"""What the outside does to a process: ^C, faults, and many processes."""

import json
import signal
import subprocess
import sys
import time

import pytest
from conftest import pages, write_copies

import nddb

LOAD = """
import sys, nddb
path, *files = sys.argv[1:]
said = []
def progress(one):
    if not said:
        print("reading", flush=True)
    said.append(one)
try:
    with nddb.Writer(path, create=nddb.Config()) as writer:
        writer.load(files, progress=progress)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_an_interrupted_load_leaves_a_sound_database_and_goes_on(tmp_path, script, command):
    file = tmp_path / "pages.jsonl"
    write_copies(file, 60)
    path = tmp_path / "a.nddb"
    process = script(LOAD, path, file)
    assert process.stdout.readline() == "reading\n"
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, errors = process.communicate(timeout=120)
    assert (out, process.returncode) == ("interrupted\n", 0), errors
    assert time.monotonic() - begun < 60
    command("check", path)
    with nddb.Writer(path) as writer:
        writer.load(file)
    assert len(nddb.open(path)) == 120_000


def test_a_progress_that_raises_is_not_called_again(tmp_path):
    calls = []

    def progress(said):
        calls.append(said)
        raise ValueError("enough")

    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in pages(5000)))
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        with pytest.raises(ValueError, match="enough"):
            writer.load(file, progress=progress)
    assert len(calls) == 1


PAIRS = """
import sys, time, nddb, pyarrow
db = nddb.open(sys.argv[1])
print("begun", flush=True)
try:
    while True:
        try:
            {work}
        finally:
            # Where another library reads a table, its error comes first.
            time.monotonic()
except KeyboardInterrupt:
    print("interrupted", len(db), flush=True)
"""


@pytest.mark.parametrize("work", ["list(db.pairs('b'))", "pyarrow.table(db.clusters())", "db.get('page-1')"])
def test_an_interrupt_ends_a_computation(crawl, script, work):
    process = script(PAIRS.replace("{work}", work), crawl)
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (out, process.returncode) == ("interrupted 1481\n", 0), errors


FAULT = """
import faulthandler, mmap, sys
faulthandler.enable()
import nddb
db = nddb.open(sys.argv[1])
db.probe(1)
with open(sys.argv[2], "wb+") as file:
    file.truncate(4096)
    memory = mmap.mmap(file.fileno(), 4096)
    file.truncate(0)
    print(memory[0])
"""


def test_a_fault_that_is_not_ours_goes_to_the_handler_that_was_there(crawl, script, tmp_path, command):
    command("compact", crawl)
    process = script(FAULT, crawl, tmp_path / "mapped")
    out, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGBUS and out == ""
    assert "Fatal Python error: Bus error" in errors and "script.py" in errors


def test_the_command_ends_by_its_own_signal_handling(crawl, command, tmp_path, script):
    command("stats", tmp_path / "nothing", code=10)
    command("nonsense", code=2)
    assert b"nddb" in command("--version")
    process = script("import sys; from nddb._command import main; sys.exit(main())", "add", crawl)
    process.stdin.write('{"id": "added", "text": "a line of JSON"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["verdict"] == "new"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in errors
    assert "added" in nddb.open(crawl)
    assert b"deleted" in command("rm", crawl, "added", "--json")
