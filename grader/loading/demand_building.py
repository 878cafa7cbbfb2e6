"""Makes the demands of rules of their forms: one demand per function that an entry names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.constructs import COMPREHENSIONS, expanded
from grader.demands import (
    Demand,
    Docstrings,
    Encapsulation,
    Extra,
    Forbidden,
    Growth,
    Imports,
    Memory,
    Probe,
    PythonVersion,
    Recursion,
    Signature,
    Time,
)
from grader.importable import GIVABLE_PACKAGES, PACKAGES, STANDARD, STANDARD_WORD
from grader.loading.document import NodePath
from grader.loading.findings import Findings
from grader.loading.probe_building import ProbeBuilder
from grader.loading.rule_forms import (
    ConstructsForm,
    CostForm,
    DocstringsForm,
    EncapsulationForm,
    ImportsForm,
    LoopsForm,
    PythonForm,
    RecursionForm,
    RuleForm,
    SignatureForm,
)
from grader.loading.rule_scope import Scope
from grader.loading.suggestions import did_you_mean, listed, quoted

LEAST_RATIO: Final = 16
"""Sizes that are closer together do not tell a constant time from a linear one."""
_NEAR: Final = 0.75
"""How alike a module must be to be offered: names of modules are short, and many."""
_LIBRARY: Final = dict.fromkeys((*STANDARD, *sorted(sys.stdlib_module_names)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Demanded:
    """One demand of an entry."""

    demand: Demand
    at: NodePath
    """Where it stands, for what is said about it."""
    name: str = ""
    """What the demand is about, in the id of its rule."""
    function: str | None = None
    """The function that it is about, if it is about one."""


@dataclass(frozen=True, slots=True)
class DemandBuilder:
    """Makes the demands of the entry at `path`; what is wrong with it goes to `findings`."""

    findings: Findings
    scope: Scope
    path: NodePath

    def demands(self, form: RuleForm) -> Iterator[Demanded]:
        """Yield the demands of `form`; none if it does not say what it demands."""
        match form:
            case RecursionForm():
                yield self._recursion(form)
            case LoopsForm():
                yield from self._loops(form)
            case ConstructsForm():
                yield from self._constructs(form)
            case ImportsForm():
                yield self._imports(form)
            case SignatureForm():
                yield from self._signatures(form)
            case CostForm():
                yield from self._cost(form)
            case EncapsulationForm():
                yield self._encapsulation(form)
            case PythonForm(version=(major, minor)):
                yield Demanded(demand=PythonVersion(major=major, minor=minor), at=self.path)
            case DocstringsForm():
                self.scope.check_functions((*self.path, "functions"), form.functions or ())
                demand = Docstrings(functions=tuple(form.functions or ()))
                yield Demanded(demand=demand, at=self.path)
            case _:
                raise TypeError(form)

    def _recursion(self, form: RecursionForm) -> Demanded:
        path = (*self.path, "function")
        self.scope.check_function(path, form.function)
        self._check_growth(form)
        demand = Recursion(
            function=form.function,
            required=form.demand != "forbidden",
            strict=form.demand != "expected",
            probe=self._builder().probe(form),
            helper=form.helper,
            loop=form.loop,
            depth=Growth(form.depth),
            calls=Growth(form.calls),
            unit=form.unit,
        )
        return Demanded(demand=demand, at=path, name=form.function, function=form.function)

    def _check_growth(self, form: RecursionForm) -> None:
        """Report growth asked of what is forbidden, and growth that one size cannot show."""
        if form.demand == "forbidden":
            for key in sorted(form.model_fields_set & {"depth", "calls", "loop"}):
                message = f"{quoted(key)} means nothing where recursion is forbidden"
                self.findings.at_key((*self.path, key), message, "leave it out")
        elif len(form.sizes) == 1:
            asked = [key for key in ("depth", "calls") if getattr(form, key) != "constant"]
            if asked:
                advice = f"give two at least, or say that it need not grow: `{asked[0]}: constant`"
                message = f"one size does not show that {quoted(asked[0])} grows"
                self.findings.at_key((*self.path, "sizes"), message, advice)

    def _loops(self, form: LoopsForm) -> Iterator[Demanded]:
        self._repeated("loop", "forbid", form.forbid)
        constructs = expanded(tuple(form.forbid))
        for at, name in self._functions(form.functions):
            demand = Forbidden(constructs=constructs, function=name)
            yield Demanded(demand=demand, at=at, name=name, function=name)

    def _constructs(self, form: ConstructsForm) -> Iterator[Demanded]:
        self._repeated("construct", "forbid", form.forbid)
        constructs = expanded(tuple(form.forbid))
        if form.initialising and not {*COMPREHENSIONS}.intersection(constructs):
            message = "'initialising' means nothing where comprehensions are not forbidden"
            advice = "leave it out, or forbid `comprehension` too"
            self.findings.at_key((*self.path, "initialising"), message, advice)
        if form.functions is None:
            demand = Forbidden(constructs=constructs, initialising=form.initialising)
            yield Demanded(demand=demand, at=self.path)
        for at, name in self._functions(form.functions or []):
            demand = Forbidden(constructs=constructs, function=name, initialising=form.initialising)
            yield Demanded(demand=demand, at=at, name=name, function=name)

    def _functions(self, names: list[str]) -> Iterator[tuple[NodePath, str]]:
        for index, name in enumerate(names):
            at = (*self.path, "functions", index)
            self.scope.check_function(at, name)
            yield at, name

    def _repeated(self, what: str, key: str, names: list[str]) -> None:
        self.findings.repeated(what, [(*self.path, key, index) for index in range(len(names))])

    def _imports(self, form: ImportsForm) -> Demanded:
        head = self.scope.head
        given = dict.fromkeys(name.partition(".")[0] for name in (head.given if head else ()))
        own = () if head is None else (head.module, *head.modules)
        known = {STANDARD_WORD, *_LIBRARY, *PACKAGES, *GIVABLE_PACKAGES, *given, *own}
        for index, name in enumerate(form.allow):
            if head is not None and name not in known:
                near = did_you_mean(name, (STANDARD_WORD, *STANDARD, *given), cutoff=_NEAR)
                advice = "name modules of the standard library, well-known packages, or given code"
                message = f"there is no module {quoted(name)} to import{near}"
                self.findings.at_value((*self.path, "allow", index), message, advice)
        words = (_LIBRARY if name == STANDARD_WORD else (name,) for name in form.allow)
        allowed = dict.fromkeys([*(name for each in words for name in each), *given])
        return Demanded(demand=Imports(allowed=tuple(allowed)), at=self.path)

    def _signatures(self, form: SignatureForm) -> Iterator[Demanded]:
        for index, heading in enumerate(form.headings):
            at, name = (*self.path, "headings", index), heading.function
            self.scope.check_function(at, name)
            demand = Signature(
                function=name, parameters=heading.parameters, extra=Extra(form.extra)
            )
            yield Demanded(demand=demand, at=at, name=name, function=name)

    def _cost(self, form: CostForm) -> Iterator[Demanded]:
        path, function = (*self.path, "function"), form.function
        self.scope.check_function(path, function)
        probe = self._builder().probe(form)
        self._check_counted(form, probe)
        self._check_apart(form)
        if form.memory is not None and form.time is not None:
            message = "a rule on cost is about one thing, and 'memory' is given already"
            self.findings.at_key((*self.path, "time"), message, "make two rules of it")
        elif form.memory is not None:
            demand: Demand = Memory(function=function, probe=probe)
            yield Demanded(demand=demand, at=path, name=f"{function}/memory", function=function)
        elif form.time is not None:
            growth, counted = Growth(form.time), tuple(form.counted)
            demand = Time(function=function, probe=probe, growth=growth, counted=counted)
            yield Demanded(demand=demand, at=path, name=f"{function}/time", function=function)
        else:
            message = "this rule does not say which cost it is about"
            advice = "add `memory: constant`, or `time:` with constant, logarithmic or linear"
            self.findings.at_key(path, message, advice)

    def _check_apart(self, form: CostForm) -> None:
        """Report sizes from which the growth of a time cannot be told."""
        first, last = max(1, form.sizes[0]), form.sizes[-1]
        if form.time is not None and last < LEAST_RATIO * first:
            message = f"from {first} to {last} is too little to tell how a time grows"
            advice = f"make the last size {LEAST_RATIO} times the first, or more"
            self.findings.at_key((*self.path, "sizes"), message, advice)

    def _check_counted(self, form: CostForm, probe: Probe) -> None:
        if form.counted and form.time is None:
            message = "'counted' means nothing without 'time'"
            self.findings.at_key((*self.path, "counted"), message, "leave it out")
            return
        self._repeated("name", "counted", form.counted)
        bound = [name for step in probe.setup for name in step.binds]
        for index, name in enumerate(form.counted):
            if name not in bound:
                message = f"no step of the set-up binds {quoted(name)}{did_you_mean(name, bound)}"
                advice = f"names to choose from: {listed(bound)}"
                self.findings.at_value((*self.path, "counted", index), message, advice)

    def _encapsulation(self, form: EncapsulationForm) -> Demanded:
        for key, names in (("made_by", form.made_by), ("known_to", form.known_to)):
            self.scope.check_functions((*self.path, key), names)
        module = self._module(form)
        demand = Encapsulation(
            module=module,
            made_by=tuple(dict.fromkeys(form.made_by)),
            known_to=tuple(dict.fromkeys((*form.made_by, *form.known_to))),
            parameter=form.parameter,
            probe=self._builder().probe_of_setup(form),
        )
        return Demanded(demand=demand, at=self.path, name=module)

    def _module(self, form: EncapsulationForm) -> str:
        """Return the module that a rule on encapsulation is about."""
        head, path = self.scope.head, (*self.path, "module")
        if head is None:
            return form.module or ""
        if not head.modules:
            if form.module is not None:
                message = "'module' means nothing for a single module"
                self.findings.at_key(path, message, "leave it out")
            return head.module
        known = f"modules to choose from: {listed(head.modules)}"
        if form.module is None:
            message = "the data of which module is this rule about?"
            self.findings.at_key((*self.path, "made_by"), message, f"add `module:`; {known}")
        elif form.module not in head.modules:
            message = f"unknown module {quoted(form.module)}"
            message += did_you_mean(form.module, head.modules)
            self.findings.at_value(path, message, known)
        return form.module or ""

    def _builder(self) -> ProbeBuilder:
        return ProbeBuilder(self.findings, self.scope, self.path)
