"""Reading: what is found is what the command finds, in every process."""

import multiprocessing
import pickle

import pytest

import nddb


def test_a_reader_says_what_the_command_says(crawl, command):
    db = nddb.open(crawl)
    stats = db.stats()
    assert set(stats.pop("work").values()) == {0}, "nothing was asked yet"
    assert stats == command.lines("stats", crawl, "--json")[0]
    db.probe(0xFF, 8), db.nearest(0xFF, 3, 8)
    work = db.stats()["work"]
    assert work["queries"] >= 2 and work["probes"] >= work["excluded"] and work["bytes"] == 1024 * work["blocks"]
    for id in ["page-1", "page-9", "page-1499"]:
        assert db.get(id) == command.lines("get", crawl, id)[0]
    assert db.get("page-0") is None and "page-0" not in db and "page-1" in db
    assert len(db) == db.stats()["documents"] == 1481


def test_a_probe_finds_what_the_command_finds(crawl, command):
    db = nddb.open(crawl)
    prints = [db.get(f"page-{number}")["fp"] for number in (1, 9, 700, 1200)]
    lines = command.lines("query", crawl, "--fp", *prints, "-k", "2")
    for print_, line in zip(prints, lines, strict=True):
        found = [
            {"id": m.id, "fp": f"{m.fingerprint:016x}", "distance": m.distance, "url": m.url, "site": m.site}
            for m in db.probe(print_, k=2)
        ]
        assert found == line["matches"]
    bits = int(prints[0], 16)
    signed = bits - (1 << 64) if bits >> 63 else bits
    assert db.probe(bits) == db.probe(signed) == db.probe(prints[0])
    assert len(db.probe(bits, limit=1)) == 1


def test_the_nearest_and_those_beyond_k_are_what_the_command_finds(crawl, command):
    db = nddb.open(crawl)
    lines = lambda matches: [(m.distance, m.id) for m in matches]
    for number in (1, 9, 700, 1200):
        print_ = int(db.get(f"page-{number}")["fp"], 16) ^ 0x10001
        for n, k in [(1, 16), (10, 12), (3, 2)]:
            (line,) = command.lines("query", crawl, "--fp", f"{print_:016x}", "--nearest", n, "-k", k)
            found = lines(db.nearest(print_, n, k))
            assert found == [(m["distance"], m["id"]) for m in line["matches"]] and line["count"] == len(found) <= n
            distances = [distance for distance, _ in lines(db.probe(print_, k))]
            assert [distance for distance, _ in found] == distances[:n]
            assert lines(nddb.Federation([crawl]).nearest(print_, n, k)) == found
        assert {row["id"] for row in db.probe_batch(memoryview(bytes(8)).cast("Q"), k=16)} == {
            m.id for m in db.probe(0, k=16)
        }


def test_a_query_finds_what_the_command_finds(crawl, table, command, tmp_path):
    db = nddb.open(crawl)
    keys = ["b_sim", "c_sim", "agreement", "probability", "resemblance", "lcs", "same_site", "same_heading"]

    def line(answer):
        matches = [
            {"id": m.id, "distance": m.distance, "url": m.url, "site": m.site, "rule": m.rule}
            | {key: m.scores[key] for key in keys}
            for m in answer
        ]
        return answer.method, answer.count, answer.complete, matches

    def expected(line):
        # The command prints losses, too.
        fields = ["id", "distance", "url", "site", "rule", *keys]
        matches = [{key: match[key] for key in fields} for match in line["matches"]]
        return line["method"], line["count"], line["complete"], matches

    found = 0
    for number in range(100, 130):
        page = table.slice(number, 1).to_pylist()[0]
        file = tmp_path / "page.txt"
        file.write_text(page["text"])
        for options, more in [
            ({}, []),
            ({"method": "min-hash"}, ["--method", "min-hash"]),
            ({"k": 3}, ["-k", "3", "--method", "hamming"]),
        ]:
            said = command.lines("query", crawl, "--text", file, "--url", page["url"], *more)[0]
            answer = db.query(text=page["text"], url=page["url"], **options)
            assert line(answer) == expected(said)
            found += len(answer)
        said = command.lines("query", crawl, "--id", page["id"])[0]
        assert line(db.query(id=page["id"])) == expected(said)
    assert found > 60, "there is something to compare"


