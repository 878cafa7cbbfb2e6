"""Judges a submission by the rules of its suite, and says with which evidence.

Each kind of rule is a module: how YAML writes it, what is checked of it, what it asks in a
sentence, and how it is judged.
"""

from __future__ import annotations

from typing import Final

from grader.judging.rules.constructs import Constructs
from grader.judging.rules.cost import Cost
from grader.judging.rules.docstrings import Docstrings
from grader.judging.rules.encapsulation import Encapsulation
from grader.judging.rules.imports import Imports
from grader.judging.rules.loops import Loops
from grader.judging.rules.python import Python
from grader.judging.rules.recursion import Recursion
from grader.judging.rules.signature import Signature

KINDS: Final = (
    Recursion,
    Loops,
    Constructs,
    Imports,
    Signature,
    Cost,
    Encapsulation,
    Python,
    Docstrings,
)
"""All kinds of rules, in the order in which they are judged; what loads a suite is given them."""
