"""Sessions that attack the lot that they are in: each comes to what it comes to alone."""

from __future__ import annotations

from textwrap import dedent

import pytest
from executor_sessions import FILES, QUICK, Forks, plan_of

from grader.sandbox.budget import Budget
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote

MODULES = ("sample",)
SOURCE = """
import json, os, struct, sys, weakref
seen = []
def see(): seen.append(1); return len(seen)
def send(said):
    frame = sys._getframe()
    while frame.f_code.co_name != "serve": frame = frame.f_back
    channel = frame.f_locals["channel"]
    payload = json.dumps(said, separators=(",", ":")).encode()
    os.write(channel._fd, struct.pack(">I", 8 + len(payload)) + channel._nonce + payload)
NOTHING = {"value": None, "id": None, "bound": {}, "stdout": "", "overflow": False}
"""
ATTACKS = {
    "says-that-it-is-stale": "def attack(): send({'stale': 'code'}); os._exit(0)",
    "says-that-it-is-spent": "def attack(): send({'spent': 'units'}); os._exit(0)",
    "imports-for-the-next-one": """
        def attack():
            send(NOTHING), send(NOTHING)
            send({**NOTHING, "defined": [], "takes": {}, "absent": []})
        """,
    "winds-up-the-meter": """
        from itertools import repeat
        def attack():
            for each in see.__code__.co_consts:
                if type(each).__name__ == "Meter":
                    each.large = each.small = repeat(True, 10**12)
        """,
    "leaves-what-ends-late": """
        class Last:
            def __del__(self): see(), print("late")
        def generated():
            try: yield
            finally: see(), print("late")
        last, held = Last(), generated()
        reference = weakref.ref(last, lambda _: print("late"))
        def attack(): next(held); json.kept = [last, held, reference]
        """,
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_what_it_is_alone(zygote: Zygote, name: str) -> None:
    """What a session says, or leaves behind, changes nothing of those around it, nor of itself."""
    source = {"sample": ("sample.py", SOURCE + dedent(ATTACKS[name]))}
    codes = ["see()", "see()", "attack()", "see()", "attack()", "see()"]
    plans = [plan_of("see()", code, "see()") for code in codes]
    found = []
    for is_expected in (True, False):
        program = Program.from_sources(source, FILES)
        runner = SessionRunner(Forks(zygote), program, QUICK, Budget())
        if is_expected:
            runner.expect(plans, modules=MODULES)
        runs = [runner.run(plan, modules=MODULES) for plan in plans]
        found.append((runs, runner.budget.units))
    together, alone = found
    assert alone == together
