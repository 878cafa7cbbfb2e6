"""A rule on what objects and calls leave behind for others: nothing.

Each session of a suite has a process of its own, so all of these pass: a set of the class, a cache
that knows a call by half of its arguments, a default value that is filled. Here small sessions that
students may be shown run one after the other in one process. Who fails one of them there and passes
it alone has kept something. Lists, sets and dictionaries that steps hand over are looked at
afterwards, and must be what they were.

An exercise may ask for what outlasts an object, such as a count of all: then it has no such rule.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any, ClassVar, Final, NamedTuple

from grader.judging.going_well import failing
from grader.judging.matching import assess, observed
from grader.judging.results import Result, Ruling, broken, passed, skipped
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.judging.trial import Trials
from grader.messages import Message, message
from grader.protocol import HIGHEST_CAPS
from grader.sandbox.observation import Returned
from grader.sandbox.planning import Item, Role, names_read, whole_session
from grader.sandbox.session_runs import SessionRun
from grader.suite.code import written_files
from grader.suite.fields import flag
from grader.suite.model import Feedback, Suite
from grader.suite.session import Session
from grader.values.display import short_value
from grader.values.equality import equal
from grader.values.foreign_text import one_line
from grader.values.literals import parse_literal
from grader.verdict import Visibility

_MOST_SESSIONS: Final = 60
"""So many are run: a class pays for each of them."""
_MOST_FAILING: Final = 8
"""After so many that fail alone as well, nothing can be told."""
_MOST_EARLIER: Final = 12
"""So many single sessions are tried as the one that leaves something behind."""
_MOST_LINES: Final = 6
_CODE_CHARS: Final = 400
_VALUE_CHARS: Final = 120
_GIVEN: Final = "_given_{number}_"
"""What a container that is handed over is called meanwhile: no name that a suite would use."""
_CONTAINERS: Final = ast.List | ast.Set | ast.Dict
_COMPREHENSIONS: Final = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_LATER: Final = (ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.For, ast.While)


class Interference(JudgedRule, title="interference"):
    """Objects and calls that must leave nothing behind for others."""

    kind: ClassVar[str] = "interference"
    summary: ClassVar[str] = "Objects and calls that must leave nothing behind for others."
    example: ClassVar[dict[str, Any]] = {"points": 2}
    reads_source: ClassVar[bool] = False
    probes: ClassVar[bool] = True
    most: ClassVar[int | None] = 1

    arguments: bool = flag(
        "Whether lists, sets and dictionaries that are handed over must stay as they are.",
        example=False,
        default=True,
    )

    def sentence(self) -> Message:
        """Say that nothing is kept, and nothing of somebody else's is changed."""
        return message("demand.interference_arguments" if self.arguments else "demand.interference")

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by what sessions give that run one after the other."""
        trials = evidence.trials
        chains = [*_chains(trials.suite)]
        if not chains:
            return skipped(message("interference.nothing"))
        found = (
            _Chain(trials, chain).difference(arguments=self.arguments, shows=_shows(trials.suite))
            for chain in chains
        )
        said = next(filter(None, found), [_UNSHOWN] if evidence.only_alone else [])
        return broken(*said) if said else passed(message("interference.none"))


def _shows(suite: Suite) -> bool:
    """Return whether a student may see what is run."""
    return not suite.siblings or suite.feedback is Feedback.COUNTEREXAMPLE


def _chains(suite: Suite) -> Iterator[list[Session]]:
    """Yield sessions that run one after the other: siblings, or else the public ones, twice."""
    of_public = [each for each in suite.sessions if each.visibility is Visibility.PUBLIC]
    tried = [each for each in suite.siblings or (*of_public, *of_public) if not each.runs]
    if any(each.stand_ins for each in tried):
        tried = [each.changed(stand_ins=()) for each in tried]
    for _, alike in groupby(sorted(tried, key=_modules), key=_modules):
        every = list(alike)
        step = max(1, -(-len(every) // _MOST_SESSIONS))
        yield every[::step]


def _modules(session: Session) -> tuple[str, ...]:
    return session.modules


@dataclass(frozen=True, slots=True)
class _Chain:
    """Sessions on the same modules, on one submission."""

    trials: Trials
    sessions: Sequence[Session]

    def difference(self, *, arguments: bool, shows: bool) -> list[Message]:
        """Return what is wrong in a session behind others, or with arguments; nothing if nothing.

        Where a student may not see the sessions it is told without them.
        """
        own_mistakes = 0
        for number, run in enumerate(self._together(self.sessions)):
            session = self.sessions[number]
            if not run.went_on:
                return []  # what ends it is told elsewhere
            changed = _changed(run, _plan(session, number)) if arguments else None
            if changed is not None:
                return [message("interference.argument", **changed)] if shows else [_UNSHOWN]
            if not self._fails(session, run):
                continue
            if self._fails(session, self._alone(session)):
                own_mistakes += 1
                if own_mistakes > _MOST_FAILING:
                    return []
                continue
            return [*self._told(number, run)] if shows else [_UNSHOWN]
        return []

    def _together(self, sessions: Sequence[Session]) -> list[SessionRun]:
        runner = self.trials.runner
        plans = [_plan(each, self.sessions.index(each)).items for each in sessions]
        return runner.run_together(plans, modules=sessions[0].modules)

    def _alone(self, session: Session) -> SessionRun:
        return self.trials.runner.run(_plan(session, 0).items, modules=session.modules)

    def _fails(self, session: Session, run: SessionRun) -> bool:
        return not run.went_on or bool(failing(session, run, self.trials.checker))

    def _told(self, number: int, run: SessionRun) -> Iterator[Message]:
        """Yield what differs in the session of this `number`, behind one other if that will do."""
        session, before = self.sessions[number], self.sessions[:number]
        for earlier in before[-_MOST_EARLIER:][::-1]:
            (_, again) = self._together([earlier, session])
            if again.went_on and self._fails(session, again):
                before, run = [earlier], again
                break
        case, result = self._wrong(session, run)
        lines = [step.shown for each in (*before[-1:], session) for step in each.steps]
        at = len(lines) - len(session.steps) + case
        code = one_line(session.steps[case].shown, _CODE_CHARS)
        yield message("interference.differs", code=code)
        if result.expected and result.got:
            expected, got = (one_line(t, _VALUE_CHARS) for t in (result.expected, result.got))
            yield message("wrong.value", expected=expected, got=got)
        yield message("wrong.only_in_session")
        shown = lines[: at + 1]
        if len(before) == 1 and len(shown) <= _MOST_LINES and not any("\n" in one for one in shown):
            code = one_line("; ".join(shown), _CODE_CHARS)
            yield message("interference.try", code=code)

    def _wrong(self, session: Session, run: SessionRun) -> tuple[int, Result]:
        """Return the step of the first case that fails in `run`, and how."""
        seen = observed(run, self.trials.checker.outcomes(session.steps, run))
        for case in session.cases:
            result = assess(session, case, seen)
            if result is not None and not result.passed:
                return case.step_index, result
        raise AssertionError("a session that fails has a case that does")


_UNSHOWN: Final = message("interference.unshown")


class _Plan(NamedTuple):
    """The steps of a session, and looks in the end at what they have handed over."""

    items: tuple[Item, ...]
    given: Mapping[str, str]
    """How that is written, by the code that looks at it."""
    handed_over_by: Mapping[str, str]
    """The step that does so, by the same."""


@lru_cache(1024)
def _plan(session: Session, number: int) -> _Plan:
    """Return the plan of `session`, in which what is handed over has a name.

    So `YinYang(3, [(0, 1)])` becomes `_given_1_ = [(0, 1)]` and `YinYang(3, _given_1_)`. Files that
    it writes have names of its own, by its `number`: who keeps what is in a file, by its name, does
    no harm.
    """
    given = dict(_named(session))
    files = {
        name: f"{folder}{slash}{number}_{base}"
        for name in written_files(step.code for step in session.steps)
        for folder, slash, base in [name.rpartition("/")]
    }
    items: list[Item] = []
    by: dict[str, str] = {}
    for item in whole_session(session, observed=False):
        known = len(given)
        code = _Naming(given, files).code(item.code)
        new = list(given)[known:]
        items += (_look(item, f"{name} = {given[name]}", is_expression=False) for name in new)
        items.append(replace(item, code=code))
        new += given.keys() & names_read(code)
        by |= {name: item.code for name in new if name not in by}
    looks = (_look(items[-1], name, is_expression=True) for name in given)
    return _Plan((*items, *looks), given, by)


def _look(item: Item, code: str, *, is_expression: bool) -> Item:
    return Item(role=Role.LOOK, step_index=item.step_index, code=code, is_expression=is_expression)


def _named(session: Session) -> Iterator[tuple[str, str]]:
    """Yield the names that `session` gives a container for good, and how that is written."""
    trees = [ast.parse(step.code) for step in session.steps]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    bound = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    worked_on = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name)
    }
    for tree in trees:
        match tree.body:
            case [ast.Assign(targets=[ast.Name(id=name)], value=value)] if _is_container(value):
                if bound[name] == 1 and name not in worked_on:
                    yield name, ast.unparse(value)


class _Naming(ast.NodeTransformer):
    """Names the containers that a step hands over as an argument, where they are written out."""

    def __init__(self, given: dict[str, str], files: Mapping[str, str]) -> None:
        """Add what it names to what is `given`; `files` have other names."""
        self._given: Final = given
        self._files: Final = files

    def code(self, code: str) -> str:
        """Return `code` with these names."""
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node.value = self._files.get(node.value, node.value)
        return ast.unparse(ast.fix_missing_locations(self.visit(tree)))

    def visit(self, node: ast.AST) -> ast.AST:
        """Leave alone what runs more than once, or later: each time it has a container anew."""
        if isinstance(node, _COMPREHENSIONS):
            first = node.generators[0]
            first.iter = self._named(self.visit(first.iter))
            return node
        return node if isinstance(node, _LATER) else super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Name the arguments."""
        self.generic_visit(node)
        node.args = [self._named(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self._named(keyword.value)
        return node

    def _named(self, node: ast.AST) -> ast.expr:
        assert isinstance(node, ast.expr), "it stands where one stood"
        if not _is_container(node):
            return node
        name = _GIVEN.format(number=len(self._given) + 1)
        self._given[name] = ast.unparse(node)
        return ast.Name(name, ast.Load())


def _is_container(node: ast.expr) -> bool:
    """Return whether `node` is a list, set or dictionary that is written out."""
    try:
        return isinstance(node, _CONTAINERS) and ast.literal_eval(node) is not None
    except (ValueError, TypeError):
        return False


def _changed(run: SessionRun, plan: _Plan) -> Mapping[str, str] | None:
    """Return what is handed over in `plan` and not what it was in `run`; None where all is."""
    for item, observation in zip(run.plan, run.observations, strict=True):
        if item.code not in plan.given or not isinstance(observation.outcome, Returned):
            continue
        name, now = item.code, observation.outcome.value
        before = parse_literal(plan.given[name], HIGHEST_CAPS)
        if not equal(before, now):
            return {
                "code": one_line(plan.handed_over_by.get(name, name), _CODE_CHARS),
                "before": short_value(before, _VALUE_CHARS),
                "after": short_value(now, _VALUE_CHARS),
            }
    return None
