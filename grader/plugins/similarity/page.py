"""The similarity page of a class, for staff: a signal and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypeAlias

from grader.plugins.similarity.classes import ComparedClass
from grader.plugins.similarity.comparing import MIN_CLASS, Likeness
from grader.plugins.similarity.evidence import SharedLines
from grader.plugins.similarity.fingerprints import Sources
from grader.plugins.similarity.kept import KeptProgram
from grader.reporting.rendering import page
from grader.reporting.wording import Locale
from grader.store.runs import RunEntry, names_apart
from grader.values.foreign_text import one_line

PAGE_NAME: Final = "similarity.html"
_BARS: Final = 20
_BAR_STEP: Final = 16.0
_HEIGHT: Final = 80.0
_BASE: Final = 96.0
_MAX_SIDE_BY_SIDE: Final = 20
_MAX_OF_OTHERS: Final = 10
_MAX_LISTED: Final = 60
_MAX_NAMED: Final = 40
_MAX_LINES: Final = 400
"""The number of lines of a program to show."""
_LINE_CHARS: Final = 160
_COLOURS: Final = 6

_Context: TypeAlias = Mapping[str, object]
"""The template context of one item."""
Earlier: TypeAlias = Sequence[tuple[Likeness, KeptProgram]]
"""Outliers among pairs of a program in the class and one of an earlier year."""
Codes: TypeAlias = Mapping[int, Sources]
"""The files of shown programs, by index in the class."""


def shown_pairs(found: ComparedClass) -> Sequence[Likeness]:
    """Return the pairs to show side by side."""
    own = found.likeness.outliers[:_MAX_SIDE_BY_SIDE]
    return [*own, *found.found_by_others[:_MAX_OF_OTHERS]]


def similarity_page(classes: Sequence[tuple[ComparedClass, Codes, Earlier]], language: str) -> str:
    """Return the page on `classes`, each with the code of its shown pairs."""
    locale = Locale.of(language)
    return page(
        "similarity.html",
        locale,
        least=MIN_CLASS,
        sections=[
            _Section(found, codes, locale).view(earlier) for found, codes, earlier in classes
        ],
    )


class _Section:
    """The section on one exercise."""

    def __init__(self, found: ComparedClass, codes: Codes, locale: Locale) -> None:
        self._found: Final = found
        self._codes: Final = codes
        self._locale: Final = locale
        self._called: Final = names_apart(found.entries)
        shown = shown_pairs(found)
        self._numbers: Final = {id(each): number for number, each in enumerate(shown, start=1)}

    def view(self, earlier: Earlier) -> _Context:
        """Return the template context; `earlier` are outliers with programs of earlier years."""
        likeness = self._found.likeness
        outliers, of_others = likeness.outliers, self._found.found_by_others
        listed = [*outliers[:_MAX_LISTED], *of_others[:_MAX_LISTED]]
        troubles = [(self._name(entry), why) for entry, why in self._found.troubles]
        return {
            "title": one_line(self._found.title),
            "count": likeness.count,
            "usual": self._percent(likeness.usual),
            "is_small": likeness.count < MIN_CLASS,
            "bars": _bars(likeness.nearest),
            "tools": [each.tool for each in self._found.beside],
            "rows": [self._row(each) for each in listed],
            "outliers": len(outliers),
            "more": len(outliers) + len(of_others) - len(listed),
            "groups": [
                [self._name(self._found.entries[place]) for place in group]
                for group in likeness.groups
                if len(group) > 2
            ],
            "pairs": [self._pair(each) for each in shown_pairs(self._found)],
            "earlier": [
                (
                    self._name(self._found.entries[pair.first]),
                    program.label,
                    self._percent(pair.similarity),
                )
                for pair, program in earlier[:_MAX_LISTED]
            ],
            "troubles": troubles[:_MAX_NAMED],
            "more_troubles": max(0, len(troubles) - _MAX_NAMED),
        }

    def _name(self, entry: RunEntry) -> str:
        return one_line(self._called[entry.name])

    def _percent(self, similarity: float) -> str:
        return f"{similarity:.0%}"

    def _row(self, pair: Likeness) -> _Context:
        first, second = (self._found.entries[each] for each in (pair.first, pair.second))
        hashes = self._found.submissions
        return {
            "number": self._numbers.get(id(pair)),
            "names": [self._name(first), self._name(second)],
            "similarity": self._percent(pair.similarity),
            "part": self._percent(pair.part),
            "z": self._locale.number(round(self._found.likeness.z(pair), 1)),
            "is_same": hashes[pair.first] == hashes[pair.second],
            "beside": [
                "" if similarity is None else self._percent(similarity)
                for each in self._found.beside
                for similarity in [each.of(pair)]
            ],
            "found_by": ", ".join(self._found.found_only_by(pair)),
        }

    def _pair(self, pair: Likeness) -> _Context:
        evidence = self._found.evidence
        matches = evidence.matches(pair)
        sides = [
            self._side(place, matches, is_first=place == pair.first)
            for place in (pair.first, pair.second)
        ]
        return {
            **self._row(pair),
            "sides": sides,
            "words": [
                (self._locale(f"similarity_{word.kind}"), one_line(word.said), lines)
                for word, *lines in evidence.words(pair)
            ],
            "answers": [
                (one_line(each.code, 80), one_line(each.got or each.line, 80))
                for each in evidence.answers(pair)
            ],
        }

    def _side(self, place: int, matches: Sequence[SharedLines], *, is_first: bool) -> _Context:
        entry = self._found.entries[place]
        signs: dict[tuple[int, int], int] = {}
        for number, match in enumerate(matches):
            for each in match.first if is_first else match.second:
                signs.setdefault(each, number)
        attempt = entry.attempt
        submitted = attempt.submitted if attempt is not None else None
        return {
            "name": self._name(entry),
            "href": entry.page,
            "submitted": "" if submitted is None else _time(submitted),
            "files": _files(self._codes.get(place, ()), signs),
        }


def _time(submitted: datetime) -> str:
    return submitted.isoformat(sep=" ", timespec="minutes")


def _files(sources: Sources, signs: Mapping[tuple[int, int], int]) -> list[_Context]:
    """Return the files of a program, with the colours of matched lines."""
    files: list[_Context] = []
    left = _MAX_LINES
    for number, (name, text) in enumerate(sources):
        lines = text.split("\n")  # not `splitlines`: fragments have the line numbers of the parser
        shown = [
            (
                line,
                one_line(code.expandtabs(4), _LINE_CHARS),
                None if sign is None else (sign % _COLOURS, sign + 1),
            )
            for line, code in enumerate(lines[:left], start=1)
            for sign in [signs.get((number, line))]
        ]
        left -= len(shown)
        more = len(lines) - len(shown)
        files.append({"name": one_line(name), "lines": shown, "more": more})
    return files


def _bars(nearest: Sequence[float]) -> list[_Context]:
    """Return the histogram of similarities to the nearest program, as bars."""
    counts = [0] * _BARS
    for each in nearest:
        counts[min(_BARS - 1, int(each * _BARS))] += 1
    # Not 0, as heights are divided by it.
    most = max(counts, default=1) or 1
    bars: list[_Context] = []
    for number, count in enumerate(counts):
        height = round(_HEIGHT * count / most, 1)
        bars.append(
            {
                "x": number * _BAR_STEP,
                "y": _BASE - height,
                "height": height,
                "count": count,
                "label": f"{number * 100 // _BARS}%",
            }
        )
    return bars
