"""Detects what can make a submission behave differently from run to run: sets, randomness, time.

It inspects the code when it is compiled, before any of it has run. A set made through `getattr` or
`eval` is not detected.
"""

from __future__ import annotations

import opcode
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Final

_SETS: Final = frozenset({"set", "frozenset", "WeakSet"})
_VIEWS: Final = frozenset({"keys", "items"})
"""Methods that return views of dictionaries; operators such as `&` turn views into sets."""
_RANDOM_NAMES: Final = frozenset(
    {
        *("random", "secrets", "uuid", "urandom", "getrandom", "default_rng", "getpid"),
        *("time", "timeit", "datetime", "id", "hash", "__hash__"),
    }
)
"""Names that stand for randomness, for a clock, or for numbers that differ from run to run."""
_SET_OPCODES: Final = {opcode.opmap[name] for name in ("BUILD_SET", "SET_ADD", "SET_UPDATE")}
_LOAD_CONST: Final = opcode.opmap["LOAD_CONST"]
_EXTENDED_ARG: Final = opcode.opmap["EXTENDED_ARG"]
_BINARY_OP: Final = opcode.opmap["BINARY_OP"]
_CONTAINS_OP: Final = opcode.opmap["CONTAINS_OP"]
_SET_OPERATORS: Final = frozenset({1, 7, 12, 14, 20, 25})
"""Arguments of BINARY_OP for `&`, `|`, `^` and their in-place forms, from CPython 3.11 on."""
_SUBTRACTIONS: Final = frozenset({10, 23})


def detect_mentions(codes: Iterable[CodeType]) -> tuple[bool, bool]:
    """Return whether `codes` make sets, and whether they mention randomness or a clock."""
    nested = list(_nested_codes(codes))
    # The name of an import can have dots: `os.path`.
    names = {part for code in nested for name in code.co_names for part in name.split(".")}
    # Names are collected from all functions: a view made in one can be combined in another.
    mentions_sets = bool(names & _SETS or (names & _VIEWS and any(map(_combines_sets, nested))))
    return mentions_sets or any(map(_makes_sets, nested)), bool(names & _RANDOM_NAMES)


def _nested_codes(codes: Iterable[CodeType]) -> Iterator[CodeType]:
    """Yield `codes` and all nested code objects."""
    pending = [*codes]
    while pending:
        code = pending.pop()
        yield code
        pending += (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _combines_sets(code: CodeType) -> bool:
    """Return whether `code` uses `&`, `|` or `^`, or `-` together with views."""
    subtracts = _SUBTRACTIONS if _VIEWS & {*code.co_names} else frozenset()
    instructions = zip(code.co_code[::2], code.co_code[1::2], strict=True)  # opcode, argument
    operators = {argument for operation, argument in instructions if operation == _BINARY_OP}
    return bool(
        operators & (_SET_OPERATORS | subtracts) or {"and_", "or_", "xor"} & {*code.co_names}
    )


def _makes_sets(code: CodeType) -> bool:
    """Return whether `code` makes a set, or uses a constant set other than with `in`."""
    return bool({*code.co_code[::2]} & _SET_OPCODES) or _uses_constant_set(code)


def _uses_constant_set(code: CodeType) -> bool:
    """Return whether `code` uses a constant set in any operation other than `in`."""
    if not any(isinstance(constant, frozenset) for constant in code.co_consts):
        return False
    instructions, argument = code.co_code, 0
    for index in range(0, len(instructions), 2):
        argument = argument << 8 | instructions[index + 1]
        if instructions[index] == _EXTENDED_ARG:
            continue
        # `x in {1, 2}` compiles to a constant frozenset, whose order cannot affect the result.
        is_set = instructions[index] == _LOAD_CONST and isinstance(
            code.co_consts[argument], frozenset
        )
        if is_set and instructions[index + 2] != _CONTAINS_OP:
            return True
        argument = 0
    return False
