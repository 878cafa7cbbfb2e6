"""What a class has in common: the same wrong answers, and how good its items are as questions.

Each failure is reduced to a key: the case and its verdict, with the type and value of a wrong
answer, or the type of an exception and the line of the submission that raised it. Students with
the same key make the same mistake, or misread the exercise in the same way.

Records are large and not kept here. Of each failing case only the key and a short example remain;
long examples are shared between submissions that show the same.

Item analysis says how hard each part of an exercise is, and whether it tells students apart. An
item is a testlet: a group, or a session. Single steps are never items, because they depend on each
other: when one fails the next ones do too, and figures about them look better than they are.

The result of a submission on an item is the share of its cases that passed, or None if none ran.
Difficulty is the mean share. Discrimination is the correlation of the shares with the results of
the same submissions on all *other* items, so that no item is compared with itself. The cut-offs are
those that Blackboard shows. With few submissions these figures say little; with very few, nothing.
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
from grader.values.foreign_text import one_line, shown_text
from grader.verdict import Verdict, Visibility

_MAX_FAILURES: Final = 1_000
"""Failing cases of one submission that are analysed."""
_MAX_SESSION_CHARS: Final = 1_500
"""Characters of a session, not counting its first step."""
_MAX_OUTPUT_CHARS: Final = 300
_MAX_OUTPUT_LINES: Final = 12
_LAST_STEPS: Final = 9
_MAX_ANSWER_CHARS: Final = 240
_KEPT_CHARS: Final = 60_000
"""Characters of sessions kept per submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is kept of a failing case."""

    key: str
    """Equal for cases that failed in the same way."""
    code: str
    verdict: Verdict
    expected: str
    got: str
    line: str
    """The line of the submission that raised the exception, if any did."""
    steps: int
    """Length of the session that shows it."""
    session: str
    """That session as an interpreter would show it, cut short; empty once too much is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Submissions that fail a case in the same way."""

    members: tuple[int, ...]
    """Indices of the submissions."""
    example: int
    """Index of the submission with the smallest session."""
    failure: Failure
    """The failure of that submission."""
    others: int
    """Number of further cases that exactly these submissions fail, each in one way."""


def failures(record: Record) -> tuple[Failure, ...]:
    """Return what is kept of the failing cases of `record`, public and hidden."""
    unpassed = (case for case in record.cases if case.verdict is not Verdict.PASSED)
    return tuple(_failures(islice(filter(_counts_as_failure, unpassed), _MAX_FAILURES)))


def clusters(by_submission: Sequence[Sequence[Failure]]) -> list[Cluster]:
    """Return the clusters of two or more submissions, the largest first.

    `by_submission` has the failures of each submission. Cases that exactly the same submissions
    fail form one cluster, shown by the case with the smallest session.
    """
    members: dict[str, list[int]] = {}
    smallest: dict[str, tuple[int, Failure]] = {}
    for index, submission_failures in enumerate(by_submission):
        for failure in submission_failures:
            members.setdefault(failure.key, []).append(index)
            best = smallest.get(failure.key)
            if best is None or _size(failure) < _size(best[1]):
                smallest[failure.key] = (index, failure)
    by_members: dict[tuple[int, ...], list[tuple[int, Failure]]] = {}
    for key, indices in members.items():
        if len(indices) > 1:
            by_members.setdefault(tuple(indices), []).append(smallest[key])
    merged = [_cluster(indices, shown) for indices, shown in by_members.items()]
    return sorted(merged, key=lambda cluster: (-len(cluster.members), -cluster.others))


def _cluster(indices: tuple[int, ...], candidates: Sequence[tuple[int, Failure]]) -> Cluster:
    example, failure = min(candidates, key=lambda candidate: _size(candidate[1]))
    return Cluster(members=indices, example=example, failure=failure, others=len(candidates) - 1)


def _size(failure: Failure) -> tuple[bool, int, int]:
    return not failure.session, failure.steps, len(failure.session)  # with a session first


def _counts_as_failure(case: CaseResult) -> bool:
    return (
        tone_of(case.verdict) is Tone.BAD
        and case.verdict is not Verdict.TAMPERED  # a person looks at each one separately
        and case.visibility is not Visibility.STAFF
        and not (case.is_own_test and case.source is None)  # its result is unknown
    )


def _failures(cases: Iterable[CaseResult]) -> Iterator[Failure]:
    """Yield what is kept of failing `cases`, without sessions once these are too long."""
    left = _KEPT_CHARS
    for case in cases:
        session = _session(case.transcript) if left > 0 else ""
        left -= len(session)
        # Interned: a class shows the same texts, and all of these stay in memory.
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
    got = shown_text(case.got or "")
    outcome: tuple[str, ...]
    if case.verdict is Verdict.WRONG:
        # The first sentence names the type where the text of a value does not show it.
        outcome = (got, *map(repr, case.explanation[:1]))
    elif case.source is not None:
        outcome = (got.partition(":")[0], _line(case.source.text))
    else:
        outcome = (got,)
    text = repr((case.id, case.verdict.value, outcome))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]  # many are kept


def _line(text: str) -> str:
    """Return a line of code without indentation, blanks collapsed."""
    return " ".join(one_line(text, _MAX_ANSWER_CHARS).split())


def _session(transcript: Sequence[TranscriptLine]) -> str:
    """Return the session: its first step, and as many of the last ones as fit."""
    if not transcript:
        return ""
    *before, failing = transcript
    shown = [_step(failing)]
    left = _MAX_SESSION_CHARS - len(shown[0])
    first = [_step(before[0])] if before else []
    for step in reversed(before[1:]):
        text = _step(step)
        left -= len(text)
        if left < 0 or len(shown) == _LAST_STEPS:
            break
        shown.append(text)
    left_out = len(before) - len(first) - len(shown) + 1
    gap = [f"… (+{left_out})"] if left_out else []
    return "\n".join([*first, *gap, *reversed(shown)])


def _step(step: TranscriptLine) -> str:
    code = excerpt_lines(step.code, _MAX_OUTPUT_CHARS, _MAX_OUTPUT_LINES)
    prompted = [f"{'... ' if number else step.prompt}{line}" for number, line in enumerate(code)]
    output = excerpt(step.output, _MAX_OUTPUT_CHARS, _MAX_OUTPUT_LINES).rstrip("\n")
    return "\n".join([*prompted, output] if output else prompted)


MIN_FIGURES: Final = 5
"""With fewer submissions, only counts are shown."""
MIN_SURE: Final = 20
"""With fewer submissions, figures come with a warning."""
_EASY: Final = 0.8
_HARD: Final = 0.3
_GOOD: Final = 0.3
_FAIR: Final = 0.1
_DIGITS: Final = 9
"""Decimals of sums of shares that are compared: beyond these, differences are rounding errors."""

Shares: TypeAlias = Sequence[float | None]
"""The share of one item that each submission has right, from 0 to 1; None where it did not run."""


@unique
class Difficulty(Enum):
    """How many students get it right."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@unique
