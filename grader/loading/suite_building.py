"""Makes a suite of its draft, and finds what is wrong between parts that are each in order.

Everything is checked as far as the valid parts reach, and nothing is reported that may be no more
than the consequence of a part that is not valid.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.importable import expanded
from grader.limits import Limits
from grader.loading.board_forms import built_board
from grader.loading.case_building import SessionsBuilder, Setting, built_groups
from grader.loading.document import NodePath
from grader.loading.drafts import Draft
from grader.loading.findings import Findings
from grader.loading.forms import SuiteHead
from grader.loading.given_code import Sources
from grader.loading.rule_building import build_rules
from grader.loading.several_modules import ModuleChecks
from grader.loading.suggestions import quoted
from grader.suite import Suite


def build_suite(draft: Draft, findings: Findings, sources: Sources, sha256: str) -> Suite | None:
    """Return the suite that `draft` stands for, None when it is not whole.

    What is wrong with it goes to `findings`; the suite is of use only if nothing is.
    """
    return _SuiteBuilder(draft, findings).suite(sources, sha256)


@dataclass(slots=True)
class _SuiteBuilder:
    draft: Draft
    findings: Findings

    def suite(self, sources: Sources, sha256: str) -> Suite | None:
        head = self.draft.head
        if head is not None:
            modules = ModuleChecks(self.findings, tuple(head.modules), head.stand_ins)
            modules.check_suite(head)
        limits = self._limits(head)
        self._check_names(head)
        groups = built_groups(self.draft.groups, self.findings)
        builder = self._sessions_builder(head, limits, [group.id for group in groups])
        sessions = builder.sessions(self.draft.sessions)
        rules = build_rules(self.draft, self.findings)
        board = built_board(head.board, self.findings) if head is not None else None
        if head is None or not self.draft.is_whole:
            return None
        builder.check_idle_groups(groups, self.draft.sessions)
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

    def _check_names(self, head: SuiteHead | None) -> None:
        """Report modules and names that a list has twice."""
        if head is None:
            return
        paths: list[NodePath]
        if "imports" in head.model_fields_set:
            paths = [("imports", index) for index in range(len(head.imports))]
            self.findings.repeated("module", paths)
        paths = [("defines", index) for index in range(len(head.defines))]
        self.findings.repeated("name", paths)

    def _sessions_builder(
        self, head: SuiteHead | None, limits: Limits, group_ids: list[str]
    ) -> SessionsBuilder:
        setting = None
        if head is not None:
            setting = Setting(
                modules=tuple(head.modules),
                defines=tuple(head.defines),
                stand_ins=head.stand_ins,
                files=head.files,
            )
        all_known = group_ids and None not in self.draft.groups
        return SessionsBuilder(self.findings, setting, limits, group_ids if all_known else None)
