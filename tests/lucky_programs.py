"""Programs that hang on luck, suites for them, and what sessions with a seed give."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from builders import submission, suite

from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade
from grader.judging.record import CaseResult, Record
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

WORDS: Final = ("een", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht")
IN_ORDER_OF_A_SET: Final = f"""
def words():
    return list(set({WORDS}))
"""


@contextmanager
def with_other_seeds() -> Iterator[Sequence[Zygote]]:
    """Start zygotes with the other seeds."""
    with Zygote(seed=OTHER_SEEDS[0]) as one, Zygote(seed=OTHER_SEEDS[1]) as two:
        yield one, two


def order_of_marks() -> str:
    """Return what a list of the set of all words is with the seed that marks are given with."""
    code = f"print(list(set({WORDS})))"
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).strip()


def guarded(zygote: Sandbox, others: Sequence[Sandbox], body: str, source: str) -> Record:
    """Return the record of `source` on the suite in `body`, without luck."""
    return grade(suite(body), submission(source), zygote, lambda: others)


def asking(*steps: str, **session: str) -> str:
    """Return a suite with `steps` in one session with these settings."""
    settings = {"id": "s", **session}
    body = {"groups": [{"id": "g", "points": len(steps)}]}
    asked = [{**settings, "steps": "STEPS"}]
    text = json.dumps(asked).replace('"STEPS"', f"[{', '.join(steps)}]")
    return f"groups: {json.dumps(body['groups'])}\nsessions: {text}\n"


def step(code: str, expected: str) -> str:
    """Return the step that does `code` and is to return `expected`."""
    return json.dumps({"do": code, "returns": expected, "group": "g"})


def told(case: CaseResult) -> list[str]:
    """Return the keys of what `case` says."""
    return [said.key for said in case.explanation]


LOOKER: Final = """
    import locale, os, random, secrets, time, uuid
    from datetime import date, datetime
"""


def sight(sandbox: Sandbox, what: str) -> str | None:
    """Return what a session in `sandbox` sees of `what`."""
    (case,) = grade(suite(asking(step(what, "0"))), submission(LOOKER), sandbox).cases
    assert Verdict.WRONG is case.verdict, case
    return case.got