class Discrimination(Enum):
    """How well it separates students who do well elsewhere from those who do not."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "unknown"
    """Everybody has the same share, so there is nothing to calculate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFigures:
    """One testlet, and how the class did on it."""

    title: str
    tried: int
    """Submissions in which any of it ran."""
    whole: int
    """Submissions that have all of it right."""
    share: float | None
    """The mean share, over those in which it ran."""
    correlation: float | None
    """Its shares against the totals of the other items."""
    is_upside_down: bool
    """Whether the best quarter of the class does worse on it than the weakest quarter."""

    @property
    def difficulty(self) -> Difficulty | None:
        """The mean share in a word."""
        if self.share is None:
            return None
        if self.share > _EASY:
            return Difficulty.EASY
        return Difficulty.HARD if self.share < _HARD else Difficulty.MEDIUM

    @property
    def discrimination(self) -> Discrimination:
        """The correlation in a word."""
        if self.correlation is None:
            return Discrimination.UNKNOWN
        if self.correlation > _GOOD:
            return Discrimination.GOOD
        return Discrimination.POOR if self.correlation < _FAIR else Discrimination.FAIR

    @property
    def is_suspect(self) -> bool:
        """Whether the test may be wrong, or the text of the exercise about it."""
        return self.discrimination is Discrimination.POOR or self.is_upside_down

    @property
    def is_dead(self) -> bool:
        """Whether it separates nobody: everybody has all of it right, or nobody any of it."""
        return self.share in {0.0, 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The items of one kind, groups or sessions, of one exercise."""

    count: int
    """Number of submissions."""
    items: tuple[ItemFigures, ...]
    duplicates: tuple[tuple[str, ...], ...]
    """Titles of items on which each submission has the same share."""

    @property
    def has_figures(self) -> bool:
        """Whether there are enough submissions for more than counts."""
        return self.count >= MIN_FIGURES

    @property
    def is_sure(self) -> bool:
        """Whether there are enough submissions to rely on the figures."""
        return self.count >= MIN_SURE

    @property
    def suspect(self) -> tuple[ItemFigures, ...]:
        """Items to look at first, the worst first."""
        found = [item for item in self.items if item.is_suspect]
        return tuple(sorted(found, key=lambda item: item.correlation or 0.0))

    @property
    def dead(self) -> tuple[ItemFigures, ...]:
        """Items that separate nobody."""
        return tuple(item for item in self.items if item.is_dead)


def analysis(columns: Mapping[str, Shares]) -> Analysis:
    """Return the analysis of `columns`: shares by title of the item, all equally long."""
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
    """Return the figures of the item with these `shares`; `totals` are over all items."""
    # In the totals, a part that did not run counts as 0: it earned nothing.
    pairs = [
        (share, round(total - share, _DIGITS))
        for share, total in zip(shares, totals, strict=True)
        if share is not None
    ]
    own = [share for share, _ in pairs]
    rest = [rest for _, rest in pairs]
    return ItemFigures(
        title=title,
        tried=len(pairs),
        whole=sum(share >= 1 for share in own),
        share=round(fmean(own), _DIGITS) if own else None,
        correlation=_correlation(own, rest),
        is_upside_down=_is_upside_down(own, rest),
    )


def _correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's correlation, or None if all values of a side are equal."""
    if len(set(left)) < 2 or len(set(right)) < 2:  # `correlation` raises for a constant
        return None
    return round(correlation(left, right), _DIGITS)


def _is_upside_down(shares: Sequence[float], other_totals: Sequence[float]) -> bool:
    """Return whether the best quarter by `other_totals` has lower `shares` than the weakest."""
    ordered = sorted(other_totals)
    quarter = max(1, len(ordered) // 4)
    if not ordered or ordered[-quarter] <= ordered[quarter - 1]:
        return False
    # Ties at the edge of a quarter all belong to it: any order among equals is arbitrary.
    best = [
        share
        for share, total in zip(shares, other_totals, strict=True)
        if total >= ordered[-quarter]
    ]
    weakest = [
        share
        for share, total in zip(shares, other_totals, strict=True)
        if total <= ordered[quarter - 1]
    ]
    return fmean(best) < fmean(weakest)


def _duplicates(columns: Mapping[str, Shares]) -> list[tuple[str, ...]]:
    """Return the titles of items with equal shares for everybody, leaving out constant items."""
    titles_by_shares: dict[tuple[float | None, ...], list[str]] = {}
    for title, shares in columns.items():
        if len(set(shares)) > 1:
            titles_by_shares.setdefault(tuple(shares), []).append(title)
    return [tuple(titles) for titles in titles_by_shares.values() if len(titles) > 1]
