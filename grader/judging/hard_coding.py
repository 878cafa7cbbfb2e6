"""Detects answers that were copied from the examples into the code, and remarks on them to staff.

A group is suspect if all its public cases pass, its hidden cases fail, and the source contains the
answers that the public cases expect. A program with a lookup table has to guess where the table has
no entry, and is sometimes right. So a group stays suspect if a few hidden cases pass but most fail;
in that case, more of the answers must be in the source. The text is only searched, never parsed.
None of this is proof: a student might have copied the examples for a test and made an unrelated
mistake. So the remark costs nothing, and students never see it.
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
"""How many hidden cases of a group must fail, as one or two can fail for any reason."""
_MIN_TABLE_ANSWERS: Final = 2
"""How many different answers must be in the code if some hidden cases pass."""
MIN_CHARS: Final = 8
"""Shorter answers, such as a pair of coordinates, occur in any program."""
_MAX_ANSWER_CHARS: Final = 2_000
"""Longer answers are not searched for."""
_MAX_LINES: Final = 8
"""How many line numbers are listed."""
_MAX_NAME_CHARS: Final = 60
_MISTAKES: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
_NOT_TRIED: Final = frozenset({Verdict.NOT_RUN, Verdict.FAULT})
_NEWLINE: Final = re.compile(r"\r\n|\r|\n")
"""Python's newlines. `str.splitlines` would split at other characters as well, so later line
numbers would be wrong."""
_EXAMPLE: Final = re.compile(r"[rRuU]?[\"']*>>>")
"""The start of an example, possibly right after the opening quotes of a docstring."""
_EXAMPLE_END: Final = re.compile(r"\A\Z|\"\"\"|'''")  # as in doctest, a blank line ends an example
_TEXT_MARKS: Final = str.maketrans("", "", "\"'`,+")
_BRACKETS: Final = "([{}])"


class _SqueezedText:
    """The text of a file without whitespace and with quotes normalized, for searching."""

    def __init__(self, lines: Iterable[tuple[int, str]], *, is_text: bool) -> None:
        parts = [(number, _squeeze(line, is_text=is_text)) for number, line in lines]
        self._text: Final = "".join(part for _, part in parts)
        self._numbers: Final = [number for number, _ in parts]
        self._ends: Final = list(accumulate(len(part) for _, part in parts))
        """The end offset of each line in `_text`."""

    def line_with(self, spellings: Iterable[str]) -> int | None:
        """Return the number of the first line in which one of `spellings` starts.

        Return None if the file contains none of them.
        """
        offsets = [offset for spelling in spellings if (offset := self._text.find(spelling)) >= 0]
        return self._numbers[bisect_right(self._ends, min(offsets))] if offsets else None


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer that a case expects, in all its normalized spellings."""

    spellings: tuple[str, ...]
    is_text: bool
    """Whether the answer is a string, such as a printed board."""


class _SearchedFile:
    """One file to search, without its `given` lines."""

    def __init__(self, file: SourceFile, given_lines: Collection[int]) -> None:
        self.name: Final = file.name
        lines = [
            numbered for numbered in _lines_of_code(file.text) if numbered[0] not in given_lines
        ]
        self._squeezed_texts: Final = {
            is_text: _SqueezedText(lines, is_text=is_text) for is_text in (False, True)
        }

    def lines_with(self, answers: Iterable[_Answer]) -> list[int]:
        """Return the line number of each of `answers` that the file contains."""
        lines = (
            self._squeezed_texts[answer.is_text].line_with(answer.spellings) for answer in answers
        )
        return [line for line in lines if line is not None]


def hard_coding_remarks(
    suite: Suite,
    verdicts: Mapping[str, Verdict],
    files: Sequence[SourceFile],
    given_lines: Mapping[str, Collection[int]] | None = None,
) -> Iterator[Message]:
    """Yield a remark for staff on each group whose example answers seem to be hard-coded.

    `verdicts` maps case ids to verdicts, and `files` is the student's code. `given_lines` maps file
    names to the line numbers that were handed out with the exercise; these are not searched.
    """
    failing_counts = {
        group: _count_failing_hidden(suite.cases[group.id], verdicts) for group in suite.groups
    }
    suspects = [group for group in suite.groups if failing_counts[group]]
    if not suspects:
        return
    searched_files = [_SearchedFile(file, (given_lines or {}).get(file.name, ())) for file in files]
    for group in suspects:
        answers = _expected_answers(suite, group)
        matches = [(file.lines_with(answers), file.name) for file in searched_files]
        # Only answers in the same file count together.
        lines, name = max(matches, key=lambda match: len(match[0]), default=([], ""))
        hidden_count = sum(
            session.visibility is Visibility.HIDDEN for session, _ in suite.cases[group.id]
        )
        all_hidden_failed = failing_counts[group] == hidden_count
        if _is_suspicious(len(lines), len(answers), all_hidden_failed=all_hidden_failed):
            yield message(
                "staff.hard_coded" if all_hidden_failed else "staff.table_driven",
                group=one_line(group.title, _MAX_NAME_CHARS),
                **({} if all_hidden_failed else {"failing": failing_counts[group]}),
                hidden=hidden_count,
                found=len(lines),
                count=len(answers),
                file=one_line(name, _MAX_NAME_CHARS),
                lines=_format_line_numbers(lines),
            )


