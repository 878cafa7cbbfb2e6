"""Runs ruff over the files of a student, and brings home what it found.

Who may lie here: the files. Ruff reads them and runs nothing of them, but a file may be made to
exhaust whoever reads it, or to talk ruff out of reading it. So ruff is a process of its own, with
little time, memory and room for its output. It sees the files under names of ours, in a folder that
holds nothing else, with neither settings of the student's nor of this machine; what comments say to
linters does not count. Of a file that is not Python nothing is told, and after any trouble nothing
at all.

It also says which of them are worth a word to somebody who learns to program, and which first.

The selection leaves out what is a matter of taste, and whatever recommends constructs that an
exercise may forbid: comprehensions, `any` and `all`, `lambda`, context managers. It also leaves out
names in another style than Python's own, because the exercise gives many of them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from grader.intake.submission import SourceFile
from grader.values.foreign_text import clip

WALL_S: Final = 10.0
"""A submission takes ruff some hundredths of a second."""
MEMORY_BYTES: Final = 1024**3
OUTPUT_BYTES: Final = 4 * 1024**2
"""Room for thousands of findings; who has more is not helped by a list of them."""
LINE_CHARS: Final = 200
"""Characters that are kept of a line of the submission."""

_OPTIONS: Final = (
    "--isolated",
    "--no-cache",
    "--ignore-noqa",
    "--quiet",
    "--exit-zero",
    "--output-format=json",
    "--target-version=py311",
)
_OUTPUT_NAME: Final = "found.json"
_CODE: Final = re.compile(r"[A-Z]+[0-9]+")
"""Of a rule; what keeps ruff from reading a file has a word, such as `invalid-syntax`, or none."""
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
"""What ends a line for Python and for ruff; `str.splitlines` knows more than these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuffFinding:
    """One finding of ruff."""

    code: str
    message: str
    """In English; names from the file stand between backticks."""
    file: str
    """Name of the file as the student knows it."""
    line: int
    column: int
    text: str
    """The line as it stands there, or the beginning of a long one."""


@cache
def ruff() -> str | None:
    """Return where ruff is installed: beside this Python rather than anywhere else."""
    name = f"ruff{sysconfig.get_config_var('EXE') or ''}"
    folders = (
        sysconfig.get_path("scripts"),
        str(Path(sys.executable).parent),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
    )
    beside = (str(Path(folder, name)) for folder in folders)
    return next(filter(os.path.isfile, beside), None) or shutil.which("ruff")


def lint(files: Sequence[SourceFile], codes: Sequence[str]) -> tuple[RuffFinding, ...]:
    """Return what ruff finds in `files` by the rules that `codes` name, in order of place."""
    program = ruff()
    if program is None or not files:
        return ()
    try:
        with tempfile.TemporaryDirectory(prefix="grader-advice-") as folder:
            names = _write(files, Path(folder))
            command = [program, "check", *_OPTIONS, f"--select={','.join(codes)}", *names]
            rows = json.loads(_output(command, Path(folder)))
    except (OSError, ValueError):
        return ()
    return tuple(_findings(files, rows))


def line_of(text: str, number: int) -> str:
    """Return line `number` of the source `text`, or nothing where it has no such line."""
    return _line(_LINE_END.split(text), number)


def _line(lines: Sequence[str], number: int) -> str:
    return clip(lines[number - 1].rstrip(), LINE_CHARS) if 0 < number <= len(lines) else ""


def _write(files: Sequence[SourceFile], folder: Path) -> list[str]:
    """Put `files` in `folder` and return their names there, which tell nothing of theirs."""
    names = [_name(index) for index in range(len(files))]
    for name, file in zip(names, files, strict=True):
        (folder / name).write_bytes(file.text.encode("utf-8", "replace"))
    return names


def _name(index: int) -> str:
    return f"m{index}.py"


def _output(command: list[str], folder: Path) -> bytes:
    """Return what `command` writes, nothing at all if it comes to a bad end or writes too much."""
    path = folder / _OUTPUT_NAME
    with (
        path.open("wb") as output,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=folder,
            start_new_session=True,  # a Ctrl-C at the terminal is for the judge alone
        ) as process,
    ):
        try:
            _limit(process.pid)
            ended_well = process.wait(WALL_S) == 0
        except subprocess.TimeoutExpired:
            ended_well = False
        finally:
            process.kill()
    if not ended_well or path.stat().st_size > OUTPUT_BYTES:
        return b""
    return path.read_bytes()


