"""Programs that sum up a list, by recursion or not, and what a rule finds in them."""

from __future__ import annotations

from typing import Final

from builders import HEAD, submission
from builders import suite as parse

from grader.judging.judge import grade
from grader.judging.record import Record, RuleResult
from grader.sandbox.zygote import Zygote

BODY: Final = """\
defines: [total, largest]
limits: {{cpu_s: 0.5}}
rules:
  recursion:
  - function: total
    sizes: [3, 12, 40]
    call: total(list(range(n)))
    points: 1
{settings}
groups: [{{id: g, points: 4}}]
sessions:
- id: s
  steps:
  - {{do: 'total([1, 2])', returns: '3', group: g}}
  - {{do: 'largest([1, 2])', returns: '2', group: g}}
"""
RECURSIVE: Final = """
def total(numbers):
    return numbers[0] + total(numbers[1:]) if numbers else 0
def largest(numbers):
    return max(numbers)
"""
ITERATIVE: Final = """
def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found
def largest(numbers):
    return max(numbers)
"""
HELPER: Final = """
def total(numbers):
    return down(numbers, 0)
def down(numbers, start):
    return numbers[start] + down(numbers, start + 1) if start < len(numbers) else 0
def largest(numbers):
    return max(numbers)
"""
MUTUAL: Final = """
def total(numbers):
    return numbers[0] + rest(numbers) if numbers else 0
def rest(numbers):
    return total(numbers[1:])
def largest(numbers):
    return max(numbers)
"""
IDLE: Final = """
def total(numbers, again=40):
    if again > 0:
        total(numbers, again - 1)
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
DELEGATING: Final = """
def total(numbers):
    return largest(numbers, True)
def largest(numbers, summed_up=False):
    if not summed_up:
        return max(numbers)
    return numbers[0] + largest(numbers[1:], True) if numbers else 0
"""
CARRYING: Final = """
def total(numbers, found=0):
    return total(numbers[1:], found + numbers[0]) if numbers else found
def largest(numbers):
    return max(numbers)
"""
UNUSED: Final = """
def total(numbers):
    if isinstance(numbers, set):
        return numbers.pop() + total(numbers)
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
WITH_CLASS: Final = """
class Numbers:
    def __init__(self, items):
        self.items = list(items)
def total(numbers):
    items = getattr(numbers, "items", numbers)
    return sum(items) + 0 * total(items[1:]) if items else 0
def largest(numbers):
    return max(numbers)
"""
ENDLESS: Final = """
def total(numbers):
    return 3 if numbers == [1, 2] else total(numbers)
def largest(numbers):
    return max(numbers)
"""
RAISING: Final = """
def total(numbers):
    return numbers[0] + total(numbers[1:]) if numbers[1:] else 1 // numbers[0] + 1
def largest(numbers):
    return max(numbers)
"""
SHORT: Final = """
def total(numbers):
    if len(numbers) > 20:
        raise ValueError("so many")
    return numbers[0] + total(numbers[1:]) if numbers else 0
def largest(numbers):
    return max(numbers)
"""
DYING: Final = """
import os
def total(numbers):
    if len(numbers) > 2:
        os._exit(0)
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
SLOW: Final = """
def total(numbers):
    while len(numbers) > 2:
        pass
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
TWO_WAYS: Final = """
def total(numbers):
    answers = [one(numbers), other(numbers)]
    return next(each for each in answers if each is not None)
def one(numbers):
    rest = one(numbers[1:]) if numbers else 0
    return None if rest is None else rest + sum(numbers[:1])
def other(numbers):
    rest = other(numbers[:-1]) if numbers else 0
    return None if rest is None else rest + sum(numbers[-1:])
def largest(numbers):
    return max(numbers)
"""
ALWAYS_TRUE: Final = """
def total(numbers):
    return sum(numbers) if yes(len(numbers)) else -1
def yes(n):
    return yes(n - 1) if n else True
def largest(numbers):
    return max(numbers)
"""
COUNTING: Final = """
def total(numbers):
    count(len(numbers))
    return sum(numbers)
def count(n):
    return 1 + count(n - 1) if n else 0
def largest(numbers):
    return max(numbers)
"""
COUNTING_AND_WORKING: Final = """
def total(numbers):
    found = []
    count(found, numbers, len(numbers))
    return found[0]
def count(found, numbers, n):
    counted = 1 + count(found, numbers, n - 1) if n else 0
    found[:] = [sum(numbers)]
    return counted
def largest(numbers):
    return max(numbers)
"""
PRINTING: Final = """
def total(numbers):
    show(len(numbers))
    return sum(numbers)
def show(n):
    if n > 1:
        print(n)
        show(n - 1)
def largest(numbers):
    return max(numbers)
"""
HANDING_DOWN: Final = """
def total(numbers, found=None):
    found = sum(numbers) if found is None else found
    return total(numbers[1:], found) if numbers else found
def largest(numbers):
    return max(numbers)
"""
HANDING_DOWN_TEXT: Final = """
def total(numbers, found=""):
    found = found or f"<{sum(numbers)}>"
    return total(numbers[1:], found) if numbers else int(found[1:-1])
def largest(numbers):
    return max(numbers)
"""
SUM_AT_THE_BOTTOM: Final = """
def total(numbers, again=None):
    again = len(numbers) if again is None else again
    return total(numbers, again - 1) if again else sum(numbers)
def largest(numbers):
    return max(numbers)
"""
IN_THIRDS: Final = """
def total(numbers, at=0):
    found = 0
    if at < 3:
        for number in numbers[at::3]:
            found += number
    return found + total(numbers, at + 1) if at < len(numbers) else found
def largest(numbers):
    return max(numbers)
"""
WITH_EXEC: Final = f"""
exec("")
{RECURSIVE}
"""
LOOP_WITH_EXEC: Final = f"""
exec("")
{ITERATIVE}
"""


def record_of(zygote: Zygote, source: str, *settings: str, body: str = BODY) -> Record:
    """Return the record of `source`; `settings` are further keys of the rule."""
    lines = "\n".join(f"    {each}" for each in settings)
    head = HEAD.replace("defines: []\n", "")
    rules = parse(body.format(settings=lines), head)
    return grade(rules, submission(source), zygote)


def rule_of(zygote: Zygote, source: str, *settings: str) -> RuleResult:
    """Return what became of the rule that `total` is recursive, or is not."""
    (rule,) = record_of(zygote, source, *settings).rules
    return rule


def keys(rule: RuleResult) -> list[str]:
    """Return the keys of the evidence."""
    return [each.key for each in rule.evidence]
