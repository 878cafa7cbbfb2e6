"""Asks the checkers of a suite whether an answer is right, where many are.

A step with `accepts` calls the author's code, which may contain the answer. So it never shares a
process with the submission: it runs in a separate executor, on a program of only the author's code,
and gets the returned value rebuilt from the judge's own tree. All answers of a session are sent
together.

A checker returns True, False, or a text that says what is wrong. Anything else, an exception or a
death is our mistake: the verdict is FAULT. But an answer that cannot be rebuilt for a checker, such
as an object of the submission's own class, is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

from grader.judging.printing import exception_text
from grader.judging.results import PASSED, Result
from grader.messages import Message, message
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.expectations import Accepts, Exits
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.steps import Step
from grader.suite.vocabulary import STANDARD
from grader.values.display import short_value
from grader.values.equality import without_scalar
from grader.values.expressions import ExpressionError, expression
from grader.values.foreign_text import one_line
from grader.values.tree import Atom, TooLarge, Value
from grader.verdict import Verdict

LIMITS: Final = Limits(
    cpu_s=5.0,
    session_cpu_s=60.0,
    wall_s=20.0,
    session_wall_s=120.0,
    memory_bytes=512 * 1024 * 1024,
)
"""What a checker may use: generous, as its author is trusted, but finite."""
MAX_DEATHS: Final = 2
"""Deaths of a checker before it is asked nothing more about the submission, as each uses up the
time limit. The same number of deaths is allowed while answers are rebuilt."""
MAX_LINES: Final = 8
"""Lines shown of a checker's text."""
_LINE_CHARS: Final = 500
_BATCH_CHARS: Final = 1_000_000
"""Characters of answers sent in one request; the largest allowed answer is about as long."""
_REBUILDER: Final = "grader_answers"
"""The name of our module, loaded next to the author's."""
_ANSWERS_FILE: Final = f"{_REBUILDER}.json"


class _Question(NamedTuple):
    """The author's code that checks an answer, and the expression that rebuilds the answer."""

    code: str
    answer: str


class AnswerChecker:
    """Asks the checkers of a suite about the answers of one submission, each answer once."""

    def __init__(self, suite: Suite, sandbox: Sandbox) -> None:
        """Run the checkers of `suite` in executors of `sandbox`."""
        self._sandbox: Final = sandbox
        self._suite: Final = suite
        self._known: Final[dict[_Question, Result]] = {}
        self._deaths = 0
        self._rebuild_deaths = 0

    def outcomes(self, steps: Sequence[Step], run: SessionRun) -> Mapping[int, Result]:
        """Return the results of the answers in `run`, by step index.

        Only `steps` that have a checker and returned a value are included.
        """
        (outcomes,) = self.outcomes_together([(steps, run)])
        return outcomes

    def outcomes_together(
        self, tried: Iterable[tuple[Sequence[Step], SessionRun]]
    ) -> list[Mapping[int, Result]]:
        """Return the `outcomes` of several runs, each with its steps, in as few requests as fit."""
        split = [self._questions(*each) for each in tried]
        self._ask([each for _, questions in split for each in questions.values()])
        return [
            outcomes | {index: self._known[each] for index, each in questions.items()}
            for outcomes, questions in split
        ]

    def _questions(
        self, steps: Sequence[Step], run: SessionRun
    ) -> tuple[dict[int, Result], dict[int, _Question]]:
        """Return the results that need no checker, and the questions about the other answers."""
        outcomes: dict[int, Result] = {}
        questions: dict[int, _Question] = {}
        if not self._suite.checkers:
            return outcomes, questions
        # A run that died has fewer observations than its plan has items.
        for item, observation in zip(run.plan, run.observations, strict=False):
            if item.role is not Role.STEP or item.step_index >= len(steps):
                continue
            match steps[item.step_index].expectation, observation:
                case Accepts(code), Observation(outcome=Returned(value=value), overflowed=False):
                    try:
                        questions[item.step_index] = _Question(code, expression(value))
                    except ExpressionError as unfit:
                        outcomes[item.step_index] = _unfit_result(unfit)
                case Exits(accepts=str(code)), Observation(overflowed=False):
                    screen = expression(Atom(observation.stdout))
                    questions[item.step_index] = _Question(code, screen)
        return outcomes, questions

    def _ask(self, questions: Iterable[_Question]) -> None:
        """Run the checkers on `questions` and put their results into `_known`; counts deaths."""
        pending = [each for each in dict.fromkeys(questions) if each not in self._known]
        while pending:
            if self._deaths >= MAX_DEATHS:
                results = [_fault("not asked: the checker did not survive earlier answers")]
                results *= len(pending)
            elif self._rebuild_deaths >= MAX_DEATHS:
                results = [_NO_VALUE] * len(pending)
            else:
                batch = _batch(pending)
                run = self._run(batch)
                results = list(_outcomes(run, len(batch)))
                # Questions after the one that killed the executor are asked again.
                if _ends_in_death(run):
                    # Each answer takes two observations, so after an even number the checker died.
                    was_rebuilt = len(run.observations) % 2 == 0
                    self._deaths += was_rebuilt
                    self._rebuild_deaths += not was_rebuilt and len(results) == 1
            # After a death fewer answers are known than were asked for.
            self._known.update(zip(pending, results, strict=False))
            del pending[: len(results)]

    @cached_property
    def _program(self) -> Program:
        """The author's code, and our code that rebuilds answers; most suites need neither."""
        suite = self._suite
        rebuilder = Path(__file__).with_name("remaking.py").read_text(encoding="utf-8")
        sources = {**suite.given, **suite.checkers, _REBUILDER: rebuilder}
        program = Program.of(
            {name: (f"{name}.py", text) for name, text in sources.items()},
            {name: text.encode() for name, text in suite.files.items()},
            dict.fromkeys((*STANDARD, *suite.imports)),  # each once, in order
            binds="modules",
        )
        program.lasts = True
        return program

    def _run(self, questions: Sequence[_Question]) -> SessionRun:
        answers = json.dumps([each.answer for each in questions]).encode()
        # As a file, not as code: the program stays the same, so that it is compiled once.
        files = {**self._program.files, _ANSWERS_FILE: answers}
        program = replace(self._program, files=files)
        plan = [item for number, each in enumerate(questions) for item in _items(number, each.code)]
        return SessionRunner(self._sandbox, program, LIMITS).run(
            tuple(plan), modules=(*self._suite.checkers, _REBUILDER)
        )


