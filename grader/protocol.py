"""Frames, tags and caps that the judge and an executor share.

The judge sends requests, the executor replies. A request gets one reply, or one for its import and
one for each of its steps. The judge sends the next request once the previous one is answered, or
at once if the previous one runs none of the submission's code. A frame is::

    4 bytes   length of what follows, big-endian
    8 bytes   nonce: fresh random bytes in a request, echoed by its replies
    n bytes   payload: marshalled data in a request, JSON in a reply

The executor might lie in a reply: whatever it sends is read as size-capped JSON and nothing else.
This is the only one of our modules that both sides import, so it imports nothing but the standard
library.

Values are sent as tagged JSON. `None`, `True`, `False`, text and small integers are sent as
they are; everything else is a list that starts with a tag (see `ValueTag`).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

NONCE_BYTES: Final = 8
HEADER: Final = struct.Struct(f">I{NONCE_BYTES}s")  # big-endian, without padding

MAX_REPLY_BYTES: Final = 4 * 1024 * 1024
"""A longer reply ends the session."""
TOO_LONG: Final = b'{"too_long":true}'
"""Sent instead of a longer reply."""
SPENT: Final = {"spent": "units"}
"""Sent instead of a reply when a step has used up its units."""
SLEPT: Final = {"spent": "sleep"}
"""Sent when a step would sleep longer than it is allowed to."""
NO_ROOM: Final = {"no_room": True}
"""Sent when a submission holds so much memory that none is left for a reply."""
MAX_SUBMISSION_REPLY_BYTES: Final = 32 * 1024 * 1024
"""Limit on all replies about one submission together; once it is reached, nothing more is run."""
NOT_ALLOWED: Final = "module '{}' is not allowed in this exercise"
"""The message of the error when a submission imports a module that is not allowed."""
NOT_MOVED: Final = "a submission cannot change the current folder"
"""The message of the error when a submission tries to change the current folder."""
MAX_DEPTH: Final = 40
MAX_NODES: Final = 20_000
MAX_TEXT_CHARS: Final = 100_000
MAX_INT_BITS: Final = 16_384
"""The caps on values for suites that do not set their own; see `ValueLimits`."""
SMALL_INT_BITS: Final = 63
"""Integers up to this size are sent as JSON numbers."""
MAX_NAME_CHARS: Final = 200
"""Class, function and file names are clipped to this length."""
STEP_FILE: Final = "<session>"
"""The file name of a step's code, as tracebacks show it."""
RUN: Final = "__run__"
"""The function that a step's code calls to run a module as a program."""
TYPE: Final = "__type__"
"""The function that a step's code calls to type lines at prompts."""
MAX_RECORDED_READS: Final = 10_000
"""How many of the lines that a program reads are recorded."""
MAX_STDOUT_CHARS: Final = 64 * 1024
"""How much of the output of a step is sent; the limit on printing itself is the suite's."""
MAX_MESSAGE_CHARS: Final = 2_000
"""The message of an exception is clipped to this length."""
MAX_FRAMES: Final = 64
"""How many of the innermost frames of a traceback are sent; enough to show a call cycle."""
MAX_STOPS: Final = 100
"""How many of the places where modules stopped are sent."""
CELL: Final = re.compile(r"# cell (\d{1,9})")
"""Matches the line that starts a cell in a notebook's code."""
MAX_CODE_BYTES: Final = 2 * 1024 * 1024
"""Limit on the compiled code of one module that the executor sends for the judge to store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SurveyCaps:
    """How many facts of each kind about a submission's source are sent; others are left out."""

    constructs_per_function: int = 500
    """Of each kind, in one function, or in a module outside its functions. Neither a kind nor a
    function can crowd out others."""
    constructs: int = 20_000
    functions_per_module: int = 1_000
    """A module with more of them is not read at all."""
    functions: int = 5_000
    parameters_per_function: int = 100
    calls_per_function: int = 200
    touches_per_function: int = 100
    imports: int = 500
    too_new: int = 500
    repeated: int = 20
    suspicious: int = 200
    starts_per_module: int = 2_000
    unnamed: int = 1_000
    definitions: int = 200


