"""What was handed in, as a store keeps it: to be graded again without the folder that it was in."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

from grader.intake.submissions import HandIn
from grader.messages import Message, message
from grader.store.graded import packed, unpacked


def packed_hand_in(hand_in: HandIn) -> bytes:
    """Return `hand_in` as it is kept, without its student: others may have handed in the same."""
    document = {
        "files": {name: _plain(data) for name, data in hand_in.files.items()},
        "remarks": [each.to_json() for each in hand_in.remarks],
        "refusals": [each.to_json() for each in hand_in.refusals],
        "is_named_after_student": hand_in.is_named_after_student,
    }
    return packed(json.dumps(document).encode("ascii"))


def unpacked_hand_in(data: bytes, student: str) -> HandIn:
    """Return what `student` handed in; raises `ValueError` saying what is wrong with `data`."""
    try:
        document = json.loads(unpacked(data))
        return HandIn(
            student=student,
            files={str(name): _bytes(content) for name, content in document["files"].items()},
            remarks=tuple(_messages(document["remarks"])),
            refusals=tuple(_messages(document["refusals"])),
            is_named_after_student=bool(document.get("is_named_after_student")),
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is no hand-in: {error!r}") from None


def _plain(data: bytes) -> str | list[str]:
    """Return `data` as text, or what is none as base64 in a list: text takes less room."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return [base64.b64encode(data).decode("ascii")]


def _bytes(content: str | list[str]) -> bytes:
    if isinstance(content, str):
        return content.encode("utf-8")
    return base64.b64decode(content[0], validate=True)


def _messages(forms: Iterable[Any]) -> Iterable[Message]:
    for form in forms:
        yield message(form["key"], **form["parameters"])
