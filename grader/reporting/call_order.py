"""Finds which functions of a submission a session calls, as far as the text shows.

Nothing is parsed: a name in the text of a function, outside comments and strings, counts as a call
of whatever the submission defines under that name, in any class. That finds too many calls, but
it is enough to see which of two functions builds on the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.judging.record import SourceText

_NOT_CODE: Final = re.compile(
    r"""\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL
)
"""Strings and comments. An escaped quote counts as the end: at worst that spoils its line."""
_DEFINED: Final = re.compile(
    r"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE
)
_WORD: Final = re.compile(r"[^\W\d]\w*")
_CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "__post_init__"})
"""Methods that run when a class is called by its name."""


class CallGraph:
    """The functions and classes of a submission, and what each of them calls."""

    def __init__(self, sources: Iterable[SourceText]) -> None:
        """Index what `sources` define."""
        words: dict[str, set[str]] = {}
        classes = set[str]()
        for source in sources:
            text = _NOT_CODE.sub("", source.text)
            classes.update(match[3] for match in _DEFINED.finditer(text) if match[2] == "class")
            for name, body in _definitions(text):
                # Methods with the same name count as one: the text does not say which is called.
                words.setdefault(name, set()).update(_WORD.findall(body))
        words.pop("", None)  # code of the module itself, which cannot be called
        self._direct: Final = {name: each & words.keys() for name, each in words.items()}
        self.functions: Final = words.keys() - classes

    def called_by(self, code: str) -> frozenset[str]:
        """Return the functions that `code` of a session calls, directly or through others."""
        used = {*_WORD.findall(_NOT_CODE.sub("", code))}
        # print calls __str__ and, below, len(x) calls __len__: no dunder name is in the text.
        if "print" in used:
            used.add("str")
        pending = [*(used | {f"__{word}__" for word in used}) & self._direct.keys()]
        called = set[str]()
        while pending:
            if (name := pending.pop()) not in called:
                called.add(name)
                pending += self._direct[name]
        return frozenset(called)


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each function and class in `text`, except nested functions."""
    owner, class_name, depth = "", "", -1  # depth: indent of the current function, or -1
    start = 0
    for match in _DEFINED.finditer(text):
        indent, kind, name = len(match[1]), match[2], match[3]
        if 0 <= depth < indent:
            continue
        yield owner, text[start : match.start()]
        start = match.end()
        class_name = name if kind == "class" else class_name
        depth = indent if kind == "def" else -1
        owner = class_name if name in _CONSTRUCTORS else name
    yield owner, text[start:]
