"""Requests edits of a hand-in from an executor, and applies them to its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

from grader.protocol import HIGHEST_CAPS
from grader.sandbox.budget import Budget
from grader.sandbox.observation import Returned
from grader.sandbox.planning import Item
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.values.tree import Atom

_PACKAGES: Final = {
    "grader.plugins.authoring.mutating": (
        *("edits", "parsed_module", "kinds", "expressions", "statements"),
    ),
    "grader.plugins.repairs": ("twins", "ingredients", "proposing"),
}
"""The modules to send to the executor, which has no package of ours."""
_ENTRY: Final = "proposing"
_OF_PACKAGE: Final = re.compile(r"^from grader\.plugins\.authoring\.mutating import ", re.MULTILINE)
_OF_MODULE: Final = re.compile(r"^from grader\.plugins\.[\w.]+\.(?=\w+ import )", re.MULTILINE)
_STANDARD: Final = (
    *("__future__", "ast", "builtins", "collections", "collections.abc", "dataclasses", "difflib"),
    *("functools", "io", "itertools", "json", "operator", "re", "tokenize", "typing", "warnings"),
)
_LIMITS: Final = Limits(
    cpu_s=20.0, session_cpu_s=20.0, memory_bytes=512 << 20, value_chars=HIGHEST_CAPS.value_chars
)
Suspicion: TypeAlias = Mapping[int, float]
"""By line, from 0 to 1: high if it ran in failing cases, but rarely in others."""


class _Function(NamedTuple):
    """A function whose inside may change."""

    owner: str
    name: str
    start: int
    end: int
    indent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEdit:
    """A proposed edit of a file."""

    module: str
    kind: str
    line: int
    turn: float
    """The order in which edits are tried, lowest first."""
    suspicion: float
    size: int
    changes: tuple[tuple[int, int, str], ...]
    function: _Function | None

    def of_file(self, text: str) -> str:
        """Return the `text` of the file with the edit made."""
        return _spliced(lines_alike(text).encode(), self.changes).decode()

    def of_function(self, text: str) -> str | None:
        """Return a module that patches the imported one, None if the edit is not in a function.

        The code of the function is replaced, so that it stays the same object.
        """
        if self.function is None:
            return None
        owner, name, start, end, indent = self.function
        source = lines_alike(text).encode()
        part = source[start:end]
        changes = [(low - start, high - start, new) for low, high, new in self.changes]
        blanks = source[start - indent : start].decode()
        code = blanks + _spliced(part, changes).decode()
        if owner:  # compile inside of the class, for name mangling
            code = f"class {owner}:\n{code}"
            is_private = name.startswith("__") and not name.endswith("__")
            known_by = f"_{owner.lstrip('_')}{name}" if is_private else name  # as Python mangles it
            name = f"{owner}.__dict__[{known_by!r}]"
        return (
            f"import {self.module} as _edited\n{code}\n_edited.{name}.__code__ = {name}.__code__\n"
        )


def lines_alike(text: str) -> str:
    r"""Return `text` with `\n` at the end of each line, as edits count it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _spliced(source: bytes, changes: Any) -> bytes:
    for low, high, text in sorted(changes, reverse=True):
        source = source[:low] + text.encode() + source[high:]
    return source


@cache
def _modules() -> dict[str, tuple[str, str]]:
    """Return the modules to send, by the last part of their names."""
    found = {}
    for package, names in _PACKAGES.items():
        for name in names:
            text = files(package).joinpath(f"{name}.py").read_text(encoding="utf-8")
            # There they are modules without a package.
            text = _OF_MODULE.sub("from ", _OF_PACKAGE.sub("import ", text))
            found[name] = f"{name}.py", text
    return found


class Proposer:
    """Analyses files of one hand-in, each time in a fresh executor."""

    def __init__(self, sandbox: Sandbox, budget: Budget | None = None) -> None:
        """Take executors from `sandbox`; their time counts in `budget`."""
        program = Program.of(_modules(), {}, _STANDARD, binds="modules")
        program.lasts = True  # each question runs it again
        self._runner: Final = SessionRunner(sandbox, program, _LIMITS, budget)

    def noted(self, source: str) -> str | None:
        """Return the program instrumented to record executed lines; None if it does not parse."""
        return self._asked(f"{_ENTRY}.noted({source!r})")

    def proposed(
        self, module: str, source: str, suspicion: Suspicion, most: int
    ) -> Iterator[ProposedEdit]:
        """Yield up to `most` edits of a module with this `source`, the likeliest first."""
        code = f"{_ENTRY}.proposed({module!r}, {source!r}, {dict(suspicion)!r}, {most})"
        functions, edits = json.loads(self._asked(code) or "[[], []]")
        for turn, (kind, line, found, size, changes, which) in edits:
            yield ProposedEdit(
                module=module,
                kind=kind,
                line=line,
                turn=turn,
                suspicion=found,
                size=size,
                changes=tuple((low, high, text) for low, high, text in changes),
                function=None if functions[which] is None else _Function(*functions[which]),
            )

    def _asked(self, code: str) -> str | None:
        run = self._runner.run((Item(step_index=0, code=code),), modules=(_ENTRY,))
        match [each.outcome for each in run.observations]:
            case [Returned(value=Atom(value=str(text)))]:
                return text
            case _:
                return None
