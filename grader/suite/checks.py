"""Checks the parts of a suite against each other, after each part is valid by itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from grader.suite.board import check_board
from grader.suite.clauses import Clause, check_clauses, check_scored_cases
from grader.suite.code import names_by_function
from grader.suite.diagnostics import did_you_mean, join_words, quote
from grader.suite.document import Findings, NodePath
from grader.suite.drawable import Misfit
from grader.suite.expectations import Accepts, Returns
from grader.suite.hidden import Hidden, merge_suites
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.session_checks import check_checkers, check_session
from grader.suite.steps import NEED_GROUP, Group
from grader.suite.widgets import CallsWidget, LineWidget, Widget
from grader.verdict import Visibility

SESSIONS_IN_BUDGET: Final = 3
"""How many sessions that use up their limits must fit into the budget of a submission."""


def check_suite(suite: Suite, findings: Findings) -> None:
    """Report contradictions between the parts of a public suite, except its rules."""
    _check_modules(suite, findings)
    check_checkers(suite, findings)
    _check_limits(suite.limits, findings)
    findings.report_repeated("module", ("imports",))
    findings.report_repeated("name", ("defines",))
    findings.report_repeated("language", ("also_in",))
    findings.report_repeated("id", ("clauses",), "id")
    findings.report_repeated("id", ("groups",), "id")
    check_board(suite.board, findings)
    groups = [group.id for group in suite.groups]
    _check_widgets(suite, groups, findings)
    _check_sessions("sessions", suite.sessions, suite, groups, findings)
    check_clauses("sessions", suite.sessions, suite.clauses, findings)
    _check_case_ids("sessions", suite.sessions, (), findings)
    _check_unused_groups(suite.groups, suite.sessions, groups, findings)


def check_hidden(hidden: Hidden, public: Suite, findings: Findings) -> None:
    """Report contradictions within a hidden suite, and between it and its public suite.

    Also report groups that have no cases.
    """
    if hidden.exercise != public.exercise:
        message = f"the public suite is about {quote(public.exercise)}"
        advice = "a hidden suite extends the public suite next to it: use the same exercise"
        findings.report_value(("exercise",), message, advice)
    findings.report_repeated("mutant", ("equivalent",), "mutant")
    findings.report_repeated("id", ("groups",), "id")
    findings.report_repeated("id", ("clauses",), "id")
    _check_clashes("clause", hidden.clauses, public.clauses, findings)
    _check_clashes("session", hidden.sessions, public.sessions, findings)
    ids = [*dict.fromkeys(group.id for group in (*public.groups, *hidden.groups))]
    public_ids = {case.id for session in public.sessions for case in session.cases}
    clauses = (*public.clauses, *hidden.clauses)
    for key, sessions in (("sessions", hidden.sessions), ("siblings", hidden.siblings)):
        check_clauses(key, sessions, clauses, findings)
        _check_sessions(key, sessions, public, ids, findings)
        _check_case_ids(key, sessions, public_ids if key == "sessions" else (), findings)
    hidden_codes = {
        session.id: [step.code for step in session.steps] for session in hidden.sessions
    }
    for index, sibling in enumerate(hidden.siblings):
        _check_sibling(("siblings", index, "id"), sibling, hidden_codes, findings)
    if hidden.clauses:
        groups = merge_suites(public, hidden).groups
        published = {clause.id for clause in public.clauses}
        check_scored_cases(hidden.sessions, groups, clauses, published, findings)
    groups_with_cases = {case.group for session in public.sessions for case in session.cases}
    _check_unused_groups(hidden.groups, hidden.sessions, ids, findings, groups_with_cases)


def _check_modules(suite: Suite, findings: Findings) -> None:
    """Report contradictions between `modules` and the keys that refer to modules.

    These keys are `defines`, `given`, `handed_out` and `stand_ins`.
    """
    modules = suite.named_modules
    findings.report_repeated("module", ("modules",))
    _check_defines(suite, findings)
    for name in suite.given:
        if name in suite.modules:
            message = f"{quote(name)} is handed in by students, so it cannot be given"
            advice = "remove it from `modules` or `given`" if modules else "remove it from `given`"
            findings.report_key(("given", name), message, advice)
    for name in suite.handed_out:
        if name.rpartition(".")[0] not in (modules or [""]):
            message = f"{quote(name)} is not in a module that students hand in"
            advice = f"write it as {modules[0]}.name" if modules else "write the name alone"
            findings.report_key(("handed_out", name), message, advice)
    if suite.stand_ins and not modules and not suite.helpers:
        message = "'stand_ins' has no effect for a single module without helpers"
        findings.report_key(
            ("stand_ins",), message, "list the exercise's `modules`, or its `helpers`"
        )
        return
    for name, source in suite.stand_ins.items():
        key_path: NodePath = ("stand_ins", name)
        if name not in suite.modules:
            message = f"unknown module {quote(name)}{did_you_mean(name, suite.modules)}"
            findings.report_key(
                key_path, message, f"modules to choose from: {join_words(suite.modules)}"
            )
        elif not modules:
            _check_stand_in_helpers(key_path, suite.helpers, names_by_function(source), findings)


def _check_stand_in_helpers(
    path: NodePath,
    helpers: Sequence[str],
    defined: Mapping[str, Collection[str]],
    findings: Findings,
) -> None:
    """Report why the functions of the stand-in at `path` cannot replace `helpers`.

    `defined` maps these functions to the names that they use.
    """
    for index, helper in enumerate(helpers):
        if helper not in defined:
            message = f"the stand-in does not define the function {quote(helper)}"
            findings.report_key(path, message, "define all `helpers` in it")
        for later_helper in helpers[index + 1 :]:
            if later_helper in defined.get(helper, ()):
                message = f"in the stand-in, {quote(helper)} reads {quote(later_helper)}"
                advice = f"put {quote(later_helper)} before {quote(helper)} in `helpers`"
                findings.report_key(path, message, advice)


def _check_defines(suite: Suite, findings: Findings) -> None:
    """Report names in `defines` whose module is missing, unknown or superfluous.

    A name needs a module only if the suite lists `modules`.
    """
    modules = suite.named_modules
    for index, name in enumerate(suite.defines):
        path: NodePath = ("defines", index)
        module, dot, _ = name.partition(".")
        if modules and not dot:
            advice = f"write it with its module, such as {modules[0]}.{name}"
            findings.report_value(path, f"the module is missing in {quote(name)}", advice)
        elif modules:
            findings.report_unknown("module", path, module, modules, "modules to choose from")
        elif dot:
            message = f"{quote(name)} has a module, but the exercise has only one module"
            findings.report_value(path, message, "write the name alone")


def _check_limits(limits: Limits, findings: Findings) -> None:
    """Report contradictions between limits, each at a limit that the suite itself sets."""
    for key in ("session_cpu_s", "wall_s", "session_wall_s"):
        highest = getattr(limits, key)
        if limits.cpu_s > highest:
            # A default has no line in the suite, so the limit that the suite sets is reported.
            key_to_report = key if key in limits.given_keys else "cpu_s"
            message = f"'cpu_s' ({limits.cpu_s:g}) is more than {quote(key)} ({highest:g})"
            advice = f"raise {key} too, or lower cpu_s"
            findings.report_key(("limits", key_to_report), message, advice)
    for name, call_s in limits.calls.items():
        if call_s > limits.session_cpu_s:
            session_limit = f"'session_cpu_s' ({limits.session_cpu_s:g})"
            message = f"{quote(name)} ({call_s:g}) has a limit above {session_limit}"
            advice = f"raise session_cpu_s too, or lower {name}"
            findings.report_key(("limits", "calls", name), message, advice)
    for clock in ("cpu_s", "wall_s"):
        submission_key, session_key = f"submission_{clock}", f"session_{clock}"
        submission_s, session_s = getattr(limits, submission_key), getattr(limits, session_key)
        if SESSIONS_IN_BUDGET * session_s > submission_s:
            budget_key = submission_key if submission_key in limits.given_keys else session_key
            budget = f"{quote(submission_key)} ({submission_s:g})"
            message = f"{budget} is less than three sessions of {session_s:g} s"
            advice = f"raise {submission_key}, or lower {session_key}"
            findings.report_key(("limits", budget_key), message, advice)


def _check_sessions(
    key: str,
    sessions: Sequence[Session],
    suite: Suite,
    groups: Sequence[str],
    findings: Findings,
) -> None:
    """Report mistakes in the `sessions` at `key`, including cases of unknown groups."""
    findings.report_repeated("id", (key,), "id")
    for index, session in enumerate(sessions):
        check_session((key, index), session, suite, findings)
        for case in session.cases:
            key_path = (key, index, "steps", case.step_index, "group")
            findings.report_unknown("group", key_path, case.group, groups, "groups")


def _check_case_ids(
    key: str, sessions: Sequence[Session], taken: Collection[str], findings: Findings
) -> None:
    """Report cases in the `sessions` at `key` whose id is `taken`, or that of an earlier case."""
    paths: dict[str, NodePath] = {}
    for index, session in enumerate(sessions):
        for case in session.cases:
            step = session.steps[case.step_index]
            name = "group" if step.case is None else "case"
            path: NodePath = (key, index, "steps", case.step_index, name)
            earlier = paths.setdefault(case.id, path)
            if case.id in taken:
                advice = "the public suite has it already: give this one another `case:`"
            elif earlier == path:
                continue
            else:
                line = findings.first_line(earlier)
                advice = f"line {line} has it already: give one of them another `case:`"
            findings.report_value(path, f"the case {quote(case.id)} is given twice", advice)


def _check_unused_groups(
    groups: Sequence[Group],
    sessions: Sequence[Session],
    known: Collection[str],
    findings: Findings,
    groups_elsewhere: Collection[str] = (),
) -> None:
    """Report `groups` that have no cases in the `sessions` of the same file.

    `known` are the ids of all groups. `groups_elsewhere` have cases in another file, so they need
    none in this one.
    """
    used = {case.group for session in sessions for case in session.cases}
    steps = [step for session in sessions for step in session.steps]
    lacks_group = any(
        step.group is None and not step.given_keys.isdisjoint(NEED_GROUP) for step in steps
    )
    if lacks_group or not used.issubset(known):
        return  # a step with a missing or misspelt group might belong to a group without cases
    for index, group in enumerate(groups):
        if group.id not in used and group.id not in groups_elsewhere:
            advice = f"give a step `group: {group.id}`, or remove the group"
            message = f"the group {quote(group.id)} has no cases"
            findings.report_value(("groups", index, "id"), message, advice)


def _check_clashes(
    noun: str,
    hidden: Sequence[Clause | Session],
    public: Sequence[Clause | Session],
    findings: Findings,
) -> None:
    """Report entries of the hidden suite that have the id of an entry in the `public` one.

    Messages call an entry a `noun`.
    """
    public_ids = {entry.id for entry in public}
    for index, entry in enumerate(hidden):
        if entry.id in public_ids:
            message = f"the {noun} {quote(entry.id)} is already in the public suite"
            path = (f"{noun}s", index, "id")
            findings.report_value(path, message, "give this one another id")


def _check_sibling(
    path: NodePath, sibling: Session, hidden_codes: Mapping[str, Sequence[str]], findings: Findings
) -> None:
    """Report a sibling without cases, or one whose steps all occur, in order, in a hidden session.

    `hidden_codes` has the code of the steps of each hidden session, keyed by session id.
    """
    name = quote(sibling.id)
    if not sibling.cases:
        message = f"the sibling {name} has no case that could fail"
        findings.report_value(path, message, "give a step a `group:`")
    sibling_codes = [step.code for step in sibling.steps]
    for session, steps in hidden_codes.items():
        codes = iter(steps)
        # `in` consumes the iterator, so the sibling's steps must occur in this order.
        if all(code in codes for code in sibling_codes):
            message = f"all steps of the sibling {name} also occur in the session"
            advice = "students can see siblings, so change its steps"
            findings.report_value(path, f"{message} {quote(session)}", advice)


def _check_widgets(suite: Suite, groups: Sequence[str], findings: Findings) -> None:
    """Report mistakes in widgets, such as groups whose expected values they cannot draw."""
    taken: dict[str, NodePath] = {}
    for path, widget in suite.widgets.widgets_with_paths():
        if isinstance(widget, CallsWidget):
            _check_function(widget.function, suite, path, findings)
        is_sound = not isinstance(widget, LineWidget) or _has_valid_ends(widget, path, findings)
        for index, group in enumerate(widget.groups):
            key_path: NodePath = (*path, "groups", index)
            findings.report_unknown("group", key_path, group, groups, "groups")
            if isinstance(widget, CallsWidget):
                continue
            first = taken.setdefault(group, key_path)
            if first != key_path:
                advice = f"line {findings.first_line(first)} has it already: remove one of them"
                findings.report_value(
                    key_path, f"the group {quote(group)} is drawn in two ways", advice
                )
            elif group in groups and is_sound:
                _check_answers(widget, group, suite, key_path, findings)


def _check_function(name: str, suite: Suite, path: NodePath, findings: Findings) -> None:
    """Report the function `name` of the widget at `path` if submissions do not define it."""
    known = (*suite.defines, *suite.helpers)
    if {name, name.rpartition(".")[0]}.isdisjoint(known):
        message = f"unknown function {quote(name)}{did_you_mean(name, known)}"
        advice = f"functions in `defines` and `helpers`: {join_words(known)}"
        findings.report_value((*path, "function"), message, advice)


def _has_valid_ends(widget: LineWidget, path: NodePath, findings: Findings) -> bool:
    """Return whether the line of `widget` ends after its start, and report it if it does not."""
    if widget.low is None or widget.high is None or widget.low < widget.high:
        return True
    message = f"a line cannot end at {widget.high:g}, as it begins at {widget.low:g}"
    findings.report_value((*path, "high"), message, "set `high` to a number above `low`")
    return False


def _check_answers(
    widget: Widget, group: str, suite: Suite, key_path: NodePath, findings: Findings
) -> None:
    """Report expected values in public cases of `group` that `widget` cannot draw.

    Some values can be of another kind, such as None, but at least one must be drawable. Answers
    that a checker accepts are assumed to be.
    """
    has_answer = False
    for index, session in enumerate(suite.sessions):
        for case in session.cases if session.visibility is Visibility.PUBLIC else ():
            step = session.steps[case.step_index]
            if case.group != group:
                continue
            match step.expectation:
                case Returns(value=value):
                    try:
                        has_answer = widget.draws(value) or has_answer
                    except Misfit as misfit:
                        value_path: NodePath = (
                            "sessions",
                            index,
                            "steps",
                            case.step_index,
                            "returns",
                        )
                        message = f"{widget.form_name} cannot show this answer: {misfit}"
                        line = findings.first_line(key_path)
                        advice = f"line {line} has the group {quote(group)} drawn"
                        findings.report_value(value_path, message, advice)
                        has_answer = True
                case Accepts():
                    has_answer = True
    if not has_answer:
        message = f"no public case of the group {quote(group)} returns anything to draw"
        findings.report_value(key_path, message, f"{widget.form_name} draws a {widget.needs}")
