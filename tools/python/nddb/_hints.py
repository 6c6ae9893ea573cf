"""What the library says, in the words of Python: of commands and their options it becomes calls and arguments.

The exceptions of ``nddb.commands`` keep the words of the command that they ran.
"""

import re

#: What the library says, and what that is in Python. A path is put between quotes.
_WORDS = [
    (r"'nddb create --k'", "nddb.Config(k=...)"),
    (r"'nddb create (?P<database>[^']+)'", "nddb.Writer({database}, create=nddb.Config())"),
    (r"'nddb stats (?P<database>[^']+)'", "nddb.open({database}).stats()"),
    (r"'nddb (?P<call>check|rebuild) (?P<database>[^']+)'", "nddb.commands.{call}({database})"),
    (r"'nddb compact'", "nddb.commands.compact"),
    (r"'nddb merge NEW DB'", "nddb.commands.merge('NEW', 'DB')"),
    (r"'nddb backup DB DIR'", "nddb.commands.backup('DB', 'DIR')"),
    (r"'nddb backup DB (?P<folder>[^']+)'", "nddb.commands.backup('DB', {folder})"),
    (r"'nddb backup (?P<call>verify|restore)'", "nddb.commands.{call}_backup"),
    (r", or let the command wait \('--lock-wait 30s'\)", ""),
    (r", or use '--tmp-dir DIR'", ""),
    (r"run the same command again", "make the same call again"),
]
_OPTION = re.compile(r"(?<=\s)--([a-z]+(?:-[a-z]+)*)(?=[\s,:;]|$)")


def in_python(said: str) -> str:
    """The message or hint, with calls of this package instead of commands."""
    for pattern, call in _WORDS:
        said = re.sub(pattern, lambda found: call.format(**_parts(found)), said)
    return _OPTION.sub(lambda found: found[1].replace("-", "_") + "=", said)


def _parts(found: re.Match[str]) -> dict[str, str]:
    return {name: part if name == "call" else repr(part) for name, part in found.groupdict().items()}
