"""Answers calls from a table of recorded calls, which is all that a hard-coder knows.

This module runs only in executors, to which its source is sent together with a table. It imports
nothing but numpy, and only if needed, since a suite can forbid imports. A row is one call: the
function's name, the arguments keyed by parameter, the result, the new values of changed arguments,
and the output. Objects are identified by their class and *state*, an opaque hash. If no row matches
exactly, the answer comes from a row with the same atomic arguments but other objects, or else from
a fallback row.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the suite might not allow `typing`
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Arguments: TypeAlias = dict[str, Any]
    Outcome: TypeAlias = Callable[[Arguments], Any]
    Row: TypeAlias = tuple[str, str, str, Outcome, Mapping[str, Outcome], str]

_ATOMS = (type(None), bool, int, float, complex, str, bytes, range)
UNKNOWN = "?"


class OpaqueStandIn:
    """An object of which only the class and the state are known.

    The attributes of the class itself are set by `AnswerTable.stand_in`.
    """

    state = UNKNOWN
    table: AnswerTable
    attributes: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        """Return the recorded value of the attribute `name`.

        Raises `AttributeError` if the class has no such attribute.
        """
        if name not in self.attributes:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.table.answer(f"{type(self).__name__}.{name}", {"self": self})


CLASSES: dict[str, type[OpaqueStandIn]] = {}
_FAILURES: dict[str, type[BaseException]] = {}


def new_object(class_name: str, state: str) -> OpaqueStandIn:
    """Return a new stand-in in this `state`. Define its class if it does not exist yet."""
    if class_name not in CLASSES:
        CLASSES[class_name] = type(class_name, (OpaqueStandIn,), {})
    new = object.__new__(CLASSES[class_name])  # `__init__` would look itself up in the table
    new.__dict__["state"] = state
    return new


def exception_class(name: str, base: type[BaseException]) -> type[BaseException]:
    """Return the exception class `name`, derived from `base`. Create it on the first call."""
    return _FAILURES.setdefault(name, type(name, (base,), {}))


def fail(kind: type[BaseException], *args: object) -> None:
    """Raise an exception of this `kind`. Unlike a `raise` statement, a call is an expression."""
    raise kind(*args)


def array(rows: Any, kind: str = "int64") -> Any:
    """Return a numpy array of the elements in `rows`, with the dtype `kind`."""
    import numpy as np  # noqa: PLC0415 - most exercises do not need or allow numpy

    return np.array(rows, dtype=kind)


def is_array(value: object) -> bool:
    """Return whether `value` is a numpy array, without importing numpy."""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def unknown_state(_value: object) -> str:
    """Return `UNKNOWN`, the state of objects that are not stand-ins."""
    return UNKNOWN


def value_key(value: Any, state_of: Callable[[Any], str] = unknown_state) -> str:
    """Return a string that is equal only for values that a caller cannot distinguish.

    `state_of` returns the state of an object that is not a stand-in.
    """
    kind = type(value)
    # Types are compared exactly: True equals 1, but callers can distinguish them.
    if kind in _ATOMS:
        return repr(value)
    if kind is tuple or kind is list:
        items = ", ".join(value_key(item, state_of) for item in value)
        return f"({items})" if kind is tuple else f"[{items}]"
    if kind is set or kind is frozenset:
        # Sorted, because sets are unordered.
        items = ", ".join(sorted(value_key(item, state_of) for item in value))
        return f"{kind.__name__} {{{items}}}"
    if kind is dict:
        pairs = (f"{value_key(key, state_of)}: {value_key(value[key], state_of)}" for key in value)
        return f"{{{', '.join(sorted(pairs))}}}"  # dicts are equal in any order
    if is_array(value):
        return f"array {value.dtype.kind} {value.tolist()}"
    if isinstance(value, type):
        return f"class {value.__name__}"
    state = value.state if isinstance(value, OpaqueStandIn) else state_of(value)
    return f"{kind.__name__} #{state}"


def loose_value_key(value: Any) -> str:
    """Return a key like that of `value_key`, but with only the type of each non-atomic value.

    The elements of tuples are part of the key.
    """
    kind = type(value)
    if kind in _ATOMS:
        return repr(value)
    if kind is tuple:
        return f"({', '.join(map(loose_value_key, value))})"
    return kind.__name__


def bind_arguments(
    names: Sequence[str], positional: Iterable[Any], by_name: Mapping[str, Any]
) -> Arguments:
    """Return the arguments of a call, keyed by parameter.

    Surplus positional arguments are keyed by `*index`.
    """
    by_position = {
        names[index] if index < len(names) else f"*{index}": value
        for index, value in enumerate(positional)
    }
    return by_position | dict(by_name)


def arguments_key(arguments: Arguments, key_of: Callable[[Any], str]) -> str:
    """Return `arguments` as a key, in which `key_of` returns the key of each value."""
    return ", ".join(f"{name}={key_of(arguments[name])}" for name in sorted(arguments))


def update_in_place(old: Any, new: Any) -> None:
    """Change `old` in place so that it equals `new`, as far as `old` is mutable."""
    kind = type(old)
    if isinstance(old, OpaqueStandIn):
        old.__dict__["state"] = new.state
    elif kind is set or kind is dict:
        old.clear()
        old.update(new)
    elif kind in (list, tuple) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            if kind is list and type(before) in _ATOMS:
                old[index] = after
            else:
                update_in_place(before, after)  # the caller might hold references to the elements
    elif kind is list:
        old[:] = new
    elif is_array(old):
        old[...] = new


class AnswerTable:
    """Recorded calls, and for each function a fallback that is used if no recorded call matches."""

    def __init__(self, rows: Sequence[Row], fallbacks: Mapping[str, int]) -> None:
        """Index `rows`. `fallbacks` maps a function's name to the index of its fallback row."""
        self._exact_rows: dict[tuple[str, str], Row] = {(row[0], row[1]): row for row in rows}
        self._loose_rows: dict[tuple[str, str], Row] = {(row[0], row[2]): row for row in rows}
        self._fallbacks = {name: rows[index] for name, index in fallbacks.items()}

    def answer(self, name: str, arguments: Arguments) -> Any:
        """Return the answer to a call of `name`, or raise the recorded exception.

        Also print the recorded output. If the call matches exactly, or creates an object, change
        the arguments as the recorded call did. If no row matches and there is no fallback, only
        return None.
        """
        is_init = name.endswith(".__init__")
        # A new object has no state yet.
        key_arguments = {
            key: value for key, value in arguments.items() if not (is_init and key == "self")
        }
        row = self._exact_rows.get((name, arguments_key(key_arguments, value_key)))
        is_exact = row is not None
        row = row or self._loose_rows.get((name, arguments_key(key_arguments, loose_value_key)))
        row = row or self._fallbacks.get(name)
        if row is None:
            return None
        _, _, _, outcome, effects, printed = row
        print(printed, end="")
        # Effects of a merely similar call would corrupt objects in other states.
        if is_exact or is_init:
            for parameter, after in effects.items():
                update_in_place(arguments.get(parameter), after(arguments))
        return outcome(arguments)

    def function(self, name: str, parameters: Sequence[str]) -> Callable[..., Any]:
        """Return a function that answers calls of `name` from the table."""

        def answer_call(*positional: Any, **by_name: Any) -> Any:
            return self.answer(name, bind_arguments(parameters, positional, by_name))

        return answer_call

    def stand_in(
        self,
        name: str,
        bases: Iterable[str],
        methods: Mapping[str, tuple[str, Sequence[str]]],
        attributes: Sequence[str],
    ) -> type[OpaqueStandIn]:
        """Define and return the class `name`, whose methods and attributes answer from the table.

        `bases` are classes that were defined earlier. `methods` maps the name of each method to its
        kind (`method`, `static` or `class`) and its parameters. Adds the class to `CLASSES`.
        """
        kinds: dict[str, Callable[..., Any]] = {
            "method": lambda function: function,
            "static": staticmethod,
            "class": classmethod,
        }
        body: dict[str, Any] = {
            method: kinds[kind](self.function(f"{name}.{method}", parameters))
            for method, (kind, parameters) in methods.items()
        }
        inherited = tuple(CLASSES[base] for base in bases)
        # A class that defines `__eq__` but no `__hash__` would become unhashable.
        common = {"table": self, "attributes": attributes, "__hash__": object.__hash__}
        CLASSES[name] = type(
            name, (*inherited, *(() if inherited else (OpaqueStandIn,))), common | body
        )
        return CLASSES[name]
