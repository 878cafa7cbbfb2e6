"""Records how tests use a submission, as the steps of a suite.

Tests use a submission through one end of the bridge. So that end sees every request, with its
result: a call, an operator, an attribute. A request that can be written as code becomes a step. The
first request that cannot be written as code ends the session of its test, and says why.
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
from grader.plugins.own_tests.proxying.recorded_steps import (
    Code,
    RecordedSession,
    Unwritable,
    join_code,
)
from grader.plugins.own_tests.proxying.source_of_tests import (
    ValueUse,
    captures_output,
    compared_names,
    use_at,
)

RECORDED_STEPS: Final = "steps"
USED_NAMES: Final = "names"
END_REASON: Final = "closed"
"""Properties of a report: the steps of its test, the names of the submission that these steps need,
and the reason why there are no more steps."""
_CALLABLE_CLASSES: Final = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_BINARY_OPERATORS: Final = {
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
_UNARY_OPERATORS: Final = {"neg": "-", "pos": "+", "invert": "~"}
_BUILT_IN_FUNCTIONS: Final = {
    *("abs", "bool", "bytes", "complex", "divmod", "float", "format", "int", "iter", "len"),
    *("next", "repr", "reversed", "round", "str"),
}
_UNRECORDED_REQUESTS: Final = frozenset(
    {"dir", "hash", "instancecheck", "subclasscheck", "length_hint"}
)
"""Requests without a step: they change nothing, and suites cannot check their results."""
_REPLY_REASONS: Final = {
    "call": "the submission calls a function of the test",
    "input": "the submission reads input",
    "readline": "the submission reads input",
    "read": "the submission reads input",
    "file": "the submission opens a file",
}
"""Why a session ends at a request of the submission."""
_UNWRITABLE_REASONS: Final = {
    "adopt": "a class of the test inherits from one of the submission",
    "reload": "the test loads a module again",
    "copy": "the test copies an object",
    "deepcopy": "the test copies an object",
}
"""Why a session ends at a request of the test."""


class RecordedSide(BridgeSide):
    """The tests' end of the bridge, which records its requests."""

    def __init__(self, host: Host) -> None:
        """Serve `host`, and record its requests."""
        super().__init__(host)
        self.folders: tuple[Path, ...] = ()
        """The folders of the tests."""
        self.has_single_module = False
        """Whether the submission has only one module: steps then use its names without a prefix."""
        self._collection_session: RecordedSession | None = None
        self.session = RecordedSession()
        self._depth = 0
        """The number of pending requests, of which only the outermost becomes a step."""

    def begin_session(self) -> None:
        """Begin the session of a test, with the names that are known from collection."""
        if self._collection_session is None:
            self._collection_session = self.session
        self.session = self._collection_session.snapshot()

    def request(self, operation: str, *operands: Any) -> Any:
        """Return the result of an operation on the other side, and record the request as a step.

        A request is not recorded if it is sent during another request, or if no test is among its
        callers. Raises the exception of the operation, or `Uncrossable`.
        """
        __tracebackhide__ = True
        frame = self._requesting_frame() if self._depth == 0 else None
        if frame is None or not self.session.is_open:
            return self._request_unrecorded(operation, operands)
        request = _Request(self.session, operation, operands)
        names = compared_names(frame.f_code)
        self.session.watch({name: frame.f_locals[name] for name in names & frame.f_locals.keys()})
        try:
            request.prepare()
            value = self._request_unrecorded(operation, operands)
        except (Unwritable, StopIteration):  # the end of an iterator is not recorded
            raise
        except BaseException as error:
            request.record_exception(error)
            raise
        if not captures_output(frame.f_code):
            self.session.printed = ""
        request.record_result(value, use_at(frame.f_code, frame.f_lasti))
        return value

    def _request_unrecorded(self, operation: str, operands: tuple[Any, ...]) -> Any:
        """Return the result of an operation; record neither it nor the requests nested in it."""
        __tracebackhide__ = True
        self._depth += 1
        try:
            return super().request(operation, *operands)
        finally:
            self._depth -= 1

    def import_module_as(self, name: str, proxy: ProxyModule, *, is_reload: bool) -> None:
        """Import a module; steps use its name as a prefix unless it is the only one."""
        __tracebackhide__ = True
        super().import_module_as(name, proxy, is_reload=is_reload)
        self.session.set_code(proxy, () if self.has_single_module else (name,))

    def answer(self, message: Message, reader: MessageReader) -> Message:
        """Reply to the submission, and end the session, because a suite cannot reply.

        The session continues if the submission calls a function for which steps have code already.
        """
        operation, *operands = message.get("ask") or [None]
        if (
            operation != "call"
            or not operands
            or not self.session.has_code(reader.read(operands[0]))
        ):
            self.session.close(
                _REPLY_REASONS.get(operation, "the submission uses an object of the test")
            )
        return super().answer(message, reader)

    def _apply(self, message: Message) -> MessageReader:
        """Apply a message, and collect what the submission has printed."""
        reader = super()._apply(message)
        if type(text := message.get("stdout")) is str:
            self.session.printed += text
        return reader

    def _requesting_frame(self) -> types.FrameType | None:
        """Return the frame that uses the submission, or None if no test is among its callers.

        It is the innermost frame outside the grader.
        """
        caller: types.FrameType | None = None
        frame: types.FrameType | None = sys._getframe(2)  # noqa: SLF001 - it depends on the caller
        while frame is not None:
            module_name = str(frame.f_globals.get("__name__", ""))
            if caller is None and module_name.partition(".")[0] != "grader":
                caller = frame
            path = Path(frame.f_code.co_filename)
            if caller is not None and any(path.is_relative_to(folder) for folder in self.folders):
                return caller
            frame = frame.f_back
        return None


