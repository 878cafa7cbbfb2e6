"""Answers calls from a table of recorded calls, which is all that a hard-coder knows.

This runs in executors only, where its source is sent with a table. It imports nothing, since a
suite may forbid imports. A row is one call: the name, the arguments by name, the result, the new
values of changed arguments, and the output. Objects are identified by class and *state*, an opaque
hash. If no row matches, one with the same arguments on other objects is used, then a fallback.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` may be a module that the suite does not allow
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Given: TypeAlias = dict[str, Any]
    Outcome: TypeAlias = Callable[[Given], Any]
    Row: TypeAlias = tuple[str, str, str, Outcome, Mapping[str, Outcome], str]

_ATOMS = (type(None), bool, int, float, complex, str, bytes, range)
UNKNOWN = "?"


class OpaqueStandIn:
    """An object with only a class and a state."""

    state = UNKNOWN
    table: AnswerTable
    attributes: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        """Return the recorded value of the attribute."""
        if name not in self.attributes:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.table.answer(f"{type(self).__name__}.{name}", {"self": self})


CLASSES: dict[str, type[OpaqueStandIn]] = {}
_FAILURES: dict[str, type[BaseException]] = {}


def made(class_name: str, state: str) -> OpaqueStandIn:
    """Return a new object of that class, in that state."""
    if class_name not in CLASSES:
        CLASSES[class_name] = type(class_name, (OpaqueStandIn,), {})
    new = object.__new__(CLASSES[class_name])  # `__init__` would ask the table
    new.__dict__["state"] = state
    return new


def failure(name: str, base: type[BaseException]) -> type[BaseException]:
    """Return the exception class of that name, always the same one."""
    return _FAILURES.setdefault(name, type(name, (base,), {}))


def fail(kind: type[BaseException], *arguments: object) -> None:
    """Raise an exception."""
    raise kind(*arguments)


def array(rows: Any, kind: str = "int64") -> Any:
    """Return a numpy array with these elements."""
    import numpy as np  # noqa: PLC0415 - most exercises do not need or allow numpy

    return np.array(rows, dtype=kind)


def is_array(value: object) -> bool:
    """Return whether `value` is a numpy array."""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def no_state(_value: object) -> str:
    """Return the state of an object that is not a stand-in: unknown."""
    return UNKNOWN


def named(value: Any, state_of: Callable[[Any], str] = no_state) -> str:
    """Return a text that is the same only for values that a caller cannot distinguish."""
    kind = type(value)
    if kind in _ATOMS:
        return repr(value)
    if kind is tuple or kind is list:
        inside = ", ".join(named(each, state_of) for each in value)
        return f"({inside})" if kind is tuple else f"[{inside}]"
    if kind is set or kind is frozenset:
        inside = ", ".join(sorted(named(each, state_of) for each in value))  # in any order
        return f"{kind.__name__} {{{inside}}}"
    if kind is dict:
        pairs = (f"{named(key, state_of)}: {named(value[key], state_of)}" for key in value)
        return f"{{{', '.join(sorted(pairs))}}}"  # equal whatever their order
    if is_array(value):
        return f"array {value.dtype.kind} {value.tolist()}"
    if isinstance(value, type):
        return f"class {value.__name__}"
    state = value.state if isinstance(value, OpaqueStandIn) else state_of(value)
    return f"{kind.__name__} #{state}"


def named_loosely(value: Any) -> str:
    """Return a text like `named`, but with only the type of mutable values."""
    kind = type(value)
    if kind in _ATOMS:
        return repr(value)
    if kind is tuple:
        return f"({', '.join(map(named_loosely, value))})"
    return kind.__name__


def arguments(names: Sequence[str], given: Iterable[Any], by_name: Mapping[str, Any]) -> Given:
    """Return the arguments of a call by name of their parameter."""
    by_place = {names[n] if n < len(names) else f"*{n}": each for n, each in enumerate(given)}
    return by_place | dict(by_name)


def key_of(given: Given, name_of: Callable[[Any], str]) -> str:
    """Return the arguments as the text of a key."""
    return ", ".join(f"{name}={name_of(given[name])}" for name in sorted(given))


def become(old: Any, new: Any) -> None:
    """Change `old` in place so that it equals `new`."""
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
                become(before, after)  # the caller may hold the elements too
    elif kind is list:
        old[:] = new
    elif is_array(old):
        old[...] = new


class AnswerTable:
    """Recorded calls, and a fallback for each function if none of them matches."""

    def __init__(self, rows: Sequence[Row], fallbacks: Mapping[str, int]) -> None:
        """Index `rows`; `fallbacks` are indexes of rows, by name of the function."""
        self._exactly: dict[tuple[str, str], Row] = {(row[0], row[1]): row for row in rows}
        self._loosely: dict[tuple[str, str], Row] = {(row[0], row[2]): row for row in rows}
        self._fallbacks = {name: rows[number] for name, number in fallbacks.items()}

    def answer(self, name: str, given: Given) -> Any:
        """Return the answer to a call of `name`, with its recorded output and side effects."""
        is_init = name.endswith(".__init__")
        # A new object has no state yet.
        asked = {key: value for key, value in given.items() if not (is_init and key == "self")}
        row = self._exactly.get((name, key_of(asked, named)))
        is_known = row is not None
        row = row or self._loosely.get((name, key_of(asked, named_loosely)))
        row = row or self._fallbacks.get(name)
        if row is None:
            return None
        _, _, _, outcome, effects, printed = row
        print(printed, end="")
        # Effects of a similar call would corrupt objects in other states.
        if is_known or is_init:
            for parameter, after in effects.items():
                become(given.get(parameter), after(given))
        return outcome(given)

    def function(self, name: str, parameters: Sequence[str]) -> Callable[..., Any]:
        """Return the function `name`, which answers from the table."""

        def answered(*given: Any, **by_name: Any) -> Any:
            return self.answer(name, arguments(parameters, given, by_name))

        return answered

    def stand_in(
        self,
        name: str,
        bases: Iterable[str],
        methods: Mapping[str, tuple[str, Sequence[str]]],
        attributes: Sequence[str],
    ) -> type[OpaqueStandIn]:
        """Return the class `name` with these methods: kind and parameters by name."""
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
        # Python makes a class unhashable that defines `__eq__` and no `__hash__`.
        hashed = {"table": self, "attributes": attributes, "__hash__": object.__hash__}
        CLASSES[name] = type(
            name, (*inherited, *(() if inherited else (OpaqueStandIn,))), hashed | body
        )
        return CLASSES[name]
