"""Runs scenes on the reference, and records the expected result of each line.

All answers in generated sessions come from the reference. If an answer has no literal, or
contradicts the clause of the line, generation stops.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from grader.errors import SuiteError
from grader.judging.printing import exception_text
from grader.plugins.authoring.generating.relaxing import Strictness
from grader.plugins.authoring.generating.scenes import PlacedClause, Scene, SceneLine, lines_of
from grader.plugins.authoring.solutions import failure_text, loading_failure
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import Code, parse_code
from grader.suite.diagnostics import Refusal, did_you_mean, join_words, quote
from grader.suite.expectations import Completes, Expectation, Prints, Returns, SameAs, Shows
from grader.values import tree as values
from grader.values.differences import comparable_lines
from grader.values.display import literal
from grader.values.foreign_text import one_line
from grader.values.tree import Value
from grader.verdict import Verdict

_TYPES_WITH_LITERAL: Final = (values.Atom, values.Array, values.Scalar)
"""Types of values that always have a literal. Collections have one if all their elements do."""
_OUTSIDE_TEXT: Final = "OutsideText"
"""The exception that a strict reference raises for a call that the exercise text does not
promise."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+>")
"""The address in the default `__repr__` of an object."""


class OracleError(SuiteError):
    """A scene and the reference disagree, or the reference fails."""


def _disagreement_help(raised: Raised | None) -> str:
    """Return the help text for a disagreement between the generator and the reference."""
    if raised is not None and raised.type_names[0] == "NameError":
        return (
            "generator.py uses a name that the reference does not define: import modules in the "
            "first line of the scene; if this is the example generator of `grader new exercise`, "
            "replace its clauses and scenes with your own, or delete the file"
        )
    return (
        "generator.py and the reference disagree: correct the clause of the line, or the reference"
    )