def test_errors_have_classes_of_their_own(crawl, tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        nddb.open(tmp_path / "nothing")
    assert isinstance(raised.value, nddb.NotADatabase)
    assert f"nddb.Writer({str(tmp_path / 'nothing')!r}, create=nddb.Config())" in raised.value.hint
    assert raised.value.__notes__ == [f"hint: {raised.value.hint}"]
    db = nddb.open(crawl)
    for wrong in [lambda: db.probe(1, k=17), lambda: db.probe_batch(memoryview(b"").cast("Q"), k=17)]:
        with pytest.raises(ValueError) as raised:
            wrong()
        assert isinstance(raised.value, nddb.OutOfRange)
    for error, wrong in [
        (KeyError, lambda: db.query(id="nothing")),
        (KeyError, lambda: db.why("page-1", "nothing")),
        (ValueError, lambda: db.query()),
        (ValueError, lambda: db.query(text="a", id="b")),
        (ValueError, lambda: db.query(text="a", method="nonsense")),
        (ValueError, lambda: db.query(text="a", k=1, method="b")),
        (nddb.UnusableMethod, lambda: db.query(text="a", method="c")),
        (ValueError, lambda: db.pairs(verify="nonsense")),
        (ValueError, lambda: db.clusters(keep=["nonsense"])),
        (ValueError, lambda: db.clusters(level="nonsense")),
        (ValueError, lambda: db.probe("ff")),
        (OverflowError, lambda: db.probe(1 << 64)),
        (nddb.RecipeError, lambda: nddb.Recipe("nonsense")),
        (nddb.OutOfRange, lambda: nddb.Config(k=99)),
        (nddb.AlreadyExists, lambda: nddb.Writer(crawl, create=nddb.Config())),
        (nddb.ArchiveError, lambda: nddb.Writer(crawl).load(tmp_path / "nothing.warc")),
    ]:
        with pytest.raises(error):
            wrong()


def test_results_are_pickled_and_compared_by_their_fields(crawl, table):
    db = nddb.open(crawl)
    text = next(page["text"] for page in table.to_pylist() if page["id"] == "page-1")
    answer = db.query(text=text)
    match = db.probe(db.get("page-1")["fp"])[0]
    config = nddb.Config(k=2, recipe="web", bits=48)
    assert answer.count and len(answer) == answer.count
    for one in (answer, answer[0], match, config):
        again = pickle.loads(pickle.dumps(one))
        assert again is not one and again == one and repr(again) == repr(one)
    assert answer[0].distance == pickle.loads(pickle.dumps(answer[0])).distance is not None
    assert config != nddb.Config() and hash(nddb.Config()) == hash(nddb.Config()) and nddb.Config() == nddb.Config()
    assert nddb.Match("a", 1, 2) != nddb.Match("a", 1, 3) and answer != nddb.Answer([], "model", 0, True)


def test_a_verdict_is_pickled(tmp_path):
    with nddb.Writer(tmp_path / "a.nddb", create=nddb.Config()) as writer:
        new = writer.add_if_new("a", text="an apple and a pear and a plum")
        duplicate = writer.add_if_new("b", text="an apple and a pear and a plum")
    for verdict in (new, duplicate):
        again = pickle.loads(pickle.dumps(verdict))
        assert again == verdict and again.is_duplicate == verdict.is_duplicate
    assert new != duplicate and duplicate.probability == pickle.loads(pickle.dumps(duplicate)).probability == 1


def test_an_exception_can_be_pickled():
    error = nddb.NotADatabase("message")
    error.hint = "a hint"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is nddb.NotADatabase and again.hint == "a hint" and str(again) == "message"


def test_a_reader_sees_what_is_committed_when_it_refreshes(tmp_path):
    path = tmp_path / "a.nddb"
    with nddb.Writer(path, create=nddb.Config()) as writer:
        writer.add("a", text="one two three four")
        db = nddb.open(path)
        assert len(db) == 0 and not db.refresh()
        writer.commit()
        old = iter(db.pairs())
        assert len(db) == 0
        assert db.refresh() and len(db) == 1 and not db.refresh()
        assert list(old) == []


def ask(db):
    """What a child process does."""
    return [match.id for match in db.probe(db.get("page-1")["fp"])], db.refresh(), len(list(db.pairs()))


def test_a_reader_works_in_children_of_every_start_method(crawl):
    db = nddb.open(crawl)
    expected = ask(db)
    for method in ["fork", "spawn", "forkserver"]:
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(ask, [db] * 4) == [expected] * 4, method


def test_a_forked_child_reopens_the_reader_it_inherits(crawl):
    db = nddb.open(crawl)
    rows = iter(db.pairs())
    next(rows)
    stream = db.pairs()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def child():
        what = []
        for inherited in (rows, stream):
            try:
                list(inherited)
            except ValueError as error:
                what.append(str(error))
        answers.put((ask(db), what))

    process = context.Process(target=child)
    process.start()
    answer, what = answers.get(timeout=60)
    process.join(timeout=60)
    assert process.exitcode == 0
    assert answer == ask(db)
    assert len(what) == 2 and all("another process" in message for message in what)
    assert len(list(rows)) == len(list(db.pairs())) - 1


def test_keep_takes_what_the_command_takes(tmp_path):
    with nddb.Writer(tmp_path / "kept.nddb", create=nddb.Config()) as writer:
        text = " ".join(f"word{number}" for number in range(80))
        writer.add("short", text=text)
        writer.add("long", text=text + " and more")
        writer.commit()
    reader = nddb.open(tmp_path / "kept.nddb")
    kept = {row["id"]: row["verdict"] for row in reader.clusters(keep="longest,id")}
    assert kept == {"short": "remove", "long": "keep"}
    assert list(reader.clusters(keep=["longest", "id"])) == list(reader.clusters(keep="longest,id"))
    with pytest.raises(ValueError, match="nonsense"):
        reader.clusters(keep="nonsense")
