"""Writes a value as a Python expression that recreates it exactly, including types.

For text that people read, which is shortened and escaped, see `grader.values.display`.
"""

from __future__ import annotations

from fractions import Fraction

from grader.values.tree import (
    Array,
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Opaque,
    Plain,
    Scalar,
    Sequence,
    TooLarge,
    Value,
)


class ExpressionError(Exception):
    """A value contains a part that no expression can recreate.

    Such parts are opaque, too large, or of a student's class.
    """

    def __init__(self, part: Opaque | TooLarge | Fields | EnumMember) -> None:
        """Store the `part` that no expression can recreate."""
        super().__init__(f"no expression can recreate a value of type {part.type_name}")
        self.part = part


def expression(value: Value) -> str:
    """Return an ASCII expression that recreates `value`; raises `ExpressionError` if none can.

    Besides built-ins, the expression uses classes from the standard library, and the functions
    `array(elements, dtype, shape)` and `scalar(content, dtype)` from `grader.judging.remaking`.
    It recreates a named tuple as a plain tuple.
    """
    match value:
        case Atom(content):
            return _write_atom(content)
        case Sequence("list", items):
            return f"[{_join(items)}]"
        case Sequence(_, items):
            return f"({_join(items)}{',' if len(items) == 1 else ''})"
        case Collection("frozenset", items):
            return f"frozenset([{_join(items)}])"
        case Collection(_, items):
            return f"set([{_join(items)}])"  # `{}` would be an empty dict
        case Mapping(pairs, class_name):
            pairs_text = ", ".join(f"{expression(key)}: {expression(item)}" for key, item in pairs)
            return _with_class(class_name, f"{{{pairs_text}}}")
        case Array(shape, dtype, items):
            return f"array([{_join(items)}], {dtype!r}, {shape!r})"
        case Scalar(dtype, content):
            return f"scalar({_write_atom(content)}, {dtype!r})"
        case Opaque() | TooLarge() | Fields() | EnumMember():
            raise ExpressionError(value)


def _join(items: tuple[Value, ...]) -> str:
    return ", ".join(map(expression, items))


def _with_class(class_name: str | None, content: str) -> str:
    """Return an expression that converts the dict in `content` to the named class, if any."""
    match class_name:
        case "defaultdict":  # the default factory is not known
            return f"defaultdict(None, {content})"
        case "OrderedDict" | "Counter":  # a closed list, as names from a reply must not become code
            return f"{class_name}({content})"
        case _:
            return content


def _write_atom(content: Plain) -> str:
    """Return an expression that recreates the atom `content`."""
    match content:
        case bool() | None:  # before `int`, of which `bool` is a subclass
            return repr(content)
        case range():
            return f"range({hex(content.start)}, {hex(content.stop)}, {hex(content.step)})"
        case int():
            return hex(content)  # Python refuses to parse long decimal integers
        case float():
            return f"float({repr(content)!r})"  # from a string, as `inf` and `nan` are not literals
        case complex():
            return f"complex({_write_atom(content.real)}, {_write_atom(content.imag)})"
        case Fraction():
            return f"Fraction({_write_atom(content.numerator)}, {_write_atom(content.denominator)})"
        case str() | bytes():
            return ascii(content)
        case _:
            return f"Decimal({str(content)!r})"
