"""Judges a submission by the rules of its suite, and says with which evidence.

Each kind of rule is a class: how YAML writes it, what is checked of it, what it asks in a sentence,
and how it is judged. Kinds that look at the same thing share a module.
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
"""All kinds of rules, in the order in which they are judged. What loads a suite is given them, and
imports them only if it has rules: most suites have none."""
