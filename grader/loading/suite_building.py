"""Makes a suite of its draft, and finds what is wrong between parts that are each in order.

Everything is checked as far as the valid parts reach, and nothing is reported that may be no more
than the consequence of a part that is not valid.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from grader.importable import expanded
from grader.limits import Limits
from grader.loading.board_forms import built_board
from grader.loading.document import NodePath
from grader.loading.drafts import Draft, SessionDraft
from grader.loading.findings import Findings
from grader.loading.forms import EXPECTATIONS, StepForm, SuiteHead
from grader.loading.given_code import Sources
from grader.loading.needed_files import check_needed_files
from grader.loading.rule_building import build_rules
from grader.loading.session_building import SessionBuilder
from grader.loading.several_modules import ModuleChecks
from grader.loading.suggestions import did_you_mean, listed, quoted
from grader.loading.value_sizes import check_value_sizes
from grader.suite import Case, Group, Session, Suite
from grader.verdict import Visibility


def build_suite(draft: Draft, findings: Findings, sources: Sources, sha256: str) -> Suite | None:
    """Return the suite that `draft` stands for, None when it is not whole.

    What is wrong with it goes to `findings`; the suite is of use only if nothing is.
    """
    return _SuiteBuilder(draft, findings).suite(sources, sha256)


@dataclass(slots=True)
class _SuiteBuilder:
    draft: Draft
    findings: Findings
    _cases: dict[str, NodePath] = field(default_factory=dict)
    """Where each case is, by its id."""
    _counts: Counter[str] = field(default_factory=Counter)
    """How many cases each group has."""
    _group_ids: list[str] = field(default_factory=list)

    def suite(self, sources: Sources, sha256: str) -> Suite | None:
        head = self.draft.head
        if head is not None:
            ModuleChecks(self.findings, head).check_suite()
        limits = self._limits(head)
        self._check_imports(head)
        groups = self._groups()
        sessions = self._sessions(limits)
        rules = build_rules(self.draft, self.findings)
        board = built_board(head.board, self.findings) if head is not None else None
        if head is not None:
            for index, draft in enumerate(self.draft.sessions):
                check_needed_files(index, draft, head.files, self.findings)
        if head is None or not self.draft.is_whole:
            return None
        self._check_idle_groups(groups)
        return Suite(
            exercise=head.exercise,
            title=head.title,
            language=head.language,
            spec=head.spec,
            module=head.module or tuple(head.modules),
            defines=tuple(head.defines),
            helpers=tuple(head.helpers),
            imports=expanded(head.imports),
            limits=limits,
            files=dict(head.files),
            groups=tuple(groups),
            sessions=tuple(sessions),
            sha256=sha256,
            given=sources.given,
            stand_ins=sources.stand_ins,
            rules=rules,
            advice=head.advice,
            spec_url=head.spec_url,
            board=board,
        )

    def _limits(self, head: SuiteHead | None) -> Limits:
        form = head.limits if head else None
        if form is None:
            return Limits()
        limits = Limits(**form.model_dump())
        for key in ("session_cpu_s", "wall_s", "session_wall_s"):
            highest = getattr(limits, key)
            if limits.cpu_s > highest:
                given = key if key in form.model_fields_set else "cpu_s"
                message = f"'cpu_s' ({limits.cpu_s:g}) is more than {quoted(key)} ({highest:g})"
                advice = f"raise {key} too, or lower cpu_s"
                self.findings.at_key(("limits", given), message, advice)
        return limits

    def _check_imports(self, head: SuiteHead | None) -> None:
        if head is not None and "imports" in head.model_fields_set:
            paths: list[NodePath] = [("imports", index) for index in range(len(head.imports))]
            self.findings.repeated("module", paths)

    def _groups(self) -> list[Group]:
        forms = self.draft.groups
        valid = [(index, form) for index, form in enumerate(forms) if form is not None]
        self.findings.repeated("id", [("groups", index, "id") for index, _ in valid])
        self._group_ids = [form.id for _, form in valid]
        return [Group(id=f.id, title=f.title or f.id, points=float(f.points)) for _, f in valid]

    def _sessions(self, limits: Limits) -> list[Session]:
        if self.draft.head is not None:
            head = self.draft.head
            paths: list[NodePath] = [("defines", index) for index in range(len(head.defines))]
            self.findings.repeated("name", paths)
        drafts = self.draft.sessions
        self.findings.repeated(
            "id", [("sessions", i, "id") for i, draft in enumerate(drafts) if draft.head]
        )
        sessions = (self._session(i, draft, limits) for i, draft in enumerate(drafts))
        return [session for session in sessions if session is not None]

    def _session(self, index: int, draft: SessionDraft, limits: Limits) -> Session | None:
        path: NodePath = ("sessions", index)
        modules = self._modules(index, draft)
        defines, exceptions = self._names(modules)
        builder = SessionBuilder(self.findings, path, draft, defines, exceptions)
        steps = list(builder.steps())
        check_value_sizes(index, draft, limits, self.findings)
        cases = tuple(
            self._case(form.group, form, number, (*path, "steps", number))
            for number, form in enumerate(draft.steps)
            if form is not None and form.group is not None
        )
        readable = tuple(step for step in steps if step is not None)
        if draft.head is None or len(readable) < len(steps):
            return None
        return Session(
            id=draft.head.id,
            title=draft.head.title or draft.head.id,
            visibility=Visibility(draft.head.visibility),
            steps=readable,
            cases=cases,
            modules=modules,
            stand_ins=tuple(draft.head.stand_ins),
        )

    def _modules(self, index: int, draft: SessionDraft) -> tuple[str, ...]:
        """Return the modules that a session uses, after a look at what it says of them."""
        if self.draft.head is None or draft.head is None:
            return ()
        checks = ModuleChecks(self.findings, self.draft.head)
        checks.check_session(index, draft.head)
        for number, form in enumerate(draft.steps):
            if form is not None:
                checks.check_step(("sessions", index, "steps", number), form, draft.head)
        return checks.used(draft.head)

    def _names(self, modules: tuple[str, ...]) -> tuple[frozenset[str] | None, frozenset[str]]:
        """Return the names that a session finds bound, None if unknown, and those of classes."""
        head = self.draft.head
        if head is None:
            return None, frozenset()
        names = frozenset(modules) if head.modules else frozenset(head.defines)
        return names, frozenset(name.rpartition(".")[2] for name in head.defines)

    def _case(self, group: str, form: StepForm, step_index: int, path: NodePath) -> Case:
        self._check_group(group, path)
        self._counts[group] += 1
        case_id = f"{group}/{form.case or self._counts[group]}"
        at = (*path, "group" if form.case is None else "case")
        if self._cases.setdefault(case_id, at) != at:
            line = self.findings.line_of(self._cases[case_id])
            advice = f"line {line} has it already: give one of them another `case:`"
            self.findings.at_value(at, f"the case {quoted(case_id)} is given twice", advice)
        return Case(id=case_id, group=group, step_index=step_index)

    def _check_group(self, group: str, path: NodePath) -> None:
        ids = self._group_ids
        if group in ids or not ids or None in self.draft.groups:
            return
        message = f"unknown group {quoted(group)}{did_you_mean(group, ids)}"
        self.findings.at_value((*path, "group"), message, f"groups: {listed(ids)}")

    def _check_idle_groups(self, groups: list[Group]) -> None:
        steps = (form for draft in self.draft.sessions for form in draft.steps if form)
        if self._counts.keys() - {group.id for group in groups} or any(map(_is_stray, steps)):
            return  # what counts for no group may have been meant for an idle one
        for index, group in enumerate(groups):
            if not self._counts[group.id]:
                advice = f"give a step `group: {group.id}`, or remove the group"
                message = f"the group {quoted(group.id)} has no cases"
                self.findings.at_value(("groups", index, "id"), message, advice)


def _is_stray(form: StepForm) -> bool:
    """Return whether a step looks like a case and counts for no group."""
    return form.group is None and not form.model_fields_set.isdisjoint({*EXPECTATIONS, "case"})
