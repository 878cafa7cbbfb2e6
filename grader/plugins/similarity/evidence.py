"""Evidence for a pair of programs: rare things in common, for a person to look at.

These are fragments of code; words, such as an unusual name or the same slip in a comment; and
answers, such as the same wrong value where others are right, or wrong in another way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from grader.plugins.similarity.comparing import Likeness
from grader.plugins.similarity.fingerprints import Fingerprint, Word
from grader.reporting.class_analysis import Failure

_RARE_PART: Final = 0.01
_LEAST_RARE: Final = 2
"""Rare means that at most so many have it, or this share of a class."""
_RARE_FRAGMENT: Final = 0.1
"""The largest share of a class with a fragment that is shown as a match."""
_MAX_WORDS: Final = 12
_MAX_ANSWERS: Final = 6


class LineStretch(NamedTuple):
    """Lines of a file."""

    file: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLines:
    """Lines of one program, and the matching lines of another."""

    first: frozenset[tuple[int, int]]
    """The file and the line of each."""
    second: frozenset[tuple[int, int]]


class SharedEvidence:
    """Finds the evidence for pairs of a class."""

    def __init__(
        self,
        fingerprints: Sequence[Fingerprint],
        given: Iterable[Fingerprint] = (),
        failures: Mapping[int, Sequence[Failure]] | None = None,
        groups: Iterable[Sequence[int]] = (),
    ) -> None:
        """Search `fingerprints`; `failures` are the failed cases of some, by place.

        What all of one of the `groups` have is as rare as what two programs have.
        """
        self._fingerprints: Final = fingerprints
        self._failures: Final = failures or {}
        handed_out = list(given)
        self._given: Final = {each for one in handed_out for each in one.hashes}
        self._given_words: Final = {each for one in handed_out for each in one.words}
        self._most: Final = max(_LEAST_RARE, int(len(fingerprints) * _RARE_PART))
        self._most_matching: Final = max(_LEAST_RARE, int(len(fingerprints) * _RARE_FRAGMENT))
        self._holders: Final = Counter(each for one in fingerprints for each in one.hashes)
        self._users: Final = Counter(each for one in fingerprints for each in one.words)
        self._more: Final = {place: len(each) - 2 for each in groups for place in each}
        self._failing: Final = Counter(each.key for one in self._failures.values() for each in one)

    def matches(self, pair: Likeness) -> list[SharedLines]:
        """Return the matching lines of both programs, in the order of the first one."""
        first, second = (self._fingerprints[each] for each in (pair.first, pair.second))
        places = {each: number for number, each in enumerate(second.hashes)}
        found = [
            (LineStretch(*first.place(number)), LineStretch(*second.place(places[each])))
            for number, each in enumerate(first.hashes)
            if each in places
            and each not in self._given
            and self._holders[each] <= self._most_matching + self._more.get(pair.first, 0)
        ]
        return _merged(found)

    def _rare(self, pair: Likeness) -> int:
        return self._most + self._more.get(pair.first, 0)

    def words(self, pair: Likeness) -> list[tuple[Word, int, int]]:
        """Return the words that few others have, with a line of each program."""
        first, second = (self._fingerprints[each].words for each in (pair.first, pair.second))
        shared = [
            each
            for each in first
            if each in second
            and self._users[each] <= self._rare(pair)
            and each not in self._given_words
        ]
        shared.sort(key=lambda each: (self._users[each], each.kind == "name", -len(each.said)))
        return [(each, first[each], second[each]) for each in shared[:_MAX_WORDS]]

    def answers(self, pair: Likeness) -> list[Failure]:
        """Return the wrong answers that few others give."""
        first, second = (self._failures.get(each, ()) for each in (pair.first, pair.second))
        keys = {each.key for each in second}
        found = (e for e in first if e.key in keys and self._failing[e.key] <= self._rare(pair))
        return list(found)[:_MAX_ANSWERS]


def _merged(found: Collection[tuple[LineStretch, LineStretch]]) -> list[SharedLines]:
    """Return the matches, merged if they overlap in the first program."""
    matches: list[tuple[LineStretch, set[tuple[int, int]], set[tuple[int, int]]]] = []
    for one, other in sorted(found):
        if matches and matches[-1][0].file == one.file and one.start <= matches[-1][0].end:
            last, lines, others = matches.pop()
            whole = last._replace(end=max(last.end, one.end))
            matches.append((whole, lines | _lines(one), others | _lines(other)))
        else:
            matches.append((one, _lines(one), _lines(other)))
    return [SharedLines(first=frozenset(a), second=frozenset(b)) for _, a, b in matches]


def _lines(stretch: LineStretch) -> set[tuple[int, int]]:
    return {(stretch.file, line) for line in range(stretch.start, stretch.end + 1)}
