"""Checks the steps of a session against each other and against their suite.

Names are tracked from step to step, as a step can only use names that earlier steps have bound.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Collection, Mapping
from typing import Final

from grader.suite.code import Code, attributes, named_files, parse_code, written_files
from grader.suite.diagnostics import did_you_mean, join_words, quote
from grader.suite.document import Findings, NodePath
from grader.suite.expectations import ALTERNATIVE_PARSERS
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import COMPARING, EXPECTATIONS, NEED_GROUP, PROGRAM, Step
from grader.values.leniency import Ignored
from grader.values.tree import caps_for

_BUILTINS: Final = frozenset(vars(builtins))
_EXCEPTIONS: Final = {
    name: value
    for name, value in sorted(vars(builtins).items())
    if isinstance(value, type) and issubclass(value, BaseException)
}
_MIN_SIMILARITY: Final = 0.8
"""The minimum similarity at which an unknown exception is reported as a typo for a known one. It is
high, as the exception can also be one that the submission defines."""
_NEEDS_GROUP: Final = "add `group:` with the id of a group, or remove this key"
_NOT_FOR_PROGRAMS: Final = ("do", "returns", "as_lists", "shows", "same_as")
"""Keys of a step that have no effect on one that runs a program."""
_MISSING_FILE_ERRORS: Final = frozenset({"FileNotFoundError", "OSError"})


def check_session(path: NodePath, session: Session, suite: Suite, findings: Findings) -> None:
    """Report mistakes in the `session` at `path`, and contradictions with its `suite`."""
    _check_modules(path, session, suite, findings)
    names = frozenset(session.modules if suite.binds == "modules" else suite.defines)
    own_names = frozenset(name.rpartition(".")[2] for name in suite.defines)
    # A dict, unlike a set, keeps the order in which messages list the names.
    ever_bound = dict.fromkeys(name for step in session.steps for name in step.binds)
    for index, observer in enumerate(session.observers):
        observer_path = (*path, "observers", index)
        _check_observer(
            observer_path, observer, names, (ever_bound, "no step of the session"), findings
        )
    bound: dict[str, None] = {}
    written = written_files(step.code for step in session.steps)
    for index, step in enumerate(session.steps):
        step_path = (*path, "steps", index)
        _check_keys(step_path, step, findings)
        _check_program(step_path, step, suite, findings)
        _check_comparison_keys(step_path, step, findings)
        _check_shorter(step_path, step, index, findings)
        _check_same_as(step_path, step, bound, findings)
        for observer_index, observer in enumerate(step.unchanged or ()):
            observer_path = (*step_path, "unchanged", observer_index)
            bound_by = (bound, "no step before this one")
            _check_observer(observer_path, observer, names, bound_by, findings)
        if step.raises is not None:
            known = {*_EXCEPTIONS, *own_names, *bound}
            _check_exception((*step_path, "raises"), step.raises.type_name, known, findings)
        _check_size(step_path, step, suite.limits, findings)
        _check_files(step_path, step, {*suite.files, *suite.writes, *written}, findings)
        check_accepts((*step_path, "accepts"), step, suite.checkers, findings)
        bound.update(dict.fromkeys(step.binds))


def _check_modules(path: NodePath, session: Session, suite: Suite, findings: Findings) -> None:
    """Report mistakes in the keys `uses` and `stand_ins` of the session at `path`.

    Also report steps that read modules which the session does not use.
    """
    modules = suite.named_modules
    if not modules:
        for key in sorted({"uses", "stand_ins"}.intersection(findings.document.keys_at(path))):
            message = f"{quote(key)} has no effect for a single module"
            findings.report_key(
                (*path, key), message, "remove it, or list the exercise's modules under `modules`"
            )
        return
    for key, names in (("uses", session.uses or ()), ("stand_ins", session.stand_ins)):
        findings.report_repeated("module", (*path, key))
        for index, name in enumerate(names):
            name_path = (*path, key, index)
            findings.report_unknown("module", name_path, name, modules, "modules to choose from")
            if key == "stand_ins" and name in modules and name not in suite.stand_ins:
                message = f"there is no stand-in for {quote(name)}"
                findings.report_value(
                    name_path, message, "name its file in the suite's `stand_ins`"
                )
    if session.stand_ins and {*session.modules} <= {*session.stand_ins}:
        message = "all modules that this session uses have stand-ins"
        advice = "remove the module that the session is about: nothing else would be tried"
        findings.report_key((*path, "stand_ins"), message, advice)
    for index, step in enumerate(session.steps):
        # Sorted, as the order of a set differs from run to run.
        for name in sorted(step.do.reads.intersection(modules).difference(session.modules)):
            message = f"the step reads {quote(name)}, which its session does not use"
            name_path = (*path, "steps", index, "do")
            advice = f"add it to the session's `uses`, which has only {join_words(session.modules)}"
            findings.report_value(name_path, message, advice)


def _check_observer(
    path: NodePath,
    observer: Code,
    names: frozenset[str],
    bound_by: tuple[Collection[str], str],
    findings: Findings,
) -> None:
    """Report names that the observer at `path` reads but that nothing binds.

    Such an observer would raise both before and after the step, and so check nothing. `names` are
    those that the exercise defines. `bound_by` is a pair: the names that steps bind, and the phrase
    before "binds" in messages about other names, such as "no step before this one".
    """
    bound, binder = bound_by
    # Sorted, as the order of a set differs from run to run.
    for name in sorted(observer.reads - _BUILTINS - names - {*bound}):
        message = f"the observer reads {quote(name)}, which {binder} binds"
        message += did_you_mean(name, bound)
        findings.report_value(path, message, f"names to choose from: {join_words(bound)}")


def _check_keys(path: NodePath, step: Step, findings: Findings) -> None:
    """Report keys of the step at `path` that conflict or have no effect."""
    report = findings.report_key
    expectation_keys = [key for key in findings.document.keys_at(path) if key in EXPECTATIONS]
    for key in expectation_keys[1:]:
        message = (
            f"a step has only one expectation, and {quote(expectation_keys[0])} is given already"
        )
        report((*path, key), message, "keep one of them, or split the step in two")
    if step.group is None:
        extra_keys = [
            key for key in NEED_GROUP[len(EXPECTATIONS) :] if getattr(step, key) is not None
        ]
        # Further expectations are already reported, above.
        for key in [*expectation_keys[:1], *extra_keys]:
            report((*path, key), f"{quote(key)} has no effect without a group", _NEEDS_GROUP)
    if step.unchanged is not None and step.raises is None:
        advice = "observers are only checked around a step that must raise: add `raises:`"
        report((*path, "unchanged"), "'unchanged' has no effect without 'raises'", advice)
    for key in ("action", "always"):
        if getattr(step, key) and step.raises is not None:
            advice = "put the action into a separate step before this one"
            report((*path, key), "a step that must raise is not an action", advice)
    if step.as_lists is not None and step.returns is None:
        advice = "it controls how a value is compared: add `returns:`"
        report((*path, "as_lists"), "'as_lists' has no effect without 'returns'", advice)
    for key in ("returns", "same_as", "accepts"):
        if key in expectation_keys and not step.is_expression:
            message = f"a statement has no value, so {quote(key)} has no effect"
            report((*path, key), message, "write an expression as the next step that returns it")


def _check_shorter(path: NodePath, step: Step, index: int, findings: Findings) -> None:
    """Report mistakes in the `shorter` entries of a step; `index` is its index in the session."""
    for entry_index, shorter in enumerate(step.shorter or ()):
        entry_path = (*path, "shorter", entry_index)
        for name, numbers in (("after", shorter.after), ("one_of", shorter.one_of or ())):
            # The numbers must be ascending, distinct, and lower than this step's number.
            if [*numbers] != sorted({*numbers} & {*range(1, index + 1)}):
                message = "these are not the numbers of earlier steps in ascending order"
                findings.report_value(
                    (*entry_path, name), message, "write numbers of steps before this one"
                )
        for name in ("returns", "stdout"):
            if getattr(shorter, name) is not None and getattr(step, name) is None:
                message = f"the case expects no {quote(name)}"
                findings.report_key(
                    (*entry_path, name), message, "leave it out: the case's own expectation applies"
                )


def _check_program(path: NodePath, step: Step, suite: Suite, findings: Findings) -> None:
    """Report keys that do not suit the step, depending on whether it runs a program.

    Also report a program that is not a module of the suite.
    """
    step_keys = findings.document.keys_at(path)
    if step.run is None:
        for key in step_keys:
            if key in PROGRAM:
                message = f"{quote(key)} has no effect for a step that runs no program"
                findings.report_key((*path, key), message, "add `run:` with the module to run")
        if Ignored.PROMPTS in (step.ignore or ()) and step.stdin is None:
            message = "there are no prompts to ignore without typed input"
            findings.report_key((*path, "ignore"), message, "leave it out, or add `stdin:`")
        return
    findings.report_unknown(
        "module", (*path, "run"), step.run, suite.modules, "modules to choose from"
    )
    for key in step_keys:
        if key in _NOT_FOR_PROGRAMS:
            message = f"{quote(key)} has no effect for a step that runs a program"
            advice = (
                "write its output under `stdout` or check it with `accepts`, and its end under"
                " `exits` or `raises`"
            )
            findings.report_key((*path, key), message, advice)


def _check_comparison_keys(path: NodePath, step: Step, findings: Findings) -> None:
    """Report keys that control a comparison, if the step has nothing to compare."""
    if any(getattr(step, key) is not None for key in ALTERNATIVE_PARSERS):
        return
    for key in COMPARING:
        if getattr(step, key) is not None:
            alternatives = join_words(ALTERNATIVE_PARSERS)
            advice = f"it controls how results are compared: add one of {alternatives}"
            findings.report_key((*path, key), f"{quote(key)} has no effect here", advice)


def _check_same_as(path: NodePath, step: Step, bound: Collection[str], findings: Findings) -> None:
    """Report a name in `same_as` that no earlier step binds."""
    if step.same_as is not None and step.same_as.name not in bound:
        name = step.same_as.name
        message = f"no step before this one binds {quote(name)}{did_you_mean(name, bound)}"
        findings.report_value(
            (*path, "same_as"), message, f"names to choose from: {join_words(bound)}"
        )


def _check_exception(path: NodePath, name: str, known: Collection[str], findings: Findings) -> None:
    """Report the exception `name` if it is not `known` and looks like a typo for a built-in one."""
    suggestion = "" if name in known else did_you_mean(name, _EXCEPTIONS, _MIN_SIMILARITY)
    if suggestion:
        advice = "list an exception that the submission defines under `defines`"
        findings.report_value(path, f"unknown exception {quote(name)}{suggestion}", advice)


def _check_size(path: NodePath, step: Step, limits: Limits, findings: Findings) -> None:
    """Report an expected value that exceeds one of `limits`, as no submission can return it."""
    if step.returns is None:
        return
    caps = caps_for(step.returns.value)
    # The number of digits of the smallest integer with this many bits.
    digits = math.floor(math.log10(2) * (caps.int_bits - 1)) + 1
    sizes_by_limit = {
        "value_items": caps.value_items,
        "value_depth": caps.value_depth,
        "value_chars": caps.value_chars,
        "int_digits": digits,
    }
    for limit, size in sizes_by_limit.items():
        limit_value = getattr(limits, limit)
        if size > limit_value:
            message = (
                f"this value is over the limit {limit!r} ({limit_value:,}), so no submission can"
                " return it"
            )
            advice = f"raise `{limit}` under `limits` to {size}, or expect only a part of the value"
            findings.report_value((*path, "returns"), message, advice)


def _check_files(path: NodePath, step: Step, known: Collection[str], findings: Findings) -> None:
    """Report names of files in a step that are not `known`.

    Every submission would fail the step without the file. A step that must raise an error about a
    missing file is not checked.
    """
    if step.raises is not None and step.raises.type_name in _MISSING_FILE_ERRORS:
        return
    for name in named_files(step.code):
        if name not in known:
            message = f"the file {quote(name)} is not among `files`{did_you_mean(name, known)}"
            advice = (
                "put its text under `files`; if the submission writes it, or if this is not the"
                " name of a file, list it under `writes`"
            )
            findings.report_value((*path, "do"), message, advice)


_ANSWER: Final = "answer"


def check_checkers(head: Suite, findings: Findings) -> None:
    """Report checkers with the reserved name, or with the name of a given module."""
    for name in head.checkers:
        if name == _ANSWER:
            message = "no checker can be called 'answer', which stands for the returned value"
        elif name in head.given:
            message = f"{quote(name)} is the name of a given module, which checkers can import"
        else:
            continue
        findings.report_key(("checkers", name), message, "give the checker another name")


def check_accepts(
    path: NodePath, step: Step, checkers: Mapping[str, str], findings: Findings
) -> None:
    """Report names that the expression `accepts` at `path` reads but that are not checkers.

    Also report attributes of a checker that its code does not define.
    """
    if step.accepts is None:
        return
    for name in sorted(step.accepts.reads - _BUILTINS - {_ANSWER}):
        if name not in checkers:
            message = f"{quote(name)} is not a checker{did_you_mean(name, checkers)}"
            findings.report_value(path, message, f"checkers to choose from: {join_words(checkers)}")
    for module, name in attributes(step.accepts):
        if module in checkers and name not in (defined := parse_code(checkers[module]).binds):
            message = f"{quote(module)} defines no {quote(name)}{did_you_mean(name, defined)}"
            findings.report_value(path, message, f"names that it defines: {join_words(defined)}")