def _count_failing_hidden(
    cases: Sequence[tuple[Session, Case]], verdicts: Mapping[str, Verdict]
) -> int:
    """Return how many hidden `cases` of a group fail, or 0 if the group is not suspect.

    A group is suspect if all public cases pass, all hidden cases were tried, and those with
    a mistake number at least `MIN_HIDDEN`, and no fewer than those that pass.
    """
    public, hidden = (
        [verdicts[case.id] for session, case in cases if session.visibility is visibility]
        for visibility in (Visibility.PUBLIC, Visibility.HIDDEN)
    )
    if any(verdict is not Verdict.PASSED for verdict in public):
        return 0
    mistake_count = sum(verdict in _MISTAKES for verdict in hidden)
    if mistake_count < MIN_HIDDEN or not _NOT_TRIED.isdisjoint(hidden):
        return 0
    passed = hidden.count(Verdict.PASSED)
    return len(hidden) - passed if passed <= mistake_count else 0


def _is_suspicious(found_count: int, answer_count: int, *, all_hidden_failed: bool) -> bool:
    """Return whether a file has too many answers to be a coincidence: `found_count` of all.

    If `all_hidden_failed`, fewer answers are enough.
    """
    if all_hidden_failed:
        return found_count > 0 and 2 * found_count >= answer_count
    return found_count >= _MIN_TABLE_ANSWERS and 3 * found_count >= 2 * answer_count


def _expected_answers(suite: Suite, group: Group) -> list[_Answer]:
    """Return the distinct answers that public cases of `group` expect, without very short ones."""
    expectations = (
        session.steps[case.step_index].expectation
        for session, case in suite.cases[group.id]
        if session.visibility is Visibility.PUBLIC
    )
    answers = dict.fromkeys(filter(None, map(_expected_answer, expectations)))
    return [
        answer
        for answer in answers
        if all(MIN_CHARS <= len(spelling) <= _MAX_ANSWER_CHARS for spelling in answer.spellings)
    ]


def _expected_answer(expectation: Expectation | None) -> _Answer | None:
    """Return the answer to search for. Return None if nothing suitable is expected.

    Exceptions are not suitable: every solution contains their messages.
    """
    match expectation:
        case Prints(text) | Returns(value=Atom(value=str() as text)):
            return _Answer((_squeeze(text, is_text=True),), is_text=True)
        case Returns(value=value, text=suite_text):
            displayed = literal(value, _MAX_ANSWER_CHARS, on_one_line=True)
            # Unlike a set, a dict is ordered.
            spellings = dict.fromkeys(map(_squeeze_elements, (displayed, suite_text)))
            return _Answer(tuple(spellings), is_text=False)
        case _:
            return None


def _squeeze_elements(displayed: str) -> str:
    """Return a shown value without whitespace and without the brackets around its elements."""
    # numpy shows `array([...])`.
    return _squeeze(displayed, is_text=False).removeprefix("array").strip(_BRACKETS)


def _squeeze(text: str, *, is_text: bool) -> str:
    """Return `text` without whitespace, and with only one kind of quotes.

    If `is_text`, quotes and other marks of string literals are removed as well.
    """
    squeezed = "".join(text.split()).replace('"', "'")
    # Code can write a newline as `\n`, and concatenate a string with quotes, commas and `+`.
    return squeezed.replace(r"\n", "").translate(_TEXT_MARKS) if is_text else squeezed


def _lines_of_code(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of `text` that can be code, each with its number.

    Comments and examples in docstrings are left out, because copying the examples there is good
    practice.
    """
    is_example = False
    for number, line in enumerate(_NEWLINE.split(text), start=1):
        stripped = line.strip()
        begins = _EXAMPLE.match(stripped) is not None
        is_example = begins or (is_example and not _EXAMPLE_END.search(stripped))
        if not is_example and not stripped.startswith("#"):
            yield number, line


def _format_line_numbers(lines: Iterable[int]) -> str:
    numbers = sorted(set(lines))
    more = ", …" if len(numbers) > _MAX_LINES else ""
    return ", ".join(map(str, numbers[:_MAX_LINES])) + more
