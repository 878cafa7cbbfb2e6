"""Whatever an executor sends is read or refused, and costs the judge no more than its size."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from fuzzing import __main__ as program
from fuzzing.campaign import Failure, Input, Tally, inputs, run
from fuzzing.damage import Frame
from fuzzing.delivery import Heard, Liar, deliver
from fuzzing.honest import PATIENT, SOURCE, Exchange, dumps
from fuzzing.possible import breaches

from grader import decoding
from grader.decoding import decode
from grader.executor.encoding import encode
from grader.observation import ImportObservation, Observation, Returned
from grader.planning import Item, Role
from grader.protocol import MAX_NODES, MAX_REPLY_BYTES
from grader.sessions import SessionRun
from grader.values import (
    Atom,
    Collection,
    Fields,
    Mapping,
    Opaque,
    Sequence,
    TooLarge,
    Value,
)

SEED: Final = 1
INPUTS: Final = 4_000
LOADED: Final = b'{"modules":{"fuzzed_submission":{}}}'
IMPORTED: Final[dict[str, Any]] = {
    "value": None,
    "id": None,
    "bound": {},
    "defined": [],
    "stdout": "",
    "overflow": False,
}
MOST_BYTES_PER_BYTE: Final = 64
"""Memory that a reply may take while it is read, per byte of its own."""


@pytest.fixture(scope="module")
def liar() -> Iterator[Liar]:
    """A nursery that answers what it is told to."""
    with Liar() as running:
        yield running


def asked(steps: int) -> Exchange:
    """Return a session of so many steps, all sent at once."""
    plan = tuple(
        Item(role=Role.STEP, step_index=index, code="0", is_expression=True, binds=())
        for index in range(steps)
    )
    return Exchange(
        source=SOURCE,
        plan=plan,
        limits=PATIENT,
        lockstep=False,
        keeps_code=False,
        replies=(LOADED,),
    )


def answered(liar: Liar, steps: int, reply: bytes) -> Heard:
    """Return what the judge makes of `reply` to a session of so many steps."""
    return deliver(liar, asked(steps), (Frame(payload=LOADED), Frame(payload=reply)))


def test_spoilt_replies_are_refused_and_honest_ones_read(liar: Liar) -> None:
    """No exception escapes, nothing is accepted that no executor sends, nothing honest refused."""
    tally = Tally()
    for each in islice(inputs(SEED), INPUTS):
        run(tally, liar, each)
    assert INPUTS == tally.inputs == tally.accepted + tally.refused.total()
    assert tally.accepted > INPUTS // 16
    assert len(tally.refused) > 30, "many reasons to refuse have been met"


def test_the_same_seed_gives_the_same_sessions() -> None:
    """What went wrong once can be tried again, from any place on."""
    first, again, other = (
        [each.saved() for each in islice(inputs(seed), 40)] for seed in (SEED, SEED, SEED + 1)
    )
    assert first == again != other


# What the oracle itself knows

ONE: Final = Atom(1)
FORGED: Final[list[tuple[str, Value, object]]] = [
    ("equal elements or keys", Collection("set", (ONE, Atom(1.0))), ["s", [1, ["f", "1.0"]]]),
    (
        "an element or a key that cannot be hashed",
        Mapping(((Sequence("list", ()), ONE),)),
        ["d", [[["l", []], 1]]],
    ),
    (
        "a part of a value is too large, and not the whole",
        Sequence("list", (TooLarge("list", "nodes"),)),
        ["l", [["!", "list", "nodes"]]],
    ),
    ("a value in another spelling", Atom(Fraction(1, 2)), ["q", 2, 4]),
    ("a value in another spelling", ONE, ["i", "0x1"]),
    ("a name that no class can have", Opaque("a\0b"), ["o", "a\0b"]),
    ("a field twice", Fields("P", (("x", ONE), ("x", ONE))), ["D", "P", [["x", 1], ["x", 1]]]),
    ("an identity of what has none", ONE, 1),
]


def heard_of(value: Value, identity: int | None = 0) -> SessionRun:
    """Return the run of a session of one step that gave `value`."""
    nothing = Observation(outcome=Returned(value=Atom(None), identity=None))
    session = SessionRun((), ImportObservation(observation=nothing, defined=frozenset()))
    session.observations.append(Observation(outcome=Returned(value=value, identity=identity)))
    return session


def reply_with(tagged: object, identity: int | None = 0) -> bytes:
    """Return the reply of a session of one step that gave `tagged`."""
    facts = {"value": tagged, "id": identity, "bound": {}, "stdout": "", "overflow": False}
    return dumps({"observations": [IMPORTED, facts]}).encode()


@pytest.mark.parametrize(("breach", "value", "tagged"), FORGED)
def test_the_oracle_knows_what_no_executor_sends(breach: str, value: Value, tagged: object) -> None:
    """Were a forged value accepted, the campaign would fail."""
    found = breaches(asked(1), (LOADED, reply_with(tagged)), heard_of(value))
    assert breach in set(found)


@pytest.mark.parametrize(
    "value", [[{1, 2}, ("a",)], {"a": {1.5: b"b"}}, range(3), {math.nan, float("nan")}, "\ud800"]
)
def test_the_oracle_has_nothing_against_what_an_executor_sends(value: object) -> None:
    """What is encoded is possible, whatever the order of its sets."""
    identity = None if isinstance(value, str) else 0
    tagged = encode(value)
    heard = heard_of(decode(json.loads(json.dumps(tagged))), identity)
    assert [] == list(breaches(asked(1), (LOADED, reply_with(tagged, identity)), heard))


@pytest.mark.parametrize(
    ("reply", "breach"),
    [
        (LOADED.replace(b":", b": "), "JSON in another spelling"),
        (b'{"modules":{}}', "modules that were not sent"),
        (LOADED.replace(b"{}", b'{"code":"AA=="}'), "code that nobody asked for"),
        (LOADED.replace(b"{}", b'{"error":"SyntaxError"}'), "a syntax error of another shape"),
    ],
)
def test_the_oracle_knows_forged_replies_to_a_load_request(reply: bytes, breach: str) -> None:
    """Code comes home if it was asked for, and nothing is said of modules that were not sent."""
    assert breach in set(breaches(asked(1), (reply, reply_with(1, None)), heard_of(ONE, None)))


# What a reply may cost


def full(piece: str) -> bytes:
    """Return a list of as many of `piece` as fit into an eighth of a reply."""
    count = MAX_REPLY_BYTES // 8 // (len(piece) + 1)
    return f"[{','.join([piece] * count)}]".encode()


@pytest.mark.parametrize(
    "piece",
    ["[[]]", '{"":[]}', "[" * 900 + "]" * 900, "9" * 4_300],
    ids=["lists", "objects", "nested lists", "digits"],
)
def test_no_reply_takes_more_memory_than_a_multiple_of_its_length(liar: Liar, piece: str) -> None:
    """A JSON tree of tiny parts is the most that a reply can become."""
    reply = full(piece)
    tracemalloc.start()
    try:
        heard = answered(liar, 1, reply)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert heard.refusal in {"a reply that is no object", "a reply that is not JSON"}
    assert len(reply) < peak_bytes < MOST_BYTES_PER_BYTE * len(reply)


def test_reading_a_value_stops_at_its_cap(liar: Liar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a reply full of elements no more are looked at than a value may have."""
    looked_at = []
    original = decoding._Decoder.value

    def counting(decoder: decoding._Decoder, tagged: object, depth: int) -> Value:
        looked_at.append(depth)
        return original(decoder, tagged, depth)

    monkeypatch.setattr(decoding._Decoder, "value", counting)
    heard = answered(liar, 1, reply_with(["l", [["l", [0] * 10]] * (MAX_NODES - 1)]))
    assert heard.refusal == "a value is larger than the encoder allows"
    assert len(looked_at) <= MAX_NODES + 3


# The program


def test_the_program_tells_what_came_of_it() -> None:
    """It ends when the time is up, with a summary."""
    done = CliRunner().invoke(program.main, ["--minutes", "0", "--seed", "5"])
    assert 0 == done.exit_code
    assert "seed              5" in done.output
    assert "refused" in done.output


def test_the_program_keeps_what_did_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes that made it fail are there to be looked at."""
    seen: list[Input] = []

    def harmed(_tally: Tally, _liar: Liar, each: Input) -> None:
        seen.append(each)
        raise Failure(each, "it fell over")

    monkeypatch.setattr(program, "run", harmed)
    done = CliRunner().invoke(program.main, ["--seed", "5", "--out", str(tmp_path)])
    assert 1 == done.exit_code
    assert "input 0: it fell over" in done.output
    assert seen[0].saved() == (tmp_path / "fuzz-5-0.bin").read_bytes()
