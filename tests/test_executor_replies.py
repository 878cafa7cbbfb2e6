"""Replies of executors: those that are not ours are tampering, and long ones are no crash."""

from __future__ import annotations

from textwrap import dedent

import pytest
from executor_sessions import QUICK, died, gave, run, run_together

from grader.protocol import MAX_REPLY_BYTES, MAX_SUBMISSION_REPLY_BYTES, NONCE_BYTES
from grader.sandbox.budget import Budget
from grader.sandbox.observation import Raised, Returned
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.values.tree import Atom
from grader.verdict import Verdict

PATIENT = Limits(cpu_s=5)
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

def answer(value):
    return {"value": value, "id": None, "bound": {}, "stdout": "", "overflow": False}

def blind(data):
    for fd in range(64):
        try:
            os.write(fd, data)
        except OSError:
            pass

def nonce():
    return channel()._nonce.hex()
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
        "forge([answer(42)] * 3)",
        "forge({'observations': [answer(42)]})",
        "forge(answer(42) | {'verdict': 'PASSED'})",
        "forge(answer(42) | {'observations': []})",
        "forge({'verdict': 'PASSED'})",
        "forge(answer(['!', 'list', []]))",
        "forge(answer(42), nonce=b'12345678')",
        "forge(answer(42), nonce=channel()._nonce[::-1])",
        "forge(answer(42), nonce=bytes(8))",
    ],
)
def test_forged_replies_end_the_session(zygote: Zygote, attack: str) -> None:
    """Anything malformed, surplus or to another request is tampering; nothing counts after it."""
    source = f"{THIEF}\ndef f():\n    {attack}\n    os._exit(0)\n"
    first, last = run(zygote, source, "1", "f()", "1").observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert Verdict.TAMPERED is died(last)[0]


@pytest.mark.parametrize(
    "attack",
    [
        "forge(answer(42))",
        "forge(answer(42), more=b'x'); os._exit(0)",
        "forge(answer(42), more=bytes(100_000)); os._exit(0)",
        "[forge(answer(42)) for _ in range(50)]; os._exit(0)",
    ],
    ids=["and ours", "a byte", "many bytes", "many replies"],
)
def test_what_comes_after_the_last_reply_spoils_the_last_step(zygote: Zygote, attack: str) -> None:
    """The last step is not worth more than what follows it; those before it keep their word."""
    first, last = run(zygote, f"{THIEF}\ndef f(): {attack}\n", "1", "f()").observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert (Verdict.TAMPERED, "unrequested bytes after a reply") == died(last)


def test_a_surplus_reply_is_found_however_late_it_comes(zygote: Zygote) -> None:
    """Who is a reply ahead is found out at the end, also when the last step takes its time."""
    slow = "def slow():\n    for n in range(3_000_000): pass\n    return n\n"
    source = f"{THIEF}\ndef f(): forge(answer(42))\n{slow}"
    first, last = run(zygote, source, "f()", "slow()").observations
    assert Returned(value=Atom(42), identity=None) == first.outcome
    assert (Verdict.TAMPERED, "unrequested bytes after a reply") == died(last)


def test_who_answers_and_does_not_hang_up_is_out_of_time(zygote: Zygote) -> None:
    """Who keeps the channel open does not hold up the judge for longer than a step may."""
    source = f"""{THIEF}
from threading import Lock
lock = Lock()
lock.acquire()
def f():
    type(channel()).close = lambda self: lock.acquire()
    return 42
"""
    limits = QUICK.changed(wall_s=0.3)
    first, last = run(zygote, source, "1", "f()", limits=limits).observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert (Verdict.TIMED_OUT, "it waited too long") == died(last)


