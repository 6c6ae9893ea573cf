"""A search made of the functions of `nddb.tables`, with dictionaries for an engine that sorts and joins."""

import itertools

import pyarrow

from nddb import tables


def rows(stream):
    return pyarrow.table(stream).to_pylist()


def sketches(paths, **options):
    """The documents of archives by number, the last of each id."""
    made = {}
    for archive, path in enumerate(paths):
        for index, row in enumerate(rows(tables.sketch_archive(path, archive=archive, **options))):
            made[archive << 32 | index] = row | {"number": archive << 32 | index, "archive": str(path)}
    last = {row["id"]: number for number, row in made.items()}
    return {number: row for number, row in made.items() if last[row["id"]] == number}


def first_by(values):
    """The least number of each value."""
    first = {}
    for number, value in sorted(values):
        first.setdefault(value, number)
    return first


def search(documents, method=None, k=3, groups=None, group_limit=1000):
    """Leaders, and the near-duplicates among them: (older, newer) -> what was decided and whether `pairs` lists it."""
    sketched = pyarrow.table({
        "number": list(documents), "sketch": [row["sketch"] for row in documents.values()]
    })
    hamming = (method or tables.default_method()) == "hamming"
    options = {"method": method, "k": k}
    joined_by = tables.properties(sketched, **options, groups=groups if hamming else None)
    known = {row["number"]: row for row in rows(joined_by)}
    assert list(known) == sorted(documents)
    texts = first_by((n, row["text"]) for n, row in known.items() if row["text"])
    represents = {n: texts.get(row["text"], n) for n, row in known.items()}
    own = [n for n in known if represents[n] == n]
    classes = first_by((n, known[n]["class"]) for n in own if known[n]["class"])
    leads = {n: classes.get(known[represents[n]]["class"], represents[n]) for n in known}
    leaders = [n for n in sorted(known) if leads[n] == n]
    found = {}
    if not hamming:
        lists = {}
        for n in leaders:
            for key in set(known[n]["keys"]):
                lists.setdefault(key, []).append(n)
        cut = [key for key, list in lists.items() if len(list) > group_limit]
        shared = {n: sorted(key for key in set(known[n]["keys"]) if len(lists[key]) > 1) for n in leaders}
        given = [(key, n, shared[n]) for key, list in sorted(lists.items()) if len(list) > 1 for n in list]
        postings = pyarrow.table({
            "key": pyarrow.array([row[0] for row in given], pyarrow.int64()),
            "number": pyarrow.array([row[1] for row in given], pyarrow.int64()),
            "keys": pyarrow.array([row[2] for row in given], pyarrow.list_(pyarrow.int64())),
        })
        cut = pyarrow.array(cut, pyarrow.int64())
        for row in rows(tables.pairs_by_key(postings, cut=cut, group_limit=group_limit)):
            pair = row["older"], row["newer"]
            found[pair] = found.get(pair, False) or row["listed"]
    lacking = {n: known[n]["lacks"] for n in leaders}
    if hamming or any(lacking.values()):
        of = known
        if not hamming:
            of = {row["number"]: row for row in rows(tables.properties(sketched, **options, groups=groups))}
        given = sorted(
            (key, n, of[n]["fp"], hamming or lacking[n])
            for n in leaders if of[n]["fp"] is not None
            for key in of[n]["keys"]
        )
        columns = list(zip(*given)) or [[]] * 4
        postings = pyarrow.table({
            **{name: pyarrow.array(values, pyarrow.int64()) for name, values in zip(["key", "number", "fp"], columns)},
            "wanted": pyarrow.array(columns[3], pyarrow.bool_()),
        })
        near = rows(tables.pairs_by_fingerprint(postings, k=k, groups=groups))
        assert len({(row["older"], row["newer"]) for row in near}) == len(near), "each pair once"
        found.update({(row["older"], row["newer"]): True for row in near})
    decided = decide(documents, sorted(found), method, k)
    near = {
        pair: row | {"listed": found[pair]} for pair, row in zip(sorted(found), decided) if row["near"]
    }
    return known, represents, leads, near


