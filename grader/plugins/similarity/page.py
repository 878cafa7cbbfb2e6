"""Renders the similarity page of a class, which shows staff a signal and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypeAlias

from grader.plugins.similarity.classes import ComparedClass
from grader.plugins.similarity.comparing import MIN_CLASS, Likeness
from grader.plugins.similarity.evidence import SharedLines
from grader.plugins.similarity.fingerprint_files import KeptProgram
from grader.plugins.similarity.fingerprints import Sources
from grader.reporting.rendering import page
from grader.reporting.wording import Locale
from grader.store.runs import RunEntry, distinct_names
from grader.values.foreign_text import one_line

PAGE_NAME: Final = "similarity.html"
_BARS: Final = 20
_BAR_STEP: Final = 16.0
_HEIGHT: Final = 80.0
_BASE: Final = 96.0
_MAX_SIDE_BY_SIDE: Final = 20
_MAX_FROM_OTHERS: Final = 10
"""The number of pairs shown side by side that only other checkers found."""
_MAX_LISTED: Final = 60
_MAX_NAMED: Final = 40
_MAX_LINES: Final = 400
"""The number of lines of a program that are shown."""
_LINE_CHARS: Final = 160
_COLOURS: Final = 6

_Context: TypeAlias = Mapping[str, object]
"""The template context of one item."""
Earlier: TypeAlias = Sequence[tuple[Likeness, KeptProgram]]
"""Outlying pairs of a program in the class and a program of an earlier class."""
Codes: TypeAlias = Mapping[int, Sources]
"""The files of shown programs, keyed by their index in the class."""


def shown_pairs(compared: ComparedClass) -> Sequence[Likeness]:
    """Return the pairs that are shown side by side."""
    outliers = compared.likeness.outliers[:_MAX_SIDE_BY_SIDE]
    return [*outliers, *compared.outliers_elsewhere[:_MAX_FROM_OTHERS]]


def similarity_page(classes: Sequence[tuple[ComparedClass, Codes, Earlier]], language: str) -> str:
    """Render the page about `classes`.

    Each class comes with the code of its shown pairs, and its outliers with earlier programs.
    """
    locale = Locale.for_language(language)
    return page(
        "similarity.html",
        locale,
        least=MIN_CLASS,
        sections=[
            _Section(compared, codes, locale).view(earlier) for compared, codes, earlier in classes
        ],
    )


class _Section:
    """The section about one exercise."""

    def __init__(self, compared: ComparedClass, codes: Codes, locale: Locale) -> None:
        self._compared: Final = compared
        self._codes: Final = codes
        self._locale: Final = locale
        self._labels: Final = distinct_names(compared.entries)
        pairs = shown_pairs(compared)
        # `compared` keeps the pairs alive, so their ids stay unique.
        self._numbers: Final = {id(pair): number for number, pair in enumerate(pairs, start=1)}

    def view(self, earlier: Earlier) -> _Context:
        """Return the template context.

        `earlier` has the outliers that pair a program with one of an earlier class.
        """
        likeness = self._compared.likeness
        outliers, other_outliers = likeness.outliers, self._compared.outliers_elsewhere
        listed = [*outliers[:_MAX_LISTED], *other_outliers[:_MAX_LISTED]]
        problems = [(self._name(entry), reason) for entry, reason in self._compared.problems]
        return {
            "title": one_line(self._compared.title),
            "count": likeness.count,
            "usual": self._percent(likeness.usual),
            "is_small": likeness.count < MIN_CLASS,
            "bars": _bars(likeness.nearest_similarities),
            "tools": [report.tool for report in self._compared.other_reports],
            "rows": [self._row(pair) for pair in listed],
            "outliers": len(outliers),
            "more": len(outliers) + len(other_outliers) - len(listed),
            "groups": [
                [self._name(self._compared.entries[index]) for index in group]
                for group in likeness.groups
                if len(group) > 2
            ],
            "pairs": [self._pair(pair) for pair in shown_pairs(self._compared)],
            "earlier": [
                (
                    self._name(self._compared.entries[pair.first]),
                    program.label,
                    self._percent(pair.similarity),
                )
                for pair, program in earlier[:_MAX_LISTED]
            ],
            "troubles": problems[:_MAX_NAMED],
            "more_troubles": max(0, len(problems) - _MAX_NAMED),
        }

    def _name(self, entry: RunEntry) -> str:
        return one_line(self._labels[entry.identity])

    def _percent(self, similarity: float) -> str:
        return f"{similarity:.0%}"

    def _row(self, pair: Likeness) -> _Context:
        """Return the template context of a row in the table of pairs."""
        first, second = (self._compared.entries[index] for index in (pair.first, pair.second))
        hashes = self._compared.file_hashes
        return {
            "number": self._numbers.get(id(pair)),
            "names": [self._name(first), self._name(second)],
            "similarity": self._percent(pair.similarity),
            "part": self._percent(pair.part),
            "z": self._locale.number(round(self._compared.likeness.z(pair), 1)),
            "is_same": hashes[pair.first] == hashes[pair.second],
            "beside": [
                "" if similarity is None else self._percent(similarity)
                for report in self._compared.other_reports
                for similarity in [report.similarity_of(pair)]
            ],
            "found_by": ", ".join(self._compared.disagreeing_checkers(pair)),
        }

    def _pair(self, pair: Likeness) -> _Context:
        """Return the template context of a pair that is shown side by side, with its evidence."""
        evidence = self._compared.evidence
        matches = evidence.matches(pair)
        sides = [
            self._side(index, matches, is_first=index == pair.first)
            for index in (pair.first, pair.second)
        ]
        return {
            **self._row(pair),
            "sides": sides,
            "words": [
                (self._locale(f"similarity_{word.kind}"), one_line(word.text), lines)
                for word, *lines in evidence.words(pair)
            ],
            "answers": [
                (one_line(failure.code, 80), one_line(failure.got or failure.line, 80))
                for failure in evidence.answers(pair)
            ],
        }

    def _side(self, index: int, matches: Sequence[SharedLines], *, is_first: bool) -> _Context:
        """Return the template context of one program of a pair, with its matched lines."""
        entry = self._compared.entries[index]
        match_numbers: dict[tuple[int, int], int] = {}
        for number, match in enumerate(matches):
            for line in match.first if is_first else match.second:
                match_numbers.setdefault(line, number)
        attempt = entry.attempt
        submitted = attempt.submitted if attempt is not None else None
        return {
            "name": self._name(entry),
            "href": entry.page,
            "submitted": "" if submitted is None else _time(submitted),
            "files": _files(self._codes.get(index, ()), match_numbers),
        }


def _time(submitted: datetime) -> str:
    return submitted.isoformat(sep=" ", timespec="minutes")


def _files(sources: Sources, match_numbers: Mapping[tuple[int, int], int]) -> list[_Context]:
    """Return a template context for each file of a program, with the colours of matched lines.

    `match_numbers` is keyed by pairs of a file index and a line number. Lines of the program beyond
    `_MAX_LINES` are only counted.
    """
    files: list[_Context] = []
    lines_left = _MAX_LINES
    for file_index, (name, text) in enumerate(sources):
        lines = text.split("\n")  # not `splitlines`, as fragments have the parser's line numbers
        shown_lines = [
            (
                line,
                one_line(code.expandtabs(4), _LINE_CHARS),
                None if match is None else (match % _COLOURS, match + 1),
            )
            for line, code in enumerate(lines[:lines_left], start=1)
            for match in [match_numbers.get((file_index, line))]
        ]
        lines_left -= len(shown_lines)
        omitted = len(lines) - len(shown_lines)
        files.append({"name": one_line(name), "lines": shown_lines, "more": omitted})
    return files


def _bars(nearest: Sequence[float]) -> list[_Context]:
    """Return the bars of a histogram of the similarities to the nearest program."""
    counts = [0] * _BARS
    for similarity in nearest:
        counts[min(_BARS - 1, int(similarity * _BARS))] += 1
    # At least 1, as heights are divided by it.
    max_count = max(counts, default=1) or 1
    bars: list[_Context] = []
    for index, count in enumerate(counts):
        height = round(_HEIGHT * count / max_count, 1)
        bars.append(
            {
                "x": index * _BAR_STEP,
                "y": _BASE - height,
                "height": height,
                "count": count,
                "label": f"{index * 100 // _BARS}%",
            }
        )
    return bars
