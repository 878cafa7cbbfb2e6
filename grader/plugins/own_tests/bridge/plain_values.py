"""Encodes and decodes immutable values without other values in them, such as numbers and bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from grader.plugins.own_tests.bridge.arrays import scalar
from grader.plugins.own_tests.bridge.checked_shapes import as_float, as_parts, as_text
from grader.plugins.own_tests.bridge.hosts import Encoded
from grader.plugins.own_tests.bridge.wire import KNOWN, SINGLES, Malformed, Uncrossable, WireTag
from grader.protocol import SMALL_INT_BITS, ValueTag

_MAX_BITS: Final = 1_000_000  # like `_MAX_EXPONENT`, limits the time and memory that a value takes
_MAX_EXPONENT: Final = 20_000  # converting a larger one to `int` is slow and needs a lot of memory
MAX_FRACTION_BITS: Final = 66_439  # 20,000 decimal digits
"""The maximum length of the numerator or denominator of a fraction."""
_HEX: Final = re.compile(r"-?0x[0-9a-f]+")


def _known_class(parts: list[Any]) -> Any:
    """Return a class that both sides have; raises `Malformed` if its name is unknown."""
    try:
        return KNOWN[as_text(*as_parts(parts, 1))]
    except KeyError:
        raise Malformed("unknown class") from None


def _singleton(parts: list[Any]) -> Any:
    """Return a singleton that both sides have; raises `Malformed` if its name is unknown."""
    try:
        return SINGLES[as_text(*as_parts(parts, 1))]
    except KeyError:
        raise Malformed("unknown singleton") from None


def _int(parts: list[Any]) -> int:
    """Return an integer, sent as hexadecimal digits because it is too large for JSON.

    Raises `Malformed` if the digits are invalid, or too many.
    """
    text = as_text(*as_parts(parts, 1))
    # Each hexadecimal digit has four bits.
    if len(text) > len("-0x") + _MAX_BITS // 4 or not _HEX.fullmatch(text):
        raise Malformed(f"expected a hexadecimal integer of at most {_MAX_BITS:,} bits")
    return int(text, 16)


def _float(parts: list[Any]) -> float:
    return as_float(*as_parts(parts, 1))


def _complex(parts: list[Any]) -> complex:
    real, imaginary = as_parts(parts, 2)
    return complex(as_float(real), as_float(imaginary))


def _bytes(parts: list[Any]) -> bytes:
    try:
        return bytes.fromhex(as_text(*as_parts(parts, 1)))
    except ValueError:
        raise Malformed("expected bytes as hexadecimal digits") from None


def _scalar(parts: list[Any]) -> Any:
    dtype, content = as_parts(parts, 2)
    return scalar(dtype, _bytes([content]))


def _decimal(parts: list[Any]) -> Decimal:
    """Return a decimal number; raises `Malformed` if its digits or its exponent are too long.

    `MessageReader.read` turns the exception for an invalid number into `Malformed`.
    """
    text = as_text(*as_parts(parts, 1))
    value = Decimal(text)
    if _is_long_decimal(value, text):
        raise Malformed(
            f"a decimal number has more than {_MAX_EXPONENT:,} digits, or too large an exponent"
        )
    return value


def _is_long_decimal(value: Decimal, text: str) -> bool:
    """Return whether `value`, written as `text`, has too many digits or too large an exponent."""
    exponent = value.as_tuple().exponent
    return len(text) > _MAX_EXPONENT or (type(exponent) is int and abs(exponent) > _MAX_EXPONENT)


def encode_int(value: int) -> Encoded:
    """Return an encoded integer; raises `Uncrossable` if the other side would refuse it."""
    bits = value.bit_length()
    if bits > _MAX_BITS:
        raise Uncrossable(
            f"an integer of more than {_MAX_BITS:,} bits cannot be sent; use a smaller one"
        )
    return value if bits <= SMALL_INT_BITS else [ValueTag.INT, hex(value)]


def encode_decimal(value: Decimal) -> Encoded:
    """Return an encoded decimal number; raises `Uncrossable` if the other side would refuse it."""
    text = str(value)
    if _is_long_decimal(value, text):
        raise Uncrossable(
            f"a decimal number with more than {_MAX_EXPONENT:,} digits, or with a larger exponent,"
            " cannot be sent; use a smaller one"
        )
    return [ValueTag.DECIMAL, text]


def fraction_parts(value: Fraction) -> tuple[int, int]:
    """Return both parts of a fraction; raises `Uncrossable` if one of them is too long."""
    parts = value.numerator, value.denominator
    if any(part.bit_length() > MAX_FRACTION_BITS for part in parts):
        raise Uncrossable(
            f"a fraction with parts of more than {MAX_FRACTION_BITS:,} bits cannot be sent; use a"
            " simpler one"
        )
    return parts


def encode_scalar(value: Any) -> Encoded:
    """Return an encoded scalar of numpy."""
    code: str = value.dtype.str
    if not value.dtype.itemsize:  # an empty string, for which `tobytes` returns a null character
        code = f"{code[:-1]}1"
    return [ValueTag.SCALAR, code, value.tobytes().hex()]


PLAIN: Final[dict[str, Callable[[list[Any]], Any]]] = {
    WireTag.KNOWN: _known_class,
    WireTag.SINGLE: _singleton,
    ValueTag.INT: _int,
    ValueTag.FLOAT: _float,
    ValueTag.COMPLEX: _complex,
    ValueTag.BYTES: _bytes,
    ValueTag.SCALAR: _scalar,
    ValueTag.DECIMAL: _decimal,
}
"""The decoders by tag; each gets the elements after the tag, and can raise `Malformed`."""
