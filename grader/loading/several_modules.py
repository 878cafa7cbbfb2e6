"""Checks what a suite says of its modules, and what its sessions say of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from grader.loading.document import NodePath
from grader.loading.findings import Findings
from grader.loading.forms import SetUp, StepForm, SuiteHead
from grader.loading.suggestions import did_you_mean, listed, quoted


@dataclass(frozen=True, slots=True)
class ModuleChecks:
    """Checks one suite; what is wrong goes to `findings`."""

    findings: Findings
    modules: tuple[str, ...]
    """Those of an exercise that has several."""
    stand_ins: Collection[str]
    """Modules that the suite has stand-ins for."""

    def check_suite(self, head: SuiteHead) -> None:
        """Report what `modules`, `defines`, `given` and `stand_ins` ask of each other."""
        self.findings.repeated("module", [("modules", i) for i in range(len(head.modules))])
        self._check_defines(head)
        for name in head.given:
            if name in (*head.modules, head.module):
                message = f"{quoted(name)} is handed in by students, so it cannot be given"
                self.findings.at_key(("given", name), message, "leave it out of one of them")
        if head.stand_ins and not head.modules:
            message = "'stand_ins' means nothing for a single module"
            self.findings.at_key(("stand_ins",), message, "list the exercise's `modules`")
            return
        for name in head.stand_ins:
            self._check_known(("stand_ins", name), name, head.modules, is_key=True)

    def _check_defines(self, head: SuiteHead) -> None:
        for index, name in enumerate(head.defines):
            path: NodePath = ("defines", index)
            module, dot, _ = name.partition(".")
            if self.modules and not dot:
                advice = f"write it with its module, such as {self.modules[0]}.{name}"
                self.findings.at_value(path, f"in which module is {quoted(name)} defined?", advice)
            elif self.modules:
                self._check_known(path, module, self.modules)
            elif dot:
                message = f"{quoted(name)} has a module, and the exercise is a single one"
                self.findings.at_value(path, message, "write the name alone")

    def check_session(self, path: NodePath, session: SetUp) -> None:
        """Report what `uses` and `stand_ins` of the session at `path` cannot be."""
        modules = self.modules
        if not modules:
            for key in sorted(session.model_fields_set & {"uses", "stand_ins"}):
                message = f"{quoted(key)} means nothing for a single module"
                self.findings.at_key((*path, key), message, "list the exercise's `modules`")
            return
        for key, names in (("uses", session.uses or []), ("stand_ins", session.stand_ins)):
            paths: list[NodePath] = [(*path, key, number) for number in range(len(names))]
            self.findings.repeated("module", paths)
            for at, name in zip(paths, names, strict=True):
                self._check_known(at, name, modules)
                if key == "stand_ins" and name in modules and name not in self.stand_ins:
                    message = f"there is no stand-in for {quoted(name)}"
                    self.findings.at_value(at, message, "name its file in the suite's `stand_ins`")
        if session.stand_ins and {*self.used(session)} <= {*session.stand_ins}:
            message = "all modules that this session uses have stand-ins"
            advice = "leave out the one that the session is about: nothing else would be tried"
            self.findings.at_key((*path, "stand_ins"), message, advice)

    def check_step(self, path: NodePath, form: StepForm, session: SetUp) -> None:
        """Report a module that the step at `path` reads and that its session does not use."""
        used = self.used(session)
        for name in sorted(form.do.reads.intersection(self.modules).difference(used)):
            message = f"the step reads {quoted(name)}, which its session does not use"
            self.findings.at_value((*path, "do"), message, f"it uses {listed(used)}")

    def used(self, session: SetUp) -> tuple[str, ...]:
        """Return the modules that `session` uses."""
        return tuple(self.modules if session.uses is None else session.uses)

    def _check_known(
        self, path: NodePath, name: str, known: Collection[str], *, is_key: bool = False
    ) -> None:
        if name not in known:
            report = self.findings.at_key if is_key else self.findings.at_value
            message = f"unknown module {quoted(name)}{did_you_mean(name, known)}"
            report(path, message, f"modules to choose from: {listed(known)}")
