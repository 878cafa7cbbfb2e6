"""Analyses a class: which wrong answers students share, and how good the items are as questions.

Each failure is reduced to a key: the case and its verdict, with the type and value of a wrong
answer, or the type of an exception and the line of the submission that raised it. Students with
the same key make the same mistake, or misread the exercise in the same way.

Records are large, so they are not kept here. Only the key and a short example of each failing case
are kept; equal examples share one copy in memory.

Item analysis shows how hard each part of an exercise is, and whether it discriminates between
strong and weak students. An item is a testlet: a group, or a session. Single steps are never items,
because they depend on each other: if one step fails, later steps fail too, which would make the
figures look better than they are.

The result of a submission on an item is the share of its cases that passed, or None if none ran.
Difficulty is the mean share. Discrimination is the correlation of the shares with the results of
the same submissions on all *other* items, so that no item is compared with itself. The cut-offs are
those that Blackboard uses. Figures from few submissions mean little, and figures from very few mean
nothing.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import islice
from statistics import correlation, fmean
from typing import Final, TypeAlias

from grader.judging.record import CaseResult, Record, TranscriptLine
from grader.reporting.wording import Tone, excerpt, excerpt_lines, tone_of
from grader.values.foreign_text import one_line, safe_text
from grader.verdict import Verdict, Visibility

_MAX_FAILURES: Final = 1_000
"""How many failing cases of one submission are analysed."""
_MAX_SESSION_CHARS: Final = 1_500
"""Characters of a session kept as an example, not counting its first step."""
_MAX_OUTPUT_CHARS: Final = 300
_MAX_OUTPUT_LINES: Final = 12
_LAST_STEPS: Final = 9
_MAX_ANSWER_CHARS: Final = 240
_KEPT_CHARS: Final = 60_000
"""Characters of sessions kept per submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The data that is kept about a failing case."""

    key: str
    """A key that is equal for cases that failed in the same way."""
    code: str
    verdict: Verdict
    expected: str
    got: str
    """The actual result; like the expected result, it is "" if there is none."""
    line: str
    """The line of the submission that raised the exception, or "" if none did."""
    steps: int
    """The number of steps in the session that shows it."""
    session: str
    """An excerpt of that session, as at a prompt.

    It is "" if the sessions kept for the submission already exceed the limit.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Submissions that fail a case in the same way."""

    members: tuple[int, ...]
    """The indices of the submissions."""
    example: int
    """The index of the submission with the shortest session."""
    failure: Failure
    """The failure of that submission."""
    others: int
    """The number of further cases that exactly these submissions fail, each in the same way."""


def failures(record: Record) -> tuple[Failure, ...]:
    """Return the data to keep about the failing cases of `record`, public and hidden."""
    unpassed = (case for case in record.cases if case.verdict is not Verdict.PASSED)
    return tuple(_kept_failures(islice(filter(_counts_as_failure, unpassed), _MAX_FAILURES)))


def find_clusters(by_submission: Sequence[Sequence[Failure]]) -> list[Cluster]:
    """Return the clusters of two or more submissions, largest first.

    `by_submission` has the failures of each submission. Cases that exactly the same submissions
    fail, each in the same way, form one cluster. Its example is the case with the shortest session.
    """
    members: dict[str, list[int]] = {}
    smallest: dict[str, tuple[int, Failure]] = {}
    for index, submission_failures in enumerate(by_submission):
        for failure in submission_failures:
            members.setdefault(failure.key, []).append(index)
            smallest_failure = smallest.get(failure.key)
            if smallest_failure is None or _size(failure) < _size(smallest_failure[1]):
                smallest[failure.key] = (index, failure)
    by_members: dict[tuple[int, ...], list[tuple[int, Failure]]] = {}
    for key, indices in members.items():
        if len(indices) > 1:
            by_members.setdefault(tuple(indices), []).append(smallest[key])
    clusters = [_cluster(indices, candidates) for indices, candidates in by_members.items()]
    return sorted(clusters, key=lambda cluster: (-len(cluster.members), -cluster.others))


def _cluster(indices: tuple[int, ...], candidates: Sequence[tuple[int, Failure]]) -> Cluster:
    example, failure = min(candidates, key=lambda candidate: _size(candidate[1]))
    return Cluster(members=indices, example=example, failure=failure, others=len(candidates) - 1)


def _size(failure: Failure) -> tuple[bool, int, int]:
    return not failure.session, failure.steps, len(failure.session)  # any session beats none


def _counts_as_failure(case: CaseResult) -> bool:
    """Return whether `case` failed in a way that students can have in common."""
    return (
        tone_of(case.verdict) is Tone.BAD
        and case.verdict is not Verdict.TAMPERED  # a person looks at each of these cases
        and case.visibility is not Visibility.STAFF
        and not (case.is_instructor_test and case.source is None)  # its result is unknown
    )


def _kept_failures(cases: Iterable[CaseResult]) -> Iterator[Failure]:
    """Yield the data to keep about failing `cases`; sessions beyond a total length are omitted."""
    chars_left = _KEPT_CHARS
    for case in cases:
        session = _session_text(case.transcript) if chars_left > 0 else ""
        chars_left -= len(session)
        # Interned, because many students have the same texts, and all of them stay in memory.
        yield Failure(
            key=failure_key(case),
            code=sys.intern(one_line(case.code, _MAX_ANSWER_CHARS)),
            verdict=case.verdict,
            expected=sys.intern(one_line(case.expected or "", _MAX_ANSWER_CHARS)),
            got=sys.intern(one_line(case.got or "", _MAX_ANSWER_CHARS)),
            line=sys.intern("" if case.source is None else _line(case.source.text)),
            steps=len(case.transcript),
            session=sys.intern(session),
        )


def failure_key(case: CaseResult) -> str:
    """Return a key that is equal for cases that failed in the same way."""
    got = safe_text(case.got or "")
    outcome: tuple[str, ...]
    if case.verdict is Verdict.WRONG:
        # If the text of a value does not show its type, the first message does.
        outcome = (got, *map(repr, case.explanation[:1]))
    elif case.source is not None:
        # Only the exception's type: its message often contains values that differ by student.
        outcome = (got.partition(":")[0], _line(case.source.text))
    else:
        outcome = (got,)
    text = repr((case.id, case.verdict.value, outcome))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:32]  # short, because many are kept


def _line(text: str) -> str:
    """Return `text`, a line of code, without indentation and with other whitespace collapsed."""
    return " ".join(one_line(text, _MAX_ANSWER_CHARS).split())


def _session_text(transcript: Sequence[TranscriptLine]) -> str:
    """Return an excerpt of the session: its first step, and as many of the last steps as fit.

    A line between them counts the steps that are left out. Returns "" for an empty `transcript`.
    """
    if not transcript:
        return ""
    *earlier, failing = transcript
    last_texts = [_step_text(failing)]
    chars_left = _MAX_SESSION_CHARS - len(last_texts[0])
    first_text = [_step_text(earlier[0])] if earlier else []
    for step in reversed(earlier[1:]):
        text = _step_text(step)
        chars_left -= len(text)
        if chars_left < 0 or len(last_texts) == _LAST_STEPS:
            break
        last_texts.append(text)
    omitted = len(earlier) - len(first_text) - len(last_texts) + 1
    gap = [f"… (+{omitted})"] if omitted else []
    return "\n".join([*first_text, *gap, *reversed(last_texts)])


def _step_text(step: TranscriptLine) -> str:
    code = excerpt_lines(step.code, _MAX_OUTPUT_CHARS, _MAX_OUTPUT_LINES)
    prompted = [f"{'... ' if number else step.prompt}{line}" for number, line in enumerate(code)]
    output = excerpt(step.output, _MAX_OUTPUT_CHARS, _MAX_OUTPUT_LINES).rstrip("\n")
    return "\n".join([*prompted, output] if output else prompted)


MIN_FIGURES: Final = 5
"""With fewer submissions than this, only counts are shown."""
MIN_SURE: Final = 20
"""With fewer submissions than this, figures come with a warning."""
_EASY: Final = 0.8
_HARD: Final = 0.3
_GOOD: Final = 0.3
_FAIR: Final = 0.1
_DIGITS: Final = 9
"""Decimals to which sums of shares are rounded, because rounding errors make equal sums differ."""

Shares: TypeAlias = Sequence[float | None]
"""The results of each submission on one item: from 0 to 1, or None if the item did not run."""


@unique
class Difficulty(Enum):
    """How hard an item is: how many students get it right."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@unique
