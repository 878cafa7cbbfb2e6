"""Runs scripts on the reference, and writes down what each line must give.

Nothing in a generated session is worked out by hand, and a line that the reference cannot answer in
a literal stops the generation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.authoring.generating.scripts import Line, Script
from grader.errors import SuiteError
from grader.judging.raising import exception_text
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import Code, parse_code, parse_observer
from grader.suite.loading import steps_in_order
from grader.suite.model import (
    Case,
    Completes,
    Expectation,
    Prints,
    Raises,
    Returns,
    SameAs,
    Session,
)
from grader.suite.steps import WrittenStep
from grader.values import tree as values
from grader.values.differences import comparable
from grader.values.display import literal, one_line
from grader.values.tree import Value
from grader.verdict import Visibility

_SAYABLE: Final = (values.Atom, values.Array, values.Scalar)
"""What a literal can say, besides collections of it."""

_KEYS: Final = {"returns": Returns, "stdout": Prints, "raises": Raises, "same_as": SameAs}
"""The keys that say what a step must give."""


class OracleError(SuiteError):
    """The reference does not answer a script as a reference should."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """A line of a script, and what the reference made of it."""

    line: Line
    code: Code
    expectation: Expectation | None = None
    """None for set-up."""
    group: str | None = None

    def line_of_session(self) -> WrittenStep:
        """Return the step, with what it must give."""
        key = next((key for key, kind in _KEYS.items() if isinstance(self.expectation, kind)), None)
        given: dict[str, Any] = {} if key is None else {key: self.expectation}
        acts = not isinstance(self.expectation, Raises)
        return WrittenStep.model_construct(do=self.code, group=self.group, action=acts, **given)

    def step(self) -> dict[str, Any]:
        """Return the step as plain data."""
        step = {"do": self.code.text, **_expectation_keys(self.expectation)}
        if self.group is not None:
            step["group"] = self.group
            if self.line.action and not isinstance(self.expectation, Raises):
                step["action"] = True
            if self.line.spec_line is not None:
                step["line"] = self.line.spec_line
        if self.line.note is not None:
            step["note"] = self.line.note
        return step


def _expectation_keys(expectation: Expectation | None) -> dict[str, Any]:
    match expectation:
        case Returns(value=values.Atom(value=None)):
            return {}  # which is what an expression with a group must give
        case Returns(text=text, as_lists=as_lists):
            return {"returns": text, "as_lists": True} if as_lists else {"returns": text}
        case Prints(text=text):
            return {"stdout": text}
        case Raises(type_name=name, message=said):
            return {"raises": f"{name}: {said}" if said else name}
        case SameAs(name=name):
            return {"same_as": name}
        case _:
            return {}


class Oracle:
    """The reference, which says what the lines of scripts give."""

    def __init__(
        self, runner: SessionRunner, modules: Sequence[str], stand_ins: Collection[str] = ()
    ) -> None:
        """Ask `runner`, which runs the reference.

        It is of `modules`. A session gets those of the `stand_ins` that come before the
        last one that it uses: that is the one it is about.
        """
        self._runner: Final = runner
        self._modules: Final = tuple(modules)
        self._stand_ins: Final = stand_ins

    def session(self, script: Script) -> dict[str, Any]:
        """Return the session of `script` as plain data, without an id.

        A line that raises and has no group for that is left out, and so is an observer of what is
        left out. Raises `OracleError` when the reference ends early, or gives what no literal can
        say.
        """
        answers = self.answers(script)
        session: dict[str, Any] = {"title": script.topic}
        if script.uses:
            session["uses"] = list(script.uses)
            earlier = self._modules[: self._modules.index(script.uses[-1])]
            if stand_ins := [name for name in earlier if name in self._stand_ins]:
                session["stand_ins"] = stand_ins
        if observers := _observers(script, answers):
            session["observers"] = observers
        return {**session, "steps": [answer.step() for answer in answers]}

    def try_out(self, script: Script) -> Session | None:
        """Return `script` as a session that can be run, of which the last line is the one case.

        None when the reference does not make a case of that line.
        """
        answers = self.answers(script)
        if not answers or answers[-1].line is not script.lines[-1] or answers[-1].group is None:
            return None
        observers = [parse_observer(each) for each in _observers(script, answers)]
        steps = tuple(steps_in_order([answer.line_of_session() for answer in answers], observers))
        case = Case(id="tried", group=answers[-1].group, step_index=len(steps) - 1)
        return Session(
            id="tried",
            title=script.topic,
            visibility=Visibility.PUBLIC,
            steps=steps,
            cases=(case,),
            modules=script.uses or self._modules,
        )

    def answers(self, script: Script) -> list[_Answer]:
        """Return what the reference makes of the lines of `script`, without those left out."""
        codes = [parse_code(line.code) for line in script.lines]
        bound: dict[str, int | None] = {}
        answers = []
        observations = self._observe(codes, script)
        for line, code, observation in zip(script.lines, codes, observations, strict=True):
            answer = _answer(line, code, observation, bound)
            if answer is not None:
                answers.append(answer)
            if isinstance(observation.outcome, Returned):
                bound.update(observation.outcome.bound)
        return answers

    def _observe(self, codes: Sequence[Code], script: Script) -> list[Observation]:
        plan = tuple(
            Item(
                role=Role.STEP,
                step_index=index,
                code=code.text,
                is_expression=code.is_expression,
                binds=code.binds,
            )
            for index, code in enumerate(codes)
        )
        run = self._runner.run(plan, modules=script.uses or self._modules)
        if not run.loaded:
            reason = run.imported.observation.outcome
            raise OracleError(f"the reference cannot be loaded: {reason}")
        reached = len(run.observations)
        if reached < len(plan) or isinstance(run.observations[-1].outcome, Died):
            code = one_line(codes[reached - 1].text)
            raise OracleError(f"the reference does not survive {code}")
        return run.observations


def _observers(script: Script, answers: Sequence[_Answer]) -> list[str]:
    """Return the observers of `script` that can look at something, where anything is refused."""
    if not any(isinstance(answer.expectation, Raises) for answer in answers):
        return []
    names = {name for line in script.lines for name in parse_code(line.code).binds}
    bound = {name for answer in answers for name in answer.code.binds}
    return [each for each in script.observers if parse_observer(each).reads & names <= bound]


def _answer(
    line: Line, code: Code, observation: Observation, bound: Mapping[str, int | None]
) -> _Answer | None:
    """Return the answer to `line`, None when it is left out; `bound` are objects with names."""
    match observation.outcome:
        case Raised() as raised if line.refused is not None:
            name, _, said = exception_text(raised).partition(": ")
            expectation = Raises(name, said)
            return _Answer(line=line, code=code, expectation=expectation, group=line.refused)
        case Raised():
            return None
        case Returned() as returned if line.group is not None:
            expected = _expectation(code, returned, observation.stdout, bound)
            return _Answer(line=line, code=code, expectation=expected, group=line.group)
        case _:
            return _Answer(line=line, code=code)


def _expectation(
    code: Code, outcome: Returned, stdout: str, bound: Mapping[str, int | None]
) -> Expectation:
    value = outcome.value
    if not code.is_expression:
        return Completes()
    if value == values.Atom(None) and stdout:
        return Prints("\n".join(comparable(stdout)) + "\n")
    if value != values.Atom(None) and outcome.identity is not None:
        for name, identity in bound.items():
            if identity == outcome.identity:
                return SameAs(name)
    if not sayable(value):
        kind = one_line(value.type_name)
        raise OracleError(
            f"no literal can say what {one_line(code.text)} gives, {kind}",
            help="let the line look at the object, with str(...) for one",
        )
    return Returns(value, literal(value), as_lists=_has_array(value))


def sayable(value: Value) -> bool:
    """Return whether a literal can say `value`."""
    match value:
        case values.Sequence(items=items) | values.Collection(items=items):
            return all(map(sayable, items))
        case values.Mapping(items=pairs):
            return all(sayable(key) and sayable(each) for key, each in pairs)
        case _:
            return isinstance(value, _SAYABLE)


def _has_array(value: Value) -> bool:
    match value:
        case values.Array():
            return True
        case values.Sequence(items=items):
            return any(map(_has_array, items))
        case _:
            return False
