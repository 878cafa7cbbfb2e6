"""`grader pack`: writes suites that work without the course around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.options import suites_option
from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.exercise import find_public_suite, read_utf8
from grader.plugins.authoring.suite_text import key_text
from grader.reporting.writing import write_below
from grader.seams import EXTRAS
from grader.suite.code import read_code
from grader.suite.diagnostics import read_source
from grader.suite.exercises import suite_paths, suites_folder
from grader.suite.files import hidden_suite_path, load_suite
from grader.suite.loading import parse_suite
from grader.suite.reading import read_document
from grader.values.foreign_text import one_line

_FILE_KEYS: Final = ("given", "checkers", "stand_ins")
"""The keys of a suite whose values are file names."""
_SCHEMA_LINE: Final = re.compile(r"\A# yaml-language-server:.*\n")


@click.command("pack")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("packed"),
    show_default=True,
    help="Folder for the suites. It is created if necessary.",
)
@click.option(
    "--hidden", is_flag=True, help="Also copy the hidden suites, which are not for students."
)
@click.option("--tested", is_flag=True, help="Write Dodona exercises for the TESTed judge instead.")
@suites_option
def command(
    exercises: Sequence[str], out: Path, hidden: bool, tested: bool, suites: Path | None
) -> None:
    """Write the suite of each EXERCISE as one self-contained file. Default: all exercises.

    The file includes the code that the suite refers to: given code, checkers and stand-ins.

    With --tested, write the folder of a Dodona exercise with the cases that TESTed can express.
    """
    if tested and hidden:
        raise UsageError(
            "--tested cannot be combined with --hidden",
            help="leave out one: an exercise for TESTed contains only the public suite",
        )
    for exercise in exercises or suite_paths(suites_folder(suites)):
        _, path = find_public_suite(exercise, suites)
        if tested:
            _write_tested(path, out)
            continue
        if out.resolve() == path.resolve().parent:
            raise UsageError(
                f"--out is the folder of the suites themselves: {one_line(str(out))}",
                help="choose another folder, because a packed suite would replace its original",
            )
        _write(out, path.name, packed_suite(path))
        hidden_path = hidden_suite_path(path)
        if hidden and hidden_path.is_file():
            _write(out, hidden_path.name, without_schema(hidden_path))
            warn(f"{one_line(hidden_path.name)} is not for students: do not publish it")


def _write_tested(path: Path, folder: Path) -> None:
    """Write the suite at `path` as a Dodona exercise in a subfolder of `folder`.

    Print a warning for each omitted part. Raises `UsageError` if the suite cannot be converted.
    """
    suite = load_suite(path, KINDS)
    spec = path.parent / suite.spec if suite.spec is not None else None
    files = [spec, spec and spec.with_name(f"{suite.modules[0]}.py")]
    texts = [read_utf8(file) if file and file.is_file() else "" for file in files]
    try:
        tested_exercise = EXTRAS.load("--tested")(suite, *texts)
    except ValueError as error:
        raise UsageError(
            one_line(str(error)), help="omit --tested, or name only exercises that can be converted"
        ) from error
    for name, content in tested_exercise.files.items():
        _write(folder / suite.exercise, name, content)
    for omission in tested_exercise.omissions:
        warn(f"omitted: {one_line(omission, 300)}")


def _write(folder: Path, name: str, text: str) -> None:
    write_below(folder, name, text.encode())
    say(f"written: {one_line(str(folder / name))}")


def packed_suite(path: Path) -> str:
    """Return the text of the suite at `path`, with its files added under the key `packed`.

    The line with the schema path is removed, because the suite can be moved anywhere. A suite that
    already has the key `packed` is not packed again. Raises `SuiteError` if the suite is invalid.
    """
    load_suite(path, KINDS)
    data = read_document(read_source(path.read_bytes(), str(path))).data
    text = without_schema(path)
    if "packed" in data or not (files := dict(_named_files(path, data))):
        return text
    packed_text = f"{text.rstrip()}\n{key_text('packed', files)}"
    parse_suite(packed_text.encode(), path.name, KINDS)  # check the result before students get it
    return packed_text


def without_schema(path: Path) -> str:
    """Return the text of the suite at `path` without the line with the path of its schema."""
    # An editor might have put a byte order mark before that line.
    return _SCHEMA_LINE.sub("", read_utf8(path).removeprefix("\ufeff"))


def _named_files(path: Path, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each file that the suite at `path` refers to.

    `data` is the suite as plain data.
    """
    spec = data.get("spec")
    if spec is not None and (path.parent / spec).is_file():
        yield spec, read_utf8(path.parent / spec)
    for key in _FILE_KEYS:
        for file in data.get(key, {}).values():
            yield file, read_code(path.parent, file)
