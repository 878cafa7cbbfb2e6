"""Runs the checkers of a suite, which decide whether one of many possible answers is right.

A step with `accepts` calls the author's code, which can contain the answer. So this code never
shares a process with the submission. It runs in a separate executor whose program has only the
author's code, on a value that is rebuilt from the judge's own tree. All answers of a session are
sent together.

A checker returns True, False, or a string that explains what is wrong. If it returns anything else,
raises or dies, the mistake is ours and the verdict is FAULT. But an answer that cannot be rebuilt
for a checker, such as an object of a class that the submission defines, is wrong.
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
from grader.suite.vocabulary import STANDARD_MODULES
from grader.values.display import short_value
from grader.values.expressions import ExpressionError, expression
from grader.values.foreign_text import one_line
from grader.values.tree import Atom, TooLarge, Value, unwrap_scalar
from grader.verdict import Verdict

LIMITS: Final = Limits(
    cpu_s=5.0,
    session_cpu_s=60.0,
    wall_s=20.0,
    session_wall_s=120.0,
    memory_bytes=512 * 1024 * 1024,
)
"""The limits of a checker: generous, as its author is trusted, but finite."""
MAX_DEATHS: Final = 2
"""How many times checkers can die before no more are run on a submission's answers, as each death
uses up the time limit. The same number of deaths is allowed while answers are rebuilt."""
MAX_LINES: Final = 8
"""How many lines of a checker's explanation are shown."""
_LINE_CHARS: Final = 500
_CODE_CHARS: Final = 80
"""How much of a checker's code is shown to staff."""
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
    """Runs the checkers of a suite on the answers of one submission, once per answer."""

    def __init__(self, suite: Suite, sandbox: Sandbox) -> None:
        """Prepare to run the checkers of `suite` in executors of `sandbox`."""
        self._sandbox: Final = sandbox
        self._suite: Final = suite
        self._known_results: Final[dict[_Question, Result]] = {}
        self._deaths = 0
        self._rebuild_deaths = 0

    def outcomes(self, steps: Sequence[Step], run: SessionRun) -> Mapping[int, Result]:
        """Run the checkers on the answers in `run`; return the results, keyed by step index.

        Only `steps` that have a checker and produced an answer are included.
        """
        (outcomes,) = self.outcomes_together([(steps, run)])
        return outcomes

    def outcomes_together(
        self, runs: Iterable[tuple[Sequence[Step], SessionRun]]
    ) -> list[Mapping[int, Result]]:
        """Return the `outcomes` for each pair of steps and run, in as few requests as possible."""
        prepared = [self._questions(steps, run) for steps, run in runs]
        self._run_checkers(
            [question for _, questions in prepared for question in questions.values()]
        )
        return [
            outcomes
            | {index: self._known_results[question] for index, question in questions.items()}
            for outcomes, questions in prepared
        ]

    def _questions(
        self, steps: Sequence[Step], run: SessionRun
    ) -> tuple[dict[int, Result], dict[int, _Question]]:
        """Return the results of answers that need no checker, and questions for all other answers.

        Both are keyed by step index.
        """
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
                    except ExpressionError as error:
                        outcomes[item.step_index] = _unfit_result(error)
                case Exits(accepts=str(code)), Observation(overflowed=False):
                    output = expression(Atom(observation.stdout))
                    questions[item.step_index] = _Question(code, output)
        return outcomes, questions

    def _run_checkers(self, questions: Iterable[_Question]) -> None:
        """Add the results of new `questions` to `_known_results`, running the checkers in batches.

        Also counts deaths. After `MAX_DEATHS` deaths, the remaining questions get a result without
        running a checker.
        """
        pending = [q for q in dict.fromkeys(questions) if q not in self._known_results]
        while pending:
            if self._deaths >= MAX_DEATHS:
                reason = (
                    "not run on this answer, because the checkers died on earlier answers; "
                    "find the reason in the evidence of those cases"
                )
                results = [_fault(reason)] * len(pending)
            elif self._rebuild_deaths >= MAX_DEATHS:
                results = [_NOT_REBUILT] * len(pending)
            else:
                batch = _batch(pending)
                run = self._run(batch)
                results = list(_checker_results(run, batch))
                # Questions after the one that killed the executor stay pending.
                if _ends_in_death(run):
                    # Two observations per answer: an even number means that the checker died.
                    was_rebuilt = len(run.observations) % 2 == 0
                    self._deaths += was_rebuilt
                    # With more results, the death is not counted: the answer is tried again first.
                    self._rebuild_deaths += not was_rebuilt and len(results) == 1
            # After a death, there are fewer results than questions.
            self._known_results.update(zip(pending, results, strict=False))
            del pending[: len(results)]

    @cached_property
    def _program(self) -> Program:
        """The author's code and our module that rebuilds answers.

        The program is built on first use, because most suites never need it.
        """
        suite = self._suite
        rebuilder = Path(__file__).with_name("remaking.py").read_text(encoding="utf-8")
        sources = {**suite.given, **suite.checkers, _REBUILDER: rebuilder}
        program = Program.from_sources(
            {name: (f"{name}.py", text) for name, text in sources.items()},
            {name: text.encode() for name, text in suite.files.items()},
            dict.fromkeys(
                (*STANDARD_MODULES, *suite.imports)
            ),  # without duplicates, in a fixed order
            binds="modules",
        )
        program.is_reused = True
        return program

    def _run(self, questions: Sequence[_Question]) -> SessionRun:
        """Run the checkers on `questions` in one session of a separate executor."""
        answers = json.dumps([question.answer for question in questions]).encode()
        # The answers are a file, so that the code stays the same and is compiled only once.
        files = {**self._program.files, _ANSWERS_FILE: answers}
        program = replace(self._program, files=files)
        plan = [
            item
            for index, question in enumerate(questions)
            for item in _items(index, question.code)
        ]
        return SessionRunner(self._sandbox, program, LIMITS).run(
            tuple(plan), modules=(*self._suite.checkers, _REBUILDER)
        )


