"""Collects evidence for a pair of programs: rare features that both have, for a person to judge.

These features are fragments of code, words, and wrong answers. A word is, for example, an unusual
name, or the same slip in a comment. A wrong answer counts if others are right, or wrong in another
way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from grader.plugins.similarity.comparing import Likeness
from grader.plugins.similarity.fingerprints import Fingerprint, Word
from grader.reporting.class_analysis import Failure

_RARE_SHARE: Final = 0.01
_MIN_RARE: Final = 2
"""A feature is rare if at most this many programs have it, or `_RARE_SHARE` of the class."""
_RARE_FRAGMENT: Final = 0.1
"""A fragment is shown as a match if at most this share of the class has it."""
_MAX_WORDS: Final = 12
_MAX_ANSWERS: Final = 6


class LineStretch(NamedTuple):
    """Consecutive lines of a file, from `start` up to and including `end`.

    `file` is the index of the file in its program.
    """

    file: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLines:
    """Lines of one program, and the matching lines of another."""

    first: frozenset[tuple[int, int]]
    """Pairs of a file index and a line number."""
    second: frozenset[tuple[int, int]]
    """The same for the other program."""


class SharedEvidence:
    """Finds the evidence for pairs of programs in a class."""

    def __init__(
        self,
        fingerprints: Sequence[Fingerprint],
        given: Iterable[Fingerprint] = (),
        failures: Mapping[int, Sequence[Failure]] | None = None,
        groups: Iterable[Sequence[int]] = (),
    ) -> None:
        """Count how many programs have each feature of the `fingerprints`.

        Features of `given`, the code that was handed out, are not evidence. `failures` has the
        failed cases of programs, keyed by their index. A feature that all members of one of
        `groups` have counts as if only two programs had it.
        """
        self._fingerprints: Final = fingerprints
        self._failures: Final = failures or {}
        given = list(given)
        self._given: Final = {fragment for program in given for fragment in program.hashes}
        self._given_words: Final = {word for program in given for word in program.words}
        self._max_holders: Final = max(_MIN_RARE, int(len(fingerprints) * _RARE_SHARE))
        self._max_matching_holders: Final = max(_MIN_RARE, int(len(fingerprints) * _RARE_FRAGMENT))
        self._fragment_counts: Final = Counter(
            fragment for program in fingerprints for fragment in program.hashes
        )
        self._word_counts: Final = Counter(
            word for program in fingerprints for word in program.words
        )
        # Otherwise, code that a large group copied would no longer be rare.
        self._extra_holders: Final = {index: len(group) - 2 for group in groups for index in group}
        self._failure_counts: Final = Counter(
            failure.key for failures in self._failures.values() for failure in failures
        )

    def matches(self, pair: Likeness) -> list[SharedLines]:
        """Return the matching lines of both programs, in the order of the first program."""
        first, second = (self._fingerprints[index] for index in (pair.first, pair.second))
        indexes = {fragment: index for index, fragment in enumerate(second.hashes)}
        stretches = [
            (LineStretch(*first.location(index)), LineStretch(*second.location(indexes[fragment])))
            for index, fragment in enumerate(first.hashes)
            if fragment in indexes
            and fragment not in self._given
            and self._fragment_counts[fragment]
            <= self._max_matching_holders + self._extra_holders.get(pair.first, 0)
        ]
        return _merge_matches(stretches)

    def _max_rare_holders(self, pair: Likeness) -> int:
        return self._max_holders + self._extra_holders.get(pair.first, 0)

    def words(self, pair: Likeness) -> list[tuple[Word, int, int]]:
        """Return rare words that both programs have, each with its line in each program.

        At most `_MAX_WORDS` are returned, the rarest first. Of equally rare ones, names come last.
        """
        first, second = (self._fingerprints[index].words for index in (pair.first, pair.second))
        shared = [
            word
            for word in first
            if word in second
            and self._word_counts[word] <= self._max_rare_holders(pair)
            and word not in self._given_words
        ]
        shared.sort(
            key=lambda word: (self._word_counts[word], word.kind == "name", -len(word.text))
        )
        return [(word, first[word], second[word]) for word in shared[:_MAX_WORDS]]

    def answers(self, pair: Likeness) -> list[Failure]:
        """Return the first `_MAX_ANSWERS` rare wrong answers that both programs give."""
        first, second = (self._failures.get(index, ()) for index in (pair.first, pair.second))
        keys = {failure.key for failure in second}
        shared = (
            failure
            for failure in first
            if failure.key in keys
            and self._failure_counts[failure.key] <= self._max_rare_holders(pair)
        )
        return list(shared)[:_MAX_ANSWERS]


def _merge_matches(stretches: Collection[tuple[LineStretch, LineStretch]]) -> list[SharedLines]:
    """Return pairs of matching `stretches`, merged if they overlap in the first program."""
    matches: list[tuple[LineStretch, set[tuple[int, int]], set[tuple[int, int]]]] = []
    for first, second in sorted(stretches):
        if matches and matches[-1][0].file == first.file and first.start <= matches[-1][0].end:
            last, first_lines, second_lines = matches.pop()
            merged = last._replace(end=max(last.end, first.end))
            matches.append((merged, first_lines | _lines(first), second_lines | _lines(second)))
        else:
            matches.append((first, _lines(first), _lines(second)))
    return [
        SharedLines(first=frozenset(first_lines), second=frozenset(second_lines))
        for _, first_lines, second_lines in matches
    ]


def _lines(stretch: LineStretch) -> set[tuple[int, int]]:
    return {(stretch.file, line) for line in range(stretch.start, stretch.end + 1)}
