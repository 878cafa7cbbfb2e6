"""Whatever an executor sends is read or refused, and costs the judge no more than its size."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Iterator
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
from fuzzing.usage import faults

from grader.executor.encoding import encode
from grader.protocol import MAX_DEPTH, MAX_NODES, MAX_REPLY_BYTES
from grader.sandbox.observation import ImportObservation, Observation, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.session_runs import SessionRun
from grader.values import decoding
from grader.values.decoding import decode
from grader.values.tree import Array, Atom, Sequence, Value

SEED: Final = 1
INPUTS: Final = 2_000
LOADED: Final = b'{"modules":{"fuzzed_submission":{"sets":false,"chance":false}}}'
IMPORTED: Final[dict[str, Any]] = {
    "value": None,
    "id": None,
    "bound": {},
    "defined": [],
    "takes": {},
    "absent": [],
    "stops": [],
    "stdout": "",
    "overflow": False,
}
MAX_BYTES_PER_BYTE: Final = 64
"""Memory that a reply may take while it is read, per byte of its own."""


@pytest.fixture(scope="module")
def liar() -> Iterator[Liar]:
    """A sandbox that answers what it is told to."""
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
        keeps_code=False,
        replies=(LOADED,),
    )


def answered(liar: Liar, steps: int, reply: bytes) -> Heard:
    """Return what the judge makes of `reply` to a session of so many steps."""
    payloads = (LOADED, dumps(IMPORTED).encode(), reply)
    return deliver(liar, asked(steps), tuple(Frame(payload=payload) for payload in payloads))


@pytest.mark.commands
def test_spoilt_replies_are_refused_and_honest_ones_read(liar: Liar) -> None:
    """No exception escapes, what is accepted goes through the judge, nothing honest is refused."""
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


# What is done with what was accepted


def heard_of(value: Value) -> SessionRun:
    """Return the run of a session of one step that gave `value`."""
    nothing = Observation(outcome=Returned(value=Atom(None), identity=None))
    session = SessionRun((), ImportObservation(observation=nothing, defined=frozenset()))
    session.observations.append(Observation(outcome=Returned(value=value, identity=0)))
    return session


def reply_with(tagged: object) -> bytes:
    """Return the reply to a step that gave `tagged`."""
    facts = {"value": tagged, "id": 0, "bound": {}, "stdout": "", "overflow": False}
    return dumps(facts).encode()


def nested(depth: int) -> Value:
    """Return a list in a list, and so on, `depth` deep."""
    return Sequence("list", (nested(depth - 1),) if depth else ())


def test_a_value_over_the_caps_is_a_fault() -> None:
    """Were one accepted, the campaign would fail."""
    assert [] == list(faults(asked(1), heard_of(nested(MAX_DEPTH))))
    assert ["a value over the caps"] == list(faults(asked(1), heard_of(nested(MAX_DEPTH + 1))))


def test_what_cannot_be_shown_is_a_fault() -> None:
    """An exception on the way through the judge makes the campaign fail."""
    array = Array((1,), "float64", (Sequence("list", ()),))
    with pytest.raises(IndexError):
        list(faults(asked(1), heard_of(array)))


@pytest.mark.parametrize(
    "value", [[{1, 2}, ("a",)], {"a": {1.5: b"b"}}, range(3), {math.nan, float("nan")}, "\ud800"]
)
def test_what_an_executor_sends_can_be_used(value: object) -> None:
    """Values of all kinds go through the judge."""
    decoded = decode(json.loads(json.dumps(encode(value))))
    assert [] == list(faults(asked(1), heard_of(decoded)))


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
    assert heard.refusal in {"a reply that is not an object", "a reply that is not JSON"}
    assert len(reply) < peak_bytes < MAX_BYTES_PER_BYTE * len(reply)


def test_reading_a_value_stops_at_its_cap(liar: Liar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a reply full of elements no more are looked at than a value may have."""
    looked_at = []
    original = decoding._Decoder.value

    def counting(decoder: decoding._Decoder, tagged: object, depth: int) -> Value:
        looked_at.append(depth)
        return original(decoder, tagged, depth)

    monkeypatch.setattr(decoding._Decoder, "value", counting)
    heard = answered(liar, 1, reply_with(["l", [["l", [0] * 10]] * (MAX_NODES - 1)]))
    assert heard.refusal == f"a value with more than {MAX_NODES:,} elements"
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