class _Request:
    """A request that can become a step."""

    def __init__(self, session: RecordedSession, operation: str, operands: tuple[Any, ...]) -> None:
        self._session: Final = session
        self._operation: Final = operation
        self._operands: Final = operands
        self._code: Code | None = None

    def prepare(self) -> None:
        """Write the request as code, or end the session if that is not possible.

        This is done before the request is carried out, which can change its arguments.
        """
        try:
            self._session.add_container_changes()
            self._code = self._request_code()
        except Unwritable as error:
            self._session.close(str(error))

    def record_result(self, value: Any, use: ValueUse) -> None:
        """Record the result: add a step, or store the code for a value that needs no step.

        Does nothing if the request has no code, or the session has ended.
        """
        session = self._session
        # After `NotImplemented`, Python tries the other operand, which is another request.
        if self._code is None or not session.is_open or value is SINGLES["NotImplemented"]:
            return
        if self._operation == "get" and self._operands[1] == "__dict__":
            session.namespaces.add(id(value))
            session.set_code(value, self._code)
            return
        if _needs_no_step(value):
            session.set_code(value, self._code)
            if self._is_module_lookup:
                session.names.add("".join(map(str, self._code)))
            return
        if self._operation in {"set", "delete"} or self._operator in {"setitem", "delitem"}:
            session.record_statement(self._code)
            return
        is_operator = self._operation == "special" and self._operator != "call"
        if is_operator and type(value) is bool and use.is_tested:
            # `a == b` is a bool already, without `bool(...)` around it.
            use = ValueUse(is_compared=True)
        session.record_value(self._code, value, use)

    @property
    def _operator(self) -> str:
        """The name of the operator without underscores, or "" if this is not a special method."""
        return str(self._operands[1]).strip("_") if self._operation == "special" else ""

    @property
    def _is_module_lookup(self) -> bool:
        """Whether this request looks up a name in a module."""
        if self._operation == "get":
            return type(self._operands[0]) is ProxyModule
        return self._operation == "special" and id(self._operands[2]) in self._session.namespaces

    def record_exception(self, error: BaseException) -> None:
        """Record that the request raised `error`, if it has code and the session goes on."""
        if self._code is not None and self._session.is_open:
            self._session.record_exception(self._code, error)

    # Code of the request

    def _request_code(self) -> Code | None:
        """Return the code of a step, or None if no step is needed.

        Raises `Unwritable` if the request cannot be written as code.
        """
        write, operands = self._session.write, self._operands
        match self._operation:
            case "get":
                name = operands[1]
                if name == "__dict__" and type(operands[0]) is ProxyModule:
                    return write(operands[0])  # such as for `from stack import *`
                if name.startswith("__") or id(operands[0]) in self._session.namespaces:
                    return None
                return (*self._prefix(operands[0]), name)
            case "bind" if operands[2] is None:
                return (*write(operands[0]), f".{operands[1]}")
            case "set" | "delete":
                return self._assignment_code(*operands)
            case "call":
                return (*write(operands[0]), *self._arguments_code(operands[1], operands[2]))
            case "special":
                return self._operator_code()
            case "import":
                return None
        if self._operation in _UNRECORDED_REQUESTS or self._operation == "repr":
            return None
        raise Unwritable(
            _UNWRITABLE_REASONS.get(self._operation, f"there is no step for {self._operation}")
        )

    def _prefix(self, value: Any) -> Code:
        """Return the code before an attribute, which is empty for a submission's only module.

        Raises `Unwritable` if there is no code for `value`.
        """
        code = self._session.write(value)
        return (*code, ".") if code else ()

    def _assignment_code(self, value: Any, name: str, *content: Any) -> Code:
        """Return the code that sets or deletes an attribute.

        Raises `Unwritable` if the attribute belongs to a module, or a value has no code.
        """
        if type(value) is ProxyModule:
            raise Unwritable(f"the test replaces {name} in a module")
        write = self._session.write
        target = (*write(value), f".{name}")
        return (*target, " = ", *write(content[0])) if content else ("del ", *target)

    def _operator_code(self) -> Code | None:
        """Return the code for an operator, or None if no step is needed.

        Raises `Unwritable` if there is no code for it, or for an operand.
        """
        _, _, value, args, keywords = self._operands
        name, write = self._operator, self._session.write
        if name in _UNRECORDED_REQUESTS:
            return None
        if name == "call":
            return (*write(value), *self._arguments_code(args, keywords))
        if name in _BINARY_OPERATORS and len(args) == 1:
            return (
                *self._operand_code(value),
                f" {_BINARY_OPERATORS[name]} ",
                *self._operand_code(args[0]),
            )
        # This is a reflected operator, so the operands are swapped.
        if name[1:] in _BINARY_OPERATORS and name[0] == "r" and len(args) == 1:
            return (
                *self._operand_code(args[0]),
                f" {_BINARY_OPERATORS[name[1:]]} ",
                *self._operand_code(value),
            )
        if name in _UNARY_OPERATORS:
            return (_UNARY_OPERATORS[name], *self._operand_code(value))
        if name in _BUILT_IN_FUNCTIONS:
            return (name, *self._arguments_code((value, *args), keywords))
        return self._container_code(name, value, args)

    def _container_code(self, name: str, value: Any, args: tuple[Any, ...]) -> Code:
        """Return the code for a container operator; raises `Unwritable` if there is none."""
        write = self._session.write
        match name:
            case "contains":
                return (*self._operand_code(args[0]), " in ", *self._operand_code(value))
            case "getitem" if self._is_module_lookup:
                return (*self._prefix(value), args[0])
            case "getitem":
                return (*write(value), "[", *self._index_code(args[0]), "]")
            case "setitem":
                return (*write(value), "[", *self._index_code(args[0]), "] = ", *write(args[1]))
            case "delitem":
                return ("del ", *write(value), "[", *self._index_code(args[0]), "]")
        raise Unwritable(f"there is no step for __{name}__")

    def _operand_code(self, value: Any) -> Code:
        """Return the code of an operand, in parentheses if it is a negative number."""
        code = self._session.write(value)
        is_negative = type(value) in {int, float} and value < 0  # `-1 ** 2` is -1
        return ("(", *code, ")") if is_negative else code

    def _index_code(self, value: Any) -> Code:
        """Return the code of an index or a slice."""
        write = self._session.write
        if type(value) is not slice:
            return write(value)
        parts = [value.start, value.stop, *([] if value.step is None else [value.step])]
        codes = [() if part is None else write(part) for part in parts]
        return tuple(join_code(codes, ":"))

    def _arguments_code(self, args: tuple[Any, ...], keywords: tuple[tuple[str, Any], ...]) -> Code:
        """Return the code of the arguments of a call."""
        write = self._session.write
        codes = [write(argument) for argument in args]
        codes += [(f"{name}=", *write(value)) for name, value in keywords]
        return ("(", *join_code(codes, ", "), ")")


def _needs_no_step(value: Any) -> bool:
    """Return whether `value` needs no step of its own: a function, a class or a module."""
    if isinstance(value, type) and is_mirror(value):
        return True
    return is_proxy(value) and (type(value) is ProxyModule or isinstance(value, _CALLABLE_CLASSES))
