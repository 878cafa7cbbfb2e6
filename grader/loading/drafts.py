"""A suite on its way from the file: the forms of all its parts that are valid by themselves.

When some part of a suite is not valid, the others are checked against each other all the same, so
that an author sees all mistakes at once. What is not valid is None in a draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from grader.loading.forms import Form, GroupForm, SessionHead, StepForm, SuiteForm, SuiteHead

_F = TypeVar("_F", bound=Form)


@dataclass(frozen=True, slots=True)
class SessionDraft:
    """One session; `head` holds what there is to it besides its steps."""

    head: SessionHead | None
    steps: tuple[StepForm | None, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A suite; `head` holds what there is to it besides groups and sessions."""

    head: SuiteHead | None
    groups: tuple[GroupForm | None, ...]
    sessions: tuple[SessionDraft, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all parts are valid."""
        sessions = (part for draft in self.sessions for part in (draft.head, *draft.steps))
        return all(part is not None for part in (self.head, *self.groups, *sessions))


def whole_draft(form: SuiteForm) -> Draft:
    """Return the draft of a suite that is valid as a whole."""
    sessions = (SessionDraft(session, tuple(session.steps)) for session in form.sessions)
    return Draft(form, tuple(form.groups), tuple(sessions))


def salvaged_draft(data: object) -> Draft:
    """Return the draft of a suite that is not; `data` is what the file holds."""
    return Draft(
        head=_valid(SuiteHead, _without(data, "groups", "sessions")),
        groups=tuple(_valid(GroupForm, group) for group in _items(data, "groups")),
        sessions=tuple(
            SessionDraft(
                head=_valid(SessionHead, _without(session, "steps")),
                steps=tuple(_valid(StepForm, step) for step in _items(session, "steps")),
            )
            for session in _items(data, "sessions")
        ),
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
