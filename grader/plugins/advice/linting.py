"""Runs ruff on a student's files, and returns its findings.

The files are untrusted. Ruff does not run them, but a file can try to exhaust ruff's memory or
time, or to configure ruff. So ruff is a separate process with limits on time, memory and output.
The files are copied under neutral names to a separate folder, without settings from the student or
this machine, and `noqa` comments are ignored. A file that is not Python has no findings, and any
error drops all findings.

This module also selects the findings that help students who learn to program, gravest first.

The selection omits matters of taste, and rules that recommend constructs that an exercise can
forbid: comprehensions, `any` and `all`, `lambda`, context managers. It also omits naming style,
because the exercise dictates many names.
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
"""The time limit, far above the few hundredths of a second that ruff needs for a submission."""
MEMORY_BYTES: Final = 1024**3
OUTPUT_BYTES: Final = 4 * 1024**2
"""The output limit, enough for thousands of findings."""
LINE_CHARS: Final = 200
"""Longer lines of the submission are truncated."""

_OPTIONS: Final = (
    "--isolated",
    "--no-cache",
    "--ignore-noqa",
    "--quiet",
    "--exit-zero",
    "--output-format=json",
    "--target-version=py311",
)
_OUTPUT_FILE: Final = "found.json"
_RULE_CODE: Final = re.compile(r"[A-Z]+[0-9]+")
"""The code of a rule. For unreadable files, ruff gives a word such as `invalid-syntax`, or none."""
_NEWLINE: Final = re.compile(r"\r\n|\r|\n")
"""Newlines as in Python and ruff. `str.splitlines` also splits at form feeds, for example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuffFinding:
    """One finding of ruff in a student's file."""

    code: str
    message: str
    """Ruff's message in English, with names from the file in backticks."""
    file: str
    """The name that the student gave the file."""
    line: int
    column: int
    text: str
    """The text of the line, truncated."""


@cache
def ruff() -> str | None:
    """Return the path of ruff, preferably of the one installed with this Python.

    Return None if ruff is not installed.
    """
    name = f"ruff{sysconfig.get_config_var('EXE') or ''}"
    folders = (
        sysconfig.get_path("scripts"),
        str(Path(sys.executable).parent),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
    )
    candidates = (str(Path(folder, name)) for folder in folders)
    return next(filter(os.path.isfile, candidates), None) or shutil.which("ruff")


def lint(files: Sequence[SourceFile], codes: Sequence[str]) -> tuple[RuffFinding, ...]:
    """Run ruff on `files` and return the findings for the rules in `codes`.

    The findings are in the order of `files`, and by position in each file. Return no findings if
    ruff is not installed, fails or exceeds a limit.
    """
    program = ruff()
    if program is None or not files:
        return ()
    try:
        with tempfile.TemporaryDirectory(prefix="grader-advice-") as folder:
            names = _write_files(files, Path(folder))
            command = [program, "check", *_OPTIONS, f"--select={','.join(codes)}", *names]
            rows = json.loads(_output(command, Path(folder)))
    except (OSError, ValueError):  # advice is optional; JSON errors are `ValueError`s
        return ()
    return tuple(_findings(files, rows))


def line_of(text: str, number: int) -> str:
    """Return line `number` of the source `text`, or an empty string if there is no such line."""
    return _clipped_line(_NEWLINE.split(text), number)


def _clipped_line(lines: Sequence[str], number: int) -> str:
    return clip(lines[number - 1].rstrip(), LINE_CHARS) if 0 < number <= len(lines) else ""


def _write_files(files: Sequence[SourceFile], folder: Path) -> list[str]:
    """Write `files` to `folder` under neutral names, and return these names."""
    names = [_file_name(index) for index in range(len(files))]
    for name, file in zip(names, files, strict=True):
        # A text can contain lone surrogates, which UTF-8 cannot encode.
        (folder / name).write_bytes(file.text.encode("utf-8", "replace"))
    return names


def _file_name(index: int) -> str:
    return f"m{index}.py"


def _output(command: list[str], folder: Path) -> bytes:
    """Run `command` in `folder` and return its output.

    The output is empty if the command fails, takes too long or writes too much.
    """
    path = folder / _OUTPUT_FILE
    with (
        path.open("wb") as output,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=folder,
            start_new_session=True,  # so that Ctrl-C does not reach ruff
        ) as process,
    ):
        try:
            _set_limits(process.pid)
            has_succeeded = process.wait(WALL_S) == 0
        except subprocess.TimeoutExpired:
            has_succeeded = False
        finally:
            process.kill()
    if not has_succeeded or path.stat().st_size > OUTPUT_BYTES:
        return b""
    return path.read_bytes()


def _environment() -> dict[str, str]:
    """Return the environment variables for ruff, of which few are inherited.

    One thread is enough for a few small files.
    """
    # Windows programs need this variable to find system libraries.
    inherited = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**inherited, "RAYON_NUM_THREADS": "1", "NO_COLOR": "1"}


def _set_limits(pid: int) -> None:
    """Limit the resources of the process `pid`, on Linux only.

    Setting limits with `preexec_fn` would not be safe, because the judge has threads.
    """
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - missing on Windows

    limits = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_CPU: int(WALL_S),  # ends the process even if the judge is killed
        resource.RLIMIT_FSIZE: OUTPUT_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in limits.items():
        with suppress(OSError, ValueError):  # the process has ended, or has a lower hard limit
            resource.prlimit(pid, kind, (limit, limit))


