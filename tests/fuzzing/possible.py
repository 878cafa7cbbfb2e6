"""Whether an executor could have sent what the judge accepted, told without the judge's code.

What was returned is rebuilt as a Python object and encoded by the executor's own encoder; the
outcome must be what came in, but for the order of sets. The rest are rules that follow from
`grader/executor/session.py`: how identities count up, which frames go with which depth, and so on.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any, Final

from fuzzing.honest import FILE, MAIN, Exchange, dumps
from fuzzing.rebuilding import Impossible, rebuilt
from grader.executor.encoding import encode, is_atomic
from grader.observation import Died, Observation, Raised, Returned
from grader.protocol import MAX_CODE_BYTES, MAX_FRAMES, MAX_STDOUT_CHARS, Tag, ValueCaps
from grader.sessions import SessionRun
from grader.values import TooLarge, Value

_TYPES_SENT: Final = 20
_LONGEST_INT: Final = 1 << 31
"""Line numbers are C integers."""
_COUNT: Final[set[type]] = {int, type(None)}
_ATOMIC_EXCESSES: Final = {("int", "digits"), ("str", "text"), ("bytes", "text")}


def breaches(
    exchange: Exchange, replies: tuple[bytes, ...], run: SessionRun | None
) -> Iterator[str]:
    """Yield why an honest executor could not have sent `replies`, of which `run` was made."""
    load, *others = replies
    seen = [] if run is None else [run.imported.observation, *run.observations]
    accepted = [each for each in seen if not isinstance(each.outcome, Died)]
    if accepted or run is None:
        yield from _of_load(exchange, load)
    if not accepted or run is None:
        return
    facts: list[Any] = []
    for reply in others[: len(accepted)]:
        yield from _of_spelling(reply)
        facts += json.loads(reply)["observations"]
    yield from _of_import(run, facts[0])
    identities = _Identities()
    names = [(), *(item.binds for item in exchange.plan)]
    for observation, told, binds in zip(accepted, facts, names, strict=False):
        yield from _of_output(observation, exchange.limits.output_chars)
        if isinstance(observation.outcome, Raised):
            yield from _of_exception(observation.outcome)
        elif isinstance(observation.outcome, Returned):
            yield from _of_value(observation.outcome, told, exchange.caps)
            numbers = dict(observation.outcome.bound)
            yield from identities.breaches([*map(numbers.get, binds), observation.outcome.identity])


def _of_spelling(reply: bytes) -> Iterator[str]:
    if dumps(json.loads(reply)).encode("ascii") != reply:
        yield "JSON in another spelling"


def _of_load(exchange: Exchange, reply: bytes) -> Iterator[str]:
    yield from _of_spelling(reply)
    told = json.loads(reply)
    if told == {"too_long": True}:
        return
    if told.keys() != {"modules"} or told["modules"].keys() != {MAIN}:
        yield "modules that were not sent"
        return
    described = told["modules"][MAIN]
    if "error" in described:
        shape: dict[str, set[type]] = {
            "error": {str},
            "message": {str},
            "line": _COUNT,
            "column": _COUNT,
        }
        if described.keys() != shape.keys() or not all(
            type(described[key]) in types for key, types in shape.items()
        ):
            yield "a syntax error of another shape"
    elif described and not (exchange.keeps_code and _is_code(described)):
        yield "code that nobody asked for"


def _is_code(described: dict[str, Any]) -> bool:
    try:
        data = base64.b64decode(described["code"], validate=True)
    except (KeyError, TypeError, binascii.Error, ValueError):
        return False
    again = base64.b64encode(data).decode()
    return described == {"code": again} and len(data) <= MAX_CODE_BYTES


def _of_import(run: SessionRun, facts: dict[str, Any]) -> Iterator[str]:
    if not run.loaded:
        if "defined" in facts:
            yield "names of an import that failed"
        return
    if (facts["value"], facts["id"], facts["bound"]) != (None, None, {}):
        yield "an import that gives a value"
    defined = facts.get("defined")
    if defined is None:
        yield "an import without names"
    elif any(name.startswith("__") for name in defined):
        yield "names that are Python's own"


def _of_output(observation: Observation, limit: int) -> Iterator[str]:
    length = len(observation.stdout)
    if observation.overflowed:
        halves = len(observation.stdout.encode("utf-16-le", "surrogatepass")) // 2
        if halves < min(limit + 1, MAX_STDOUT_CHARS):
            yield "too little output for too much"
    elif length > limit:
        yield "too much output"


def _of_exception(raised: Raised) -> Iterator[str]:
    if "BaseException" not in raised.type_names and len(raised.type_names) < _TYPES_SENT:
        yield "an exception that is none"
    if len(raised.frames) != min(raised.depth, MAX_FRAMES):
        yield "a depth that does not go with the frames"
    if any(frame.file != FILE for frame in raised.frames):
        yield "a frame of another file"
    if any(abs(frame.line) > _LONGEST_INT for frame in raised.frames):
        yield "a line that no file has"


def _of_value(returned: Returned, facts: dict[str, Any], caps: ValueCaps) -> Iterator[str]:
    try:
        value = rebuilt(returned.value, caps)
    except Impossible as reason:
        yield str(reason)
        return
    if _ordered(encode(value, caps)) != _ordered(facts["value"]):
        yield "a value in another spelling"
    if returned.identity is None and not _may_lack_identity(returned.value, value):
        yield "an object without an identity"
    if returned.identity is not None and is_atomic(value):
        yield "an identity of what has none"


def _may_lack_identity(value: Value, rebuilt_value: object) -> bool:
    if isinstance(value, TooLarge):
        return (value.type_name, value.excess) in _ATOMIC_EXCESSES
    return is_atomic(rebuilt_value)


def _ordered(tagged: Any) -> str:
    """Return `tagged` as text, with the elements of sets in one order."""
    match tagged:
        case [Tag.SET | Tag.FROZENSET as tag, items]:
            return f"{tag}({','.join(sorted(map(_ordered, items)))})"
        case [Tag.LIST | Tag.TUPLE as tag, items, *rest]:
            return f"{tag}({','.join(map(_ordered, items))}){rest}"
        case [Tag.ARRAY as tag, dtype, shape, items]:
            return f"{tag}{dtype}{shape}({','.join(map(_ordered, items))})"
        case [Tag.DICT as tag, pairs, *rest]:
            return f"{tag}({','.join(f'{_ordered(k)}:{_ordered(v)}' for k, v in pairs)}){rest}"
        case [Tag.DATACLASS as tag, name, pairs]:
            return f"{tag}{name!r}({','.join(f'{k!r}={_ordered(v)}' for k, v in pairs)})"
        case _:
            return json.dumps(tagged)


class _Identities:
    """The numbers of objects of one session: a new object has the next number."""

    def __init__(self) -> None:
        self._count = 0

    def breaches(self, numbers: list[int | None]) -> Iterator[str]:
        for number in numbers:
            if number is None or number < self._count:
                continue
            if number > self._count:
                yield "an identity that skips numbers"
            self._count = number + 1