def _expectation_keys(expectation: Expectation | None) -> dict[str, Any]:
    """Return the suite keys of a step that express `expectation`."""
    match expectation:
        case Returns(value=values.Atom(value=None)):
            return {}  # an expression with a group expects None by default
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
    """Obtains the expected results of scenes by running the reference."""

    def __init__(
        self,
        runner: SessionRunner,
        modules: Sequence[str],
        clauses: Mapping[str, PlacedClause],
        stand_ins: Collection[str] = (),
        strictness: Strictness | None = None,
    ) -> None:
        """Use `runner`, which runs the reference, for cases of `clauses`, keyed by id.

        `modules` are the modules of the exercise. A session tests the last module that it uses;
        those of the `stand_ins` that come before the tested module replace the student's modules.
        If `strictness` is None, cases are compared completely.
        """
        self._runner: Final = runner
        self._modules: Final = tuple(modules)
        self._clauses: Final = clauses
        self._strictness: Final = strictness
        self._stand_ins: Final = stand_ins

    def session(self, scene: Scene) -> dict[str, Any]:
        """Run `scene` and return its session as plain data, without an id.

        Raises `OracleError` if the reference ends early, fails in set-up, contradicts the clause
        of a case, or gives an answer without a literal. Also raises `OracleError` for an invalid
        scene and for a scene that uses something the exercise text does not promise.
        """
        session: dict[str, Any] = {"title": scene.topic}
        if scene.uses:
            if unknown := set(scene.uses) - set(self._modules):
                raise OracleError(
                    f"the scene {quote(scene.topic)} uses unknown modules: {join_words(unknown)};"
                    f" the exercise has {', '.join(self._modules)}",
                    help="in generator.py, correct `uses` of this scene",
                )
            session["uses"] = list(scene.uses)
            # The last module is the tested one, so only earlier modules are replaced.
            earlier = self._modules[: self._modules.index(scene.uses[-1])]
            if stand_ins := [name for name in earlier if name in self._stand_ins]:
                session["stand_ins"] = stand_ins
        if scene.observers:
            session["observers"] = list(scene.observers)
        lines = lines_of(scene)
        codes = [_parse(line) for line in lines]
        identities: dict[str, int | None] = {}
        steps = []
        observed = self._observe_with_displays(lines, codes, scene)
        for line, code, (observation, displayed) in zip(lines, codes, observed, strict=True):
            steps.append(self._step(line, code, observation, identities, displayed))
            if isinstance(observation.outcome, Returned):
                identities.update(observation.outcome.bound)
        return {**session, "steps": steps}

    def _step(
        self,
        line: SceneLine,
        code: Code,
        observation: Observation,
        identities: Mapping[str, int | None],
        displayed: str | None,
    ) -> dict[str, Any]:
        """Return the step for `line`, whose run gave `observation`.

        `identities` maps the names that earlier lines bound to the identities of their objects.
        `displayed` is the text that a prompt shows, for values without a literal. Raises
        `OracleError` if the observation contradicts the clause of the line, if that clause is
        unknown, or if a set-up line raises an exception.
        """
        code_text = one_line(code.text)
        raised = observation.outcome if isinstance(observation.outcome, Raised) else None
        if line.clause is None:
            if raised is not None:
                exception = one_line(exception_text(raised))
                raise OracleError(
                    f"the reference fails in the set-up line {code_text}: {exception}",
                    help=_disagreement_help(raised),
                )
            return {"do": code.text}
        clause = self._clauses.get(line.clause)
        if clause is None:
            raise OracleError(
                f"the line {code_text} has an unknown clause: {one_line(line.clause)}"
                f"{did_you_mean(line.clause, self._clauses)}",
                help="in generator.py, correct the comment after the line, or add the clause",
            )
        if clause.refused is not (raised is not None):
            outcome_text = f"raises {one_line(exception_text(raised))}" if raised else "allows it"
            expected = "refused" if clause.refused else "allowed"
            demand = f"{code_text} should be {expected} by the clause {quote(line.clause)}"
            text = f"{demand}, but the reference {outcome_text}"
            raise OracleError(text, help=_disagreement_help(raised))
        if line.accepts is not None:
            return self._as_case({"do": code.text, "accepts": line.accepts}, line, clause)
        if raised is not None:
            return self._as_case({"do": code.text, "raises": exception_text(raised)}, line, clause)
        assert isinstance(observation.outcome, Returned), "`_observe` rejects a reference that dies"
        answer = _expectation(code, observation, observation.outcome, identities, displayed)
        return self._as_case({"do": code.text, **_expectation_keys(answer)}, line, clause)

    def _as_case(
        self, fields: dict[str, Any], line: SceneLine, clause: PlacedClause
    ) -> dict[str, Any]:
        """Return the step with these `fields` as the case at `line`, relaxed if necessary."""
        step = {**fields, "group": clause.group, "clause": line.clause}
        return step if self._strictness is None else self._strictness.relax(step, clause)

    def _observe_with_displays(
        self, lines: Sequence[SceneLine], codes: Sequence[Code], scene: Scene
    ) -> list[tuple[Observation, str | None]]:
        """Return each line's observation, and the displayed text of its value.

        The text is None unless the value of a case has no literal.
        """
        observations = self._observe(codes, scene)
        without_literal = {
            index
            for index, (line, code) in enumerate(zip(lines, codes, strict=True))
            if line.clause is not None and code.is_expression
            if _lacks_literal(observations[index].outcome)
        }
        # In a second run, because displaying a value calls its `__repr__`, which might change it.
        displays = self._observe(codes, scene, without_literal) if without_literal else ()
        texts = {index: displays[index].stdout for index in without_literal}
        return [(observation, texts.get(index)) for index, observation in enumerate(observations)]

    def _observe(
        self, codes: Sequence[Code], scene: Scene, displayed_indexes: Collection[int] = ()
    ) -> list[Observation]:
        """Run `codes` on the reference and return their observations.

        The values of the lines in `displayed_indexes` are displayed as at a prompt. Raises
        `OracleError` if the reference ends early, or if a line uses something that the exercise
        text does not promise.
        """
        plan = tuple(
            Item(
                step_index=index,
                code=code.text,
                is_expression=code.is_expression,
                binds=code.binds,
                displays=index in displayed_indexes,
            )
            for index, code in enumerate(codes)
        )
        run = self._runner.run(plan, modules=scene.uses or self._modules)
        if not run.is_loaded:
            raise OracleError(
                loading_failure(run.imported.observation),
                help="fix the reference, and generate again",
            )
        observed_count = len(run.observations)
        if observed_count < len(plan) or isinstance(run.observations[-1].outcome, Died):
            last_code = one_line(codes[observed_count - 1].text)
            last = run.observations[-1].outcome
            verdict = last.verdict if isinstance(last, Died) else Verdict.NOT_RUN
            raise OracleError(
                f"the reference fails at {last_code}, in the scene {quote(scene.topic)}: "
                f"{failure_text(verdict)}",
                help="fix the reference, or remove the line from the scene in generator.py",
            )
        for code, observation in zip(codes, run.observations, strict=True):
            if (
                isinstance(observation.outcome, Raised)
                and observation.outcome.type_names[0] == _OUTSIDE_TEXT
            ):
                raise OracleError(
                    f"the scene {quote(scene.topic)} goes beyond what the exercise text promises,"
                    f" at {one_line(code.text)}: {one_line(observation.outcome.message)}",
                    help="in generator.py, draw only promised calls, or correct `strict`",
                )
        return run.observations


