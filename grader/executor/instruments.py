"""The instruments of a probe: they count and cut calls in the submission's process.

`grader.executor.transforming` puts some of the instruments into the code of the submission, as
constants without names; the steps of a probe call the others, by unpredictable names that only
steps can see. They count and cut only during the call under examination; see
`grader.executor.counters`. They share a process with the submission, so their reports are evidence
about that submission only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import CodeType, ModuleType
from typing import Any, Final

from grader.executor import measuring
from grader.executor.counters import Counters, Settings
from grader.executor.rewriting import bind_objects
from grader.executor.sealing import Seal

_IN_CODE: Final = (
    *("enter", "leave", "begin", "end", "tick"),
    *("record_return", "cut_result", "is_cut", "new_arguments", "wrap_callee"),
)
"""Methods of `Counters` that rewritten code calls."""
_IN_STEPS: Final = {
    "call": "call",
    "learn": "call_and_learn",
    "known": "call_and_check_foreknowledge",
}
"""Methods of `Counters` that the steps of a probe call, keyed by the name in steps."""


class Instruments:
    """All instruments of one session."""

    def __init__(self, settings: Settings, dumps: Callable[[object], str]) -> None:
        """Create the instruments that `settings` request.

        `dumps` is a JSON encoder that the submission cannot change.
        """
        self._name: Final[str] = settings["name"]
        self.rewrites: Final[str | None] = self._name if settings["transform"] else None
        """The prefix of the instruments' names in rewritten code; None if code is not rewritten."""
        self._recursion: Final[int | None] = settings.get("recursion")
        self._set_limit: Callable[[int], None] = sys.setrecursionlimit
        self.counters: Final = Counters(settings)
        seal = settings.get("seal")
        self._seal: Final = None if seal is None else Seal(seal)
        self._dumps: Final = dumps

    def bind(self, code: CodeType) -> CodeType:
        """Return `code` with the instruments in place of their placeholders, if it has any."""
        if self.rewrites is None:
            return code
        counters = self.counters
        functions = {name: getattr(counters, name) for name in _IN_CODE}
        return bind_objects(code, self._with_full_names(functions))

    def _with_full_names(
        self, functions: Mapping[str, Callable[..., Any]]
    ) -> dict[Any, Callable[..., Any]]:
        """Return `functions`, keyed by the names that rewritten code and steps use for them."""
        return {f"{self._name}_{key}__": function for key, function in functions.items()}

    def install(self, step_names: dict[str, Any]) -> None:
        """Add the instruments that steps call to `step_names`, and set the recursion limit."""
        functions = {name: getattr(self.counters, method) for name, method in _IN_STEPS.items()}
        step_functions = {**functions, "evidence": self._evidence, **measuring.FUNCTIONS}
        step_names.update(self._with_full_names(step_functions))
        # `setrecursionlimit` is read again, because since `__init__` the session has replaced it
        # with a function that keeps to the session's limits.
        self._set_limit = sys.setrecursionlimit
        self._set_recursion_limit()

    def arm(self, modules: Mapping[str, ModuleType]) -> None:
        """Seal the data of the imported `modules` and set the recursion limit, if requested."""
        self._set_recursion_limit()  # the modules might have changed it since `install`
        if self._seal is not None:
            self._seal.arm(modules)

    def _set_recursion_limit(self) -> None:
        """Set the recursion limit that the settings request, if any."""
        if self._recursion is not None:
            self._set_limit(self._recursion)

    def _evidence(self) -> str:
        """Return the evidence of all instruments, as JSON text."""
        evidence = self.counters.evidence()
        if self._seal is not None:
            evidence["seal"] = self._seal.evidence()
        return self._dumps(evidence)
