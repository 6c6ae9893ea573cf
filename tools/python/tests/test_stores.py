"""Inputs, outputs and backups in an object store (a server of S3 on this machine) and on an HTTP server."""

import gzip
import http.server
import json
import re
import threading

import pyarrow
import pyarrow.parquet
import pytest
from conftest import pages
from pyarrow.fs import FileSystem

import nddb

moto = pytest.importorskip("moto.server", reason="moto is not installed: no server of S3")


@pytest.fixture(scope="module")
def server():
    made = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    made.start()
    host, port = made.get_host_and_port()
    yield f"http://{host}:{port}"
    made.stop()


@pytest.fixture
def bucket(server, monkeypatch, request):
    """A bucket, and another client's view of it."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server,
    }.items():
        monkeypatch.setenv(name, value)
    name = re.sub("[^a-z]+", "-", request.node.name).strip("-")
    files, root = FileSystem.from_uri(f"s3://{name}/?allow_bucket_creation=true")
    files.create_dir(root)
    return Bucket(files, name)


class Bucket:
    def __init__(self, files, name):
        self.files, self.name, self.uri = files, name, f"s3://{name}"

    def put(self, key, data):
        with self.files.open_output_stream(f"{self.name}/{key}", compression=None) as stream:
            stream.write(data)

    def get(self, key):
        with self.files.open_input_stream(f"{self.name}/{key}", compression=None) as stream:
            return stream.read()

    def keys(self, below=""):
        from pyarrow.fs import FileSelector, FileType

        found = self.files.get_file_info(FileSelector(f"{self.name}/{below}".rstrip("/"), recursive=True))
        return sorted(one.path.removeprefix(f"{self.name}/") for one in found if one.type == FileType.File)


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def stored(command, db):
    """The ids and fingerprints of a database."""
    return sorted((row["id"], row["fp"]) for row in command.lines("export", db, "--format", "jsonl"))


def test_inputs_of_a_store_are_those_of_a_folder(bucket, command, tmp_path):
    made = pages(900)
    (tmp_path / "in/deep").mkdir(parents=True)
    files = {
        "in/a.jsonl": lines(made[:300]),
        "in/deep/b.jsonl.gz": gzip.compress(lines(made[300:600])),
        "in/_SUCCESS": b"",
        "in/notes.md": b"no input",
    }
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(made[600:]), tmp_path / "in/c.parquet")
    files["in/c.parquet"] = (tmp_path / "in/c.parquet").read_bytes()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        bucket.put(name, data)
    for db, where in (("local.nddb", "in"), ("remote.nddb", f"{bucket.uri}/in/"), ("named.nddb", f"{bucket.uri}/in")):
        command("create", db)
        command("load", db, where)
    assert stored(command, "local.nddb") == stored(command, "remote.nddb") == stored(command, "named.nddb")
    assert len(stored(command, "local.nddb")) == 900
    # A load again finds all of them finished; texts are read again where they are.
    again = json.loads(command("load", "remote.nddb", f"{bucket.uri}/in/", "--json"))
    assert again["unchanged"] == 900, again
    shown = command("show", "remote.nddb", "page-450", "page-451")
    assert made[450]["text"].split()[0] in shown.decode()
    sources = {row["path"]: row["state"] for row in command.lines("sources", "ls", "remote.nddb", "--json")}
    loaded = ("in/a.jsonl", "in/c.parquet", "in/deep/b.jsonl.gz")
    assert sources == {f"{bucket.uri}/{name}": "found" for name in loaded}
    # The same archive on a disk is known by its bytes.
    command("sources", "move", "remote.nddb", f"{bucket.uri}/in", tmp_path / "in")
    assert command("show", "remote.nddb", "page-450", "page-451") == shown
    with nddb.Writer(tmp_path / "python.nddb", create=nddb.Config(k=3)) as writer:
        assert writer.load([f"{bucket.uri}/in/a.jsonl"])["documents"] == 300


def test_dedup_from_store_to_store_is_that_of_files(bucket, command, tmp_path):
    made = pages(600)
    for number in range(2):
        data = gzip.compress(lines(made[number * 300 : number * 300 + 300]))
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / f"in/{number}.jsonl.gz").write_bytes(data)
        bucket.put(f"in/{number}.jsonl.gz", data)
    command("dedup", "in", "-o", "kept", "--removed", "removed.tsv")
    command("dedup", f"{bucket.uri}/in/", "-o", f"{bucket.uri}/kept", "--removed", f"{bucket.uri}/removed.tsv")
    for number in range(2):
        kept = (tmp_path / f"kept/{number}.jsonl.gz").read_bytes()
        assert gzip.decompress(bucket.get(f"kept/{number}.jsonl.gz")) == gzip.decompress(kept)
    removed = (tmp_path / "removed.tsv").read_text().replace(f"{tmp_path}/in/", f"{bucket.uri}/in/")
    assert bucket.get("removed.tsv").decode() == removed and removed.count("\n") > 100
    # One object to one object, and standard input.
    command("dedup", f"{bucket.uri}/in/0.jsonl.gz", "-o", f"{bucket.uri}/one.jsonl")
    piped = command("dedup", "-", "-o", "-", input=(tmp_path / "in/0.jsonl.gz").read_bytes())
    assert piped == bucket.get("one.jsonl")
    refused = command.refused("dedup", f"{bucket.uri}/one.jsonl", "-o", f"{bucket.uri}/one.jsonl")
    assert "is an input" in refused


def test_clusters_and_lists_are_written_to_a_store(bucket, command, crawl, tmp_path):
    command("cluster", crawl, "-o", "lists")
    command("cluster", crawl, "-o", f"{bucket.uri}/lists")
    names = sorted(path.name for path in (tmp_path / "lists").iterdir())
    assert bucket.keys("lists") == [f"lists/{name}" for name in names]
    for name in names:
        assert bucket.get(f"lists/{name}") == (tmp_path / "lists" / name).read_bytes(), name
    command("pairs", crawl, "--format", "parquet", "-o", f"{bucket.uri}/pairs.parquet")
    command("pairs", crawl, "--format", "parquet", "-o", "pairs.parquet")
    assert bucket.get("pairs.parquet") == (tmp_path / "pairs.parquet").read_bytes()


def test_backups_send_what_is_new_and_come_back(bucket, command, tmp_path):
    (tmp_path / "one.jsonl").write_bytes(lines(pages(400)))
    (tmp_path / "two.jsonl").write_bytes(lines([row | {"id": f"new-{row['id']}"} for row in pages(50, seed=2)]))
    place = f"{bucket.uri}/backups/crawl"
    command("create", "db")
    command("load", "db", "one.jsonl")
    first = json.loads(command("backup", "db", place, "--json"))
    before = stored(command, "db")
    sent = set(bucket.keys())
    command("load", "db", "two.jsonl")
    command("backup", "db", place)
    news = set(bucket.keys()) - sent
    shared = [key for key in sent if "/files/runs/" in key]
    assert shared and not any("/00000001.seg" in key for key in news), "what did not change is not sent again"
    assert [key for key in bucket.keys() if "/backups/0" in key] == [
        "backups/crawl/backups/00000001", "backups/crawl/backups/00000002"
    ]
    command("backup", "verify", place)
    command("backup", "restore", place, "newest")
    command("backup", "restore", f"{place}/backups/00000001", "oldest")
    assert stored(command, "newest") == stored(command, "db") != before == stored(command, "oldest")
    command("check", "newest")
    command("check", "oldest")
    assert first["documents"] == 400
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")], "nothing is left beside"
    # A database restored from a backup goes on there, with a series of its own; another one does not.
    command("load", "newest", "one.jsonl", "--again")
    assert json.loads(command("backup", "newest", place, "--keep", "1", "--json"))["others"] == 2
    assert json.loads(command("backup", "db", place, "--keep", "1", "--json"))["others"] == 1
    left = [key for key in bucket.keys() if "/backups/0" in key]
    assert left == ["backups/crawl/backups/00000003", "backups/crawl/backups/00000004"]
    listed = {line.split()[2] for key in left for line in bucket.get(key).decode().splitlines()[2:-1]}
    stored_files = {key.split("/files/")[1].rsplit("-", 2)[0] for key in bucket.keys() if "/files/" in key}
    assert stored_files == listed, "files of older backups are gone"
    command("create", "other")
    assert "another database" in command.refused("backup", "other", place)
    # Damage is found, and named.
    damaged = next(key for key in bucket.keys() if "/files/runs/" in key)
    data = bytearray(bucket.get(damaged))
    data[len(data) // 2] ^= 1
    bucket.put(damaged, bytes(data))
    assert damaged in command("backup", "verify", place, code=13).decode()
    assert "checksum" in command.refused("backup", "restore", place, "broken")
    assert not (tmp_path / "broken").exists()
    assert "there is no backup" in command.refused("backup", "restore", f"{bucket.uri}/nothing", "x")
    # What was overwritten is sent again; until then, the backups that have it do not count.
    kept = json.loads(command("backup", "db", place, "--keep", "2", "--json"))
    command("backup", "verify", place)
    command("backup", "restore", place, "mended")
    assert kept["removed"] == [] and stored(command, "mended") == stored(command, "db")


def test_files_of_a_damaged_list_stay(bucket, command, tmp_path):
    (tmp_path / "one.jsonl").write_bytes(lines(pages(100)))
    (tmp_path / "two.jsonl").write_bytes(lines([row | {"id": f"new-{row['id']}"} for row in pages(100, seed=2)]))
    place = f"{bucket.uri}/backups/crawl"
    command("create", "db")
    command("load", "db", "one.jsonl")
    command("backup", "db", place)
    before, files = stored(command, "db"), {key for key in bucket.keys() if "/files/" in key}
    name = next(key for key in bucket.keys() if "/backups/0" in key)
    command("load", "db", "two.jsonl")
    command("backup", "db", place)
    whole = bucket.get(name)
    bucket.put(name, whole[:-5])
    kept = json.loads(command("backup", "db", place, "--keep", "1", "--json"))
    assert kept["damaged"] == [f"{place}/backups/00000001"]
    assert files <= set(bucket.keys()), "the backup may be mended"
    bucket.put(name, whole)
    command("backup", "restore", f"{place}/backups/00000001", "mended")
    assert stored(command, "mended") == before


class Handler(http.server.BaseHTTPRequestHandler):
    """Files with ranges; every fifth request fails as a server does that has too much to do."""

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, with_body):
        server = self.server
        server.requests += 1
        data = server.data.get(self.path)
        if server.requests % 5 == 0:
            server.failed += 1
            self.reply(503, b"", with_body)
        elif data is None:
            self.reply(404, b"", with_body)
        elif asked := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")):
            first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
            part = data[first : last + 1]
            self.reply(206, part, with_body, {"Content-Range": f"bytes {first}-{last}/{len(data)}"})
        else:
            self.reply(200, data, with_body)

    def reply(self, code, data, with_body, headers={}):
        self.send_response(code)
        told = {"Content-Length": str(len(data)), "ETag": '"1"', "Last-Modified": "Thu, 26 Nov 2026 00:00:00 GMT"}
        for name, value in {**told, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def web():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.data, server.requests, server.failed = {}, 0, 0
    server.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def test_lists_name_files_of_an_http_server_which_fails_now_and_then(web, command, tmp_path):
    made = pages(600)
    for number in range(3):
        web.data[f"/crawl/{number}.jsonl.gz"] = gzip.compress(lines(made[number * 200 : number * 200 + 200]))
    web.data["/paths.gz"] = gzip.compress(b"".join(f"crawl/{number}.jsonl.gz\n".encode() for number in range(3)))
    (tmp_path / "list.txt").write_bytes(gzip.decompress(web.data["/paths.gz"]))
    command("create", "listed")
    command("load", "listed", "--from-list", f"{web.address}/paths.gz")
    command("create", "based")
    command("load", "based", "--from-list", "list.txt", "--base", web.address)
    assert stored(command, "listed") == stored(command, "based")
    assert len(stored(command, "listed")) == 600
    assert web.failed > 2, "some were tried again"
    assert "no such file" in command.refused("load", "based", f"{web.address}/crawl/9.jsonl.gz")
    first = f"{web.address}/crawl/0.jsonl.gz"
    assert "cannot be written" in command.refused("dedup", first, "-o", f"{web.address}/kept.jsonl")


def test_what_is_not_there_is_told(bucket, command):
    command("create", "db")
    assert "no such object" in command.refused("load", "db", f"{bucket.uri}/none.jsonl")
    assert "no such object" in command.refused("load", "db", f"{bucket.uri}/none")
    assert "bucket must be named" in command.refused("load", "db", "s3://")
    # An unknown scheme is no path.
    assert "no address that is read" in command.refused("load", "db", "hdfs://namenode/a.jsonl")
