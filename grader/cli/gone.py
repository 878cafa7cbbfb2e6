"""Says whose marks go when other hand-ins are graded into the folder of a run."""

from __future__ import annotations

from typing import Final

from grader.cli.terminal import names, say, warn
from grader.store.runs import Run
from grader.store.store import Store

_MAX_NAMED: Final = 10


def say_gone(store: Store, run: Run) -> None:
    """Say who is in `store` with a mark, and will be no more when `run` begins there."""
    ours = {entry.name for entry in run.entries}
    gone = [line.entry for line in store.lines() if line.entry.name not in ours]
    if not gone:
        return
    shown = names(f"{entry.student} ({entry.exercise})" for entry in gone[:_MAX_NAMED])
    more = f" and {len(gone) - _MAX_NAMED} more" if len(gone) > _MAX_NAMED else ""
    warn(f"graded here before, and no longer in this run: {len(gone)}: {shown}{more}")
    say("  = help: name them too, or another --out; what is known of them is kept")
