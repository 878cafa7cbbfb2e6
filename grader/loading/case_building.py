"""Makes the sessions of a suite of their drafts, and the cases in them.

A public and a hidden suite have the same kind of sessions. They differ in what cases are called
that have no name: in a public suite they are counted through, in a hidden one they are called after
their session, or after the pool that it shares with its alternatives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from grader.limits import Limits
from grader.loading.document import NodePath
from grader.loading.drafts import SessionDraft
from grader.loading.findings import Findings
from grader.loading.forms import EXPECTATIONS, GroupForm, SessionHead, SetUp, StepForm
from grader.loading.hidden_forms import HiddenSessionHead
from grader.loading.needed_files import check_needed_files
from grader.loading.session_building import SessionBuilder
from grader.loading.several_modules import ModuleChecks
from grader.loading.suggestions import did_you_mean, listed, quoted
from grader.loading.value_sizes import check_value_sizes
from grader.suite import Case, Group, Session
from grader.verdict import Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the suite says that its sessions rely on."""

    modules: tuple[str, ...]
    defines: tuple[str, ...]
    stand_ins: Collection[str]
    files: Mapping[str, str]


class _Named(NamedTuple):
    """A case that has its name already."""

    at: NodePath
    session: int
    pool: str | None


@dataclass(slots=True)
class SessionsBuilder:
    """Builds the sessions of one suite; what is wrong with them goes to `findings`."""

    findings: Findings
    setting: Setting | None
    """None when it could not be read."""
    limits: Limits
    group_ids: Sequence[str] | None
    """The groups that there are; None when not all of them could be read."""
    taken: Collection[str] = ()
    """Ids that cases of the public suite have already."""
    is_hidden: bool = False
    key: str = "sessions"
    """Where the sessions stand in the file."""
    counts: Counter[str] = field(default_factory=Counter)
    """How many cases each group has."""
    _cases: dict[str, _Named] = field(default_factory=dict)

    def sessions(self, drafts: Sequence[SessionDraft]) -> list[Session]:
        """Return the sessions among `drafts` that could be read."""
        self.findings.repeated(
            "id", [(self.key, i, "id") for i, draft in enumerate(drafts) if draft.head]
        )
        sessions = (self._session(i, draft) for i, draft in enumerate(drafts))
        return [session for session in sessions if session is not None]

    def _session(self, index: int, draft: SessionDraft) -> Session | None:
        path: NodePath = (self.key, index)
        modules = self._modules(path, draft)
        defines, exceptions = self._names(modules)
        builder = SessionBuilder(self.findings, path, draft, defines, exceptions)
        steps = list(builder.steps())
        check_value_sizes(path, draft, self.limits, self.findings)
        if self.setting is not None:
            check_needed_files(path, draft, self.setting.files, self.findings)
        cases = self._cases_of(index, draft)
        readable = tuple(step for step in steps if step is not None)
        if draft.head is None or len(readable) < len(steps):
            return None
        return Session(
            id=draft.head.id,
            title=draft.head.title or draft.head.id,
            visibility=_visibility(draft.head),
            steps=readable,
            cases=cases,
            modules=modules,
            stand_ins=tuple(draft.head.stand_ins),
            pool=_pool(draft),
        )

    def _modules(self, path: NodePath, draft: SessionDraft) -> tuple[str, ...]:
        """Return the modules that a session uses, after a look at what it says of them."""
        if self.setting is None or draft.head is None:
            return ()
        checks = ModuleChecks(self.findings, self.setting.modules, self.setting.stand_ins)
        checks.check_session(path, draft.head)
        for number, form in enumerate(draft.steps):
            if form is not None:
                checks.check_step((*path, "steps", number), form, draft.head)
        return checks.used(draft.head)

    def _names(self, modules: tuple[str, ...]) -> tuple[frozenset[str] | None, frozenset[str]]:
        """Return the names that a session finds bound, None if unknown, and those of classes."""
        if self.setting is None:
            return None, frozenset()
        defines = self.setting.defines
        names = frozenset(modules) if self.setting.modules else frozenset(defines)
        return names, frozenset(name.rpartition(".")[2] for name in defines)

    def _cases_of(self, index: int, draft: SessionDraft) -> tuple[Case, ...]:
        here: Counter[str] = Counter()
        cases = []
        for number, form in enumerate(draft.steps):
            if form is None or form.group is None:
                continue
            path = (self.key, index, "steps", number)
            self._check_group(form.group, path)
            self.counts[form.group] += 1
            here[form.group] += 1
            default = self._default_name(form.group, here[form.group], draft)
            case_id = f"{form.group}/{form.case or default}"
            at = (*path, "group" if form.case is None else "case")
            self._check_name(case_id, _Named(at, index, _pool(draft)))
            cases.append(Case(id=case_id, group=form.group, step_index=number))
        return tuple(cases)

    def _default_name(self, group: str, number: int, draft: SessionDraft) -> str:
        """Return the name of a case without one, the `number`th of its group in its session."""
        if not self.is_hidden:
            return str(self.counts[group])
        session = "" if draft.head is None else draft.head.id
        return f"{_pool(draft) or session}-{number}"

    def _check_name(self, case_id: str, named: _Named) -> None:
        """Report the id of a case that another one has; alternatives in a pool share theirs."""
        first = self._cases.setdefault(case_id, named)
        is_alternative = named.pool is not None and first.pool == named.pool
        if case_id in self.taken:
            advice = "the public suite has it already: give this one another `case:`"
        elif first == named or (is_alternative and first.session != named.session):
            return
        else:
            line = self.findings.line_of(first.at)
            advice = f"line {line} has it already: give one of them another `case:`"
        self.findings.at_value(named.at, f"the case {quoted(case_id)} is given twice", advice)

    def _check_group(self, group: str, path: NodePath) -> None:
        ids = self.group_ids
        if ids is not None and group not in ids:
            message = f"unknown group {quoted(group)}{did_you_mean(group, ids)}"
            self.findings.at_value((*path, "group"), message, f"groups: {listed(ids)}")

    def check_idle_groups(self, groups: Sequence[Group], drafts: Iterable[SessionDraft]) -> None:
        """Report those of `groups`, which stand in the same file, that have no cases."""
        steps = (form for draft in drafts for form in draft.steps if form)
        if self.counts.keys() - {*(self.group_ids or ())} or any(map(_is_stray, steps)):
            return  # what counts for no group may have been meant for an idle one
        for index, group in enumerate(groups):
            if not self.counts[group.id]:
                advice = f"give a step `group: {group.id}`, or remove the group"
                message = f"the group {quoted(group.id)} has no cases"
                self.findings.at_value(("groups", index, "id"), message, advice)


def built_groups(forms: Sequence[GroupForm | None], findings: Findings) -> list[Group]:
    """Return the groups of those `forms` that are valid; what is wrong goes to `findings`."""
    valid = [(index, form) for index, form in enumerate(forms) if form is not None]
    findings.repeated("id", [("groups", index, "id") for index, _ in valid])
    return [Group(id=f.id, title=f.title or f.id, points=float(f.points)) for _, f in valid]


def _visibility(head: SetUp) -> Visibility:
    """Return who sees the cases of a session; a sibling is there to be seen."""
    return Visibility(head.visibility) if isinstance(head, SessionHead) else Visibility.PUBLIC


def _pool(draft: SessionDraft) -> str | None:
    return draft.head.pool if isinstance(draft.head, HiddenSessionHead) else None


def _is_stray(form: StepForm) -> bool:
    """Return whether a step looks like a case and counts for no group."""
    return form.group is None and not form.model_fields_set.isdisjoint({*EXPECTATIONS, "case"})
