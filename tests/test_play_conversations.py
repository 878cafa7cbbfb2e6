"""Conversations with the modules that are played with: a session that is kept open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from conversation import LIMITS, Conversation, StepFailed
from game_modules import plain_value

from grader.sandbox.program import Program
from grader.sandbox.zygote import Zygote
from grader.values.tree import Atom, Collection, Opaque, Sequence
from grader.values.tree import Mapping as Pairs

PROGRAM: Final = """\
import os
import sys

calls = []

def count():
    calls.append(1)
    return len(calls)

def fail():
    raise ValueError("no\\u202eway")

def leave():
    os._exit(3)

def shout():
    print("x" * 300_000)

def spin():
    while True:
        pass

def add_an_observation():
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["channel"].send({})

def forge():
    for fd in range(64):
        try:
            os.write(fd, b"x" * 100)
        except OSError:
            pass
"""


@pytest.fixture
def conversation(zygote: Zygote) -> Iterator[Conversation]:
    """A conversation with `PROGRAM`, which has been imported."""
    program = Program.from_sources({"program": ("program.py", PROGRAM)}, {})
    with Conversation(zygote, program) as started:
        started.start()
        started.run("Importing program", "import program", "program")
        yield started


def count(conversation: Conversation) -> object:
    """Return how many times it has been asked for this."""
    return plain_value(conversation.value("count", "program.count()"))


def test_steps_share_one_session(conversation: Conversation) -> None:
    """What a step leaves behind, the next one finds; after a start there is nothing of it."""
    assert [1, 2] == [count(conversation), count(conversation)]
    conversation.start()
    with pytest.raises(StepFailed, match="NameError"):
        count(conversation)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("program.fail()", r"It raised ValueError: no\\u202eway (program.py, line 11)"),
        ("program.shout()", "It printed too much."),
    ],
)
def test_session_goes_on_after_an_exception(
    conversation: Conversation, code: str, said: str
) -> None:
    """An exception, shown safely, costs its step only."""
    with pytest.raises(StepFailed) as failed:
        conversation.value("It", code)
    assert (said.replace("\\\\", "\\"), True) == (failed.value.text, failed.value.can_go_on)
    assert 1 == count(conversation)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("program.leave()", "It ended the program."),
        ("program.add_an_observation()", "It sent what no honest program sends."),
        ("program.forge()", "It sent what no honest program sends."),
        ("program.spin()", "It did not end in time."),
    ],
)
def test_session_ends_with_its_executor(conversation: Conversation, code: str, said: str) -> None:
    """Whoever ends, breaks or holds up the executor cannot be asked again, but started anew."""
    with pytest.raises(StepFailed) as failed:
        conversation.value("It", code)
    assert (said, False) == (failed.value.text, failed.value.can_go_on)
    with pytest.raises(StepFailed, match="cannot be asked any more"):
        count(conversation)
    conversation.start()
    conversation.run("Importing program", "import program", "program")
    assert 1 == count(conversation)


def test_program_that_does_not_fit_is_told(zygote: Zygote) -> None:
    """A program that takes more memory than there is does not start."""
    files = {"large.bin": bytes(LIMITS.memory_bytes // 2)}  # there for a moment twice, as text
    program = Program.from_sources({"program": ("program.py", PROGRAM)}, files)
    with (
        Conversation(zygote, program) as conversation,
        pytest.raises(StepFailed, match="The program used up its memory") as failed,
    ):
        conversation.start()
    assert not failed.value.can_go_on


def test_values_become_plain() -> None:
    """Numbers, text, tuples and lists come through, and a set comes as a list."""
    cell = Sequence("tuple", (Atom(1), Atom(2)))
    assert None is plain_value(Atom(None))
    assert [(1, 2), "a"] == plain_value(Sequence("list", (cell, Atom("a"))))
    assert [(1, 2)] == plain_value(Collection("set", (cell,)))


def test_objects_are_shown_only() -> None:
    """Of an object of a submission the window knows the name of its class, of a dict its text."""
    assert "Board" in repr(plain_value(Opaque("Board")))
    assert "{1: 2}" == repr(plain_value(Pairs(((Atom(1), Atom(2)),))))
