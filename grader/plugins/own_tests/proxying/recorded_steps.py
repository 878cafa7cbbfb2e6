"""Writes the steps of a suite while a test runs.

Objects of the submission get names, and so do lists, sets and dictionaries. Names that turn out to
be unused are dropped. If a test changes a container, a step gives the container the same content.
"""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from grader.plugins.own_tests.bridge.proxies import is_proxy
from grader.plugins.own_tests.proxying.source_of_tests import ValueUse, function_code


class Unwritable(Exception):
    """A value or request cannot be written as a step; the text says why."""


class StepName:
    """A name in steps; its text is chosen when all steps are known."""

    def __init__(self, hint: str) -> None:
        """Use the name `hint`, with a number appended if that name is taken."""
        self.hint: Final = hint


Code: TypeAlias = tuple["str | StepName", ...]
"""Fragments of code, with names between them."""
_LITERAL_CLASSES: Final = (type(None), bool, int, str, bytes)
_CONTAINERS: Final[dict[type, str]] = {list: "the_list", set: "the_set", dict: "the_dict"}
"""Mutable classes, and the names for instances that a test has created."""
_BRACKETS: Final[dict[type, tuple[str, str]]] = {list: ("[", "]"), tuple: ("(", ")")}
_MAX_CHARS: Final = 2_000
"""The limit per value, as people read suites."""
_ADDRESS_IN_REPR: Final = re.compile(r" at 0x[0-9a-f]+")  # differs between runs


@dataclass(slots=True)
class _Step:
    """One step of the recording."""

    code: Code
    target: StepName | None = None
    """The name of the step's value, if a later step uses it."""
    check: dict[str, str] = field(default_factory=dict)
    creates_container: bool = False
    """Whether the step creates a container of the test, which can be inlined where it is used."""


