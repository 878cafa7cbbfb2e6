"""Spoils replies: their bytes, the tree of their JSON, the frames that carry them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from fuzzing.samples import COLLIDING
from grader.protocol import (
    HEADER,
    MAX_DEPTH,
    MAX_MESSAGE_CHARS,
    MAX_NAME_CHARS,
    MAX_REPLY_BYTES,
    NONCE_BYTES,
    ValueTag,
    pack_frame,
)

Json: TypeAlias = Any
_Place: TypeAlias = tuple[Any, Any]
"""A list or a dict, and the index or key of something in it."""

TAGS: Final = [tag for name, tag in vars(ValueTag).items() if name.isupper()]
_MAX_PLACES: Final = 500
_RAW: Final = "stands for what no JSON encoder writes"


def nested(depth: int, tag: str = ValueTag.LIST) -> Json:
    """Return the tagged JSON of a list in a list, and so on."""
    tagged: Json = 0
    for _ in range(depth):
        tagged = [tag, [tagged]]
    return tagged


NUMBERS: Final[list[Json]] = [
    *(["i", text] for text in ("0x1", "-0x0", "0X10000000000000000", "0x1_0000000000000000")),
    *(["i", text] for text in ("10000000000000000", "+0x10000000000000000", "0x", "", "\u0663")),
    *(["i", text] for text in (" 0x10000000000000000", "0x010000000000000000", "-0x8" + "0" * 15)),
    *(["f", text] for text in ("1", "1.50", "1_0.0", "NAN", "-nan", "1e999", " 1.0", "infinity")),
    *(["f", text] for text in ("nan", "-inf", "\u0663.0", "0x1p3", "1e400", "1.0\n", "-0", "")),
    *(["c", "1", "0.0"], ["c", "1.0", "nan"], ["c", "1e5", "-0.0"], ["c", "0.0"]),
    *(["b", text] for text in ("0 0", "FF", "0", "zz", " 00", "\u0663\u0663", "00")),
    *(["q", 2, 4], ["q", 1, -3], ["q", 0, 5], ["q", 1, 0], ["q", 1, True], ["q", 1, 3]),
    *(["m", text] for text in ("1.5 ", "1_0", "infinity", "sNaN12", "1e5", "+1", "\u0663", "-0")),
    *(["m", text] for text in ("1E+999999999999999999", "1E99", "0.0000001", "NaN0", "nan")),
    *(["r", 0, 0, 1], ["r", 0, 5, 0], ["r", True, 5, 1], ["r", 0, ["i", "0x5"], 1]),
]
COLLECTIONS: Final[list[Json]] = [
    *(["s", [1, 1]], ["s", [1, True]], ["s", [0, ["f", "-0.0"]]], ["z", [["q", 1, 1], 1]]),
    *(["s", [["m", "2.0"], 2]], ["s", [["c", "2.0", "0.0"], 2]], ["s", [["m", "sNaN"]]]),
    *(["s", [["l", []]]], ["s", [["t", [["d", []]]]]], ["z", [["s", []]]], ["s", [["z", []]]]),
    *(["s", [["f", "nan"], ["f", "nan"]]], ["s", [["o", "P"], ["o", "P"]]], ["s", ["a", "a"]]),
    *(["s", [["t", [1]], ["t", [True], "P"]]], ["s", [["z", [1, 2]], ["z", [2, 1]]]]),
    *(["s", [["r", 0, 0, 1], ["r", 5, 5, 2]]], ["s", [["E", "E", "A"], ["E", "E", "A"]]]),
    *(["d", [[1, 1], [True, 1]]], ["d", [[["l", []], 1]]], ["d", [["a", 1], ["a", 1]]]),
    *(["d", [[["f", "nan"], 1], [["f", "nan"], 2]]], ["d", [], "dict"], ["d", [], "Counter"]),
    *(["D", "P", [["x", 1], ["x", 2]]], ["D", "P", [["x" * 200, 1], ["x" * 200, 2]]]),
    *(["l", [["!", "list", "nodes"]]], ["!", "list", "nodes"], ["!", "int", "digits"]),
    *(["o", "a\0b"], ["o", "\ud800"], ["o", ""], ["E", "\ud800", "A"], ["t", [], "\0"]),
    *(["s", [n * COLLIDING for n in range(100)]], nested(MAX_DEPTH), nested(MAX_DEPTH + 1)),
    *(nested(20, ValueTag.SET), nested(20, ValueTag.FROZENSET), nested(150)),
]
SCALARS: Final[list[Json]] = [
    *(None, True, False, 0, 1, -1, 2, 64, 20_000, 2**31, 2**63 - 1, 2**63, -(2**63), 10**4_000),
    *(1.5, 1.0, -0.0, 1e300, "", "a", "\0", "\ud800", "\udc00", "\U0001f600", "__name__"),
    *("x" * length for length in (MAX_NAME_CHARS, MAX_NAME_CHARS + 1, MAX_MESSAGE_CHARS + 1)),
    *([], {}, [[]], [""], {"": None}, {"raised": None}, {"too_long": True}, {"verdict": "PASSED"}),
    *(["KeyError"], ["BaseException"], ["sample.py", 1, "f"], ["fuzzed_submission.py", -1, "f"]),
]
RAW: Final = (
    *("1e999", "-0", "0.0", "NaN", "Infinity", "-Infinity", "01", " 5", "5 ", "\t[]", "nul"),
    *("9" * 4_301, "9" * 4_300, "[" * 10_000, "[" * 900 + "]" * 900, '{"a":' * 10_000),
    *('{"a":1,"a":2}', '"\\ud800"', '"\\u0041"', '"\\/"', '"\t"', '"\u00e9"', '["l",[],]', "[,]"),
    *('["f","1.0"],["f","1.0"]', "{1:2}", "'a'", '"\\ud83d\\ude00"', "/**/1", "\x00", "\ufeff1"),
)


def places(tree: Json) -> list[_Place]:
    """Return where something stands in `tree`, the first of them if there are very many."""
    found: list[_Place] = []
    waiting = [tree]
    while waiting and len(found) < _MAX_PLACES:
        container = waiting.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], list | dict):
                waiting.append(container[key])
    return found


def _replace(rng: Random, container: Json, key: Any) -> None:
    scraps = rng.choice((NUMBERS, COLLECTIONS, SCALARS))
    container[key] = copy.deepcopy(rng.choice(scraps))


def _raw(_rng: Random, container: Json, key: Any) -> None:
    container[key] = _RAW


def _remove(_rng: Random, container: Json, key: Any) -> None:
    del container[key]


def _add(rng: Random, container: Json, key: Any) -> None:
    scrap = copy.deepcopy(rng.choice((container[key], rng.choice(SCALARS))))
    if isinstance(container, list):
        container.insert(rng.choice((key, len(container))), scrap)
    else:
        container[rng.choice(("verdict", "raised", "value", "defined", "id", ""))] = scrap


def _rename(rng: Random, container: Json, key: Any) -> None:
    if isinstance(container, dict):
        container[rng.choice((f"{key}_", key.upper(), "raised", "a", "b"))] = container.pop(key)
    else:
        container[key] = rng.choice(TAGS)


def _repeat(rng: Random, container: Json, key: Any) -> None:
    if isinstance(container[key], list | str):
        container[key] = container[key] * rng.choice((2, 3, 100))


def _wrap(rng: Random, container: Json, key: Any) -> None:
    tag = rng.choice(TAGS)
    container[key] = rng.choice(([tag, [container[key]]], [tag, container[key]], [container[key]]))


def _alter(rng: Random, container: Json, key: Any) -> None:
    """Change a scalar to one like it."""
    match container[key]:
        case bool() as truth:
            container[key] = rng.choice((not truth, int(truth), str(truth), None))
        case int() as number:
            others = (number + 1, number - 1, -number, number * COLLIDING, float(number % 1_000))
            container[key] = rng.choice((*others, bool(number), str(number % 1_000), number + 50))
        case str() as text:
            texts = (text.upper(), f" {text}", f"{text}0", f"0{text}", f"-{text}", f"{text}_0")
            container[key] = rng.choice((*texts, text[::-1], text[1:], f"{text}\ud800", [text]))
        case None:
            container[key] = rng.choice((0, 1, False, "", []))
        case list() as items:
            container[key] = rng.choice((items[::-1], items[:1], dict.fromkeys("ab", 0), None))
        case dict() as members:
            container[key] = rng.choice((list(members), list(members.items()), None))
        case _:
            container[key] = None


_TREE_DAMAGE: Final = (_replace, _replace, _raw, _remove, _add, _rename, _repeat, _wrap, _alter)
_HEAVIEST: Final = 300_000
"""Beyond so many bytes a reply is not made larger; the test of bounds has the largest."""


def spoilt_tree(rng: Random, payload: bytes) -> bytes:
    """Return `payload` with up to three changes to what it says."""
    tree = json.loads(payload)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if found := places(tree):
            container, key = rng.choice(found)
            rng.choice(_TREE_DAMAGE)(rng, container, key)
    text = json.dumps(tree, separators=(",", ":"))
    return text.replace(f'"{_RAW}"', rng.choice(RAW)).encode("utf-8", "surrogatepass")


def _flip(rng: Random, data: bytearray) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _cut(rng: Random, data: bytearray) -> None:
    start = rng.randrange(len(data))
    del data[start : start + rng.choice((1, 2, 10, len(data)))]


def _insert(rng: Random, data: bytearray) -> None:
    start = rng.randrange(len(data))
    scrap = rng.choice((rng.randbytes(3), b"[", b"]", b'"', b",", b"0", b"-", b" ", b"\\ud800"))
    data[start:start] = scrap


def _repeat_bytes(rng: Random, data: bytearray) -> None:
    start = rng.randrange(len(data))
    piece = bytes(data[start : start + rng.choice((1, 5, 50))])
    data[start:start] = piece * rng.choice((1, 2, 1_000))


_BYTE_DAMAGE: Final = (_flip, _flip, _cut, _insert, _repeat_bytes)


def spoilt_bytes(rng: Random, payload: bytes) -> bytes:
    """Return `payload` with a few bytes changed, at random."""
    data = bytearray(payload)
    for _ in range(rng.choice((1, 1, 2, 5))):
        if data:
            rng.choice(_BYTE_DAMAGE)(rng, data)
    return bytes(data)


def _spliced(rng: Random, payload: bytes, other: bytes) -> bytes:
    return payload[: rng.randrange(len(payload) + 1)] + other[rng.randrange(len(other) + 1) :]


def _in_other_words(rng: Random, payload: bytes) -> bytes:
    """Return the same JSON in another encoding or with other white space."""
    text, tree = payload.decode(), json.loads(payload)
    return rng.choice(
        (
            text.encode("utf-16"),
            text.encode("utf-32-le"),
            text.encode("utf-8-sig"),
            json.dumps(tree).encode(),
            json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass"),
            f" {text}\n".encode(),
        )
    )


def spoilt(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Return `payload` spoilt in some way, or random bytes in its place; `other` is for splices."""
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: spoilt_bytes(rng, payload),
        lambda: _spliced(rng, payload, other),
        lambda: _in_other_words(rng, payload),
        lambda: rng.randbytes(rng.choice((0, 1, 20, 1_000))),
        lambda: json.dumps(copy.deepcopy(rng.choice(SCALARS + COLLECTIONS))).encode(),
        lambda: rng.choice(RAW).encode(),
        lambda: other,
    )
    if rng.random() < 0.75 and len(payload) < _HEAVIEST:
        return spoilt_tree(rng, payload)
    return rng.choice(ways)()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A reply on its way, and what is wrong with its frame."""

    payload: bytes
    is_sound: bool = True
    length_error: int = 0
    nonce_error: int = 0
    surplus: bytes = b""
    kept: int | None = None
    """How many bytes are sent before the executor hangs up; None for all."""
    drops: int = 1
    """In how many pieces the frame is sent."""

    @property
    def is_cut(self) -> bool:
        """Whether the judge waits for more of it when the executor hangs up."""
        return self.length_error > 0 or self.kept is not None

    def packed(self, nonce: bytes) -> bytes:
        """Return what is sent in answer to the request with `nonce`."""
        wrong = bytes(byte ^ self.nonce_error for byte in nonce)
        data = bytearray(pack_frame(wrong, self.payload) + self.surplus)
        length = NONCE_BYTES + len(self.payload) + self.length_error
        HEADER.pack_into(data, 0, length % (1 << 32), wrong)
        return bytes(data[: self.kept])


_AT_ONCE: Final = 8_000
"""A frame of this size and what follows it arrive together."""


def framed(rng: Random, payload: bytes) -> Frame:
    """Return the frame of a reply: sound nearly always, and then perhaps in drops."""
    if rng.random() < 0.93:
        return Frame(payload=payload, drops=rng.choice((1, 1, 1, 1, 1, 5)))
    errors: dict[str, Any] = rng.choice(
        (
            {"length_error": rng.choice((1, -1, 7, 1_000, MAX_REPLY_BYTES, 1 << 31))},
            {"length_error": -NONCE_BYTES - len(payload) + rng.randrange(NONCE_BYTES)},
            {"nonce_error": rng.choice((1, 0xFF))},
            {"surplus": rng.choice((b" ", b"\0", payload[:100], rng.randbytes(20)))}
            if len(payload) < _AT_ONCE
            else {"nonce_error": 2},
            {"kept": rng.randrange(HEADER.size + len(payload))},
        )
    )
    return Frame(payload=payload, is_sound=False, **errors)
