"""What the tests share: made pages, a database of them, and the command."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest
from cluster import collection, spark  # noqa: F401

import nddb

# Engines that are examples, not parts of the package.
sys.path.append(str(Path(__file__).parents[1] / "examples"))

WORDS = [a + b + c for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "r", "l", "sk", "t")]
FOX = " ".join(f"the quick brown {WORDS[i * 7 % 300]} jumps over {WORDS[i * 11 % 300]}" for i in range(40))


def pages(count, seed=1):
    """Makes pages: a third are near-duplicates of an earlier one, some are equal, some have no words."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        kind = rng.random()
        if made and kind < 0.3:
            words = rng.choice(made)["text"].split()
            for _ in range(rng.randrange(4)):
                if words:
                    words[rng.randrange(len(words))] = rng.choice(WORDS)
        elif kind > 0.98:
            words = []
        else:
            words = rng.choices(WORDS, k=rng.randrange(80, 200))
        made.append({
            "id": f"page-{number}",
            "text": " ".join(words),
            "url": f"https://host{number % 7}.example.org/{number}",
        })
    return made


def resident(most=False):
    """Bytes of this process in memory: now, or most of them since `measured_anew`."""
    name = "VmHWM" if most else "VmRSS"
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) << 10


def write_copies(file, copies):
    """Writes lines of JSON with so many copies of 2,000 made pages, each with ids of its own."""
    made = pages(2000)
    with file.open("w") as out:
        for copy in range(copies):
            for page in made:
                out.write(json.dumps(page | {"id": f"{copy}-{page['id']}"}) + "\n")


@pytest.fixture(scope="session")
def table():
    """A table of made pages."""
    return pyarrow.Table.from_pylist(pages(1500))


@pytest.fixture(scope="session")
def crawl(tmp_path_factory, table):
    """The path of a database of the table, some of whose documents have been deleted and stored again."""
    path = tmp_path_factory.mktemp("crawl") / "crawl.nddb"
    with nddb.Writer(path, create=nddb.Config(k=3)) as writer:
        writer.add_batch(table[:1000])
    with nddb.Writer(path) as writer:
        writer.add_batch(table[900:], batch="second")
        assert writer.rm([f"page-{number}" for number in range(0, 60, 3)]) == 20
        writer.add("page-9", text="another text now", url="https://elsewhere.example.net/")
    return path


@pytest.fixture
def command(tmp_path):
    """The command: a function of its arguments that returns stdout; `refused` returns what it says when it fails."""

    def start(arguments, **options):
        arguments = [sys.executable, "-m", "nddb", *map(str, arguments)]
        return subprocess.run(arguments, capture_output=True, **{"cwd": tmp_path, **options})

    def run(*arguments, code=0, **options):
        done = start(arguments, **options)
        assert done.returncode == code, done.stderr.decode()
        return done.stdout

    def refused(*arguments, **options):
        done = start(arguments, **options)
        assert done.returncode not in (0, 101), done.stderr.decode()
        return done.stderr.decode()

    run.refused = refused
    run.lines = lambda *arguments: [json.loads(line) for line in run(*arguments).splitlines()]
    return run


@pytest.fixture
def script(tmp_path):
    """Starts Python with a script in a process of its own, to be interrupted or to crash."""

    def start(text, *arguments):
        file = Path(tmp_path) / "script.py"
        file.write_text(text)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.Popen(
            [sys.executable, str(file), *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start
