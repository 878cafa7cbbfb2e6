"""Hard-coders: programs that know the answers of the public cases, and nothing else.

A suite that such a program passes can be copied from. They are made in two steps. The reference
runs through the public sessions while somebody listens (`grader.auditing.overhearing`); what was
heard becomes a table that is written into a program of the same shape, which looks everything up
(`grader.auditing.answering`). It recognises more than a student would: also the observers around
refused actions, and objects that got into the same state another way. What is not in the table
gets a fallback, and there are several: the one that earns most counts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final

from grader.errors import GraderError
from grader.importable import expanded
from grader.judge import runner_for
from grader.observation import Raised, Returned
from grader.planning import Item, Role, whole_session
from grader.protocol import HIGHEST_CAPS
from grader.sandbox.nursery import Nursery
from grader.sessions import Gate, SessionRunner
from grader.submission import SourceFile, Submission
from grader.suite import Session, Suite, Tiles
from grader.values import Atom
from grader.verdict import Visibility

_FOLDER: Final = Path(__file__).parent
_ANSWERING: Final = "answering"
_OVERHEARING: Final = "overhearing"
_ANSWERS: Final = "answers"
_ORIGINAL: Final = "original_"
_PART_CHARS: Final = HIGHEST_CAPS.value_chars
_PARTS: Final = 10
_RECORDING_CPU_S: Final = 20.0


@unique
class Fallback(StrEnum):
    """What a hard-coder answers when it does not know."""

    COMMON = "common"
    """What that function answered most often."""
    LAST = "last"
    """What that function answered last."""
    REFUSE = "refuse"
    """The exception that it raised most often; where it never did, its most common answer."""
    ITSELF = "itself"
    """The object itself, where it ever returned that; else its most common answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HardCoder:
    """One of them: the sources of its modules, by name."""

    fallback: Fallback
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Row:
    """One call as it was overheard; `changed` and `outcome` are expressions."""

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
class _Heard:
    """What was overheard in all sessions."""

    rows: dict[tuple[str, str], _Row]
    defined: dict[str, list[dict[str, Any]]]


def hard_coders(
    suite: Suite, reference: Mapping[str, str], nursery: Nursery, gate: Gate
) -> list[HardCoder]:
    """Return the hard-coders of `suite`, one for each fallback.

    `reference` are the sources of the reference by the name of the module. Raises `GraderError`
    when it does not get through a public session.
    """
    heard = _overheard(suite, reference, nursery, gate)
    rows = list(heard.rows.values())
    return [
        HardCoder(
            fallback=fallback,
            sources=_sources(suite, rows, _fallbacks(rows, fallback), heard.defined),
        )
        for fallback in Fallback
    ]


def submission_of(suite: Suite, sources: Mapping[str, str], student: str) -> Submission:
    """Return the hand-in that consists of `sources`, by the name of the module."""
    files = {
        name: SourceFile(name=f"{name.replace('.', '/')}.py", text=text, encoding="utf-8")
        for name, text in sources.items()
    }
    main = suite.module if isinstance(suite.module, str) else None
    return Submission(
        student=student,
        main=None if main is None else files[main],
        modules={name: file for name, file in files.items() if name != main},
        data={},
        raw={file.name: file.text.encode() for file in files.values()},
        parts={name: name for name in suite.modules if name in files},
    )


def _overheard(suite: Suite, reference: Mapping[str, str], nursery: Nursery, gate: Gate) -> _Heard:
    """Return what is called in the public sessions of `suite`, and what it comes to."""
    limits = replace(
        suite.limits,
        value_chars=HIGHEST_CAPS.value_chars,
        cpu_s=_RECORDING_CPU_S,
        session_cpu_s=_RECORDING_CPU_S,
        wall_s=2 * _RECORDING_CPU_S,
        session_wall_s=2 * _RECORDING_CPU_S,
    )
    imports = tuple(dict.fromkeys((*suite.imports, *expanded())))
    asked = replace(suite, limits=limits, imports=imports)
    listening = submission_of(suite, dict(_listening(suite, reference)), "overheard")
    runner = runner_for(asked, listening, nursery, gate)
    heard = _Heard(rows={}, defined={})
    for session in suite.sessions:
        if session.visibility is Visibility.PUBLIC:
            _add(heard, json.loads(_told(runner, session)))
    return heard


def _add(heard: _Heard, told: Mapping[str, Any]) -> None:
    for row in map(_Row, *zip(*told["rows"], strict=True)) if told["rows"] else ():
        heard.rows[row.called, row.exactly] = row
    heard.defined.update(told["defined"])


