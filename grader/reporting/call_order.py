"""Which functions of a submission a session calls, as far as its text shows.

Nothing is parsed: a name in the text of a function, outside comments and strings, counts as a call
of what the submission defines by that name, in whichever class. That is more than is called, and
it is enough to see which of two functions builds on the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.judging.record import SourceText

_SAID: Final = re.compile(r"""\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL)
"""Strings and comments. An escaped quote ends a string: what it costs is at most its line."""
_DEFINED: Final = re.compile(
    r"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE
)
_WORD: Final = re.compile(r"[^\W\d]\w*")
_MAKING: Final = frozenset({"__init__", "__new__", "__post_init__"})
"""What a class calls by its own name."""


class CallGraph:
    """The functions and classes of a submission, and what each of them calls."""

    def __init__(self, sources: Iterable[SourceText]) -> None:
        """Know what `sources` define."""
        words: dict[str, set[str]] = {}
        classes = set[str]()
        for source in sources:
            text = _SAID.sub("", source.text)
            classes.update(found[3] for found in _DEFINED.finditer(text) if found[2] == "class")
            for name, own in _defined(text):
                words.setdefault(name, set()).update(_WORD.findall(own))
        words.pop("", None)  # what is in no function
        self._direct: Final = {name: each & words.keys() for name, each in words.items()}
        self.functions: Final = words.keys() - classes

    def of(self, code: str) -> frozenset[str]:
        """Return all that `code` of a session calls, by itself or through what it calls."""
        used = {*_WORD.findall(_SAID.sub("", code))}
        if "print" in used:
            used.add("str")
        left = [*(used | {f"__{word}__" for word in used}) & self._direct.keys()]
        found = set[str]()
        while left:
            if (name := left.pop()) not in found:
                found.add(name)
                left += self._direct[name]
        return frozenset(found)


def _defined(text: str) -> Iterator[tuple[str, str]]:
    """Yield each function and class of `text`, but for those in functions, with its own text."""
    owner, made, depth = "", "", -1  # of a function: how far in it stands
    begin = 0
    for found in _DEFINED.finditer(text):
        indent, kind, name = len(found[1]), found[2], found[3]
        if 0 <= depth < indent:
            continue
        yield owner, text[begin : found.start()]
        begin = found.end()
        made = name if kind == "class" else made
        depth = indent if kind == "def" else -1
        owner = made if name in _MAKING else name
    yield owner, text[begin:]
