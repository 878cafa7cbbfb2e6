"""Replies of executors: those that are not ours are tampering, and long ones are no crash."""

from __future__ import annotations

from textwrap import dedent

import pytest
from executor_sessions import died, run

from grader.protocol import NONCE_BYTES
from grader.sandbox.observation import Raised, Returned
from grader.sandbox.zygote import Zygote
from grader.values.tree import Atom
from grader.verdict import Verdict

THIEF = """
import json, os, struct, sys

def channel():
    frame = sys._getframe()
    while True:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Channel":
                return value
        frame = frame.f_back

def forge(payload, nonce=None, length=None, more=b""):
    mine = channel()
    if not isinstance(payload, bytes):
        payload = json.dumps(payload, separators=(',', ':')).encode()
    length = 8 + len(payload) if length is None else length
    os.write(mine._fd, struct.pack(">I8s", length, nonce or mine._nonce) + payload + more)

def answer(*values):
    return {"observations": [
        {"value": v, "id": None, "bound": {}, "stdout": "", "overflow": False} for v in values
    ]}

def blind(data):
    for fd in range(64):
        try:
            os.write(fd, data)
        except OSError:
            pass

old = []
def remember():
    old.append(channel()._nonce)
    return 1
"""


@pytest.mark.parametrize(
    "attack",
    [
        "blind(b'garbage' * 10)",
        "blind(bytes(12))",
        "blind(bytes(100_000))",
        "forge(b'', length=8)",
        "forge(b'', length=0)",
        "forge(b'', length=2**32 - 1)",
        "forge(b' ' * 2**20, length=5 * 2**20)",
        "forge(b'not json')",
        "forge(b'[' * 100_000)",
        "forge(b'\\xff\\xfe{}')",
        "forge(b'1' * 10_000)",
        "forge([])",
        "forge(None)",
        "forge({})",
        "forge({'observations': None})",
        "forge({'observations': []})",
        "forge({'observations': {}})",
        "forge({'observations': [None] * 3})",
        "forge({'observations': answer(1)['observations'] * 1000})",
        "forge(answer(42, 42, 42) | {'verdict': 'PASSED'})",
        "forge({'verdict': 'PASSED'})",
        "forge(answer(['!', 'list', []]))",
        "forge(answer(42), more=b'surplus')",
        "forge(answer(42), nonce=b'12345678')",
        "forge(answer(42), nonce=old[0][::-1])",
        "forge(answer(42, 42, 42), nonce=bytes(8))",
    ],
)
def test_forged_replies_end_the_session(zygote: Zygote, attack: str) -> None:
    """Anything malformed, surplus or to another request is tampering; nothing counts after it."""
    source = f"{THIEF}\ndef f():\n    {attack}\n    os._exit(0)\n"
    seen = run(zygote, source, "remember()", "f()", "1")
    first, last = seen.observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert Verdict.TAMPERED is died(last)[0]


def test_who_answers_and_ends_has_answered(zygote: Zygote) -> None:
    """The end of a channel is no surplus, however soon it follows; the next step finds it gone."""
    source = f"{THIEF}\ndef f():\n    forge(answer(42))\n    os._exit(0)\n"
    for _ in range(20):
        seen = run(zygote, source, "f()", "1")
        first, last = seen.observations
        assert Returned(value=Atom(42), identity=None) == first.outcome
        assert (Verdict.EXITED, "exit code 0") == died(last)


def test_decimals_are_written_in_one_way(zygote: Zygote) -> None:
    """A submission's own decimal context, and numbers beyond all floats, are no forgeries."""
    source = """
        from decimal import Decimal, getcontext
        getcontext().capitals = 0
        def f(): return {Decimal("1E+400"), Decimal("1E+401"), Decimal("1E+30")}
    """
    seen = run(zygote, dedent(source), "f()")
    assert isinstance(seen.observations[0].outcome, Returned)