def _parse(line: SceneLine) -> Code:
    """Parse the code of `line`. Raises `OracleError` if a suite cannot contain it."""
    try:
        return parse_code(line.code)
    except Refusal as refusal:
        raise OracleError(
            f"invalid line {quote(line.code)} in a scene of generator.py: {refusal.problem}",
            help=refusal.advice,
        ) from refusal


def _lacks_literal(outcome: Returned | Raised | Died) -> bool:
    return isinstance(outcome, Returned) and not has_literal(outcome.value)


def _expectation(
    code: Code,
    observation: Observation,
    outcome: Returned,
    identities: Mapping[str, int | None],
    displayed: str | None,
) -> Expectation:
    """Return the expectation that `outcome` of `code` meets.

    `identities` maps the names that earlier lines bound to the identities of their objects. A
    result that is one of these objects is expected to be that object. Raises `OracleError` for
    a value that has no literal and cannot be shown either.
    """
    value, stdout = outcome.value, observation.stdout
    if not code.is_expression:
        return Completes()
    if value == values.Atom(None) and stdout:
        return Prints("\n".join(comparable_lines(stdout)) + "\n")
    if value != values.Atom(None) and outcome.identity is not None:
        for name, identity in identities.items():
            # Skip `x` is `x`, which is always true.
            if identity == outcome.identity and name != code.text:
                return SameAs(name)
    if displayed is not None and not _ADDRESS.search(displayed) and not stdout:
        return Shows("\n".join(comparable_lines(displayed)) + "\n")
    if not has_literal(value):
        type_name = one_line(value.type_name)
        raise OracleError(
            f"the result of {one_line(code.text)}, of type {type_name}, has no literal",
            help="add a __repr__ to its class, or convert the result with str(...) in the scene",
        )
    return Returns(value, literal(value), as_lists=_has_array(value))


def has_literal(value: Value) -> bool:
    """Return whether `value` and all its parts can be written as literals."""
    match value:
        case values.Sequence(items=items) | values.Collection(items=items):
            return all(map(has_literal, items))
        case values.Mapping(items=pairs):
            return all(has_literal(key) and has_literal(item) for key, item in pairs)
        case _:
            return isinstance(value, _TYPES_WITH_LITERAL)


def _has_array(value: Value) -> bool:
    """Return whether `value` is an array, or a sequence that contains one."""
    match value:
        case values.Array():
            return True
        case values.Sequence(items=items):
            return any(map(_has_array, items))
        case _:
            return False
