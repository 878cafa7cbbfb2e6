"""Pages with drawings, and what is read of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final
from xml.etree import ElementTree as ET

from read_pages import Reader
from record_samples import case, group, record

from grader.judging.pictures import AnyPicture
from grader.reporting.student_page import student_page
from grader.verdict import Verdict

TAGS: Final = frozenset(
    {"svg", "g", "rect", "circle", "line", "path", "polygon", "polyline", "text", "use", "defs"}
)
"""What other platforms keep of SVG in feedback."""
ATTRIBUTES: Final = frozenset(
    {
        *("class", "viewBox", "width", "height", "x", "y", "x1", "y1", "x2", "y2"),
        *("cx", "cy", "r", "rx", "ry", "d", "points"),
        *("fill", "stroke", "stroke-width", "stroke-dasharray", "font-size"),
        *("role", "aria-label"),
    }
)
"""All but the last two are kept there; those two are for readers of our own pages."""
BOARDS: Final = re.compile(r'<svg class="board".*?</svg>', re.DOTALL)


def page_of(*found: AnyPicture, language: str = "en") -> str:
    """Return the page about a case with these pictures."""
    failed = replace(case("f/1", Verdict.WRONG, expected="1", got="2"), pictures=found)
    return student_page(record(group("f", failed), language=language))


def boards(page: str) -> list[ET.Element]:
    """Return the boards on `page`."""
    return [ET.fromstring(svg) for svg in BOARDS.findall(page)]


def check_dialect(page: str) -> int:
    """Check all boards on `page`, and return how many there are."""
    found = boards(page)
    for board in found:
        for element in board.iter():
            assert element.tag in TAGS
            assert set(element.attrib) <= ATTRIBUTES
        assert "img" == board.attrib["role"]
        assert board.attrib["aria-label"]
        for path in board.iter("path"):
            assert re.fullmatch(r"[MmLlhvaz0-9 .-]+", path.attrib["d"])
    return len(found)


def text_of(page: str) -> str:
    """Return what stands on `page`."""
    return " ".join("".join(Reader(page).text).replace("\N{NO-BREAK SPACE}", " ").split())
