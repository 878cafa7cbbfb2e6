"""What a submission may do goes on behind the lock."""

from __future__ import annotations

import collections
import decimal
import gc
import hashlib
import io
import json
import os
import platform
import random
import re
import select
import signal
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Final

from locked_forks import described, everywhere, in_executor, on_linux

pytestmark = on_linux


def large_sets() -> int:
    """Work with sets like a puzzle solver does."""
    cells = {(row, column) for row in range(200) for column in range(200)}
    return len(cells & {(column, row) for row, column in cells if row < column} | {(0, 0)})


def deep_recursion() -> int:
    """Recurse as deep as the default limit of Python lets a program go."""

    def depth(n: int) -> int:
        return 0 if n == 0 else 1 + depth(n - 1)

    return depth(900)


def printing() -> str:
    """Print to a replaced standard output."""
    out = io.StringIO()
    with redirect_stdout(out):
        print("wit", 3, sep="-")
    return out.getvalue()


def garbage() -> bool:
    """Collect objects that refer to each other."""
    ring: list[object] = []
    ring.append(ring)
    del ring
    return gc.collect() >= 0


def big_and_back() -> int:
    """Allocate 50 MB a few times over, which needs the memory to be given back."""
    return sum(len(bytearray(50_000_000)) for _ in range(10))


def clocks() -> list[bool]:
    """Read the clocks."""
    readings = (time.time(), time.monotonic(), time.process_time(), time.perf_counter())
    return [reading > 0 for reading in (*readings, time.thread_time(), time.localtime().tm_year)]


def sleeping() -> bool:
    """Sleep, for no time and for a little."""
    time.sleep(0)
    time.sleep(0.001)
    return True


def signals() -> bool:
    """Set a handler, as programs with a Ctrl-C message do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def randomness() -> list[int]:
    """Draw and shuffle, seeded and not."""
    drawn = random.Random(7)
    random.seed()
    random.shuffle(cells := list(range(50)))
    return [drawn.randrange(1000), len(set(cells)), len(os.urandom(16))]


def polling() -> list[object]:
    """Wait for a descriptor that is ready."""
    poller = select.poll()
    poller.register(0, select.POLLIN)
    return [len(poller.poll(0)), len(select.select([0], [], [], 0)[0])]


def surroundings_of_a_program() -> list[object]:
    """Ask where and what we are."""
    processors = os.cpu_count() or 1
    return [os.getcwd(), processors >= 1, os.getpid() > 1, len(platform.node()) >= 0]


def missing_files() -> list[bool]:
    """Ask for files in the ways that do not raise."""
    return [os.path.exists("/etc/passwd"), os.path.isfile("/etc"), os.access("/", os.R_OK)]


def missing_module() -> str:
    """Import a module that nobody has imported yet."""
    try:
        __import__("grader_has_no_such_module")
    except ImportError as error:
        return type(error).__name__
    return "imported"


HONEST: Final[dict[str, tuple[Callable[[], object], object]]] = {
    "sets": (large_sets, 19901),
    "recursion": (deep_recursion, 900),
    "print": (printing, "wit-3\n"),
    "garbage": (garbage, True),
    "memory": (big_and_back, 500_000_000),
    "clocks": (clocks, [True] * 6),
    "sleep": (sleeping, True),
    "signals": (signals, True),
    "random": (randomness, [random.Random(7).randrange(1000), 50, 16]),
    "poll": (polling, [1, 1]),
    "surroundings": (surroundings_of_a_program, ["/", True, True, True]),
    "missing-files": (missing_files, [False, False, False]),
    "missing-module": (missing_module, "ModuleNotFoundError"),
    "json": (lambda: json.loads(json.dumps({"a": [1, 2.5, None]})), {"a": [1, 2.5, None]}),
    "re": (lambda: re.sub(r"(\w)(\w)", r"\2\1", "abcd"), "badc"),
    "decimal": (lambda: str(decimal.Decimal(1) / 7), "0.1428571428571428571428571429"),
    "hash": (lambda: hashlib.sha256(b"x").hexdigest()[:8], "2d711642"),
    "counter": (lambda: collections.Counter("abca").most_common(1), [["a", 2]]),
    "compile": (lambda: eval(compile("[n * n for n in range(4)]", "x", "eval")), [0, 1, 4, 9]),
    "isatty": (lambda: os.isatty(1), False),
}


@everywhere
def test_honest_work_goes_on(surroundings: Callable[[], object]) -> None:
    """What a submission may do gives the same as outside, all in one executor."""
    outcome = in_executor(
        lambda: {name: described(work) for name, (work, _) in HONEST.items()}, surroundings
    )

    assert {name: {"value": expected} for name, (_, expected) in HONEST.items()} == outcome.value
