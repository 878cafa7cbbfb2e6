"""Builds hard-coders: programs that know the answers of the public cases, and nothing else.

A suite that such a program passes invites copying. Hard-coders are built in two steps. The calls of
the reference in the public sessions are recorded (`call_recorder.py`). The record then becomes a
table in a program with the same definitions, and this program looks up every call in the table
(`answer_table.py`). A hard-coder recognises more than a student could, such as observers around
refused actions, and objects that reached the same state in another way. Calls that are not in the
table get a fallback. There is one hard-coder for each of several fallbacks, and the best one
counts.
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
from grader.suite.vocabulary import expand_imports
from grader.values.tree import Atom
from grader.verdict import Visibility

_FOLDER: Final = Path(__file__).parent
_ANSWER_TABLE: Final = "answer_table"
_CALL_RECORDER: Final = "call_recorder"
_ANSWERS: Final = "answers"
_ORIGINAL: Final = "original_"
_PART_CHARS: Final = HIGHEST_CAPS.value_chars
# The record of a session can be too long for a single value, so it is read in parts.
_PARTS: Final = 10
# Recording is slow: the arguments of each call are hashed before and after it.
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
class HardCoderFallback(StrEnum):
    """The fallback of a hard-coder for unknown calls."""

    COMMON = "common"
    """The most common answer of the called function."""
    LAST = "last"
    """The last answer of the called function."""
    REFUSE = "refuse"
    """The most common exception of the called function, or else its most common answer."""
    ITSELF = "itself"
    """The object itself if the method ever returned it, or else the method's most common answer."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One recorded call. `outcome` and the values of `changed` are expressions."""

    function: str
    exact_key: str
    loose_key: str
    outcome: str
    changed: Mapping[str, str]
    printed: str

    @property
    def refuses(self) -> bool:
        """Whether the call raised an exception."""
        return self.outcome.startswith("fail(")

    def text(self) -> str:
        """Return the row as Python source for the answer table."""
        changed = ", ".join(
            f"{name!r}: lambda arguments: {value}" for name, value in self.changed.items()
        )
        keys = f"{self.function!r}, {self.exact_key!r}, {self.loose_key!r}"
        return f"({keys}, lambda arguments: {self.outcome}, {{{changed}}}, {self.printed!r}),"


@dataclass(slots=True)
class _Recording:
    """The calls of all public sessions, and the definitions of the reference."""

    rows: dict[tuple[str, str], _Row]
    defined: dict[str, list[dict[str, Any]]]


def hard_coders(
    suite: Suite, reference: Sources, sandbox: Sandbox
) -> dict[HardCoderFallback, Sources]:
    """Build the hard-coders of `suite`, and return their sources keyed by fallback.

    Raises `GraderError` if the `reference` does not complete a public session.
    """
    recording = _record_calls(suite, reference, sandbox)
    rows = list(recording.rows.values())
    return {
        fallback: _build_sources(suite, rows, _fallbacks(rows, fallback), recording.defined)
        for fallback in HardCoderFallback
    }


def _record_calls(suite: Suite, reference: Sources, sandbox: Sandbox) -> _Recording:
    """Run the public sessions of `suite` on the `reference`, and return its calls.

    Raises `GraderError` if a session does not complete, or makes more calls than can be recorded.
    """
    limits = suite.limits.with_changes(
        value_chars=HIGHEST_CAPS.value_chars,
        cpu_s=_RECORDING_CPU_S,
        session_cpu_s=_RECORDING_CPU_S,
        wall_s=2 * _RECORDING_CPU_S,
        session_wall_s=2 * _RECORDING_CPU_S,
    )
    # The recorder imports modules that the suite might not allow.
    imports = tuple(dict.fromkeys((*suite.imports, *expand_imports())))
    relaxed = suite.with_changes(limits=limits, imports=imports)
    instrumented = submission_of(suite, dict(_instrumented_modules(suite, reference)), "recorder")
    runner = runner_for(relaxed, instrumented, sandbox)
    recording = _Recording(rows={}, defined={})
    for session in suite.sessions:
        # Sessions that run programs are recorded in separate tables: see `script_tables`.
        if session.visibility is Visibility.PUBLIC and not session.runs_programs:
            record = json.loads(_record_session(runner, session))
            for row in (_Row(*fields) for fields in record["rows"]):
                recording.rows[row.function, row.exact_key] = row
            recording.defined.update(record["defined"])
    return recording


