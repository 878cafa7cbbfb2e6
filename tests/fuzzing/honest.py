"""What an honest executor answers: its own code, run here on requests of the judge's own making."""

from __future__ import annotations

import builtins
import marshal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from fuzzing import samples
from grader.executor.channel import Channel, make_json_encoder
from grader.executor.pinning import Naps
from grader.executor.session import LiveSession
from grader.executor.surroundings import Surroundings
from grader.protocol import MAX_REPLY_BYTES, NONCE_BYTES, TOO_LONG, ValueLimits
from grader.sandbox.planning import Item, Role, request
from grader.sandbox.program import Program
from grader.sandbox.session_runs import executor_limits, value_caps
from grader.suite.limits import Limits

MAIN: Final = "fuzzed_submission"
FILE: Final = f"{MAIN}.py"
SOURCE: Final = """\
def shout(text, times):
    for _ in range(times):
        print(text, end="")

def boom(error, depth):
    if depth:
        boom(error, depth - 1)
    raise error
"""
PATIENT: Final = Limits(wall_s=300, session_wall_s=300)
"""A busy machine is no reason to refuse a reply."""
NOT_PYTHON: Final = "def shout(:\n"
_STEPS: Final = ("values[{}]", "a = values[{}]", "b = a = values[{}]", "boom(*errors[{}])")
_NAMES_BOUND: Final = {"a =": ("a",), "b =": ("a", "b")}

dumps: Final = make_json_encoder()
"""The executor's own way to write JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a session is asked, and its true replies."""

    source: str
    plan: tuple[Item, ...]
    limits: Limits
    keeps_code: bool
    replies: tuple[bytes, ...]
    """Of the load request first."""

    @property
    def caps(self) -> ValueLimits:
        """How large a value may be."""
        return value_caps(self.limits)

    def program(self) -> Program:
        """Return the program as the judge knows it before the exchange."""
        return program(self.source, keeps_code=self.keeps_code)


def program(source: str, *, keeps_code: bool) -> Program:
    """Return a program of one file; the compiled code comes home from the second load on."""
    made = Program.of({MAIN: (FILE, source)}, {}, imports=())
    made.loads = int(keeps_code)
    return made


class _Unheard(Channel):
    """A channel on which nothing comes, also not what a step may cost after one that failed."""

    def receive(self) -> None:
        """Say that the judge has hung up."""


class _Here(Surroundings):
    """This very interpreter, left as it is."""

    absent: Final[list[str]] = []

    def __init__(self) -> None:  # the real ones would take the files from the process
        pins = SimpleNamespace(naps=Naps())
        vars(self).update(builtins=builtins, keyboard=None, _pins=pins)


def exchange(rng: Random) -> Exchange:
    """Return a random session of a few steps."""
    plan = tuple(_item(rng, index) for index in range(rng.choice((1, 1, 2, 5))))
    limits = _limits(rng)
    keeps_code = rng.random() < 0.3
    source = SOURCE if rng.random() < 0.97 else NOT_PYTHON
    session = _session(source, limits, keeps_code=keeps_code)
    asked = marshal.loads(request([plan], (("*", MAIN),)))
    with _at_home(rng, source, len(plan)):
        answers = [session.describe_modules(), *session.run(asked)]
    reached = len(answers[2:])
    return Exchange(
        source=source,
        plan=plan[:reached] or plan,
        limits=limits,
        keeps_code=keeps_code,
        replies=tuple(map(_written, answers)),
    )


def _limits(rng: Random) -> Limits:
    """Return the usual limits, or tight ones, so that small values go over them."""
    usual = PATIENT.changed(output_chars=rng.choice((0, 10, 70_000)))
    if rng.random() < 0.7:
        return usual
    return usual.changed(value_items=12, value_depth=2, value_chars=25, int_digits=21)


def _session(source: str, limits: Limits, *, keeps_code: bool) -> LiveSession:
    """Return a session of the executor's that has been sent `source`."""
    given = executor_limits(limits, session_cpu_s=limits.session_cpu_s)
    load = {
        "modules": marshal.loads(program(source, keeps_code=keeps_code).load_request(None))[
            "modules"
        ],
        "files": {},
        "imports": [],
        "asked": {},
        "keep": keeps_code,
    }
    return LiveSession(_Unheard(-1), _Here(), given, load)


def _written(reply: dict[str, Any]) -> bytes:
    payload = dumps(reply).encode("ascii")
    return payload if len(payload) + NONCE_BYTES <= MAX_REPLY_BYTES else TOO_LONG


def _item(rng: Random, index: int) -> Item:
    code = rng.choice((*_STEPS, "shout(*texts[{}])")).format(index)
    return Item(
        role=Role.STEP,
        step_index=index,
        code=code,
        is_expression="=" not in code,
        binds=_NAMES_BOUND.get(code[:3], ()),
    )


@contextmanager
def _at_home(rng: Random, source: str, count: int) -> Iterator[None]:
    """Hold a submission in `sys.modules`, with values, errors and texts for so many steps.

    What it prints goes to the session; whoever ran this gets the standard output back.
    """
    module: ModuleType | None = ModuleType(MAIN)
    if source == NOT_PYTHON or rng.random() < 0.05:
        module = None  # its import fails
    else:
        exec(compile(source, FILE, "exec"), vars(module))
        vars(module).update(
            values=[samples.value(rng) for _ in range(count)],
            errors=[(_error(rng), rng.choice((0, 1, 5, 100))) for _ in range(count)],
            texts=[(samples.text(rng), rng.choice((1, 3, 5_000))) for _ in range(count)],
        )
    stdout = sys.stdout
    sys.modules[MAIN] = module  # type: ignore[assignment]  # None is how Python forbids an import
    try:
        yield
    finally:
        del sys.modules[MAIN]
        sys.stdout = stdout


def _error(rng: Random) -> BaseException:
    kinds = (ValueError, KeyError, SystemExit, KeyboardInterrupt, RecursionError, _MANY_BASED)
    return rng.choice(kinds)(samples.value(rng, 1))


def _many_based() -> type[BaseException]:
    made: type[BaseException] = Exception
    for number in range(30):
        made = type(f"Error{number}", (made,), {})
    return made


_MANY_BASED: Final = _many_based()
"""More bases than travel."""
