"""Sources that are made of names, as a download lists them; nothing of them is on a disk."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from grader.intake.files import SubmissionError
from grader.intake.layouts import recognise_layouts
from grader.intake.layouts.recognition import KnownExercise, Recognition
from grader.intake.people import Attempt, Person
from grader.intake.sources import Leaf, Source
from grader.messages import Message, message

YINYANG = KnownExercise(exercise="yinyang", modules=("yinyang",))
CODE = b"def maak_bord(tekst):\n    return tekst.split()\n"


def leaf(path: str, data: bytes = CODE, modified: datetime | None = None) -> Leaf:
    """Return a leaf at `path` that has `data`."""

    def read(most_bytes: int) -> bytes:
        if len(data) > most_bytes:
            raise SubmissionError(message("refused.large", file=path, kib=most_bytes // 1024))
        return data

    return Leaf(path=path, size_bytes=len(data), modified=modified, read=read)


def source(
    *paths: str,
    texts: Mapping[str, str | bytes] | None = None,
    name: str = "download.zip",
    empty: tuple[str, ...] = (),
    refusals: tuple[tuple[str, Message], ...] = (),
) -> Source:
    """Return a source with code at `paths`, and with the `texts` at theirs."""
    contents = dict.fromkeys(paths, CODE) | {
        path: text.encode() if isinstance(text, str) else text
        for path, text in (texts or {}).items()
    }
    return Source(
        name=name,
        leaves=tuple(leaf(path, data) for path, data in sorted(contents.items())),
        empty_folders=empty,
        refusals=refusals,
    )


def found(given: Source, wanted: KnownExercise = YINYANG, layout: str | None = None) -> Recognition:
    """Return what the one layout that fits makes of `given`."""
    (recognition,) = recognise_layouts(given, wanted, layout=layout)
    return recognition


def attempts(recognition: Recognition) -> list[tuple[str, str]]:
    """Return who handed in what, in few words."""
    return [(who(each.person), what(each)) for each in recognition.attempts]


def who(person: Person) -> str:
    """Return all that is known of `person`: `name, user=..., id=...`."""
    if person.members:
        return f"{person.name}: {' + '.join(map(who, person.members))}"
    facts = {"user": person.user, "id": person.id, "email": person.email}
    known = [f"{key}={value}" for key, value in facts.items() if value is not None]
    return ", ".join([person.name or "-", *known])


def what(attempt: Attempt) -> str:
    """Return the files of `attempt`, and all that is known about when it came."""
    facts = [
        "" if attempt.number is None else f"#{attempt.number}",
        "" if attempt.submitted is None else f"{attempt.submitted:%Y-%m-%d %H:%M}",
        "" if attempt.is_late is None else "late" if attempt.is_late else "in time",
    ]
    return " ".join(filter(None, [", ".join(attempt.leaves) or "nothing", *facts]))


def left_out(recognition: Recognition) -> dict[str, str]:
    """Return what was left out, and why."""
    return {
        each.path: each.reason if isinstance(each.reason, str) else each.reason.key
        for each in recognition.left_out
    }
