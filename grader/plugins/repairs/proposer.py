"""Requests edits of a hand-in from an executor, and applies them to its source."""

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
    "grader.plugins.repairs": ("twins", "pools", "ingredients", "proposing"),
}
"""The modules that are sent to the executor, which does not have the `grader` package."""
_ENTRY: Final = "proposing"
_PACKAGE_IMPORT: Final = re.compile(
    r"^from grader\.plugins\.authoring\.mutating import ", re.MULTILINE
)
_MODULE_IMPORT: Final = re.compile(r"^from grader\.plugins\.[\w.]+\.(?=\w+ import )", re.MULTILINE)
_STANDARD: Final = (
    # What the sent modules import from the standard library.
    *("__future__", "ast", "builtins", "collections", "collections.abc", "dataclasses", "difflib"),
    *("functools", "io", "itertools", "json", "operator", "re", "tokenize", "typing", "warnings"),
)
_LIMITS: Final = Limits(
    cpu_s=20.0, session_cpu_s=20.0, memory_bytes=512 << 20, value_chars=HIGHEST_CAPS.value_chars
)
Suspicion: TypeAlias = Mapping[int, float]
"""A number from 0 to 1, keyed by line. It is high if the line ran mostly in failing cases."""


class _Function(NamedTuple):
    """A function whose body an edit changes, and its position in bytes."""

    owner: str
    """The name of its class, or "" for a function at module level."""
    name: str
    start: int
    end: int
    indent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEdit:
    """A proposed edit of a file, as changes of its UTF-8 bytes."""

    module_name: str
    kind: str
    line: int
    turn: float
    """The position in the order in which edits are tried, lowest first."""
    suspicion: float
    size: int
    changes: tuple[tuple[int, int, str], ...]
    function: _Function | None

    def apply_to(self, text: str) -> str:
        """Return the `text` of the file with the edit applied."""
        return _splice(normalize_newlines(text).encode(), self.changes).decode()

    def patch_source(self, text: str) -> str | None:
        """Return the source of a module that patches the student's module when it is imported.

        The patch replaces only the code object of the function, so that the function keeps its
        identity. Return None if the edit is not inside a function.
        """
        if self.function is None:
            return None
        owner, name, start, end, indent = self.function
        source = normalize_newlines(text).encode()
        function_source = source[start:end]
        # Offsets in the file become offsets in the function.
        changes = [(low - start, high - start, new) for low, high, new in self.changes]
        whitespace = source[start - indent : start].decode()
        code = whitespace + _splice(function_source, changes).decode()
        if owner:  # compile inside the class, for name mangling
            code = f"class {owner}:\n{code}"
            is_private = name.startswith("__") and not name.endswith("__")
            mangled_name = f"_{owner.lstrip('_')}{name}" if is_private else name
            name = f"{owner}.__dict__[{mangled_name!r}]"
        return (
            f"import {self.module_name} as _edited\n{code}\n"
            f"_edited.{name}.__code__ = {name}.__code__\n"
        )


def normalize_newlines(text: str) -> str:
    r"""Return `text` with `\n` as line endings, which the byte offsets of edits assume."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _splice(source: bytes, changes: Any) -> bytes:
    # From the end, so that the offsets of the remaining changes stay valid.
    for low, high, text in sorted(changes, reverse=True):
        source = source[:low] + text.encode() + source[high:]
    return source


@cache
def _modules() -> dict[str, tuple[str, str]]:
    """Return the file names and texts of the modules to send, keyed by module name."""
    modules = {}
    for package, names in _PACKAGES.items():
        for name in names:
            text = files(package).joinpath(f"{name}.py").read_text(encoding="utf-8")
            # In the executor, these modules are outside any package.
            text = _MODULE_IMPORT.sub("from ", _PACKAGE_IMPORT.sub("import ", text))
            modules[name] = f"{name}.py", text
    return modules


class Proposer:
    """Analyses the files of one hand-in, each time in a new executor."""

    def __init__(self, sandbox: Sandbox, budget: Budget | None = None) -> None:
        """Prepare to start executors in `sandbox`. Their time counts towards `budget`."""
        program = Program.from_sources(_modules(), {}, _STANDARD, binds="modules")
        program.is_reused = True  # the program runs for each request
        self._runner: Final = SessionRunner(sandbox, program, _LIMITS, budget)

    def instrument(self, source: str) -> str | None:
        """Return `source`, instrumented to record executed lines.

        Return None if the executor fails, for example because `source` cannot be parsed.
        """
        return self._request(f"{_ENTRY}.instrument({source!r})")

    def propose(
        self, module_name: str, source: str, suspicion: Suspicion, most: int
    ) -> Iterator[ProposedEdit]:
        """Yield up to `most` edits of a module with this `source`, in the order of their turns.

        Yield nothing if the executor fails, for example because `source` cannot be parsed.
        """
        code = f"{_ENTRY}.propose({module_name!r}, {source!r}, {dict(suspicion)!r}, {most})"
        functions, edits = json.loads(self._request(code) or "[[], []]")
        for turn, (kind, line, line_suspicion, size, changes, function_index) in edits:
            yield ProposedEdit(
                module_name=module_name,
                kind=kind,
                line=line,
                turn=turn,
                suspicion=line_suspicion,
                size=size,
                changes=tuple((low, high, text) for low, high, text in changes),
                function=None
                if functions[function_index] is None
                else _Function(*functions[function_index]),
            )

    def _request(self, code: str) -> str | None:
        """Evaluate `code` in a new executor. Return its value if that is a string, or else None."""
        run = self._runner.run((Item(step_index=0, code=code),), modules=(_ENTRY,))
        match [observation.outcome for observation in run.observations]:
            case [Returned(value=Atom(value=str(text)))]:
                return text
            case _:
                return None
