"""Downloads as platforms make them, of two students, of whom one has handed in twice."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Final

ANN: Final = "Ann O'Brien-De Smet"
BOB: Final = "Bob van der Aa"
_HEADER: Final = (
    "filename,id,username,last_name,first_name,full_name,email,status,submission_id,"
    "name_en,name_nl,exercise_id,created_at"
)
_METADATA: Final = """\
---
submission_11:
  :submitters:
  - :name: "{ann}"
    :sid: '101'
    :email: ann@example.org
  :created_at: 2026-10-07 19:15:02.123456000 Z
submission_12:
  :submitters:
  - :name: {bob}
    :sid: '102'
    :email: bob@example.org
  :created_at: 2026-10-08 09:00:00.000000000 Z
"""
_LAYOUTS: Final[Mapping[str, tuple[str, ...]]] = {
    "blackboard": (
        "Oefening_1_r0101_poging_2026-10-07-21-15-02_{file}",
        "Oefening_1_r0102_poging_2026-10-07-20-00-00_{file}",
        "Oefening_1_r0102_poging_2026-10-08-11-00-00_{file}",
    ),
    "moodle": (
        f"{ANN}_101_assignsubmission_file/{{file}}",
        f"{BOB}_102_assignsubmission_file/{{file}}",
    ),
    "canvas": (
        "obriendesmetann_101_9001_{file}",
        "vanderaabob_102_9002_{file}",
        "vanderaabob_LATE_102_9009_{again}",
    ),
    "brightspace": (
        f"101-77 - {ANN} - Oct 7, 2026 915 PM/{{file}}",
        f"102-77 - {BOB} - Oct 7, 2026 800 PM/{{file}}",
        f"102-77 - {BOB} - Oct 8, 2026 1100 AM/{{file}}",
    ),
    "dodona": (f"Oefening/{ANN}.py", f"Oefening/{BOB}.py"),
    "gradescope": ("export/submission_11/{file}", "export/submission_12/{file}"),
    "classroom50": (
        "prog-ex_submissions_2026_10_09_T_14_30_45/prog-ex-ann/{file}",
        "prog-ex_submissions_2026_10_09_T_14_30_45/prog-ex-bob/{file}",
    ),
    "drive": (f"{{stem}} - {ANN}.py", f"{{stem}} - {BOB}.py"),
    "plain": (f"{ANN}/{{file}}", f"{BOB}/{{file}}"),
}
PLATFORMS: Final = tuple(_LAYOUTS)


def download(platform: str, file: str, code: bytes) -> dict[str, bytes]:
    """Return the files of a download of `platform`, in which each has handed in `file`."""
    stem, _, suffix = file.rpartition(".")
    names = [
        form.format(file=file, stem=stem, again=f"{stem}-1.{suffix}") for form in _LAYOUTS[platform]
    ]
    return {**dict.fromkeys(names, code), **_tables(platform, names)}


def _tables(platform: str, names: list[str]) -> dict[str, bytes]:
    match platform:
        case "blackboard":
            receipts = zip(names, ((ANN, "r0101"), (BOB, "r0102"), (BOB, "r0102")), strict=True)
            return {
                f"{name.rpartition('_')[0]}.txt": f"Naam: {who} ({user})\n".encode()
                for name, (who, user) in receipts
            }
        case "dodona":
            lines = [
                f'"{name}",{number},{who[:3].lower()},x,y,"{who}",{who[:3].lower()}@example.org,'
                f"correct,{number},Ex,Oef,7,2026-10-07 21:15:02 +0200"
                for number, (name, who) in enumerate(zip(names, (ANN, BOB), strict=True), 101)
            ]
            return {"info.csv": "\n".join((_HEADER, *lines)).encode()}
        case "gradescope":
            text = _METADATA.format(ann=ANN, bob=BOB)
            return {"export/submission_metadata.yml": text.encode()}
        case _:
            return {}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return `files` as a zip."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()
