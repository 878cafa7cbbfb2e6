"""Recognises answers that were copied from the examples into the code; a remark for staff.

A group is suspect when all its public cases pass, its hidden cases fail, and the source contains
the answers that the public cases expect. A lookup table guesses where it has no entry, and
sometimes is right. So a few passing hidden cases do not clear a group as long as most fail,
but then more of the answers must be in the source. The text is only searched, never parsed. None of
this is proof: a student who copied the examples for a test, and has a mistake besides, can look the
same. So it costs nothing, and students never see it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from grader.intake.submission import SourceFile
from grader.messages import Message, message
from grader.suite.expectations import Expectation, Prints, Returns
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case, Group
from grader.values.display import literal
from grader.values.foreign_text import one_line
from grader.values.tree import Atom
from grader.verdict import Verdict, Visibility

MIN_HIDDEN: Final = 3
"""Hidden cases that must fail: one or two can fail for any reason."""
_MIN_TABLE_ANSWERS: Final = 2
"""Different answers that must be in the code if some hidden cases pass."""
MIN_CHARS: Final = 8
"""Shorter answers, such as a pair of coordinates, occur in any program."""
_MAX_ANSWER_CHARS: Final = 2_000
_MAX_LINES: Final = 8
"""Line numbers that are listed."""
_MAX_NAME_CHARS: Final = 60
_MISTAKES: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
_NOT_TRIED: Final = frozenset({Verdict.NOT_RUN, Verdict.FAULT})
_NEWLINE: Final = re.compile(r"\r\n|\r|\n")
"""The newlines of Python; `str.splitlines` splits at others as well."""
_EXAMPLE: Final = re.compile(r"[rRuU]?[\"']*>>>")
"""The start of an example, perhaps right after the quotes of its docstring."""
_EXAMPLE_END: Final = re.compile(r"\A\Z|\"\"\"|'''")  # as in doctest, a blank line ends an example
_TEXT_MARKS: Final = str.maketrans("", "", "\"'`,+")
_BRACKETS: Final = "([{}])"


class _Squeezed:
    """The text of a file without whitespace, quotes and other spelling variants."""

    def __init__(self, lines: Iterable[tuple[int, str]], *, is_text: bool) -> None:
        parts = [(number, _squeezed(line, is_text=is_text)) for number, line in lines]
        self._text: Final = "".join(part for _, part in parts)
        self._numbers: Final = [number for number, _ in parts]
        self._ends: Final = list(accumulate(len(part) for _, part in parts))
        """The end offset of each line in `_text`."""

    def line_of(self, spellings: Iterable[str]) -> int | None:
        """Return the number of the first line in which one of `spellings` starts, if any does."""
        offsets = [offset for each in spellings if (offset := self._text.find(each)) >= 0]
        return self._numbers[bisect_right(self._ends, min(offsets))] if offsets else None


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer that a case expects, in all its squeezed spellings."""

    spellings: tuple[str, ...]
    is_text: bool
    """Whether it is text, such as a printed board."""


class _SearchedFile:
    """One file to be searched."""

    def __init__(self, file: SourceFile, given: Collection[int]) -> None:
        self.name: Final = file.name
        lines = [each for each in _lines_of_code(file.text) if each[0] not in given]
        self._squeezed: Final = {
            is_text: _Squeezed(lines, is_text=is_text) for is_text in (False, True)
        }

    def lines_of(self, answers: Iterable[_Answer]) -> list[int]:
        """Return a line number for each of `answers` that the file contains."""
        found = (self._squeezed[answer.is_text].line_of(answer.spellings) for answer in answers)
        return [line for line in found if line is not None]


def hard_coding(
    suite: Suite,
    verdicts: Mapping[str, Verdict],
    files: Sequence[SourceFile],
    given: Mapping[str, Collection[int]] | None = None,
) -> Iterator[Message]:
    """Yield a remark for staff on each group whose example answers seem to be copied.

    `verdicts` maps case ids to verdicts; `files` are the student's own code, except for the
    `given` lines, by file name.
    """
    failing = {group: _failing(suite.cases[group.id], verdicts) for group in suite.groups}
    suspects = [group for group in suite.groups if failing[group]]
    if not suspects:
        return
    searched_files = [_SearchedFile(file, (given or {}).get(file.name, ())) for file in files]
    for group in suspects:
        answers = _answers(suite, group)
        found = [(each_file.lines_of(answers), each_file.name) for each_file in searched_files]
        # Only answers in one and the same file count together.
        lines, name = max(found, key=lambda each: len(each[0]), default=([], ""))
        hidden = sum(each.visibility is Visibility.HIDDEN for each, _ in suite.cases[group.id])
        is_throughout = failing[group] == hidden
        if _is_pattern(len(lines), len(answers), is_throughout=is_throughout):
            yield message(
                "staff.hard_coded" if is_throughout else "staff.table_driven",
                group=one_line(group.title, _MAX_NAME_CHARS),
                **({} if is_throughout else {"failing": failing[group]}),
                hidden=hidden,
                found=len(lines),
                count=len(answers),
                file=one_line(name, _MAX_NAME_CHARS),
                lines=_line_list(lines),
            )


