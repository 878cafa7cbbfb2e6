"""What is too large for the other side is refused where it is, and ends nothing."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bridged import Bridged
from own_tests import make_folders, summary, verdicts

from grader.plugins.own_tests.bridge.wire import Malformed, Unanswered, Uncrossable
from grader.plugins.own_tests.bridge.writing import support_numpy

support_numpy(np)
MAKER = """\
import datetime as dt
from decimal import Decimal
from fractions import Fraction
import numpy as np
def make(text): return eval(text)
def echo(x): return x
def nested(x, levels):
    for _ in range(levels): x = (x,)
    return x
"""


@pytest.mark.parametrize(
    "text",
    [
        *("1 << 1_000_000", "-1 << 1_000_000", "Decimal('1e20001')", "Decimal('1' * 20_001)"),
        *("Fraction(1 << 66_439, 7)", "Fraction(7, 1 << 66_439)", "range(1 << 1_000_000)"),
        *("np.broadcast_to(np.zeros(1), 10**8)", "np.zeros(10**7)", "np.zeros((0, 10**9))"),
        *("np.zeros((1,) * 40)", "nested(ValueError(()), 59)", "nested((), 61)"),
        "nested(dt.datetime(2026, 1, 2, tzinfo=dt.UTC), 60)",
    ],
)
def test_what_is_too_large_is_refused(text: str) -> None:
    """Whoever asked is told what to do, in a list as well, and the next request is answered."""
    far = Bridged(MAKER)
    for wanted in (text, f"[{text}]", f"[[{text}], [{text}], [[{text}]]]", f"{{1: {text}}}"):
        with pytest.raises(Unanswered, match=r"; (use|pass) "):
            far.make(wanted)
        assert [1] == far.echo([1])


@pytest.mark.parametrize(
    "value",
    [
        *((1 << 1_000_000) - 1, 1 - (1 << 1_000_000), Decimal("1e20000"), Decimal("1" * 20_000)),
        *(Fraction(1, (1 << 66_439) - 1), np.str_(""), np.bytes_(b"")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_just_small_enough_crosses(value: Any) -> None:
    """Both sides count alike."""
    back = Bridged(MAKER).echo(value)
    assert type(value) is type(back)
    assert value == back


def test_what_cannot_even_be_encoded_is_refused() -> None:
    """Neither as a result nor in an exception; the next request is answered."""
    far = Bridged(
        f"{MAKER}def sliced():\n    x = 1\n    for _ in range(2000): x = slice(x)\n    return x\n"
        "def fail(): raise ValueError(sliced())"
    )
    for request in (far.sliced, far.fail):
        with pytest.raises(Unanswered, match="too large, or nested too deeply"):
            request()
        assert [1] == far.echo([1])


def test_what_was_refused_is_not_sent_later() -> None:
    """A list that went with a refused argument does not spoil the next request."""
    far = Bridged(MAKER)
    large = 1 << 1_000_000
    for argument in (([large], large), [[large], [large], [large]]):
        with pytest.raises(Uncrossable, match="use a smaller one"):
            far.echo(argument)
        assert [1] == far.echo([1])


def test_long_names_of_a_class_are_left_out() -> None:
    """An object is used all the same when its class has an attribute with a name like no other."""
    far = Bridged(
        "class Odd:\n    def f(self): return 1\n"
        "for name in ('x' * 201, 'a\\0b'): setattr(Odd, name, 2)\ndef make(): return Odd()"
    )
    odd = far.make()
    assert 1 == odd.f()
    assert 2 == getattr(odd, "x" * 201)


def test_a_key_that_is_none_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class or module without a key is an invalid message, like any other."""
    far = Bridged(MAKER)
    monkeypatch.setattr("grader.plugins.own_tests.bridge.side._RETURNING_KEYS", frozenset())
    monkeypatch.setattr(far.far, "operation", lambda _name: lambda *_operands: "no key")
    ended: list[Malformed] = []

    def end(error: Malformed) -> None:
        ended.append(error)
        raise EOFError

    monkeypatch.setattr(far.near, "end_connection", end)
    side: Any = far.near.side
    with pytest.raises(EOFError):
        side.adopt(object, "New", (), ({}, {}))
    with pytest.raises(EOFError):
        side.import_module_as("new", object(), is_reload=False)
    assert ["a new class has an invalid key", "an imported module has an invalid key"] == list(
        map(str, ended)
    )


@pytest.mark.own_tests
def test_a_large_result_is_neither_an_attack_nor_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is too much output, whether it is refused, too long, or more than memory holds."""
    place = make_folders(tmp_path, monkeypatch)
    (place / "tests" / "test_sol.py").write_text(
        "import sol\n"
        "def test_number(): assert sol.make('1 << 2_000_000')\n"
        "def test_long(): assert sol.make('bytes(4_000_000)')\n"
        "def test_longest(): assert sol.make('bytes(80_000_000)')\n"
        "def test_small(): assert sol.make('1 << 20_000') == 1 << 20_000\n"
    )
    (place / "handed" / "sol.py").write_text("def make(text): return eval(text)\n")
    assert {
        **dict.fromkeys(("test_number", "test_long", "test_longest"), "OUTPUT"),
        "test_small": "PASSED",
    } == verdicts(summary("tests", "--submission=handed"))