def _told(runner: SessionRunner, session: Session) -> str:
    """Return what is heard during `session`.

    A tiling is left out: what is asked is public, an answer to it is not.
    """
    parts = (_asking(f"EAR.tell({part}, {_PART_CHARS})") for part in range(_PARTS))
    steps = session.steps
    told = (
        item
        for item in whole_session(session)
        if not isinstance(steps[item.step_index].expectation, Tiles)
    )
    plan = (*told, *parts)
    run = runner.run(plan, lockstep=False, modules=session.modules)
    if run is None or len(run.observations) != len(plan):
        last = None if run is None else (run.observations or [run.imported.observation])[-1].outcome
        why = f": {last.type_names[0]}: {last.message}" if isinstance(last, Raised) else ""
        raise GraderError(f"the reference does not get through session {session.id}{why}")
    texts: list[str] = []
    for observation in run.observations[-_PARTS:]:
        outcome = observation.outcome
        assert isinstance(outcome, Returned), "it tells, whatever happened"
        assert isinstance(outcome.value, Atom), "within the caps that were asked for"
        texts.append(str(outcome.value.value))
    if texts[-1]:
        raise GraderError(f"session {session.id} calls too much to be written down")
    return "".join(texts)


def _asking(code: str) -> Item:
    code = f"__import__({_OVERHEARING!r}).{code}"
    return Item(role=Role.STEP, step_index=0, code=code, is_expression=True, binds=())


def _listening(suite: Suite, reference: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the modules of a program that does what the reference does, and listens."""
    yield from ((name, _own_text(name)) for name in (_ANSWERING, _OVERHEARING))
    asked = suite.modules or (suite.module,)
    known = {f"{_ORIGINAL}{name}" if name in asked else name for name in reference}
    for module, text in reference.items():
        if module not in asked:
            yield module, text
            continue
        original, prefix = f"{_ORIGINAL}{module}", f"{module}." if suite.modules else ""
        yield original, text
        lines = (
            f"import {original}",
            f"from {_OVERHEARING} import EAR",
            f"EAR.modules.update({sorted(known)!r})",
            f"EAR.listen({module!r}, {prefix!r}, {original}, globals())",
        )
        yield module, "\n".join(lines)


def _own_text(name: str) -> str:
    """Return the source of a module of ours as one that stands alone."""
    text = (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return text.replace(f"from {__package__}.", "from ")


def _fallbacks(rows: Sequence[_Row], fallback: Fallback) -> dict[str, int]:
    """Return for each thing that is called the number of the row that is the `fallback`."""
    by_name: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        by_name.setdefault(row.called, []).append(number)
    return {name: _chosen(rows, numbers, fallback) for name, numbers in by_name.items()}


def _chosen(rows: Sequence[_Row], numbers: Sequence[int], fallback: Fallback) -> int:
    match fallback:
        case Fallback.COMMON:
            wanted = numbers
        case Fallback.LAST:
            return numbers[-1]
        case Fallback.REFUSE:
            wanted = [number for number in numbers if rows[number].refuses]
        case Fallback.ITSELF:
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
    """Return the modules of a hard-coder; of several the table has one of its own."""
    table = [
        f"from {_ANSWERING} import Table, array, fail, failure, made",
        "ROWS = [",
        *(row.text() for row in rows),
        "]",
        f"ANSWERS = Table(ROWS, {dict(fallbacks)!r})",
    ]
    attributes = _attributes(rows, defined)
    bodies = {
        module: [_definition(each, attributes) for each in definitions]
        for module, definitions in defined.items()
    }
    sources = {_ANSWERING: _own_text(_ANSWERING)}
    if isinstance(suite.module, str):
        lines = {suite.module: [*table, *bodies.get(suite.module, [])]}
    else:
        start = f"from {_ANSWERS} import ANSWERS, failure"
        lines = {_ANSWERS: table}
        lines |= {module: [start, *bodies.get(module, [])] for module in suite.modules}
    return sources | {name: "\n".join(each) + "\n" for name, each in lines.items()}


def _attributes(
    rows: Sequence[_Row], defined: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Mapping[str, list[str]]:
    """Return the attributes that were asked for, by the name of the class."""
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
    known = sorted(set(attributes.get(name, ())))
    return f"{name} = ANSWERS.stand_in({name!r}, {definition['bases']!r}, {methods!r}, {known!r})"