def _failing(cases: Sequence[tuple[Session, Case]], verdicts: Mapping[str, Verdict]) -> int:
    """Return how many hidden `cases` of a group fail; 0 if the group is not suspect.

    A group is suspect when all public cases pass, and most hidden ones fail.
    """
    public, hidden = (
        [verdicts[case.id] for session, case in cases if session.visibility is visibility]
        for visibility in (Visibility.PUBLIC, Visibility.HIDDEN)
    )
    if any(verdict is not Verdict.PASSED for verdict in public):
        return 0
    mistakes = sum(verdict in _MISTAKES for verdict in hidden)
    if mistakes < MIN_HIDDEN or not _NOT_TRIED.isdisjoint(hidden):
        return 0
    passed = hidden.count(Verdict.PASSED)
    return len(hidden) - passed if passed <= mistakes else 0


def _is_pattern(found: int, answers: int, *, is_throughout: bool) -> bool:
    """Return whether `found` of `answers` in one file are too many for chance."""
    if is_throughout:
        return found > 0 and 2 * found >= answers
    return found >= _MIN_TABLE_ANSWERS and 3 * found >= 2 * answers


def _answers(suite: Suite, group: Group) -> list[_Answer]:
    """Return the different answers that public cases of `group` expect, without short ones."""
    expectations = (
        session.steps[case.step_index].expectation
        for session, case in suite.cases[group.id]
        if session.visibility is Visibility.PUBLIC
    )
    answers = dict.fromkeys(filter(None, map(_answer, expectations)))
    return [
        answer
        for answer in answers
        if all(MIN_CHARS <= len(each) <= _MAX_ANSWER_CHARS for each in answer.spellings)
    ]


def _answer(expectation: Expectation | None) -> _Answer | None:
    """Return the answer to search for; None for exceptions, whose messages any solution has."""
    match expectation:
        case Prints(text) | Returns(value=Atom(value=str() as text)):
            return _Answer((_squeezed(text, is_text=True),), is_text=True)
        case Returns(value=value, text=in_suite):
            shown = literal(value, _MAX_ANSWER_CHARS, on_one_line=True)
            spellings = dict.fromkeys(map(_elements, (shown, in_suite)))  # unlike a set, ordered
            return _Answer(tuple(spellings), is_text=False)
        case _:
            return None


def _elements(shown: str) -> str:
    """Return the squeezed text of a value without the brackets around its elements."""
    # numpy's `array([...])`.
    return _squeezed(shown, is_text=False).removeprefix("array").strip(_BRACKETS)


def _squeezed(text: str, *, is_text: bool) -> str:
    """Return `text` without whitespace and with one kind of quotes, or with none if `is_text`."""
    squeezed = "".join(text.split()).replace('"', "'")
    # Source may spell a newline as `\n`, and join a text from parts with quotes, commas and `+`.
    return squeezed.replace(r"\n", "").translate(_TEXT_MARKS) if is_text else squeezed


def _lines_of_code(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that may be code, with their numbers.

    Comments and examples in docstrings are left out: pasting the examples there is good practice.
    """
    is_example = False
    for number, line in enumerate(_NEWLINE.split(text), start=1):
        stripped = line.strip()
        begins = _EXAMPLE.match(stripped) is not None
        is_example = begins or (is_example and not _EXAMPLE_END.search(stripped))
        if not is_example and not stripped.startswith("#"):
            yield number, line


def _line_list(lines: Iterable[int]) -> str:
    numbers = sorted(set(lines))
    more = ", …" if len(numbers) > _MAX_LINES else ""
    return ", ".join(map(str, numbers[:_MAX_LINES])) + more
