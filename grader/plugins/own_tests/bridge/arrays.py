"""Arrays and scalars of numpy: like lists, they are real objects on both sides.

A view is sent with the array whose memory it uses, so that a change to one of them shows in both.
Record arrays are refused, as their fields can be of any type.
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

_MAX_BYTES: Final = 1 << 26  # a short message could otherwise allocate any amount of memory
_MAX_DIMENSIONS: Final = 32  # the limit of numpy 1
# Byte order, kind, size and, for dates, the unit: `<M8[ns]`.
_PERMITTED_DTYPE: Final = re.compile(r"[<>|=]([?biufcmMSU][1-9]\d{0,7}(\[\w{1,20}\])?|O8?|b1)")
_SCALARS: Final = "?bhilqBHILQefdFDUSmM"
"""The type codes of the scalars that can be sent."""
_NUMPY: Final[list[Any]] = []
"""Contains the numpy module once it is registered; empty in a process that does not use numpy."""


def register_numpy(numpy: Any) -> list[type]:
    """Register arrays as a container kind, and return the scalar classes that can be sent."""
    if not _NUMPY:
        _NUMPY.append(numpy)
        kind = ContainerKind(
            name="ndarray", base=numpy.ndarray, parts=_parts, take_snapshot=_parts,
            is_unchanged=_is_unchanged, fill=_fill, constructor_argument=_constructor_arguments,
            new=_create_array, needs=_required_arrays, is_final=True,
        )  # fmt: skip
        add_kind(kind)
    return [numpy.dtype(letter).type for letter in _SCALARS]


def _base_if_view(value: Any) -> Any:
    """Return the array that `value` is a view of, or None to send its elements on their own.

    `value` counts as a view only if its base is a contiguous array, and if its own elements are not
    objects.
    """
    base = value.base
    has_array_base = type(base) is type(value) and base.base is None
    is_view = has_array_base and base.flags.c_contiguous and not value.dtype.hasobject
    return base if is_view else None


def _required_arrays(value: Any) -> Iterable[Any]:
    """Return the arrays that must be sent before `value`: its base if it is a view, or none."""
    base = _base_if_view(value)
    return () if base is None else (base,)


def _parts(value: Any) -> list[Any]:
    """Return the parts of an array that are sent: whether it is writable, its shape, its elements.

    The shape and the elements of a view are left out, as they are sent with the array that it is a
    view of. Raises `Uncrossable` if the other side would refuse the array as too large.
    """
    if value.nbytes > _MAX_BYTES or max(value.shape, default=0) > _MAX_BYTES:
        raise Uncrossable(
            f"an array of more than {_MAX_BYTES:,} bytes cannot be sent; use a smaller one"
        )
    if value.ndim > _MAX_DIMENSIONS:
        raise Uncrossable(
            f"an array of more than {_MAX_DIMENSIONS} dimensions cannot be sent; use fewer"
        )
    is_writable = bool(value.flags.writeable)
    if _base_if_view(value) is not None:
        return [is_writable]
    elements = value.ravel().tolist() if value.dtype.hasobject else [value.tobytes()]
    return [is_writable, value.shape, *elements]


def _is_unchanged(value: Any, snapshot: list[Any]) -> bool:
    """Return whether `value` still matches `snapshot`; raises `Uncrossable` if it was resized.

    Resizing an array would leave its views with the old buffer.
    """
    current_parts = _parts(value)
    if (
        len(current_parts) > 1
        and len(snapshot) > 1
        and math.prod(current_parts[1]) != math.prod(snapshot[1])
    ):
        raise Uncrossable(
            "an array that both sides share cannot be resized; make a new array instead"
        )
    if value.dtype.hasobject:
        is_same_shape = current_parts[:2] == snapshot[:2] and len(current_parts) == len(snapshot)
        return is_same_shape and all(map(is_, current_parts[2:], snapshot[2:]))
    return current_parts == snapshot


def _constructor_arguments(value: Any) -> tuple[Any, ...]:
    """Return the arguments from which the other side makes an array like `value`.

    They are the type code and the shape; for a view also its base array, byte offset and strides.
    Raises `Uncrossable` if the elements cannot be sent.
    """
    dtype = value.dtype.str
    if not _PERMITTED_DTYPE.fullmatch(dtype):
        raise Uncrossable(
            f"an array with elements of type {dtype} cannot be sent; use an array of numbers"
        )
    base = _base_if_view(value)
    if base is None:
        return dtype, value.shape, None, 0, ()
    return dtype, value.shape, base, _address(value) - _address(base), value.strides


def _address(value: Any) -> int:
    """Return the memory address of the first element of `value`."""
    address: int = value.__array_interface__["data"][0]
    return address


def _create_array(arguments: Any) -> Any:
    """Make an array from what `_constructor_arguments` has returned on the other side.

    The arguments are not trusted. Raises `Malformed` if they do not describe a valid array.
    """
    if type(arguments) is not tuple or len(arguments) != 5:
        raise Malformed("expected five arguments for an array")
    dtype_code, shape, base, offset, strides = arguments
    (numpy,) = _NUMPY
    dtype = _read_dtype(dtype_code)
    if math.prod(_checked_shape(shape)) * dtype.itemsize > _MAX_BYTES:
        raise Malformed(f"an array is larger than {_MAX_BYTES:,} bytes")
    try:
        if base is None:
            return numpy.zeros(shape, dtype)
        if type(base) is numpy.ndarray and not dtype.hasobject and not base.dtype.hasobject:
            if 0 in shape:  # an empty array uses no memory of its base
                return numpy.ndarray(shape, dtype, base)
            _check_extent(shape, dtype.itemsize, base.nbytes, offset, strides)
            return numpy.ndarray(shape, dtype, base, offset, strides)
    except (OverflowError, TypeError, ValueError) as error:
        raise Malformed("numpy rejects the description of an array") from error
    raise Malformed("an array views an object that is not a numeric array")


def _check_extent(shape: Any, itemsize: int, size_bytes: int, offset: Any, strides: Any) -> None:
    """Raise `Malformed` if elements lie outside the `size_bytes` bytes of the base array.

    numpy does not check this for an empty buffer. Raises `ValueError` if there are not as many
    strides as dimensions.
    """
    if type(strides) is not tuple or not all(type(number) is int for number in (offset, *strides)):
        raise Malformed("offset and strides of an array must be integers")
    extents = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    lowest = offset + sum(extent for extent in extents if extent < 0)
    highest = offset + sum(extent for extent in extents if extent > 0) + itemsize
    if lowest < 0 or highest > size_bytes:
        raise Malformed("an array view reaches outside its base array")


def _fill(value: Any, parts: list[Any]) -> None:
    """Set the content of an array, and whether it is writable, from the other side's `parts`.

    Raises `Malformed` if they do not fit the array.
    """
    if not parts or type(parts[0]) is not bool:
        raise Malformed("expected a bool that says whether an array is writable")
    is_writable, *content = parts
    if _base_if_view(value) is None:
        _fill_elements(value, content)
    if value.flags.writeable != is_writable:
        with suppress(ValueError):  # a view of a read-only array stays read-only
            value.flags.writeable = is_writable


def _fill_elements(value: Any, parts: list[Any]) -> None:
    """Fill an array in place, as views can share its memory.

    Raises `Malformed` if `parts` do not fit the array.
    """
    (numpy,) = _NUMPY
    if not parts or math.prod(_checked_shape(parts[0])) != value.size:
        raise Malformed("the size of a shared array must not change")
    shape, *elements = parts
    try:
        # The other side has made its copy writable, changed it, and made it read-only again.
        if not value.flags.writeable:
            value.flags.writeable = True
        if shape != value.shape:
            with warnings.catch_warnings():  # numpy 2.5 deprecates setting `shape`
                warnings.simplefilter("ignore", DeprecationWarning)
                value.shape = shape
        if value.dtype.hasobject:
            elements_array = numpy.empty(len(elements), object)
            for index, element in enumerate(elements):  # a slice would unpack lists
                elements_array[index] = element
        else:
            (content,) = elements
            elements_array = numpy.frombuffer(content, value.dtype)
        value[...] = elements_array.reshape(shape)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise Malformed("elements do not fit the shape or type of an array") from error


def _checked_shape(shape: Any) -> tuple[int, ...]:
    """Return `shape`; raises `Malformed` if it is not a valid shape of an array."""
    if type(shape) is not tuple or len(shape) > _MAX_DIMENSIONS:
        raise Malformed(
            f"expected a tuple of at most {_MAX_DIMENSIONS} integers as the shape of an array"
        )
    if not all(type(size) is int and 0 <= size <= _MAX_BYTES for size in shape):
        raise Malformed("a dimension of an array is out of range")
    return shape


def _read_dtype(code: Any) -> Any:
    """Return the numpy type with this `code`; raises `Malformed` if it is not permitted."""
    (numpy,) = _NUMPY
    if type(code) is not str or not _PERMITTED_DTYPE.fullmatch(code):
        raise Malformed("the type code of an array is not permitted")
    try:
        return numpy.dtype(code)
    except (TypeError, ValueError) as error:
        raise Malformed("numpy does not know the type code of an array") from error


def scalar(dtype_code: Any, content: bytes) -> Any:
    """Return the numpy scalar with this type code and `content`.

    Raises `Malformed` if they are invalid, or if numpy is not loaded.
    """
    if not _NUMPY:
        raise Malformed("a numpy scalar was sent, but numpy is not loaded")
    dtype = _read_dtype(dtype_code)
    if dtype.hasobject or not 0 < dtype.itemsize == len(content):
        raise Malformed("a numpy scalar has the wrong number of bytes")
    return _NUMPY[0].frombuffer(content, dtype)[0]
