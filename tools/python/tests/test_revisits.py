"""`nddb revisits`: what other tools for web archives read of the archives that it writes."""

import gzip
import io
import shutil

import pytest
from conftest import FOX, WORDS

warcio = pytest.importorskip("warcio", reason="warcio is not installed")

from warcio.archiveiterator import ArchiveIterator  # noqa: E402
from warcio.checker import Checker  # noqa: E402
from warcio.recompressor import Recompressor  # noqa: E402
from warcio.statusandheaders import StatusAndHeaders  # noqa: E402
from warcio.warcwriter import WARCWriter  # noqa: E402

URLS = ["https://example.org/", "http://www.example.org:8080/A/b/../c/?z=1&B=2#top", "http://example.org/%C3%A9?é=ü"]


def crawl(path, version):
    """Writes an archive: pages, of which some repeat, with requests, an image, a resource and a redirect."""
    bodies = [f"<title>{word}</title><p>{word} {FOX}</p>" for word in WORDS[:3]]
    with open(path, "wb") as file:
        writer = WARCWriter(file, gzip=path.suffix == ".gz", warc_version=version)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "a test"}))

        def capture(url, body, kind="text/html; charset=utf-8", status="200 OK", day=1):
            headers = StatusAndHeaders(status, [("Content-Type", kind), ("Via", "1.1 test")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", payload=io.BytesIO(body.encode()), http_headers=headers,
                warc_headers_dict={"WARC-Date": f"2025-01-{day:02}T01:02:03Z"},
            )
            request = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
            writer.write_request_response_pair(
                writer.create_warc_record(url, "request", http_headers=request, payload=io.BytesIO(b"")), record
            )

        for day in (1, 2, 3):
            for url, body in zip(URLS, bodies, strict=True):
                capture(url, body, day=day)
        capture("http://example.org/changed", bodies[0] + "<!-- other bytes -->", day=4)
        capture("http://example.org/image", "an image", kind="image/png")
        capture("http://example.org/moved", "", status="301 Moved")
        writer.write_record(writer.create_warc_record(
            "http://example.org/file", "resource", payload=io.BytesIO(b"words of a file"),
            warc_content_type="text/plain",
        ))


def records(path):
    with open(path, "rb") as file:
        return [
            (record.rec_type, record.rec_headers, record.http_headers, record.raw_stream.read())
            for record in ArchiveIterator(file)
        ]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("name", ["crawl.warc.gz", "crawl.warc"])
def test_archives_are_sound_for_other_tools(tmp_path, command, name, version):
    before, after = tmp_path / name, tmp_path / "out" / name
    crawl(before, version)
    command("create", "db")
    command("load", "db", before)
    (done,) = command.lines("revisits", "db", before, "-o", "out/", "--json")
    assert (done["identical"], done["near"]) == (6, 0)
    assert done["bytes_saved"] == before.stat().st_size - after.stat().st_size > 0

    assert Checker(type("Options", (), {"inputs": [str(after)], "verbose": False})).process_all() == 0
    pairs = list(zip(records(before), records(after), strict=True))
    changed = [(old, new) for old, new in pairs if old[0] != new[0]]
    assert len(changed) == 6
    for old, new in pairs:
        if (old, new) not in changed:
            assert (old[1].headers, old[3]) == (new[1].headers, new[3])
    for (_, old, old_http, _), (kind, new, http, payload) in changed:
        assert (kind, payload) == ("revisit", b"")
        assert http.headers == old_http.headers and http.statusline == old_http.statusline
        assert new.get_header("WARC-Refers-To-Date") == "2025-01-01T01:02:03Z"
        assert new.get_header("WARC-Refers-To-Target-URI") == old.get_header("WARC-Target-URI")
        assert new.get_header("WARC-Payload-Digest") == old.get_header("WARC-Payload-Digest")
        profile = f"http://netpreserve.org/warc/{version}/revisit/identical-payload-digest"
        assert new.get_header("WARC-Profile") == profile


def test_what_warcio_recompresses_is_done(tmp_path, command):
    crawl(tmp_path / "crawl.warc", "1.1")
    whole = tmp_path / "whole.warc.gz"
    with open(tmp_path / "crawl.warc", "rb") as plain, gzip.open(whole, "wb") as packed:
        shutil.copyfileobj(plain, packed)
    command("create", "db")
    command("load", "db", whole)
    command("revisits", "db", whole, "-o", "out.warc.gz", code=1)
    Recompressor(str(whole), str(tmp_path / "each.warc.gz")).recompress()
    command("create", "again")
    command("load", "again", "each.warc.gz")
    (done,) = command.lines("revisits", "again", "each.warc.gz", "-o", "out.warc.gz", "--json")
    assert done["identical"] == 6
