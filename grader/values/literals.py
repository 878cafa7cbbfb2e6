"""Parses the text of a Python literal into a value of the judge's own tree, without evaluating it.

A suite contains expectations as Python displays them, such as `{(2, 1), (3, 1)}`. `ast` parses the
text, and only the kinds of node listed here are accepted, so that reading a suite never runs code
in it. The caps are those of `grader.protocol`, as a value that an executor cannot send cannot be
expected either.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from grader.protocol import MAX_NAME_CHARS, USUAL_CAPS, ValueLimits
from grader.values.array_literals import BOOLEANS, NUMPY, read_array, read_scalar
from grader.values.foreign_text import one_line
from grader.values.literal_source import EXAMPLES, LiteralError, LiteralText
from grader.values.tree import (
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Plain,
    Scalar,
    Sequence,
    Value,
    hash_key,
)

__all__ = ["LiteralError", "parse_literal"]

_Number: TypeAlias = int | float | complex

_NAMED_NUMBERS: Final[dict[str, float | complex]] = {
    "inf": math.inf,
    "nan": math.nan,
    "infj": complex(0, math.inf),
    "nanj": complex(0, math.nan),
}
_FOREIGN_SPELLINGS: Final = {"true": "True", "false": "False", "null": "None", "none": "None"}
_MODULES: Final = frozenset({"cmath", "math"}) | NUMPY
_DICT_CLASSES: Final = frozenset({"Counter", "OrderedDict", "defaultdict"})
_REFUSED_KINDS: Final[dict[type[ast.expr], str]] = {
    ast.BinOp: "a calculation",
    ast.Call: "a call",
    ast.Compare: "a comparison",
    ast.JoinedStr: "an f-string",
    ast.Starred: "unpacking with *",
    ast.UnaryOp: "a calculation",
    **dict.fromkeys((ast.DictComp, ast.GeneratorExp, ast.ListComp, ast.SetComp), "a comprehension"),
}


@dataclass(frozen=True, slots=True)
class _Display:
    """A type whose values Python displays as a call; the arguments are atoms of another type."""

    construct: Callable[..., Plain]
    argument_type: type
    argument_counts: range
    example: str


_DISPLAYS: Final = {
    "Decimal": _Display(Decimal, str, range(1, 2), "Decimal('1.5')"),
    "Fraction": _Display(Fraction, int, range(1, 3), "Fraction(1, 3)"),
    "range": _Display(range, int, range(1, 4), "range(0, 10, 2)"),
}


def parse_literal(text: str, caps: ValueLimits = USUAL_CAPS) -> Value:
    """Return the value of `text`, a Python literal.

    Besides what `ast.literal_eval` accepts, these displays count as literals: `inf`, `nan`,
    `set()`, `frozenset({1})`, `range(3)`, `Fraction(1, 3)`, `Decimal('1.5')`, a dataclass or named
    tuple with field names (`Position(x=1, y=2)`), an enum member (`Colour.RED`), and the numpy
    displays `array([[1, 2], [3, 4]])` and `np.int64(5)`. Raises `LiteralError` for anything else,
    for values that exceed one of `caps`, and for duplicates in a set or a dict.
    """
    if len(text) > caps.value_chars:
        raise LiteralError(
            f"a literal of {len(text):,} characters is too long",
            f"write at most {caps.value_chars:,} characters",
            0,
        )
    source = LiteralText(text)
    return _Reader(source, caps).value(source.tree(), 0)


class _Reader:
    """Converts one literal, counting elements and text against the caps as the executor does."""

    def __init__(self, source: LiteralText, caps: ValueLimits) -> None:
        self._source = source
        self._caps = caps
        self._nodes = 0
        self._chars = 0

    def value(self, node: ast.expr, depth: int) -> Value:  # noqa: C901 - one case per kind of node
        """Return the value of `node`, which is nested `depth` levels deep.

        Raises `LiteralError` if it is not a literal or exceeds a cap.
        """
        self._nodes += 1
        if self._nodes > self._caps.value_items:
            raise self._too_large(node, f"more than {self._caps.value_items:,} elements")
        if depth > self._caps.value_depth:
            raise self._too_large(node, f"more than {self._caps.value_depth} levels deep")
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node)
            case ast.UnaryOp() | ast.BinOp():
                return self._number_value(node)
            case ast.Tuple():
                return Sequence("tuple", self._items(node.elts, depth))
            case ast.List():
                return Sequence("list", self._items(node.elts, depth))
            case ast.Set():
                return self._set("set", node, depth)
            case ast.Dict():
                return self._dict(node, depth)
            case ast.Call():
                return self._call(node, depth)
            case ast.Attribute():
                return self._member(node)
            case _:
                raise self._refusal(node)

    def _too_large(self, node: ast.AST, size: str) -> LiteralError:
        """Return the error for a value at `node` whose `size` exceeds a cap."""
        advice = "executors cannot send a value of this size: expect a part of it"
        return self._source.error(node, f"this value is too large: {size}", advice)

    def _refusal(self, node: ast.expr) -> LiteralError:
        """Return the error for an expression that is not a literal."""
        kind = _REFUSED_KINDS.get(type(node), "this expression")
        advice = f"write its result, such as {EXAMPLES}"
        return self._source.error(node, f"{kind} is not a literal", advice)

    def _atom(self, node: ast.AST, content: Plain) -> Atom:
        """Return an atom with `content`, counting its text.

        Raises `LiteralError` if its size, or the text counted so far, exceeds a cap.
        """
        match content:
            case bool():  # before `int`, of which it is a subclass
                pass
            case int() if content.bit_length() > self._caps.int_bits:
                raise self._too_large(node, f"an int of {content.bit_length():,} bits")
            case str():
                self._count_chars(node, len(content))
            case bytes():
                # Executors send bytes as hexadecimal text.
                self._count_chars(node, 2 * len(content))
            case _:
                pass
        return Atom(content)

    def _count_chars(self, node: ast.AST, chars: int) -> None:
        """Add `chars` to the total length of text; raises `LiteralError` if that exceeds the cap.

        The error points to `node`.
        """
        self._chars += chars
        if self._chars > self._caps.value_chars:
            limit = f"{self._caps.value_chars:,}"
            raise self._too_large(node, f"more than {limit} characters of text")

    def _constant(self, node: ast.Constant) -> Value:
        """Return the atom for a constant; raises `LiteralError` for `...` or excessive size."""
        content = node.value
        if content is ...:
            advice = "write the complete value; no part can be omitted"
            raise self._source.error(node, "`...` is not a literal", advice)
        return self._atom(node, content)

    def _name(self, node: ast.Name) -> Value:
        """Return the number that a name such as `inf` stands for.

        Raises `LiteralError` for any other name.
        """
        number = _NAMED_NUMBERS.get(node.id)
        if number is not None:
            return Atom(number)
        name = one_line(node.id, 40)
        spelling = _FOREIGN_SPELLINGS.get(node.id.lower())
        advice = f"write {spelling}" if spelling else f"write text in quotes, such as '{name}'"
        raise self._source.error(node, f"the name {name} is not a literal", advice)

    def _number_value(self, node: ast.UnaryOp | ast.BinOp) -> Value:
        """Return the signed or complex number that `node` spells.

        Raises `LiteralError` if it spells none, or one that is too large.
        """
        number: _Number | None = None
        match node:
            case ast.UnaryOp():
                number = _signed_number(node)
            case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
                real, imaginary = _signed_number(left), _number(right)
                sign = 1 if isinstance(operator, ast.Add) else -1
                if isinstance(imaginary, complex) and isinstance(real, int | float):
                    try:
                        number = complex(real, sign * imaginary.imag)
                    except OverflowError as error:
                        raise self._too_large(
                            node, "a real part that exceeds the range of floats"
                        ) from error
        if number is None:
            raise self._refusal(node)
        return self._atom(node, number)

    def _items(self, nodes: Iterable[ast.expr], depth: int) -> tuple[Value, ...]:
        return tuple(self.value(node, depth + 1) for node in nodes)

    def _set(self, name: str, node: ast.Set, depth: int) -> Value:
        """Return the set or frozenset that `node` displays.

        Raises `LiteralError` for equal or unhashable elements.
        """
        items = self._items(node.elts, depth)
        self._check_distinct(node.elts, items, f"an element of a {name}")
        return Collection(name, items)

    def _dict(self, node: ast.Dict, depth: int) -> Value:
        """Return the dict that `node` displays.

        Raises `LiteralError` for unpacking with `**`, and for equal or unhashable keys.
        """
        key_nodes = [key for key in node.keys if key is not None]
        if len(key_nodes) < len(node.keys):
            advice = "write all keys, such as {'a': 1, 'b': 2}"
            raise self._source.error(node, "unpacking with ** is not a literal", advice)
        keys = self._items(key_nodes, depth)
        self._check_distinct(key_nodes, keys, "a key of a dict")
        return Mapping(tuple(zip(keys, self._items(node.values, depth), strict=True)))

    def _check_distinct(
        self, nodes: Iterable[ast.expr], values: Iterable[Value], role: str
    ) -> None:
        """Raise `LiteralError` if two of `values` are equal or one of them is unhashable.

        The error points to the matching one of `nodes`; `role` names the values in its message.
        """
        seen = set()
        for node, value in zip(nodes, values, strict=True):
            try:
                key = hash_key(value)
            except TypeError as error:
                problem = f"a {error} cannot be hashed, as {role} must be"
                advice = "write a tuple or a frozenset instead"
                raise self._source.error(node, problem, advice) from error
            if key in seen:
                raise self._source.error(node, f"{role} is given twice", "leave one of them out")
            seen.add(key)

    def _call(self, node: ast.Call, depth: int) -> Value:
        """Return the value that `node` displays as a call.

        Raises `LiteralError` if Python displays no value like this.
        """
        name = _last_name(node.func)
        if name is None:
            raise self._refusal(node)
        if name in {"set", "frozenset"}:
            return self._set_call(node, name, depth)
        if name == "array":
            return read_array(node, depth, self.value, self._source)
        if isinstance(node.func, ast.Attribute) and _last_name(node.func.value) in NUMPY:
            return read_scalar(node, name, depth, self.value, self._source)
        if name in _DISPLAYS:
            return self._display_value(node, _DISPLAYS[name], depth)
        if name in _DICT_CLASSES:
            advice = "write a dict without its class, such as {'a': 1}"
            raise self._source.error(node, f"{name} is not a literal", advice)
        # A call to a built-in such as `int("5")` is a calculation, not the display of an object.
        if name in vars(builtins):
            raise self._refusal(node)
        return self._fields(node, name, depth)

    def _set_call(self, node: ast.Call, name: str, depth: int) -> Value:
        """Return the value of `set()`, `frozenset()` or `frozenset({...})`.

        Raises `LiteralError` for a call of any other form.
        """
        if node.keywords or len(node.args) > (name == "frozenset"):
            raise self._source.malformed(
                node, "set() or {1, 2}" if name == "set" else "frozenset({1})"
            )
        if not node.args:
            return Collection(name, ())
        (argument,) = node.args
        if not isinstance(argument, ast.Set):
            raise self._source.malformed(node, "frozenset({1})")
        return self._set(name, argument, depth)

    def _display_value(self, node: ast.Call, display: _Display, depth: int) -> Value:
        """Return the atom that `node` displays in the form of `display.example`.

        Raises `LiteralError` for a call of any other form.
        """
        values = self._items(node.args, depth)
        arguments = [value.value for value in values if isinstance(value, Atom)]
        is_valid = len(arguments) == len(values) and all(
            type(argument) is display.argument_type for argument in arguments
        )
        if node.keywords or not is_valid or len(arguments) not in display.argument_counts:
            raise self._source.malformed(node, display.example)
        try:
            return Atom(display.construct(*arguments))
        except (ValueError, ArithmeticError) as error:
            raise self._source.malformed(node, display.example) from error

    def _fields(self, node: ast.Call, class_name: str, depth: int) -> Value:
        """Return the dataclass instance or named tuple that `node` displays.

        Raises `LiteralError` for unnamed or repeated fields, and for names that are too long.
        """
        names = [keyword.arg for keyword in node.keywords]
        if node.args or None in names:
            advice = f"name all fields, such as {one_line(class_name, 40)}(x=1, y=2)"
            raise self._source.error(node, "fields without names are not a literal", advice)
        if len(set(names)) < len(names):
            raise self._source.error(node, "a field is given twice", "leave one of them out")
        self._check_names(node, (class_name, *map(str, names)))
        values = self._items((keyword.value for keyword in node.keywords), depth)
        return Fields(class_name, tuple(zip(map(str, names), values, strict=True)))

    def _check_names(self, node: ast.expr, names: Iterable[str]) -> None:
        """Raise `LiteralError` if one of the `names` in `node` is too long for an executor."""
        if any(len(name) > MAX_NAME_CHARS for name in names):
            raise self._too_large(node, f"a name of more than {MAX_NAME_CHARS} characters")

    def _member(self, node: ast.Attribute) -> Value:
        """Return the enum member, or the numpy boolean, that `node` names.

        Raises `LiteralError` if it names something else, and for names that are too long.
        """
        class_name = _last_name(node.value)
        if class_name is None:
            raise self._refusal(node)
        if class_name in NUMPY and node.attr in BOOLEANS:
            return Scalar("bool", BOOLEANS[node.attr])
        if class_name in _MODULES:
            advice = "write the number itself; inf and nan are written without a module"
            problem = f"a name from the module {class_name} is not a literal"
            raise self._source.error(node, problem, advice)
        self._check_names(node, (class_name, node.attr))
        return EnumMember(class_name, node.attr)


def _number(node: ast.expr) -> _Number | None:
    """Return the unsigned number that `node` spells, or None if it does not spell one."""
    match node:
        case ast.Name(name):
            return _NAMED_NUMBERS.get(name)
        case ast.Constant(int() | float() | complex() as number) if not isinstance(number, bool):
            return number
        case _:
            return None


def _signed_number(node: ast.expr) -> _Number | None:
    """Return the signed or unsigned number that `node` spells, or None if it does not spell one."""
    if not isinstance(node, ast.UnaryOp):
        return _number(node)
    number = _number(node.operand)
    match node.op:
        case ast.UAdd():
            return number
        case ast.USub() if isinstance(number, complex):
            # Python displays complex(0, -2) as -2j, but evaluates -2j with a real part of -0.0.
            return complex(0, -number.imag)
        case ast.USub() if number is not None:
            return -number
        case _:
            return None


def _last_name(node: ast.expr) -> str | None:
    """Return `C` for the nodes `C` and `a.b.C`, or None for any other node.

    The module is left out because executors report classes without it.
    """
    name = None
    while isinstance(node, ast.Attribute):
        name = name or node.attr
        node = node.value
    return (name or node.id) if isinstance(node, ast.Name) else None
