"""Which findings of ruff are worth a word to somebody who learns to program, and which first.

The selection leaves out what is a matter of taste, and whatever recommends constructs that an
exercise may forbid: comprehensions, `any` and `all`, `lambda`, context managers. It also leaves out
names in another style than Python's own, because the exercise gives many of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_KEYS: Final = "advice."


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Something to learn, and the findings that ask for it."""

    key: str
    """Of its sentence."""
    codes: tuple[str, ...]
    """Codes of ruff, or beginnings of codes."""
    names: bool = False
    """Whether the sentence tells the names that ruff puts between backticks."""
    assigned: bool = False
    """Whether it is about variables alone: how functions are called, the exercise may decide."""

    @property
    def kind(self) -> str:
        """The word for it in a record."""
        return self.key.removeprefix(_KEYS)


MISTAKES: Final = (
    Lesson(key="advice.undefined", codes=("F821", "F823"), names=True),
    Lesson(key="advice.mutable_default", codes=("B006",)),
    Lesson(key="advice.redefined", codes=("F811",), names=True),
    Lesson(
        key="advice.constant_condition",
        codes=("SIM222", "SIM223", "F631", "F634", "PLR0124", "PLR0133", "PLW0129"),
    ),
    Lesson(key="advice.not_raised", codes=("PLW0133",)),
    Lesson(key="advice.no_effect", codes=("B015", "B018")),
    Lesson(key="advice.missing_return", codes=("RET503",)),
    Lesson(key="advice.is_literal", codes=("F632",)),
    Lesson(key="advice.format", codes=("F50", "F52")),
    Lesson(key="advice.repeated_key", codes=("F601",)),
    Lesson(key="advice.loop_over_itself", codes=("B020",), names=True),
    Lesson(key="advice.shadowed_parameter", codes=("PLR1704",), names=True),
    Lesson(key="advice.no_self", codes=("N805",)),
    Lesson(key="advice.loop_else", codes=("PLW0120",)),
    Lesson(key="advice.self_assignment", codes=("PLW0127",), names=True),
    Lesson(key="advice.builtin_name", codes=("A001",), names=True, assigned=True),
    Lesson(key="advice.bare_except", codes=("E722",)),
    Lesson(key="advice.invalid_escape", codes=("W605",)),
    Lesson(key="advice.compare_none", codes=("E711",)),
    Lesson(key="advice.type_comparison", codes=("E721",)),
    Lesson(key="advice.unused_variable", codes=("F841",), names=True),
)
"""What is wrong, or soon will be; the gravest first."""

HABITS: Final = (
    Lesson(key="advice.changes_global", codes=("PLW0603",), names=True),
    Lesson(key="advice.needless_bool", codes=("SIM103", "SIM210", "SIM211")),
    Lesson(key="advice.compare_true", codes=("E712",)),
    Lesson(key="advice.same_branches", codes=("SIM114",)),
    Lesson(key="advice.else_if", codes=("PLR5501",)),
    Lesson(key="advice.nested_if", codes=("SIM102",)),
    Lesson(key="advice.ambiguous_name", codes=("E741", "E742", "E743"), names=True),
    Lesson(key="advice.clumsy_not", codes=("E713", "E714", "SIM201", "SIM202", "SIM208")),
    Lesson(key="advice.lambda_name", codes=("E731",)),
    Lesson(key="advice.needless_global", codes=("PLW0602",), names=True),
    Lesson(key="advice.star_import", codes=("F403",)),
    Lesson(key="advice.unused_import", codes=("F401",), names=True),
    Lesson(key="advice.repeated_comparison", codes=("PLR1714",)),
    Lesson(key="advice.useless_pass", codes=("PIE790",)),
    Lesson(key="advice.useless_return", codes=("PLR1711",)),
    Lesson(key="advice.keys", codes=("SIM118",)),
    Lesson(key="advice.one_line", codes=("E701", "E702", "E703")),
    Lesson(key="advice.late_import", codes=("E402",)),
    Lesson(key="advice.empty_fstring", codes=("F541",)),
)
"""What is right and could be read more easily."""

CODES: Final = tuple(code for lesson in (*MISTAKES, *HABITS) for code in lesson.codes)
"""All that ruff is asked for."""
