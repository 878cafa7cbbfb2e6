"""Parameters of functions, for `inspect.signature` on the other side.

For each parameter, its name, its kind and whether it has a default are sent, but not the default
itself.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from types import FunctionType, MethodType
from typing import Any, Final

from grader.plugins.own_tests.bridge.checked_shapes import as_int, as_list, as_name, as_parts
from grader.plugins.own_tests.bridge.wire import MAX_NAME_CHARS, Malformed

_KINDS: Final = (
    *(Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL),
    *(Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD),
)
_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD, _VAR_POSITIONAL, _KEYWORD_ONLY, _VAR_KEYWORD = range(5)
_MAX_PARAMETERS: Final = 255
"""The limit on the parameters of a function, and on how many functions wrap each other."""
_HAS_VARARGS: Final = 0x04  # CO_VARARGS
_HAS_VARKEYWORDS: Final = 0x08  # CO_VARKEYWORDS


def parameters_of(value: Any) -> list[Any] | None:
    """Return the encoded parameters of the function or method `value`.

    Returns None if they cannot be determined without running code of the function, or if there
    are too many, or one has too long a name. Follows `__wrapped__`, as `inspect` does. The first
    parameter of a bound method is left out.
    """
    is_bound = type(value) is MethodType
    function = value.__func__ if is_bound else value
    for _ in range(_MAX_PARAMETERS):  # functions can wrap each other in a cycle
        if type(function) is not FunctionType:
            return None
        # `__signature__` can be an object whose attributes run code.
        if "__signature__" in function.__dict__:
            return None
        if "__wrapped__" not in function.__dict__:
            break
        function = function.__dict__["__wrapped__"]
    else:
        return None
    encoded = _encode_parameters(function)
    if len(encoded) > _MAX_PARAMETERS or any(len(name) > MAX_NAME_CHARS for _, name, _ in encoded):
        return None
    if is_bound and encoded and encoded[0][0] in {_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD}:
        return encoded[1:]
    return encoded


def _encode_parameters(function: FunctionType) -> list[Any]:
    """Return the kind and name of each parameter of `function`, and whether it has a default.

    The parameters are in the order of `inspect.signature`.
    """
    code, names = function.__code__, list(function.__code__.co_varnames)
    positional, keyword_only = code.co_argcount, code.co_kwonlyargcount
    first_default = positional - len(function.__defaults__ or ())
    encoded: list[Any] = [
        [
            _POSITIONAL_ONLY if index < code.co_posonlyargcount else _POSITIONAL_OR_KEYWORD,
            name,
            index >= first_default,
        ]
        for index, name in enumerate(names[:positional])
    ]
    variadic = names[positional + keyword_only :]
    if code.co_flags & _HAS_VARARGS:
        encoded.append([_VAR_POSITIONAL, variadic.pop(0), False])
    defaults = function.__kwdefaults__ or {}
    encoded += [
        [_KEYWORD_ONLY, name, name in defaults]
        for name in names[positional : positional + keyword_only]
    ]
    if code.co_flags & _HAS_VARKEYWORDS:
        encoded.append([_VAR_KEYWORD, variadic.pop(0), False])
    return encoded


_OWNER: Final = (Parameter("_owner", Parameter.POSITIONAL_ONLY),)


def signature_of(encoded: Any, *, is_method: bool = False) -> Signature:
    """Return the signature that `encoded` describes.

    With `is_method`, return the signature of the method's function, which has an extra first
    parameter for the object. Raises `Malformed` if the parameters form no valid signature.
    """
    if len(as_list(encoded)) > _MAX_PARAMETERS:
        raise Malformed(f"a function has more than {_MAX_PARAMETERS} parameters")
    try:
        return Signature(
            [
                *_OWNER[:is_method],
                *(_read_parameter(*as_parts(parameter, 3)) for parameter in encoded),
            ]
        )
    except ValueError as error:
        raise Malformed("the parameters of a function form no valid signature") from error


def _read_parameter(kind: Any, name: Any, has_default: Any) -> Parameter:
    """Return one decoded parameter; raises `Malformed` if its kind or name is invalid.

    Any default is represented by `...`, as its value is not sent.
    """
    if not 0 <= as_int(kind) < len(_KINDS):
        raise Malformed("a parameter of a function is of an unknown kind")
    default = ... if has_default is True else Parameter.empty
    return Parameter(as_name(name), _KINDS[kind], default=default)
