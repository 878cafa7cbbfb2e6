"""Judges a submission by the rules of its suite, with evidence.

Each kind of rule is a class with its YAML fields, its checks, the sentence that states its demand,
and its judgement. Related kinds share a module.
"""

from __future__ import annotations

from typing import Final

KINDS: Final = (
    "grader.judging.rules.recursion:Recursion",
    "grader.judging.rules.constructs:Loops",
    "grader.judging.rules.constructs:Constructs",
    "grader.judging.rules.source:Imports",
    "grader.judging.rules.signature:Signature",
    "grader.judging.rules.cost:Cost",
    "grader.judging.rules.encapsulation:Encapsulation",
    "grader.judging.rules.interference:Interference",
    "grader.judging.rules.source:Python",
    "grader.judging.rules.source:Docstrings",
)
"""All kinds of rules, in the order in which they are judged. The loader imports them only for
suites with rules, as most suites have none."""
