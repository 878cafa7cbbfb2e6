"""The changes that upgrade suites from earlier formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

from grader.errors import SuiteError
from grader.plugins.authoring.generating.freezing import content_sha256, generated_entries_sha256
from grader.plugins.authoring.upgrading.edits import TextEdit, YamlText, apply_edits
from grader.suite.checks import SESSIONS_IN_BUDGET
from grader.suite.diagnostics import quote, read_source
from grader.suite.document import Document, NodePath
from grader.suite.form_errors import validate_document
from grader.suite.formats import FORMAT
from grader.suite.limits import Limits
from grader.suite.model import VersionedForm
from grader.suite.reading import read_document
from grader.values.foreign_text import one_line

REMOVED_SENTENCE_KEYS: Final = frozenset(
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
"""Keys of sentences that a course could reword and that no longer exist."""
_TIMEOUTS_REASON: Final = "time-outs are no longer counted"

_Changes: TypeAlias = Iterator[tuple[TextEdit, str]]
"""Edits, each with a message to print. The message is empty if another edit's message covers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _EarlierDocument:
    """A suite in an earlier format, or the settings that a suite is derived with."""

    name: str
    text: YamlText
    data: Mapping[str, Any]
    groups: frozenset[str] | None
    """The ids of the public suite's groups, or None unless this is a hidden suite."""

    def value_at(self, *keys: str) -> Any:
        """Return the value at a path of `keys`, or None if it is missing."""
        value: Any = self.data
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def sessions(self) -> Iterator[tuple[NodePath, Mapping[str, Any]]]:
        """The sessions and siblings with well-formed steps, each with its path."""
        for key in ("sessions", "siblings"):
            for index, session in enumerate(_as_list(self.data.get(key))):
                if isinstance(session, dict) and all(
                    isinstance(step, dict) for step in _steps(session)
                ):
                    yield (key, index), session


def _as_list(value: Any) -> list[Any]:
    """Return `value` if it is a list, otherwise an empty list."""
    return value if isinstance(value, list) else []


def _steps(session: Mapping[str, Any]) -> list[Any]:
    return _as_list(session.get("steps"))


def upgrade_text(
    text: str, name: str, *, is_suite: bool = True, groups: frozenset[str] | None = None
) -> tuple[str, list[str]]:
    """Return `text` in the current format, and a message for each change.

    `text` is a suite if `is_suite`, otherwise the settings that a suite is derived with. `name` is
    its name in messages. For a hidden suite, `groups` are the ids of the public suite's groups.
    Raises `InvalidSuite` for YAML that suites are not allowed to contain and for unknown formats,
    and `SuiteError` if only the author can make a necessary change.
    """
    messages: list[str] = []
    _reject_broken(read_document(read_source(text.encode(), name)))
    # Parse the text again for each change, because edits move positions.
    for change in (*_CHANGES, *([_set_format] if is_suite else ())):
        data = read_document(read_source(text.encode(), name)).data
        changes = [
            *change(_EarlierDocument(name=name, text=YamlText(text), data=data, groups=groups))
        ]
        text = apply_edits(text, (edit for edit, _ in changes))
        messages += [line for _, line in changes if line]
    return text, messages


def _reject_broken(document: Document) -> None:
    """Raise `InvalidSuite` if the YAML of `document` or its format cannot be read.

    This is checked before any edit, because an edit could hide the mistake, for example by
    removing the anchor of an alias.
    """
    data = {key: value for key, value in document.data.items() if key == "format"}
    validate_document(replace(document, root=replace(document.root, data=data)), VersionedForm)


def _reject_tilings(earlier: _EarlierDocument) -> _Changes:
    """Raise `SuiteError` if a step has the key `tiling`, which cannot be upgraded."""
    for _, session in earlier.sessions:
        if any("tiling" in step for step in _steps(session)):
            name = session.get("id")
            session_name = f"the session {quote(name)}" if isinstance(name, str) else "a session"
            raise SuiteError(
                f"{one_line(earlier.name)}: {session_name} has steps with the key 'tiling', which"
                " no longer exists and cannot be upgraded",
                help="write a checker, call it in `accepts` instead of `tiling`, and run the same"
                " command again",
            )
    yield from ()  # makes the function a generator, like the other changes


