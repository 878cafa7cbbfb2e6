"""The changes that upgrade suites of earlier formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

from grader.errors import SuiteError
from grader.plugins.authoring.generating.freezing import content_of, content_sha256
from grader.plugins.authoring.upgrading.edits import TextEdit, YamlText, edited
from grader.suite.checks import SESSIONS_IN_BUDGET
from grader.suite.diagnostics import quoted, read_source
from grader.suite.document import Document, NodePath
from grader.suite.form_errors import validated
from grader.suite.formats import FORMAT
from grader.suite.limits import Limits
from grader.suite.model import Formatted
from grader.suite.reading import read_document
from grader.values.foreign_text import one_line

SAID_NO_MORE: Final = frozenset(
    {
        "not_run.timeouts",
        "report.board_more",
        "report.changes_flagged_one",
        "report.changes_more",
        "report.changes_student",
        "report.evidence_more",
        "report.evidence_more_one",
        "report.index_student",
        "report.limit_timeouts",
        "report.limit_timeouts_one",
        "report.rule_more",
    }
)
"""Sentences that a course could reword, and that no longer exist."""
_NOT_COUNTED: Final = "time-outs are no longer counted"

_Changes: TypeAlias = Iterator[tuple[TextEdit, str]]
"""Edits, each with a line to print; empty for those that belong to another edit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Earlier:
    """A suite, or the settings of a derivation, in an earlier format."""

    name: str
    text: YamlText
    data: Mapping[str, Any]
    groups: frozenset[str] | None
    """The groups of the public suite; None unless this is a hidden suite."""

    def within(self, *keys: str) -> Any:
        """Return the value at a path of `keys`, None if it is missing."""
        inside: Any = self.data
        for key in keys:
            inside = inside.get(key) if isinstance(inside, dict) else None
        return inside

    @property
    def sessions(self) -> Iterator[tuple[NodePath, Mapping[str, Any]]]:
        """The sessions and siblings with steps, each with its path."""
        for key in ("sessions", "siblings"):
            for place, each in enumerate(_list(self.data.get(key))):
                if isinstance(each, dict) and all(isinstance(step, dict) for step in _steps(each)):
                    yield (key, place), each


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _steps(session: Mapping[str, Any]) -> list[Any]:
    return _list(session.get("steps"))


def brought_up(
    text: str, name: str, *, is_suite: bool = True, groups: frozenset[str] | None = None
) -> tuple[str, list[str]]:
    """Return `text`, called `name`, in the current format, and a line for each change.

    It is a suite, or settings. For a hidden suite, `groups` are those of the public one. Raises
    `InvalidSuite` for YAML that no suite may have and for unknown formats, and `SuiteError` for
    what only the author can change.
    """
    told: list[str] = []
    _refuse_broken(read_document(read_source(text.encode(), name)))
    # Each change parses the text again, as edits move positions.
    for change in (*_CHANGES, *([_number] if is_suite else ())):
        data = read_document(read_source(text.encode(), name)).data
        found = [*change(_Earlier(name=name, text=YamlText(text), data=data, groups=groups))]
        text = edited(text, (edit for edit, _ in found))
        told += [line for _, line in found if line]
    return text, told


def _refuse_broken(document: Document) -> None:
    """Raise `InvalidSuite` if the YAML of `document` or its format cannot be read.

    An edit could hide it: without its anchor, an alias means nothing.
    """
    data = {key: value for key, value in document.data.items() if key == "format"}
    validated(replace(document, root=replace(document.root, data=data)), Formatted)


def _refuse_tilings(earlier: _Earlier) -> _Changes:
    for _, session in earlier.sessions:
        if any("tiling" in step for step in _steps(session)):
            name = session.get("id")
            which = f"the session {quoted(name)}" if isinstance(name, str) else "a session"
            raise SuiteError(
                f"{one_line(earlier.name)}: {which} has steps with the key 'tiling', which is gone"
                " and cannot be upgraded",
                help="write a checker, call it in `accepts`, and run the same command again",
            )
    yield from ()  # only makes it a generator, like the other changes


def _leave_out(*keys: str, why: str) -> Callable[[_Earlier], _Changes]:
    def change(earlier: _Earlier) -> _Changes:
        if earlier.within(*keys) is not None:
            yield earlier.text.without(keys), f"`{keys[-1]}` is removed: {why}"

    return change


def _count(earlier: _Earlier) -> _Changes:
    if earlier.within("feedback") == "verdict":
        yield earlier.text.replaced(("feedback",), "count"), "`feedback` is count, as verdict was"


def _say_no_more(earlier: _Earlier) -> _Changes:
    wording = earlier.within("wording")
    if not isinstance(wording, dict) or not all(isinstance(each, str) for each in wording.values()):
        return  # the loader reports it better
    gone = [key for key in wording if key in SAID_NO_MORE]
    told = [f"the sentence {key} is removed: {quoted(wording[key])}" for key in gone]
    if gone and len(gone) == len(wording):
        yield earlier.text.without(("wording",)), "; ".join(told)
        return
    for key, line in zip(gone, told, strict=True):
        yield earlier.text.without(("wording", key)), line


