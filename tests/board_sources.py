"""Boards in many representations, and what the rules ask of them: for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import yaml
from rule_evidence import by_probe, rule_on

from grader.judging.probing import ProbeRunner, ProbeStep
from grader.judging.results import Ruling
from grader.judging.rules.cost import Cost
from grader.judging.rules.probes import Growth
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.suite.vocabulary import STANDARD_MODULES
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


MEMORY: Final = rule_on(
    Cost, function="make_board", memory="constant", sizes=[8, 64, 512], call="make_board(n)"
)
"""An empty board takes as much memory for each dimension."""


def time_of(growth: Growth, **keys: Any) -> Cost:
    """Return the rule that `is_filled_at` takes no more time than that.

    It looks at the cell that was filled last, and at an empty one, on a board with n filled cells.
    """
    setup = [
        "cells = [(1 + i % 50, 1 + i // 50) for i in range(n)]",
        "board = make_board(50, cells)",
        "last = cells[-1]",
        "absent = (50, 50)",
    ]
    usual = {
        "function": "is_filled_at",
        "sizes": [16, 2048],
        "setup": setup,
        "call": "(is_filled_at(board, last), is_filled_at(board, absent))",
        "counted": ["last", "absent"],
    }
    return rule_on(Cost, time=growth, **{**usual, **keys})


def ruling_on(rule: Cost, prober: ProbeRunner) -> Ruling:
    """Return the ruling on a rule that is judged by probing alone."""
    return rule.judge(by_probe(prober))


def runner(
    zygote: Sandbox,
    sources: str | Mapping[str, str],
    limits: Limits | None = None,
    imports: Iterable[str] = STANDARD_MODULES,
) -> SessionRunner:
    """Return what runs a submission: its modules by name, or the text of its only one."""
    if isinstance(sources, str):
        program = Program.from_sources({"Board": ("Board.py", dedent(sources))}, {}, imports)
    else:
        texts = {name: (f"{name}.py", dedent(text)) for name, text in sources.items()}
        program = Program.from_sources(
            texts, {}, imports, binds="modules", parts={name: name for name in texts}
        )
    return SessionRunner(zygote, program, limits or Limits())
