"""Finds Python in files not named like Python: notebooks, plain text, code pasted into a page.

Nothing here parses Python: code is recognized by the names defined at the beginning of a line.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final, NamedTuple

from grader.intake.kinds import suffix_of
from grader.intake.notebooks import NOTEBOOK, read_notebook
from grader.intake.submission import decode_source

_DEFINITION: Final = re.compile(r"^(?:class|(?:async[ \t]+)?def)[ \t]+(\w+)", re.MULTILINE)
_IMPORT: Final = re.compile(r"^[ \t]*(?:from[ \t]+[.]*(\w+)|import[ \t]+(\w[^#\n]*))", re.MULTILINE)
TEXT_SUFFIXES: Final = frozenset({"", ".txt", ".text", ".pyw", ".py3", ".python", ".bak"})
_PAGE_SUFFIXES: Final = frozenset({".html", ".htm"})


class _Rescued(NamedTuple):
    """Code from a file that is not named like Python."""

    text: str
    remark: str
    """The key of a remark for the student."""
    is_certain: bool = False
    """Whether it is certainly code, not just text."""
    in_order: bool = True
    """Whether the cells of a notebook were run in their order."""


def names_in(text: str) -> frozenset[str]:
    """Return the names that `text` seems to define, normalized as in Python: `ﬁ` is `fi`."""
    return frozenset(unicodedata.normalize("NFKC", name) for name in _DEFINITION.findall(text))


def defined_names(data: bytes) -> frozenset[str]:
    """Return the names that a source file seems to define."""
    return names_in(decode_source(data, "").text)


def imported_in(text: str) -> frozenset[str]:
    """Return the modules that `text` seems to import, reduced to their first part."""
    modules: set[str] = set()
    for origin, listed in _IMPORT.findall(text):
        names = [origin] if origin else [part.strip() for part in listed.split(",")]
        modules.update(re.split("[. \t;]", name, maxsplit=1)[0] for name in names)
    return frozenset(modules)


def rescued(name: str, data: bytes) -> _Rescued | None:
    """Return the code in a file not named like Python, None if it cannot contain code.

    The caller decides by the defined names whether plain text is code.
    """
    suffix = suffix_of(name)
    if suffix == NOTEBOOK:
        notebook = read_notebook(data)
        return notebook and _Rescued(
            notebook.text, "remark.notebook", is_certain=True, in_order=notebook.in_order
        )
    text = decode_source(data, name).text
    if suffix in _PAGE_SUFFIXES:
        return _Rescued(_page_text(text), "remark.page")
    return _Rescued(text, "remark.file_name") if suffix in TEXT_SUFFIXES else None


# Pages

_LINE_BREAK: Final = re.compile(r"<br\s*/?>|</(?:p|div|pre|li|tr|h\d)\s*>", re.IGNORECASE)
_LONG_NUMBER: Final = re.compile(r"&#\d{9,};?")
"""No character has such a number, and Python refuses to parse thousands of digits."""
_TAG: Final = re.compile(r"<[/!a-zA-Z][^<>]*>")


def _page_text(text: str) -> str:
    """Return the text of a page, with its line breaks, and plain spaces for no-break spaces."""
    without_tags = _LONG_NUMBER.sub("", _TAG.sub("", _LINE_BREAK.sub("\n", text)))
    lines = html.unescape(without_tags).split(
        "\n"
    )  # after tags are removed: `&lt;` does not start one
    return "\n".join(line.replace("\xa0", " ").rstrip() for line in lines)
