"""Makes hard-coders: programs that know the answers of the public cases, and nothing else.

A suite that such a program passes invites copying. They are made in two steps. The calls of the
reference in the public sessions are recorded (`call_recorder.py`); the record becomes a table in a
program of the same shape, which looks everything up (`answer_table.py`). It recognises more than a
student would: also the observers around refused actions, and objects that reached the same state
another way. Calls that are not in the table get a fallback. There is a hard-coder for each of
several fallbacks, and the best one counts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final

from grader.errors import GraderError
from grader.judging.preparing import runner_for
from grader.plugins.authoring.solutions import Sources, submission_of
from grader.protocol import HIGHEST_CAPS
from grader.sandbox.observation import Raised, Returned
from grader.sandbox.planning import Item, whole_session
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.expectations import Accepts, Exits
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.vocabulary import expanded
from grader.values.tree import Atom
from grader.verdict import Visibility

_FOLDER: Final = Path(__file__).parent
_ANSWER_TABLE: Final = "answer_table"
_CALL_RECORDER: Final = "call_recorder"
_ANSWERS: Final = "answers"
_ORIGINAL: Final = "original_"
_PART_CHARS: Final = HIGHEST_CAPS.value_chars
_PARTS: Final = 10
# each call is recorded with hashes of its arguments, before and after
_RECORDING_CPU_S: Final = 20.0
_PROGRAM: Final = """
if __name__ == "__main__":
    import sys

    SCREENS = {screens!r}
    KNOWN = SCREENS.get((*sys.argv[1:], sys.stdin.read())) or [*SCREENS.values()][-1]
    print(KNOWN[0], end="")
    sys.exit(KNOWN[1])
"""


@unique
class HardCoderAnswer(StrEnum):
    """The fallback of a hard-coder for unknown calls."""

    COMMON = "common"
    """The most common answer of that function."""
    LAST = "last"
    """The last answer of that function."""
    REFUSE = "refuse"
    """The most common exception of that function; without any, its most common answer."""
    ITSELF = "itself"
    """The object itself if the function ever returned that; else its most common answer."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One recorded call; `changed` and `outcome` are expressions."""

    called: str
    exactly: str
    loosely: str
    outcome: str
    changed: Mapping[str, str]
    printed: str

    @property
    def refuses(self) -> bool:
        return self.outcome.startswith("fail(")

    def text(self) -> str:
        changed = ", ".join(f"{name!r}: lambda given: {to}" for name, to in self.changed.items())
        keys = f"{self.called!r}, {self.exactly!r}, {self.loosely!r}"
        return f"({keys}, lambda given: {self.outcome}, {{{changed}}}, {self.printed!r}),"


@dataclass(slots=True)
class _Recording:
    """The calls of all sessions."""

    rows: dict[tuple[str, str], _Row]
    defined: dict[str, list[dict[str, Any]]]


def hard_coders(
    suite: Suite, reference: Sources, sandbox: Sandbox
) -> dict[HardCoderAnswer, Sources]:
    """Return the hard-coders of `suite`, by their fallback.

    Raises `GraderError` if the `reference` does not finish a public session.
    """
    recording = _recorded(suite, reference, sandbox)
    rows = list(recording.rows.values())
    return {
        fallback: _sources(suite, rows, _fallbacks(rows, fallback), recording.defined)
        for fallback in HardCoderAnswer
    }


def _recorded(suite: Suite, reference: Sources, sandbox: Sandbox) -> _Recording:
    """Return the calls in the public sessions of `suite`, with their answers."""
    limits = suite.limits.changed(
        value_chars=HIGHEST_CAPS.value_chars,
        cpu_s=_RECORDING_CPU_S,
        session_cpu_s=_RECORDING_CPU_S,
        wall_s=2 * _RECORDING_CPU_S,
        session_wall_s=2 * _RECORDING_CPU_S,
    )
    # The recorder imports modules that the suite may not allow.
    imports = tuple(dict.fromkeys((*suite.imports, *expanded())))
    asked = suite.changed(limits=limits, imports=imports)
    instrumented = submission_of(suite, dict(_instrumented(suite, reference)), "recorder")
    runner = runner_for(asked, instrumented, sandbox)
    recording = _Recording(rows={}, defined={})
    for session in suite.sessions:
        # Sessions that run programs have tables of their own: see `script_tables`.
        if session.visibility is Visibility.PUBLIC and not session.runs:
            dumped = json.loads(_dumped(runner, session))
            for row in (_Row(*each) for each in dumped["rows"]):
                recording.rows[row.called, row.exactly] = row
            recording.defined.update(dumped["defined"])
    return recording


def _dumped(runner: SessionRunner, session: Session) -> str:
    """Return the calls made during `session`, as JSON.

    Steps with a checker are left out, as the suite does not show an answer to them.
    """
    parts = (_item(f"RECORDER.dump({part}, {_PART_CHARS})") for part in range(_PARTS))
    steps = session.steps
    dumped = (
        item
        for item in whole_session(session)
        if not isinstance(steps[item.step_index].expectation, Accepts)
    )
    plan = (*dumped, *parts)
    run = runner.run(plan, modules=session.modules)
    if len(run.observations) != len(plan):
        last = (run.observations or [run.imported.observation])[-1].outcome
        why = f": {last.type_names[0]}: {last.message}" if isinstance(last, Raised) else ""
        raise GraderError(f"the reference fails in session {session.id}{why}")
    texts: list[str] = []
    for observation in run.observations[-_PARTS:]:
        outcome = observation.outcome
        assert isinstance(outcome, Returned), "the recorder itself does not raise"
        assert isinstance(outcome.value, Atom), "within the caps that were asked for"
        texts.append(str(outcome.value.value))
    if texts[-1]:  # else a part is left empty, so the record is whole
        raise GraderError(
            "cannot check whether hard-coded answers would pass: session"
            f" {session.id} makes more calls than can be recorded",
            help="split it into shorter sessions",
        )
    return "".join(texts)


