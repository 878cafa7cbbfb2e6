"""The probes of rules: their YAML fields, checks of their steps, and limits on growth.

Nobody would notice a probe that fails for every submission, and it would prove nothing. So every
name that a step reads must be known when the suite is loaded.

Growth is judged from the smallest and the largest size only. Between these two, the size grows by a
factor of `r` and the value by a factor of `v`. Lower bounds are low and upper bounds generous, so
that noise and fixed costs never count against a student:

                 at least                                    at most
    constant     always                                      v <= r ** 0.43
    logarithmic  it grows                                    v <= r ** 0.5
    linear       by a quarter of what the size grows by      v <= 4 * r

If a size grows by a factor of 128, a constant cost is thus allowed to grow by a factor of 8, and a
logarithmic cost by a factor of 11. The factors measured for that growth are 0.6 to 1.7 for sets,
dicts and bit masks, 1.6 to 2.8 for binary search, and 97 to 119 for linear search.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from grader.judging.probing import DRAW_NAME, SIZE_NAME, Probe, ProbeStep
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.suite.code import Code, attributes, parse_code
from grader.suite.diagnostics import Refusal, did_you_mean, join_words, quote
from grader.suite.fields import FunctionName, Items, StepCode, key, parsed_by
from grader.suite.rules import RuleScope
from grader.values.constraints import Bounded

MAX_SIZES: Final = 6
_MAX_SIZE: Final = 1_000_000
_BUILTINS: Final = frozenset(vars(builtins))
_NOTHING: Final = ProbeStep(code="None", is_expression=True)
"""The call of a probe that examines only its set-up."""


def _parse_call(text: str) -> Code:
    """Return the code of `text`, which must be an expression that is valid inside parentheses.

    Raises `Refusal` otherwise.
    """
    code = parse_code(text)
    if not code.is_expression:
        advice = "write one call here, and the steps before it in `setup`"
        raise Refusal("this is not an expression, so it cannot be probed", advice)
    try:
        # Instruments put the call in parentheses; a comment would hide the closing one.
        parse_code(f"({code.text})")
    except Refusal as refusal:
        raise Refusal("this call ends in a comment", "remove the comment") from refusal
    return code


Size: TypeAlias = Annotated[int, Bounded(ge=0, le=_MAX_SIZE)]
_Call: TypeAlias = Annotated[Code, parsed_by(_parse_call)]


class ProbeRule(JudgedRule):
    """A rule about one call, which is probed for several sizes."""

    reads_source: ClassVar[bool] = False
    probes: ClassVar[bool] = True

    function: FunctionName = key(
        "The function that the rule is about: one of defines or helpers, or a method of a "
        "class among them.",
        "Board.free_all_cells",
    )
    sizes: Items[Size] = key(
        "Sizes, from small to large. The set-up and the call run once for each, in a "
        "session of its own that knows the size as n.",
        [8, 64, 512],
        min_length=1,
        max_length=MAX_SIZES,
    )
    setup: Items[StepCode] = key(
        "Steps that come before the call.", ["board = Board.make_board(n)"], default_factory=tuple
    )
    call: _Call = key("The expression to probe.", "Board.free_all_cells(board, positions)")

    @property
    def about(self) -> str | None:
        """The function that the rule is about."""
        return self.function

    def probe(
        self, evidence: Evidence, observe: Iterable[Code] = (), also: Iterable[Code] = ()
    ) -> Probe:
        """Return the probe of the rule: its set-up and call, the observers, and further calls."""
        observe, also = tuple(observe), tuple(also)
        codes = (*self.setup, self.call, *observe, *also)
        return Probe(
            sizes=self.sizes,
            setup=tuple(map(_step, self.setup)),
            call=_expression_step(self.call),
            observe=tuple(map(_expression_step, observe)),
            also=tuple(map(_expression_step, also)),
            modules=_modules(evidence, codes),
            draws=any(DRAW_NAME in code.reads for code in codes),
        )

    def words(self, further_codes: Iterable[Code] = ()) -> frozenset[str]:
        """Return all names and attribute names in the steps of the probe and in `further_codes`."""
        codes = (*self.setup, self.call, *further_codes)
        attribute_names = {name for code in codes for _, name in attributes(code)}
        return frozenset(attribute_names.union(*(code.reads for code in codes)))

    def check_probe(
        self, scope: RuleScope, observe: Iterable[Code] = (), also: Iterable[Code] = ()
    ) -> None:
        """Report to `scope` errors in the probe; `observe` and `also` are as for `probe`."""
        scope.check_function(("function",), self.function)
        for index, size in enumerate(self.sizes[1:], start=1):
            if size <= self.sizes[index - 1]:
                message = (
                    f"the size {size} is not larger than {self.sizes[index - 1]}, the one before it"
                )
                advice = "write sizes from small to large, each once"
                scope.report_value(("sizes", index), message, advice)
        steps = _StepChecks(scope, dict.fromkeys((SIZE_NAME, DRAW_NAME)))
        steps.check_setup(self.setup)
        if steps.check_names(("call",), self.call) and self.function in scope.functions:
            self._check_use(scope, steps)
        for name, codes in (("observe", observe), ("also", also)):
            for index, code in enumerate(codes):
                steps.check_names((name, index), code)
        steps.check_modules("call")

    def _check_use(self, scope: RuleScope, steps: _StepChecks) -> None:
        """Report to `scope` a call that does not call the function, and sizes without effect."""
        names = {self.function, self.function.rpartition(".")[2]}
        called = self.call.reads | {name for _, name in attributes(self.call)}
        # `check_modules` reports steps that name no module, so do not report them twice.
        names_no_module = bool(scope.modules) and steps.read.isdisjoint(scope.modules)
        if not names & called and not names_no_module:
            message = f"this call does not call {quote(self.function)}"
            advice = f"write an expression that calls {self.function}"
            scope.report_value(("call",), message, advice)
        if len(self.sizes) > 1 and SIZE_NAME not in steps.read:
            message = f"no step reads {quote(SIZE_NAME)}, so the sizes make no difference"
            advice = f"use {quote(SIZE_NAME)} in `setup` or `call`, or give only one size"
            scope.report_key("sizes", message, advice)


def probe_for_setup(evidence: Evidence, setup: Sequence[Code]) -> Probe:
    """Return the probe, with one size, of a rule about all functions that its `setup` calls."""
    steps = tuple(map(_step, setup))
    return Probe(sizes=(1,), setup=steps, call=_NOTHING, modules=_modules(evidence, setup))


def check_setup(scope: RuleScope, setup: Sequence[Code]) -> None:
    """Report to `scope` errors in the set-up of a probe without sizes."""
    steps = _StepChecks(scope)
    steps.check_setup(setup)
    steps.check_modules("setup")


def _step(code: Code) -> ProbeStep:
    return ProbeStep(code=code.text, is_expression=code.is_expression, binds=code.binds)


def _expression_step(code: Code) -> ProbeStep:
    """Return the step for an expression, ignoring names that it binds with `:=`."""
    # The call is put in a lambda, in which `:=` binds only a local name.
    return ProbeStep(code=code.text, is_expression=True)


def _modules(evidence: Evidence, codes: Iterable[Code]) -> tuple[str, ...]:
    """Return the modules that `codes` read, in the order of the suite.

    Return all modules if steps use names without naming the module.
    """
    if evidence.binds == "names":
        return evidence.modules
    read = frozenset[str]().union(*(code.reads for code in codes))
    return tuple(module for module in evidence.modules if module in read)


@dataclass(slots=True)
class _StepChecks:
    """Checks the steps of one probe, in order, and reports errors to `scope`."""

    scope: RuleScope
    bound: dict[str, None] = field(default_factory=dict)
    """Names that the probe has bound so far, in order."""
    read: set[str] = field(default_factory=set)

    def check_setup(self, codes: Sequence[Code]) -> None:
        """Report errors in the set-up, and record the names that it binds."""
        for index, code in enumerate(codes):
            path = ("setup", index)
            self.check_names(path, code)
            for name in {SIZE_NAME, DRAW_NAME}.intersection(self.bound, code.binds):
                meaning = "the size" if name == SIZE_NAME else "the random numbers"
                message = f"this step binds {quote(name)}, which is reserved for {meaning}"
                self.scope.report_value(path, message, "choose another name for the variable")
            self.bound.update(dict.fromkeys(code.binds))

    def check_names(self, path: tuple[str | int, ...], code: Code) -> bool:
        """Report names in `code` that nothing binds or defines; return whether there are none.

        Also records the names that `code` reads.
        """
        self.read |= code.reads
        known_names = (*self.bound, *self.scope.names)
        # A step can read a name that it binds itself, as a recursive function does.
        unbound = sorted(code.reads - _BUILTINS - {*known_names, *code.binds})
        for name in unbound:
            message = f"this step reads {quote(name)}, which nothing before it binds"
            message += did_you_mean(name, known_names)
            self.scope.report_value(
                path, message, f"names to choose from: {join_words(known_names)}"
            )
        functions = self.scope.functions
        # A name that the probe has bound no longer refers to the module.
        unbound_modules = {*self.scope.modules} - self.bound.keys()
        qualified = (
            f"{module}.{attribute}"
            for module, attribute in attributes(code)
            if module in unbound_modules
        )
        undefined = [name for name in qualified if name not in functions]
        for name in dict.fromkeys(undefined):
            message = f"this step reads {quote(name)}, which no submission has to define"
            message += did_you_mean(name, functions)
            self.scope.report_value(path, message, "add it to `defines` or to `helpers`")
        return not unbound and not undefined

    def check_modules(self, key: str) -> None:
        """Report at `key` if the exercise has several modules and the probe names none of them."""
        if self.scope.modules and self.read.isdisjoint(self.scope.modules):
            message = "no step of this rule names a module of the submission"
            advice = f"modules to choose from: {join_words(self.scope.modules)}"
            self.scope.report_key(key, message, advice)


Growth: TypeAlias = Literal["constant", "logarithmic", "linear"]
"""How a value is allowed or required to grow with the size."""

MIN_RATIO: Final = 16
"""Sizes with a smaller ratio cannot distinguish constant from linear cost."""
_CONSTANT_EXPONENT: Final = 0.43
_LOGARITHMIC_EXPONENT: Final = 0.5
_MIN_SLOPE: Final = 0.25
_LINEAR_FACTOR: Final = 4


def grows_at_least(growth: Growth, sizes: Sequence[int], values: Sequence[int]) -> bool:
    """Return whether `values`, one for each of ascending `sizes`, grow at least like `growth`."""
    increase = values[-1] - values[0]
    match growth:
        case "constant":
            return True
        case "logarithmic":
            return increase > 0
        case "linear":
            return increase > 0 and increase >= _MIN_SLOPE * (sizes[-1] - sizes[0])


def grows_at_most(growth: Growth, sizes: Sequence[int], values: Sequence[int]) -> bool:
    """Return whether `values`, one for each of ascending `sizes`, grow at most like `growth`."""
    size_ratio, value_ratio = ratio(sizes), ratio(values)
    match growth:
        case "constant":
            return value_ratio <= math.pow(size_ratio, _CONSTANT_EXPONENT)
        case "logarithmic":
            return value_ratio <= math.pow(size_ratio, _LOGARITHMIC_EXPONENT)
        case "linear":
            return value_ratio <= _LINEAR_FACTOR * size_ratio


def ratio(values: Sequence[int]) -> float:
    """Return the last of `values` divided by the first; values below 1 count as 1."""
    # Division by zero would fail, and 0 is a valid size.
    return max(1, values[-1]) / max(1, values[0])
