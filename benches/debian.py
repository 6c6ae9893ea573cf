"""Package lists of a Debian suite, from the machine's mirror, kept separate from the machine's own lists."""

import subprocess
import sys

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def mirror():
    """Returns the address of the machine's Debian mirror."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(LABEL)", "Created-By: Packages"]
    lines = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    found = sorted({line.split()[0] for line in lines if line.split()[1:] == ["Debian", "Debian"]})
    if not found:
        sys.exit("apt-get update first: no lists of Debian")
    return found[0]


def options(folder, suite):
    """Returns options that make apt use one suite and ignore the configuration of the machine."""
    at = (folder / "apt" / suite).absolute()
    pairs = {
        "Dir::Etc::sourcelist": at / "sources.list", "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": at / "lists", "Dir::Cache": at / "cache", "Dir::State::status": at / "status",
        "APT::Sandbox::User": "root",
    }  # fmt: skip
    return [part for name, value in pairs.items() for part in ("-o", f"{name}={value}")]


def update(folder, suite):
    """Downloads the lists of a suite where they are missing."""
    at = folder / "apt" / suite
    if not (at / "status").exists():
        for part in ("lists/partial", "cache/archives/partial"):
            (at / part).mkdir(parents=True, exist_ok=True)
        (at / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {suite} main\n")
        subprocess.run(["apt-get", *options(folder, suite), "-qq", "update"], check=True)
        (at / "status").touch()