def _item(code: str) -> Item:
    return Item(step_index=0, code=f"__import__({_CALL_RECORDER!r}).{code}")  # binds no name


def _instrumented(suite: Suite, reference: Sources) -> Iterator[tuple[str, str]]:
    """Yield the modules of an instrumented reference, which records its calls."""
    yield from ((name, _own_text(name)) for name in (_ANSWER_TABLE, _CALL_RECORDER))
    asked = suite.modules
    known = {f"{_ORIGINAL}{name}" if name in asked else name for name in reference}
    for module, text in reference.items():
        if module not in asked:
            yield module, text
            continue
        original, prefix = f"{_ORIGINAL}{module}", suite.prefix(module)
        yield original, text
        lines = (
            f"import {original}",
            f"from {_CALL_RECORDER} import RECORDER",
            f"RECORDER.modules.update({sorted(known)!r})",
            f"RECORDER.record({module!r}, {prefix!r}, {original}, globals())",
        )
        yield module, "\n".join(lines)


def _own_text(name: str) -> str:
    """Return the source of one of our modules, so that it can be imported by itself."""
    text = (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return text.replace(f"from {__package__}.", "from ")


def _fallbacks(rows: Sequence[_Row], fallback: HardCoderAnswer) -> dict[str, int]:
    """Return the row number of the `fallback` for each function, by name."""
    by_name: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        by_name.setdefault(row.called, []).append(number)
    return {name: _chosen(rows, numbers, fallback) for name, numbers in by_name.items()}


def _chosen(rows: Sequence[_Row], numbers: Sequence[int], fallback: HardCoderAnswer) -> int:
    match fallback:
        case HardCoderAnswer.COMMON:
            wanted = numbers
        case HardCoderAnswer.LAST:
            return numbers[-1]
        case HardCoderAnswer.REFUSE:
            wanted = [number for number in numbers if rows[number].refuses]
        case HardCoderAnswer.ITSELF:
            wanted = [n for n in numbers if rows[n].outcome == "given.get('self')"]
    wanted = wanted or numbers
    outcomes = Counter(rows[number].outcome for number in wanted)
    return max(wanted, key=lambda number: outcomes[rows[number].outcome])


def _sources(
    suite: Suite,
    rows: Sequence[_Row],
    fallbacks: Mapping[str, int],
    defined: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, str]:
    """Return the modules of a hard-coder; if there are several, the table is in its own module."""
    table = [
        f"from {_ANSWER_TABLE} import AnswerTable, array, fail, failure, made",
        "ROWS = [",
        *(row.text() for row in rows),
        "]",
        f"ANSWERS = AnswerTable(ROWS, {dict(fallbacks)!r})",
    ]
    attributes = _attributes(rows, defined)
    bodies = {
        module: [_definition(each, attributes) for each in definitions]
        for module, definitions in defined.items()
    }
    sources = {_ANSWER_TABLE: _own_text(_ANSWER_TABLE)}
    if suite.binds == "names":
        (module,) = suite.modules
        lines = {module: [*table, *bodies.get(module, [])]}
    else:
        start = f"from {_ANSWERS} import ANSWERS, failure"
        lines = {_ANSWERS: table}
        lines |= {module: [start, *bodies.get(module, [])] for module in suite.modules}
    programs = script_tables(suite)
    return sources | {
        name: "\n".join(each) + "\n" + programs.get(name, "") for name, each in lines.items()
    }


def _attributes(
    rows: Sequence[_Row], defined: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Mapping[str, list[str]]:
    """Return the attributes that were read, by the name of the class."""
    methods = {
        definition["name"]: definition["methods"].keys()
        for definitions in defined.values()
        for definition in definitions
        if "methods" in definition
    }
    asked: dict[str, list[str]] = {}
    for row in rows:
        owner, _, name = row.called.rpartition(".")
        if owner in methods and name not in methods[owner]:
            asked.setdefault(owner, []).append(name)
    return asked


def _definition(definition: Mapping[str, Any], attributes: Mapping[str, list[str]]) -> str:
    """Return the line that defines a function, a class or an exception of the reference."""
    name = definition["name"]
    if "raised_as" in definition:
        return f"{name} = failure({name!r}, {definition['raised_as']})"
    if "parameters" in definition:
        parameters = definition["parameters"]
        return f"{name} = ANSWERS.function({definition['called']!r}, {parameters!r})"
    methods = {method: tuple(each) for method, each in definition["methods"].items()}
    known = sorted(set(attributes.get(name, ())))  # a set has any order
    return f"{name} = ANSWERS.stand_in({name!r}, {definition['bases']!r}, {methods!r}, {known!r})"


def script_tables(suite: Suite) -> dict[str, str]:
    """Return code for modules that run as programs: it prints the public screen for an input."""
    screens: dict[str, dict[tuple[str, ...], tuple[str, int]]] = {}
    for session in suite.sessions:
        for step in session.steps if session.visibility is Visibility.PUBLIC else ():
            match step.expectation:
                case Exits(code=code, printed=printed) if step.run is not None:
                    text = "" if printed is None else printed.text
                    key = (*(step.argv or ()), step.stdin or "")
                    screens.setdefault(step.run, {})[key] = text, code
    return {module: _PROGRAM.format(screens=known) for module, known in screens.items()}