def test_what_cannot_be_encoded_has_not_been_numbered(zygote: Zygote) -> None:
    """A value that raises while it is encoded leaves the numbers of later objects alone."""
    source = """
        from dataclasses import dataclass
        @dataclass
        class C:
            n: int
        def f():
            c = C(1)
            def leave(self): raise SystemExit
            C.n = property(leave)
            return c
    """
    seen = run(zygote, dedent(source), "(x := f())", "[1]")
    first, last = (observation.outcome for observation in seen.observations)
    assert isinstance(first, Raised)
    assert isinstance(last, Returned)


def test_nonces_are_used_once(zygote: Zygote) -> None:
    """The nonce of an earlier request is worth nothing, nor can the next one be guessed."""
    source = (
        f"{THIEF}\ndef f(): forge(answer(42), nonce=old[0])\ndef g(): return old[0] == old[1]\n"
    )
    seen = run(zygote, source, "remember()", "remember()", "g()", "f()")
    assert Returned(value=Atom(False), identity=None) == seen.observations[2].outcome  # noqa: FBT003
    assert (Verdict.TAMPERED, "a reply to another request") == died(seen.observations[3])


def test_a_single_byte_too_many_spoils_a_reply(zygote: Zygote) -> None:
    """Our own reply behind a byte of the submission is no reply of ours any more."""
    seen = run(zygote, f"{THIEF}\ndef f(): blind(b'x')\n", "f()", "1")
    assert [(Verdict.TAMPERED, "a reply to another request")] == list(map(died, seen.observations))


def test_a_forged_answer_is_worth_its_own_step_only(zygote: Zygote) -> None:
    """Who answers for our code can say what his own step gave at most; no later one is answered."""
    source = f"{THIEF}\ndef f():\n    forge(answer(42))\n    os._exit(0)\n"
    first, *forged, last = run(zygote, source, "1", "f()", "2").observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    # Whether the judge sees its end before the next request is a matter of timing.
    own = Returned(value=Atom(42), identity=None)
    assert [each.outcome for each in forged] in ([], [own])
    assert died(last)[0] in {Verdict.EXITED, Verdict.TAMPERED}


def test_a_false_word_that_a_reply_is_too_long_gains_nothing(zygote: Zygote) -> None:
    """The executor's word for a reply over the cap ends the step as too much output."""
    source = f"{THIEF}\ndef f():\n    forge({{'too_long': True}})\n    os._exit(0)\n"
    seen = run(zygote, source, "1", "f()", "2")
    assert Verdict.OUTPUT is died(seen.observations[1])[0]
    assert 2 == len(seen.observations)


def test_a_reply_over_the_cap_is_no_crash(zygote: Zygote) -> None:
    """Values within all budgets can be too long together: a batch is split, a step given up."""
    name = "\u00e9" * 200
    source = f"class {name}: pass\ndef f(): return [{name}() for _ in range(19_000)]\n"
    seen = run(zygote, source, "1", "f()", "2")
    assert (Verdict.OUTPUT, "reply too long") == died(seen.observations[1])


def test_long_replies_of_a_batch_are_fetched_one_by_one(zygote: Zygote) -> None:
    """A session whose replies fit one by one is not punished for being long."""
    codes = ["f()"] * 60
    seen = run(zygote, "def f(): return 'x' * 99_000\n", *codes)
    assert [Atom("x" * 99_000)] * 60 == [
        each.outcome.value for each in seen.observations if isinstance(each.outcome, Returned)
    ]


def test_a_failed_import_cannot_bring_observations_along(zygote: Zygote) -> None:
    """After an import that raised there is nothing to observe; a reply that has more is forged."""
    error = "{'types': ['E'], 'message': '', 'depth': 0, 'frames': []}"
    failed = f"{{'raised': {error}, 'stdout': '', 'overflow': False}}"
    reply = f"{{'observations': [{failed}, *answer(42)['observations']]}}"
    source = f"{THIEF}\nforge({reply})\nos._exit(0)\n"
    seen = run(zygote, source, "1")
    assert not seen.loaded
    assert [] == seen.observations
    assert Verdict.TAMPERED is died(seen.imported.observation)[0]


def test_nonces_have_the_size_that_cannot_be_guessed() -> None:
    """Eight random bytes: a blind guess never hits."""
    assert 8 == NONCE_BYTES