def _record_session(runner: SessionRunner, session: Session) -> str:
    """Run `session` on the instrumented reference, and return its calls as JSON.

    Steps with a checker are omitted, because the suite does not contain an answer to them. Raises
    `GraderError` if the session does not complete, or makes more calls than can be recorded.
    """
    parts = (_recorder_item(f"RECORDER.dump({part}, {_PART_CHARS})") for part in range(_PARTS))
    steps = session.steps
    items = (
        item
        for item in whole_session(session)
        if not isinstance(steps[item.step_index].expectation, Accepts)
    )
    plan = (*items, *parts)
    run = runner.run(plan, modules=session.modules)
    if len(run.observations) != len(plan):
        last_outcome = (run.observations or [run.imported.observation])[-1].outcome
        detail = (
            f": {last_outcome.type_names[0]}: {last_outcome.message}"
            if isinstance(last_outcome, Raised)
            else ""
        )
        raise GraderError(
            f"the reference fails in session {session.id}{detail}",
            help="correct the reference, or this session of the suite",
        )
    texts: list[str] = []
    for observation in run.observations[-_PARTS:]:
        outcome = observation.outcome
        assert isinstance(outcome, Returned), "the recorder itself does not raise"
        assert isinstance(outcome.value, Atom), "the caps are high enough for a part"
        texts.append(str(outcome.value.value))
    if texts[-1]:  # only an empty last part proves that the record is complete
        raise GraderError(
            "cannot check whether hard-coded answers would pass: session"
            f" {session.id} makes more calls than can be recorded",
            help="split it into shorter sessions",
        )
    return "".join(texts)


def _recorder_item(code: str) -> Item:
    # The recorder is imported without a statement, so that the session's namespace is unchanged.
    return Item(step_index=0, code=f"__import__({_CALL_RECORDER!r}).{code}")


def _instrumented_modules(suite: Suite, reference: Sources) -> Iterator[tuple[str, str]]:
    """Yield the name and source of each module of a reference that records its calls.

    Each module of the suite is replaced with one that wraps the functions of the original.
    """
    yield from ((name, _standalone_source(name)) for name in (_ANSWER_TABLE, _CALL_RECORDER))
    wrapped_modules = suite.modules
    original_names = {
        f"{_ORIGINAL}{name}" if name in wrapped_modules else name for name in reference
    }
    for module, text in reference.items():
        if module not in wrapped_modules:
            yield module, text
            continue
        original, prefix = f"{_ORIGINAL}{module}", suite.prefix(module)
        yield original, text
        lines = (
            f"import {original}",
            f"from {_CALL_RECORDER} import RECORDER",
            f"RECORDER.modules.update({sorted(original_names)!r})",
            f"RECORDER.record({module!r}, {prefix!r}, {original}, globals())",
        )
        yield module, "\n".join(lines)