def _remove_key(*keys: str, reason: str) -> Callable[[_EarlierDocument], _Changes]:
    """Return a change that removes the key at the path `keys`; `reason` is shown in the message."""

    def change(earlier: _EarlierDocument) -> _Changes:
        if earlier.value_at(*keys) is not None:
            yield earlier.text.remove(keys), f"`{keys[-1]}` is removed: {reason}"

    return change


def _rename_feedback(earlier: _EarlierDocument) -> _Changes:
    """Yield the edit that replaces `feedback: verdict` with its new name `count`."""
    if earlier.value_at("feedback") == "verdict":
        yield (
            earlier.text.replace(("feedback",), "count"),
            "`feedback` is changed from verdict to count, its new name",
        )


def _remove_sentences(earlier: _EarlierDocument) -> _Changes:
    """Yield the edits that remove the course's wording of sentences that no longer exist."""
    wording = earlier.value_at("wording")
    if not isinstance(wording, dict) or not all(isinstance(text, str) for text in wording.values()):
        return  # the loader reports the mistake more precisely
    removed = [key for key in wording if key in REMOVED_SENTENCE_KEYS]
    messages = [f"the sentence {key} is removed: {quote(wording[key])}" for key in removed]
    if removed and len(removed) == len(wording):
        yield earlier.text.remove(("wording",)), "; ".join(messages)
        return
    for key, message in zip(removed, messages, strict=True):
        yield earlier.text.remove(("wording", key)), message


def _raise_time_limit(earlier: _EarlierDocument, clock: str) -> _Changes:
    """Yield the edit that raises the submission's time limit to the required minimum.

    The minimum is the limit of one session, times `SESSIONS_IN_BUDGET`. `clock` is the suffix of
    the keys: `cpu_s` or `wall_s`.
    """
    submission_key, session_key = f"submission_{clock}", f"session_{clock}"
    written_limits = earlier.value_at("limits")
    try:
        limits = Limits.validate(written_limits or {})
    except ValueError:  # the loader reports the mistake more precisely
        return
    minimum = SESSIONS_IN_BUDGET * getattr(limits, session_key)
    if getattr(limits, submission_key) < minimum:
        message = (
            f"`{submission_key}` is set to {minimum:g}, the time of {SESSIONS_IN_BUDGET} sessions"
        )
        if submission_key in written_limits:
            yield earlier.text.replace(("limits", submission_key), f"{minimum:g}"), message
        else:
            yield earlier.text.append(("limits",), f"{submission_key}: {minimum:g}"), message


def _keep_first_of_pools(earlier: _EarlierDocument) -> _Changes:
    """Yield the edits that keep only the first session of each pool.

    That session gets the pool's id, which also names its cases, unless another session already has
    that id. If the hash of the generated entries was right, it is updated.
    """
    pools: dict[str, list[int]] = {}
    sessions = _as_list(earlier.data.get("sessions"))
    if not all(isinstance(entry, dict) and _is_named(entry) for entry in sessions):
        return  # the loader reports the mistake more precisely
    sessions = [{**entry} for entry in sessions]  # copies, because ids are removed below
    for index, session in enumerate(sessions):
        if "pool" in session:
            pools.setdefault(session["pool"], []).append(index)
    session_ids = {session["id"] for session in sessions}
    remaining = dict(enumerate(sessions))
    for pool, (kept_index, *duplicates) in pools.items():
        kept_id, path = remaining[kept_index].pop("id"), ("sessions", kept_index)
        new_id = kept_id if pool in session_ids else pool
        remaining[kept_index] = {"id": new_id} | {
            key: value for key, value in remaining[kept_index].items() if key != "pool"
        }
        message = f"the pool {quote(pool)} is replaced with {quote(kept_id)}"
        if new_id != kept_id:
            message += f", renamed {quote(new_id)}"
        yield earlier.text.remove((*path, "pool")), message
        if new_id != kept_id:
            pool_source = earlier.text.source((*path, "pool"))
            yield earlier.text.replace((*path, "id"), pool_source), ""
        for dropped_index in duplicates:
            dropped_id = quote(remaining.pop(dropped_index)["id"])
            message = f"{dropped_id} is removed: it tests the same with other numbers"
            yield earlier.text.remove(("sessions", dropped_index)), message
    if pools and earlier.value_at("generated", "content") == _hash_with_pools(earlier.data):
        content = generated_entries_sha256({**earlier.data, "sessions": [*remaining.values()]})
        yield earlier.text.replace(("generated", "content"), content), ""


