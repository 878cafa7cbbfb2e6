"""A suite on its way from the file: the forms of all its parts that are valid by themselves.

When some part of a suite is not valid, the others are checked against each other all the same, so
that an author sees all mistakes at once. What is not valid is None in a draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from grader.loading.fields import Form
from grader.loading.forms import (
    GroupForm,
    SessionForm,
    SessionHead,
    SetUp,
    StepForm,
    SuiteForm,
    SuiteHead,
)
from grader.loading.hidden_forms import HiddenForm, HiddenHead, HiddenSessionHead, SiblingForm
from grader.loading.rule_forms import RULE_FORMS, RuleForm

_F = TypeVar("_F", bound=Form)


@dataclass(frozen=True, slots=True)
class SessionDraft:
    """One session; `head` holds what there is to it besides its steps."""

    head: SetUp | None
    steps: tuple[StepForm | None, ...]


@dataclass(frozen=True, slots=True)
class HiddenDraft:
    """A hidden suite; `head` holds what there is to it besides groups and sessions."""

    head: HiddenHead | None
    groups: tuple[GroupForm | None, ...]
    sessions: tuple[SessionDraft, ...]
    siblings: tuple[SessionDraft, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all parts are valid."""
        sessions = (*self.sessions, *self.siblings)
        parts = (self.head, *self.groups, *_session_parts(sessions))
        return all(part is not None for part in parts)


@dataclass(frozen=True, slots=True)
class Draft:
    """A suite; `head` holds what there is to it besides groups, rules and sessions."""

    head: SuiteHead | None
    groups: tuple[GroupForm | None, ...]
    rules: Mapping[str, tuple[RuleForm | None, ...]]
    """By kind, in the order of the file."""
    sessions: tuple[SessionDraft, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all parts are valid."""
        return all(part is not None for part in self._parts())

    def _parts(self) -> Iterator[Form | None]:
        yield from (self.head, *self.groups)
        for forms in self.rules.values():
            yield from forms
        yield from _session_parts(self.sessions)


def _session_parts(sessions: Iterable[SessionDraft]) -> Iterator[Form | None]:
    for draft in sessions:
        yield from (draft.head, *draft.steps)


def whole_draft(form: SuiteForm) -> Draft:
    """Return the draft of a suite that is valid as a whole."""
    rules = {kind: tuple(getattr(form.rules, kind)) for kind in RULE_FORMS}
    return Draft(form, tuple(form.groups), rules, _whole_sessions(form.sessions))


def whole_hidden_draft(form: HiddenForm) -> HiddenDraft:
    """Return the draft of a hidden suite that is valid as a whole."""
    return HiddenDraft(
        head=form,
        groups=tuple(form.groups),
        sessions=_whole_sessions(form.sessions),
        siblings=_whole_sessions(form.siblings),
    )


def _whole_sessions(sessions: Iterable[SessionForm | SiblingForm]) -> tuple[SessionDraft, ...]:
    return tuple(SessionDraft(session, tuple(session.steps)) for session in sessions)


def salvaged_draft(data: object) -> Draft:
    """Return the draft of a suite that is not; `data` is what the file holds."""
    rules = data.get("rules") if isinstance(data, Mapping) else None
    return Draft(
        head=_valid(SuiteHead, _without(data, "groups", "rules", "sessions")),
        groups=tuple(_valid(GroupForm, group) for group in _items(data, "groups")),
        rules={
            kind: tuple(_valid(form, rule) for rule in _items(rules, kind))
            for kind, form in RULE_FORMS.items()
        },
        sessions=_salvaged_sessions(SessionHead, data, "sessions"),
    )


def salvaged_hidden_draft(data: object) -> HiddenDraft:
    """Return the draft of a hidden suite that is not valid; `data` is what the file holds."""
    return HiddenDraft(
        head=_valid(HiddenHead, _without(data, "groups", "sessions", "siblings")),
        groups=tuple(_valid(GroupForm, group) for group in _items(data, "groups")),
        sessions=_salvaged_sessions(HiddenSessionHead, data, "sessions"),
        siblings=_salvaged_sessions(SetUp, data, "siblings"),
    )


def _salvaged_sessions(head: type[SetUp], data: object, key: str) -> tuple[SessionDraft, ...]:
    return tuple(
        SessionDraft(
            head=_valid(head, _without(session, "steps")),
            steps=tuple(_valid(StepForm, step) for step in _items(session, "steps")),
        )
        for session in _items(data, key)
    )


def _valid(form: type[_F], data: object) -> _F | None:
    try:
        return form.model_validate(data)
    except ValidationError:
        return None


def _items(data: object, key: str) -> list[object]:
    items = data.get(key) if isinstance(data, Mapping) else None
    return items if isinstance(items, list) else []


def _without(data: object, *keys: str) -> object:
    if not isinstance(data, Mapping):
        return data
    return {key: value for key, value in data.items() if key not in keys}
