"""Finds which functions of a submission a session calls, judging by the text alone.

The code is not parsed: a name in the text of a function, outside comments and strings, counts as a
call of everything that the submission defines under that name, in any class. This finds too many
calls, but it is enough to decide which of two functions uses the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.judging.record import SourceText

_NOT_CODE: Final = re.compile(
    r"""\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL
)
"""Matches strings and comments; an escaped quote counts as the end, which spoils at most a line."""
_DEFINED: Final = re.compile(
    r"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE
)
_WORD: Final = re.compile(r"[^\W\d]\w*")
_CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "__post_init__"})
"""Methods that run when their class is called; they are indexed under its name."""


class CallGraph:
    """The functions and classes of a submission, and the names that each of them uses."""

    def __init__(self, sources: Iterable[SourceText]) -> None:
        """Index the functions and classes that `sources` define."""
        words_by_name: dict[str, set[str]] = {}
        classes = set[str]()
        for source in sources:
            text = _NOT_CODE.sub("", source.text)
            classes.update(match[3] for match in _DEFINED.finditer(text) if match[2] == "class")
            for name, body in _definitions(text):
                # Methods with the same name are merged: the text does not show which one is called.
                words_by_name.setdefault(name, set()).update(_WORD.findall(body))
        words_by_name.pop("", None)  # module-level code, which cannot be called
        self._direct_uses: Final = {
            name: body_words & words_by_name.keys() for name, body_words in words_by_name.items()
        }
        self.functions: Final = words_by_name.keys() - classes
        """The names of the functions and methods."""

    def called_by(self, code: str) -> frozenset[str]:
        """Return the names of functions and classes that `code` calls, directly or indirectly."""
        words = {*_WORD.findall(_NOT_CODE.sub("", code))}
        # Built-ins call dunder methods that the text does not name: print calls __str__, for
        # which `str` is added here, and len calls __len__. These names are added below.
        if "print" in words:
            words.add("str")
        pending = [*(words | {f"__{word}__" for word in words}) & self._direct_uses.keys()]
        called_names = set[str]()
        while pending:
            if (name := pending.pop()) not in called_names:
                called_names.add(name)
                pending += self._direct_uses[name]
        return frozenset(called_names)


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each function and class in `text`, except nested functions.

    Constructors have the name of their class. The text of a class ends at its first method.
    Module-level code before the first definition is yielded with an empty name.
    """
    owner, class_name, depth = "", "", -1  # depth is the indent of the current function, or -1
    start = 0
    for match in _DEFINED.finditer(text):
        indent, kind, name = len(match[1]), match[2], match[3]
        if 0 <= depth < indent:  # nested in a function, whose text includes it
            continue
        yield owner, text[start : match.start()]
        start = match.end()
        class_name = name if kind == "class" else class_name
        depth = indent if kind == "def" else -1
        owner = class_name if name in _CONSTRUCTORS else name
    yield owner, text[start:]
