"""Records on other suites, as a store has them: of these may stay what has not changed."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grader.store.database import Database
from grader.store.keys import RecordKey
from grader.store.runs import RunEntry


class Earlier(NamedTuple):
    """A packed record on another suite."""

    data: bytes
    pattern: bytes
    """To which it is packed."""
    outline: bytes
    """That of its suite."""
    is_lasting: bool


class EarlierRecords:
    """The records in one store, as far as they can be of use on another suite."""

    def __init__(self, database: Database) -> None:
        """Find those in `database`."""
        self._database: Final = database
        self._asked: Final[dict[tuple[str, str], tuple[Any, ...]]] = {}

    def of(
        self, entry: RunEntry, key: RecordKey, asks: str, least_level: int = 0
    ) -> Earlier | None:
        """Return a record of `entry` on another suite, from the same files and environment.

        That on a suite that `asks` the same for other points if there is one, or else the latest
        of those that last. It may also be the same suite, and another deadline. It was not made
        behind lower walls than those of the `least_level`.
        """
        rows = self._database.rows(
            "SELECT data, pattern, suite, is_lasting FROM record JOIN suite ON suite = suite.sha256"
            " WHERE submission = ? AND record.exercise = ? AND student = ? AND environment = ?"
            " AND key <> ? AND status = 'graded' AND isolation >= ?"
            " AND outline IS NOT NULL AND (asks = ? OR is_lasting)"
            " ORDER BY asks = ? DESC, id DESC LIMIT 1",
            (
                *(key.submission, entry.exercise, entry.student, key.environment),
                *(key.sha256, least_level, asks, asks),
            ),
        )
        if not rows:
            return None
        data, pattern, suite, is_lasting = rows[0]
        (cases,) = self._known("SELECT cases FROM pattern WHERE sha256 = ?", pattern)
        (outline,) = self._known("SELECT outline FROM suite WHERE sha256 = ?", suite)
        return Earlier(data, cases, outline, bool(is_lasting))

    def _known(self, question: str, sha256: str) -> tuple[Any, ...]:
        """Return the row of what has this hash, the same object each time: it goes to workers."""
        if (question, sha256) not in self._asked:
            self._asked[question, sha256] = self._database.one(question, sha256)
        return self._asked[question, sha256]
