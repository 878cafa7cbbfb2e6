"""Computes the fingerprints of hand-ins in executors, as this process does not parse any source.

Each hand-in has a separate executor, which does not run it. To do harm, a hand-in would have to
attack the parser. A hand-in that kills its executor, or makes it send an invalid reply, is not
compared.
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
from grader.intake.notebooks import NOTEBOOK, convert_notebook_export, read_notebook
from grader.intake.rescue import TEXT_SUFFIXES
from grader.intake.submission import decode_source
from grader.intake.submissions import HandIn
from grader.sandbox.executor import ExecutorEnded, Sandbox, parse_reply
from grader.sandbox.program import Program
from grader.sandbox.sandbox import new_sandbox, usable_cores
from grader.sandbox.session_runs import executor_limits
from grader.suite.limits import Limits

HOST: Final = "similarity"
_MAX_CHARS: Final = 300_000
"""The limit on all files of a hand-in together, which is more than a student types."""
_MIN_PARALLEL: Final = 40
"""With fewer hand-ins than this, one sandbox is fast enough."""
_CPU_S: Final = 10.0
_WALL_S: Final = 30.0
_LIMITS: Final = Limits(cpu_s=_CPU_S, session_cpu_s=_CPU_S, memory_bytes=512 << 20)
_HASH_LIMIT: Final = 1 << 48  # the reader sends hashes of 48 bits

Sources: TypeAlias = Sequence[tuple[str, str]]
"""The files of a hand-in, as pairs of name and text."""


class Word(NamedTuple):
    """A name, a comment or a string that the author of a program chose."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The fingerprint of a program."""

    hashes: array[int]
    """The hashes of the fragments of the program."""
    places: array[int]
    """Three numbers for each fragment: the index of its file, its first line and its last line."""
    words: Mapping[Word, int]
    """The words of the program, each with its first line."""
    statements: int = 0
    """The number of normalized statements."""
    problem: str = ""
    """Why the program could not be read completely. Empty if it could."""

    def location(self, index: int) -> tuple[int, int, int]:
        """Return the file index, first line and last line of the fragment at `index`."""
        file, line, end_line = self.places[3 * index : 3 * index + 3]
        return file, line, end_line


def empty_fingerprint(problem: str) -> Fingerprint:
    """Return an empty fingerprint for a hand-in that could not be read because of `problem`."""
    return Fingerprint(hashes=array("Q"), places=array("I"), words={}, problem=problem)


def sources_of(hand_in: HandIn) -> Sources:
    """Return the Python files and notebooks of `hand_in`.

    A notebook that cannot be read is omitted. If there are no such files, return the text files,
    which might contain pasted code.
    """
    files = []
    for name, data in hand_in.files.items():
        if suffix_of(name) == PYTHON:
            files.append((name, convert_notebook_export(decode_source(data, name).text)))
        elif suffix_of(name) == NOTEBOOK and (notebook := read_notebook(data)) is not None:
            files.append((name, notebook.text))
    return files or [
        (name, decode_source(data, name).text)
        for name, data in hand_in.files.items()
        if suffix_of(name) in TEXT_SUFFIXES
    ]


