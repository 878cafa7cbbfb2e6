"""Finds which functions of a submission a session calls, as far as the text shows.

Nothing is parsed: a name in the text of a function, outside comments and strings, counts as a call
of whatever the submission defines under that name, in any class. That finds too many calls, but
is enough to see which of two functions builds on the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.judging.record import SourceText

_NOT_CODE: Final = re.compile(
    r"""\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL
)
"""Strings and comments. An escaped quote ends a string: that spoils its line at most."""
_DEFINED: Final = re.compile(
    r"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE
)
_WORD: Final = re.compile(r"[^\W\d]\w*")
_MAKING: Final = frozenset({"__init__", "__new__", "__post_init__"})
"""Methods that run when a class is called by its name."""


class CallGraph:
    """The functions and classes of a submission, and what each of them calls."""

    def __init__(self, sources: Iterable[SourceText]) -> None:
        """Index what `sources` define."""
        words: dict[str, set[str]] = {}
        classes = set[str]()
        for source in sources:
            text = _NOT_CODE.sub("", source.text)
            classes.update(found[3] for found in _DEFINED.finditer(text) if found[2] == "class")
            for name, own in _defined(text):
                # Methods of one name are one: nobody can tell here which is called.
                words.setdefault(name, set()).update(_WORD.findall(own))
        words.pop("", None)  # code of the module itself, which cannot be called
        self._direct: Final = {name: each & words.keys() for name, each in words.items()}
        self.functions: Final = words.keys() - classes

    def of(self, code: str) -> frozenset[str]:
        """Return the names that `code` of a session calls, directly or through others."""
        used = {*_WORD.findall(_NOT_CODE.sub("", code))}
        # print calls __str__ and, below, len(x) calls __len__: no dunder name is in the text.
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
    """Yield name and text of each function and class of `text` that is not inside a function."""
    owner, made, depth = "", "", -1  # depth: indent of the function we are in, or -1
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