def decide(documents, pairs, method, k):
    """What is decided of pairs of numbers."""
    if not pairs:
        return []
    a, b = (pyarrow.table({"sketch": [documents[pair[side]]["sketch"] for pair in pairs]}) for side in (0, 1))
    return rows(tables.decide(a, b, method or tables.default_method(), k=k, or_hamming=method is None))


def pairs(documents, method=None, k=3, groups=None, group_limit=1000):
    """The pairs and groups as `Reader.pairs` gives them."""
    known, represents, leads, near = search(documents, method, k, groups, group_limit)
    made = []
    own = [n for n in known if represents[n] == n]
    empty = [n for n in sorted(known) if known[n]["empty"]]
    kinds = [
        ("identity", [(represents[n], n) for n in known]),
        ("hot", [(leads[n], n) for n in own]),
        ("empty", [(empty[0], n) for n in empty]),
    ]
    for order, (kind, rows_of) in enumerate(kinds):
        for founder, members in itertools.groupby(sorted(rows_of), key=lambda row: row[0]):
            members = [member for _, member in members]
            flagged, first = len(members) > group_limit, documents[founder]["id"].encode()
            others = [n for n in members if n != founder]
            made += [((order, first, documents[n]["id"].encode()), kind, flagged) for n in others]
    for (older, newer), row in near.items():
        if row["listed"]:
            ids = sorted(documents[n]["id"].encode() for n in (older, newer))
            made.append(((3, *ids), row["rule"], row["distance"], row["probability"], row["agreement"]))
    return sorted(made, key=lambda row: row[0])


def clusters(documents, method=None, k=3, groups=None, group_limit=1000, **options):
    """The members of clusters as `Reader.clusters` gives them."""
    known, represents, leads, near = search(documents, method, k, groups, group_limit)
    ordered = sorted((newer, older, row["nearness"]) for (older, newer), row in near.items())
    names = ["newer", "older", "nearness"]
    given = pyarrow.table([pyarrow.array(column, pyarrow.int64()) for column in zip(*ordered)] or [[]] * 3, names=names)
    joined = {row["number"]: row["founder"] for row in rows(tables.stars(given))}
    given = [
        (leads[n], n, None, joined[leads[n]]) for n in known if leads[n] != n and leads[n] in joined
    ]
    waiting = {row[0] for row in given}
    for (older, newer), row in near.items():
        for leader, other in ((older, newer), (newer, older)):
            if leader in waiting and other not in joined:
                given.append((leader, other, row["nearness"], None))
    given.sort(key=lambda row: row[:2])
    names = ["leader", "number", "nearness", "joined"]
    columns = list(zip(*given)) or [[]] * 4
    chosen = {
        row["number"]: row["founder"]
        for row in rows(tables.choose(pyarrow.table([pyarrow.array(c, pyarrow.int64()) for c in columns], names=names)))
    }
    apart = {}
    decided = decide(documents, [(founder, n) for n, founder in chosen.items()], method, k)
    for (n, _), row in sorted(zip(chosen.items(), decided), key=lambda one: one[0][0]):
        if row["near"] is False:
            apart[n] = apart.setdefault(("first", leads[n]), n)
    empty = [n for n in sorted(known) if known[n]["empty"]]
    founder = {
        n: empty[0] if known[n]["empty"] else apart.get(n, chosen.get(n, joined.get(n, leads[n]))) for n in known
    }
    table = pyarrow.table({
        "number": list(founder),
        "founder": list(founder.values()),
        "sketch": [documents[n]["sketch"] for n in founder],
        "deleted": [documents[n].get("deleted", False) for n in founder],
        "archive": [documents[n].get("archive") for n in founder],
    })
    return pyarrow.table(tables.members(table, method, k=k, group_limit=group_limit, **options))