def _is_named(session: Mapping[str, Any]) -> bool:
    """Return whether the ids of `session` and of its pool, if it has one, are strings."""
    return isinstance(session.get("id"), str) and isinstance(session.get("pool", ""), str)


def _hash_with_pools(data: Mapping[str, Any]) -> str:
    """Return the hash of the generated entries, computed as in the formats that had pools.

    In those formats, generated ids could be `g01a` and `g01b`.
    """
    generated_ids = {"sessions": re.compile(r"g\d+[a-z]?"), "siblings": re.compile(r"s\d+")}
    return content_sha256(
        {
            key: [
                entry
                for entry in _as_list(data.get(key))
                if pattern.fullmatch(str(entry.get("id")))
            ]
            for key, pattern in generated_ids.items()
        }
    )


def _add_content_hash(earlier: _EarlierDocument) -> _Changes:
    """Yield the edit that adds the hash of the generated entries if it is missing."""
    generated = earlier.value_at("generated")
    if generated and isinstance(generated, dict) and "content" not in generated:
        text = f"content: {generated_entries_sha256(earlier.data)}"
        yield (
            earlier.text.append(("generated",), text),
            "`content` is added: the hash of the generated entries",
        )


def _set_format(earlier: _EarlierDocument) -> _Changes:
    """Yield the edit that sets the key `format` to the current format."""
    earlier_format = earlier.data.get("format")
    if not earlier.data:
        return  # the loader reports the mistake more precisely
    if earlier_format is None:
        first_key = next(iter(earlier.data))
        yield (
            earlier.text.insert_before(first_key, f"format: {FORMAT}"),
            f"`format` is set to {FORMAT}",
        )
    elif earlier_format != FORMAT:
        message = f"`format` is changed from {earlier_format} to {FORMAT}"
        yield earlier.text.replace(("format",), str(FORMAT)), message


def _add_missing_groups(earlier: _EarlierDocument) -> _Changes:
    """Yield the edits that add the groups that are used but not defined in either suite.

    They get 0 points, because their original points are unknown. Nothing is added unless this is a
    hidden suite.
    """
    if earlier.groups is None:
        return
    groups = [group for group in _as_list(earlier.data.get("groups")) if isinstance(group, dict)]
    defined = [group["id"] for group in groups if isinstance(group.get("id"), str)]
    steps = [step for _, session in earlier.sessions for step in _steps(session)]
    used_ids = {step["group"] for step in steps if isinstance(step.get("group"), str)}
    entries = []
    for group in sorted(used_ids.difference(defined, earlier.groups)):
        message = f"the group {quote(group)} is not in the public suite and gets 0 points"
        entries.append((f"{{id: {group}, points: 0}}", message))
    if entries and not defined:  # there is no list to append to
        messages = "; ".join(message for _, message in entries)
        text = ", ".join(entry for entry, _ in entries)
        first_key = next(key for key in ("sessions", "siblings") if key in earlier.data)
        yield earlier.text.insert_before(first_key, f"groups: [{text}]"), messages
        return
    for entry, message in entries:
        yield earlier.text.append(("groups",), entry), message


_CHANGES: Final = (
    _reject_tilings,
    _remove_key("generated", "drawn", reason="all sessions in the suite count"),
    _remove_key("limits", "timeouts", reason=_TIMEOUTS_REASON),
    _remove_key("limits", "group_timeouts", reason=_TIMEOUTS_REASON),
    _rename_feedback,
    _remove_sentences,
    partial(_raise_time_limit, clock="cpu_s"),
    partial(_raise_time_limit, clock="wall_s"),
    _keep_first_of_pools,
    _add_content_hash,
    _add_missing_groups,
)
"""All changes in order. The hash is added when the sessions that it covers no longer change."""
