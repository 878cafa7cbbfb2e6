"""Frames, tags and caps: all that the judge and an executor have to agree on.

The judge asks, the executor answers. A request has one reply; where it asks for an import and for
steps, it has one for each of them. It is sent when the one before it has been answered, or right
behind one in which no code of a submission runs. A frame is::

    4 bytes   length of what follows, big-endian
    8 bytes   nonce: fresh random bytes in a request, echoed by its replies
    n bytes   a request: data that is marshalled; a reply: JSON

The executor may lie in a reply: whatever it sends is read as size-capped JSON and nothing else.
This module is the only one of ours that both sides import, so it needs nothing but the standard
library.

Values travel as tagged JSON. `None`, `True`, `False`, text and integers up to 64 bits stand for
themselves; everything else is a list that starts with a tag (see `Tag`).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

NONCE_BYTES: Final = 8
HEADER: Final = struct.Struct(f">I{NONCE_BYTES}s")

MAX_REPLY_BYTES: Final = 4 * 1024 * 1024
"""A longer reply ends the session."""
TOO_LONG: Final = b'{"too_long":true}'
"""What comes in the place of a longer one."""
SPENT: Final = {"spent": "units"}
"""What comes in the place of a reply when a step has used all the units that it may."""
SLEPT: Final = {"spent": "sleep"}
"""What comes when it would sleep longer than it may."""
NO_ROOM: Final = {"no_room": True}
"""What comes when a submission holds so much memory that there is none to reply with."""
MAX_SUBMISSION_REPLY_BYTES: Final = 32 * 1024 * 1024
"""All replies about one submission together; beyond it nothing more is tried on its own."""
NOT_ALLOWED: Final = "module '{}' is not allowed in this exercise"
"""What an executor raises where a submission uses a module that it is not given."""
NOT_MOVED: Final = "the current folder is that of the tests"
"""What it raises where a submission would go to another one."""
MAX_DEPTH: Final = 40
MAX_NODES: Final = 20_000
MAX_TEXT_CHARS: Final = 100_000
MAX_INT_BITS: Final = 16_384
"""The caps on a value of a suite that does not set its own; see `ValueLimits`."""
SMALL_INT_BITS: Final = 63
"""Integers up to this size travel as JSON numbers."""
MAX_NAME_CHARS: Final = 200
"""Class, function and file names are clipped to this length."""
STEP_FILE: Final = "<session>"
"""The file that the code of a step says to come from."""
RUN: Final = "__run__"
"""By this name the code of a step runs a module as a program."""
TYPE: Final = "__type__"
"""By this name the code of a step has lines typed to what it calls."""
MAX_ASKED: Final = 10_000
"""Of the lines that a program asks for, so many are noted."""
MAX_STDOUT_CHARS: Final = 64 * 1024
"""Of what a step prints, so much travels; the limit on printing itself is the suite's."""
MAX_MESSAGE_CHARS: Final = 2_000
"""The message of an exception is clipped to this length."""
MAX_FRAMES: Final = 64
"""How many of the innermost frames of a traceback travel; enough to show a call cycle."""
MAX_STOPS: Final = 100
"""Of the places where modules have stopped, so many travel."""
CELL: Final = re.compile(r"# cell (\d{1,9})")
"""The line with which a cell begins in the code of a notebook."""
MAX_CODE_BYTES: Final = 2 * 1024 * 1024
"""Compiled code of one module, as the executor hands it to the judge for safe-keeping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SurveyCaps:
    """How many facts of each kind about the source of a submission travel: the first so many."""

    constructs_of_a_kind: int = 500
    """In one module, so that one cannot crowd out another."""
    constructs: int = 20_000
    functions_of_a_module: int = 1_000
    """A module with more of them is not read at all."""
    functions: int = 5_000
    parameters_of_a_function: int = 100
    calls_of_a_function: int = 200
    touches_of_a_function: int = 100
    imports: int = 500
    too_new: int = 500
    repeated: int = 20
    suspicious: int = 200
    starts_of_a_module: int = 2_000
    unnamed: int = 1_000
    definitions: int = 200


SURVEY_CAPS: Final = _SurveyCaps()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueLimits:
    """How large a value may be that travels; one that goes over a cap travels as "too large"."""

    value_items: int = MAX_NODES
    """Elements in all: the value itself, and whatever is in it on any level."""
    value_depth: int = MAX_DEPTH
    """Levels of nesting."""
    value_chars: int = MAX_TEXT_CHARS
    """Characters of text in all; bytes and long integers travel as hexadecimal text."""
    int_bits: int = MAX_INT_BITS
    """Bits of one integer; it travels as hexadecimal text, so no conversion is quadratic."""

    @classmethod
    def among(cls, limits: Mapping[str, int]) -> ValueLimits:
        """Return the caps that are among `limits`; those that are not have their default."""
        return cls(**{name: limits[name] for name in cls.__dataclass_fields__ if name in limits})


USUAL_CAPS: Final = ValueLimits()
HIGHEST_CAPS: Final = ValueLimits(
    value_items=100_000, value_depth=100, value_chars=300_000, int_bits=66_439
)
"""The most that a suite may ask for. Elements or text up to here fit into one reply by themselves,
and neither side recurses into nested values beyond what Python allows."""


class ValueTag:
    """First element of a tagged value: what the rest of the list means."""

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
    """`["a", type of the elements, [length, ...], [value, ...]]`, the values in reading order"""
    SCALAR: Final = "n"
    """`["n", type, value]`: a number, a text or a truth value of numpy's own"""
    ENUM: Final = "E"
    """`["E", class name, member name]`"""
    OBJECT: Final = "o"
    """`["o", class name]`: anything else; only its class and its identity are known"""
    TOO_LARGE: Final = "!"
    """`["!", class name, what is too large]`"""


OF_PACKAGES: Final = {
    "DataFrame": ("columns", "index", "kinds", "cells"),
    "Series": ("name", "index", "kind", "values"),
    "Index": ("values",),
    "Timestamp": ("text",),
    "Figure": ("title", "axes"),
    "Axes": ("title", "xlabel", "ylabel", "legend", "lines", "bars", "points"),
    "Expr": ("text",),
    "Matrix": ("text",),
}
"""What objects of packages travel as: a dataclass of this name with these fields."""
ELEMENT_KINDS: Final = {
    "bool": "bool",
    **dict.fromkeys((f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "int"),
    **dict.fromkeys((f"float{bits}" for bits in (16, 32, 64)), "float"),
    **dict.fromkeys((f"complex{bits}" for bits in (64, 128)), "complex"),
    **{name: name for name in ("str", "bytes", "object")},
}
"""The types of elements with which numpy arrays travel, and what Python calls what they are.

An array of any other type travels as an object.
"""


class Excess:
    """Third element of a TOO_LARGE value: which cap it went over."""

    DEPTH: Final = "depth"
    NODES: Final = "nodes"
    TEXT: Final = "text"
    DIGITS: Final = "digits"


def pack_frame(nonce: bytes, payload: bytes) -> bytes:
    """Return the frame that carries `payload` under `nonce`."""
    return HEADER.pack(NONCE_BYTES + len(payload), nonce) + payload