def _findings(files: Sequence[SourceFile], rows: object) -> Iterator[RuffFinding]:
    """Yield the findings in `rows`, ruff's output, file by file, ordered by position.

    Files that ruff could not read have no findings. Rows in an unknown form are ignored.
    """
    by_name: dict[str, list[object]] = {}
    for row in rows if isinstance(rows, list) else ():
        match row:
            case {"filename": str() as path}:
                by_name.setdefault(Path(path).name, []).append(row)
    for index, file in enumerate(files):
        lines = _NEWLINE.split(file.text)
        findings = [_finding(row, file, lines) for row in by_name.get(_file_name(index), [])]
        valid_findings = [finding for finding in findings if finding is not None]
        if len(valid_findings) == len(findings):  # otherwise ruff could not read the file
            yield from sorted(valid_findings, key=lambda finding: (finding.line, finding.column))


def _finding(row: object, file: SourceFile, lines: Sequence[str]) -> RuffFinding | None:
    """Return `row` as a finding, or None if it reports that ruff could not read the file."""
    match row:
        case {
            "code": str() as code,
            "message": str() as message,
            "location": {"row": int() as line, "column": int() as column},
        } if _RULE_CODE.fullmatch(code):
            return RuffFinding(
                code=code,
                message=message,
                file=file.name,
                line=line,
                column=column,
                text=_clipped_line(lines, line),
            )
        case _:
            return None


KEY_PREFIX: Final = "advice."
"""The start of the key of each sentence of advice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A lesson for students, and the findings that trigger it."""

    key: str
    """The key of its sentence."""
    codes: tuple[str, ...]
    """Codes of ruff rules, or prefixes of codes."""
    quotes_names: bool = False
    """Whether the sentence includes the names in backticks from ruff's message."""
    only_assignments: bool = False
    """Whether findings in definitions and imports do not count, because the exercise can dictate
    the names there."""

    @property
    def kind(self) -> str:
        """The name of the lesson in records."""
        return self.key.removeprefix(KEY_PREFIX)


MISTAKES: Final = (
    Lesson(key="advice.undefined", codes=("F821", "F823"), quotes_names=True),
    Lesson(key="advice.mutable_default", codes=("B006",)),
    Lesson(key="advice.redefined", codes=("F811",), quotes_names=True),
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
    Lesson(key="advice.loop_over_itself", codes=("B020",), quotes_names=True),
    Lesson(key="advice.shadowed_parameter", codes=("PLR1704",), quotes_names=True),
    Lesson(key="advice.no_self", codes=("N805",)),
    Lesson(key="advice.loop_else", codes=("PLW0120",)),
    Lesson(key="advice.self_assignment", codes=("PLW0127",), quotes_names=True),
    Lesson(key="advice.builtin_name", codes=("A001",), quotes_names=True, only_assignments=True),
    Lesson(key="advice.bare_except", codes=("E722",)),
    Lesson(key="advice.invalid_escape", codes=("W605",)),
    Lesson(key="advice.compare_none", codes=("E711",)),
    Lesson(key="advice.type_comparison", codes=("E721",)),
    Lesson(key="advice.unused_variable", codes=("F841",), quotes_names=True),
)
"""Lessons about certain and likely mistakes, gravest first."""

HABITS: Final = (
    Lesson(key="advice.changes_global", codes=("PLW0603",), quotes_names=True),
    Lesson(key="advice.needless_bool", codes=("SIM103", "SIM210", "SIM211")),
    Lesson(key="advice.compare_true", codes=("E712",)),
    Lesson(key="advice.same_branches", codes=("SIM114",)),
    Lesson(key="advice.else_if", codes=("PLR5501",)),
    Lesson(key="advice.nested_if", codes=("SIM102",)),
    Lesson(key="advice.ambiguous_name", codes=("E741", "E742", "E743"), quotes_names=True),
    Lesson(key="advice.clumsy_not", codes=("E713", "E714", "SIM201", "SIM202", "SIM208")),
    Lesson(key="advice.lambda_name", codes=("E731",)),
    Lesson(key="advice.needless_global", codes=("PLW0602",), quotes_names=True),
    Lesson(key="advice.star_import", codes=("F403",)),
    Lesson(key="advice.unused_import", codes=("F401",), quotes_names=True),
    Lesson(key="advice.repeated_comparison", codes=("PLR1714",)),
    Lesson(key="advice.useless_pass", codes=("PIE790",)),
    Lesson(key="advice.useless_return", codes=("PLR1711",)),
    Lesson(key="advice.keys", codes=("SIM118",)),
    Lesson(key="advice.one_line", codes=("E701", "E702", "E703")),
    Lesson(key="advice.late_import", codes=("E402",)),
    Lesson(key="advice.empty_fstring", codes=("F541",)),
)
"""Lessons about correct code that could be more readable, most useful first."""

CODES: Final = tuple(code for lesson in (*MISTAKES, *HABITS) for code in lesson.codes)
"""All ruff codes to select."""
