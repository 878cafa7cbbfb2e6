"""Makes the probes of rules of their forms, and checks what their steps rely on.

A probe that fails for every submission proves nothing and is seen by nobody, so each name that a
step reads must be known beforehand.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from grader.demands import SIZE_NAME, Probe, ProbeStep
from grader.loading.code import Code
from grader.loading.document import NodePath
from grader.loading.findings import Findings
from grader.loading.rule_forms import EncapsulationForm, ProbedForm, RecursionForm
from grader.loading.rule_scope import Scope
from grader.loading.suggestions import did_you_mean, listed, quoted

_BUILTINS: Final = frozenset(vars(builtins))
_NOTHING: Final = ProbeStep(code="None", is_expression=True)
"""The call of a probe that looks into its set-up."""


@dataclass(slots=True)
class ProbeBuilder:
    """Builds one probe, the one of the rule at `path`; what is wrong goes to `findings`."""

    findings: Findings
    scope: Scope
    path: NodePath
    _bound: dict[str, None] = field(default_factory=dict)
    """Names that the probe has bound so far, in order."""
    _read: set[str] = field(default_factory=set)

    def probe(self, form: ProbedForm) -> Probe:
        """Return the probe of a rule about one call."""
        self._check_sizes(form.sizes)
        self._bound[SIZE_NAME] = None
        setup = self._setup(form.setup)
        told = len(self.findings.diagnostics)
        call = self._look((*self.path, "call"), form.call)
        if form.function in self.scope.functions and told == len(self.findings.diagnostics):
            self._check_use(form)
        observe: tuple[ProbeStep, ...] = ()
        also: tuple[ProbeStep, ...] = ()
        if isinstance(form, RecursionForm):
            observe = self._looks("observe", form.observe)
            also = self._looks("also", form.also)
        return Probe(
            sizes=tuple(form.sizes),
            setup=setup,
            call=call,
            observe=observe,
            also=also,
            modules=self._modules("call"),
        )

    def probe_of_setup(self, form: EncapsulationForm) -> Probe:
        """Return the probe of a rule about all that its set-up calls; it knows no size."""
        setup = self._setup(form.setup)
        return Probe(sizes=(1,), setup=setup, call=_NOTHING, modules=self._modules("setup"))

    def _check_sizes(self, sizes: list[int]) -> None:
        for index, size in enumerate(sizes[1:], start=1):
            if size <= sizes[index - 1]:
                message = f"the size {size} does not come after {sizes[index - 1]}"
                advice = "write sizes from small to large, each once"
                self.findings.at_value((*self.path, "sizes", index), message, advice)

    def _check_use(self, form: ProbedForm) -> None:
        """Report a call that does not call the function, and sizes that make no difference."""
        names = {form.function, form.function.rpartition(".")[2]}
        called = form.call.reads | {
            node.attr
            for node in ast.walk(ast.parse(form.call.text))
            if isinstance(node, ast.Attribute)
        }
        names_none = bool(self.scope.modules) and self._read.isdisjoint(self.scope.modules)
        if not names & called and not names_none:
            message = f"this call does not call {quoted(form.function)}"
            advice = f"write what calls {form.function} here"
            self.findings.at_value((*self.path, "call"), message, advice)
        if len(form.sizes) > 1 and SIZE_NAME not in self._read:
            message = f"nothing here reads {quoted(SIZE_NAME)}, so the sizes make no difference"
            advice = "use it in `setup` or in `call`, or give one size"
            self.findings.at_key((*self.path, "sizes"), message, advice)

    def _setup(self, codes: list[Code]) -> tuple[ProbeStep, ...]:
        return tuple(
            self._step((*self.path, "setup", index), code) for index, code in enumerate(codes)
        )

    def _step(self, path: NodePath, code: Code) -> ProbeStep:
        self._check_names(path, code)
        if SIZE_NAME in self._bound and SIZE_NAME in code.binds:
            message = f"this step binds {quoted(SIZE_NAME)}, which is the size"
            self.findings.at_value(path, message, "give it another name")
        self._bound.update(dict.fromkeys(code.binds))
        return ProbeStep(code=code.text, is_expression=code.is_expression, binds=code.binds)

    def _looks(self, key: str, codes: list[Code]) -> tuple[ProbeStep, ...]:
        return tuple(self._look((*self.path, key, index), code) for index, code in enumerate(codes))

    def _look(self, path: NodePath, code: Code) -> ProbeStep:
        """Return the step of an expression; what it binds on the way is its own."""
        self._check_names(path, code)
        return ProbeStep(code=code.text, is_expression=True)

    def _check_names(self, path: NodePath, code: Code) -> None:
        self._read |= code.reads
        if self.scope.head is None:
            return
        known = (*self._bound, *self.scope.names)
        for name in sorted(code.reads - _BUILTINS - {*known, *code.binds}):
            message = f"this step reads {quoted(name)}, which nothing before it binds"
            message += did_you_mean(name, known)
            self.findings.at_value(path, message, f"names to choose from: {listed(known)}")
        for name in dict.fromkeys(self._attributes(code)):
            if name not in self.scope.functions:
                message = f"this step reads {quoted(name)}, which no submission has to define"
                message += did_you_mean(name, self.scope.functions)
                self.findings.at_value(path, message, "add it to `defines` or to `helpers`")

    def _attributes(self, code: Code) -> Iterator[str]:
        """Yield what `code` reads of several modules, with the name of the module."""
        for node in ast.walk(ast.parse(code.text)):
            match node:
                case ast.Attribute(value=ast.Name(id=module), attr=name):
                    if module in self.scope.modules and module not in self._bound:
                        yield f"{module}.{name}"

    def _modules(self, key: str) -> tuple[str, ...]:
        """Return those of several modules that the steps read, in the order of the suite."""
        read = tuple(module for module in self.scope.modules if module in self._read)
        if self.scope.modules and not read:
            message = "no step of this rule names a module of the submission"
            advice = f"modules to choose from: {listed(self.scope.modules)}"
            self.findings.at_key((*self.path, key), message, advice)
        return read