def test_the_replies_of_a_session_are_bounded_together(zygote: Zygote) -> None:
    """Replies that are each within the cap end the session when they come to too much."""
    padded = "b' ' * (4 * 2**20 - 1000) + json.dumps(answer(42)).encode()"
    source = f"{THIEF}\ndef f():\n    for _ in range(30): forge({padded})\n"
    usage, codes = Budget(), ["f()"] * 30
    (*seen, last) = run(zygote, source, *codes, limits=PATIENT, usage=usage).observations
    assert 5 < len(seen) < 9
    assert (Verdict.OUTPUT, "reply too long") == died(last)
    assert usage.received_bytes < MAX_SUBMISSION_REPLY_BYTES + 2 * MAX_REPLY_BYTES


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
    """The nonce of an earlier session is worth nothing, nor can the next one be guessed."""
    old, other = (gave(zygote, THIEF, "nonce()") for _ in range(2))
    assert old != other
    assert isinstance(old, Atom)
    source = f"{THIEF}\ndef f(): forge(answer(42), nonce=bytes.fromhex({old.value!r}))\n"
    (last,) = run(zygote, source, "f()", "1").observations
    assert (Verdict.TAMPERED, "a reply to another request") == died(last)


def test_a_single_byte_too_many_spoils_a_reply(zygote: Zygote) -> None:
    """Our own reply behind a byte of the submission is no reply of ours any more."""
    seen = run(zygote, f"{THIEF}\ndef f(): blind(b'x')\n", "f()", "1")
    assert [(Verdict.TAMPERED, "a reply to another request")] == list(map(died, seen.observations))


def test_a_forged_answer_is_worth_a_step_of_its_own_session(zygote: Zygote) -> None:
    """Who answers for our code says what steps gave, one by one, and changes no earlier one."""
    source = f"{THIEF}\ndef f():\n    forge(answer(42))\n    os._exit(0)\n"
    first, forged, last = run(zygote, source, "1", "f()", "2").observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert Returned(value=Atom(42), identity=None) == forged.outcome
    assert (Verdict.EXITED, "exit code 0") == died(last)


def test_a_false_word_that_a_reply_is_too_long_gains_nothing(zygote: Zygote) -> None:
    """The executor's word for a reply over the cap ends the step as too much output."""
    source = f"{THIEF}\ndef f():\n    forge({{'too_long': True}})\n    os._exit(0)\n"
    seen = run(zygote, source, "1", "f()", "2")
    assert Verdict.OUTPUT is died(seen.observations[1])[0]
    assert 2 == len(seen.observations)


def test_a_reply_over_the_cap_is_no_crash(zygote: Zygote) -> None:
    """Values within all budgets can be too long together: their step is given up."""
    name = "\u00e9" * 200
    source = f"class {name}: pass\ndef f(): return [{name}() for _ in range(19_000)]\n"
    seen = run(zygote, source, "1", "f()", "2")
    assert (Verdict.OUTPUT, "reply too long") == died(seen.observations[1])


def test_long_replies_are_read_one_by_one(zygote: Zygote) -> None:
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
    source = f"{THIEF}\nforge({failed})\nforge(answer(42))\nos._exit(0)\n"
    seen = run(zygote, source, "1")
    assert not seen.loaded
    assert [] == seen.observations
    assert Verdict.TAMPERED is died(seen.imported.observation)[0]


def test_nonces_have_the_size_that_cannot_be_guessed() -> None:
    """Eight random bytes: a blind guess never hits."""
    assert 8 == NONCE_BYTES


def test_parts_before_a_death_are_whole(zygote: Zygote) -> None:
    """Replies that wait for others of their part are sent at its end, whatever comes after it."""
    source = """
        def f(): return 1
        def loop():
            while True: pass
    """
    before, under_way, after = run_together(
        zygote, source, ["f()"] * 3, ["f()", "loop()", "f()"], ["f()"]
    )
    assert 3 == len(before.observations)
    assert all(isinstance(each.outcome, Returned) for each in before.observations)
    assert Verdict.TIMED_OUT is died(under_way.observations[-1])[0]
    assert not after.observations


def test_steps_of_a_part_have_their_time_each(zygote: Zygote) -> None:
    """A step that takes a while is answered at once, so that the next one has its own time."""
    source = """
        import time
        def spin(seconds):
            end = time.process_time() + seconds
            while time.process_time() < end: pass
    """
    slow, quick = run_together(zygote, source, [f"spin({0.7 * QUICK.cpu_s})"] * 4, ["spin(0)"])
    assert 4 == len(slow.observations)
    assert isinstance(slow.observations[-1].outcome, Returned)
    assert 1 == len(quick.observations)
