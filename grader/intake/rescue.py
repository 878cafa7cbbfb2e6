"""Finds Python code in files without a Python suffix: notebooks, plain text and web pages.

Nothing here parses Python: code is recognised by definitions at the start of a line.
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


class _RescuedCode(NamedTuple):
    """Code from a file without a Python suffix."""

    text: str
    remark: str
    """The key of a remark for the student."""
    is_certain: bool = False
    """Whether the text is certainly code."""
    ran_in_order: bool = True
    """Whether the notebook's cells were run in order."""


def names_in(text: str) -> frozenset[str]:
    """Return the names that `text` seems to define, normalized as Python does (`ﬁ` to `fi`)."""
    return frozenset(unicodedata.normalize("NFKC", name) for name in _DEFINITION.findall(text))


def defined_names(data: bytes) -> frozenset[str]:
    """Return the names that the source file in `data` seems to define."""
    return names_in(decode_source(data, "").text)


def imported_modules(text: str) -> frozenset[str]:
    """Return the names of the top-level modules that `text` seems to import."""
    modules: set[str] = set()
    for origin, listed in _IMPORT.findall(text):
        names = [origin] if origin else [part.strip() for part in listed.split(",")]
        modules.update(re.split("[. \t;]", name, maxsplit=1)[0] for name in names)
    return frozenset(modules)


def rescue_code(name: str, data: bytes) -> _RescuedCode | None:
    """Return the code in a file without a Python suffix, or None if it cannot contain code.

    The result might be prose, so the caller has to judge by the names that it defines.
    """
    suffix = suffix_of(name)
    if suffix == NOTEBOOK:
        notebook = read_notebook(data)
        return notebook and _RescuedCode(
            notebook.text, "remark.notebook", is_certain=True, ran_in_order=notebook.ran_in_order
        )
    text = decode_source(data, name).text
    if suffix in _PAGE_SUFFIXES:
        return _RescuedCode(_page_text(text), "remark.page")
    return _RescuedCode(text, "remark.file_name") if suffix in TEXT_SUFFIXES else None


# Pages

_LINE_BREAK: Final = re.compile(r"<br\s*/?>|</(?:p|div|pre|li|tr|h\d)\s*>", re.IGNORECASE)
_LONG_NUMBER: Final = re.compile(r"&#\d{9,};?")
"""Character references with no valid character; Python refuses to parse thousands of digits."""
_TAG: Final = re.compile(r"<[/!a-zA-Z][^<>]*>")


def _page_text(text: str) -> str:
    """Return the text of a web page with its line breaks; no-break spaces become plain spaces."""
    without_tags = _LONG_NUMBER.sub("", _TAG.sub("", _LINE_BREAK.sub("\n", text)))
    # Unescape only after removing tags, because `&lt;` does not start one.
    lines = html.unescape(without_tags).split("\n")
    return "\n".join(line.replace("\xa0", " ").rstrip() for line in lines)
