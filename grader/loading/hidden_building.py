"""Makes a hidden suite of its draft, and checks it against the public one that it adds to."""

from __future__ import annotations

from dataclasses import dataclass

from grader.hidden import Hidden, seed_of
from grader.loading.case_building import SessionsBuilder, Setting, built_groups
from grader.loading.document import NodePath
from grader.loading.drafts import HiddenDraft
from grader.loading.findings import Findings
from grader.loading.suggestions import listed, quoted
from grader.suite import Equivalent, Feedback, Generated, Group, Session, Suite


def build_hidden(
    draft: HiddenDraft, findings: Findings, public: Suite, sha256: str
) -> Hidden | None:
    """Return the hidden suite that `draft` stands for, None when it is not whole.

    What is wrong with it goes to `findings`; it is of use only if nothing is.
    """
    return _HiddenBuilder(draft, findings, public).hidden(sha256)


@dataclass(frozen=True, slots=True)
class _HiddenBuilder:
    draft: HiddenDraft
    findings: Findings
    public: Suite

    def hidden(self, sha256: str) -> Hidden | None:
        self._check_head()
        groups = built_groups(self.draft.groups, self.findings)
        self._check_group_ids()
        builder = self._sessions_builder(groups)
        sessions = builder.sessions(self.draft.sessions)
        self._check_session_ids()
        siblings = self._siblings(groups, sessions)
        head = self.draft.head
        if head is None or not self.draft.is_whole:
            return None
        self._check_pools(sessions)
        builder.check_idle_groups(groups, self.draft.sessions)
        generated = head.generated
        return Hidden(
            share=head.share,
            feedback=Feedback(head.feedback),
            groups=tuple(groups),
            sessions=tuple(sessions),
            siblings=siblings,
            generated=None if generated is None else Generated(**generated.model_dump()),
            equivalent=tuple(Equivalent(**each.model_dump()) for each in head.equivalent),
            sha256=sha256,
            seed=seed_of(sessions),
        )

    def _siblings(self, groups: list[Group], sessions: list[Session]) -> tuple[Session, ...]:
        """Return the siblings that could be read, after a look at what they show of `sessions`."""
        builder = self._sessions_builder(groups)
        builder.key, builder.taken = "siblings", ()
        siblings = builder.sessions(self.draft.siblings)
        if self.draft.is_whole:
            for index, sibling in enumerate(siblings):
                self._check_sibling(("siblings", index, "id"), sibling, sessions)
        return tuple(siblings)

    def _check_sibling(self, path: NodePath, sibling: Session, sessions: list[Session]) -> None:
        """Report a sibling that shows nothing, or that shows what one of `sessions` asks."""
        name = quoted(sibling.id)
        if not sibling.cases:
            message = f"the sibling {name} has no case that could fail"
            self.findings.at_value(path, message, "give a step a `group:`")
        shown = [step.code for step in sibling.steps]
        for session in sessions:
            codes = iter([step.code for step in session.steps])
            if all(code in codes for code in shown):
                message = f"all steps of the sibling {name} stand in the session"
                advice = "students get to see siblings: let it ask something else"
                self.findings.at_value(path, f"{message} {quoted(session.id)}", advice)

    def _sessions_builder(self, groups: list[Group]) -> SessionsBuilder:
        public = self.public
        setting = Setting(
            modules=public.modules,
            defines=public.defines,
            stand_ins=public.stand_ins,
            files=public.files,
        )
        ids = [group.id for group in (*public.groups, *groups)]
        return SessionsBuilder(
            self.findings,
            setting,
            public.limits,
            None if None in self.draft.groups else ids,
            taken={case.id for session in public.sessions for case in session.cases},
            is_hidden=True,
        )

    def _check_head(self) -> None:
        head = self.draft.head
        if head is None:
            return
        if head.exercise != self.public.exercise:
            message = f"the public suite is about {quoted(self.public.exercise)}"
            advice = "a hidden suite adds to the suite that it lies beside: name that exercise"
            self.findings.at_value(("exercise",), message, advice)
        paths: list[NodePath] = [("equivalent", i, "mutant") for i in range(len(head.equivalent))]
        self.findings.repeated("mutant", paths)

    def _check_group_ids(self) -> None:
        public = {group.id for group in self.public.groups}
        for index, form in enumerate(self.draft.groups):
            if form is not None and form.id in public:
                message = f"the group {quoted(form.id)} is one of the public suite"
                advice = "steps can name it as it is: leave it out here, or call this one otherwise"
                self.findings.at_value(("groups", index, "id"), message, advice)

    def _check_session_ids(self) -> None:
        public = {session.id for session in self.public.sessions}
        for index, draft in enumerate(self.draft.sessions):
            if draft.head is not None and draft.head.id in public:
                message = f"the session {quoted(draft.head.id)} is one of the public suite"
                path: NodePath = ("sessions", index, "id")
                self.findings.at_value(path, message, "call this one otherwise")

    def _check_pools(self, sessions: list[Session]) -> None:
        """Report sessions that are no alternatives of the first one in their pool."""
        first: dict[str, Session] = {}
        for index, session in enumerate(sessions):
            if session.pool is None:
                continue
            other = first.setdefault(session.pool, session)
            path: NodePath = ("sessions", index, "pool")
            where = f"{quoted(other.id)}, the first one in this pool"
            if not session.cases:
                message = "a session without cases is no alternative of another one"
                self.findings.at_value(path, message, "give a step a `group:`, or leave `pool` out")
            elif _groups(session) != _groups(other):
                message = f"the cases are not in the same groups as those of {where}"
                self.findings.at_value(
                    path, message, f"its groups, in order: {listed(_groups(other))}"
                )
            elif _ids(session) != _ids(other):
                message = f"the cases are not called like those of {where}"
                advice = "alternatives share the names of their cases: leave `case` out"
                self.findings.at_value(path, message, advice)
            elif session.visibility is not other.visibility:
                message = f"the visibility is not that of {where}"
                self.findings.at_value(path, message, f"that one is {other.visibility.value}")


def _groups(session: Session) -> list[str]:
    return [case.group for case in session.cases]


def _ids(session: Session) -> list[str]:
    return [case.id for case in session.cases]
