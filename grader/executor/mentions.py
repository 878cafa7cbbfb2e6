"""Finds what may make a submission differ from run to run: sets, randomness, the clock.

This is read from the code when it is compiled, before any of it has run. A set made by `getattr` or
`eval` goes unnoticed.
"""

from __future__ import annotations

import opcode
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Final

_SETS: Final = frozenset({"set", "frozenset", "WeakSet"})
_VIEWS: Final = frozenset({"keys", "items"})
"""Views of dictionaries; operators make sets of them."""
_CHANCE: Final = frozenset(
    {
        *("random", "secrets", "uuid", "urandom", "getrandom", "default_rng", "getpid"),
        *("time", "timeit", "datetime", "id", "hash", "__hash__"),
    }
)
_MAKES_A_SET: Final = {opcode.opmap[name] for name in ("BUILD_SET", "SET_ADD", "SET_UPDATE")}
_LOAD_CONST: Final = opcode.opmap["LOAD_CONST"]
_EXTENDED_ARG: Final = opcode.opmap["EXTENDED_ARG"]
_BINARY_OP: Final = opcode.opmap["BINARY_OP"]
_CONTAINS_OP: Final = opcode.opmap["CONTAINS_OP"]
_JUNCTIONS: Final = frozenset({1, 7, 12, 14, 20, 25})
"""Arguments of BINARY_OP for `&`, `|`, `^` and their in-place forms, from CPython 3.11 on."""
_SUBTRACTIONS: Final = frozenset({10, 23})


def mentions(codes: Iterable[CodeType]) -> tuple[bool, bool]:
    """Return whether `codes` make sets, and whether they mention randomness or a clock."""
    parts = list(_parts(codes))
    # The name of an import may have dots: `os.path`.
    names = {word for part in parts for name in part.co_names for word in name.split(".")}
    # A view may be made in one function and combined in another.
    sets = bool(names & _SETS or (names & _VIEWS and any(map(_joins, parts))))
    return sets or any(map(_makes_sets, parts)), bool(names & _CHANCE)


def _parts(codes: Iterable[CodeType]) -> Iterator[CodeType]:
    """Yield `codes` and all nested code objects."""
    waiting = [*codes]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += (each for each in part.co_consts if isinstance(each, CodeType))


def _joins(part: CodeType) -> bool:
    """Return whether it uses `&`, `|` or `^`, or `-` together with views."""
    subtracts = _SUBTRACTIONS if _VIEWS & {*part.co_names} else frozenset()
    pairs = zip(part.co_code[::2], part.co_code[1::2], strict=True)  # opcode, argument
    used = {argument for operation, argument in pairs if operation == _BINARY_OP}
    return bool(used & (_JUNCTIONS | subtracts) or {"and_", "or_", "xor"} & {*part.co_names})


def _makes_sets(part: CodeType) -> bool:
    return bool({*part.co_code[::2]} & _MAKES_A_SET) or _uses_constant_set(part)


def _uses_constant_set(part: CodeType) -> bool:
    """Return whether it uses a constant set for more than `in`."""
    if not any(isinstance(each, frozenset) for each in part.co_consts):
        return False
    code, argument = part.co_code, 0
    for place in range(0, len(code), 2):
        argument = argument << 8 | code[place + 1]
        if code[place] == _EXTENDED_ARG:
            continue
        # `x in {1, 2}` is compiled to a constant frozenset, whose order does not show.
        is_set = code[place] == _LOAD_CONST and isinstance(part.co_consts[argument], frozenset)
        if is_set and code[place + 2] != _CONTAINS_OP:
            return True
        argument = 0
    return False