def _leave_time(earlier: _Earlier, clock: str) -> _Changes:
    """Raise the time of a submission to the minimum number of sessions."""
    whole, single = f"submission_{clock}", f"session_{clock}"
    written = earlier.within("limits")
    try:
        limits = Limits.checked(written or {})
    except ValueError:  # the loader reports it better
        return
    least = SESSIONS_IN_BUDGET * getattr(limits, single)
    if getattr(limits, whole) < least:
        line = f"`{whole}` is {least:g}, the time of {SESSIONS_IN_BUDGET} sessions"
        if whole in written:
            yield earlier.text.replaced(("limits", whole), f"{least:g}"), line
        else:
            yield earlier.text.last(("limits",), f"{whole}: {least:g}"), line


def _keep_first_of_pools(earlier: _Earlier) -> _Changes:
    """Keep the first session of each pool, with the id of the pool, which names its cases."""
    pools: dict[str, list[int]] = {}
    sessions = _list(earlier.data.get("sessions"))
    if not all(isinstance(each, dict) and _is_named(each) for each in sessions):
        return  # the loader reports it better
    sessions = [{**each} for each in sessions]  # copies, as ids are taken out below
    for place, session in enumerate(sessions):
        if "pool" in session:
            pools.setdefault(session["pool"], []).append(place)
    taken = {session["id"] for session in sessions}
    asked = dict(enumerate(sessions))
    for pool, (first, *others) in pools.items():
        kept, at = asked[first].pop("id"), ("sessions", first)
        name = kept if pool in taken else pool
        asked[first] = {"id": name} | {k: v for k, v in asked[first].items() if k != "pool"}
        line = f"from the pool {quoted(pool)} everybody gets {quoted(kept)}, renamed {quoted(name)}"
        yield earlier.text.without((*at, "pool")), line
        if name != kept:
            written = earlier.text.source((*at, "pool"))
            yield earlier.text.replaced((*at, "id"), written), ""
        for other in others:
            dropped = quoted(asked.pop(other)["id"])
            line = f"{dropped} is removed: it tests the same with other numbers"
            yield earlier.text.without(("sessions", other)), line
    if pools and earlier.within("generated", "content") == _content_of_then(earlier.data):
        now = content_of({**earlier.data, "sessions": [*asked.values()]})
        yield earlier.text.replaced(("generated", "content"), now), ""


def _is_named(session: Mapping[str, Any]) -> bool:
    """Return whether the ids of `session` and of its pool, if any, are strings."""
    return isinstance(session.get("id"), str) and isinstance(session.get("pool", ""), str)


def _content_of_then(data: Mapping[str, Any]) -> str:
    """Return the hash of generated entries in formats with pools, of `g01a` and `g01b`."""
    made = {"sessions": re.compile(r"g\d+[a-z]?"), "siblings": re.compile(r"s\d+")}
    return content_sha256(
        {
            key: [each for each in _list(data.get(key)) if name.fullmatch(str(each.get("id")))]
            for key, name in made.items()
        }
    )


def _say_content(earlier: _Earlier) -> _Changes:
    generated = earlier.within("generated")
    if generated and isinstance(generated, dict) and "content" not in generated:
        text = f"content: {content_of(earlier.data)}"
        yield (
            earlier.text.last(("generated",), text),
            "`content` is added: the hash of what was generated",
        )


def _number(earlier: _Earlier) -> _Changes:
    written = earlier.data.get("format")
    if not earlier.data:
        return  # the loader reports it better
    if written is None:
        first = next(iter(earlier.data))
        yield earlier.text.before(first, f"format: {FORMAT}"), f"`format` is {FORMAT}"
    elif written != FORMAT:
        line = f"`format` is {FORMAT} instead of {written}"
        yield earlier.text.replaced(("format",), str(FORMAT)), line


def _keep_groups(earlier: _Earlier) -> _Changes:
    """Give groups that are gone from the public suite 0 points, as their worth is unknown."""
    if earlier.groups is None:
        return
    groups = [each for each in _list(earlier.data.get("groups")) if isinstance(each, dict)]
    own = [each["id"] for each in groups if isinstance(each.get("id"), str)]
    steps = [step for _, each in earlier.sessions for step in _steps(each)]
    used = {step["group"] for step in steps if isinstance(step.get("group"), str)}
    entries = []
    for group in sorted(used.difference(own, earlier.groups)):
        line = f"the group {quoted(group)} is not in the public suite: it has 0 points"
        entries.append((f"{{id: {group}, points: 0}}", line))
    if entries and not own:
        told = "; ".join(line for _, line in entries)
        text = ", ".join(entry for entry, _ in entries)
        first = next(key for key in ("sessions", "siblings") if key in earlier.data)
        yield earlier.text.before(first, f"groups: [{text}]"), told
        return
    for entry, line in entries:
        yield earlier.text.last(("groups",), entry), line


_CHANGES: Final = (
    _refuse_tilings,
    _leave_out("generated", "drawn", why="all sessions in the suite count"),
    _leave_out("limits", "timeouts", why=_NOT_COUNTED),
    _leave_out("limits", "group_timeouts", why=_NOT_COUNTED),
    _count,
    _say_no_more,
    partial(_leave_time, clock="cpu_s"),
    partial(_leave_time, clock="wall_s"),
    _keep_first_of_pools,
    _say_content,
    _keep_groups,
)
