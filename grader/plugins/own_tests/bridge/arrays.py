"""Arrays and scalars of numpy: real ones on both sides, as lists are.

A view is sent with the array that it looks into, so that a change in either shows in both. Arrays
of records are refused, as their elements can be of any kind.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable
from contextlib import suppress
from operator import is_
from typing import Any, Final

from grader.plugins.own_tests.bridge.containers import ContainerKind, add_kind
from grader.plugins.own_tests.bridge.wire import Malformed, Uncrossable

_MAX_BYTES: Final = 1 << 26
_MAX_DIMENSIONS: Final = 32  # as many as numpy 1 knows
# Byte order, kind, size and, for dates, the unit: `<M8[ns]`.
_DTYPE: Final = re.compile(r"[<>|=]([?biufcmMSU][1-9]\d{0,7}(\[\w{1,20}\])?|O8?|b1)")
_SCALARS: Final = "?bhilqBHILQefdFDUSmM"
"""The type codes of the scalars that can be sent."""
_NUMPY: Final[list[Any]] = []


def learn(numpy: Any) -> list[type]:
    """Register arrays as a kind of container; return the classes of numpy's scalars."""
    if not _NUMPY:
        _NUMPY.append(numpy)
        kind = ContainerKind(
            name="ndarray", base=numpy.ndarray, parts=_parts, note=_parts, is_as_noted=_is_as_noted,
            fill=_fill, made_with=_constructor_arguments, new=_new, needs=_needs, is_final=True,
        )  # fmt: skip
        add_kind(kind)
    return [numpy.dtype(letter).type for letter in _SCALARS]


def _viewed_array(value: Any) -> Any:
    """Return the array that `value` is a view of, None if it is sent with its own elements."""
    viewed = value.base
    is_array = type(viewed) is type(value) and viewed.base is None
    is_sent = is_array and viewed.flags.c_contiguous and not value.dtype.hasobject
    return viewed if is_sent else None


def _needs(value: Any) -> Iterable[Any]:
    viewed = _viewed_array(value)
    return () if viewed is None else (viewed,)


def _parts(value: Any) -> list[Any]:
    """Return whether `value` is writable, and, if it is not a view, its shape and elements."""
    is_writable = bool(value.flags.writeable)
    if _viewed_array(value) is not None:
        return [is_writable]
    elements = value.ravel().tolist() if value.dtype.hasobject else [value.tobytes()]
    return [is_writable, value.shape, *elements]


def _is_as_noted(value: Any, note: list[Any]) -> bool:
    """Return whether `value` is unchanged; raises `Uncrossable` after a resize.

    Views may still use the old memory.
    """
    current = _parts(value)
    if len(current) > 1 and len(note) > 1 and math.prod(current[1]) != math.prod(note[1]):
        raise Uncrossable("an array that both sides have cannot be resized; make a new one")
    if value.dtype.hasobject:
        is_same_shape = current[:2] == note[:2] and len(current) == len(note)
        return is_same_shape and all(map(is_, current[2:], note[2:]))
    return current == note


def _constructor_arguments(value: Any) -> tuple[Any, ...]:
    dtype = value.dtype.str
    if not _DTYPE.fullmatch(dtype):
        raise Uncrossable(f"an array of {dtype} cannot be handed over; one of numbers can")
    viewed = _viewed_array(value)
    if viewed is None:
        return dtype, value.shape, None, 0, ()
    return dtype, value.shape, viewed, _address(value) - _address(viewed), value.strides


def _address(value: Any) -> int:
    address: int = value.__array_interface__["data"][0]
    return address


def _new(extra: Any) -> Any:
    """Return an array made from the parts that `_constructor_arguments` returns."""
    if type(extra) is not tuple or len(extra) != 5:
        raise Malformed("an array of no shape")
    dtype_code, shape, viewed, offset, strides = extra
    (numpy,) = _NUMPY
    dtype = _dtype(dtype_code)
    if math.prod(_sizes(shape)) * dtype.itemsize > _MAX_BYTES:
        raise Malformed("an array that is too large")
    try:
        if viewed is None:
            return numpy.zeros(shape, dtype)
        if type(viewed) is numpy.ndarray and not dtype.hasobject and not viewed.dtype.hasobject:
            if 0 in shape:  # it has no elements, so it has no place
                return numpy.ndarray(shape, dtype, viewed)
            _check_extent(shape, dtype.itemsize, viewed.nbytes, offset, strides)
            return numpy.ndarray(shape, dtype, viewed, offset, strides)
    except (OverflowError, TypeError, ValueError) as error:
        raise Malformed("an impossible array") from error
    raise Malformed("an array in something else")


def _check_extent(shape: Any, itemsize: int, size_bytes: int, offset: Any, strides: Any) -> None:
    """Refuse elements outside of `size_bytes` bytes: numpy does not check an empty buffer."""
    if type(strides) is not tuple or not all(type(each) is int for each in (offset, *strides)):
        raise Malformed("an array of no place")
    reaches = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    lowest = offset + sum(reach for reach in reaches if reach < 0)
    highest = offset + sum(reach for reach in reaches if reach > 0) + itemsize
    if lowest < 0 or highest > size_bytes:
        raise Malformed("an array that reaches out of another one")


def _fill(value: Any, parts: list[Any]) -> None:
    if not parts or type(parts[0]) is not bool:
        raise Malformed("an array of no kind")
    is_writable, *content = parts
    if _viewed_array(value) is None:
        _fill_own(value, content)
    if value.flags.writeable != is_writable:
        with suppress(ValueError):  # a view of a read-only array stays read-only
            value.flags.writeable = is_writable


def _fill_own(value: Any, parts: list[Any]) -> None:
    """Fill an array in place, as views may share its memory."""
    (numpy,) = _NUMPY
    if not parts or math.prod(_sizes(parts[0])) != value.size:
        raise Malformed("an array of another size")
    shape, *elements = parts
    try:
        if not value.flags.writeable:  # the other side has changed it, and frozen it again
            value.flags.writeable = True
        if shape != value.shape:
            with warnings.catch_warnings():  # numpy 2.5 deprecates setting `shape`
                warnings.simplefilter("ignore", DeprecationWarning)
                value.shape = shape
        if value.dtype.hasobject:
            fresh = numpy.empty(len(elements), object)
            for place, element in enumerate(elements):  # a slice would unpack lists
                fresh[place] = element
        else:
            (content,) = elements
            fresh = numpy.frombuffer(content, value.dtype)
        value[...] = fresh.reshape(shape)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise Malformed("elements that fill no array") from error


def _sizes(shape: Any) -> tuple[int, ...]:
    if type(shape) is not tuple or len(shape) > _MAX_DIMENSIONS:
        raise Malformed("an array of no shape")
    if not all(type(size) is int and 0 <= size <= _MAX_BYTES for size in shape):
        raise Malformed("an array of an impossible shape")
    return shape


def _dtype(code: Any) -> Any:
    (numpy,) = _NUMPY
    if type(code) is not str or not _DTYPE.fullmatch(code):
        raise Malformed("elements of no type")
    try:
        return numpy.dtype(code)
    except (TypeError, ValueError) as error:
        raise Malformed("elements of no type") from error


def scalar(dtype_code: Any, content: bytes) -> Any:
    """Return the numpy scalar of these bytes; raises `Malformed`."""
    if not _NUMPY:
        raise Malformed("a number of somebody else")
    dtype = _dtype(dtype_code)
    if dtype.hasobject or not 0 < dtype.itemsize == len(content):
        raise Malformed("a number that is none")
    return _NUMPY[0].frombuffer(content, dtype)[0]
