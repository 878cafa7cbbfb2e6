"""What reports tell of a submission besides its record: who handed it in.

A record follows from files and suite alone, so that the same always give the same. What a platform
tells of a person is kept beside it, and comes in here.
"""

from __future__ import annotations

from dataclasses import replace

from grader.judging.record import Record
from grader.store.runs import RunEntry


def told(record: Record, entry: RunEntry) -> Record:
    """Return `record` as reports tell it: with the name of its student as people know it."""
    return replace(record, student=entry.called)
