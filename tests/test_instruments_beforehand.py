"""Whether the answer of a recursion is there before it begins, and who works in bulk."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import Final

import pytest
from instrumented_programs import gave, look, prober, told

from grader.judging.calls import CallEvidence
from grader.judging.probing import PARTS, Part, Probe, ProbeObservation, ProbeStep
from grader.sandbox.zygote import Zygote


def probe(call: str, *observe: str) -> Probe:
    """Return a probe of `call` that shows `observe`."""
    steps = [ProbeStep(code=code, is_expression=True) for code in (call, *observe)]
    return Probe(sizes=(5,), setup=(), call=steps[0], observe=tuple(steps[1:]), modules=("sample",))


def calls_of(observation: ProbeObservation) -> CallEvidence:
    """Return the evidence on calls, which must be there."""
    calls = CallEvidence.of(observation.evidence)
    assert calls is not None, observation
    return calls


KNOWN: Final = {
    "an argument": (
        """
        def f(items, answer=None):
            if answer is None:
                answer = sum(items)
            return f(items[1:], answer) if items else answer
        """,
        {"f/0.answer", "f/1.answer"},
    ),
    "a box": (
        """
        def f(items, box=None):
            box = box or [sum(items)]
            return f(items[1:], box) if items else box[0]
        """,
        {"f/0.box", "f/1.box"},
    ),
    "a variable of the module": (
        """
        ANSWER = 15
        def f(items):
            return f(items[1:]) if items else ANSWER
        """,
        {"ANSWER"},
    ),
    "an enclosing function": (
        """
        def f(items):
            answer = sum(items)
            def down(n):
                return down(n - 1) if n else answer
            return down(5)
        """,
        {"down/0.answer", "down/1.answer", "f/1.answer"},
    ),
    "another function afterwards": (
        """
        def f(items):
            if items:
                assert f(items[1:]) == sum(items) - items[0]
            return sum(items)
        """,
        {"sum()"},
    ),
    "a helper afterwards": (
        """
        def f(items):
            return f(items[1:]) * 0 + added(items) if items else 0
        def added(items):
            return sum(items)
        """,
        {"added()"},
    ),
    "nobody": (
        """
        def f(items):
            return items[0] + f(items[1:]) if items else 0
        """,
        set(),
    ),
    "nobody, with what is so far": (
        """
        def f(items, so_far=0):
            return f(items[1:], so_far + items[0]) if items else so_far
        """,
        set(),
    ),
    "nobody, as a method of what grows says": (
        """
        def f(items):
            found = []
            down(items, found)
            return max(found, default=0)
        def down(items, found):
            if items:
                found.append(items[0] + max(found, default=0))
                down(items[1:], found)
        """,
        set(),
    ),
}


@pytest.mark.parametrize("who", KNOWN)
def test_who_knows_the_answer_beforehand(zygote: Zygote, who: str) -> None:
    """What holds the answer when the recursion begins is named, and what comes to it is not."""
    source, names = KNOWN[who]
    site = "down" if "def down" in source else "f"
    line = 1 + dedent(source).splitlines().index(
        next(each for each in dedent(source).splitlines() if f"def {site}(" in each)
    )
    key = (
        f"sample.f.<locals>.down:{line}"
        if "    def down" in dedent(source)
        else f"sample.{site}:{line}"
    )
    observation = (
        prober(zygote, source).knowledge_session(probe("f([1, 2, 3, 4, 5])"), 5, [key]).observe()
    )
    assert 15 == gave(observation)
    ((known,),) = calls_of(observation).known
    assert names == set(known)


STATE: Final = """
    cells = set(range(20))
    def f(items):
        cells.difference_update(items)
        g(items)
    def g(items):
        if items:
            cells.discard(items[0])
            g(items[1:])