def _batch(questions: Sequence[_Question]) -> Sequence[_Question]:
    """Return as many of `questions` as fit into one request, at least the first."""
    sizes = accumulate(len(each.answer) for each in questions)
    return questions[: max(1, sum(size <= _BATCH_CHARS for size in sizes))]


def _items(number: int, code: str) -> Iterator[Item]:
    """Yield the two items for one answer: rebuild it, and call its checker."""
    rebuild = f"answer = {_REBUILDER}.answer({number})"
    for index, (text, binds) in enumerate([(rebuild, ("answer",)), (code, ())], start=2 * number):
        yield Item(
            role=Role.STEP, step_index=index, code=text, is_expression=not binds, binds=binds
        )


def _outcomes(run: SessionRun, count: int) -> Iterator[Result]:
    """Yield the results of the answers that `run` got to: at least one, at most `count`.

    An executor that dies while rebuilding the first answer has met no checker yet: the answer is
    one that Python cannot build in time, such as a set of numbers that all collide. Computing
    it would have timed out as well, so the answer was forged.
    """
    if not run.loaded:
        evidence = _evidence(run.imported.observation)
        yield from [_fault(f"the checkers cannot be loaded: {evidence}")] * count
        return
    pairs = iter(run.observations)
    for number, rebuilt in enumerate(pairs):
        if isinstance(rebuilt.outcome, Died):
            if number == 0:
                yield _NO_VALUE
            return  # earlier checkers may have used up the time, so this one is asked again
        checked = next(pairs)
        if isinstance(rebuilt.outcome, Raised):  # only a forged value cannot be built
            yield _NO_VALUE
        else:
            yield _outcome(checked)


def _outcome(observation: Observation) -> Result:
    match observation.outcome:
        case Returned(value=value):
            return _of_value(without_scalar(value))  # numpy comparisons return np.bool_
        case _:
            return _fault(f"a checker failed: {_evidence(observation)}")


def _of_value(answer: Value) -> Result:
    """Return the result for `answer`, the value that a checker returned."""
    match answer:
        case Atom(True):
            return PASSED
        case Atom(False):
            return _wrong(message("accepts.refused"))
        case Atom(str() as text) if lines := text.split("\n")[:MAX_LINES]:
            explanation = [
                message("accepts.said", text=one_line(line, _LINE_CHARS)) for line in lines
            ]
            return (
                _wrong(*explanation) if text.strip() else _fault("a checker returned an empty text")
            )
        case _:
            value = short_value(answer, 80)
            return _fault(f"a checker returned {value}, which is neither True, False nor a text")


def _unfit_result(error: ExpressionError) -> Result:
    part = error.part
    if isinstance(part, TooLarge):
        return _wrong(message(f"wrong.too_large.{part.excess}", type=one_line(part.type_name)))
    return _wrong(message("accepts.object", type=one_line(part.type_name)))


def _wrong(*explanation: Message) -> Result:
    return Result(verdict=Verdict.WRONG, explanation=explanation)


_NO_VALUE: Final = _wrong(message("accepts.no_value"))


def _fault(evidence: str) -> Result:
    explanation = (message("fault.checker"),)
    return Result(verdict=Verdict.FAULT, explanation=explanation, evidence=evidence)


def _ends_in_death(run: SessionRun) -> bool:
    return bool(run.observations) and isinstance(run.observations[-1].outcome, Died)


def _evidence(observation: Observation) -> str:
    match observation.outcome:
        case Raised() as raised:
            where = f" (line {raised.frames[-1].line})" if raised.frames else ""
            return one_line(exception_text(raised)) + where
        case Died(verdict=verdict, evidence=evidence):
            return f"{verdict.value}: {evidence}"
        case Returned():
            return "nothing went wrong"
