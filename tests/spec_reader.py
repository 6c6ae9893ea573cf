#!/usr/bin/env python3
"""An independent reader of nddb files, written from SPEC.md alone; standard library only.

    spec_reader.py FILE...           one line of JSON for each file, as `nddb-lab segment FILE --json` prints
    spec_reader.py --database DIR    checks all files that DIR/MANIFEST names and the rules between them, and
                                     prints one line of JSON
    spec_reader.py --within K FP DIR
                                     compares FP (hexadecimal) with every fingerprint of the runs, and prints
                                     {"number", "fp", "distance"} for each document within K bits

The exit code is 0, or 1 if a file breaks a rule: `FILE: section: what is wrong` on stderr.

The JSON of a file. Numbers are numbers; fingerprints and identities are 16 hexadecimal digits, digests 32,
checksums 8. The keys stand in this order.

segment
    kind            "segment"
    format, reader_min, bits, k, table, prefix
    groups          [[low, width], ...], most significant first
    block_size, restart, count, digest
    code_lengths    [length of the word of h = 0, 1, ..., bits - 1]
    identity
    prefixes        only of a segment with a filter
    blocks          [{"count", "restarts", "first", "key"}, ...]; first and key are permuted
    fingerprints    unpermuted, in the order of the table

postings
    kind            "postings"
    format, reader_min, block_size, restart, low, high, fingerprints, documents, blocks, sparse_groups,
    set_digest, pair_digest, identity
    ranks           [rank of the first entry of each block of table 0]
    lists           [[document numbers of the fingerprint of rank 0], ...]

manifest
    kind            "manifest"
    format, reader_min, bits, k, generation, complete, commits, next_file, catalog
    deleted         a file, or null
    folded, purged
    runs            [{"low", "high", "fingerprints", "documents", "set_digest", "restart", "levels": [...],
                      "rewrites", "postings": file, "keys": key table or null, "summaries": file or null,
                      "segments": [file, ...]}, ...]
    where a file is {"number", "length", "identity", "checksum"} and a key table
    {"keys", "pairs", "set_digest", "postings": file, "segment": file}

deleted set
    kind            "deleted set"
    format, reader_min, count
    numbers         [document numbers], ascending

summaries
    kind            "summaries"
    format, reader_min, low, high, documents, size, digest, identity
    summaries       [{"number", "fingerprint", "id", ...}, ...], ascending; then those that a summary has of "url",
                    "site", "without_terms" (true), "digest", "min_bytes", "supershingles", "projection",
                    "profile", "tokens". Words of 64 bits are lists of 16 hexadecimal digits each; digest, min_bytes
                    and profile are bytes, two digits each, the profile padded to 303
"""

import json
import os
import re
import sys
import zlib
from itertools import combinations

ONES = (1 << 64) - 1


class Broken(Exception):
    """A rule of SPEC.md is broken."""


def need(holds, section, what):
    if not holds:
        raise Broken(f"SPEC {section}: {what}")


# 3 Conventions


def number(data, offset, size):
    need(offset >= 0 and offset + size <= len(data), "3.1", "the file is cut off")
    return int.from_bytes(data[offset : offset + size], "little")


def zero(data, start, end, section):
    need(not any(data[start:end]), section, f"bytes {start} to {end} are reserved and not zero")


def magic(letter):
    return b"\x89nddb" + letter + b"\r\n"


def start(data, letter, size, section):
    need(data[:8] == magic(letter), section, "the file begins with another magic")
    need(len(data) >= size, section, "the file is cut off")
    version, reader_min = number(data, 8, 2), number(data, 10, 2)
    need(1 <= reader_min <= version, "11", "reader_min is 1 to format")
    need(reader_min <= 1, "11", f"the file needs a reader of version {reader_min}")
    return {"format": version, "reader_min": reader_min}


def bits_of(data):
    """A bit stream as one integer: bit i of the stream is bit i of the integer."""
    return int.from_bytes(data, "little")


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ONES
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ONES
    return z ^ (z >> 31)


def hash128(value, salt):
    low = mix(((value + 0x9E3779B97F4A7C15) & ONES) ^ salt)
    turned = ((value << 32) | (value >> 32)) & ONES
    return mix(low ^ turned ^ 0x6A09E667F3BCC908) << 64 | low


def set_digest(values):
    return sum(hash128(value, 0) for value in values) % (1 << 128)


def pair_digest(pairs):
    total = 0
    for value, document in pairs:
        total += hash128(value, mix((document + 0x6A09E667F3BCC908) & ONES))
    return total % (1 << 128)


def identity(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x00000100000001B3) & ONES
    return mix(h)


def seeded(file_identity, index, data):
    return zlib.crc32(data, zlib.crc32(file_identity.to_bytes(8, "little") + index.to_bytes(8, "little")))