def _environment() -> dict[str, str]:
    """Return what ruff is told of this machine; one thread is enough for so little."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**kept, "RAYON_NUM_THREADS": "1", "NO_COLOR": "1"}


def _limit(pid: int) -> None:
    """Bound what the process may use; from outside, since a judge with threads must not fork."""
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - other systems have none

    limits = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_CPU: int(WALL_S),  # also for the case that the judge is killed
        resource.RLIMIT_FSIZE: OUTPUT_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        with suppress(OSError, ValueError):  # it ended already, or is held by less than this
            resource.prlimit(pid, kind, (most, most))


def _findings(files: Sequence[SourceFile], rows: object) -> Iterator[RuffFinding]:
    by_name: dict[str, list[object]] = {}
    for row in rows if isinstance(rows, list) else ():
        match row:
            case {"filename": str() as path}:
                by_name.setdefault(Path(path).name, []).append(row)
    for index, file in enumerate(files):
        lines = _LINE_END.split(file.text)
        found = [_finding(row, file, lines) for row in by_name.get(_name(index), [])]
        known = [one for one in found if one is not None]
        if len(known) == len(found):
            yield from sorted(known, key=lambda one: (one.line, one.column))


def _finding(row: object, file: SourceFile, lines: Sequence[str]) -> RuffFinding | None:
    """Return `row` as a finding; None where it says that ruff could not read the file."""
    match row:
        case {
            "code": str() as code,
            "message": str() as message,
            "location": {"row": int() as line, "column": int() as column},
        } if _CODE.fullmatch(code):
            return RuffFinding(
                code=code,
                message=message,
                file=file.name,
                line=line,
                column=column,
                text=_line(lines, line),
            )
        case _:
            return None


KEYS: Final = "advice."


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Something to learn, and the findings that ask for it."""

    key: str
    """Of its sentence."""
    codes: tuple[str, ...]
    """Codes of ruff, or beginnings of codes."""
    names: bool = False
    """Whether the sentence tells the names that ruff puts between backticks."""
    assigned: bool = False
    """Whether it is about variables alone: how functions are called, the exercise may decide."""

    @property
    def kind(self) -> str:
        """The word for it in a record."""
        return self.key.removeprefix(KEYS)


MISTAKES: Final = (
    Lesson(key="advice.undefined", codes=("F821", "F823"), names=True),
    Lesson(key="advice.mutable_default", codes=("B006",)),
    Lesson(key="advice.redefined", codes=("F811",), names=True),
    Lesson(
        key="advice.constant_condition",
        codes=("SIM222", "SIM223", "F631", "F634", "PLR0124", "PLR0133", "PLW0129"),
    ),
    Lesson(key="advice.not_raised", codes=("PLW0133",)),
    Lesson(key="advice.no_effect", codes=("B015", "B018")),
    Lesson(key="advice.missing_return", codes=("RET503",)),
    Lesson(key="advice.is_literal", codes=("F632",)),
    Lesson(key="advice.format", codes=("F50", "F52")),
    Lesson(key="advice.repeated_key", codes=("F601",)),
    Lesson(key="advice.loop_over_itself", codes=("B020",), names=True),
    Lesson(key="advice.shadowed_parameter", codes=("PLR1704",), names=True),
    Lesson(key="advice.no_self", codes=("N805",)),
    Lesson(key="advice.loop_else", codes=("PLW0120",)),
    Lesson(key="advice.self_assignment", codes=("PLW0127",), names=True),
    Lesson(key="advice.builtin_name", codes=("A001",), names=True, assigned=True),
    Lesson(key="advice.bare_except", codes=("E722",)),
    Lesson(key="advice.invalid_escape", codes=("W605",)),
    Lesson(key="advice.compare_none", codes=("E711",)),
    Lesson(key="advice.type_comparison", codes=("E721",)),
    Lesson(key="advice.unused_variable", codes=("F841",), names=True),
)
"""What is wrong, or soon will be; the gravest first."""

HABITS: Final = (
    Lesson(key="advice.changes_global", codes=("PLW0603",), names=True),
    Lesson(key="advice.needless_bool", codes=("SIM103", "SIM210", "SIM211")),
    Lesson(key="advice.compare_true", codes=("E712",)),
    Lesson(key="advice.same_branches", codes=("SIM114",)),
    Lesson(key="advice.else_if", codes=("PLR5501",)),
    Lesson(key="advice.nested_if", codes=("SIM102",)),
    Lesson(key="advice.ambiguous_name", codes=("E741", "E742", "E743"), names=True),
    Lesson(key="advice.clumsy_not", codes=("E713", "E714", "SIM201", "SIM202", "SIM208")),
    Lesson(key="advice.lambda_name", codes=("E731",)),
    Lesson(key="advice.needless_global", codes=("PLW0602",), names=True),
    Lesson(key="advice.star_import", codes=("F403",)),
    Lesson(key="advice.unused_import", codes=("F401",), names=True),
    Lesson(key="advice.repeated_comparison", codes=("PLR1714",)),
    Lesson(key="advice.useless_pass", codes=("PIE790",)),
    Lesson(key="advice.useless_return", codes=("PLR1711",)),
    Lesson(key="advice.keys", codes=("SIM118",)),
    Lesson(key="advice.one_line", codes=("E701", "E702", "E703")),
    Lesson(key="advice.late_import", codes=("E402",)),
    Lesson(key="advice.empty_fstring", codes=("F541",)),
)
"""What is right and could be read more easily."""

CODES: Final = tuple(code for lesson in (*MISTAKES, *HABITS) for code in lesson.codes)
"""All that ruff is asked for."""