SURVEY_CAPS: Final = _SurveyCaps()
TOO_MANY_FUNCTIONS: Final = "TooManyFunctions"
"""The reason why a module with more functions than the cap is not read. It can still be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueLimits:
    """Caps on a value that is sent; a value over a cap is sent as "too large"."""

    value_items: int = MAX_NODES
    """Elements in all: the value itself, and everything in it at any level."""
    value_depth: int = MAX_DEPTH
    """Levels of nesting."""
    value_chars: int = MAX_TEXT_CHARS
    """Characters of text in all; bytes and long integers are sent as hexadecimal text."""
    int_bits: int = MAX_INT_BITS
    """Bits of one integer; it is sent as hexadecimal text, as decimal conversion is quadratic."""

    @classmethod
    def from_limits(cls, limits: Mapping[str, int]) -> ValueLimits:
        """Return the caps in `limits`, with the default for each missing one.

        Other entries of `limits` are ignored.
        """
        return cls(**{name: limits[name] for name in cls.__dataclass_fields__ if name in limits})


USUAL_CAPS: Final = ValueLimits()
# int_bits: 20,000 decimal digits.
HIGHEST_CAPS: Final = ValueLimits(
    value_items=100_000, value_depth=100, value_chars=300_000, int_bits=66_439
)
"""The highest caps that a suite can set. A value at these caps still fits into one reply, and
recursion into it stays within Python's limit."""


class ValueTag:
    """The first element of a tagged value, which determines the layout of the list."""

    INT: Final = "i"
    """`["i", hexadecimal]`"""
    FLOAT: Final = "f"
    """`["f", repr]`"""
    COMPLEX: Final = "c"
    """`["c", repr of real part, repr of imaginary part]`"""
    BYTES: Final = "b"
    """`["b", hexadecimal]`"""
    RANGE: Final = "r"
    """`["r", start, stop, step]`, each a value"""
    FRACTION: Final = "q"
    """`["q", numerator, denominator]`, each a value"""
    DECIMAL: Final = "m"
    """`["m", str]`"""
    TUPLE: Final = "t"
    """`["t", [value, ...]]`, with a third element for the name of a named tuple's class"""
    LIST: Final = "l"
    """`["l", [value, ...]]`"""
    SET: Final = "s"
    """`["s", [value, ...]]`"""
    FROZENSET: Final = "z"
    """`["z", [value, ...]]`"""
    DICT: Final = "d"
    """`["d", [[key, value], ...]]`, with a third element for the name of a standard subclass"""
    DATACLASS: Final = "D"
    """`["D", class name, [[field, value], ...]]`"""
    ARRAY: Final = "a"
    """`["a", type of the elements, [length, ...], [value, ...]]`, the values in row-major order"""
    SCALAR: Final = "n"
    """`["n", type, value]`: a number, text or bool of one of numpy's own types"""
    ENUM: Final = "E"
    """`["E", class name, member name]`"""
    OBJECT: Final = "o"
    """`["o", class name]`: anything else; only its class and its identity are known"""
    TOO_LARGE: Final = "!"
    """`["!", class name, what is too large]`"""


PACKAGE_OBJECTS: Final = {
    "DataFrame": ("columns", "index", "kinds", "cells"),
    "Series": ("name", "index", "kind", "values"),
    "Index": ("values",),
    "Timestamp": ("text",),
    "Figure": ("title", "axes"),
    "Axes": ("title", "xlabel", "ylabel", "legend", "lines", "bars", "points"),
    "Expr": ("text",),
    "Matrix": ("text",),
}
"""Objects of packages that are sent as a dataclass of this name with these fields."""
ELEMENT_KINDS: Final = {
    "bool": "bool",
    **dict.fromkeys((f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "int"),
    **dict.fromkeys((f"float{bits}" for bits in (16, 32, 64)), "float"),
    **dict.fromkeys((f"complex{bits}" for bits in (64, 128)), "complex"),
    **{name: name for name in ("str", "bytes", "object")},
}
"""The element types of numpy arrays that can be sent, and the Python type of each.

An array of any other type is sent as an object.
"""


class Excess:
    """Third element of a TOO_LARGE value: the cap that it exceeded."""

    DEPTH: Final = "depth"
    NODES: Final = "nodes"
    TEXT: Final = "text"
    DIGITS: Final = "digits"


def pack_frame(nonce: bytes, payload: bytes) -> bytes:
    """Return a frame with the header for `nonce`, followed by `payload`."""
    return HEADER.pack(NONCE_BYTES + len(payload), nonce) + payload