def pages(region, checksums, file_identity, section, first=0):
    for index in range(-(-len(region) // 4096)):
        page, at = region[4096 * index : 4096 * (index + 1)], first + index
        need(number(checksums, 4 * at, 4) == seeded(file_identity, at, page), section, f"checksum of page {at}")


def crc_before(data, offset, section, what):
    need(number(data, offset, 4) == zlib.crc32(data[:offset]), section, f"checksum of the {what}")


# 4 Permutations and schemes


class Table:
    def __init__(self, bits, prefix, groups):
        self.bits, self.prefix, self.groups = bits, prefix, groups

    def permute(self, value):
        result = 0
        for low, width in self.groups:
            result = (result << width) | ((value >> low) & ((1 << width) - 1))
        return result

    def unpermute(self, permuted):
        value = 0
        for low, width in reversed(self.groups):
            value |= (permuted & ((1 << width) - 1)) << low
            permuted >>= width
        return value


def join(positions):
    groups = []
    for position in positions:
        if groups and groups[-1][0] == position + 1:
            groups[-1] = [position, groups[-1][1] + 1]
        else:
            groups.append([position, 1])
    return groups


def scheme(bits, k, levels):
    need(8 <= bits <= 64 and k <= 7 and k < bits and len(levels) <= 4, "4.3", "bits, k or levels")
    parts = [([], list(range(bits - 1, -1, -1)))]
    for groups in levels:
        following = []
        for chosen, rest in parts:
            need(k < groups <= len(rest), "4.3", "a level has more than k groups and no more than bits are left")
            width, wider = divmod(len(rest), groups)
            cut, cuts = 0, []
            for group in range(groups):
                end = cut + width + (1 if group < wider else 0)
                cuts.append(rest[cut:end])
                cut = end
            for choice in combinations(range(groups), groups - k):
                taken = [position for group in choice for position in cuts[group]]
                left = [position for group in range(groups) if group not in choice for position in cuts[group]]
                following.append((chosen + taken, left))
                need(len(following) <= 512, "4.3", "a scheme has at most 512 tables")
        parts = following
    return [Table(bits, len(chosen), join(chosen + rest)) for chosen, rest in parts]


# 5 Block


def code_words(lengths):
    """From (length, word read with its first bit highest) to h."""
    need(sum(1 << (12 - length) for length in lengths) == 4096, "5.2", "the code is not complete")
    words, word, before = {}, 0, 0
    for length, h in sorted((length, h) for h, length in enumerate(lengths)):
        word <<= length - before
        words[length, word] = h
        word, before = word + 1, length
    return words


def block(data, index, file_identity, words, bits, interval):
    need(number(data, 0, 4) == seeded(file_identity, index, data[4:]), "5.1", f"checksum of block {index}")
    count, restarts, first = number(data, 4, 2), number(data, 6, 2), number(data, 8, 8)
    need(1 <= count <= 8065, "5.1", f"count of block {index}")
    need(restarts == ((count - 1) // interval if interval else 0), "5.1", f"restarts of block {index}")
    head = 16 + 2 * restarts
    need(head <= 1024, "5.1", f"restarts of block {index} do not fit")
    need(first >> bits == 0, "3.1", f"the first fingerprint of block {index} is too wide")
    offsets = [number(data, 16 + 2 * restart, 2) for restart in range(restarts)]
    stream, end = bits_of(data[head:]), 8 * (1024 - head)
    position, values = 0, [first]
    for entry in range(1, count):
        base = values[-1]
        if interval and entry % interval == 0:
            need(offsets[entry // interval - 1] == position, "5.4", f"restart offset in block {index}")
            base = first
        word = 0
        for length in range(1, 13):
            word = word << 1 | (stream >> position & 1)
            position += 1
            if (length, word) in words:
                break
        h = words[length, word]
        value = base ^ (1 << h | (stream >> position) & ((1 << h) - 1))
        position += h
        need(value > values[-1], "5.4", f"entry {entry} of block {index} does not ascend")
        need(position <= end, "5.4", f"the stream of block {index} runs over its end")
        values.append(value)
    need(stream >> position == 0, "5.4", f"bits after the stream of block {index}")
    return {"count": count, "restarts": restarts, "first": f"{first:016x}", "key": f"{values[-1]:016x}"}, values


# 6 Segment


def filter_of(bits, k, prefix, prefixes):
    if prefix == 0 and k > 0:
        return None, 0
    possible = 1 << (prefix or bits)
    if prefixes < 1024 or 2 * prefixes > possible:
        return None, 0
    bitmap = possible <= 16 * prefixes
    size = possible // 8 if bitmap else -(-10 * prefixes // 256) * 32
    return (None, 0) if size > 1 << 27 else ("bitmap" if bitmap else "Bloom", size)


def made_filter(kind, size, prefixes):
    made = bytearray(size)
    for prefix in prefixes:
        if kind == "bitmap":
            made[prefix // 8] |= 1 << prefix % 8
            continue
        hashed = mix(prefix)
        block = 32 * ((hashed >> 32) * (size // 32) >> 32)
        for word in range(8):
            bit = (hashed >> 5 * word) % 32
            made[block + 4 * word + bit // 8] |= 1 << bit % 8
    return bytes(made)


def segment(data):
    out = {"kind": "segment", **start(data, b"S", 1024 + 32, "6.1")}
    crc_before(data[:1024], 1020, "6.1", "header")
    bits, k, prefix = data[12], data[13], data[16]
    groups = [[data[48 + 2 * group], data[49 + 2 * group]] for group in range(data[17])]
    need(8 <= bits <= 64 and k <= 7 and k < bits and prefix <= bits, "6.1", "bits, k or prefix")
    need(number(data, 14, 2) < 512, "6.1", "table")
    need(1 <= len(groups) <= 64, "6.1", "groups")
    zero(data, 22, 24, "6.1")
    zero(data, 48 + 2 * len(groups), 176, "6.1")
    zero(data, 176 + bits, 240, "6.1")
    zero(data, 256, 1020, "6.1")
    positions = [position for low, width in groups for position in range(low + width - 1, low - 1, -1)]
    need(sorted(positions) == list(range(bits)), "4.1", "the groups hold each position once")
    need(all(width for _, width in groups) and join(positions) == groups, "4.1", "the groups are joined")
    interval, count = number(data, 20, 2), number(data, 24, 8)
    need(interval == 0 or 2 <= interval <= 4096, "6.1", "restart")
    need(number(data, 18, 2) == 1024, "6.1", "block_size")
    need(count >= 1, "6.1", "count")
    lengths = list(data[176 : 176 + bits])
    need(all(1 <= length <= 12 for length in lengths), "5.2", "code lengths")
    own = number(data, 240, 8)
    need(own == identity(data[:240]), "6.1", "identity")
    footer = data[-32:]
    need(footer[:8] == magic(b"E"), "6.4", "magic of the footer")
    crc_before(footer, 28, "6.4", "footer")
    need(number(footer, 16, 8) == own, "6.4", "identity of the footer")
    blocks, prefixes = number(footer, 8, 8), number(data, 248, 8)
    kind, size = filter_of(bits, k, prefix, prefixes)
    need((kind is None) == (prefixes == 0), "6.6", "a filter for so many prefixes")
    need(prefixes <= count, "6.1", "prefixes")
    index_pages = -(-blocks // 512)
    rest = size + 4 * index_pages + 4 * -(-size // 4096) + 32
    need(len(data) == 1024 + 1032 * blocks + rest, "6", "size of the file")
    need(1 <= blocks <= count, "6.4", "blocks")
    at = 1024 + 1024 * blocks
    bits_of_filter, index = data[at : at + size], data[at + size : at + size + 8 * blocks]
    checksums = data[at + size + 8 * blocks : -32]
    need(number(footer, 24, 4) == zlib.crc32(checksums), "6.4", "index_checksum")
    pages(index, checksums, own, "6.3")
    pages(bits_of_filter, checksums, own, "6.3", index_pages)

    table, words = Table(bits, prefix, groups), code_words(lengths)
    heads, permuted = [], []
    for ordinal in range(blocks):
        body = data[1024 + 1024 * ordinal : 2048 + 1024 * ordinal]
        head, values = block(body, ordinal, own, words, bits, interval)
        need(values[-1] == number(index, 8 * ordinal, 8), "6.3", f"key of block {ordinal}")
        need(not permuted or values[0] > permuted[-1], "6.2", f"block {ordinal} does not ascend")
        heads.append(head)
        permuted += values
    prints = [table.unpermute(value) for value in permuted]
    digest = number(data, 32, 16)
    need(len(prints) == count, "6.1", "count is not the number of fingerprints")
    need(set_digest(prints) == digest, "6.1", "digest is not that of the fingerprints")
    need(all(table.permute(value) == order for value, order in zip(prints, permuted)), "4.2", "permutation")
    if kind:
        different = sorted({value >> (bits - (prefix or bits)) for value in permuted})
        need(len(different) == prefixes, "6.6", "prefixes is not the number of different ones")
        need(made_filter(kind, size, different) == bits_of_filter, "6.6", "the filter is not that of the fingerprints")
    out.update(bits=bits, k=k, table=number(data, 14, 2), prefix=prefix, groups=groups, block_size=1024)
    out.update(restart=interval, count=count, digest=f"{digest:032x}", code_lengths=lengths)
    out.update(identity=f"{own:016x}", **({"prefixes": prefixes} if prefixes else {}))
    out.update(blocks=heads, fingerprints=[f"{value:016x}" for value in prints])
    return out


# 7 Postings


def postings(data):
    out = {"kind": "postings", **start(data, b"P", 256 + 24, "7.1")}
    crc_before(data[:256], 252, "7.1", "header")
    zero(data, 104, 252, "7.1")
    names = ["low", "high", "fingerprints", "documents", "blocks", "sparse_groups"]
    low, high, prints, documents, blocks, sparse = (number(data, 16 + 8 * at, 8) for at in range(6))
    own, interval = number(data, 96, 8), number(data, 14, 2)
    need(number(data, 12, 2) == 1024, "7.1", "block_size")
    need(interval == 0 or 2 <= interval <= 4096, "7.1", "restart")
    need(own == identity(data[:96]), "7.1", "identity")
    need(low < high <= 1 << 40, "7.1", "number range")
    need(1 <= prints <= documents <= min((high - low) * prints, 1 << 48), "7.1", "fingerprints and documents")
    need(1 <= blocks <= prints, "7.1", "blocks")
    several, width = documents != prints, (high - low - 1).bit_length()
    sizes = [
        8 * blocks,
        8 * -(-documents * width // 64),
        8 * -(-documents // 64) if several else 0,
        8 * -(-prints // 64) if several else 0,
        512 * sparse,
    ]
    body = sum(sizes)
    need(len(data) == 256 + body + 4 * -(-body // 4096) + 24, "7.2", "size of the file")
    footer = data[-24:]
    need(footer[:8] == magic(b"Q"), "7.4", "magic of the footer")
    crc_before(footer, 20, "7.4", "footer")
    need(number(footer, 8, 8) == own, "7.4", "identity of the footer")
    checksums = data[256 + body : -24]
    need(number(footer, 16, 4) == zlib.crc32(checksums), "7.4", "pages_checksum")
    pages(data[256 : 256 + body], checksums, own, "7.1")

    at, sections = 256, []
    for size in sizes:
        sections.append(data[at : at + size])
        at += size
    ranks, numbers, flags, directory, starts = sections
    ranks = [number(ranks, 8 * index, 8) for index in range(blocks)]
    need(ranks[0] == 0 and ranks[-1] < prints, "7.2", "ranks")
    need(all(one < two for one, two in zip(ranks, ranks[1:])), "7.2", "ranks ascend")
    values = []
    for index in range(documents):
        offset = index * width // 8
        word = int.from_bytes(numbers[offset : offset + 8], "little") >> (index * width % 8)
        values.append(low + (word & ((1 << width) - 1)))
    need(all(value < high for value in values), "7.2", "a number is outside of the range")
    need(bits_of(numbers[documents * width // 64 * 8 :]) >> (documents * width % 64) == 0, "7.2", "bits after the numbers")
    if several:
        flag = [index for index in range(8 * len(flags)) if flags[index // 8] >> (index % 8) & 1]
        need(len(flag) == prints and flag[0] == 0 and flag[-1] < documents, "7.2", "flags")
        used = 0
        for group in range(-(-prints // 64)):
            mine = flag[64 * group : 64 * (group + 1)]
            end = flag[64 * (group + 1)] if 64 * (group + 1) < prints else documents
            entry = number(directory, 8 * group, 8)
            if end - mine[0] > 4096:
                need(entry == (1 << 63) + used and used < sparse, "7.2", f"entry of sparse group {group}")
                written = [number(starts, 512 * used + 8 * slot, 8) for slot in range(64)]
                need(written == mine + [0] * (64 - len(mine)), "7.2", f"starts of group {group}")
                used += 1
            else:
                need(entry == mine[0], "7.2", f"entry of group {group}")
        need(used == sparse, "7.2", "sparse_groups")
    else:
        need(sparse == 0, "7.2", "sparse_groups")
        flag = list(range(documents))
    ends = flag[1:] + [documents]
    lists = [values[begin:end] for begin, end in zip(flag, ends)]
    for rank, members in enumerate(lists):
        need(all(one < two for one, two in zip(members, members[1:])), "7.2", f"list {rank} ascends")
    out.update(block_size=1024, restart=interval)
    out.update(zip(names, (low, high, prints, documents, blocks, sparse)))
    out.update(set_digest=f"{number(data, 64, 16):032x}", pair_digest=f"{number(data, 80, 16):032x}")
    out.update(identity=f"{own:016x}", ranks=ranks, lists=lists)
    return out


# 8 Manifest and deleted set


def entry(data, offset):
    zero(data, offset + 28, offset + 32, "8.2")
    return {
        "number": number(data, offset, 8),
        "length": number(data, offset + 8, 8),
        "identity": f"{number(data, offset + 16, 8):016x}",
        "checksum": f"{number(data, offset + 24, 4):08x}",
    }


def manifest(data):
    out = {"kind": "manifest", **start(data, b"M", 124, "8.1")}
    need(len(data) <= 64 << 20, "8.1", "a manifest has at most 64 MiB")
    crc_before(data, len(data) - 4, "8.1", "manifest")
    zero(data, 14, 16, "8.1")
    features = number(data, 16, 8)
    need(features & ~7 == 0, "11", "the manifest has features that this reader does not know")
    summarized = features & 2 != 0
    bits, k, complete, next_file = data[12], data[13], number(data, 32, 8), number(data, 48, 8)
    need(8 <= bits <= 64 and k <= 7 and k < bits, "8.1", "bits or k")
    deleted = entry(data, 72) if any(data[72:104]) else None
    out.update(bits=bits, k=k, generation=number(data, 24, 8), complete=complete, commits=number(data, 40, 8))
    out.update(next_file=next_file, catalog=f"{number(data, 56, 16):032x}", deleted=deleted)
    out.update(folded=number(data, 104, 8), purged=number(data, 116, 4), runs=[])
    at, before = 120, 0
    if features & 4:
        need(features == 4 and not deleted, "8.10", "a set has no documents")
        levels = data[122]
        need(levels <= 4, "8.10", "levels")
        zero(data, 123 + levels, 128, "8.10")
        out["set"] = {"restart": number(data, 120, 2), "levels": list(data[123 : 123 + levels])}
        at = 128
    size = 216 if summarized else 184
    for _ in range(number(data, 112, 4)):
        run = dict(zip(["low", "high", "fingerprints", "documents"], (number(data, at + 8 * i, 8) for i in range(4))))
        need(at + size <= len(data) - 4, "8.2", "a run entry is cut off")
        levels = data[at + 50]
        need(levels <= 4, "8.2", "levels")
        zero(data, at + 51 + levels, at + 55, "8.2")
        levels = list(data[at + 51 : at + 51 + levels])
        need(before <= run["low"] < run["high"] <= min(complete, 1 << 40), "8.2", "the ranges of the runs")
        need(1 <= run["fingerprints"] <= run["documents"] <= run["high"] - run["low"], "8.2", "fingerprints and documents")
        before = run["high"]
        run.update(set_digest=f"{number(data, at + 32, 16):032x}", restart=number(data, at + 48, 2), levels=levels, rewrites=data[at + 55])
        need(run["restart"] == 0 or 2 <= run["restart"] <= 4096, "8.2", "restart")
        run["postings"] = entry(data, at + 56)
        run["keys"] = None
        if number(data, at + 88, 8) == 0:
            zero(data, at + 88, at + 184, "8.2")
        else:
            keys, pairs = number(data, at + 88, 8), number(data, at + 96, 8)
            need(keys <= 1 << 40 and keys <= pairs <= keys * run["documents"], "8.2", "keys and key_pairs")
            run["keys"] = {"keys": keys, "pairs": pairs, "set_digest": f"{number(data, at + 104, 16):032x}"}
            run["keys"].update(postings=entry(data, at + 120), segment=entry(data, at + 152))
        run["summaries"] = entry(data, at + 184) if summarized and any(data[at + 184 : at + 216]) else None
        if features & 4:
            zero(data, at + 56, at + 184, "8.10")
            need(out["set"] == {"restart": run["restart"], "levels": levels}, "8.10", "the scheme of a run")
            need(run["fingerprints"] == run["documents"] == run["high"] - run["low"], "8.10", "ordinals of a run")
            run["postings"] = None
        else:
            need(any(data[at + 56 : at + 88]), "8.2", "a run has postings")
        at += size
        run["segments"] = []
        for _ in scheme(bits, k, levels):
            need(at + 32 <= len(data) - 4, "8.2", "a file entry is cut off")
            run["segments"].append(entry(data, at))
            at += 32
        out["runs"].append(run)
    need(at == len(data) - 4, "8.1", "bytes after the last run")
    files = [file["number"] for run in out["runs"] for file in [run["postings"], *run["segments"]] if file]
    files += [run["keys"][file]["number"] for run in out["runs"] if run["keys"] for file in ["postings", "segment"]]
    files += [run["summaries"]["number"] for run in out["runs"] if run["summaries"]]
    files += [deleted["number"]] if deleted else []
    need(len(set(files)) == len(files) and all(0 < file < next_file for file in files), "8.2", "file numbers")
    need(summarized == any(run["summaries"] for run in out["runs"]), "8.2", "the feature of summaries")
    return out


def bitmap(data, at):
    """A 32-bit roaring bitmap at an offset: its members, and the offset after it."""
    begin, cookie = at, number(data, at, 4)
    at += 4
    if cookie == 12346:
        count, runs = number(data, at, 4), 0
        at += 4
    else:
        need(cookie & 0xFFFF == 12347, "8.4", "cookie of a bitmap")
        count = (cookie >> 16) + 1
        size = -(-count // 8)
        runs = number(data, at, size)
        at += size
        need(runs != 0 and runs >> count == 0, "8.4", "flags of run containers")
    need(1 <= count <= 65536, "8.4", "number of containers")
    heads = [(number(data, at + 4 * i, 2), number(data, at + 4 * i + 2, 2) + 1) for i in range(count)]
    need(all(one[0] < two[0] for one, two in zip(heads, heads[1:])), "8.4", "keys of containers ascend")
    at += 4 * count
    offsets = None
    if not runs or count >= 4:
        offsets = [number(data, at + 4 * i, 4) for i in range(count)]
        at += 4 * count
    members = []
    for index, (key, size) in enumerate(heads):
        need(offsets is None or offsets[index] == at - begin, "8.4", "offset of a container")
        if runs >> index & 1:
            low, pieces = [], number(data, at, 2)
            need(pieces >= 1, "8.4", "a run container has a run")
            for piece in range(pieces):
                first, more = number(data, at + 2 + 4 * piece, 2), number(data, at + 4 + 4 * piece, 2)
                need(first + more < 65536 and (not low or first > low[-1] + 1), "8.4", "runs ascend apart")
                low += range(first, first + more + 1)
            at += 2 + 4 * pieces
        elif size <= 4096:
            low = [number(data, at + 2 * i, 2) for i in range(size)]
            need(all(one < two for one, two in zip(low, low[1:])), "8.4", "members of an array ascend")
            at += 2 * size
        else:
            need(at + 8192 <= len(data), "8.4", "a bitset is cut off")
            low = [member for member in range(65536) if data[at + member // 8] >> (member % 8) & 1]
            at += 8192
        need(len(low) == size, "8.4", "number of members of a container")
        members += (key << 16 | member for member in low)
    return members, at


def deleted_set(data):
    out = {"kind": "deleted set", **start(data, b"D", 36, "8.4")}
    zero(data, 12, 16, "8.4")
    need(number(data, 24, 8) == len(data) - 36, "8.4", "size of the file")
    crc_before(data, len(data) - 4, "8.4", "deleted set")
    payload = data[32:-4]
    at, before, numbers = 8, -1, []
    for _ in range(number(payload, 0, 8)):
        key = number(payload, at, 4)
        need(before < key < 1 << 8, "8.4", "keys of bitmaps ascend, numbers are below 2^40")
        members, at = bitmap(payload, at + 4)
        numbers += (key << 32 | member for member in members)
        before = key
    need(at == len(payload), "8.4", "bytes after the last bitmap")
    need(len(numbers) == number(data, 16, 8), "8.4", "count")
    out.update(count=len(numbers), numbers=numbers)
    return out


# 8.7 Summaries


def text(data, at):
    """A text at an offset, and the offset after it."""
    size = number(data, at, 4)
    need(at + 4 + size <= len(data), "9", "a text is cut off")
    try:
        return data[at + 4 : at + 4 + size].decode("utf-8"), at + 4 + size
    except UnicodeDecodeError:
        raise Broken("SPEC 9: a text is not UTF-8") from None


def raw(size):
    def part(data, at):
        need(at + size <= len(data), "8.7", "a part of a summary is cut off")
        return data[at : at + size].hex(), at + size

    return part


def words(count):
    return lambda data, at: ([f"{number(data, at + 8 * i, 8):016x}" for i in range(count)], at + 8 * count)


def profile(data, at):
    """A profile, padded again: its title, its headings, its address and its numbers."""
    out = b""
    words, numbers = (1, 15, 3, b"\0"), (2, 7, 2, b"\xff")
    for before, (width, most, size, padding) in [(124, words), (0, words), (0, words), (0, numbers)]:
        kept = min(number(data, at + before, width), most)
        end = at + before + width + kept * size
        need(end <= len(data), "8.7", "a profile is cut off")
        out += data[at:end] + padding * (size * (most - kept))
        at = end
    need(at + 25 <= len(data), "8.7", "a profile is cut off")
    return (out + data[at : at + 25]).hex(), at + 25


def name(data, at):
    size, at = number(data, at, 1), at + 1
    if size == 255:
        return text(data, at)
    return data[at : at + size].decode("utf-8"), at + size


def nothing(data, at):
    return True, at


def place(data, at):
    return (number(data, at, 1), number(data, at + 1, 1)), at + 2


def count(data, at):
    return number(data, at, 4), at + 4


PARTS = [
    ("url", name),
    ("url_is_id", nothing),
    ("site", name),
    ("site_in_url", place),
    ("without_terms", nothing),
    ("digest", raw(16)),
    ("min_bytes", raw(84)),
    ("supershingles", words(6)),
    ("projection", words(6)),
    ("profile", profile),
    ("tokens", count),
]


def summary(data):
    flags = number(data, 0, 2)
    need(flags >> len(PARTS) == 0, "8.7", "flags of a summary")
    out = {"fingerprint": f"{number(data, 2, 8):016x}"}
    out["id"], at = name(data, 10)
    size = len(out["id"].encode("utf-8"))
    need(1 <= size <= 4096 and "\0" not in out["id"], "9.1", "an id has 1 to 4,096 bytes and no NUL")
    is_number = re.fullmatch(r"\x01(0|-?[1-9][0-9]{0,19})", out["id"])
    need(is_number or out["id"][0] != "\x01", "9.1", "an id that begins with U+0001 is a number")
    parts = {}
    for bit, (key, part) in enumerate(PARTS):
        if flags >> bit & 1:
            parts[key], at = part(data, at)
    need(at == len(data), "8.7", "bytes after the last part of a summary")
    need(not {"url", "url_is_id"} <= parts.keys(), "8.7", "two addresses")
    need(not {"site", "site_in_url"} <= parts.keys(), "8.7", "two sites")
    if parts.pop("url_is_id", False):
        parts["url"] = out["id"]
    if "site_in_url" in parts:
        start, size = parts.pop("site_in_url")
        address = parts.get("url", "").encode("utf-8")
        need("url" in parts and start + size <= len(address), "8.7", "a site outside of the address")
        parts["site"] = address[start : start + size].decode("utf-8")
    if is_number:
        out["id"] = int(out["id"][1:])
    return out | {key: parts[key] for key, _ in PARTS if key in parts}


def summaries(data):
    out = {"kind": "summaries", **start(data, b"U", 128 + 24, "8.7")}
    crc_before(data[:128], 124, "8.7", "header")
    zero(data, 12, 16, "8.7")
    zero(data, 72, 124, "8.7")
    low, high, documents, size = (number(data, 16 + 8 * at, 8) for at in range(4))
    digest, own = number(data, 48, 16), number(data, 64, 8)
    need(own == identity(data[:64]), "8.7", "identity")
    need(low < high <= 1 << 40, "8.7", "number range")
    need(1 <= documents <= high - low, "8.7", "documents")
    need(documents <= size <= 1 << 50, "8.7", "size")
    groups, entries, directory = -(-documents // 14), -(-(high - low) // 448), -(-size // 64) * 64
    presence = directory + 64 * groups
    end = presence + 64 * entries
    need(len(data) == 128 + end + 4 * -(-end // 4096) + 24, "8.7", "size of the file")
    footer = data[-24:]
    need(footer[:8] == magic(b"V"), "8.7", "magic of the footer")
    crc_before(footer, 20, "8.7", "footer")
    need(number(footer, 8, 8) == own, "8.7", "identity of the footer")
    body, checksums = data[128 : 128 + end], data[128 + end : -24]
    need(number(footer, 16, 4) == zlib.crc32(checksums), "8.7", "pages_checksum")
    pages(body, checksums, own, "8.7")
    zero(body, size, directory, "8.7")

    before, parts = 0, []
    for ordinal in range(14 * groups):
        at, slot = directory + 64 * (ordinal // 14), ordinal % 14
        first = number(body, at, 8)
        need(slot or first == before, "8.7", f"offset of entry {ordinal // 14}")
        after = first + number(body, at + 8 + 4 * slot, 4)
        need(before <= after <= size, "8.7", f"end of summary {ordinal}")
        need((before < after) == (ordinal < documents), "8.7", f"summary {ordinal} is empty, or after the last")
        parts.append(body[before:after])
        before = after
    need(before == size, "8.7", "size is not that of all summaries")
    present = []
    for entry in range(entries):
        at = presence + 64 * entry
        need(number(body, at, 8) == len(present), "8.7", f"count of entry {entry} of presence")
        bits = number(body, at + 8, 56)
        present += [low + 448 * entry + bit for bit in range(448) if bits >> bit & 1]
    need(present and present[-1] < high, "8.7", "a number is outside of the range and has a summary")
    need(len(present) == documents, "8.7", "documents is not the number of summaries")
    found = list(zip(present, parts))
    pairs = ((zlib.crc32(encoded), document) for document, encoded in found)
    need(pair_digest(pairs) == digest, "8.7", "digest is not that of the summaries")
    out.update(low=low, high=high, documents=documents, size=size, digest=f"{digest:032x}", identity=f"{own:016x}")
    out["summaries"] = [{"number": document, **summary(encoded)} for document, encoded in found]
    return out


# Files and databases

KINDS = {
    magic(b"S"): segment,
    magic(b"P"): postings,
    magic(b"M"): manifest,
    magic(b"D"): deleted_set,
    magic(b"U"): summaries,
}


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    need(data[:8] in KINDS, "3.2", "no file of nddb begins so")
    try:
        return KINDS[data[:8]](data), data
    except Broken as broken:
        raise Broken(f"{path}: {broken}") from None


def named(folder, file, ending, kind):
    """The file of an entry of the manifest."""
    path = os.path.join(folder, "runs", f"{file['number']:08x}.{ending}")
    out, data = read(path)
    need(out["kind"] == kind, "8.3", f"{path} is no {kind}")
    need(len(data) == file["length"], "8.3", f"length of {path}")
    need(f"{zlib.crc32(data):08x}" == file["checksum"], "8.3", f"checksum of {path}")
    need(out.get("identity", "0" * 16) == file["identity"], "8.3", f"identity of {path}")
    return out


def check_run(folder, state, run):
    """Checks the files of a run, and returns the number of its summaries."""
    tables = scheme(state["bits"], state["k"], run["levels"])
    first = None
    for index, (file, table) in enumerate(zip(run["segments"], tables)):
        one = named(folder, file, "seg", "segment")
        where = f"segment {file['number']:08x}"
        said = (one["bits"], one["k"], one["table"], one["prefix"], one["groups"], one["restart"])
        meant = (state["bits"], state["k"], index, table.prefix, table.groups, run["restart"])
        need(said == meant, "8.3", f"{where} is of another table")
        need(one["count"] == run["fingerprints"], "8.3", f"count of {where}")
        need(one["digest"] == run["set_digest"], "8.3", f"digest of {where}")
        first = first or one
    if not run["postings"]:
        return 0
    lists = named(folder, run["postings"], "post", "postings")
    for name in ["low", "high", "fingerprints", "documents", "set_digest", "restart"]:
        need(lists[name] == run[name], "8.3", f"{name} of the postings")
    ranks, rank = [], 0
    for head in first["blocks"]:
        ranks.append(rank)
        rank += head["count"]
    need(lists["ranks"] == ranks, "8.3", "ranks of the postings")
    prints = [int(value, 16) for value in first["fingerprints"]]
    pairs = [(value, document) for value, members in zip(prints, lists["lists"]) for document in members]
    need(f"{pair_digest(pairs):032x}" == lists["pair_digest"], "8.3", "pair_digest of the postings")
    if run["summaries"]:
        return check_summaries(folder, run, {document: value for value, document in pairs})
    return 0


def check_summaries(folder, run, prints):
    file = named(folder, run["summaries"], "sum", "summaries")
    for name in ["low", "high"]:
        need(file[name] == run[name], "8.3", f"{name} of the summaries")
    need(file["documents"] <= run["documents"], "8.3", "documents of the summaries")
    for one in file["summaries"]:
        document, value = one["number"], int(one["fingerprint"], 16)
        need(document in prints, "8.3", f"{document} has a summary and is no number of the run")
        need(value == prints[document], "8.7", f"fingerprint in the summary of {document}")
    return file["documents"]


def key_run(run):
    """The key table of a run, as a run of keys (SPEC 8.6)."""
    table = run["keys"]
    numbers = {"fingerprints": table["keys"], "documents": table["pairs"], "set_digest": table["set_digest"]}
    files = {"postings": table["postings"], "segments": [table["segment"]], "summaries": None}
    return {**run, **numbers, **files, "levels": []}


def database(folder):
    state, _ = read(os.path.join(folder, "MANIFEST"))
    need(state["kind"] == "manifest", "8.1", "MANIFEST is no manifest")
    summarized = 0
    for run in state["runs"]:
        summarized += check_run(folder, state, run)
        if run["keys"]:
            check_run(folder, {"bits": 40, "k": 0}, key_run(run))
    deleted = named(folder, state["deleted"], "del", "deleted set")["count"] if state["deleted"] else 0
    return {
        "database": folder,
        "generation": state["generation"],
        "complete": state["complete"],
        "runs": len(state["runs"]),
        "segments": sum(len(run["segments"]) for run in state["runs"]),
        "fingerprints": sum(run["fingerprints"] for run in state["runs"]),
        "documents": sum(run["documents"] for run in state["runs"]),
        "keys": sum(run["keys"]["keys"] for run in state["runs"] if run["keys"]),
        "summaries": summarized,
        "deleted": deleted,
    }


def within(folder, most, query):
    state, _ = read(os.path.join(folder, "MANIFEST"))
    for run in state["runs"]:
        prints = named(folder, run["segments"][0], "seg", "segment")["fingerprints"]
        if not run["postings"]:
            found = ((value, bin(int(value, 16) ^ query).count("1")) for value in prints)
            yield from ({"fp": value, "distance": distance} for value, distance in found if distance <= most)
            continue
        lists = named(folder, run["postings"], "post", "postings")["lists"]
        for value, members in zip(prints, lists):
            distance = bin(int(value, 16) ^ query).count("1")
            if distance <= most:
                yield from ({"number": document, "fp": value, "distance": distance} for document in members)


def main(arguments):
    if arguments[:1] == ["--within"] and len(arguments) == 4:
        _, most, query, folder = arguments
        jobs = [lambda found=found: found for found in within(folder, int(most), int(query, 16))]
    elif arguments[:1] == ["--database"] and len(arguments) == 2:
        jobs = [lambda: database(arguments[1])]
    elif arguments and not arguments[0].startswith("--"):
        jobs = [lambda path=path: read(path)[0] for path in arguments]
    else:
        print(__doc__, file=sys.stderr)
        return 2
    code = 0
    sys.stdout.reconfigure(encoding="utf-8")
    for job in jobs:
        try:
            print(json.dumps(job(), separators=(",", ":"), ensure_ascii=False))
        except (Broken, OSError) as error:
            print(error, file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
