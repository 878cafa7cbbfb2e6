"""Programs to be compared: one that is worth copying, and others for the same exercise."""

from __future__ import annotations

from array import array
from functools import cache
from pathlib import Path
from typing import Final

from grader.plugins.similarity.classes import ComparedClass
from grader.plugins.similarity.comparing import ClassLikeness, compare_programs
from grader.plugins.similarity.fingerprints import Fingerprint, Word
from grader.plugins.similarity.reader import compute_fingerprint
from grader.store.runs import RunEntry

_FOLDER: Final = Path(__file__).resolve().parents[3] / "reference/yinyang/correct"
_RELATED: Final = "leest_eigen_tekst.py"
"""It does in its own way what another one does."""
CLASS: Final = tuple(
    path.read_text(encoding="utf-8")
    for path in sorted(_FOLDER.glob("*.py"))
    if path.name != _RELATED
)
"""Right programs that have nothing to do with each other."""
ORIGINAL: Final = 3
"""The one that is copied."""


@cache
def fingerprint(text: str) -> Fingerprint:
    """Return the fingerprint of a program, read in this process: it is one of ours."""
    told = compute_fingerprint([("program.py", text)])
    fragments, words = told["fragments"], told["words"]
    assert isinstance(fragments, list)
    assert isinstance(words, list)
    return Fingerprint(
        hashes=array("Q", [each[0] for each in fragments]),
        places=array("I", [number for each in fragments for number in each[1:]]),
        words={Word(kind, said): line for kind, said, line in words},
    )


def likeness(*texts: str) -> ClassLikeness:
    """Return how alike programs are."""
    return compare_programs([fingerprint(each).hashes for each in texts])


def class_of(texts: dict[str, str]) -> ComparedClass:
    """Return a class of these programs, by the names of their students."""
    return ComparedClass(
        exercise="yinyang",
        title="Yin <b>Yang</b>",
        entries=[
            RunEntry(exercise="yinyang", student=name, stem=f"s{number}")
            for number, name in enumerate(texts)
        ],
        file_hashes=list(texts.values()),
        fingerprints=[fingerprint(text) for text in texts.values()],
        given=(),
        failures={},
    )