"""


def test_what_a_call_is_to_change_may_be_changed_beforehand(zygote: Zygote) -> None:
    """Where nothing is returned, what `observe` shows is the answer."""
    steps = replace(probe("f([1, 2, 3])", "sorted({*cells})"))
    for source, held in (
        (STATE, ("(state)",)),
        (STATE.replace("cells.diff", "len and set().diff"), ()),
    ):
        observation = prober(zygote, source).knowledge_session(steps, 5, ["sample.g:6"]).observe()
        assert ((held,),) == calls_of(observation).known


SHIFTED: Final = {
    "a list": ("def f(a): return a[0] + f(a[1:]) if a else 0", "f([1, 2, 3, 4, 5])", (6, 8)),
    "a set": ("def f(a): return len(a) and 1 + f(a - {min(a)})", "f({1, 2, 3, 4, 5})", (3, 3)),
    "a dict": (
        "def f(a): return len(a) and 1 + f({k: a[k] for k in [*a][1:]})",
        "f(dict.fromkeys(range(5)))",
        (3, 3),
    ),
    "a number that shrinks": ("def f(k): return k and k + f(k - 1)", "f(9)", (19, 19)),
    "a number that grows": ("def f(k=0): return k + f(k + 1) if k < 9 else 0", "f()", (0, 33)),
    "a place": ("def f(x, y): return x + y and 1 + f(x - 1, y)", "f(5, 0)", (5, 5)),
    "a list that is emptied": (
        "def f(a): return a.pop() + f(a) if a else 0",
        "f([1, 2, 3, 4, 5])",
        (8, 10),
    ),
    "nothing that grows less": (
        "def f(a, again=True): return 1 + f(a, False) if again else 0",
        "f([1, 2])",
        (1, 1),
    ),
    "a method": (
        """class A:
    def g(self, a): return a[0] + self.g(a[1:]) if a else 0
def f(a): return A().g(a)""",
        "f([1, 2, 3, 4, 5])",
        (6, 8),
    ),
}


@pytest.mark.parametrize("what", SHIFTED)
@pytest.mark.parametrize("part", PARTS)
def test_inner_calls_are_given_less(zygote: Zygote, what: str, part: Part) -> None:
    """Of what a recursion goes by, the calls of the outermost one get a part."""
    source, call, given = SHIFTED[what]
    key = "sample.A.g:2" if "class" in source else "sample.f:1"
    observation = prober(zygote, source).shifted_session(probe(call), 5, [key], part).observe()
    assert given[PARTS.index(part)] == gave(observation)
    assert (what not in {"a place", "nothing that grows less"}) is (
        calls_of(observation).shifts > 0
    )


def test_who_is_given_less_and_never_ends_is_not_to_blame(zygote: Zygote) -> None:
    """Such a session does not count among those after which no more probes are made."""
    source = """def f(k=0):
    if k > 8:
        __import__("os")._exit(0)
    return f(k + 1) if k != 2 else k"""
    runner = prober(zygote, source)
    observation = runner.shifted_session(probe("f()"), 5, ["sample.f:1"], "front").observe()
    assert observation.died is not None
    assert 0 == runner.deaths


BULK: Final = {
    "sum(range(7))": 7,
    "max([1, 2], (3, 4, 5))": 5,
    "list(map(str, [1, 2, 3]))": 3,
    "sorted({1: 2, 3: 4})": 2,
    "set().union([1, 2], [3])": 3,
    "'-'.join(['a', 'b'])": 2,
    "len([1, 2, 3])": 0,
    "[].append([1, 2, 3])": 0,
    "super": 0,
    "print(*[1, 2])": 0,
}


@pytest.mark.parametrize("code", BULK)
def test_bulk_is_what_goes_to_loops_that_are_not_python(zygote: Zygote, code: str) -> None:
    """Elements count that a function of C goes over, not those that it only takes."""
    source = f"def f(n): {code}"
    assert [0, BULK[code]] == told(look(zygote, source, watch=["sample.f:1"]))["bulk"]
