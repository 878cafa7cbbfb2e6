"""Records what tests do with a submission, as steps of a suite.

Tests use a submission through one end of the bridge. So each request passes there, with its result:
a call, an operator, an attribute. A request that can be written as code becomes a step; the first
one of a test that cannot ends its session, with the reason.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any, Final

from grader.plugins.own_tests.bridge.hosts import Host, Message
from grader.plugins.own_tests.bridge.proxies import ProxyModule, is_mirror, is_proxy
from grader.plugins.own_tests.bridge.reading import MessageReader
from grader.plugins.own_tests.bridge.side import BridgeSide
from grader.plugins.own_tests.bridge.wire import SINGLES
from grader.plugins.own_tests.proxying.source_of_tests import (
    ValueUse,
    captures_output,
    compared_names,
    use_at,
)
from grader.plugins.own_tests.proxying.written_steps import (
    Code,
    RecordedSession,
    Unwritable,
    joined,
)

STEPS: Final = "steps"
NAMES: Final = "names"
CLOSED: Final = "closed"
"""Properties of a report: the steps of its test, the names of the submission that these need, and
why there are no more."""
_CALLABLE: Final = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_BINARY: Final = {
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "gt": ">",
    "ge": ">=",
    "add": "+",
    "sub": "-",
    "mul": "*",
    "matmul": "@",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
}
_UNARY: Final = {"neg": "-", "pos": "+", "invert": "~"}
_FUNCTIONS: Final = {
    *("abs", "bool", "bytes", "complex", "divmod", "float", "format", "int", "iter", "len"),
    *("next", "repr", "reversed", "round", "str"),
}
_UNRECORDED: Final = frozenset({"dir", "hash", "instancecheck", "subclasscheck", "length_hint"})
"""Requests without a step: they change nothing, but suites cannot check their results."""
_REPLY_REASONS: Final = {
    "call": "the submission calls a function of the test",
    "input": "something is typed",
    "readline": "something is typed",
    "read": "something is typed",
    "file": "a file is opened",
}
_UNWRITABLE_REASONS: Final = {
    "adopt": "a class of the test builds on one of the submission",
    "reload": "a module is loaded again",
    "copy": "an object is copied",
    "deepcopy": "an object is copied",
}


class RecordedSide(BridgeSide):
    """An end of the bridge that records its requests."""

    def __init__(self, host: Host) -> None:
        """Serve `host`, and record its requests."""
        super().__init__(host)
        self.folders: tuple[Path, ...] = ()
        """The folders of the tests."""
        self.is_alone = False
        """Whether there is one module only, whose names steps use without a prefix."""
        self._kept: RecordedSession | None = None
        self.session = RecordedSession()
        self._depth = 0

    def begin_session(self) -> None:
        """Begin a test, with the names that are known from collection."""
        if self._kept is None:
            self._kept = self.session
        self.session = self._kept.snapshot()

    def request(self, act: str, *about: Any) -> Any:
        """Return the result of an act on the other side, and record the request as a step."""
        __tracebackhide__ = True
        frame = self._frame() if self._depth == 0 else None
        if frame is None or not self.session.is_open:
            return self._ask_unrecorded(act, about)
        request = _Request(self.session, act, about)
        names = compared_names(frame.f_code)
        self.session.watch({each: frame.f_locals[each] for each in names & frame.f_locals.keys()})
        try:
            request.prepare()
            value = self._ask_unrecorded(act, about)
        except (Unwritable, StopIteration):  # the end of an iterator is no failure
            raise
        except BaseException as error:
            request.record_exception(error)
            raise
        if not captures_output(frame.f_code):
            self.session.printed = ""
        request.record_result(value, use_at(frame.f_code, frame.f_lasti))
        return value

    def _ask_unrecorded(self, act: str, about: tuple[Any, ...]) -> Any:
        __tracebackhide__ = True
        self._depth += 1
        try:
            return super().request(act, *about)
        finally:
            self._depth -= 1

    def import_module_as(self, name: str, proxy: ProxyModule, *, again: bool) -> None:
        """Import a module, which steps use by its name."""
        __tracebackhide__ = True
        super().import_module_as(name, proxy, again=again)
        self.session.set_code(proxy, () if self.is_alone else (name,))

    def answer(self, message: Message, reader: MessageReader) -> Message:
        """Reply to the submission, and end the session, as a suite cannot reply."""
        act, *about = message.get("ask") or [None]
        if act != "call" or not about or not self.session.has_code(reader.read(about[0])):
            self.session.close(_REPLY_REASONS.get(act, "the submission uses an object of the test"))
        return super().answer(message, reader)

    def _apply(self, message: Message) -> MessageReader:
        reader = super()._apply(message)
        if type(text := message.get("stdout")) is str:
            self.session.printed += text
        return reader

    def _frame(self) -> types.FrameType | None:
        """Return the frame that sends the request, if a test is among its callers."""
        caller: types.FrameType | None = None
        frame: types.FrameType | None = sys._getframe(2)  # noqa: SLF001 - the caller decides
        while frame is not None:
            module = str(frame.f_globals.get("__name__", ""))
            if caller is None and module.partition(".")[0] != "grader":
                caller = frame
            path = Path(frame.f_code.co_filename)
            if caller is not None and any(path.is_relative_to(each) for each in self.folders):
                return caller
            frame = frame.f_back
        return None


class _Request:
    """A request that may become a step."""

    def __init__(self, session: RecordedSession, act: str, about: tuple[Any, ...]) -> None:
        self._session: Final = session
        self._act: Final = act
        self._arguments_of_act: Final = about
        self._code: Code | None = None

    def prepare(self) -> None:
        """Write the request as code, before its call can change the arguments."""
        try:
            self._session.add_container_changes()
            self._code = self._request_code()
        except Unwritable as why:
            self._session.close(str(why))

    def record_result(self, value: Any, use: ValueUse) -> None:
        """Record the result."""
        session = self._session
        # After `NotImplemented` Python asks the other operand, which is another request.
        if self._code is None or not session.is_open or value is SINGLES["NotImplemented"]:
            return
        if self._act == "get" and self._arguments_of_act[1] == "__dict__":
            session.namespaces.add(id(value))
            session.set_code(value, self._code)
            return
        if _needs_no_step(value):
            session.set_code(value, self._code)
            if self._is_module_lookup:
                session.names.add("".join(map(str, self._code)))
            return
        if self._act in {"set", "delete"} or self._operator in {"setitem", "delitem"}:
            session.record_statement(self._code)
            return
        is_operator = self._act == "special" and self._operator != "call"
        if is_operator and type(value) is bool and use.is_tested:
            use = ValueUse(is_compared=True)  # `a == b` needs no `bool(...)` around it
        session.record_value(self._code, value, use)

    @property
    def _operator(self) -> str:
        """The name of an operator without underscores, or an empty string."""
        return str(self._arguments_of_act[1]).strip("_") if self._act == "special" else ""

    @property
    def _is_module_lookup(self) -> bool:
        """Whether this looks up a name of a module."""
        if self._act == "get":
            return type(self._arguments_of_act[0]) is ProxyModule
        return self._act == "special" and id(self._arguments_of_act[2]) in self._session.namespaces

    def record_exception(self, error: BaseException) -> None:
        """Record an exception."""
        if self._code is not None and self._session.is_open:
            self._session.record_exception(self._code, error)

    # How it is written

    def _request_code(self) -> Code | None:
        """Return the code of a step, None if no step is needed; raises `Unwritable`."""
        write, about = self._session.write, self._arguments_of_act
        match self._act:
            case "get":
                name = about[1]
                if name == "__dict__" and type(about[0]) is ProxyModule:
                    return write(about[0])  # as `from stack import *` does it
                if name.startswith("__") or id(about[0]) in self._session.namespaces:
                    return None
                return (*self._prefix(about[0]), name)
            case "bind" if about[2] is None:
                return (*write(about[0]), f".{about[1]}")
            case "set" | "delete":
                return self._assignment(*about)
            case "call":
                return (*write(about[0]), *self._arguments(about[1], about[2]))
            case "special":
                return self._special()
            case "import":
                return None
        if self._act in _UNRECORDED or self._act == "repr":
            return None
        raise Unwritable(_UNWRITABLE_REASONS.get(self._act, f"{self._act} is not a step"))

    def _prefix(self, value: Any) -> Code:
        """Return the code before an attribute, empty if it belongs to the only module."""
        code = self._session.write(value)
        return (*code, ".") if code else ()

    def _assignment(self, value: Any, name: str, *to: Any) -> Code:
        if type(value) is ProxyModule:
            raise Unwritable(f"{name} of a module is replaced")
        write = self._session.write
        place = (*write(value), f".{name}")
        return (*place, " = ", *write(to[0])) if to else ("del ", *place)

    def _special(self) -> Code | None:
        _, _, value, args, named = self._arguments_of_act
        name, write = self._operator, self._session.write
        if name in _UNRECORDED:
            return None
        if name == "call":
            return (*write(value), *self._arguments(args, named))
        if name in _BINARY and len(args) == 1:
            return (*self._operand(value), f" {_BINARY[name]} ", *self._operand(args[0]))
        # Reflected: the operands are swapped.
        if name[1:] in _BINARY and name[0] == "r" and len(args) == 1:
            return (*self._operand(args[0]), f" {_BINARY[name[1:]]} ", *self._operand(value))
        if name in _UNARY:
            return (_UNARY[name], *self._operand(value))
        if name in _FUNCTIONS:
            return (name, *self._arguments((value, *args), named))
        return self._of_container(name, value, args)

    def _of_container(self, name: str, value: Any, args: tuple[Any, ...]) -> Code:
        write = self._session.write
        match name:
            case "contains":
                return (*self._operand(args[0]), " in ", *self._operand(value))
            case "getitem" if self._is_module_lookup:
                return (*self._prefix(value), args[0])
            case "getitem":
                return (*write(value), "[", *self._index(args[0]), "]")
            case "setitem":
                return (*write(value), "[", *self._index(args[0]), "] = ", *write(args[1]))
            case "delitem":
                return ("del ", *write(value), "[", *self._index(args[0]), "]")
        raise Unwritable(f"__{name}__ is not a step")

    def _operand(self, value: Any) -> Code:
        code = self._session.write(value)
        is_negative = type(value) in {int, float} and value < 0  # `-1 ** 2` is -1
        return ("(", *code, ")") if is_negative else code

    def _index(self, value: Any) -> Code:
        write = self._session.write
        if type(value) is not slice:
            return write(value)
        parts = [value.start, value.stop, *([] if value.step is None else [value.step])]
        written = [() if part is None else write(part) for part in parts]
        return tuple(joined(written, ":"))

    def _arguments(self, args: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> Code:
        write = self._session.write
        written = [write(each) for each in args]
        written += [(f"{name}=", *write(value)) for name, value in named]
        return ("(", *joined(written, ", "), ")")


def _needs_no_step(value: Any) -> bool:
    """Return whether `value` needs no step of its own: a function, a class or a module."""
    if isinstance(value, type) and is_mirror(value):
        return True
    return is_proxy(value) and (type(value) is ProxyModule or isinstance(value, _CALLABLE))