@dataclass(slots=True)
class RecordedSession:
    """The steps of one test so far."""

    _steps: list[_Step] = field(default_factory=list)
    _code_by_id: dict[int, tuple[Any, Code]] = field(default_factory=dict)
    """By object id: the object, so that no other object gets its id, and its code."""
    _states: dict[int, str] = field(default_factory=dict)
    """By container id: the content when both sides last agreed."""
    _watched: dict[int, Any] = field(default_factory=dict)
    """By container id: containers that the test itself compares."""
    namespaces: set[int] = field(default_factory=set)
    """The ids of the modules' `__dict__`s, which `from stack import *` reads."""
    names: set[str] = field(default_factory=set)
    """The functions and classes of the submission that steps use."""
    has_begun: bool = False
    """Whether a test has begun. Before that, uses during collection are recorded."""
    end_reason: str | None = None
    """Why the recording has ended, or None if it has not."""
    printed: str = ""
    """The output of the submission that no step checks yet."""

    @property
    def is_open(self) -> bool:
        """Whether the recording continues."""
        return self.end_reason is None

    def close(self, reason: str) -> None:
        """End the recording for this reason, unless it has ended already, or no test has begun."""
        if self.is_open and self.has_begun:
            self.end_reason = reason

    def snapshot(self) -> RecordedSession:
        """Return a copy for one test, which begins with the steps recorded during collection."""
        return RecordedSession(
            list(map(copy, self._steps)),
            dict(self._code_by_id),
            dict(self._states),
            namespaces=self.namespaces,
            names=set(self.names),
            has_begun=True,
        )

    def set_code(self, value: Any, code: Code) -> None:
        """Use `code` for `value` in later steps, unless there is other code for it."""
        self._code_by_id.setdefault(id(value), (value, code))

    # Requests

    def has_code(self, value: Any) -> bool:
        """Return whether there is code for `value` already."""
        return id(value) in self._code_by_id

    def write(self, value: Any) -> Code:
        """Return the code for `value`; raises `Unwritable` if there is none.

        A new container gets a name, and a step that creates it.
        """
        if id(value) in self._code_by_id:
            return self._code_by_id[id(value)][1]
        if callable(value) and (text := function_code(value)) is not None:
            self.set_code(value, (text,))
            return (text,)
        if type(value) in _CONTAINERS:
            name = StepName(_CONTAINERS[type(value)])
            self._steps.append(_Step(_literal(value, self.write), name, creates_container=True))
            self.set_code(value, (name,))
            self._states[id(value)] = _content_key(value)
            return (name,)
        return _literal(value, self.write)

    def watch(self, variables: Mapping[str, Any]) -> None:
        """Watch the containers among `variables`, which the test itself compares."""
        for value in variables.values():
            if type(value) in _CONTAINERS:
                self._watched[id(value)] = value

    def add_container_changes(self) -> None:
        """Add steps for the containers that the test itself has changed."""
        for key, old_state in list(self._states.items()):  # a copy, as writing code adds states
            value, code = self._code_by_id[key]
            if (new_state := _content_key(value)) != old_state:
                self._steps.append(_Step(self._refill_code(value, code)))
                self._states[key] = new_state

    def _refill_code(self, value: Any, code: Code) -> Code:
        """Return the code of a step that gives a container its current content."""
        if type(value) is list:
            return (*code, "[:] = ", *_literal(value, self.write))
        return (*code, ".clear()\n", *code, ".update(", *_literal(value, self.write), ")")

    # Results

    def record_value(self, code: Code, value: Any, use: ValueUse) -> None:
        """Record that `code` returned `value`, with the check that its `use` in the test implies.

        If the use implies no check, the step checks the output, if there is any.
        """
        step, known_code = _Step(code), self._code_by_id.get(id(value), (None, ()))[1]
        self._steps.append(step)
        is_named = is_proxy(value) or _literal_text(value) is None or _contains_container(value)
        if is_named and not known_code:
            step.target = StepName(_suggest_name(code, value))
            self._set_code_recursively(value, (step.target,))
        if is_proxy(value):
            if use.is_compared and len(known_code) == 1 and isinstance(known_code[0], StepName):
                step.target, step.check = known_code[0], {"same_as": ""}
        else:
            self._add_check(step, value, use)
        if self.printed and not step.check:
            step.check = {"stdout": self.printed}
        self.printed = ""
        self._record_changes()

    def _add_check(self, step: _Step, value: Any, use: ValueUse) -> None:
        """Add to `step`, which returns `value`, the check that the test makes of that value.

        If the value has a name, a check of a function of it, such as `len`, is a step of its own.
        """
        if not (use.is_compared or use.is_tested):
            return
        wrappers = (*use.wrappers, *["bool"] * use.is_tested)
        with suppress(Exception):  # such as for `len` of a number, which also raises in the test
            for name in wrappers:
                value = getattr(builtins, name)(value)
            text = _literal_text(value)
            if text is None or _ADDRESS_IN_REPR.search(text):
                return
            if wrappers and step.target is not None:
                step = _Step((step.target,))
                self._steps.append(step)
            for name in wrappers:
                step.code = (f"{name}(", *step.code, ")")
            step.check = {"returns": text}

    def record_statement(self, code: Code) -> None:
        """Record that the statement `code` was executed."""
        self._steps.append(_Step(code))
        self._record_changes()

    def record_exception(self, code: Code, error: BaseException) -> None:
        """Record that `code` raised `error`."""
        self.printed = ""
        self._steps.append(_Step(code, check={"raises": type(error).__name__}))
        self._record_changes()

    def _set_code_recursively(self, value: Any, code: Code) -> None:
        """Use `code` for `value`, and `code` with an index for each object inside it."""
        self.set_code(value, code)
        if type(value) in _CONTAINERS:
            self._states[id(value)] = _content_key(value)
        if type(value) in {list, tuple}:
            items: Any = enumerate(value)
        elif type(value) is dict:
            items = value.items()
        else:
            return
        for key, item in items:
            if (is_proxy(item) or _contains_container(item)) and id(item) not in self._code_by_id:
                self._set_code_recursively(item, (*code, f"[{key!r}]"))

    def _record_changes(self) -> None:
        """Store the new states of the containers that the submission has changed.

        If a container is watched, add a step that checks it.
        """
        for key, old_state in list(self._states.items()):
            value, code = self._code_by_id[key]
            if (new_state := _content_key(value)) != old_state:
                self._states[key] = new_state
                if key in self._watched and (text := _literal_text(value)) is not None:
                    self._steps.append(_Step(code, check={"returns": text}))

    # Output

    def steps(self) -> list[dict[str, str]]:
        """Return the steps in the form that a suite uses, up to the last one with a check.

        First adds a check of each watched container that has none, unless the container has changed
        since its state was recorded.
        """
        for value in self._watched.values():
            code = self._code_by_id.get(id(value), (None, ()))[1]
            is_checked = any(
                step.check and code in (step.code, (step.target,)) for step in self._steps
            )
            if (
                code
                and not is_checked
                and (text := _literal_text(value)) == self._states[id(value)]
            ):
                self._steps.append(_Step(code, check={"returns": text or ""}))
        last_checked = max(
            (index for index, step in enumerate(self._steps) if step.check), default=-1
        )
        return list(_StepWriter(self._steps[: last_checked + 1]).written_steps())


