"""Clauses, which settle cases by quoting the spec or by giving the course's reading of it.

A *quote* has the words of the spec. A *reading* interprets what the spec leaves open. As students
cannot be expected to share it, its cases earn no points unless the public suite publishes it.
"""

from __future__ import annotations

import errno
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader.suite.diagnostics import MAX_BYTES, Refusal, quote
from grader.suite.fields import Form, Id, Remark, key, optional
from grader.suite.session import Session
from grader.suite.steps import Group
from grader.values.foreign_text import one_line

if TYPE_CHECKING:  # importing it loads YAML, and most suites come from the cache
    from grader.suite.document import Findings

_ONE_OF: Final[dict[str, Any]] = {"oneOf": [{"required": ["quote"]}, {"required": ["reading"]}]}


class Clause(Form, title="clause", json_schema_extra=_ONE_OF):
    """What settles cases: words of the text that students get, or our reading of it."""

    form_name = "a clause"

    id: Id = key("Unique name of the clause.", "maak_wit-bezet")
    quote: Remark | None = optional(
        "Exact words of the spec, apart from line ends and double blanks. \u2026 stands for words "
        "left out.",
        "Een methode maak_wit \u2026 als het vakje op positie p niet leeg is",
    )
    reading: Remark | None = optional(
        "Your interpretation where the spec leaves something open. Its cases may earn points "
        "only if the public suite has it too.",
        "Een lege regel achteraan telt niet mee.",
    )

    def complete(self) -> None:
        """Raise `Refusal` unless either `quote` or `reading` is given, but not both."""
        if self.quote is None and self.reading is None:
            raise Refusal(
                "this clause has neither a `quote` nor a `reading`",
                "quote the words of the spec that settle it, or write a `reading` for what it"
                " leaves open",
            )
        if self.quote is not None and self.reading is not None:
            raise Refusal(
                "this clause has both a `quote` and a `reading`",
                "keep only the `quote` if its words settle the cases, or else only the `reading`",
            )


class SpecText:
    """The spec, in which quotes are looked up."""

    def __init__(self, text: str) -> None:
        """Prepare `text` for lookups by normalising its whitespace."""
        lines = [" ".join(line.split()) for line in text.splitlines()]
        nonblank_lines = [line for line in lines if line]
        self._numbers: Final = [number for number, line in enumerate(lines, start=1) if line]
        # Plus one, because a space follows each line in `_text`.
        self._starts: Final = [*accumulate((len(line) + 1 for line in nonblank_lines), initial=0)]
        # A single line, so that a quote can span several lines of the spec.
        self._text: Final = " ".join(nonblank_lines)

    def find_line(self, quote: str) -> int | None:
        """Return the number, from 1, of the line on which the last part of `quote` begins.

        Ellipses separate the parts, which must occur in this order. Return None if they do not, or
        if `quote` has no words.
        """
        parts = [" ".join(part.split()) for part in quote.split("\u2026")]
        if not any(parts):
            return None
        start = end = 0
        for words in parts:
            start = self._text.find(words, end)
            if start < 0:
                return None
            end = start + len(words)
        return self._numbers[bisect_right(self._starts, start) - 1]


def read_spec(path: Path) -> str:
    """Return the text of the spec at `path`, which a suite or a settings file names.

    Raises `OSError` if it cannot be read, is not a file or is larger than `MAX_BYTES`, and
    `UnicodeDecodeError` if it is not UTF-8.
    """
    # Reading a FIFO would block, and a device might have no end.
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "Not a file", str(path))
    with path.open("rb") as file:
        # One byte more than allowed is enough to notice that the file is too large.
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"Larger than {MAX_BYTES // 1024**2} MB", str(path))
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")


def quoted_lines(
    clauses: Sequence[Clause], spec: Path, findings: Findings, packed: str | None = None
) -> Mapping[str, int]:
    """Return the line of the `spec` that each of `clauses` quotes, keyed by clause id.

    `packed` is the text of the spec if the suite contains it. Quotes that are not found, and a spec
    that cannot be read, are reported to `findings`.
    """
    quoting_clauses = [
        (index, clause) for index, clause in enumerate(clauses) if clause.quote is not None
    ]
    if not quoting_clauses:
        return {}
    try:
        text = SpecText(read_spec(spec) if packed is None else packed)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        message = f"quotes cannot be checked: {one_line(str(spec))} cannot be read: {reason}"
        findings.report_key(
            ("clauses",), message, "set `spec` to the path of the text that students get"
        )
        return {}
    lines = {}
    for index, clause in quoting_clauses:
        line = text.find_line(clause.quote or "")
        if line is None:
            message = f"these words are not in {one_line(str(spec))}"
            advice = "quote it exactly; write a `reading` for what the spec leaves open"
            findings.report_value(("clauses", index, "quote"), message, advice)
        else:
            lines[clause.id] = line
    return lines


def check_clauses(
    key: str, sessions: Sequence[Session], known: Sequence[Clause], findings: Findings
) -> None:
    """Report steps of the `sessions` at `key` whose clause is not among the `known` clauses."""
    ids = [clause.id for clause in known]
    for index, session in enumerate(sessions):
        for step_index, step in enumerate(session.steps):
            if step.clause is not None:
                path = (key, index, "steps", step_index, "clause")
                findings.report_unknown("clause", path, step.clause, ids, "clauses to choose from")


def check_scored_cases(
    sessions: Sequence[Session],
    groups: Iterable[Group],
    known: Iterable[Clause],
    published: Collection[str],
    findings: Findings,
) -> None:
    """Report cases of `sessions` that earn points without a clause that students can see.

    `known` are all clauses, and `published` the ids of those in the public suite.
    """
    private_readings = {
        clause.id for clause in known if clause.reading is not None and clause.id not in published
    }
    scored_groups = {group.id for group in groups if group.points > 0}
    for index, session in enumerate(sessions):
        for case in session.cases:
            path = ("sessions", index, "steps", case.step_index)
            clause, group = session.steps[case.step_index].clause, quote(case.group)
            if case.group not in scored_groups:
                continue
            if clause is None:
                message = f"no clause settles this case of {group}, which earns points"
                findings.report_value((*path, "group"), message, "name its `clause`")
            elif clause in private_readings:
                message = f"{quote(clause)} is an unpublished reading, and {group} earns points"
                advice = "put the case in a group of 0 points, or the reading in the public suite"
                findings.report_value((*path, "clause"), message, advice)
