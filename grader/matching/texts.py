"""Compares printed and returned text, and tells apart what a student fixes in different ways."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from grader.display import one_line
from grader.messages import Message, message

_SHOWN_CHARS: Final = 80


def comparable(text: str) -> list[str]:
    """Return the lines of printed `text` that count.

    Blanks at the end of a line and newlines at the end of the text cannot be seen in an example
    session, so they are not asked for.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def printed_alike(expected: str, got: str) -> bool:
    """Return whether two printed texts are the same as far as an example session can show."""
    return comparable(expected) == comparable(got)


def text_differences(expected: str, got: str) -> Iterator[Message]:
    """Yield what differs between two unequal texts: a sentence first, then the first place."""
    if not got:
        yield message("wrong.text_empty")
        return
    if "".join(expected.split()) == "".join(got.split()):
        yield message("wrong.text_blanks")
    elif expected.casefold() == got.casefold():
        yield message("wrong.text_case")
    else:
        yield message("wrong.text")
    yield from _first_place(expected.split("\n"), got.split("\n"))


def _first_place(expected: list[str], got: list[str]) -> Iterator[Message]:
    for number, (wanted, given) in enumerate(zip_longest(expected, got), start=1):
        if wanted == given:
            continue
        if given is None:
            yield message("wrong.lines_missing", expected=len(expected), got=len(got))
        elif wanted is None:
            yield message("wrong.lines_extra", expected=len(expected), got=len(got))
        else:
            yield message(
                "wrong.line",
                line=number,
                column=_first_column(wanted, given),
                expected=one_line(wanted, _SHOWN_CHARS),
                got=one_line(given, _SHOWN_CHARS),
            )
        return


def _first_column(expected: str, got: str) -> int:
    pairs = zip_longest(expected, got)
    return next(column for column, (e, g) in enumerate(pairs, start=1) if e != g)
