"""Python in files that are not called so: notebooks, plain text, and code pasted into a page.

Nothing here parses Python: a file is known by the names that it defines at the beginning of a line.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from grader.intake.kinds import suffix_of
from grader.intake.submission import decode_source

_DEFINITION: Final = re.compile(r"^(?:class|(?:async[ \t]+)?def)[ \t]+(\w+)", re.MULTILINE)
_IMPORT: Final = re.compile(r"^[ \t]*(?:from[ \t]+[.]?(\w+)|import[ \t]+(\w[^#\n]*))", re.MULTILINE)
TEXT_SUFFIXES: Final = frozenset({"", ".txt", ".text", ".pyw", ".py3", ".python", ".bak"})
_PAGE_SUFFIXES: Final = frozenset({".html", ".htm"})
_NOTEBOOK_SUFFIX: Final = ".ipynb"


class _Rescued(NamedTuple):
    """Code that was found where nobody looks for it."""

    text: str
    remark: str
    """The key of what its student should know."""
    is_certain: bool = False
    """Whether it is code, and not any text."""


def names_in(text: str) -> frozenset[str]:
    """Return the names that `text` seems to define; to Python `ﬁ` is `fi`, and so it is here."""
    return frozenset(unicodedata.normalize("NFKC", name) for name in _DEFINITION.findall(text))


def defined_names(data: bytes) -> frozenset[str]:
    """Return the names that a source seems to define."""
    return names_in(decode_source(data, "").text)


def imported_in(text: str) -> frozenset[str]:
    """Return the modules that `text` seems to import, packages by their own name."""
    found: set[str] = set()
    for origin, listed in _IMPORT.findall(text):
        names = [origin] if origin else [part.strip() for part in listed.split(",")]
        found.update(re.split("[. \t;]", name, maxsplit=1)[0] for name in names)
    return frozenset(found)


def rescued(name: str, data: bytes) -> _Rescued | None:
    """Return the code in a file that is not named as Python, None where it can hold none.

    Whether text is code depends on what it defines.
    """
    suffix = suffix_of(name)
    if suffix == _NOTEBOOK_SUFFIX:
        text = _notebook(data)
        return None if text is None else _Rescued(text, "remark.notebook", is_certain=True)
    text = decode_source(data, name).text
    if suffix in _PAGE_SUFFIXES:
        return _Rescued(_page(text), "remark.page")
    return _Rescued(text, "remark.file_name") if suffix in TEXT_SUFFIXES else None


# Notebooks

_MAGIC: Final = re.compile(
    r"([ \t]*)(%{1,2}[A-Za-z]|!(?!=)|[?]|[\w.]+[ \t]*=[ \t]*[%!][A-Za-z]|[\w.]+[?]{1,2}[ \t]*$).*"
)
"""Lines that are for the notebook: magics, commands to a shell, questions."""
_CELL: Final = re.compile(r"# cell (\d{1,9})")
"""Where a cell begins in the code of a notebook."""
_PYTHON_MAGICS: Final = frozenset(
    {"capture", "file", "prun", "python", "python3", "time", "timeit", "writefile"}
)
"""What stands at the top of a cell that is Python all the same."""


def _notebook(data: bytes) -> str | None:
    """Return the code of a notebook, its cells one after another; None for what is none."""
    try:
        document = json.loads(decode_source(data, "").text)
        sheets = document.get("worksheets") or [document]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        codes = [_source(cell) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return "\n\n".join(
        f"# cell {number}\n" + "\n".join(_without_magic(code.split("\n")))
        for number, code in enumerate(codes, 1)
    )


def cell_at(name: str, text: str, line: int) -> dict[str, int]:
    """Return the cell of a notebook that `line` of its joined code is in, and the line of the cell.

    Nothing where the file called `name` is no notebook.
    """
    if suffix_of(name) != _NOTEBOOK_SUFFIX:
        return {}
    for start, above in enumerate(reversed(text.split("\n")[:line])):
        if (heading := _CELL.fullmatch(above)) is not None:
            return {"cell": int(heading[1]), "cell_line": start}
    return {}


def _source(cell: Any) -> str:
    """Return what stands in `cell`: lines of text, or one text; older notebooks call it input."""
    source = cell["source"] if "source" in cell else cell["input"]
    return source if isinstance(source, str) else "".join(source)


def _without_magic(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a cell; what is not Python becomes a comment."""
    is_python = True
    for number, line in enumerate(lines):
        if number == 0 and line.startswith("%%"):
            is_python = line[2:].split(" ", 1)[0].strip() in _PYTHON_MAGICS
            yield f"# {line}"
        elif not is_python:
            yield f"# {line}"
        elif (magic := _MAGIC.fullmatch(line)) is not None:
            # In a block it may be the only statement.
            yield f"{magic[1]}pass  # {line.strip()}" if magic[1] else f"# {line}"
        else:
            yield line


# Pages

_LINE_END: Final = re.compile(r"<br\s*/?>|</(?:p|div|pre|li|tr|h\d)\s*>", re.IGNORECASE)
_LONG_NUMBER: Final = re.compile(r"&#\d{9,};?")
"""No character has it, and Python refuses to read numbers of thousands of digits."""
_TAG: Final = re.compile(r"<[/!a-zA-Z][^<>]*>")


def _page(text: str) -> str:
    """Return the text of a page, a line where it has one; an editor has made spaces of its own."""
    bare = _LONG_NUMBER.sub("", _TAG.sub("", _LINE_END.sub("\n", text)))
    lines = html.unescape(bare).split("\n")
    return "\n".join(line.replace("\xa0", " ").rstrip() for line in lines)
