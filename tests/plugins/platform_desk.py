"""The desk of a teacher: what each platform lets her download of the same two students.

The gradebooks on it are those of `worksheets`. What is handed in, and the suite, are as small as
can be: one is right, the other is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from command_line import RIGHT, SUITE, WRONG, write
from downloads import zipped
from worksheets import WORKSHEETS

INFO: Final = (
    "filename,id,username,last_name,first_name,full_name,email,status,submission_id,"
    "name_en,name_nl,exercise_id,created_at\n"
    "Akari/Zoë De Smet.py,1001,zdesmet,Zoë,De Smet,Zoë De Smet,zoe.desmet@uni.example,"
    "correct,1,Akari,Akari,77,2025-10-03 14:10:00 +0200\n"
    "Akari/Jan Peeters.py,1002,jpeeters,Jan,Peeters,Jan Peeters,jan@uni.example,"
    "correct,2,Akari,Akari,77,2025-10-03 14:11:00 +0200\n"
)
_METADATA: Final = """\
submission_11:
  :submitters:
  - :name: Zoë De Smet
    :email: zoe.desmet@uni.example
  :created_at: 2025-10-03 12:10:00.000000 Z
submission_12:
  :submitters:
  - :name: Jan Peeters
    :email: jan@uni.example
  :created_at: 2025-10-03 12:11:00.000000 Z
"""
_SCORES: Final = """\
username,first_name,last_name,email,section,datetime,submitted_by,late
zdesmet,Zoë,De Smet,,A,2025-10-03T12:10:00Z,zdesmet,false
jpeeters,Jan,Peeters,,A,2025-10-03T12:11:00Z,jpeeters,true
"""
_AROUND: Final = "prog-akari_submissions_2025_10_04_T_09_00_00"
_STEMS: Final = (
    "Akari_zdesmet_poging_2025-10-03-14-10-00",
    "Akari_jpeeters_poging_2025-10-03-14-11-00",
)
DOWNLOADS: Final[Mapping[str, Sequence[str]]] = {
    "toledo": [f"{stem}_akari.py" for stem in _STEMS],
    "moodle": [
        "Zoë De Smet_1001_assignsubmission_file/akari.py",
        "Jan Peeters_1002_assignsubmission_file/akari.py",
    ],
    "canvas": ["desmetzoe_1001_5550_akari.py", "peetersjan_LATE_1002_5552_akari.py"],
    "brightspace": [
        "31-77 - Zoë De Smet - 3 Oct 2025 1410/akari.py",
        "32-77 - Jan Peeters - 3 Oct 2025 1411/akari.py",
    ],
    "dodona": ["Akari/Zoë De Smet.py", "Akari/Jan Peeters.py"],
    "gradescope": ["submission_11/akari.py", "submission_12/akari.py"],
    "classroom50": [f"{_AROUND}/prog-akari-{user}/akari.py" for user in ("zdesmet", "jpeeters")],
    "drive": ["akari - Zoë De Smet.py", "akari - Jan Peeters.py"],
    "plain": ["De Smet Zoë/akari.py", "peeters_jan/akari.py"],
}
"""Of Zoë and of Jan."""
TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "toledo": {
        f"{stem}.txt": f"Naam: {who}\nOpdracht: Akari\nDatum: 3 oktober 2025 {at} CEST\n"
        for stem, who, at in zip(
            _STEMS,
            ("Zoë De Smet (zdesmet)", "Jan Peeters (jpeeters)"),
            ("14:10:00", "14:11:00"),
            strict=True,
        )
    },
    "brightspace": {"index.html": "<title>Akari</title>"},
    "dodona": {"info.csv": INFO},
    "gradescope": {"submission_metadata.yml": _METADATA},
    "classroom50": {f"{_AROUND}/scores.csv": _SCORES},
}
"""What lies beside the hand-ins."""
GRADEBOOKS: Final = {
    "toledo": ("gradebook.xls", "blackboard"),
    "moodle": ("worksheet.csv", "moodle"),
    "canvas": ("canvas.csv", "canvas"),
    "brightspace": ("brightspace.csv", "brightspace"),
    "dodona": ("dodona.csv", "dodona"),
    "gradescope": ("gradescope.csv", "gradescope"),
    "classroom50": ("marks.csv", "one's own"),
    "drive": ("marks.csv", "one's own"),
    "plain": ("marks.csv", "one's own"),
}
"""The file of a gradebook, and which of `WORKSHEETS` it is."""


def files_of(platform: str) -> dict[str, bytes]:
    """Return what is in the download of `platform`."""
    sources = zip(DOWNLOADS[platform], (RIGHT, WRONG), strict=True)
    texts = dict(sources) | dict(TABLES.get(platform, {}))
    return {path: text.encode() for path, text in texts.items()}


def lay_out() -> None:
    """Put all of it into the current folder."""
    write("testsuites/akari.yaml", SUITE.format(name="akari", defines="double", call="double(2)"))
    for platform, (file, given) in GRADEBOOKS.items():
        Path(f"{platform}.zip").write_bytes(zipped(files_of(platform)))
        Path(file).write_bytes(WORKSHEETS[given].before)