class Discrimination(Enum):
    """How well an item separates students who do well on the other items from the rest."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "unknown"
    """All students have the same share, so there is no correlation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFigures:
    """The figures of one item."""

    title: str
    tried: int
    """The number of submissions in which any of its cases ran."""
    whole: int
    """The number of submissions in which all of its cases passed."""
    share: float | None
    """The mean share of the submissions in which it ran."""
    correlation: float | None
    """The correlation of its shares with the totals of the other items."""
    is_upside_down: bool
    """Whether the best quarter of the class does worse on it than the weakest quarter."""

    @property
    def difficulty(self) -> Difficulty | None:
        """The difficulty, from the mean share, or None if the item never ran."""
        if self.share is None:
            return None
        if self.share > _EASY:
            return Difficulty.EASY
        return Difficulty.HARD if self.share < _HARD else Difficulty.MEDIUM

    @property
    def discrimination(self) -> Discrimination:
        """The discrimination, from the correlation, or `UNKNOWN` if there is no correlation."""
        if self.correlation is None:
            return Discrimination.UNKNOWN
        if self.correlation > _GOOD:
            return Discrimination.GOOD
        return Discrimination.POOR if self.correlation < _FAIR else Discrimination.FAIR

    @property
    def is_suspect(self) -> bool:
        """Whether the test, or the text of the exercise about what it tests, might be wrong."""
        return self.discrimination is Discrimination.POOR or self.is_upside_down

    @property
    def is_dead(self) -> bool:
        """Whether all students got all of it right, or all got none of it right."""
        return self.share in {0.0, 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The figures of all items of one kind, groups or sessions, of one exercise."""

    count: int
    """The number of submissions."""
    items: tuple[ItemFigures, ...]
    duplicates: tuple[tuple[str, ...], ...]
    """Sets of titles, each of items whose results agree in every submission."""

    @property
    def has_figures(self) -> bool:
        """Whether there are enough submissions to show figures, not only counts."""
        return self.count >= MIN_FIGURES

    @property
    def is_sure(self) -> bool:
        """Whether there are enough submissions to rely on the figures."""
        return self.count >= MIN_SURE

    @property
    def suspect(self) -> tuple[ItemFigures, ...]:
        """The items to look at, worst first."""
        suspects = [item for item in self.items if item.is_suspect]
        return tuple(sorted(suspects, key=lambda item: item.correlation or 0.0))

    @property
    def dead(self) -> tuple[ItemFigures, ...]:
        """The items that do not discriminate at all; see `ItemFigures.is_dead`."""
        return tuple(item for item in self.items if item.is_dead)


def analysis(columns: Mapping[str, Shares]) -> Analysis:
    """Return the analysis of the items in `columns`: shares of equal length, keyed by title."""
    totals = [
        sum(share or 0.0 for share in submission)
        for submission in zip(*columns.values(), strict=True)
    ]
    return Analysis(
        count=len(totals),
        items=tuple(_item(title, shares, totals) for title, shares in columns.items()),
        duplicates=tuple(_duplicates(columns)),
    )


def _item(title: str, shares: Shares, totals: Sequence[float]) -> ItemFigures:
    """Return the figures of the item with these `shares`.

    `totals` has the sum of the shares of each submission on all items, including this one.
    """
    # In the totals, an item that did not run counts as 0.
    pairs = [
        (share, round(total - share, _DIGITS))
        for share, total in zip(shares, totals, strict=True)
        if share is not None
    ]
    item_shares = [share for share, _ in pairs]
    other_totals = [other_total for _, other_total in pairs]
    return ItemFigures(
        title=title,
        tried=len(pairs),
        whole=sum(share >= 1 for share in item_shares),
        share=round(fmean(item_shares), _DIGITS) if item_shares else None,
        correlation=_correlation(item_shares, other_totals),
        is_upside_down=_is_upside_down(item_shares, other_totals),
    )


def _correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's correlation, or None if all values on one side are equal."""
    if len(set(left)) < 2 or len(set(right)) < 2:  # `correlation` raises if all values are equal
        return None
    return round(correlation(left, right), _DIGITS)


def _is_upside_down(shares: Sequence[float], other_totals: Sequence[float]) -> bool:
    """Return whether the best quarter by `other_totals` has a lower mean share than the weakest.

    Returns False if the totals do not separate the two quarters.
    """
    ordered = sorted(other_totals)
    quarter = max(1, len(ordered) // 4)
    if not ordered or ordered[-quarter] <= ordered[quarter - 1]:
        return False
    # Ties at the edge of a quarter all belong to it, because their order is arbitrary.
    best_shares = [
        share
        for share, total in zip(shares, other_totals, strict=True)
        if total >= ordered[-quarter]
    ]
    weakest_shares = [
        share
        for share, total in zip(shares, other_totals, strict=True)
        if total <= ordered[quarter - 1]
    ]
    return fmean(best_shares) < fmean(weakest_shares)


def _duplicates(columns: Mapping[str, Shares]) -> list[tuple[str, ...]]:
    """Return sets of titles, each of items whose shares agree in every submission.

    Items on which all submissions have the same share are left out.
    """
    titles_by_shares: dict[tuple[float | None, ...], list[str]] = {}
    for title, shares in columns.items():
        if len(set(shares)) > 1:
            titles_by_shares.setdefault(tuple(shares), []).append(title)
    return [tuple(titles) for titles in titles_by_shares.values() if len(titles) > 1]
