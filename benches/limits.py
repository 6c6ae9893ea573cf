"""Memory of every command that grows with the number of documents, and of loads of extreme inputs.

    python3 benches/limits.py target/release/nddb [MILLIONS]

Makes databases of bare fingerprints, a fifth of them in clusters, and prints for each command its time and its greatest
memory in MB, without (RssAnon) and with (VmHWM) the mapped pages of files.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time


def run(name, arguments, folder, out=None):
    """Runs a command and prints its time and memory."""
    begun = time.time()
    child = subprocess.Popen(arguments, cwd=folder, stdout=out or subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    own = resident = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                fields = dict(line.split(":", 1) for line in status)
            own = max(own, int(fields["RssAnon"].split()[0]))
            resident = max(resident, int(fields["VmHWM"].split()[0]))
        except (OSError, KeyError, ValueError):
            pass
        time.sleep(0.005)
    spent = time.time() - begun
    memory = f"own {own >> 10:5} MB  resident {resident >> 10:5} MB"
    print(f"{name:34} {spent:7.1f} s  {memory}  exit {child.returncode}", flush=True)


def create(nddb, name, folder):
    """Makes an empty database."""
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    subprocess.run([nddb, "create", name], cwd=folder, check=True, **quiet)


def prints(path, count, seed):
    """Writes fingerprints, a fifth of them within three bits of another."""
    numbers = random.Random(seed)
    with open(path, "wb") as file:
        centre = 0
        for index in range(count):
            if index % 5 == 0:
                value = centre ^ 1 << numbers.randrange(64)
            else:
                value = numbers.getrandbits(64)
                centre = value if index % 50 == 1 else centre
            file.write(value.to_bytes(8, "little"))


def grows(nddb, folder, millions):
    """Every command on a database of this many million documents."""
    count = millions * 1_000_000
    print(f"{millions} million documents", flush=True)
    for name in ["a", "b"]:
        prints(f"{folder}/{name}.u64le", count if name == "a" else count // 4, name)
        create(nddb, name, folder)
        run(f"load {name}", [nddb, "load", name, f"{name}.u64le", "--id-prefix", name], folder)
    for command in [["check", "a"], ["rebuild", "a", "--all"], ["merge", "a", "b"], ["compact", "a"]]:
        run(" ".join(command), [nddb, *command], folder)
    run("pairs a --method hamming", [nddb, "pairs", "a", "--method", "hamming"], folder)
    run("cluster a --method hamming", [nddb, "cluster", "a", "--method", "hamming"], folder)
    for name in ["a", "b"]:
        shutil.rmtree(f"{folder}/{name}")


def extremes(nddb, folder):
    """Inputs in which one part has the greatest possible size."""
    print("extreme inputs, under --memory-limit 64M", flush=True)
    word = b"a word of the text "

    def text(path, size, begin=b"", end=b""):
        with open(path, "wb") as file:
            file.write(begin)
            for _ in range(size // (len(word) << 16)):
                file.write(word * (1 << 16))
            file.write(end)

    text(f"{folder}/document.txt", 1 << 30)
    text(f"{folder}/line.jsonl", 500 << 20, b'{"id":"a","text":"', b'"}\n')
    with open(f"{folder}/six.jsonl", "wb") as file:
        for index in range(6):
            file.write(b'{"id":"%d","text":"' % index + word * (58_000_000 // len(word)) + b'"}\n')
    with open(f"{folder}/one-print.u64le", "wb") as file:
        file.write(b"12345678" * 1_000_000)
    with open(f"{folder}/sites.jsonl", "w") as file:
        for index in range(1_000_000):
            print_ = f"{index * 0x9E3779B97F4A7C15 % 2**64:016x}"
            file.write(f'{{"id":"{index}","fp":"{print_}","url":"http://s{index}.example/"}}\n')
    for name in ["document.txt", "line.jsonl", "six.jsonl", "one-print.u64le", "sites.jsonl"]:
        create(nddb, "db", folder)
        limits = ["--memory-limit", "64M", "--threads", "6"]
        run(f"load {name}", [nddb, "load", "db", name, *limits], folder)
        if name in ["one-print.u64le", "sites.jsonl"]:
            run("  pairs", [nddb, "pairs", "db", "--method", "hamming"], folder)
            run("  cluster", [nddb, "cluster", "db", "--method", "hamming"], folder)
        if name == "sites.jsonl":
            run("  rm --site", [nddb, "rm", "db", "--site", "s77.example"], folder)
        shutil.rmtree(f"{folder}/db")
        os.remove(f"{folder}/{name}")


def main():
    nddb = os.path.abspath(sys.argv[1])
    millions = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    with tempfile.TemporaryDirectory() as folder:
        extremes(nddb, folder)
        for count in [millions // 2, millions]:
            grows(nddb, folder, count)


main()
