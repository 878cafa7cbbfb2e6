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
        "files": {
            name: base64.b64encode(data).decode("ascii") for name, data in hand_in.files.items()
        },
        "remarks": [each.to_json() for each in hand_in.remarks],
        "refusals": [each.to_json() for each in hand_in.refusals],
    }
    return packed(json.dumps(document).encode("ascii"))


def unpacked_hand_in(data: bytes, student: str) -> HandIn:
    """Return what `student` handed in; raises `ValueError` saying what is wrong with `data`."""
    try:
        document = json.loads(unpacked(data))
        return HandIn(
            student=student,
            files={
                str(name): base64.b64decode(content, validate=True)
                for name, content in document["files"].items()
            },
            remarks=tuple(_messages(document["remarks"])),
            refusals=tuple(_messages(document["refusals"])),
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is no hand-in: {error!r}") from None


def _messages(forms: Iterable[Any]) -> Iterable[Message]:
    for form in forms:
        yield message(form["key"], **form["parameters"])
