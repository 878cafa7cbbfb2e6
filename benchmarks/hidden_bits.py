"""How much of hidden input one hand-in brings home: an experiment, as an argument can be wrong.

Run: python benchmarks/hidden_bits.py [rounds]

The program turns the argument of each hidden case into what becomes of it. It answers every other
one. It answers the rest wrongly, raises one of three exceptions, ends, prints, naps, floods,
allocates or asks for what is forbidden. Each round it faces other hidden arguments. All that its
student gets is made: the page, JUnit XML, the terminal, at every level of feedback. What differs
between rounds is what came home.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from typing import Final

from rich.console import Console

from grader.intake.submission import SourceFile, Submission
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.ci.junit import junit_xml
from grader.reporting.student_page import student_page
from grader.reporting.terminal import print_record
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.suite.hidden import merge_suites
from grader.suite.loading import parse_hidden_suite, parse_suite

ROUNDS: Final = 150
CASES: Final = 6
WAYS: Final = (
    "return 2 * n + 1",
    "raise ValueError(n)",
    "raise KeyError(str(n) * 50)",
    "return 1 // 0",
    "import os; os._exit(3)",
    "print(n); return 2 * n + 1",
    "import time; time.sleep(0.02); return 3 * n",
    "print('x' * 200_000)",
    "return bytearray(1 << 40)",
    "import socket; return socket.socket()",
    "return [n] * 90_000",
)
PUBLIC: Final = """\
exercise: twice
title: Twice
language: en
module: twice
defines: [twice]
groups: [{id: twice, points: 4}]
sessions: [{id: example, steps: [{do: twice(1000), returns: '2000', group: twice}]}]
"""
SIBLINGS: Final = """\
siblings:
- {id: small, title: small, steps: [{do: twice(501), returns: '1002', group: twice}]}
- {id: other, title: other, steps: [{do: twice(502), returns: '1004', group: twice}]}
"""


def program() -> str:
    """Return the program that encodes what it is asked."""
    ways = "\n".join(f"    if n // 2 % {len(WAYS)} == {at}: {way}" for at, way in enumerate(WAYS))
    return f"def twice(n):\n    if n >= 1000 or n % 2: return 2 * n\n{ways}\n"


def faced(zygote: Sandbox, numbers: Sequence[int], feedback: str) -> Record:
    """Return the record of the program on hidden cases with these arguments."""
    steps = "".join(f"  - {{do: twice({n}), returns: '{2 * n}', group: twice}}\n" for n in numbers)
    public = parse_suite(PUBLIC.encode(), "twice.yaml", KINDS)
    text = f"exercise: twice\nfeedback: {feedback}\nsessions:\n- id: asked\n  title: x\n  steps:\n"
    hidden = parse_hidden_suite(f"{text}{steps}{SIBLINGS}".encode(), "twice.hidden.yaml", public)
    source = program()
    file = SourceFile(name="twice.py", text=source, encoding="utf-8")
    submission = Submission(
        student="eve",
        modules={"twice": file},
        data={},
        raw={file.name: source.encode()},
        parts={"twice": "twice"},
    )
    return grade(merge_suites(public, hidden), submission, zygote)


def read_by(record: Record) -> tuple[str, str, str]:
    """Return all that the student reads, but for the hash of the suite, which names it."""
    screen = StringIO()
    print_record(record, Console(file=screen, width=100))
    told = (student_page(record), junit_xml([record]).decode(), screen.getvalue())
    name = record.conditions.suite_sha256
    made = tuple(text.replace(name, "").replace(name[:12], "") for text in told)
    return made[0], made[1], made[2]


def entropy(seen: Counter[object]) -> float:
    """Return the bits of what was `seen`."""
    total = seen.total()
    return sum(count / total * math.log2(total / count) for count in seen.values())


def main() -> None:
    """Print what was asked, what came home, and the bound."""
    rounds = int(sys.argv[1]) if sys.argv[1:] else ROUNDS
    chance = random.Random(1)
    sent = CASES * math.log2(1 + len(WAYS))
    print(f"{CASES} hidden cases, {len(WAYS)} ways to fail: room for {sent:.0f} bits")
    with new_sandbox() as zygote:
        for feedback in ("count", "clause", "counterexample"):
            seen: Counter[object] = Counter()
            for _ in range(rounds):
                numbers = [chance.randrange(500) for _ in range(CASES)]
                seen[read_by(faced(zygote, numbers, feedback))] += 1
            print(
                f"feedback {feedback}: {len(seen)} different answers in {rounds} rounds,"
                f" {entropy(seen):.2f} bits; bound {math.log2(CASES + 1):.2f}"
            )


if __name__ == "__main__":
    main()