def _standalone_source(name: str) -> str:
    """Return the source of the module `name` of this package, made importable on its own."""
    text = (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return text.replace(f"from {__package__}.", "from ")


def _fallbacks(rows: Sequence[_Row], fallback: HardCoderFallback) -> dict[str, int]:
    """Return the index of each function's `fallback` row, as a dict keyed by function name."""
    indexes_by_name: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        indexes_by_name.setdefault(row.function, []).append(index)
    return {
        name: _choose_fallback(rows, indexes, fallback) for name, indexes in indexes_by_name.items()
    }


def _choose_fallback(
    rows: Sequence[_Row], indexes: Sequence[int], fallback: HardCoderFallback
) -> int:
    """Return the index of the `fallback` row, chosen from the row `indexes` of one function."""
    match fallback:
        case HardCoderFallback.COMMON:
            candidates = indexes
        case HardCoderFallback.LAST:
            return indexes[-1]
        case HardCoderFallback.REFUSE:
            candidates = [index for index in indexes if rows[index].refuses]
        case HardCoderFallback.ITSELF:
            candidates = [n for n in indexes if rows[n].outcome == "arguments.get('self')"]
    candidates = candidates or indexes
    outcomes = Counter(rows[index].outcome for index in candidates)
    return max(candidates, key=lambda index: outcomes[rows[index].outcome])


def _build_sources(
    suite: Suite,
    rows: Sequence[_Row],
    fallbacks: Mapping[str, int],
    definitions_by_module: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, str]:
    """Return the sources of a hard-coder's modules, as a dict keyed by name.

    If the suite has several modules, the rows are in a separate module that all of them import.
    """
    table = [
        f"from {_ANSWER_TABLE} import AnswerTable, array, fail, exception_class, new_object",
        "ROWS = [",
        *(row.text() for row in rows),
        "]",
        f"ANSWERS = AnswerTable(ROWS, {dict(fallbacks)!r})",
    ]
    attributes = _attributes(rows, definitions_by_module)
    bodies = {
        module: [_definition(definition, attributes) for definition in definitions]
        for module, definitions in definitions_by_module.items()
    }
    sources = {_ANSWER_TABLE: _standalone_source(_ANSWER_TABLE)}
    if suite.binds == "names":
        (module,) = suite.modules
        lines_by_module = {module: [*table, *bodies.get(module, [])]}
    else:
        header = f"from {_ANSWERS} import ANSWERS, exception_class"
        lines_by_module = {_ANSWERS: table}
        lines_by_module |= {module: [header, *bodies.get(module, [])] for module in suite.modules}
    programs = script_tables(suite)
    return sources | {
        name: "\n".join(body) + "\n" + programs.get(name, "")
        for name, body in lines_by_module.items()
    }


def _attributes(
    rows: Sequence[_Row], definitions_by_module: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Mapping[str, list[str]]:
    """Return the names of the attributes that were read, as a dict keyed by class name."""
    methods = {
        definition["name"]: definition["methods"].keys()
        for definitions in definitions_by_module.values()
        for definition in definitions
        if "methods" in definition
    }
    attributes: dict[str, list[str]] = {}
    for row in rows:
        owner, _, name = row.function.rpartition(".")
        if owner in methods and name not in methods[owner]:
            attributes.setdefault(owner, []).append(name)
    return attributes


def _definition(definition: Mapping[str, Any], attributes: Mapping[str, list[str]]) -> str:
    """Return the line that defines a function, a class or an exception of the reference."""
    name = definition["name"]
    if "raised_as" in definition:
        return f"{name} = exception_class({name!r}, {definition['raised_as']})"
    if "parameters" in definition:
        parameters = definition["parameters"]
        return f"{name} = ANSWERS.function({definition['called']!r}, {parameters!r})"
    methods = {method: tuple(signature) for method, signature in definition["methods"].items()}
    read_attributes = sorted(set(attributes.get(name, ())))  # sorted, because sets are unordered
    arguments = f"{name!r}, {definition['bases']!r}, {methods!r}, {read_attributes!r}"
    return f"{name} = ANSWERS.stand_in({arguments})"


def script_tables(suite: Suite) -> dict[str, str]:
    """Return the source to add to each module that runs as a program, as a dict keyed by module.

    The program prints the screen that a public session shows for the same input, and exits with the
    same exit code. For any other input, it uses the last screen.
    """
    screens: dict[str, dict[tuple[str, ...], tuple[str, int]]] = {}
    for session in suite.sessions:
        for step in session.steps if session.visibility is Visibility.PUBLIC else ():
            match step.expectation:
                case Exits(code=code, printed=printed) if step.run is not None:
                    text = "" if printed is None else printed.text
                    key = (*(step.argv or ()), step.stdin or "")
                    screens.setdefault(step.run, {})[key] = text, code
    return {
        module: _PROGRAM.format(screens=module_screens)
        for module, module_screens in screens.items()
    }