class _StepWriter:
    """Assigns a name to each value that needs one, and writes the steps."""

    def __init__(self, steps: list[_Step]) -> None:
        """Count the uses of each name; a container that is used once is inlined."""
        self._steps: Final = steps
        self._uses: Final[dict[StepName, int]] = {}
        for step in steps:
            for part in step.code:
                if isinstance(part, StepName):
                    self._uses[part] = self._uses.get(part, 0) + 1
            if "same_as" in step.check and step.target is not None:
                self._uses[step.target] = self._uses.get(step.target, 0) + 1
        self._inlined: Final = {
            step.target: step.code
            for step in steps
            if step.creates_container
            and step.target is not None
            and self._uses.get(step.target) == 1
        }
        self._names: Final[dict[StepName, str]] = {}

    def written_steps(self) -> Iterator[dict[str, str]]:
        """Yield the steps in the form that a suite uses.

        A step with a name becomes an assignment, followed by a second step if there is a check.
        """
        for step in self._steps:
            code = self._text(step.code)
            if "same_as" in step.check and step.target is not None:
                yield {"do": code, "same_as": self._name(step.target)}
            elif step.target is None:
                yield {"do": code, **step.check}
            elif not self._uses.get(step.target):
                if not step.creates_container:
                    yield {"do": code, **step.check}
            elif step.target not in self._inlined:
                name = self._name(step.target)
                yield {"do": f"{name} = {code}"}
                if step.check:
                    yield {"do": name, **step.check}

    def _text(self, code: Code) -> str:
        """Return `code` as text."""
        return "".join(self._fragment_text(part) for part in code)

    def _fragment_text(self, part: str | StepName) -> str:
        """Return a fragment of code as text, with inlined containers."""
        if isinstance(part, str):
            return part
        if part in self._inlined:
            return self._text(self._inlined[part])
        return self._name(part)

    def _name(self, name: StepName) -> str:
        """Return the text of a name, which is chosen when it is first used."""
        if name not in self._names:
            uses_of_hint = sum(other.hint == name.hint for other in self._names)
            self._names[name] = f"{name.hint}_{uses_of_hint + 1}" if uses_of_hint else name.hint
        return self._names[name]


def _suggest_name(code: Code, value: Any) -> str:
    """Return a name for `value`, the result of `code`, from its class or the called function."""
    if is_proxy(value):
        source = type(value).__name__
    else:
        source = "".join(part for part in code if isinstance(part, str)).partition("(")[0]
    source = source.rpartition(".")[2].removeprefix("make_").removeprefix("get_")
    # `DropList` becomes `the_drop_list`.
    noun = re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", source)).strip("_").lower()
    return f"the_{noun or 'value'}"


def _contains_container(value: Any) -> bool:
    """Return whether `value` is a container, or a tuple that contains one."""
    if type(value) is tuple:
        return any(map(_contains_container, value))
    return type(value) in _CONTAINERS


def _content_key(value: Any) -> str:
    """Return a string that changes whenever the content of the container changes."""
    if (text := _literal_text(value)) is not None:
        return text
    items = value.items() if type(value) is dict else enumerate(value)
    # Not `repr(item)`, which would send a request if the item is a proxy.
    return repr([(id(key), id(item)) for key, item in items])


def _literal_text(value: Any) -> str | None:
    """Return `value` as a literal, or None if it has no literal, or only a very long one."""
    try:
        text = "".join(map(str, _literal(value, _nested_literal)))
    except (Unwritable, RecursionError):
        return None
    return text if len(text) <= _MAX_CHARS else None


def _nested_literal(value: Any) -> Code:
    return _literal(value, _nested_literal)


def _literal(value: Any, write: Callable[[Any], Code]) -> Code:
    """Return code that rebuilds `value`, using `write` for its parts.

    Raises `Unwritable` if there is no such code.
    """
    kind = type(value)
    # There is no literal for `inf`.
    if kind in _LITERAL_CLASSES or (kind is float and math.isfinite(value)):
        return (repr(value),)
    if kind in _BRACKETS:
        opening, closing = _BRACKETS[kind]
        comma = "," if kind is tuple and len(value) == 1 else ""
        return (opening, *join_code(map(write, value)), comma + closing)
    if kind is set or kind is frozenset:
        # Sets are unordered, so sort the elements to always write the same suite.
        parts = sorted(map(write, value), key=lambda code: "".join(map(str, code)))
        if not parts:
            return (f"{kind.__name__}()",)
        braced = ("{", *join_code(parts), "}")
        return braced if kind is set else ("frozenset(", *braced, ")")
    if kind is dict:
        pairs = ((*write(key), ": ", *write(item)) for key, item in value.items())
        return ("{", *join_code(pairs), "}")
    if is_proxy(value):
        raise Unwritable("an object comes from another test, or was created by no recorded step")
    raise Unwritable(f"a value of the class {kind.__name__} cannot be written as code")


def join_code(parts: Iterable[Code], separator: str = ", ") -> Iterator[str | StepName]:
    """Yield the fragments of all `parts`, with `separator` between adjacent parts."""
    for index, part in enumerate(parts):
        if index:
            yield separator
        yield from part