def read_all(programs: Sequence[Sources]) -> list[Fingerprint]:
    """Return the fingerprint of each of `programs`, computed in new sandboxes."""
    sandbox_count = 1 if len(programs) < _MIN_PARALLEL else usable_cores()
    share_size = -(-len(programs) // sandbox_count)  # rounded up, to leave no program over
    # Without programs, `range` would raise an error for a step of 0.
    shares = [
        programs[start : start + share_size]
        for start in range(0, len(programs), max(1, share_size))
    ]
    with ExitStack() as stack:
        sandboxes = [stack.enter_context(new_sandbox(hosts=[HOST])) for _ in shares]
        # The pool does not accept 0 threads.
        pool = stack.enter_context(ThreadPoolExecutor(max(1, len(shares))))
        results = pool.map(
            lambda sandbox, share: [_read_hand_in(sandbox, sources) for sources in share],
            sandboxes,
            shares,
        )
        return [fingerprint for fingerprints in results for fingerprint in fingerprints]


def _read_hand_in(sandbox: Sandbox, sources: Sources) -> Fingerprint:
    """Return the fingerprint of a hand-in, or an empty one with the reason if reading it fails."""
    if not sources:
        return empty_fingerprint("no file that can be compared")
    if sum(len(text) for _, text in sources) > _MAX_CHARS:
        return empty_fingerprint(f"more than {_MAX_CHARS:,} characters")
    try:
        return _parse_reply(_ask_executor(sandbox, sources), len(sources))
    # One hostile or huge hand-in must not stop the comparison of the class.
    except (ExecutorEnded, ExecutorKilled) as ended:
        return empty_fingerprint(f"it ended the process that read it: {ended}")
    except ProtocolError as error:
        return empty_fingerprint(f"the reply of its reader is invalid: {error}")


def _ask_executor(sandbox: Sandbox, sources: Sources) -> dict[str, Any]:
    """Return the reply of a new executor to `sources`, and end the executor.

    Raises `ExecutorEnded` or `ExecutorKilled` if it stops early, and `ProtocolError` if its
    reply is not a JSON object.
    """
    # Executors are not shared: a hand-in that attacks the parser must not reach other hand-ins.
    executor = sandbox.fork(executor_limits(_LIMITS, session_cpu_s=_CPU_S))
    try:
        # A session begins by loading a program, which is empty here.
        load = Program.from_sources({}, {}).load_request(None)
        first = marshal.dumps({"host": HOST, "first": {"sources": [*sources]}})
        replies = executor.replies([(load, 1), (first, 1)], cpu_s=_CPU_S, wall_s=_WALL_S)
        next(replies)  # the reply to the load request
        return parse_reply(next(replies))
    finally:
        executor.end()


def _parse_reply(reply: Mapping[str, Any], file_count: int) -> Fingerprint:
    """Return the fingerprint in a `reply` about a hand-in with `file_count` files.

    Raises `ProtocolError` if the reply is malformed, as it comes from an untrusted process.
    """
    match reply:
        case {
            "fragments": list() as fragments,
            "words": list() as words,
            "statements": int() as statements,
            "unparsed": int() as unparsed,
            # The length is checked, as a mapping pattern allows other keys.
        } if len(reply) == 4:
            pass
        case _:
            raise ProtocolError("malformed fingerprint")
    hashes, places = array("Q"), array("I")
    for fragment in fragments:
        hash_value, *location = _parse_fragment(fragment, file_count)
        hashes.append(hash_value)
        places.extend(location)
    first_lines = {}
    for word in words:
        match word:
            case [str() as kind, str() as text, int() as line] if 0 <= line < 1 << 31:
                # Interned, as the programs of a class share many words.
                first_lines[Word(intern(kind), intern(text))] = line
            case _:
                raise ProtocolError("malformed word")
    return Fingerprint(
        hashes=hashes,
        places=places,
        words=first_lines,
        statements=statements,
        problem=f"{unparsed} of {file_count} files are not valid Python 3: only parts were read"
        if unparsed
        else "",
    )


def _parse_fragment(fragment: object, file_count: int) -> tuple[int, int, int, int]:
    """Return the hash, file index, first line and last line of `fragment`.

    Raises `ProtocolError` if it is malformed.
    """
    match fragment:
        case [int() as hash_value, int() as file, int() as line, int() as end_line]:
            # Larger numbers would not fit into the arrays.
            is_valid_hash = 0 <= hash_value < _HASH_LIMIT
            if is_valid_hash and 0 <= file < file_count and 0 < line <= end_line < 1 << 31:
                return hash_value, file, line, end_line
    raise ProtocolError("malformed fragment")
