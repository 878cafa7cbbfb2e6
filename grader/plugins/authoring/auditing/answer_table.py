"""Calls answered from a table of recorded calls: what a hard-coder knows, and all of it.

This runs in executors only. It is sent there as text, beside a table, and imports nothing, so that
no suite can forbid what it needs. A row of the table is about one call: what was called, the
arguments by name, how it ended, what became of arguments that it changed, and what it printed. An
object is known by its class and by its *state*, which means nothing but that it was seen before.
Where no row fits, one about the same arguments on other objects does, and after that the fallback.
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
    """An object of which only the class and the state are known."""

    state = UNKNOWN
    table: AnswerTable
    attributes: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        """Return what the attribute was last seen to be."""
        if name not in self.attributes:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.table.answer(f"{type(self).__name__}.{name}", {"self": self})


CLASSES: dict[str, type[OpaqueStandIn]] = {}
_FAILURES: dict[str, type[BaseException]] = {}


def made(class_name: str, state: str) -> OpaqueStandIn:
    """Return a new object of that class, in that state."""
    if class_name not in CLASSES:
        CLASSES[class_name] = type(class_name, (OpaqueStandIn,), {})
    new = object.__new__(CLASSES[class_name])
    new.__dict__["state"] = state
    return new


def failure(name: str, base: type[BaseException]) -> type[BaseException]:
    """Return the class of exceptions of that name, of which there is only one."""
    return _FAILURES.setdefault(name, type(name, (base,), {}))


def fail(kind: type[BaseException], *arguments: object) -> None:
    """Raise an exception."""
    raise kind(*arguments)


def array(rows: Any, kind: str = "int64") -> Any:
    """Return an array of numpy's with these elements."""
    import numpy as np  # noqa: PLC0415 - most exercises do without, and need not allow it

    return np.array(rows, dtype=kind)


def is_array(value: object) -> bool:
    """Return whether `value` is an array of numpy's."""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def no_state(_value: object) -> str:
    """Return the state of an object that is no stand-in: nothing is known of it."""
    return UNKNOWN


def named(value: Any, state_of: Callable[[Any], str] = no_state) -> str:
    """Return a text that two values share only if a caller cannot tell them apart."""
    kind = type(value)
    if kind in _ATOMS:
        return repr(value)
    if kind is tuple or kind is list:
        inside = ", ".join(named(each, state_of) for each in value)
        return f"({inside})" if kind is tuple else f"[{inside}]"
    if kind is set or kind is frozenset:
        inside = ", ".join(sorted(named(each, state_of) for each in value))
        return f"{kind.__name__} {{{inside}}}"
    if kind is dict:
        pairs = (f"{named(key, state_of)}: {named(value[key], state_of)}" for key in value)
        return f"{{{', '.join(sorted(pairs))}}}"
    if is_array(value):
        return f"array {value.dtype.kind} {value.tolist()}"
    if isinstance(value, type):
        return f"class {value.__name__}"
    return (
        f"{kind.__name__} #{value.state if isinstance(value, OpaqueStandIn) else state_of(value)}"
    )


def named_loosely(value: Any) -> str:
    """Return the like of `named` that says nothing of what can change."""
    kind = type(value)
    if kind in _ATOMS:
        return repr(value)
    if kind is tuple:
        return f"({', '.join(map(named_loosely, value))})"
    return kind.__name__


def arguments(names: Sequence[str], given: Iterable[Any], by_name: Mapping[str, Any]) -> Given:
    """Return the arguments of a call by the names of the parameters."""
    by_place = {names[n] if n < len(names) else f"*{n}": each for n, each in enumerate(given)}
    return by_place | dict(by_name)


def key_of(given: Given, name_of: Callable[[Any], str]) -> str:
    """Return the arguments as a key; of an object that is being made there is nothing to say."""
    return ", ".join(f"{name}={name_of(given[name])}" for name in sorted(given))


def become(old: Any, new: Any) -> None:
    """Make `old`, or what is in it, what `new` is."""
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
                become(before, after)
    elif kind is list:
        old[:] = new
    elif is_array(old):
        old[...] = new


class AnswerTable:
    """The rows, and for each thing that can be called what to answer when none of them fits."""

    def __init__(self, rows: Sequence[Row], fallbacks: Mapping[str, int]) -> None:
        """Know `rows`; `fallbacks` are numbers of rows, by what is called."""
        self._exactly: dict[tuple[str, str], Row] = {(row[0], row[1]): row for row in rows}
        self._loosely: dict[tuple[str, str], Row] = {(row[0], row[2]): row for row in rows}
        self._fallbacks = {name: rows[number] for name, number in fallbacks.items()}

    def answer(self, name: str, given: Given) -> Any:
        """Do as if `name` were called."""
        unmade = name.endswith(".__init__")
        asked = {key: value for key, value in given.items() if not (unmade and key == "self")}
        row = self._exactly.get((name, key_of(asked, named)))
        is_known = row is not None
        row = row or self._loosely.get((name, key_of(asked, named_loosely)))
        row = row or self._fallbacks.get(name)
        if row is None:
            return None
        _, _, _, outcome, effects, printed = row
        print(printed, end="")
        if is_known or unmade:
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
        """Return the class `name` with these methods, each with its kind and its parameters."""
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
        hashed = {"table": self, "attributes": attributes, "__hash__": object.__hash__}
        CLASSES[name] = type(
            name, (*inherited, *(() if inherited else (OpaqueStandIn,))), hashed | body
        )
        return CLASSES[name]
