"""Files that are handed in, and what is taken from them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from grader.intake.opening import open_source
from grader.intake.plan import PlanEntry, PlanOptions, make_plan
from grader.intake.submission import Submission
from grader.intake.submissions import Entry, read, understood
from grader.reporting.wording import LANGUAGES, say

SOURCE: Final = b"class Akari:\n    pass\n"


def put(folder: Path, *names: str, data: bytes = SOURCE) -> Path:
    """Write a file of each name below `folder`, folders included; return `folder`."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def taken(path: Path, *defines: str) -> Submission:
    """Return the submission at `path` for the exercise `akari`."""
    return read(Entry("student", path), ("akari",), defines or ("Akari",))


def entries(folder: Path) -> tuple[PlanEntry, ...]:
    """Return who is graded on what of `folder`."""
    return make_plan([open_source(folder)], PlanOptions()).entries


def taken_from(entry: PlanEntry) -> Submission:
    """Return what is graded of somebody, for the exercise `akari`."""
    return understood(entry.hand_in(), ("akari",), ("Akari",))


def students(folder: Path) -> list[str]:
    """Return the students who handed in below `folder`."""
    return [entry.student for entry in entries(folder)]


def remarks(submission: Submission) -> list[str]:
    """Return the keys of what is remarked; each can be said in each language."""
    for remark in submission.remarks:
        assert all(say(remark, language) for language in LANGUAGES)
    return [remark.key for remark in submission.remarks]


def main_name(submission: Submission) -> str | None:
    """Return the name of the file that is graded."""
    main = submission.modules.get("akari")
    return None if main is None else main.name


def obstacle(submission: Submission) -> str:
    """Return in English why nothing of `submission` can be run."""
    assert submission.ungradable is not None
    return say(submission.ungradable, "en")
