"""Runs scenes on the reference, and records what each line must give.

All answers in generated sessions come from the reference. If an answer has no literal, or goes
against the clause of the line, generation stops.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from grader.errors import SuiteError
from grader.judging.printing import exception_text
from grader.plugins.authoring.generating.relaxing import Strictness
from grader.plugins.authoring.generating.scenes import PlacedClause, Scene, SceneLine, lines_of
from grader.plugins.authoring.solutions import unloadable
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import Code, parse_code
from grader.suite.diagnostics import Refusal, listed, quoted
from grader.suite.expectations import Completes, Expectation, Prints, Returns, SameAs, Shows
from grader.values import tree as values
from grader.values.differences import comparable
from grader.values.display import literal
from grader.values.foreign_text import one_line
from grader.values.tree import Value

_SAYABLE: Final = (values.Atom, values.Array, values.Scalar)
"""Values with a literal, besides collections of them."""
_OUTSIDE: Final = "OutsideText"
"""What a strict reference raises for a call that the text does not promise."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+>")
"""Part of the default `__repr__` of an object."""


class OracleError(SuiteError):
    """A scene and the reference disagree, or the reference fails."""


def _advice_on(raised: Raised | None) -> str:
    """Return what to do if the generator and the reference disagree."""
    if raised is not None and raised.type_names[0] == "NameError":
        return (
            "generator.py uses a name that the reference does not define: import modules in the "
            "first line of the scene; if this is the example generator of `grader new exercise`, "
            "replace its clauses and scenes by your own, or delete it"
        )
    return "generator.py and the reference disagree: fix the clause of the line, or the reference"


def _expectation_keys(expectation: Expectation | None) -> dict[str, Any]:
    match expectation:
        case Returns(value=values.Atom(value=None)):
            return {}  # the default of an expression with a group
        case Returns(text=text, as_lists=as_lists):
            return {"returns": text, "as_lists": True} if as_lists else {"returns": text}
        case Shows(text=text):
            return {"shows": text}
        case Prints(text=text):
            return {"stdout": text}
        case SameAs(name=name):
            return {"same_as": name}
        case _:
            return {}


