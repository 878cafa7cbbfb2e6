"""Computes the fingerprints of hand-ins, in executors, as no source is parsed in this process.

Each hand-in has an executor, which does not run it: to harm it, a hand-in would have to attack the
parser. One that kills it, or makes it send an invalid reply, is set aside.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from sys import intern
from typing import Any, Final, NamedTuple, TypeAlias

from grader.errors import ExecutorKilled, ProtocolError
from grader.intake.kinds import PYTHON, suffix_of
from grader.intake.notebooks import NOTEBOOK, exported, read_notebook
from grader.intake.rescue import TEXT_SUFFIXES
from grader.intake.submission import decode_source
from grader.intake.submissions import HandIn
from grader.sandbox.executor import ExecutorEnded, Sandbox, parsed
from grader.sandbox.program import Program
from grader.sandbox.sandbox import new_sandbox, usable_cores
from grader.sandbox.session_runs import executor_limits
from grader.suite.limits import Limits

HOST: Final = "similarity"
_MAX_CHARS: Final = 300_000
"""The limit on all files of a hand-in together; nobody has typed more."""
_FEW: Final = 40
"""For fewer hand-ins, one sandbox is fast enough."""
_CPU_S: Final = 10.0
_WALL_S: Final = 30.0
_LIMITS: Final = Limits(cpu_s=_CPU_S, session_cpu_s=_CPU_S, memory_bytes=512 << 20)
_MAX_NUMBER: Final = 1 << 48  # the reader sends hashes of 48 bits

Sources: TypeAlias = Sequence[tuple[str, str]]
"""The files of a hand-in: the name and the text of each."""


class Word(NamedTuple):
    """A choice of the author: a name, a comment, or a string."""

    kind: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The fingerprint of a program."""

    hashes: array[int]
    """The hashes of its fragments."""
    places: array[int]
    """For each fragment: the number of its file, its first and its last line."""
    words: Mapping[Word, int]
    """Its words, with the first line of each."""
    statements: int = 0
    trouble: str = ""
    """Why it could not be read, or only in part."""

    def place(self, number: int) -> tuple[int, int, int]:
        """Return the place of the fragment with this number."""
        file, line, end_line = self.places[3 * number : 3 * number + 3]
        return file, line, end_line


def nothing(trouble: str) -> Fingerprint:
    """Return an empty fingerprint, of a hand-in that could not be read."""
    return Fingerprint(hashes=array("Q"), places=array("I"), words={}, trouble=trouble)


def sources_of(hand_in: HandIn) -> Sources:
    """Return the Python files of `hand_in`, notebooks among them; else what may be pasted code."""
    found = []
    for name, data in hand_in.files.items():
        if suffix_of(name) == PYTHON:
            found.append((name, exported(decode_source(data, name).text)))
        elif suffix_of(name) == NOTEBOOK and (notebook := read_notebook(data)) is not None:
            found.append((name, notebook.text))
    return found or [
        (name, decode_source(data, name).text)
        for name, data in hand_in.files.items()
        if suffix_of(name) in TEXT_SUFFIXES
    ]


def read_all(programs: Sequence[Sources]) -> list[Fingerprint]:
    """Return the fingerprint of each of `programs`."""
    count = 1 if len(programs) < _FEW else usable_cores()
    size = -(-len(programs) // count)
    # Without any programs, `range` would refuse a step of 0.
    shares = [programs[start : start + size] for start in range(0, len(programs), max(1, size))]
    with ExitStack() as stack:
        sandboxes = [stack.enter_context(new_sandbox(hosts=[HOST])) for _ in shares]
        # It refuses 0 threads.
        pool = stack.enter_context(ThreadPoolExecutor(max(1, len(shares))))
        found = pool.map(
            lambda sandbox, share: [_read(sandbox, each) for each in share], sandboxes, shares
        )
        return [each for share in found for each in share]


def _read(sandbox: Sandbox, sources: Sources) -> Fingerprint:
    """Return the fingerprint of a hand-in, empty if it cannot be read."""
    if not sources:
        return nothing("no file that can be compared")
    if sum(len(text) for _, text in sources) > _MAX_CHARS:
        return nothing(f"more than {_MAX_CHARS:,} characters")
    try:
        return _fingerprint(_asked(sandbox, sources), len(sources))
    except (ExecutorEnded, ExecutorKilled) as ended:
        return nothing(f"it ends whoever reads it: {ended}")
    except ProtocolError as error:
        return nothing(f"it answers as no reader does: {error}")


def _asked(sandbox: Sandbox, sources: Sources) -> dict[str, Any]:
    """Return the reply of a separate executor on `sources`, without any other hand-in."""
    # One for each: who breaks the parser must not reach what others have written.
    executor = sandbox.fork(executor_limits(_LIMITS, session_cpu_s=_CPU_S))
    try:
        load = Program.of({}, {}).load_request(None)
        first = marshal.dumps({"host": HOST, "first": {"sources": [*sources]}})
        replies = executor.replies([(load, 1), (first, 1)], cpu_s=_CPU_S, wall_s=_WALL_S)
        next(replies)  # to the load
        return parsed(next(replies))
    finally:
        executor.end()


def _fingerprint(told: Mapping[str, Any], files: int) -> Fingerprint:
    """Return the fingerprint in the reply on so many `files`; raises `ProtocolError`."""
    match told:
        case {
            "fragments": list() as fragments,
            "words": list() as words,
            "statements": int() as statements,
            "unparsed": int() as unparsed,
            # A mapping pattern allows other keys.
        } if len(told) == 4:
            pass
        case _:
            raise ProtocolError("facts of another shape")
    hashes, places = array("Q"), array("I")
    for each in fragments:
        hashed, *place = _numbers(each, 4, files)
        hashes.append(hashed)
        places.extend(place)
    said = {}
    for each in words:
        match each:
            case [str() as kind, str() as text, int() as line] if 0 <= line < 1 << 31:
                said[Word(intern(kind), intern(text))] = line  # a class uses many words again
            case _:
                raise ProtocolError("a word of another shape")
    return Fingerprint(
        hashes=hashes,
        places=places,
        words=said,
        statements=statements,
        trouble=f"{unparsed} of {files} files are not valid Python 3, but for some definitions"
        if unparsed
        else "",
    )


def _numbers(told: object, count: int, files: int) -> list[int]:
    match told:
        case [int() as hashed, int() as file, int() as line, int() as end_line]:
            # so that `array("I")` takes them
            if 0 <= hashed < _MAX_NUMBER and 0 <= file < files and 0 < line <= end_line < 1 << 31:
                return [hashed, file, line, end_line][:count]
    raise ProtocolError("a fragment of another shape")
