"""Boards in many representations, and what the rules ask of them: for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Final

import yaml

from grader.demands import Growth, Memory, Probe, ProbeStep, Time
from grader.importable import STANDARD
from grader.limits import Limits
from grader.program import Program
from grader.sandbox.nursery import Nursery
from grader.sessions import Gate, SessionRunner
from grader.verdict import RuleVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One way to represent a board, and the verdicts that it deserves."""

    source: str
    memory: RuleVerdict
    time: RuleVerdict
    """That on `is_filled_at`, if its time has to be constant."""


def _boards() -> dict[str, Board]:
    path = Path(__file__).parent / "representations" / "boards.yaml"
    return {
        name: Board(
            source=facts["source"],
            memory=RuleVerdict(facts["memory"]),
            time=RuleVerdict(facts["time"]),
        )
        for name, facts in yaml.safe_load(path.read_text(encoding="utf-8")).items()
    }


BOARDS: Final = _boards()


def expression(code: str) -> ProbeStep:
    """Return the step that evaluates `code`."""
    return ProbeStep(code=code, is_expression=True)


def binding(name: str, code: str) -> ProbeStep:
    """Return the step that gives `code` the `name`."""
    return ProbeStep(code=f"{name} = {code}", is_expression=False, binds=(name,))


MEMORY: Final = Memory(
    function="make_board",
    probe=Probe(sizes=(8, 64, 512), setup=(), call=expression("make_board(n)")),
)
"""An empty board takes as much memory for each dimension."""
FILLED: Final = Probe(
    sizes=(16, 2048),
    setup=(
        binding("cells", "[(1 + i % 50, 1 + i // 50) for i in range(n)]"),
        binding("board", "make_board(50, cells)"),
        binding("last", "cells[-1]"),
        binding("absent", "(50, 50)"),
    ),
    call=expression("(is_filled_at(board, last), is_filled_at(board, absent))"),
)
"""Looks at the cell that was filled last, and at an empty one, on a board with n filled cells."""


def time_of(growth: Growth) -> Time:
    """Return the demand that `is_filled_at` takes no more time than that."""
    return Time(function="is_filled_at", probe=FILLED, growth=growth, counted=("last", "absent"))


def runner(
    zygote: Nursery,
    sources: str | Mapping[str, str],
    limits: Limits | None = None,
    imports: Iterable[str] = STANDARD,
) -> SessionRunner:
    """Return what runs a submission: its modules by name, or the text of its only one."""
    if isinstance(sources, str):
        program = Program.of("Board", {"Board": ("Board.py", dedent(sources))}, {}, imports)
    else:
        texts = {name: (f"{name}.py", dedent(text)) for name, text in sources.items()}
        program = Program.of(None, texts, {}, imports, parts={name: name for name in texts})
    return SessionRunner(zygote, program, limits or Limits(), Gate())
