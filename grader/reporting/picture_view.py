"""Draws pictures for reports, or nothing if the plug-in for drawing is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.judging.pictures import AnyPicture
from grader.reporting.comparison import Comparison
from grader.reporting.wording import Locale
from grader.seams import EXTRAS


def picture_views(pictures: Sequence[AnyPicture], locale: Locale) -> Iterable[dict[str, object]]:
    """Return the template variables for each of `pictures`, which all belong to one case.

    Returns nothing if the plug-in is missing.
    """
    drawing = EXTRAS.find("drawings") if pictures else None
    views: Iterable[dict[str, object]] = drawing.picture_views(pictures, locale) if drawing else ()
    return views


def text_sides(pictures: Sequence[AnyPicture]) -> Comparison | None:
    """Return the expected and the actual drawing as text, side by side.

    Returns None if nothing is drawn, if the plug-in is missing, or if the drawings do not differ.
    """
    drawing = EXTRAS.find("drawings") if pictures else None
    sides: Comparison | None = drawing.text_sides(pictures) if drawing else None
    return sides


def text_below(pictures: Sequence[AnyPicture], locale: Locale) -> Iterable[tuple[str, list[str]]]:
    """Return the label and the lines of text of each drawing that `text_sides` does not show.

    Returns nothing if the plug-in is missing.
    """
    drawing = EXTRAS.find("drawings") if pictures else None
    drawings: Iterable[tuple[str, list[str]]] = (
        drawing.text_below(pictures, locale) if drawing else ()
    )
    return drawings
