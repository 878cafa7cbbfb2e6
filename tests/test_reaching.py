"""Only what may run while a probe lasts can lie to it; what may run is told by names."""

from __future__ import annotations

from typing import Final

import pytest
from recursive_programs import keys, rule_of

from grader.sandbox.zygote import Zygote
from grader.verdict import RuleVerdict

TOTAL: Final = """
def total(numbers):
    return numbers[0] + total(numbers[1:]) if numbers else 0
"""
LIAR: Final = """
def lie(*_):
    exec("pass")
"""
OUT_OF_REACH: Final = {
    "another function": TOTAL + "def largest(numbers):\n    return eval('max(numbers)')\n",
    "run by a person": TOTAL + "if __name__ == '__main__':\n    eval(input())\n",
    "called by a person": f"{TOTAL}{LIAR}if __name__ == '__main__':\n    lie()\n",
    "called by another": f"{TOTAL}{LIAR}def play():\n    lie(total([1]))\n",
    "a method of another": f"{TOTAL}class Game:\n    def play(self):\n        exec('pass')\n",
    "behind a return": f"{LIAR}def total(numbers):\n    return numbers[0] + total(numbers[1:]) "
    "if numbers else 0\n    lie()\n",
}
WITHIN_REACH: Final = {
    "itself": "def total(n):\n    eval('1')\n    return n[0] + total(n[1:]) if n else 0\n",
    "a helper": f"{LIAR}def total(n):\n    lie()\n    return n[0] + total(n[1:]) if n else 0\n",
    "an alias": f"{LIAR}other = lie\ndef total(n):\n    other()\n"
    "    return n[0] + total(n[1:]) if n else 0\n",
    "a table": f"{LIAR}TABLE = {{1: lie}}\ndef total(n):\n    TABLE[1]()\n"
    "    return n[0] + total(n[1:]) if n else 0\n",
    "a method": "class A:\n    def go(self):\n        eval('1')\ndef total(n, a=A()):\n    a.go()\n"
    "    return n[0] + total(n[1:]) if n else 0\n",
    "an operator": "class A:\n    def __add__(self, other):\n        eval('1')\ndef total(n):\n"
    "    A() + 1\n    return n[0] + total(n[1:]) if n else 0\n",
    "a decorator": f"{LIAR}def noted(f):\n    lie()\n    return f\n@noted{TOTAL}",
    "a default of another": f"{TOTAL}def other(x=eval('1')):\n    pass\n",
    "the top level": f"{TOTAL}{LIAR}lie()\n",
    "the names of the module": f"{TOTAL}{LIAR}globals()['l' + 'ie']()\n",
    "a name made at run time": f"import sys\n{LIAR}def total(n):\n"
    "    getattr(sys.modules[__name__], 'l' + 'ie')()\n"
    "    return n[0] + total(n[1:]) if n else 0\n",
    "a method that a library calls": "import string\nclass A(string.Formatter):\n"
    "    def get_value(self, *_):\n        eval('1')\n        return 1\ndef total(n):\n"
    "    A().format('{x}')\n    return n[0] + total(n[1:]) if n else 0\n",
    "a guard that is no guard": f"__name__ = '__main__'\n{TOTAL}if __name__ == '__main__':\n"
    "    exec('pass')\n",
}


@pytest.mark.parametrize("kind", OUT_OF_REACH)
def test_what_never_runs_is_no_doubt(zygote: Zygote, kind: str) -> None:
    """A suspicious name in code that the function does not reach says nothing about it."""
    rule = rule_of(zygote, OUT_OF_REACH[kind])
    assert (RuleVerdict.PASSED, "recursion.own") == (rule.verdict, keys(rule)[0])


@pytest.mark.parametrize("kind", WITHIN_REACH)
def test_what_may_run_is_doubtful(zygote: Zygote, kind: str) -> None:
    """A suspicious name that the function may reach, however it does, leaves it to a person."""
    rule = rule_of(zygote, WITHIN_REACH[kind])
    assert (RuleVerdict.REVIEW, "recursion.suspicious") == (rule.verdict, keys(rule)[0])


def test_more_suspicious_names_than_travel(zygote: Zygote) -> None:
    """Whoever hides one such name behind hundreds of others, out of reach, has hidden nothing."""
    decoys = "def play():\n" + "    eval('1')\n" * 300
    rule = rule_of(zygote, f"{decoys}{TOTAL}")
    assert RuleVerdict.REVIEW is rule.verdict