def _batch(questions: Sequence[_Question]) -> Sequence[_Question]:
    """Return the leading `questions` that fit into one request, but at least the first."""
    sizes = accumulate(len(question.answer) for question in questions)
    return questions[: max(1, sum(size <= _BATCH_CHARS for size in sizes))]


def _items(index: int, code: str) -> Iterator[Item]:
    """Yield two items: one rebuilds the answer at `index`, the other runs the checker's `code`."""
    rebuild = f"answer = {_REBUILDER}.answer({index})"
    pair = [(rebuild, ("answer",)), (code, ())]
    for step_index, (text, binds) in enumerate(pair, start=2 * index):
        yield Item(
            role=Role.STEP, step_index=step_index, code=text, is_expression=not binds, binds=binds
        )


def _checker_results(run: SessionRun, questions: Sequence[_Question]) -> Iterator[Result]:
    """Yield a result for each of `questions` that `run` reached, and for at least one.

    If the executor dies while it rebuilds the first answer, no checker has run yet, so it is Python
    that cannot build the answer in time, for instance a set of numbers that all collide. The
    submission would have timed out computing it, so the answer was forged.
    """
    if not run.is_loaded:
        evidence = _evidence(run.imported.observation)
        yield from [_fault(f"the checkers cannot be loaded: {evidence}")] * len(questions)
        return
    pairs = iter(run.observations)
    for index, rebuilt in enumerate(pairs):
        if isinstance(rebuilt.outcome, Died):
            if index == 0:
                yield _NOT_REBUILT
            return  # earlier checkers might have used up the time, so this answer is tried again
        checked = next(pairs)
        if isinstance(rebuilt.outcome, Raised):  # only a forged value cannot be rebuilt
            yield _NOT_REBUILT
        else:
            yield _checker_result(checked, questions[index].code)


def _checker_result(observation: Observation, code: str) -> Result:
    """Return the result of an answer from the `observation` of its checker's `code`."""
    checker = f"the checker {one_line(code, _CODE_CHARS)}"
    match observation.outcome:
        case Returned(value=value):
            return _result_for(unwrap_scalar(value), checker)  # numpy comparisons return np.bool_
        case _:
            return _fault(f"{checker} failed: {_evidence(observation)}")


def _result_for(returned: Value, checker: str) -> Result:
    """Return the result of an answer for which the checker returned the value `returned`.

    `checker` describes the checker in evidence for staff.
    """
    match returned:
        case Atom(True):
            return PASSED
        case Atom(False):
            return _wrong(message("accepts.refused"))
        case Atom(str() as text) if lines := text.split("\n")[:MAX_LINES]:
            explanation = [
                message("accepts.said", text=one_line(line, _LINE_CHARS)) for line in lines
            ]
            return (
                _wrong(*explanation)
                if text.strip()
                else _fault(f"{checker} returned an empty string; it must explain what is wrong")
            )
        case _:
            value = short_value(returned, 80)
            return _fault(
                f"{checker} returned {value}; it must return True, False or a string that "
                "explains what is wrong"
            )


def _unfit_result(error: ExpressionError) -> Result:
    """Return the result of an answer that cannot be written as an expression."""
    unfit_part = error.part
    if isinstance(unfit_part, TooLarge):
        return _wrong(
            message(f"wrong.too_large.{unfit_part.excess}", type=one_line(unfit_part.type_name))
        )
    return _wrong(message("accepts.object", type=one_line(unfit_part.type_name)))


def _wrong(*explanation: Message) -> Result:
    return Result(verdict=Verdict.WRONG, explanation=explanation)


_NOT_REBUILT: Final = _wrong(message("accepts.no_value"))


def _fault(evidence: str) -> Result:
    explanation = (message("fault.checker"),)
    return Result(verdict=Verdict.FAULT, explanation=explanation, evidence=evidence)


def _ends_in_death(run: SessionRun) -> bool:
    return bool(run.observations) and isinstance(run.observations[-1].outcome, Died)


def _evidence(observation: Observation) -> str:
    """Describe for staff how the author's code failed in `observation`."""
    match observation.outcome:
        case Raised() as raised:
            frame = raised.frames[-1] if raised.frames else None
            place = "" if frame is None else f" ({one_line(frame.file)}, line {frame.line})"
            return one_line(exception_text(raised)) + place
        case Died(verdict=verdict, evidence=evidence):
            return f"{verdict.value}: {evidence}"
        case Returned():
            return "it returned normally"
