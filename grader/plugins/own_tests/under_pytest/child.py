"""A process that tries an instructor's own tests on one hand-in of a class.

Tests keep modules, change folders and may end the process that they are in: each hand-in has one of
its own. It is started for a folder with what is to be done, and leaves the record there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from grader.intake.submissions import HandIn
from grader.judging.record import from_json, to_json
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.watched import CAN_WATCH, end_with_parent
from grader.run.worker import Made, is_lasting
from grader.store.graded import packed_hand_in

_SETTINGS: Final = "settings.json"
_HAND_IN: Final = "hand-in"
_RECORD: Final = "record.json"
_SAID: Final = "said.txt"
_PROGRAM: Final = (
    "import sys; from grader.plugins.own_tests.under_pytest.child import main; main(sys.argv[1])"
)
_MOST_SAID: Final = 2_000


def made_with_tests(own: OwnSettings, hand_in: HandIn) -> Made:
    """Return the record of `hand_in`, on which `own` tests are tried in a new process.

    Raises `RuntimeError` where that process leaves none: a fault of ours, or of the tests.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / _SETTINGS).write_text(replace(own, student=hand_in.student).to_json())
        (folder / _HAND_IN).write_bytes(packed_hand_in(hand_in))
        with (folder / _SAID).open("wb") as said:
            command = [sys.executable, "-P", "-c", _PROGRAM, name]
            null = subprocess.DEVNULL  # what pytest prints holds what submissions print
            subprocess.run(command, stdin=null, stdout=null, stderr=said, check=False)
        try:
            record = from_json((folder / _RECORD).read_bytes())
        except (OSError, ValueError):
            said_last = (folder / _SAID).read_text(errors="replace")[-_MOST_SAID:]
            raise RuntimeError(f"the tests have ended their process:\n{said_last}") from None
    return Made(record, is_lasting(record))


def main(name: str) -> None:
    """Try the tests that are named in the folder of this `name`, and leave the record there."""
    if CAN_WATCH:
        end_with_parent()
    from grader.plugins.own_tests.under_pytest.record import record_from_tests  # noqa: PLC0415 - it imports pytest

    folder = Path(name)
    own = OwnSettings.from_json((folder / _SETTINGS).read_text())
    _, record = record_from_tests(own, folder / _HAND_IN)
    part = folder / f"{_RECORD}.part"
    part.write_bytes(to_json(record))
    part.rename(folder / _RECORD)
    sys.stdout.flush()
    os._exit(0)  # threads of tests may never end
