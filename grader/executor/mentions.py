"""What the code of a submission mentions that may differ from run to run: sets, chance, the clock.

It is told by who compiles the code, before any of it has run. Code that hides a set, by `getattr`
or `eval`, goes unsuspected.
"""

from __future__ import annotations

import opcode
from collections.abc import Iterator
from types import CodeType
from typing import Final

_SETS: Final = frozenset({"set", "frozenset"})
_VIEWS: Final = frozenset({"keys", "items"})
"""Of dictionaries; operators make sets of them."""
_CHANCE: Final = frozenset(
    [
        "random",
        "time",
        "datetime",
        "uuid",
        "secrets",
        "urandom",
        "getrandom",
        "id",
        "hash",
        "default_rng",
    ]
)
_MAKES_A_SET: Final = {opcode.opmap[name] for name in ("BUILD_SET", "SET_ADD", "SET_UPDATE")}
_LOAD_CONST: Final = opcode.opmap["LOAD_CONST"]
_EXTENDED_ARG: Final = opcode.opmap["EXTENDED_ARG"]
_BINARY_OP: Final = opcode.opmap["BINARY_OP"]
_CONTAINS_OP: Final = opcode.opmap["CONTAINS_OP"]


def mentions(code: CodeType) -> tuple[bool, bool]:
    """Return whether `code` makes sets, and whether it names chance or a clock."""
    sets = chance = False
    for part in _parts(code):
        names = {*part.co_names}
        sets = sets or bool(names & _SETS) or _makes_sets(part, names)
        chance = chance or bool(names & _CHANCE)
    return sets, chance


def _parts(code: CodeType) -> Iterator[CodeType]:
    """Yield `code` and all code in it."""
    waiting = [code]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += (each for each in part.co_consts if isinstance(each, CodeType))


def _makes_sets(part: CodeType, names: set[str]) -> bool:
    operations = {*part.co_code[::2]}
    if operations & _MAKES_A_SET or (names & _VIEWS and _BINARY_OP in operations):
        return True
    return any(isinstance(each, frozenset) for each in part.co_consts) and _uses_constant_set(part)


def _uses_constant_set(part: CodeType) -> bool:
    """Return whether it does more with a constant set than to look for an element."""
    code, argument = part.co_code, 0
    for place in range(0, len(code), 2):
        argument = argument << 8 | code[place + 1]
        if code[place] == _EXTENDED_ARG:
            continue
        is_set = code[place] == _LOAD_CONST and isinstance(part.co_consts[argument], frozenset)
        if is_set and code[place + 2] != _CONTAINS_OP:
            return True
        argument = 0
    return False
