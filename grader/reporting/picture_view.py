"""What reports show of pictures: nothing where the plug-in that draws them is not installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.judging.pictures import AnyPicture
from grader.reporting.comparison import Comparison
from grader.reporting.wording import Locale
from grader.seams import EXTRAS


def picture_views(pictures: Sequence[AnyPicture], locale: Locale) -> Iterable[dict[str, object]]:
    """Return what a template reads of each of the pictures of one case."""
    drawing = EXTRAS.find("drawings") if pictures else None
    views: Iterable[dict[str, object]] = drawing.picture_views(pictures, locale) if drawing else ()
    return views


def text_sides(pictures: Sequence[AnyPicture]) -> Comparison | None:
    """Return as text, side by side, what is drawn in place of what was expected and got.

    None where nothing is, or where nothing of it differs: text has room for less than a drawing.
    """
    drawing = EXTRAS.find("drawings") if pictures else None
    sides: Comparison | None = drawing.text_sides(pictures) if drawing else None
    return sides


def text_below(pictures: Sequence[AnyPicture], locale: Locale) -> Iterable[tuple[str, list[str]]]:
    """Return a label and the lines of what is drawn besides."""
    drawing = EXTRAS.find("drawings") if pictures else None
    drawn: Iterable[tuple[str, list[str]]] = drawing.text_below(pictures, locale) if drawing else ()
    return drawn