class Oracle:
    """The reference, which gives the answers to the lines of scenes."""

    def __init__(
        self,
        runner: SessionRunner,
        modules: Sequence[str],
        clauses: Mapping[str, PlacedClause],
        stand_ins: Collection[str] = (),
        strictness: Strictness | None = None,
    ) -> None:
        """Use `runner`, which runs the reference, for cases of `clauses`.

        Without `strictness`, cases compare everything. `modules` are those of the exercise. A
        session gets the `stand_ins` before the last module that it uses, which is the one tested.
        """
        self._runner: Final = runner
        self._modules: Final = tuple(modules)
        self._clauses: Final = clauses
        self._strictness: Final = strictness
        self._stand_ins: Final = stand_ins

    def session(self, scene: Scene) -> dict[str, Any]:
        """Return the session of `scene` as plain data, without an id.

        Raises `OracleError` if the reference ends early, fails in set-up, goes against the clause
        of a case, or gives an answer without a literal; and for a scene that uses what the text
        does not promise, or is not valid.
        """
        session: dict[str, Any] = {"title": scene.topic}
        if scene.uses:
            if unknown := set(scene.uses) - set(self._modules):
                raise OracleError(
                    f"the scene {scene.topic!r} uses unknown modules: {listed(unknown)};"
                    f" the exercise has {', '.join(self._modules)}"
                )
            session["uses"] = list(scene.uses)
            # The last module is tested, so only earlier ones are replaced.
            earlier = self._modules[: self._modules.index(scene.uses[-1])]
            if stand_ins := [name for name in earlier if name in self._stand_ins]:
                session["stand_ins"] = stand_ins
        if scene.observers:
            session["observers"] = list(scene.observers)
        lines = lines_of(scene)
        codes = [_parsed(line) for line in lines]
        bound: dict[str, int | None] = {}
        steps = []
        shown = self._shown(lines, codes, scene)
        for line, code, (seen, text) in zip(lines, codes, shown, strict=True):
            steps.append(self._step(line, code, seen, bound, text))
            if isinstance(seen.outcome, Returned):
                bound.update(seen.outcome.bound)
        return {**session, "steps": steps}

    def _step(
        self,
        line: SceneLine,
        code: Code,
        seen: Observation,
        bound: Mapping[str, int | None],
        displayed: str | None,
    ) -> dict[str, Any]:
        """Return the step of `line`, observed as `seen`; `bound` are the identities of names.

        `displayed` is the text at a prompt, for values without a literal.
        """
        shown = one_line(code.text)
        raised = seen.outcome if isinstance(seen.outcome, Raised) else None
        if line.clause is None:
            if raised is not None:
                said = one_line(exception_text(raised))
                advice = _advice_on(raised)
                raise OracleError(f"the reference fails in set-up, {shown}: {said}", help=advice)
            return {"do": code.text}
        clause = self._clauses.get(line.clause)
        if clause is None:
            raise OracleError(f"{shown} is a case of {one_line(line.clause)}, an unknown clause")
        if clause.refused is not (raised is not None):
            done = f"raises {one_line(exception_text(raised))}" if raised else "allows it"
            expected = "refused" if clause.refused else "allowed"
            by = f"by {one_line(line.clause)}, {shown} should be {expected}"
            text = f"{by}, but the reference {done}"
            raise OracleError(text, help=_advice_on(raised))
        if line.accepts is not None:
            return self._compared({"do": code.text, "accepts": line.accepts}, line, clause)
        if raised is not None:
            return self._compared({"do": code.text, "raises": exception_text(raised)}, line, clause)
        assert isinstance(seen.outcome, Returned), "`_observe` refuses a reference that dies"
        answer = _expectation(code, seen, seen.outcome, bound, displayed)
        return self._compared({"do": code.text, **_expectation_keys(answer)}, line, clause)

    def _compared(
        self, asked: dict[str, Any], line: SceneLine, clause: PlacedClause
    ) -> dict[str, Any]:
        """Return the step `asked` as the case at `line`."""
        step = {**asked, "group": clause.group, "clause": line.clause}
        return step if self._strictness is None else self._strictness.applied(step, clause)

    def _shown(
        self, lines: Sequence[SceneLine], codes: Sequence[Code], scene: Scene
    ) -> list[tuple[Observation, str | None]]:
        """Return the observation of each line, and for values without a literal, their display."""
        seen = self._observe(codes, scene)
        unsayable = {
            index
            for index, (line, code) in enumerate(zip(lines, codes, strict=True))
            if line.clause is not None and code.is_expression
            if _is_unsayable(seen[index].outcome)
        }
        # A second run, as displaying a value calls its `__repr__`.
        at_prompt = self._observe(codes, scene, unsayable) if unsayable else ()
        texts = {index: at_prompt[index].stdout for index in unsayable}
        return [(each, texts.get(index)) for index, each in enumerate(seen)]

    def _observe(
        self, codes: Sequence[Code], scene: Scene, displayed: Collection[int] = ()
    ) -> list[Observation]:
        plan = tuple(
            Item(
                step_index=index,
                code=code.text,
                is_expression=code.is_expression,
                binds=code.binds,
                displays=index in displayed,
            )
            for index, code in enumerate(codes)
        )
        run = self._runner.run(plan, modules=scene.uses or self._modules)
        if not run.loaded:
            raise OracleError(unloadable(run.imported.observation))
        reached = len(run.observations)
        if reached < len(plan) or isinstance(run.observations[-1].outcome, Died):
            last = one_line(codes[reached - 1].text)
            raise OracleError(f"the reference dies at {last}")
        for code, seen in zip(codes, run.observations, strict=True):
            if isinstance(seen.outcome, Raised) and seen.outcome.type_names[0] == _OUTSIDE:
                raise OracleError(
                    f"the scene {quoted(scene.topic)} goes beyond what the exercise text promises,"
                    f" at {one_line(code.text)}: {one_line(seen.outcome.message)}",
                    help="in generator.py, draw only what the text allows, or correct `strict`",
                )
        return run.observations


def _parsed(line: SceneLine) -> Code:
    try:
        return parse_code(line.code)
    except Refusal as refusal:
        raise OracleError(
            f"a scene has the line {quoted(line.code)}: {refusal.problem}"
        ) from refusal


def _is_unsayable(outcome: Returned | Raised | Died) -> bool:
    return isinstance(outcome, Returned) and not sayable(outcome.value)


def _expectation(
    code: Code,
    seen: Observation,
    outcome: Returned,
    bound: Mapping[str, int | None],
    displayed: str | None,
) -> Expectation:
    value, stdout = outcome.value, seen.stdout
    if not code.is_expression:
        return Completes()
    if value == values.Atom(None) and stdout:
        return Prints("\n".join(comparable(stdout)) + "\n")
    if value != values.Atom(None) and outcome.identity is not None:
        for name, identity in bound.items():
            # Not `x` is `x`, which is always true.
            if identity == outcome.identity and name != code.text:
                return SameAs(name)
    if displayed is not None and not _ADDRESS.search(displayed) and not stdout:
        return Shows("\n".join(comparable(displayed)) + "\n")
    if not sayable(value):
        kind = one_line(value.type_name)
        raise OracleError(
            f"the result of {one_line(code.text)} has no literal: {kind}",
            help="add a __repr__ to its class, or ask for its text, with str(...)",
        )
    return Returns(value, literal(value), as_lists=_has_array(value))


def sayable(value: Value) -> bool:
    """Return whether `value` has a literal."""
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
